"""What this process may let through of each caller's rate, in memory; the rest is in the database."""

import threading
from dataclasses import dataclass

MOST_CALLERS = 10_000


@dataclass
class Share:
    """What is held for one caller. Windows and epochs go by their numbers.

    left: requests that may still be let through in `window`; standing: what `left` begins with in every window of
    `epoch`; elsewhere: what nobody had taken yet in this window, as far as was known when the database was last asked
    """

    window: int
    epoch: int
    left: int
    standing: int
    elsewhere: int


class Shares:
    """The shares of all callers, for all threads."""

    def __init__(self) -> None:
        self._held: dict[str, Share] = {}
        self._lock = threading.Lock()

    def spend(self, caller: str, window: int, epoch: int, most: int) -> int | None:
        """Take one; how much there is left of `most`, or None when the database has to be asked for more."""
        with self._lock:
            share = self._held.get(caller)
            if share is None or share.epoch != epoch:
                return None
            if share.window != window:
                share.window, share.left, share.elsewhere = window, share.standing, most - share.standing
            if share.left == 0:
                return None
            share.left -= 1
            return share.left + share.elsewhere

    def add(self, caller: str, window: int, epoch: int, taken: int, elsewhere: int, *, standing: bool) -> None:
        """Something was taken for a caller; or, where that is 0, there is nothing to be had in this window."""
        with self._lock:
            share = self._held.pop(caller, None)
            if share is None or share.epoch != epoch:
                share = Share(window, epoch, 0, 0, 0)
            if share.window != window:
                share.window, share.left = window, share.standing
            share.left += taken
            share.standing += taken if standing else 0
            share.elsewhere = elsewhere
            self._held[caller] = share  # as the newest, so that the first is who was not heard of for longest
            if len(self._held) > MOST_CALLERS:
                del self._held[next(iter(self._held))]

    def has_standing(self, caller: str, epoch: int) -> bool:
        """Whether something is held for the caller in every window of the epoch."""
        share = self._held.get(caller)
        return share is not None and share.epoch == epoch and share.standing > 0

    def is_spent(self, caller: str, window: int) -> bool:
        """Whether it is known that nothing is to be had for the caller in this window."""
        share = self._held.get(caller)
        return share is not None and share.window == window and share.left == 0 and share.elsewhere <= 0
