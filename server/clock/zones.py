"""The time zones there are, and suggestions for a zone that is none."""

from functools import cache
from zoneinfo import available_timezones

from server.vocabulary.translation import gettext
from server.vocabulary.words import either, quoted

MOST = 3  # suggestions

_OF_NO_PLACE = {"localtime", "Factory", "posixrules"}  # names of files beside the zones


@cache  # it looks through hundreds of files
def zones() -> set[str]:
    """Return the names of all time zones."""
    return available_timezones() - _OF_NO_PLACE


def unknown_zone(text: object) -> str:
    """Return a sentence saying that `text` is no zone, with zones of that place: Europe/Berlin for "berlin"."""
    place = "/" + str(text).strip().replace(" ", "_").lower()
    such = sorted(zone for zone in zones() if f"/{zone}".lower().endswith(place))[:MOST]
    examples = either(such or ["Europe/London"])
    return gettext("{zone} is no time zone; write one such as {examples}.", zone=quoted(text), examples=examples)
