"""Codes by mail, with which people prove that an address is theirs.

Nobody can find out whether an address is known here: the answer to a request is the same for every address.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, delete, select, update

from server.application.game import outbox_rows
from server.application.limits import quotas
from server.application.limits.quotas import Branch
from server.application.people.players import with_email
from server.models import Address, Game, Outgoing, Player, Seat, SignUp, execute, session, transaction
from server.runtime import now, runtime
from server.runtime.address_marks import address_mark
from server.vocabulary import limits
from server.vocabulary.durations import DAY, rfc3339, seconds_until
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext

GOOD_FOR = DAY
SIGN_IN, ADDRESS, DEVICE, FROM_HOST = "sign_in", "address", "device", "regain"
LINKS = (DEVICE, FROM_HOST)  # with which a guest goes on in another browser
GOOD_FOR_SIGN_IN = timedelta(minutes=15)
MINUTES_TO_SIGN_IN = GOOD_FOR_SIGN_IN.seconds // 60
_SHORT = (SIGN_IN, DEVICE)  # other codes are good for a day
MOST_TRIES = 5  # of six digits; after that the code of the mail's link is good alone
REST = timedelta(minutes=10)  # less than `GOOD_FOR_SIGN_IN`, so that the code before is still good


def send(
    kind: str, request: Mapping[str, str], player_id: str | None = None, *, network: str = "", browser: str = ""
) -> None:
    """Mail a code to the address `email` in `request`; if it is another player's, tell that player that it was tried.

    Args:
        kind: the kind of the mail: code (of a sign-up) or address. The code is good for nothing else.
        network: where the request came from if no player sent it.
        browser: the secret of the session of a guest who asks for an address. The mail has six digits as well, which
            count in that browser, and it goes to the address whosever that is.

    Raises:
        Problem: `too-many` when the address or the player has had its mails for the day, or the network more than its
            share; so for a guest, whether the address is known or not.
    """
    with transaction():
        _lock_requests()
        mark = address_mark(request["email"])
        same = [row for row in _requests(SignUp.address == mark) if row.purpose == kind]
        if player_id is not None:
            limits.CODES_OF_PLAYER.check(_times(_requests(SignUp.player_id == player_id)), now())
            _check_has_had_few(same, player_id)
            _use_share_of_guest(session.get_one(Player, player_id))
        else:
            limits.CODES_FOR_ADDRESS.check(_times(same), now())
            if network:
                _use_share(quotas.of_network(network))
        owner = with_email(request["email"])
        pin = f"{runtime().rng('pin').randrange(10**6):06}" if browser else ""
        code = _add(kind, request, player_id, network, pin and _print_of(pin, browser))
        if browser:
            outbox_rows.post(None, kind, details={"to": request["email"], "code": code, "pin": pin})
        elif owner is None or owner.id == player_id:
            outbox_rows.post(None, kind, details={"to": request["email"], "code": code})
        else:
            outbox_rows.post(owner.id, "tried", details={"to": request["email"]})


def _use_share_of_guest(player: Player) -> None:
    """Use up a code of the share of a host at whose table a guest sits, or else of the network they came from."""
    if player.network is None or player.provider is None:  # somebody with an address
        return
    tables = select(Seat.game_id, Seat.number, Game.host_id).join(Game, Game.id == Seat.game_id)
    tables = tables.join(Player, Player.id == Game.host_id).where(Player.network.is_(None), Player.gone_at.is_(None))
    for game_id, number, host_id in session.execute(
        tables.where(Seat.player_id == player.id, Game.final.is_(False)).order_by(Game.id)
    ).all():
        if quotas.use_up(limits.TABLES, quotas.of_seat(game_id, number), whose=host_id) is None:
            return
    _use_share(Branch(player.provider, player.network))


def _use_share(branch: Branch) -> None:
    """Use up a code of the share of a network; `Problem` too-many if it has had more."""
    if again := quotas.use_up(limits.CODES, branch):
        sentence = gettext(
            "Many codes were asked for from your network, or many people sign up at the moment; try again later."
        )
        raise Problem("too-many", sentence, retry_after=seconds_until(again, now()))


def send_to_sign_in(email: str, *, network: str) -> None:
    """Mail a code to sign in with to the address.

    Nobody can keep the owner of an address from signing in by asking for codes: all of them go to the owner, and are
    good in every browser. An address that has had its codes for the day still gets one every `REST`. So does the
    address of a player when the network it asks from has had more than its share.

    Raises:
        Problem: `too-many` if the address was mailed a code within `REST`, or if the network has had its share. In the
            second case the answer is the same whether a code was mailed to a player or not, and so is the work: a code
            that is not to go is written as well, and deleted.
    """
    with transaction():
        _lock_requests()
        mark, is_newest = address_mark(email), SignUp.network.is_not(None) | (SignUp.created_at > now() - REST)
        requests = _requests((SignUp.address == mark) & (SignUp.purpose == SIGN_IN) & is_newest)
        is_known = session.scalar(select(Address.id).where(Address.email == email)) is not None
        branch = quotas.of_network(network)
        counted = [row for row in requests if row.network]
        may_go = _has_rested(counted) or not _has_had_enough(counted, branch.narrow)
        ask = quotas.use_up if may_go else quotas.next_time
        is_refused = ask(limits.CODES, branch) is not None
        if is_refused:
            goes = is_known and _has_rested(requests)
            origin = ""  # so that the code does not count, or others could see that it was mailed
        else:
            origin, requests, goes = network, counted, may_go
        if goes or is_refused:
            code = _add(SIGN_IN, {"email": email}, None, origin)
            mail_id = outbox_rows.post(None, SIGN_IN, details={"to": email, "code": code})
        if is_refused:
            execute(delete(Outgoing).where(Outgoing.id == ("" if goes else mail_id)))
            execute(delete(SignUp).where(SignUp.digest == ("" if goes else digest(code))))
    if is_refused:
        sentence = gettext(
            "Many codes were asked for. If you have an account here, one was mailed to you in the last ten minutes; "
            "type it below. If you are new here, try again later."
        )
        raise Problem("too-many", sentence, retry_after=REST.seconds)
    if not goes:
        sentence = gettext(
            "A code was mailed to this address a few minutes ago. It works here too, so look into your mail; "
            "or ask again in ten minutes."
        )
        raise Problem("too-many", sentence, retry_after=seconds_until(requests[-1].created_at + REST, now()))


class Requested(NamedTuple):
    """A request for a code: columns of `server.models.SignUp`."""

    created_at: datetime
    network: str | None
    purpose: str
    player_id: str | None


def _check_has_had_few(requests: Sequence[Requested], player_id: str) -> None:
    """Raise `Problem` too-many if a player may not ask for a code for the address of these requests.

    The codes of others do not keep its owner from asking: digits count in the browser alone that asked for them.
    """
    own = [row for row in requests if row.player_id == player_id]
    limits.CODES_FOR_ADDRESS.check(_times(own), now())
    if own:
        limits.CODES_OF_PLAYERS.check(_times(requests), now())
    elif limits.CODES_OF_PLAYERS.again_at(_times(requests)) and not _has_rested(requests):
        again = seconds_until(requests[-1].created_at + REST, now())
        raise Problem("too-many", gettext("Many codes were asked for; ask again in ten minutes."), retry_after=again)


def _has_rested(requests: Sequence[Requested]) -> bool:
    """Return True if the newest request for one address is as old as `REST`, or there is none."""
    return not requests or now() >= requests[-1].created_at + REST


def _has_had_enough(requests: Sequence[Requested], origin: str) -> bool:
    """Return True if one address has had its codes for the day, of all networks or of this one."""
    of_network = [row for row in requests if row.network == origin]
    return bool(limits.SIGN_INS.again_at(_times(requests)) or limits.SIGN_INS_OF_NETWORK.again_at(_times(of_network)))


def _times(requests: Sequence[Requested]) -> list[datetime]:
    return [row.created_at for row in requests]


def _lock_requests() -> None:
    """Lock the table of requests until the commit, so that two at once are counted as two; delete the old ones."""
    quotas.lock_table(SignUp)
    session.execute(delete(SignUp).where(SignUp.created_at <= now() - GOOD_FOR))


def _requests(which: ColumnElement[bool]) -> list[Requested]:
    """Return these requests of the last day, the oldest first."""
    columns = (SignUp.created_at, SignUp.network, SignUp.purpose, SignUp.player_id)
    return [Requested(*row) for row in session.execute(select(*columns).where(which).order_by(SignUp.created_at))]


def _add(kind: str, request: Mapping[str, str], player_id: str | None, network: str, pin: str = "") -> str:
    """Store a request; return its code."""
    code = runtime().new_id("sign-up code")
    session.add(
        SignUp(
            id=runtime().new_id("sign-up"),
            address=address_mark(request["email"]),
            network=quotas.of_network(network).narrow if network else None,
            player_id=player_id,
            digest=digest(code),
            purpose=kind,
            wanted=dict(request),
            pin=pin or None,
            created_at=now(),
        )
    )
    return code


def for_device(player_id: str, game_id: str = "", then: str = "") -> str:
    """Return a new code with which the player goes on in another browser, good once; it ends the one before.

    `game_id` is that of the game whose host makes it for a guest, who reads it later than one of their own. `then` is
    the page on which the player goes on with a link of their own.

    Raises:
        Problem: `too-many` if the player has had as many within a day as there may be.
    """
    with transaction():
        _lock_requests()
        requests = _requests((SignUp.player_id == player_id) & SignUp.purpose.in_(LINKS))
        limits.CODES_OF_PLAYER.check(_times(requests), now())
        end_links(player_id)
        kind = FROM_HOST if game_id else DEVICE
        return _add(kind, {"email": player_id, "game": game_id, "then": then}, player_id, "")


def end_links(player_id: str, kinds: Sequence[str] = LINKS) -> None:
    """End the link with which a player would go on in another browser, in the transaction under way."""
    theirs = (SignUp.player_id == player_id, SignUp.purpose.in_(kinds))
    session.execute(update(SignUp).where(*theirs).values(digest=None, wanted=None, pin=None))


def redeem_pin(player_id: str, pin: str, browser: str) -> dict[str, str] | None:
    """Return the request of a guest that these six digits confirm in this browser, and use it up.

    None if there is none; the attempt is counted, so the caller has to commit. Each request takes five attempts, of the
    guest who asked. An address of an account takes five in a day from all who ask: they would open the account.
    """
    _lock_requests()
    theirs = (SignUp.player_id == player_id, SignUp.purpose == ADDRESS, SignUp.pin.is_not(None))
    pending = session.scalars(select(SignUp).where(*theirs, SignUp.digest.is_not(None))).all()
    good = [each for each in pending if _takes_digits(each)]
    for each in good:
        if each.pin == _print_of(pin, browser):
            wanted, each.pin = _used_up(each), _print_of(pin, browser)  # `has_redeemed` asks for it
            return wanted
    for each in pending:
        each.tries += 1
        quotas.use_up(limits.DIGITS, quotas.of_address(each.address))
    return None


def _takes_digits(request: SignUp) -> bool:
    """Return True if digits that are typed for a request are looked at, after the same work for every address."""
    is_account = with_email((request.wanted or {}).get("email", "")) is not None
    is_used_up = quotas.next_time(limits.DIGITS, quotas.of_address(request.address)) is not None
    return request.tries < MOST_TRIES and not (is_account and is_used_up)


def has_redeemed(player_id: str, pin: str, browser: str) -> bool:
    """Return True if the player has confirmed an address in this browser with these six digits."""
    theirs = (SignUp.player_id == player_id, SignUp.purpose == ADDRESS, SignUp.digest.is_(None))
    used = select(SignUp.pin).where(*theirs, SignUp.pin == _print_of(pin, browser))
    return session.scalar(used.limit(1)) is not None


def _print_of(pin: str, browser: str) -> str:
    return runtime().keyring.fingerprint(f"pin\0{digest(browser)}\0{pin}".encode())


def redeem_of_anybody(kinds: Sequence[str], code: str) -> tuple[str, dict[str, str]]:
    """Return the player who asked for a code of one of these kinds, and the request, and use the code up.

    The player is locked before the code, as wherever a player's codes are ended, so that none is used meanwhile.

    Raises:
        Problem: as of `redeem`.
    """
    player, _ = asked_by(kinds, code)
    session.get(Player, player.id, with_for_update={"key_share": True})
    pending = _pending(kinds, code)
    return player.id, _used_up(pending)


def asked_by(kinds: Sequence[str], code: str) -> tuple[Player, dict[str, str]]:
    """Return the player who asked for this code, and the request; `Problem` as of `redeem`."""
    pending = _pending(kinds, code, is_locked=False)
    player = session.get(Player, pending.player_id)
    if player is None:
        raise _not_good(kinds)
    return player, dict(pending.wanted or {})


def redeem(kind: str, code: str, player_id: str | None = None) -> dict[str, str]:
    """Return the request that a code of this kind confirms, of this player or of somebody new, and use the code up.

    `Problem` bad-code when it is not, or no longer, good.
    """
    return _used_up(_pending((kind,), code, SignUp.player_id == player_id))


def _used_up(pending: SignUp) -> dict[str, str]:
    request = pending.wanted or {}
    pending.digest = pending.wanted = pending.pin = None
    return request


def requested(kind: str, code: str) -> dict[str, str]:
    """Return the request that a code of somebody new would confirm; the same `Problem` as `redeem`."""
    return _pending((kind,), code, SignUp.player_id.is_(None)).wanted or {}


def _pending(kinds: Sequence[str], code: str, *whose: ColumnElement[bool], is_locked: bool = True) -> SignUp:
    is_young = SignUp.purpose.not_in(_SHORT) | (SignUp.created_at > now() - GOOD_FOR_SIGN_IN)
    same = (SignUp.digest == digest(code.strip().lower()), SignUp.purpose.in_(kinds), *whose)
    query = select(SignUp).where(*same, SignUp.created_at > now() - GOOD_FOR, is_young)
    if is_locked:
        query = query.with_for_update().execution_options(populate_existing=True)
    pending = session.scalar(query)
    if pending is None:
        raise _not_good(kinds)
    return pending


def _not_good(kinds: Sequence[str]) -> Problem:
    if kinds[0] in _SHORT:
        return refusal("bad-code", "This code is not good: a code is good for 15 minutes, and once.")
    return refusal("bad-code", "This code is not good: a code is good for one day, and once.")


def asked_for(player_id: str, emails: Sequence[str]) -> list[str | None]:
    """Return the times of requests by the player or for one of their addresses, the oldest first."""
    query = select(SignUp.created_at).where(_about(player_id, emails)).order_by(SignUp.created_at)
    return [rfc3339(at) for at in session.scalars(query)]


def forget(player_id: str, emails: Sequence[str]) -> None:
    """Delete the requests that `asked_for` returns."""
    session.execute(delete(SignUp).where(_about(player_id, emails)))


def _about(player_id: str, emails: Sequence[str]) -> ColumnElement[bool]:
    return (SignUp.player_id == player_id) | SignUp.address.in_(map(address_mark, emails))


def digest(code: str) -> str:
    """Return the hash of a code, which is stored in its place."""
    return hashlib.sha256(code.encode()).hexdigest()
