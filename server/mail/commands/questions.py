"""The questions that are open to players, each kept as JSON with the reply address of the mail that asked it.

A question is asked by a reply, and open until it is answered or another takes its place. What it asks, and what its
answers do, is in its class.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import bindparam, select

from server.application.game import reply_addresses
from server.application.game.reply_addresses import PrintedToken
from server.house_rules.standing import Seat
from server.mail.commands.reply import Question
from server.models import ReplyToken, session

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
    if question.is_one_of_all:
        _close(printed.game_id, seat, lambda other: other.is_one_of_all and other != question)
    reply_addresses.store([printed])
    reply_addresses.row_of(printed).question = {"question": type(question).__name__} | asdict(question)


def close(game_id: str, seat: Seat, answered: Question | None) -> None:
    """Close a question wherever it was asked.

    With one about moves or about the end of the game all of these are closed, as they are if `answered` is None.
    """
    are_all_meant = answered is None or answered.is_one_of_all
    _close(game_id, seat, lambda other: other == answered or (are_all_meant and other.is_one_of_all))


def _close(game_id: str, seat: Seat, is_meant: Callable[[Question], bool]) -> None:
    for token, question in all_open(game_id, seat):
        if is_meant(question):
            token.question = None


def _from_json(stored: Mapping[str, Any]) -> Question:
    fields = {name: _as_tuple(value) for name, value in stored.items() if name != "question"}
    return Question.kinds[stored["question"]](**fields)


def _as_tuple(value: Any) -> Any:
    """Return a value of JSON with tuples for lists."""
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value
