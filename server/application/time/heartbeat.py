"""Signs of life: when something last happened that has to happen again and again, for all processes to see."""

from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.exc import IntegrityError

from server.models import Pulse, session, transaction
from server.runtime import now

NOTED_EVERY = timedelta(minutes=1)
TICK = "tick"
WELL = "well"
KNOCK = "knock"
NO_RELAY = "no-relay"
WAS_AHEAD = "was-ahead"
# Every worker says and asks this all the time, so it is built once.
_NOTE = update(Pulse).where(Pulse.name == bindparam("what")).values(at=bindparam("when")).returning(Pulse.name)
_LAST = select(Pulse.at).where(Pulse.name == bindparam("what"))
_ALL = select(Pulse.name, Pulse.at)
_UNLOADED = {"synchronize_session": False}  # no object of the session is changed besides


def beat(name: str, every: timedelta = NOTED_EVERY) -> bool:
    """Note that it happens now; False if that was noted a moment ago, less than `every`."""
    return is_old(last(name), every) and note(name)


def is_old(noted: datetime | None, age: timedelta) -> bool:
    """Whether what was `noted` is as old as that, or by a clock that was set back since, or nothing at all."""
    return noted is None or not timedelta(0) <= now() - noted < age


def note(name: str) -> bool:
    """Note that it happens now; False if another worker has noted the very first one meanwhile."""
    try:
        with transaction():
            if session.scalar(_NOTE, {"what": name, "when": now()}, execution_options=_UNLOADED) is None:
                session.add(Pulse(name=name, at=now()))
    except IntegrityError:
        return False
    return True


def begin(name: str) -> None:
    """Note that something goes on from now, unless it did already."""
    if last(name) is None:
        note(name)


def end(name: str) -> None:
    """Note that it goes on no longer."""
    if last(name) is not None:
        with transaction():
            session.execute(delete(Pulse).where(Pulse.name == name))


def last(name: str) -> datetime | None:
    """When it was noted last, or began; None if it never was, or is over."""
    return session.scalar(_LAST, {"what": name})


def known() -> dict[str, datetime]:
    """The same of all of them at once, by name."""
    return {row.name: row.at for row in session.execute(_ALL)}
