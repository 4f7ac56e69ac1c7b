"""Keys, tokens and ids, which the program takes from the system's chance, come in tests from the name of the test."""

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

_system = os.urandom


def _draw_from(source: Callable[[int], bytes]) -> None:
    os.urandom = random._urandom = source


@contextmanager
def seeded(name: object) -> Iterator[None]:
    """Meanwhile what is drawn is what `name` gives."""
    before = os.urandom
    _draw_from(random.Random(str(name)).randbytes)
    try:
        yield
    finally:
        _draw_from(before)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    with seeded(item.nodeid):
        return (yield)


os.register_at_fork(after_in_child=lambda: _draw_from(_system))  # else two children draw the same
