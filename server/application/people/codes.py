"""Codes by mail, with which people prove that an address is theirs.

Nobody can find out whether an address is known here: the answer to a request is the same for every address.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, select, update

from server.application.errors import Problem
from server.application.game import outbox_rows
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
MOST_SIGN_INS = 30  # per address; then one every `REST`
MOST_SIGN_INS_OF_NETWORK = 5  # per address and network; then one every `REST`
REST = timedelta(minutes=10)  # less than `GOOD_FOR_SIGN_IN`, so that the code before is still good
MOST_PER_PLAYER = 10  # for more addresses of their own
MOST_PER_NETWORK = 30
MOST_A_DAY = 200  # of all; then one every `PAUSE`
PAUSE = timedelta(seconds=30)  # between two of these


def send(kind: str, request: Mapping[str, str], player_id: str | None = None, *, network: str = "") -> None:
    """Mail a code to the address `email` in `request`; if it is another player's, tell that player that it was tried.

    Args:
        kind: the kind of the mail: code (of a sign-up) or address. The code is good for nothing else.
        network: where the request came from if no player sent it.

    Raises:
        Problem: `too-many` when the address, the network or the player has had its mails for the day; or for a moment,
            when all together have.
    """
    with transaction():
        rows, origin = _lock_requests(), _origin(network)
        mark = address_mark(request["email"])
        same = [row.created_at for row in rows if (row.address, row.purpose) == (mark, kind)]
        check_daily_limit(same, MOST_PER_ADDRESS)
        _check_network_and_total(rows, origin)
        if player_id is not None:
            check_daily_limit([row.created_at for row in rows if row.player_id == player_id], MOST_PER_PLAYER)
        owner = with_email(request["email"])
        code = _add(kind, request, player_id, origin)
        if owner is None or owner.id == player_id:
            outbox_rows.post(None, kind, details={"to": request["email"], "code": code})
        else:
            outbox_rows.post(owner.id, "tried", details={"to": request["email"]})


def send_to_sign_in(email: str, *, network: str) -> None:
    """Mail a code to sign in with to the address.

    Nobody can keep the owner of an address from signing in by asking for codes: all of them go to the owner, and are
    good in every browser. An address that has had its codes for the day still gets one every `REST`. So does the
    address of a player when its network, or all networks together, have had theirs.

    Raises:
        Problem: `too-many` if the address was mailed a code within `REST`, or if the network, or all together, have had
            theirs. In the second case the answer is the same whether a code was mailed to a player or not.
    """
    with transaction():
        rows, origin = _lock_requests(), _origin(network)
        mark = address_mark(email)
        theirs = [row for row in rows if (row.address, row.purpose) == (mark, SIGN_IN)]
        is_known = with_email(email) is not None
        refusal = _refusal(rows, origin)
        if refusal:
            goes = is_known and _has_rested(theirs)
            # A change to commit in any case: an answer that took less time would tell that no code was mailed.
            session.execute(update(SignUp).where(SignUp.id == rows[-1].id).values(purpose=rows[-1].purpose))
            origin = None  # so that the code does not count, or others could see that it was mailed
        else:
            theirs = _counted(theirs)
            goes = _has_rested(theirs) or not _has_had_enough(theirs, origin)
        if goes:
            outbox_rows.post(
                None, SIGN_IN, details={"to": email, "code": _add(SIGN_IN, {"email": email}, None, origin)}
            )
    if refusal:
        raise refusal
    if not goes:
        told = "A code was mailed to this address a few minutes ago. It works here too, so look into your mail"
        again = seconds_until(theirs[-1].created_at + REST, now())
        raise Problem("too-many", f"{told}; or ask again in ten minutes.", retry_after=again)


def _has_rested(theirs: Sequence[Any]) -> bool:
    """Return True if the newest request for one address is as old as `REST`, or there is none."""
    return not theirs or now() >= theirs[-1].created_at + REST


def _has_had_enough(theirs: Sequence[Any], origin: str | None) -> bool:
    """Return True if one address has had its codes for the day, of all networks or of this one."""
    of_network = [row for row in theirs if row.network == origin]
    return len(theirs) >= MOST_SIGN_INS or len(of_network) >= MOST_SIGN_INS_OF_NETWORK


def _refusal(rows: Sequence[Any], origin: str | None) -> Problem | None:
    """Return why somebody without an account gets no code now; None if they do."""
    try:
        _check_network_and_total(rows, origin)
    except Problem:
        told = "Many codes were asked for. If you have an account here, one was mailed to you in the last ten minutes"
        sentence = f"{told}; type it below. If you are new here, try again later."
        return Problem("too-many", sentence, retry_after=REST.seconds)
    return None


def _lock_requests() -> Sequence[Any]:
    """Lock the table of requests, delete those older than a day, and return the others, the oldest first.

    The lock holds until the commit, so that two requests at once are counted as two.
    """
    lock_table(SignUp)
    session.execute(delete(SignUp).where(SignUp.created_at <= now() - GOOD_FOR))
    columns = (SignUp.id, SignUp.created_at, SignUp.address, SignUp.network, SignUp.player_id, SignUp.purpose)
    return session.execute(select(*columns).order_by(SignUp.created_at)).all()


def _add(kind: str, request: Mapping[str, str], player_id: str | None, origin: str | None) -> str:
    """Store a request; return its code."""
    code = runtime().new_id("sign-up code")
    session.add(
        SignUp(
            id=runtime().new_id("sign-up"),
            address=address_mark(request["email"]),
            network=origin,
            player_id=player_id,
            digest=digest(code),
            purpose=kind,
            wanted=dict(request),
            created_at=now(),
        )
    )
    return code


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


def _check_network_and_total(rows: Sequence[Any], origin: str | None) -> None:
    """Raise `Problem` too-many where the network, or all together, have had their mails for the day.

    When all together have, nobody is shut out until tomorrow: one code is sent in every `PAUSE`.
    """
    rows = _counted(rows)
    if origin is not None:
        check_daily_limit([row.created_at for row in rows if row.network == origin], MOST_PER_NETWORK)
    if len(rows) >= MOST_A_DAY and now() < rows[-1].created_at + PAUSE:
        again = seconds_until(rows[-1].created_at + PAUSE, now())
        raise Problem("too-many", "Many people sign up at the moment; try again in a minute.", retry_after=again)


def _counted(rows: Sequence[Any]) -> list[Any]:
    """Return the requests without codes that players got beyond a limit: nobody else may notice those."""
    return [row for row in rows if row.network or row.purpose != SIGN_IN]


def digest(code: str) -> str:
    """Return the hash of a code, which is stored in its place."""
    return hashlib.sha256(code.encode()).hexdigest()
