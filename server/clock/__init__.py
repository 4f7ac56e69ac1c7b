"""Clocks as data, and pure functions that compute deadlines from them. Nothing here reads the time."""

from server.clock.deadline import (
    ComputedDeadline,
    ExtraTime,
    bank_after_turn,
    compute_deadline,
    compute_grace_end,
    longest_game,
    reminder_at,
)
from server.clock.explanation import OUTAGES, Step, StoredStep, describe, explain, in_zone, read_steps
from server.clock.kinds import (
    ANY,
    DEFAULT,
    KINDS,
    LATE,
    LONGEST,
    LONGEST_GRACE,
    LONGEST_PROVISIONAL,
    ClockError,
    check,
    full_turn,
    gives_under_an_hour,
    is_shared,
    provisional_period,
    with_defaults,
)
from server.clock.nights import Night
from server.clock.pauses import WEEKDAYS, Pause
from server.clock.zones import unknown_zone, zones
