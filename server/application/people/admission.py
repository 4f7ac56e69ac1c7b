"""Admission: everybody, invited people or nobody new may become a player (`ADMISSION`), and guests may come or not.

A player stays one whatever the setting says, and the operator may always add one. An address is only looked at for
somebody who has shown that it is theirs, so that no answer tells which addresses are known or invited.
"""

from sqlalchemy import select

from server.models import OVER, Game, Invitation, Seat, session
from server.runtime import runtime
from server.runtime.address_marks import address_mark
from server.settings.kinds import Admission
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext_noop

CODE = "not-admitted"
NOBODY_NEW = gettext_noop("This server takes no new players.")
INVITED_ONLY = gettext_noop(
    "This server takes only people who are invited: by a mail to their address, or with the link or the code of a game."
)


def refusal_of(email: str, game_code: str = "") -> Problem | None:
    """Return why the owner of an address may not become a player; None if they may.

    Args:
        game_code: the code of a game that they were given, empty if they have none.
    """
    match runtime().settings.admission:
        case Admission.NOBODY:
            return refusal(CODE, NOBODY_NEW)
        case Admission.INVITED if not (_is_invited(email) or _is_of_game(game_code)):
            return refusal(CODE, INVITED_ONLY)
    return None


def check(email: str, game_code: str = "") -> None:
    """Raise `Problem` not-admitted if the owner of an address may not become a player; arguments as of `refusal_of`."""
    problem = refusal_of(email, game_code)
    if problem is not None:
        raise problem


def check_open() -> None:
    """Raise `Problem` not-admitted if nobody new may come in, whoever it is."""
    if takes_nobody():
        raise refusal(CODE, NOBODY_NEW)


def check_guests() -> None:
    """Raise `Problem` not-admitted if guests may not practise."""
    if not runtime().settings.guests:
        raise refusal(CODE, "This server has no guests: to practise, sign in with your mail address.")


def takes_guests() -> bool:
    """Return True if somebody without an address may take a seat with the link of a game."""
    return runtime().settings.guests and not takes_nobody()


def lets_guests_host() -> bool:
    """Return True if somebody without an address may open a game for friends, as everybody may come in."""
    return runtime().settings.guests and runtime().settings.admission is Admission.EVERYBODY


def takes_nobody() -> bool:
    """Return True if nobody new may come in, not even with an invitation."""
    return runtime().settings.admission is Admission.NOBODY


def _is_invited(email: str) -> bool:
    """Return True if a seat is reserved for the reader of the address."""
    query = select(Seat.game_id).join(Seat.invitation).where(Invitation.address == address_mark(email))
    return session.scalar(query.limit(1)) is not None


def _is_of_game(code: str) -> bool:
    """Return True if a game that is not over has this code, which only its host and players can give away."""
    wanted = code.lower().removeprefix("#")
    query = select(Game.id).where(Game.code == wanted, Game.status != OVER)
    return wanted.isalnum() and wanted.isascii() and session.scalar(query) is not None
