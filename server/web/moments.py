"""Times on pages, for people and for the script that says them in the zone of the browser."""

from datetime import datetime

from markupsafe import Markup

from server.vocabulary.durations import rfc3339
from server.wording import times


def moment(at: datetime, zone: str) -> Markup:
    """Return a time in words, in the zone of the player; templates/web/scripts/times.js says how long until then.

    What stands before it fits both: `due <time>`.
    """
    return _marked(at, times.moment(at, zone))


def short_moment(at: datetime, zone: str) -> Markup:
    """Return the same as short as it can be."""
    return _marked(at, times.short_moment(at, zone))


def _marked(at: datetime, words: str) -> Markup:
    return Markup('<time datetime="{}">{}</time>').format(rfc3339(at), words)
