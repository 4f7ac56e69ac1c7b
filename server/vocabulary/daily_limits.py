"""At most so many a day: whether something may be done once more, by the times when it was done.

How many stands with what is limited, such as `house_rules.invitations`.
"""

from collections.abc import Sequence
from datetime import datetime

from server.vocabulary.durations import DAY, seconds_until
from server.vocabulary.errors import Problem


def again_at(times: Sequence[datetime], most: int, more: int = 1) -> datetime | None:
    """Return None if something done at these `times` may be done `more` times now, or when it may be done again.

    It may be done `most` times within a day. The times are those of the last day, the oldest first.
    """
    return times[len(times) + more - most - 1] + DAY if len(times) + more > most else None


def check(times: Sequence[datetime], most: int, now: datetime, sentence: str, more: int = 1) -> None:
    """Raise `Problem` too-many if something done at these `times` may not be done `more` times `now`.

    The sentence may name the time when it may be done as `{again}`.
    """
    again = again_at(times, most, more)
    if again is not None:
        raise Problem("too-many", sentence.format(again=again), retry_after=seconds_until(again, now))
