"""Codes by mail, by which somebody shows that an address is his.

Whether an address is known here is nobody's business: asking for a code does and says the same for every address.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, select, text

from server.application.errors import Problem
from server.application.news import notices
from server.application.people.players import mark, with_email
from server.durations import rfc3339
from server.models import Base, SignUp, session, transaction
from server.runtime import now, runtime, seconds_until

DAY = timedelta(days=1)  # as long as a code is good, and mails are counted
MOST_PER_ADDRESS = 3
MOST_A_DAY = 200


def send(kind: str, wanted: Mapping[str, str], player_id: str | None = None) -> None:
    """Mail a code to the address `email` in `wanted`; if it is somebody's, word to him that it was tried.

    `kind` is that of the mail. `Problem` too-many when the address has had its mails for the day, or the server has.
    """
    code, email = runtime().new_id("sign-up code"), wanted["email"]
    with transaction():
        one_after_the_other(SignUp)
        session.execute(delete(SignUp).where(SignUp.created_at <= now() - DAY))
        _check_how_often(mark(email))
        owner = with_email(email)
        session.add(
            SignUp(
                id=runtime().new_id("sign-up"),
                address=mark(email),
                player_id=player_id,
                digest=digest(code),
                wanted=dict(wanted),
                created_at=now(),
            )
        )
        if owner is None or owner.id == player_id:
            notices.post(None, kind, details={"to": email, "code": code})
        else:
            notices.post(owner.id, "tried", details={"to": email})


def redeem(code: str, player_id: str | None = None) -> dict[str, str]:
    """What was asked for with this code, by this player or by who is none yet; it is used up with the transaction.

    `Problem` bad-code when it is not, or no longer, good.
    """
    given = SignUp.digest == digest(code.strip().lower())
    query = select(SignUp).where(given, SignUp.player_id == player_id, SignUp.created_at > now() - DAY)
    pending = session.scalar(query.with_for_update())
    if pending is None or pending.wanted is None:
        raise Problem("bad-code", "This code is not good: a code is good for one day, and once.")
    wanted = pending.wanted
    pending.digest = pending.wanted = None
    return wanted


def asked_for(player_id: str, emails: Sequence[str]) -> list[str | None]:
    """When codes were asked for, by the player or for one of his addresses; the oldest first."""
    query = select(SignUp.created_at).where(_about(player_id, emails)).order_by(SignUp.created_at)
    return [rfc3339(at) for at in session.scalars(query)]


def forget(player_id: str, emails: Sequence[str]) -> None:
    """Nothing is left of what `asked_for` tells."""
    session.execute(delete(SignUp).where(_about(player_id, emails)))


def _about(player_id: str, emails: Sequence[str]) -> ColumnElement[bool]:
    return (SignUp.player_id == player_id) | SignUp.address.in_(map(mark, emails))


def one_after_the_other(table: type[Base]) -> None:
    """Only one counts mails by this table at a time; the embedded database sees to that by itself."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text(f"LOCK TABLE {table.__tablename__} IN EXCLUSIVE MODE"))


def _check_how_often(address: str) -> None:
    rows = session.execute(select(SignUp.created_at, SignUp.address).order_by(SignUp.created_at)).all()
    own = [row.created_at for row in rows if row.address == address]
    check_times(own, MOST_PER_ADDRESS)
    check_times([row.created_at for row in rows], MOST_A_DAY)


def check_times(times: Sequence[datetime], most: int, more: int = 1) -> None:
    """Raise `Problem` too-many where with so many `more` mails there would be over `most` within a day.

    `times` are when those before were asked for, the oldest first.
    """
    if len(times) + more > most:
        again = seconds_until(times[len(times) + more - most - 1] + DAY)
        raise Problem("too-many", "Enough mails were asked for today; try again later.", retry_after=again)


def digest(code: str) -> str:
    """What is kept of a code."""
    return hashlib.sha256(code.encode()).hexdigest()
