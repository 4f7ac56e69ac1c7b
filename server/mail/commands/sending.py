"""The sending of answers: what the template of an answer gets, and when the answer goes out.

An answer goes to the registered address of the player and nowhere else.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from server.application.game import outbox_rows, reply_addresses, timer_rows
from server.application.game.access import roles_once_held
from server.application.game.reply_addresses import PrintedToken, token_of
from server.application.game.waiting import is_awaited, is_awaited_soon
from server.application.limits import answers
from server.application.mail import mail_frequency
from server.application.mail.arrivals import branch_of
from server.house_rules.standing import Seat, Standing
from server.house_rules.timers import timer_of
from server.language.forms import Trait, names_with
from server.mail.commands import questions
from server.mail.commands import reply as replies
from server.mail.commands.reply import Mark, Question, Reply, as_sentence, content, reply_from_template
from server.mail.commands.request import Place, Request
from server.mail.reading.quoting import MARKER
from server.mail.writing import sentences
from server.mail.writing.seating import people
from server.models import Incoming, Player
from server.vocabulary.durations import say_duration
from server.vocabulary.translation import gettext, pgettext
from server.wording.seats import seat_label

ALWAYS_ANSWERED = names_with(Trait.ANSWERED)
FROM = "from-"  # so begins the name of a question about the sender of a mail
FOR_BOTS = timedelta(minutes=1)  # so long an answer waits for the mail of the next turn, while bots alone move
AT_ONCE = (mail_frequency.USUAL, mail_frequency.MOVES)  # turn mails come as soon as they can


def answer(request: Request, reply: Reply) -> str:
    """Answer a mail that was obeyed; return the verdict on it, with "-unanswered" added if a limit forbids the answer.

    A player who has proved that they wrote is always answered, see `server.application.limits.answers`.
    """
    is_told = Mark.IN_TURN_MAIL in reply.marks and reply.question is None
    if is_told and mail_frequency.frequency_of(request.player, request.game.id) in AT_ONCE:
        return "obeyed"
    return _post(request, "answer", reply, "obeyed", kept=reply.kept)


def advise(request: Request, reply: Reply, verdict: str) -> str:
    """Answer a mail that changed nothing; return what `answer` returns."""
    return _post(request, "advice", reply, verdict)


def warn(request: Request, reply: Reply, verdict: str) -> str:
    """Write to a player about a mail that somebody else may have sent; return what `answer` returns."""
    assert request.token is not None
    at = token_of(request.game, request.seat, request.token.round, about_sender(request.row))
    unproven = replace(request, token=None, is_authentic=False, has_passed=False)
    return _post(unproven, "advice", reply, verdict, asked_at=at)


def about_sender(row: Incoming) -> str:
    """Return the name of the question whether the player wrote this mail; see `reply_addresses.token_of`."""
    return FROM + (row.author or "")[:11]


def _post(
    request: Request, kind: str, reply: Reply, verdict: str, *, asked_at: PrintedToken | None = None, kept: Any = None
) -> str:
    is_urgent = request.is_urgent or reply.question is not None  # or a YES could answer it before it was read
    is_understood, words = request.has_command or Mark.ANSWERS in reply.marks, " ".join(request.reading.lines)
    words = words or request.reading.subject
    at = answers.schedule(
        request.player.id, is_proven=request.is_from_proven_sender, branch=branch_of(request.row), is_urgent=is_urgent,
        words=None if asked_at else words if is_understood else f"{words} {reply.title}", is_understood=is_understood,
        kept=kept,
    )  # fmt: skip
    if at is None:
        return f"{verdict}-unanswered"
    if not is_urgent and request.is_from_proven_sender and answers.is_last_prompt(request.player.id):
        reply = replies.with_remarks(reply, reply_from_template("slower", wait=say_duration(answers.PAUSE)))
    content = details(request, reply)
    if reply.question is not None:
        content |= _ask(request, reply.question, asked_at)
    elif reply.news and kind == "answer":
        content |= {"news": reply.news}
        at += FOR_BOTS if _is_turn_soon(request) else timedelta()
    outbox_rows.post(request.player.id, kind, request.game, details=content, cause=request.row.id, at=at)
    return verdict


def _is_turn_soon(request: Request) -> bool:
    """Return True if the mail of the player's next turn can tell what this answer does, as it is about to come."""
    is_told = mail_frequency.frequency_of(request.player, request.game.id) in AT_ONCE
    return is_told and is_awaited_soon(request.game, request.seat, request.game.queue)


