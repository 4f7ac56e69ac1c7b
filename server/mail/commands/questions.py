"""The open questions to players, each kept as JSON with the reply address of the mail that asked it.

A question is asked by a reply, and open until it is answered or another takes its place. `handlers` does what the
answer says.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from sqlalchemy import bindparam, select

from server.application.game import reply_addresses
from server.application.game.reply_addresses import PrintedToken
from server.house_rules.standing import Seat
from server.models import ReplyToken, session


@dataclass(frozen=True)
class MakeMoves:
    """The question whether to make these moves, each in its notation."""

    moves: tuple[str, ...]


@dataclass(frozen=True)
class ChooseMove:
    """The question which of two moves is meant: the moves that were read, or what `against` says, a line of the mail.

    Only a move answers it: YES does not say which.
    """

    moves: tuple[str, ...]
    against: str


@dataclass(frozen=True)
class HeldMoves:
    """The question whether moves are meant that wait, in their notation; they are played unless the answer is no.

    It is open as long as the `hold` of that id goes on.
    """

    hold: str
    notations: tuple[str, ...]


@dataclass(frozen=True)
class Resign:
    """The question whether the player gives the game up."""


@dataclass(frozen=True)
class AgreeToDraw:
    """The question whether the player agrees to a draw, which ends the game."""


@dataclass(frozen=True)
class ConfirmSender:
    """The question whether the player wrote a mail, by its id in the inbox; from where it came, and what it says."""

    inbox_id: str
    sender: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class GoPublic:
    """The question whether to invite people, each to the seat of that number, and to list the game if `is_listed`."""

    invitations: tuple[tuple[int, str], ...]
    is_listed: bool


@dataclass(frozen=True)
class Vote:
    """The question of a vote, by the id of its motion."""

    motion_id: str


@dataclass(frozen=True)
class TakeSeat:
    """The question whether the player takes the seat that is kept for them; each mail about that seat asks it."""


@dataclass(frozen=True)
class DoCommand:
    """The question whether the player means a command, as its line: a wish in plain words is like it."""

    line: str


Question = (
    MakeMoves | ChooseMove | HeldMoves | Resign | AgreeToDraw | ConfirmSender | GoPublic | Vote | TakeSeat | DoCommand
)
ABOUT_MOVES = (MakeMoves, ChooseMove)
ABOUT_THE_END = (Resign, AgreeToDraw)  # the questions whether the player ends the game
_ONE_OF_ALL = (*ABOUT_MOVES, *ABOUT_THE_END)  # of these one is open, the newest

_ASKED = "ask-"  # so begins the name of the question that a mail asks
_ASKED_OF_SEAT = select(ReplyToken).order_by(ReplyToken.created_at)
_ASKED_OF_SEAT = _ASKED_OF_SEAT.where(ReplyToken.game_id == bindparam("game"), ReplyToken.seat == bindparam("number"))
_ASKED_OF_SEAT = _ASKED_OF_SEAT.where(ReplyToken.nonce.startswith(bindparam("nonce")), ReplyToken.question.is_not(None))


def name_of(inbox_id: str) -> str:
    """Return the name of the question that is asked in answer to a mail; see `reply_addresses.token_of`."""
    return _ASKED + inbox_id[:12]


def open_at(token: ReplyToken | None) -> Question | None:
    """Return the question that is open at a reply address."""
    return _from_json(token.question) if token is not None and token.question else None


def all_open(game_id: str, seat: Seat) -> list[tuple[ReplyToken, Question]]:
    """Return the reply addresses of a seat at which a question is open, and these questions, the oldest first."""
    found = session.scalars(_ASKED_OF_SEAT, {"game": game_id, "number": seat.number, "nonce": seat.nonce})
    return [(token, question) for token in found if (question := open_at(token)) is not None]


def ask(seat: Seat, printed: PrintedToken, question: Question) -> None:
    """Keep a question with the reply address of the mail that asks it.

    A new question about moves, or about the end of the game, closes the ones of both kinds that are open; if it is the
    same question again, it stays open at each address where it was asked.
    """
    if isinstance(question, _ONE_OF_ALL):
        _close(printed.game_id, seat, lambda other: isinstance(other, _ONE_OF_ALL) and other != question)
    reply_addresses.store([printed])
    reply_addresses.row_of(printed).question = _to_json(question)


def close(game_id: str, seat: Seat, answered: Question | None) -> None:
    """Close a question wherever it was asked.

    With one about moves or about the end of the game all of these are closed, as they are if `answered` is None.
    """
    are_all_meant = answered is None or isinstance(answered, _ONE_OF_ALL)
    _close(game_id, seat, lambda other: other == answered or (are_all_meant and isinstance(other, _ONE_OF_ALL)))


def _close(game_id: str, seat: Seat, is_meant: Callable[[Question], bool]) -> None:
    for token, question in all_open(game_id, seat):
        if is_meant(question):
            token.question = None


_KINDS = {kind.__name__: kind for kind in get_args(Question)}


def _to_json(question: Question) -> dict[str, Any]:
    return {"question": type(question).__name__} | asdict(question)


def _from_json(stored: Mapping[str, Any]) -> Question:
    facts = {name: _as_tuple(value) for name, value in stored.items() if name != "question"}
    question: Question = _KINDS[stored["question"]](**facts)
    return question


def _as_tuple(value: Any) -> Any:
    """Return a value of JSON with tuples for lists."""
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value
