"""Sign up: by a code that is mailed to an address, or by an invitation."""

from sqlalchemy.exc import IntegrityError

from server.application.errors import Problem
from server.application.game.access import locked
from server.application.people import codes, names
from server.application.people.players import (
    add_person,
    add_player,
    add_token,
    check_email,
    check_name,
    check_zone,
    name_like,
)
from server.application.seats import invitations, lobby
from server.models import Player, Seat, session, transaction


def request_code(name: str, email: str, zone: str = "UTC", *, network: str = "") -> None:
    """Send a code to the address; or if it is known, word that somebody tried. Nothing tells the caller which.

    `network` is where the request came from, as `networks.network` has it. `Problem` name-taken, or too-many when the
    address or the network has had its mails for the day, or too many come from everywhere.
    """
    wanted = {"name": check_name(name), "email": check_email(email), "zone": check_zone(zone)}
    names.check_free(wanted["name"])
    codes.send("code", wanted, network=network)


def confirm_code(code: str, name: str | None = None) -> tuple[Player, str]:
    """The player who signed up or was invited, and his first token; he sits where he was invited.

    `name` is what he wants to be called, if not as he signed up, or as his address begins. `Problem` bad-code when the
    code is not, or no longer, good.
    """
    try:
        with transaction():
            seat = invitations.with_code(code)
            if seat is None:
                return add_player(**codes.redeem(code) | ({} if name is None else {"name": name}))
            player = accept_invitation(seat, name)
            return player, add_token(player.id)[1]
    except IntegrityError:
        # Two codes for one address or name, used at once on a database that lets both look before either writes.
        raise Problem("email-taken", "That address, or the name, belongs to a player already.") from None


def accept_invitation(seat: Seat, name: str | None = None) -> Player:
    """Whoever reads the mail of the address for which `seat` is kept becomes a player, and takes it at once."""
    with transaction():
        locked(seat.game_id)
        session.refresh(seat)
        if seat.invitation is None or seat.invitation.email is None:
            raise Problem("bad-code", "This invitation is good no longer.")
        lobby.check_open(seat.game)
        email = seat.invitation.email
        player = add_person(names.free_like(name_like(email.partition("@")[0])) if name is None else name, email)
        lobby.join(seat.game_id, player, seat=seat.number)
    return player
