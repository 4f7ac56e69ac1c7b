"""Sign in with a browser: a code by mail shows that an address is the reader's.

Nobody finds out here whether an address is a player's: the answer and the mail are the same for every address. Only the
reader of the mail is asked for a name if the address is nobody's yet, and becomes a player with it.
"""

from sqlalchemy.exc import IntegrityError

from server.application.people import admission, codes
from server.application.people.accounts import browsers
from server.application.people.players import add_player_without_token, check_email, with_email
from server.models import transaction
from server.vocabulary.errors import Problem


def request_code(email: str, *, network: str) -> None:
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
        raise Problem("name-taken", "Somebody else was a moment faster with this name or address; try again.") from None
