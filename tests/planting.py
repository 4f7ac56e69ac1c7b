"""Faults that are planted in the server's own code, so that the tests that look for such a fault are seen to find it.

Nothing else that tests do replaces code of the server; what is injected is in tests/injected.py.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import pytest


class Plant(Protocol):
    """Put `fault` in the place of what a module, a class or an object has under `name`."""

    def __call__(self, where: Any, name: str, fault: Any) -> None: ...


@contextmanager
def planting() -> Iterator[Plant]:
    """Yield what plants faults; they are gone behind the block."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch.setattr
