"""The time zone and the night of a player: what they may be."""

import re

from server.clock import unknown_zone, zones
from server.vocabulary.errors import Problem

LONGEST_NIGHT = 12  # hours


def check_zone(zone: str) -> str:
    """Return `zone` if there is such a time zone; `Problem` form otherwise."""
    if zone not in zones():
        raise Problem("form", unknown_zone(zone))
    return zone


def check_night(night: str) -> str | None:
    """Return the hours of a night as they are stored, None for `off`; `Problem` form when they make no sense."""
    if night.strip().lower() == "off":
        return None
    match = re.fullmatch(r"(\d\d?):(\d\d) ?(?:-|to) ?(\d\d?):(\d\d)", night.strip())
    hours = [int(part) for part in match.groups()] if match else []
    if not match or max(hours[0], hours[2]) > 23 or max(hours[1], hours[3]) > 59:
        raise Problem("form", f"{night!r} is no night; write one such as 23:00-07:00, or off.")
    begin, end = hours[0] * 60 + hours[1], hours[2] * 60 + hours[3]
    if not 0 < (end - begin) % (24 * 60) <= LONGEST_NIGHT * 60:
        raise Problem("form", f"A night has at most {LONGEST_NIGHT} hours, and more than none.")
    return "{:02}:{:02}-{:02}:{:02}".format(*hours)


def zone_like(text: str) -> str:
    """Return the time zone that `text` names in any case of letters; `text` itself where there is none."""
    return next((zone for zone in zones() if zone.lower() == text.lower()), text)
