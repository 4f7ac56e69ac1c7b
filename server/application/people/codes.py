"""Codes by mail, with which people prove that an address is theirs.

Nobody can find out whether an address is known here: the answer to a request is the same for every address.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, delete, select

from server.application.errors import Problem
from server.application.game import notices
from server.application.people.address_marks import address_mark
from server.application.people.daily_limits import check_daily_limit, lock_table
from server.application.people.players import with_email
from server.durations import DAY, rfc3339, seconds_until
from server.models import SignUp, session, transaction
from server.runtime import now, runtime

GOOD_FOR = DAY
SIGN_IN = "sign_in"
GOOD_FOR_SIGN_IN = timedelta(minutes=15)
MOST_PER_ADDRESS = 3
MOST_SIGN_INS = 30  # per address, all its codes counted
MOST_SIGN_INS_OF_NETWORK = 5  # per address and network, so that nobody locks another out
MOST_PER_PLAYER = 10  # for more addresses of their own
MOST_PER_NETWORK = 30
MOST_A_DAY = 200  # of all; then one every `PAUSE`
PAUSE = timedelta(seconds=30)  # between two of these


def send(kind: str, request: Mapping[str, str], player_id: str | None = None, *, network: str = "") -> None:
    """Mail a code to the address `email` in `request`; if it is another player's, tell that player that it was tried.

    A code with which somebody signs in goes to the address in any case.

    Args:
        kind: the kind of the mail: code (of a sign-up), address, or sign_in. The code is good for nothing else.
        network: where the request came from if no player sent it.

    Raises:
        Problem: `too-many` when the address, the network or the player has had its mails for the day; or for a moment,
            when all together have.
    """
    code, email = runtime().new_id("sign-up code"), request["email"]
    with transaction():
        lock_table(SignUp)
        session.execute(delete(SignUp).where(SignUp.created_at <= now() - GOOD_FOR))
        origin = _origin(network)
        most = MOST_SIGN_INS if kind == SIGN_IN else MOST_PER_ADDRESS
        _check_how_often(address_mark(email), most, origin, player_id)
        owner = with_email(email)
        session.add(
            SignUp(
                id=runtime().new_id("sign-up"),
                address=address_mark(email),
                network=origin,
                player_id=player_id,
                digest=digest(code),
                purpose=kind,
                wanted=dict(request),
                created_at=now(),
            )
        )
        if kind == SIGN_IN or owner is None or owner.id == player_id:
            notices.post(None, kind, details={"to": email, "code": code})
        else:
            notices.post(owner.id, "tried", details={"to": email})


def redeem(kind: str, code: str, player_id: str | None = None) -> dict[str, str]:
    """Return the request that a code of this kind confirms, of this player or of somebody new, and use the code up.

    `Problem` bad-code when it is not, or no longer, good.
    """
    pending = _pending(kind, code, player_id)
    request = pending.wanted or {}
    pending.digest = pending.wanted = None
    return request


def requested(kind: str, code: str) -> dict[str, str]:
    """Return the request that a code of somebody new would confirm; the same `Problem` as `redeem`."""
    return _pending(kind, code, None).wanted or {}


def _pending(kind: str, code: str, player_id: str | None) -> SignUp:
    good_for, length = (GOOD_FOR_SIGN_IN, "15 minutes") if kind == SIGN_IN else (GOOD_FOR, "one day")
    same = (SignUp.digest == digest(code.strip().lower()), SignUp.purpose == kind, SignUp.player_id == player_id)
    query = select(SignUp).where(*same, SignUp.created_at > now() - good_for)
    pending = session.scalar(query.with_for_update())
    if pending is None:
        raise Problem("bad-code", f"This code is not good: a code is good for {length}, and once.")
    return pending


def asked_for(player_id: str, emails: Sequence[str]) -> list[str | None]:
    """Return the times of requests by the player or for one of their addresses, the oldest first."""
    query = select(SignUp.created_at).where(_about(player_id, emails)).order_by(SignUp.created_at)
    return [rfc3339(at) for at in session.scalars(query)]


def forget(player_id: str, emails: Sequence[str]) -> None:
    """Delete the requests that `asked_for` returns."""
    session.execute(delete(SignUp).where(_about(player_id, emails)))


def _about(player_id: str, emails: Sequence[str]) -> ColumnElement[bool]:
    return (SignUp.player_id == player_id) | SignUp.address.in_(map(address_mark, emails))


def _origin(network: str) -> str | None:
    """Return a keyed hash of a network, so that the table does not tell who asked from where."""
    return runtime().keyring.fingerprint(b"network\0" + network.encode()) if network else None


def _check_how_often(address: str, most: int, origin: str | None, player_id: str | None) -> None:
    """Raise `Problem` too-many where one of these has had its mails for the day.

    When all together have, nobody is shut out until tomorrow: one code is sent in every `PAUSE`.
    """
    columns = (SignUp.created_at, SignUp.address, SignUp.network, SignUp.player_id)
    rows = session.execute(select(*columns).order_by(SignUp.created_at)).all()
    if most == MOST_SIGN_INS:
        same = [row.created_at for row in rows if (row.address, row.network) == (address, origin)]
        check_daily_limit(same, MOST_SIGN_INS_OF_NETWORK)
    check_daily_limit([row.created_at for row in rows if row.address == address], most)
    if origin is not None:
        check_daily_limit([row.created_at for row in rows if row.network == origin], MOST_PER_NETWORK)
    if player_id is not None:
        check_daily_limit([row.created_at for row in rows if row.player_id == player_id], MOST_PER_PLAYER)
    if len(rows) >= MOST_A_DAY and now() < rows[-1].created_at + PAUSE:
        again = seconds_until(rows[-1].created_at + PAUSE, now())
        raise Problem("too-many", "Many people sign up at the moment; try again in a minute.", retry_after=again)


def digest(code: str) -> str:
    """Return the hash of a code, which is stored in its place."""
    return hashlib.sha256(code.encode()).hexdigest()
