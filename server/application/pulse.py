"""Signs of life: when something last happened that has to happen again and again, for all processes to see."""

from datetime import datetime, timedelta

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError

from server.models import Pulse, session, transaction
from server.runtime import now

NOTED_EVERY = timedelta(minutes=1)
TICK = "tick"
WELL = "well"
KNOCK = "knock"
NO_RELAY = "no-relay"


def beat(name: str, every: timedelta = NOTED_EVERY) -> bool:
    """Note that it happens now; False if that was noted a moment ago, less than `every`."""
    noted = last(name)
    if noted is not None and timedelta(0) <= now() - noted < every:
        return False
    try:
        with transaction():
            session.merge(Pulse(name=name, at=now()))
    except IntegrityError:
        return False  # another worker has noted the very first one meanwhile
    return True


def begin(name: str) -> None:
    """Note that something goes on from now, unless it did already."""
    if last(name) is None:
        beat(name)


def end(name: str) -> None:
    """Note that it goes on no longer."""
    if last(name) is not None:
        with transaction():
            session.execute(delete(Pulse).where(Pulse.name == name))


def last(name: str) -> datetime | None:
    """When it was noted last, or began; None if it never was, or is over."""
    found = session.get(Pulse, name, populate_existing=True)
    return found.at if found else None
