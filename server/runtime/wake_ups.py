"""Wake-ups: events that are set after a commit, so that the worker need not wait for its tick."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, fields


@dataclass
class WakeUps:
    """The events of the worker in this process, or of the one in the other process of `blackticket serve`."""

    inbox: threading.Event = field(default_factory=threading.Event)
    outbox: threading.Event = field(default_factory=threading.Event)
    webhooks: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of all events."""
        return tuple(each.name for each in fields(cls))


class DistantEvent(threading.Event):
    """An event that somebody in another process waits for: setting it calls `send`, and it is never set here."""

    def __init__(self, send: Callable[[], object]) -> None:
        super().__init__()
        self._send = send

    def set(self) -> None:
        """Send the event to the other process."""
        self._send()
