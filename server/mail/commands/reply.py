"""The replies of commands, and the one answer to a mail that is made of them.

The words are in `templates/mail/answer/replies`: the first line of a file is the title, the rest are paragraphs. The
template of the answer itself adds the situation of the game.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from flask import render_template
from sqlalchemy import func, select

from server.application.errors import Problem
from server.application.game import notices, reply_addresses, timers
from server.application.game.waiting import awaited_seats
from server.durations import DAY
from server.mail.commands.questions import Answered, Question
from server.mail.commands.request import Request
from server.mail.reading.quoting import MARKER
from server.mail.writing import sentences
from server.mail.writing.context import people
from server.models import Game, Outgoing, Player, Seat, session
from server.runtime import now
from server.wording.seats import seat_label

# Answers to mails of which nothing was done, and to HELP: two programs that answer each other must come to an end.
MOST_ERRORS = 3
MOST_A_DAY = 10


class Refusal(NamedTuple):
    """A line that could not be done, although others of the mail were."""

    line: str
    problem: Problem


@dataclass(frozen=True)
class Reply:
    """The reply to a command, or to several.

    `leads`: the title goes before those of other commands. `question` is asked by the reply. `entered`: the seat that
    the commands behind this one are about. `settings`: the player's settings as they are now, a paragraph that is told
    once. `remarks`: paragraphs on the mail as a whole, which come last. `is_brief`: the reader does not need to be told
    the situation with it.
    """

    title: str = ""
    paragraphs: tuple[str, ...] = ()
    leads: bool = False
    question: Question | Answered | None = None
    entered: Seat | None = None
    settings: str = ""
    refused: tuple[Refusal, ...] = ()
    remarks: tuple[str, ...] = ()
    is_brief: bool = False

    @property
    def is_refusal(self) -> bool:
        """Return True if nothing was done."""
        return bool(self.refused) and not self.title


# Replies to what is done and needs no look at the board.
_BRIEF = frozenset({
    "moves", "said", "settings", "renamed", "away", "cover", "host", "vote", "block", "block_list", "unblock",
    "draw_offered", "draw_withdrawn",
})  # fmt: skip


def reply_from_template(template: str, /, **facts: Any) -> Reply:
    """Return the reply with the title and the paragraphs of a template."""
    text = render_template(f"mail/answer/replies/{template}.txt", s=sentences, **facts)
    title, _, rest = text.partition("\n")
    paragraphs = (paragraph.strip() for paragraph in re.split(r"\n\s*\n", rest))
    return Reply(title.strip(), tuple(filter(None, paragraphs)), is_brief=template in _BRIEF)


def refused(line: str, problem: Problem) -> Reply:
    """Return the reply that a line was not done, and why."""
    return Reply(refused=(Refusal(line, problem),))


def combined(replies: Sequence[Reply]) -> Reply:
    """Return the one reply that several make, in their order."""
    titles = [reply.title for reply in replies if reply.title]
    leading = [reply.title for reply in replies if reply.leads]
    last_settings = next((reply for reply in reversed(replies) if reply.settings), None)
    paragraphs: list[str] = []
    for reply in replies:
        paragraphs += reply.paragraphs
        paragraphs += [reply.settings] if reply is last_settings else []
    return Reply(
        title=leading[-1] if leading else next(iter(titles), ""),
        paragraphs=tuple(dict.fromkeys(paragraphs)),
        refused=tuple(refusal for reply in replies for refusal in reply.refused),
        remarks=tuple(remark for reply in replies for remark in reply.remarks),
        is_brief=all(reply.is_brief for reply in replies if reply != Reply()),
    )


# Sending -----------------------------------------------------------------------------------------


def answer(request: Request, reply: Reply) -> None:
    """Answer a mail that was obeyed."""
    notices.post(request.player.id, "answer", request.game, details=details(request, reply), cause=request.row.id)


def advise(request: Request, reply: Reply, verdict: str) -> str:
    """Answer a mail that changed nothing; return `verdict`, with "-unanswered" added if a limit forbids the answer.

    A reply address gets `MOST_ERRORS` such answers, and the last says that it is the last. `warn` has another limit.
    """
    token = request.token
    if token is not None and token.errors_told >= MOST_ERRORS:
        return f"{verdict}-unanswered"
    if token is not None:
        token.errors_told += 1
        is_last = token.errors_told == MOST_ERRORS
        reply = replace(
            reply, remarks=(*reply.remarks, *(reply_from_template("last_advice").paragraphs if is_last else ()))
        )
    return post_advice(request, reply, verdict)


def post_advice(request: Request, reply: Reply, verdict: str, about: str = "") -> str:
    """Send the reply as advice, to a player at most `MOST_A_DAY` times a day; return what `advise` returns.

    `about` names a question that has a reply address of its own, see `reply_addresses.token_of`.
    """
    if advice_today(request.player) >= MOST_A_DAY:
        return f"{verdict}-unanswered"
    asked = {"go": request.token.round, "about": about} if about and request.token else {}
    content = details(request, reply) | asked
    notices.post(request.player.id, "advice", request.game, details=content, cause=request.row.id)
    return verdict


def advice_today(player: Player) -> int:
    """Return how many answers of the kind "advice" the player got within a day."""
    advice = (
        Outgoing.player_id == player.id,
        Outgoing.kind == "advice",
        Outgoing.created_at > now() - DAY,
    )
    return session.scalar(select(func.count()).select_from(Outgoing).where(*advice)) or 0


# The content of an answer ------------------------------------------------------------------------


def details(request: Request, reply: Reply) -> dict[str, Any]:
    """Return what the template of an answer needs: title, first line, paragraphs, and whether the situation follows.

    In an answer to Mr. X the template puts what was understood of his move behind public facts, which fill the preview.
    """
    game, seat = request.game, request.seat
    turn = f"Turn {game.turn}" if game.turn else "Before the start"
    return {
        "title": f"{turn}, {seat_label(seat)}: {reply.title or 'done'}",
        "first_line": f"{turn}, {seat_label(seat)}. {MARKER}",
        "paragraphs": [*reply.paragraphs, *_refusals(reply), *reply.remarks],
        # A player who has just given up the seat does not see the game through it any more.
        "situation": game.status == "open" or seat.player_id == request.player.id,
        "is_brief": reply.is_brief and not reply.refused,
        "others": [_other_game(*other, request.player) for other in request.others],
        "in_reply_to": request.reading.message_id,
    }


def _refusals(reply: Reply) -> list[str]:
    return [
        paragraph
        for line, problem in reply.refused
        for paragraph in reply_from_template(
            "line_refused", line=sentences.quoted(line), reason=sentences.reason(problem.sentence)
        ).paragraphs
    ]


def without_game(reply: Reply, message_id: str | None) -> dict[str, Any]:
    """Return the content of an answer to a player who has no game."""
    no_game = reply_from_template("no_game")
    return {
        "title": no_game.title,
        "first_line": f"{no_game.title}. {MARKER}",
        "paragraphs": [*reply.paragraphs, *no_game.paragraphs],
        "in_reply_to": message_id,
    }


def for_host(game: Game, message_id: str | None) -> dict[str, Any]:
    """Return the content of the answer to a host without a seat, whose game has begun."""
    reply = reply_from_template("started_for_host", people=people(game))
    return {
        "title": reply.title,
        "first_line": f"The start cards are dealt, and {game.name} has begun. {MARKER}",
        "paragraphs": list(reply.paragraphs),
        "in_reply_to": message_id,
    }


def _other_game(game: Game, seat: Seat, player: Player) -> str:
    """Return a line about another game of the player's, with its reply address."""
    token = reply_addresses.token_of(game, seat, reply_addresses.round_of(game))
    reply_addresses.store([token])
    timer = timers.timer_of(game, seat) if game.status != "open" else None
    (line,) = reply_from_template(
        "other_game",
        role=seat_label(seat),
        game=game,
        is_taken=seat.player_id is not None,
        is_awaited=seat in awaited_seats(game),
        due=sentences.moment(timer.due_at, player.zone) if timer else "",
        address=token.written,
    ).paragraphs
    return line
