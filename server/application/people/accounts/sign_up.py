"""Sign up: by a code that is mailed to an address, or by an invitation."""

from sqlalchemy.exc import IntegrityError

from server.application.game import outbox_rows
from server.application.game.deciding import Decided, use_case
from server.application.game.situations import load
from server.application.lobby import invitations, seats
from server.application.people import admission, codes, names, players, tokens
from server.application.people.accounts import browsers
from server.application.people.players import (
    add_player,
    add_player_without_token,
    check_email,
    check_name,
    check_new,
    check_zone,
    name_like,
    with_email,
)
from server.models import Player, Seat, transaction
from server.vocabulary.errors import refusal

# Sign in with a browser: a code by mail shows that an address is the reader's.
#
# Nobody finds out here whether an address is a player's: the answer and the mail are the same for every address. Only
# the reader of the mail is asked for a name if the address is nobody's yet, and becomes a player with it.


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
        raise refusal("email-taken", "That address, or the name, belongs to a player already.") from None


@use_case
def accept_invitation(seat: Seat, name: str | None = None) -> Decided[Player]:
    """Add the reader of the address for which `seat` is reserved as a player, and give them the seat."""
    game = load(seat.game_id)
    invitation = game.seat_of_number(seat.number).invitation
    if invitation is None or invitation.email is None:
        raise refusal("bad-code", "This invitation is good no longer.")
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


def add_vouched_player(name: str, email: str, zone: str = "UTC") -> tuple[Player, str]:
    """Add a player and welcome them; return them with their first token. The caller vouches for the address."""
    with transaction():
        added, token = players.add_player(name, email, zone)
        welcome(added)
    return added, token


def welcome(player: Player, *, reason: str = "", in_reply_to: str | None = None, cause: str = "") -> None:
    """Write the mail that ends in a first move; `reason` is why something that they asked for was not done.

    Args:
        in_reply_to: the Message-ID of the mail that it answers.
        cause: the id of that mail in the inbox.
    """
    details = {"name": player.name, "reason": reason, "in_reply_to": in_reply_to}
    outbox_rows.post(player.id, "welcome", details=details, cause=cause)


def request_sign_in(email: str, *, network: str) -> None:
    """Mail a code to sign in with to the address; `Problem` form, or too-many as of `codes.send_to_sign_in`."""
    codes.send_to_sign_in(check_email(email), network=network)


def address_of(code: str, game_code: str = "") -> tuple[str, bool]:
    """Return the address that the code was mailed to, and whether it is nobody's yet.

    Args:
        game_code: the code of the game that somebody new is on their way to, if any.

    Raises:
        Problem: `bad-code` if the code is not, or no longer, good; `not-admitted` for somebody new who may not come in.
    """
    email = codes.requested(codes.SIGN_IN, code)["email"]
    is_new = with_email(email) is None
    if is_new:
        admission.check(email, game_code)
    return email, is_new


def sign_in(code: str, browser: str, name: str | None = None, game_code: str = "") -> str:
    """Use up the code, and return the secret of a new session of its player.

    Args:
        name: that of somebody new, whose address becomes a player's.
        game_code: as in `address_of`.

    Raises:
        Problem: `bad-code`; `not-admitted` as of `address_of`, `form` or `name-taken` for a name that cannot be theirs,
            and the code stays good then.
    """
    try:
        with transaction():
            email = codes.redeem(codes.SIGN_IN, code)["email"]
            player = with_email(email)
            if player is None:
                admission.check(email, game_code)
                player = add_player_without_token(name or "", email)
            return browsers.sign_in(player.id, browser)
    except IntegrityError:
        # Two codes for one address or name, used at once on a database that lets both look before either writes.
        raise refusal("name-taken", "Somebody else was a moment faster with this name or address; try again.") from None
