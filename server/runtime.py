"""What one running application carries besides its database: clock, dice, keys, bells.

Everything that tests inject is here; nothing else in the server reads a clock or rolls dice.
"""

import base64
import random
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from flask import current_app

from server.keyring import Keyring
from server.settings import Settings
from server.tables import Tables


def utc_now() -> datetime:
    """The wall clock, in UTC."""
    return datetime.now(UTC)


@dataclass
class Bells:
    """Rung after a commit so that the worker in the same process need not wait for its tick."""

    inbox: threading.Event = field(default_factory=threading.Event)
    outbox: threading.Event = field(default_factory=threading.Event)


@dataclass
class Runtime:
    """One per application; `runtime()` gives that of the current one."""

    settings: Settings
    keyring: Keyring
    clock: Callable[[], datetime] = utc_now
    rng: random.Random = field(default_factory=secrets.SystemRandom)
    bells: Bells = field(default_factory=Bells)
    tables: Tables = field(default_factory=Tables)

    def new_id(self) -> str:
        """A public id: 80 random bits, so that ids tell nothing about order or number."""
        return base64.b32encode(self.rng.randbytes(10)).decode().lower()


def runtime() -> Runtime:
    """The runtime of the current application."""
    return current_app.extensions["blackticket"]  # type: ignore[no-any-return]


def now() -> datetime:
    """The time of the injected clock, in UTC."""
    return runtime().clock()
