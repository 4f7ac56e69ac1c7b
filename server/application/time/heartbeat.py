"""Heartbeats: when something recurring last happened, or since when something goes on, for all processes to see."""

from datetime import datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError

from server.models import Pulse, execute, rows, session, transaction
from server.runtime import now

NOTED_EVERY = timedelta(minutes=1)
TICK = "tick"
WELL = "well"
KNOCK = "knock"
NO_RELAY = "no-relay"
WAS_AHEAD = "was-ahead"
VERIFIED = "verified"


def beat(name: str, every: timedelta = NOTED_EVERY) -> bool:
    """Note that it happens now; return False if it was noted less than `every` ago."""
    return is_old(last(name), every) and note(name)


def is_old(noted: datetime | None, age: timedelta) -> bool:
    """Return whether a time is at least `age` ago, or to come since the clock was set back, or None."""
    return noted is None or not timedelta(0) <= now() - noted < age


def note(name: str) -> bool:
    """Note that it happens now; return False if another worker noted the very first one meanwhile."""
    try:
        with transaction():
            noted = update(Pulse).where(Pulse.name == name).values(at=now()).returning(Pulse.name)
            if execute(noted).scalar() is None:
                session.add(Pulse(name=name, at=now()))
    except IntegrityError:
        return False
    return True


def begin(name: str) -> None:
    """Note that something begins now, unless it goes on already."""
    if last(name) is None:
        note(name)


def end(name: str) -> None:
    """Note that it has ended."""
    if last(name) is not None:
        with transaction():
            session.execute(delete(Pulse).where(Pulse.name == name))


def last(name: str) -> datetime | None:
    """Return when it was noted last, or began; None if it never was, or has ended."""
    noted = rows(select(Pulse.at).where(Pulse.name == name))
    return noted[0].at if noted else None


def known() -> dict[str, datetime]:
    """Return the time of every heartbeat, by name."""
    return {row.name: row.at for row in session.execute(select(Pulse.name, Pulse.at))}
