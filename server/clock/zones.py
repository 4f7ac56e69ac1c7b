"""Which time zones there are, and which of them somebody may have meant."""

from functools import cache
from zoneinfo import available_timezones

MOST = 3  # that are named to who has written none

zones = cache(available_timezones)  # which looks through hundreds of files


def unknown_zone(text: object) -> str:
    """What is told to who wrote `text` for a time zone: those of that place, Europe/Berlin for "berlin"."""
    place = "/" + str(text).strip().replace(" ", "_").lower()
    such = sorted(zone for zone in zones() if f"/{zone}".lower().endswith(place))[:MOST]
    return f"{text!r} is no time zone; write one such as {' or '.join(such) or 'Europe/London'}."
