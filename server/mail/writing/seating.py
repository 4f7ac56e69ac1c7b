"""The reader of a mail, the seat that it is about, and who plays the others."""

from collections.abc import Collection, Sequence

from server.application.game import projection
from server.application.game.as_of import AsOf
from server.application.mail.outgoing import Mail
from server.house_rules.standing import Seat, Standing
from server.mail.writing import sentences
from server.models import Player, session
from server.vocabulary.translation import ENGLISH, gettext, gettext_noop, ngettext
from server.wording.seats import bot_name, seat_label


def recipient(mail: Mail) -> Player:
    """Return the player that a mail is for, or one without an id or a name for an address that is no player's yet."""
    if mail.player is not None:
        return mail.player
    assert mail.details is not None
    player = Player(id="", name="", email=mail.details["to"], zone="UTC", picture="off", bounces=False)
    player.language = mail.details.get("language", ENGLISH)
    return player


def find_seat(game: Standing, player: Player) -> Seat | None:
    """Return the seat that a mail is about: the player's own, or the one reserved for them."""
    held = projection.own_seat(game, player)
    return held or next((seat for seat in game.seats if seat.invited_id == player.id), None)


def seat_for(mail: Mail, game: Standing, player: Player) -> Seat | None:
    """Return the seat that a mail is about; None if that of an invitation is not reserved for the reader any more."""
    number = (mail.details or {}).get("seat")
    if number is None:
        return find_seat(game, player)
    seat = game.seats[number - 1]
    by_address = seat.invitation is not None and seat.invitation.email == player.email
    return seat if (seat.invited_id == player.id if player.id else by_address) else None


def colour_pawn(seat: Seat | None) -> str:
    """Return the pawn whose colour a mail has; empty where that is still to be drawn."""
    return "" if seat is None or seat.is_to_be_drawn else next(iter(seat.pawns), "")


def people(game: Standing, reader: Player | None = None, own: Seat | None = None) -> list[str]:
    """Return a line on each seat and its player; addresses are named only to the reader who invited them.

    `own` is the seat of the reader, or the one that waits for their answer.
    """
    return [_seated(seat, reader, is_own=seat is own) for seat in game.seats]


def _seated(seat: Seat, reader: Player | None, *, is_own: bool) -> str:
    player = session.get(Player, seat.player_id) if seat.player_id else None
    address = projection.invited_address(seat, reader)
    form, who = "free", ""
    if player:
        form = "guest" if player.is_guest else "unreached" if player.bounces else "played"
        who = sentences.quoted(player.name)
    elif seat.bot:
        form, who = "played", bot_name(seat.bot, seat.level)
    elif seat.is_reserved:
        form = "yours" if is_own else "invited" if address else "somebody's"
        who = sentences.quoted(address or "")
    n = 1 if seat.is_to_be_drawn else len(seat.pawns)
    return gettext(_SEATED[form], seat_is=ngettext("{seat} is", "{seat} are", n, seat=seat_label(seat)), who=who)


_SEATED = gettext_noop({
    "played": "{seat_is} played by {who}",
    "guest": "{seat_is} played by {who}, a guest",
    "unreached": "{seat_is} played by {who}, whom no mail reaches",
    "yours": "{seat_is} reserved for you",
    "invited": "{seat_is} reserved for {who}",
    "somebody's": "{seat_is} reserved for somebody who is invited",
    "free": "{seat_is} still to be taken",
})  # fmt: skip


def player_of(game: Standing, pawns: Sequence[str], passed_on: Collection[str] = ()) -> str:
    """Return the players of pawns as `Ben (Red and Green)`; where no person plays them, the pawns alone.

    Nor is anybody named for pawns that were `passed_on`: another player had them.
    """
    seats = [seat for seat in game.seats if set(pawns) & set(seat.pawns)]
    return sentences.join([_called(seat, is_named=not set(seat.pawns) & set(passed_on)) for seat in seats])


def _called(seat: Seat, *, is_named: bool) -> str:
    player = session.get(Player, seat.player_id) if seat.player_id and is_named else None
    return sentences.called(player.name, seat_label(seat)) if player else seat_label(seat)


def is_on_page(then: AsOf, seat: Seat | None, player: Player) -> bool:
    """Return True if mails tell this Mr. X nothing of where he is, as he wishes; a final result tells all."""
    return hides_station(seat, player, is_final=then.outcome is not None and then.outcome["final"])


def hides_station(seat: Seat | None, player: Player, *, is_final: bool) -> bool:
    """Return True if mails tell no station to the player of the seat, who is Mr. X and wants it so."""
    return seat is not None and seat.role == "mr_x" and player.station == "page" and not is_final
