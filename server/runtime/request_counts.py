"""The number of requests of each caller in the current window, in the memory of this process."""

import threading

MOST_CALLERS = 10_000


class RequestCounts:
    """The counts of all callers, for all threads. Windows go by their numbers."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, int]] = {}  # caller: (window, requests in it), the last to ask at the end
        self._lock = threading.Lock()

    def add(self, caller: str, window: int, amount: int = 1) -> int:
        """Count a request, which may be `amount` of them; return how many there are in this window with it."""
        with self._lock:
            number = self.number(caller, window) + amount
            self._counts.pop(caller, None)
            self._counts[caller] = window, number
            if len(self._counts) > MOST_CALLERS:
                del self._counts[next(iter(self._counts))]
            return number

    def number(self, caller: str, window: int) -> int:
        """Return how many requests of the caller were counted in this window."""
        counted, number = self._counts.get(caller, (window, 0))
        return number if counted == window else 0
