"""Whom mail reaches: addresses at which it does not arrive, and people who want no more of it.

A report is believed when it comes to the address, or names the id, of a mail that we sent: nobody knows these but who
got the mail, so that nobody can cut another off.
"""

from collections.abc import Sequence

from sqlalchemy import bindparam, func, or_, select, update

from server.application.game.access import locked, renew_versions
from server.application.game.events import record_event
from server.application.news import mail_choices
from server.application.people import mail_frequency
from server.application.seats import lobby
from server.models import Address, Game, Outgoing, Player, Seat, session, transaction
from server.runtime import now, runtime

SEVERAL = 3  # players in a row whose mail the relay refuses for good: it is not they whom it refuses
MOST_RETURNS = 5  # refusals after which a mail is refused for what it is, whatever becomes of others
MOST_SOFT = 10  # reports that a mail did not arrive for the time being, without a word from there in between


# Every mail that comes asks for this, so it is built once.
_IN_DOUBT = select(Address).where(
    Address.email.in_(bindparam("emails", expanding=True)),
    or_(Address.bounced_at.is_not(None), Address.soft_bounces > 0),
)


_REFUSED_PLAYERS = select(func.count(Outgoing.recipient.distinct()))
_REFUSED_PLAYERS = _REFUSED_PLAYERS.where(Outgoing.refused_at.is_not(None), Outgoing.player_id.is_not(None))


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
        if lasting and row.kind == "invitation":
            _tell_host(row)
        address = _sent_to(row)
        if address is None or address.bounced_at is not None:
            return
        address.soft_bounces += 1
        if lasting or address.soft_bounces >= MOST_SOFT:
            address.bounced_at = now()
            settle(session.get_one(Player, address.player_id), address)


def refused(mail_id: str) -> bool:
    """Note that the relay refused a mail for good; return whether it refuses everybody.

    It does when it refused several players one after the other and took no mail in between: their addresses have worked
    before. Then their mails wait to be sent again, and what was concluded about their addresses is taken back. Other
    addresses do not count, since anybody can name one that does not exist.
    """
    with transaction():
        row = session.get_one(Outgoing, mail_id)
        if row.attempts > MOST_RETURNS:
            return False
        row.refused_at = now()
        session.flush()
        if (session.scalar(_REFUSED_PLAYERS) or 0) < SEVERAL:
            return False
        for each in session.scalars(select(Outgoing).where(Outgoing.refused_at.is_not(None))).all():
            _take_back(each)
    return True


def _take_back(row: Outgoing) -> None:
    if row.state == "bounced":
        address = _sent_to(row)
        if address is not None and address.bounced_at is not None:
            works(address)
    if row.state in ("bounced", "dead"):
        row.state, row.not_before, row.fence = "pending", now(), None


def refuses_everybody() -> bool:
    """Return whether mails wait that were refused in a row, as the relay has taken none since."""
    waiting = (Outgoing.refused_at.is_not(None), Outgoing.state == "pending")
    return session.scalar(select(Outgoing.id).where(*waiting).limit(1)) is not None


def takes_mail() -> None:
    """Note that the relay took a mail: whom it refused before, it refused for a reason of their own."""
    statement = update(Outgoing).where(Outgoing.refused_at.is_not(None)).values(refused_at=None)
    session.execute(statement, execution_options={"synchronize_session": False})


def unreached(mail_id: str) -> None:
    """An invitation is not sent, perhaps since no mail reaches the invited player: the host hears of that."""
    with transaction():
        row = session.get(Outgoing, mail_id)
        if row is not None and row.player is not None and row.player.bounces:
            _tell_host(row)


def _tell_host(row: Outgoing) -> None:
    """Of an address that was invited he hears the same whether it is known here or not."""
    if row.cause:
        lobby.undelivered(row.cause)
    elif row.game_id and row.player_id:
        lobby.unreached(row.game_id, row.player_id)


def heard_from(emails: Sequence[str]) -> None:
    """A mail came from these addresses, so one that had bounced is read again."""
    for address in session.scalars(_IN_DOUBT, {"emails": [email.lower() for email in emails]}).all():
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
    renew_versions(player)
    under_way = (Seat.player_id == player.id, Game.status.in_(("open", "running")))
    seats = select(Game.id, Seat.pawns).join(Seat, Seat.game_id == Game.id).where(*under_way)
    for game_id, pawns in session.execute(seats.order_by(Game.id)).all():
        if bounces:
            record_event(locked(game_id), "bounced", pawns=pawns)
        else:
            record_event(locked(game_id), "reached", pawns=pawns)


def stop(mail_id: str, *, all_of_it: bool = False) -> None:
    """Who got this mail wants no more: of the game that it is about, or of all where it is about none."""
    with transaction():
        row = session.get(Outgoing, mail_id)
        if row is None or row.player_id is None:
            return
        if row.game_id is None or all_of_it:
            mail_choices.stop_all(row.player_id)
        else:
            mail_choices.choose(row.player_id, mail_frequency.OFF, row.game_id)


def start_again(mail_id: str) -> None:
    """Who got this mail wants more again: of its game as of all others, and of all where he had none at all."""
    with transaction():
        row = session.get(Outgoing, mail_id)
        if row is None or row.player_id is None:
            return
        player = session.get_one(Player, row.player_id)
        if row.game_id is not None and mail_frequency.of(player, row.game_id) == mail_frequency.OFF:
            mail_choices.choose(player.id, mail_frequency.INHERIT, row.game_id)
        if player.mail == mail_frequency.OFF:
            mail_choices.choose(player.id, mail_frequency.USUAL)


def stopped(mail_id: str) -> str | None:
    """Whether who got this mail gets none any more: `all` of all his games, `game` of that of the mail, else None."""
    row = session.get(Outgoing, mail_id)
    if row is None or row.player_id is None:
        return None
    player = session.get_one(Player, row.player_id)
    if mail_frequency.of(player, row.game_id) != mail_frequency.OFF:
        return None
    return "all" if player.mail == mail_frequency.OFF else "game"


def name_of_game(mail_id: str) -> str | None:
    """The name of the game that a mail is about; None where it is about none."""
    row = session.get(Outgoing, mail_id)
    return row.game.name if row is not None and row.game is not None else None


def _sent_to(row: Outgoing) -> Address | None:
    """The address, if it still is the player's."""
    theirs = session.scalars(select(Address).where(Address.player_id == row.player_id))
    return next((address for address in theirs if address_mark(address.email) == row.recipient), None)
