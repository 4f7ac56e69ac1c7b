"""Sign up: by a code that is mailed to an address, or by an invitation."""

from sqlalchemy.exc import IntegrityError

from server.application.game.deciding import Decided, use_case
from server.application.game.situations import load
from server.application.lobby import invitations, seats
from server.application.people import admission, codes, names, tokens
from server.application.people.players import (
    add_player,
    add_player_without_token,
    check_email,
    check_name,
    check_new,
    name_like,
)
from server.application.people.zone_and_night import check_zone
from server.models import Player, Seat, transaction
from server.vocabulary.errors import Problem


def request_code(name: str, email: str, zone: str = "UTC", *, network: str = "") -> None:
    """Mail a code to the address, or a warning if it is a player's already; the caller does not learn which.

    Args:
        network: where the request came from, as `networks.network` returns it.

    Raises:
        Problem: `form`, `name-taken`, `not-admitted` where nobody new may come in, or `too-many` if the address, the
            network or the server has had its mails.
    """
    admission.check_open()
    details = {"name": check_name(name), "email": check_email(email), "zone": check_zone(zone)}
    names.check_free(details["name"])
    codes.send("code", details, network=network)


def confirm_code(code: str, name: str | None = None, game_code: str = "") -> tuple[Player, str]:
    """Add the player who signed up or was invited, and return them with their first token.

    An invited player takes the seat.

    Args:
        name: the player's name, if it is not that of the sign-up, or the beginning of the address.
        game_code: the code of a game, with which somebody comes in where only invited people may.

    Raises:
        Problem: `bad-code` if the code is not, or no longer, valid; `not-admitted`, and the code stays good then;
            `name-taken` or `email-taken`.
    """
    try:
        with transaction():
            seat = invitations.with_code(code)
            if seat is None:
                wanted = codes.redeem("code", code) | ({} if name is None else {"name": name})
                admission.check(wanted["email"], game_code)
                return add_player(**wanted)
            player = accept_invitation(seat, name)
            return player, tokens.add(player.id)[1]
    except IntegrityError:
        # Two codes for one address or name, used at once on a database that lets both look before either writes.
        raise Problem("email-taken", "That address, or the name, belongs to a player already.") from None


@use_case
def accept_invitation(seat: Seat, name: str | None = None) -> Decided[Player]:
    """Add the reader of the address for which `seat` is reserved as a player, and give them the seat."""
    game = load(seat.game_id)
    invitation = game.seat_of_number(seat.number).invitation
    if invitation is None or invitation.email is None:
        raise Problem("bad-code", "This invitation is good no longer.")
    game.check_open()
    email = invitation.email
    admission.check(email)
    chosen = names.free_like(name_like(email.partition("@")[0])) if name is None else name
    check_new(chosen, email)

    def write() -> Player:
        player = add_player_without_token(chosen, email)
        seats.join(seat.game_id, player, seat=seat.number)
        return player

    return Decided(write)
