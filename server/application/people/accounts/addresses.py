"""The mail addresses of a player. The player may write from any of them; the server writes to the primary one."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from server.application.game.access import renew_versions
from server.application.game.deciding import Decided, use_case
from server.application.mail import arrivals, mail_frequency
from server.application.people import admission, codes, names
from server.application.people.accounts import deliverability, renaming
from server.application.people.players import check_email, check_name, claim_invitations, with_email
from server.models import NEW, Address, Incoming, Player, execute, session, transaction
from server.runtime import now, runtime
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext

MOST = 10


def addresses_of(player: Player) -> list[dict[str, Any]]:
    """Return the player's addresses, the oldest first: `id`, `email`, `primary`, `confirmed_at` and `bounced_at`.

    Since `bounced_at` no mail arrives at the address; it is None if mail arrives.
    """
    query = select(Address).where(Address.player_id == player.id).order_by(Address.confirmed_at, Address.email)
    return [_facts(address, player) for address in session.scalars(query)]


def of_player(player_id: str) -> Sequence[str]:
    """Return the bare addresses of the player."""
    return session.scalars(select(Address.email).where(Address.player_id == player_id)).all()


def ask_for(player_id: str, email: str, name: str = "", *, browser: str = "") -> None:
    """Mail a code to an address that the player wants to add; the caller does not learn whether it is somebody's.

    A guest has the `name` from then on, unless it is empty. `browser` is the secret of the session in which a guest
    asks: there, six digits confirm the address as well.
    With a code the player also shows that mail arrives again at an address of theirs that had bounced.
    """
    email = check_email(email)
    owner = with_email(email)
    if owner is None or owner.id != player_id:
        _check_room(player_id)
    elif not deliverability.is_bouncing(email):
        raise refusal("email-taken", "That address is yours already.")
    is_guest = session.get_one(Player, player_id).is_guest
    wanted = {"email": email} | ({"name": name} if name and is_guest else {})
    if "name" in wanted:
        check_chosen_name(name)
    codes.send(codes.ADDRESS, wanted, player_id, browser=browser if is_guest else "")


def check_chosen_name(name: str) -> None:
    """Raise `Problem` unless a guest may choose this name, or none, which is empty."""
    if name:
        names.check_free(check_name(name))


def confirm(player_id: str, code: str) -> dict[str, Any]:
    """Add the address to which this code was mailed; return it as in `of`."""
    with transaction():
        return confirmed(player_id, codes.redeem(codes.ADDRESS, code, player_id))


def confirmed(player_id: str, wanted: Mapping[str, str]) -> dict[str, Any]:
    """Add the address of a request that its reader has confirmed; return it as in `of`."""
    with transaction():
        own = _with(wanted["email"])
        if own is None and session.get_one(Player, player_id).is_guest:
            admission.check(wanted["email"])
            if "name" in wanted:
                renaming.rename(player_id, names.free_like(wanted["name"]))
        if own is None or own.player_id != player_id:
            return add(player_id, wanted["email"])
        deliverability.clear_bounces(own)
        own.confirmed_at = now()
        return _facts(own, session.get_one(Player, player_id))


def add(player_id: str, email: str) -> dict[str, Any]:
    """Add an address that the caller knows to be the player's; return it as in `of`.

    Raises:
        Problem: `email-taken` if it is another player's, `form` if the player has as many as they may have.
    """
    email = check_email(email)
    try:
        return take(player_id, email)
    except IntegrityError:
        # Two at once, on a database that lets both look before either writes.
        raise refusal("email-taken", "{email} belongs to a player already.", email=email) from None


@use_case
def take(player_id: str, email: str) -> Decided[dict[str, Any]]:
    """Do what `add` does; where another player gets the address meanwhile, the database refuses it."""
    email = check_email(email)
    player = _locked(player_id)
    if with_email(email) is not None:
        raise refusal("email-taken", "{email} belongs to a player already.", email=email)
    _check_room(player_id)

    def write() -> dict[str, Any]:
        address = Address(id=runtime().new_id("address"), email=email, player_id=player_id, confirmed_at=now())
        session.add(address)
        session.flush()
        claim_invitations(player, email)
        if player.is_guest:
            player.network = player.provider = None
            player.email, player.mail = email, mail_frequency.USUAL
            session.flush()
            renew_versions(player)
        return _facts(address, player)

    return Decided(write)


def vouch_for(player_id: str, email: str, *, primary: bool = False) -> dict[str, Any]:
    """Add an address for which the operator vouches, unless the player has it already; return it as in `of`."""
    with transaction():
        known = _with(check_email(email))
        is_theirs = known is not None and known.player_id == player_id
        address_id = known.id if known and is_theirs else add(player_id, email)["id"]
        if primary:
            return make_primary(player_id, address_id)
        return _facts(session.get_one(Address, address_id), session.get_one(Player, player_id))


def take_from_owner(email: str) -> dict[str, Any]:
    """Remove an address for the operator; return the address and its player. `Problem` not-found if it is nobody's."""
    with transaction():
        address = _with(email)
        if address is None:
            raise refusal("not-found", "{email} is nobody's address.", email=email)
        facts = {"email": address.email, "player": address.player_id}
        remove(address.player_id, address.id)
    return facts


def make_primary(player_id: str, address_id: str) -> dict[str, Any]:
    """Make one of the player's addresses the primary one, to which all mail goes."""
    with transaction():
        player = _locked(player_id)
        address = _own(player, address_id)
        player.email = address.email
        deliverability.settle(player, address)
        return _facts(address, player)


def remove(player_id: str, address_id: str) -> None:
    """Remove an address from the player, and from all stored mails. The primary one cannot be removed."""
    with transaction():
        player = _locked(player_id)
        address = _own(player, address_id)
        if address.email == player.email:
            sentence = gettext("That is the primary address, to which all mail goes; make another one that first.")
            raise Problem("forbidden", sentence)
        session.delete(address)
        forget_mails_from([address.email])


def forget_mails_from(addresses: Sequence[str]) -> None:
    """Delete sender and content of all mails from these addresses; those not yet read are not read any more."""
    from_them = Incoming.sender.in_(addresses)
    for statement in (
        update(Incoming).where(from_them, Incoming.state == NEW).values(state="done"),
        update(Incoming).where(from_them).values(sender="", **arrivals.FORGOTTEN),
    ):
        execute(statement)


def _facts(address: Address, player: Player) -> dict[str, Any]:
    return {
        "id": address.id,
        "email": address.email,
        "primary": address.email == player.email,
        "confirmed_at": rfc3339(address.confirmed_at),
        "bounced_at": rfc3339(address.bounced_at),
    }


def _with(email: str) -> Address | None:
    return session.scalar(select(Address).where(Address.email == email.strip().lower()))


def _locked(player_id: str) -> Player:
    return session.get_one(Player, player_id, with_for_update={"key_share": True}, populate_existing=True)


def _own(player: Player, address_id: str) -> Address:
    address = session.get(Address, address_id)
    if address is None or address.player_id != player.id:
        raise refusal("not-found", "There is no such address.")
    return address


def _check_room(player_id: str) -> None:
    if len(of_player(player_id)) >= MOST:
        raise refusal("form", "A player has at most {most} addresses; take one away first.", most=MOST)
