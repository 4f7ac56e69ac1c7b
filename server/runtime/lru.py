"""A cache in memory for all threads of a process."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, Self, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LRUCache(Generic[Key, Value]):
    """A mapping of at most `most` items, which drops the least recently used first."""

    def __init__(self, most: int) -> None:
        self._most = most
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
        """Set the value of `key`."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def drop(self, key: Key) -> None:
        """Forget the value of `key`, if there is one."""
        with self._lock:
            self._kept.pop(key, None)

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(self._most)
        with self._lock:
            for key, value in self._kept.items():
                twin.put(key, value)
        return twin

    def items(self) -> list[tuple[Key, Value]]:
        """Return all items, the least recently used first."""
        with self._lock:
            return list(self._kept.items())

    def take_all(self) -> list[tuple[Key, Value]]:
        """Remove and return all items, the least recently used first."""
        with self._lock:
            kept, self._kept = self._kept, OrderedDict()
        return list(kept.items())
