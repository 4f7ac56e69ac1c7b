"""Whom mail reaches: addresses at which it does not arrive, and people who want no more of it.

A report is believed when it comes to the address, or names the id, of a mail that we sent: nobody knows these but who
got the mail, so that nobody can cut another off.
"""

from collections.abc import Sequence

from sqlalchemy import or_, select

from server.application.play.games import happened, locked
from server.models import Address, Game, Outgoing, Player, Seat, session, transaction
from server.runtime import now, runtime

MOST_SOFT = 10  # reports that a mail did not arrive for the time being, without a word from there in between


def address_mark(email: str) -> str:
    """A keyed hash by which a mail that was sent remembers where to."""
    return runtime().keyring.fingerprint(email.lower().encode())


def failed(mail_id: str, *, lasting: bool) -> None:
    """A mail that we sent did not arrive; `lasting` when none will at that address."""
    with transaction():
        row = session.get(Outgoing, mail_id)
        if row is None or row.state not in ("sent", "bounced", "dead"):
            return
        row.state = "bounced"
        address = _sent_to(row)
        if address is None or address.bounced_at is not None:
            return
        address.soft_bounces += 1
        if lasting or address.soft_bounces >= MOST_SOFT:
            address.bounced_at = now()
            settle(session.get_one(Player, address.player_id), address)


def heard_from(emails: Sequence[str]) -> None:
    """A mail came from these addresses, so one that had bounced is read again."""
    given = Address.email.in_([email.lower() for email in emails])
    in_doubt = or_(Address.bounced_at.is_not(None), Address.soft_bounces > 0)
    for address in session.scalars(select(Address).where(given, in_doubt)).all():
        works(address)


def works(address: Address) -> None:
    """Mail to this address arrives, as its owner has shown, in the transaction under way."""
    address.bounced_at, address.soft_bounces = None, 0
    player = session.get_one(Player, address.player_id)
    if player.email == address.email:
        settle(player, address)


def is_bouncing(email: str) -> bool:
    """Whether mail to this address does not arrive."""
    return session.scalar(select(Address.id).where(Address.email == email, Address.bounced_at.is_not(None))) is not None


def settle(player: Player, primary: Address) -> None:
    """All mail to `player` goes to `primary`; his games are told if that arrives from now on, or does not any more."""
    bounces = primary.bounced_at is not None
    if player.email != primary.email or player.bounces == bounces:
        return
    player.bounces = bounces
    session.flush()
    under_way = (Seat.player_id == player.id, Game.status.in_(("open", "running")))
    seats = select(Game.id, Seat.pawns).join(Seat, Seat.game_id == Game.id).where(*under_way)
    for game_id, pawns in session.execute(seats.order_by(Game.id)).all():
        if bounces:
            happened(locked(game_id), "bounced", pawns=pawns)
        else:
            happened(locked(game_id), "reached", pawns=pawns)


def stop(mail_id: str) -> None:
    """Who got this mail wants no more."""
    with transaction():
        row = session.get(Outgoing, mail_id)
        player = session.get(Player, row.player_id) if row is not None and row.player_id else None
        if player is not None:
            player.wants_mail = False


def _sent_to(row: Outgoing) -> Address | None:
    """The address, if it still is the player's."""
    theirs = session.scalars(select(Address).where(Address.player_id == row.player_id))
    return next((address for address in theirs if address_mark(address.email) == row.recipient), None)
