"""A cache in memory for all threads of a process."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def _one(_value: object) -> int:
    return 1


class LRUCache(Generic[Key, Value]):
    """A mapping of at most `most` items, which drops the least recently used first.

    With `weigh` it holds as many as weigh at most `most` together, such as `len` for so many bytes.
    """

    def __init__(self, most: int, weigh: Callable[[Value], int] = _one) -> None:
        self.most = most
        self._weigh = weigh
        self._weight = 0
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """Return the value of `key`, or None if there is none."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key]

    def put(self, key: Key, value: Value) -> None:
        """Set the value of `key`; one that weighs too much alone is not kept."""
        with self._lock:
            self._remove(key)
            if self._weigh(value) > self.most:
                return
            self._kept[key] = value
            self._weight += self._weigh(value)
            while self._weight > self.most:
                self._weight -= self._weigh(self._kept.popitem(last=False)[1])

    def drop(self, key: Key) -> None:
        """Forget the value of `key`, if there is one."""
        with self._lock:
            self._remove(key)

    def items(self) -> list[tuple[Key, Value]]:
        """Return all items, the least recently used first."""
        with self._lock:
            return list(self._kept.items())

    def take_all(self) -> list[tuple[Key, Value]]:
        """Remove and return all items, the least recently used first."""
        with self._lock:
            kept, self._kept, self._weight = self._kept, OrderedDict(), 0
        return list(kept.items())

    def _remove(self, key: Key) -> None:
        if key in self._kept:
            self._weight -= self._weigh(self._kept.pop(key))
