"""The sending of answers: what the template of an answer gets, and when the answer goes out.

An answer goes to the registered address of the player and nowhere else.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from server.application.game import outbox_rows, reply_addresses, timer_rows
from server.application.game.access import roles_once_held
from server.application.game.waiting import is_awaited
from server.application.limits import answers
from server.application.mail import mail_frequency
from server.application.mail.arrivals import branch_of
from server.house_rules.standing import Seat, Standing
from server.house_rules.timers import timer_of
from server.mail.commands.reply import Reply, as_sentence, reply_from_template, without_stations
from server.mail.commands.request import Place, Request
from server.mail.language.forms import Trait, names_with
from server.mail.reading.quoting import MARKER
from server.mail.writing import sentences
from server.mail.writing.context import people
from server.models import Player
from server.wording.seats import seat_label

MOST_REFUSED = 3  # lines that are quoted beside the reason of a refusal
ALWAYS_ANSWERED = names_with(Trait.ANSWERED)
_AT_ONCE = (mail_frequency.USUAL, mail_frequency.MOVES)  # turn mails come as soon as they can


def answer(request: Request, reply: Reply) -> str:
    """Answer a mail that was obeyed; return the verdict on it, with "-unanswered" added if a limit forbids the answer.

    A player who has proved that they wrote is always answered, see `server.application.limits.answers`.
    """
    if reply.is_in_turn_mail and mail_frequency.of(request.player, request.game.id) in _AT_ONCE:
        return "obeyed"
    return _post(request, "answer", details(request, reply), "obeyed", kept=reply.kept)


def advise(request: Request, reply: Reply, verdict: str, words: str | None = None) -> str:
    """Answer a mail that changed nothing; return what `answer` returns.

    `words`: what the mail says, if nothing of it was understood. Nobody writes the same over and over but a machine.
    """
    return _post(request, "advice", details(request, reply), verdict, words=words)


def warn(request: Request, reply: Reply, verdict: str, about: str = "") -> str:
    """Write to a player about a mail that somebody else may have sent; return what `answer` returns.

    `about` names a question that has a reply address of its own, see `reply_addresses.token_of`.
    """
    asked = {"go": request.token.round, "about": about} if about and request.token else {}
    unproven = replace(request, token=None, is_authentic=False, has_passed=False)
    return _post(unproven, "advice", details(request, reply) | asked, verdict)


def _post(request: Request, kind: str, content: dict[str, Any], verdict: str, **counted: Any) -> str:
    is_proven = request.is_from_proven_sender
    if counted.get("words") is None:
        counted |= {"words": " ".join(request.reading.lines) or request.reading.subject, "is_understood": True}
    branch = branch_of(request.row)
    at = answers.schedule(request.player.id, is_proven=is_proven, branch=branch, is_urgent=request.is_urgent, **counted)
    if at is None:
        return f"{verdict}-unanswered"
    outbox_rows.post(request.player.id, kind, request.game, details=content, cause=request.row.id, at=at)
    return verdict


# The content of an answer ------------------------------------------------------------------------


def details(request: Request, reply: Reply) -> dict[str, Any]:
    """Return what the template of an answer needs: title, first line, paragraphs, and whether the situation follows.

    In an answer to Mr. X the template puts what was understood of his move behind public facts, which fill the preview.
    """
    game, seat = request.game, request.seat
    # A game has a round while it runs, and a turn from its start on.
    when = f"Round {game.round}" if game.round else "After the end" if game.turn else "Before the start"
    return {
        "title": f"{when}, {seat_label(seat)}: {reply.title or 'done'}",
        "first_line": f"{when}, {seat_label(seat)}. {MARKER}",
        "paragraphs": [*reply.paragraphs, *_refusals_on_page(reply), *without_stations(reply.remarks)]
        if reply.hides_station
        else [*reply.paragraphs, *_refusals(reply), *reply.remarks],
        "on_page": [
            *(reply.on_page or as_sentence(reply.title)),
            *_refusals_on_page(reply),
            *without_stations(reply.remarks),
        ],
        # A player who has just given up the seat does not see the game through it any more.
        "situation": not reply.is_reference and (game.status == "open" or seat.player_id == request.player.id),
        "is_brief": reply.is_brief and not reply.refused,
        "others": [_other_game(*other, request.player) for other in request.others],
        "below": reply.below,
        "in_reply_to": request.reading.message_id,
    } | ({"files": reply.files} if reply.files else {})


def _refusals(reply: Reply) -> list[str]:
    """Return what was not done and why: each reason once, with the lines that were refused for it."""
    lines: dict[str, list[str]] = {}
    for line, problem in reply.refused:
        lines.setdefault(sentences.reason(problem.sentence), []).append(sentences.quoted(line))
    return [paragraph for reason, quoted in lines.items() for paragraph in _refusal(quoted, reason)]


def _refusal(lines: Sequence[str], reason: str) -> tuple[str, ...]:
    facts = {"lines": lines[:MOST_REFUSED], "others": len(lines[MOST_REFUSED:]), "reason": reason}
    return reply_from_template("line_refused", **facts).paragraphs


def _refusals_on_page(reply: Reply) -> tuple[str, ...]:
    """Return the same without the lines, and without a reason that names a station."""
    told = [reply_from_template("line_not_done", reason=problem.sentence) for _, problem in reply.refused]
    return tuple(dict.fromkeys(text for reply in told for text in reply.on_page))


def without_game(reply: Reply, message_id: str | None) -> dict[str, Any]:
    """Return the content of an answer to a player who has no game."""
    no_game = reply_from_template("no_game")
    return {
        "title": no_game.title,
        "first_line": f"{no_game.title}. {MARKER}",
        "paragraphs": [*reply.paragraphs, *_refusals(reply), *no_game.paragraphs],
        "in_reply_to": message_id,
    } | ({"files": reply.files} if reply.files else {})


def at_dead_address(player: Player, game: Standing, others: Sequence[Place], message_id: str | None) -> dict[str, Any]:
    """Return the content of the answer at a reply address of `game` that is no longer valid, with the player's games.

    Only somebody who was a detective in the game, or has a seat, reads its name: to a former Mr. X it is closed.
    """
    is_known = "detective" in roles_once_held(game.id, player) or game.id in [other.id for other, _ in others]
    reply = reply_from_template("dead_address", game=game.name if is_known else "")
    if not others:
        return without_game(replace(reply, title=""), message_id)
    return {
        "title": reply.title,
        "first_line": f"{reply.title[0].upper()}{reply.title[1:]}. {MARKER}",
        "paragraphs": list(reply.paragraphs),
        "others": [_other_game(*other, player, is_also=False) for other in others],
        "in_reply_to": message_id,
    }


def for_host(game: Standing, message_id: str | None) -> dict[str, Any]:
    """Return the content of the answer to a host without a seat, whose game has begun."""
    reply = reply_from_template("started_for_host", people=people(game))
    return {
        "title": reply.title,
        "first_line": f"The start cards are dealt, and {game.name} has begun. {MARKER}",
        "paragraphs": list(reply.paragraphs),
        "in_reply_to": message_id,
    }


def _other_game(game: Standing, seat: Seat, player: Player, *, is_also: bool = True) -> str:
    """Return a line about another game of the player's, with its reply address."""
    token = reply_addresses.token_of(game, seat, reply_addresses.round_of(game))
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
    ).paragraphs
    return line
