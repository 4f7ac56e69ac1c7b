"""When somebody's time is over: clocks as data, and pure functions of them. Nothing here knows what time it is."""

from server.clock.kinds import ANY, DEFAULT, KINDS, ClockError, check, filled
from server.clock.pauses import WEEKDAYS, Night, Pause
from server.clock.reckoning import Reckoned, bank_after, longest, reckon, remind

__all__ = [
    "ANY",
    "DEFAULT",
    "KINDS",
    "WEEKDAYS",
    "ClockError",
    "Night",
    "Pause",
    "Reckoned",
    "bank_after",
    "check",
    "filled",
    "longest",
    "reckon",
    "remind",
]
