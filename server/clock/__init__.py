"""When somebody's time is over: clocks as data, and pure functions of them. Nothing here knows what time it is."""

from server.clock.deadline import More, Reckoned, bank_after, longest, reckon, reckon_grace, remind
from server.clock.explanation import Step, described, in_zone, stored_steps, told
from server.clock.kinds import ANY, DEFAULT, KINDS, LONGEST, ClockError, check, filled, is_shared, provisional
from server.clock.pauses import DAY, WEEKDAYS, Night, Pause
from server.clock.zones import no_zone, zones

__all__ = [
    "ANY",
    "DAY",
    "DEFAULT",
    "KINDS",
    "LONGEST",
    "WEEKDAYS",
    "ClockError",
    "More",
    "Night",
    "Pause",
    "Reckoned",
    "Step",
    "bank_after",
    "check",
    "described",
    "filled",
    "in_zone",
    "is_shared",
    "longest",
    "no_zone",
    "provisional",
    "reckon",
    "reckon_grace",
    "remind",
    "stored_steps",
    "told",
    "zones",
]
