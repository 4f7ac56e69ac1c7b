"""The open questions to players, each kept as JSON with the reply address that its answer comes to.

A question is asked by a reply, and open until it is answered or another takes its place.
`yes.py` does what the answer says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from server.application.game import reply_addresses
from server.house_rules.standing import Seat, Standing
from server.models import ReplyToken, session


@dataclass(frozen=True)
class MakeMoves:
    """The question whether to make these moves, each in its notation."""

    notations: tuple[str, ...]


@dataclass(frozen=True)
class ChooseMove:
    """The question which of two moves is meant: the moves that were read, or what `against` says, a line of the mail.

    Only a move answers it: YES does not say which.
    """

    notations: tuple[str, ...]
    against: str


@dataclass(frozen=True)
class Resign:
    """The question whether the player gives the game up."""


@dataclass(frozen=True)
class AgreeToDraw:
    """The question whether the player agrees to a draw, which ends the game."""


@dataclass(frozen=True)
class ConfirmSender:
    """The question whether the player wrote a mail, by its id in the inbox."""

    inbox_id: str


@dataclass(frozen=True)
class GoPublic:
    """The question whether to invite people, each to the seat of that number, and to list the game if `is_listed`."""

    invitations: tuple[tuple[int, str], ...]
    is_listed: bool


Question = MakeMoves | ChooseMove | Resign | AgreeToDraw | ConfirmSender | GoPublic

_ASKED_OF_SEAT = select(ReplyToken).order_by(ReplyToken.created_at)
_ASKED_OF_SEAT = _ASKED_OF_SEAT.where(ReplyToken.game_id == bindparam("game"), ReplyToken.seat == bindparam("number"))
_ASKED_OF_SEAT = _ASKED_OF_SEAT.where(ReplyToken.nonce.startswith(bindparam("nonce")), ReplyToken.question.is_not(None))


@dataclass(frozen=True)
class Answered:
    """The mark of a reply after which no question is open any more."""


@dataclass(frozen=True)
class Withdrawn:
    """The mark that the question asked after `command` was closed unanswered: a later YES may still be meant for it."""

    command: str


@dataclass
class UnclearError(Exception):
    """A mail of which nothing was done, as it speaks against its own moves or its own answer.

    `question` is asked about the moves; without one what the answer was about stays open. `are_moves_told`: the
    paragraphs name all moves of the mail.
    """

    title: str
    paragraphs: tuple[str, ...]
    question: Question | None = None
    are_moves_told: bool = False


def open_at(token: ReplyToken | None) -> Question | None:
    """Return the question that is open at a reply address."""
    stored = _stored(token)
    return _from_json(stored) if stored and "withdrawn" not in stored else None


def withdrawn_at(token: ReplyToken | None) -> Question | None:
    """Return the last question at a reply address if it was closed unanswered."""
    stored = _stored(token)
    return _from_json({stored["withdrawn"]: True}) if "withdrawn" in stored else None


def _stored(token: ReplyToken | None) -> Mapping[str, Any]:
    return (token.question if token is not None else None) or {}


def open_elsewhere(token: ReplyToken, seat: Seat) -> tuple[ReplyToken, Question] | None:
    """Return another reply address of the seat in this round at which a question is open, and that question."""
    of_round = ((other, question) for other, question in all_open(token.game_id, seat) if other.round == token.round)
    return next(((other, question) for other, question in of_round if other is not token), None)


def all_open(game_id: str, seat: Seat) -> list[tuple[ReplyToken, Question]]:
    """Return the reply addresses of a seat at which a question is open, and these questions, the oldest first."""
    found = session.scalars(_ASKED_OF_SEAT, {"game": game_id, "number": seat.number, "nonce": seat.nonce})
    return [(token, question) for token in found if (question := open_at(token)) is not None]


def ask(token: ReplyToken, question: Question | Answered | Withdrawn) -> None:
    """Keep a question with the reply address at which it is answered, in the place of any other."""
    match question:
        case Answered():
            token.question = None
        case Withdrawn(command):
            token.question = {"withdrawn": command}
        case _:
            token.question = _to_json(question)


def ask_in_new_game(game: Standing, seat: Seat, question: Question | Answered) -> None:
    """Keep a question with the reply address of a seat in a game that has not begun."""
    printed = reply_addresses.token_of(game, seat, reply_addresses.INVITATION)
    reply_addresses.store([printed])
    ask(reply_addresses.row_of(printed), question)


def _to_json(question: Question) -> dict[str, Any]:
    match question:
        case MakeMoves(notations):
            return {"moves": list(notations)}
        case ChooseMove(notations, against):
            return {"moves": list(notations), "against": against}
        case Resign():
            return {"resign": True}
        case AgreeToDraw():
            return {"draw": True}
        case ConfirmSender(inbox_id):
            return {"mail": inbox_id}
        case GoPublic(invitations, is_listed):
            return {"invite": [list(invitation) for invitation in invitations], "list": is_listed}


def _from_json(stored: Mapping[str, Any]) -> Question:
    if "resign" in stored:
        return Resign()
    if "draw" in stored:
        return AgreeToDraw()
    if "mail" in stored:
        return ConfirmSender(stored["mail"])
    if "invite" in stored:
        invitations = tuple((number, who) for number, who in stored["invite"])
        return GoPublic(invitations, stored.get("list", False))
    if "against" in stored:
        return ChooseMove(tuple(stored["moves"]), stored["against"])
    return MakeMoves(tuple(stored["moves"]))