def _ask(request: Request, question: Question, asked_at: PrintedToken | None) -> dict[str, Any]:
    """Keep the question that an answer asks; return the details that give the answer the address of that question.

    The seat that is kept for a player is answered for at the address of each mail about it.
    """
    if not question.is_kept:
        return {}
    game, seat = request.game, request.seat
    printed = asked_at or token_of(game, seat, reply_addresses.round_of(game), questions.name_of(request.row.id))
    questions.ask(seat, printed, question)
    return {"go": printed.round, "about": printed.nonce.removeprefix(seat.nonce)}


# The content of an answer ------------------------------------------------------------------------


def details(request: Request, reply: Reply) -> dict[str, Any]:
    """Return what the template of an answer needs: title, first line, blocks, and how much of the situation follows.

    In an answer to Mr. X the template puts what he alone may read behind public facts, which fill the preview.
    """
    game, seat = request.game, request.seat
    # A game has a round while it runs, and a turn from its start on.
    role = seat_label(seat)
    heading = gettext("After the end, {role}" if game.turn else "Before the start, {role}", role=role)
    if game.round:
        heading = gettext("Round {n}, {role}", n=reply.round or game.round, role=role)
    title = reply.title or pgettext("title", "done")
    return letter(reply, f"{heading}.", request.reading.message_id) | {
        "title": f"{heading}: {title}",
        "lead": as_sentence(reply.title),
        # A player who has just given up the seat does not see the game through it any more.
        "situation": _situation(reply) if game.status == "open" or seat.player_id == request.player.id else "",
        "others": [_other_game(*other, request.player) for other in request.others],
    }


def letter(reply: Reply, first_line: str, message_id: str | None) -> dict[str, Any]:
    """Return the content of an answer that has no more than a reply: also that to somebody without a seat."""
    return {
        "title": reply.title,
        "first_line": f"{first_line} {gettext(MARKER)}",
        "blocks": content(reply),
        "in_reply_to": message_id,
    } | ({"files": reply.files} if reply.files else {})


def _situation(reply: Reply) -> str:
    """Return how much of the situation the reader needs with a reply, as in `catalogues.mails.Answer`."""
    if Mark.REFERENCE in reply.marks:
        return ""
    if Mark.STATUS in reply.marks:
        return "whole"
    return "turn" if reply.question is not None or (Mark.BRIEF in reply.marks and not reply.refused) else "choices"


def without_game(reply: Reply, message_id: str | None) -> dict[str, Any]:
    """Return the content of an answer to a player who has no game."""
    no_game = reply_from_template("no_game")
    told = letter(replace(reply, title=""), f"{no_game.title}.", message_id)
    return told | {"title": no_game.title, "blocks": [*told["blocks"], *content(no_game)]}


def at_dead_address(player: Player, game: Standing, others: Sequence[Place], message_id: str | None) -> dict[str, Any]:
    """Return the content of the answer at a reply address of `game` that is no longer valid, with the player's games.

    Only somebody who was a detective in the game, or has a seat, reads its name: to a former Mr. X it is closed.
    """
    is_known = "detective" in roles_once_held(game.id, player) or game.id in [other.id for other, _ in others]
    reply = reply_from_template("dead_address", game=game.name if is_known else "")
    if not others:
        return without_game(replace(reply, title=""), message_id)
    mentioned = [_other_game(*other, player, is_also=False) for other in others]
    return letter(reply, as_sentence(reply.title), message_id) | {"others": mentioned}


def for_host(game: Standing, message_id: str | None) -> dict[str, Any]:
    """Return the content of the answer to a host without a seat, whose game has begun."""
    reply = reply_from_template("started_for_host", people=people(game))
    return letter(reply, gettext("The start cards are dealt, and {game} has begun.", game=game.name), message_id)


def _other_game(game: Standing, seat: Seat, player: Player, *, is_also: bool = True) -> str:
    """Return a line about another game of the player's, with its reply address."""
    token = token_of(game, seat, reply_addresses.round_of(game))
    reply_addresses.store([token])
    timer = timer_of(game, seat, timer_rows.timeouts_of([game.id])[game.id]) if game.status != "open" else None
    (line,) = reply_from_template(
        "other_game",
        role=seat_label(seat),
        game=game,
        is_taken=seat.player_id is not None,
        is_awaited=is_awaited(game, seat),
        due=sentences.moment(timer.due_at, player.zone) if timer else "",
        address=token.written,
        is_also=is_also,
    ).texts
    return line
