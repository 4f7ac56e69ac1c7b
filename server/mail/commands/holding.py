"""Held moves by mail: a move that may not be meant waits, its player is told until when, and an answer settles it.

YES or the same move plays it, another move takes its place, thanks leave it. Anything else in answer stops it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from urllib.parse import quote

from server.application.errors import Problem
from server.application.game import held_moves, reply_addresses
from server.application.game.situations import acting
from server.application.play import holding
from server.durations import say_duration
from server.house_rules import queue
from server.house_rules.holding import NOT_HELD, are_own
from server.house_rules.standing import HeldMove
from server.mail.commands import moves
from server.mail.commands import reply as replies
from server.mail.commands.questions import HeldMoves, MakeMoves, open_at
from server.mail.commands.reply import Handler, Outcome, Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.commands.unread import quoted_as_read
from server.mail.language import forms
from server.mail.writing import sentences
from server.runtime import now, runtime
from server.wording.times import time_of_day

MOMENT = timedelta(seconds=1)


def hold(request: Request, notations: Sequence[str], line: str = "", *, asked: Reply | None = None) -> Outcome:
    """Hold moves that are understood, and tell until when they wait; ask about them where moves cannot be held.

    line: what in the mail leaves a doubt about them; "" if the moves are no line of it as a whole, and for a player
        who wants to be able to stop all their moves
    asked: the question, if it is another than whether the moves are meant, or that line
    """
    requested = [moves.requested(notation) for notation in notations]
    wait = holding.length(request.game, request.seat)
    if wait is None or not are_own(request.game, request.player.id, requested):
        return asked or _asked(notations, line)
    held = holding.hold.decide(request.game.id, request.player, requested, wait)
    return held.then(lambda those: replace(_told(request, those, line), leads=True, is_answer=True))


def _asked(notations: Sequence[str], line: str) -> Reply:
    """Return the question about moves that nobody holds, as their time is too short or nobody but bots would wait."""
    question = MakeMoves(tuple(notations))
    if line:
        asked = moves.which_move(notations, moves.shortened(line), is_choice=False, is_placed=False)
        return replace(asked, question=question)
    asked = reply_from_template("ask_first", moves=sentences.each_quoted(notations))
    return replace(asked, leads=True, question=question)


def _told(request: Request, held: Sequence[HeldMove], line: str = "") -> Reply:
    """Return the reply that tells until when moves of one hold wait, and asks whether they are meant."""
    name, notations = held[0].hold, tuple(each.notation for each in held)
    told = {
        "line": sentences.quoted(moves.shortened(line)) if line else "",
        "number": len(notations),
        "at": time_of_day(held[0].plays_at, request.player.zone),
        "wait": say_duration(max(held[0].plays_at - now(), MOMENT)),
        "runs_bank": request.game.clock["kind"] == "bank",
        "links": links(name),
    }
    whole = reply_from_template("held", moves=sentences.each_quoted(notations), **told)
    public = reply_from_template("held", moves=(), **told | {"line": ""})
    return replace(replies.with_public_words(whole, public), question=HeldMoves(name, notations))


def links(name: str) -> tuple[str, str] | None:
    """Return the addresses of the pages that play and stop a hold; None on a server that does not know its own."""
    site = runtime().settings.public_url
    if site is None:
        return None
    token = quote(reply_addresses.mark(reply_addresses.HOLD, name))
    return f"{site}/held/{token}/play", f"{site}/held/{token}/stop"


# Answers -----------------------------------------------------------------------------------------


def waiting(request: Request) -> list[HeldMoves]:
    """Return the questions about moves that wait, those of a page among them, which no mail has asked."""
    notations: dict[str, list[str]] = {}
    for each in held_moves.of_seat(request.game, request.seat):
        notations.setdefault(each.hold, []).append(each.notation)
    return [HeldMoves(name, tuple(those)) for name, those in notations.items()]


def is_waiting(request: Request, question: HeldMoves) -> bool:
    """Return True if the moves that a question is about are neither played nor stopped."""
    return bool(_held(request, question))


def _held(request: Request, question: HeldMoves) -> list[HeldMove]:
    return [each for each in held_moves.of_seat(request.game, request.seat) if each.hold == question.hold]


def in_words(request: Request, question: HeldMoves) -> Reply:
    """Return the reply that tells once more until when moves wait."""
    held = _held(request, question)
    if not held:
        raise Problem("form", NOT_HELD, is_public=True)
    return _told(request, held)


def play_now(request: Request, question: HeldMoves) -> Outcome:
    """YES: play the moves before their time."""
    before, kept = len(request.view()["history"]), request.queue()
    placed = holding.play_now.decide(request.game.id, request.player.id, question.hold)
    return placed.then(
        lambda those: moves.made(
            request, [each.held.notation for each in those], [each.outcome for each in those], kept, before
        )
    )


def stop(request: Request, question: HeldMoves) -> Outcome:
    """NO: stop the moves, and ask which are meant."""
    stopped = holding.call_off.decide(request.game.id, request.player.id, question.hold)
    return stopped.then(lambda held: told_as_stopped([each.notation for each in held]))


def told_as_stopped(
    notations: Sequence[str], unclear: Sequence[str] = (), *, is_understood: bool = True, is_yes_to_them: bool = True
) -> Reply:
    """Return the reply that moves are not played, which asks which are meant.

    `is_understood`: False if the server stopped the moves because it did not understand the mail, of which `unclear`
    are the lines. `is_yes_to_them`: False if the mail asks about something else, to which a YES is.
    """
    told = {"number": len(notations), "is_understood": is_understood, "is_yes_to_them": is_yes_to_them}
    whole, public = (
        reply_from_template("stopped", moves=those, read=read, **told)
        for those, read in ((sentences.each_quoted(notations), quoted_as_read(unclear)), ((), ""))
    )
    question = MakeMoves(tuple(notations))
    return replace(replies.with_public_words(whole, public), question=question, leads=True, is_answer=True)


def stopped_by_answer(request: Request, reply: Reply | None = None, unclear: Sequence[str] = ()) -> Reply:
    """Stop the moves that wait if an unclear mail answers their question; return the reply that says so, else `reply`.

    What the server has not understood may have been a no: the lines that are `unclear` are quoted. A `reply` that only
    lists what can be sent is left out then.
    """
    reply = reply or Reply()
    question = open_at(request.token)
    if not isinstance(question, HeldMoves) or not is_waiting(request, question):
        return reply
    try:
        called_off = holding.call_off.decide(request.game.id, request.player.id, question.hold).write()
    except Problem:  # it was played a moment ago
        return reply
    is_understood = reply.question is not None or (bool(reply.title) and not reply.is_reference)
    is_yes_to_them = reply.question in (None, question)
    notations = [each.notation for each in called_off]
    stopped = told_as_stopped(notations, unclear, is_understood=is_understood, is_yes_to_them=is_yes_to_them)
    if not is_understood:
        return stopped
    asked = stopped.question if is_yes_to_them else reply.question
    return replace(replies.with_remarks(reply, stopped), question=asked)


def told_by_status(request: Request) -> Reply:
    """Return the reply that tells of all moves of the player that wait."""
    held = held_moves.of_seat(request.game, request.seat)
    told = [
        {"notation": sentences.quoted(each.notation), "at": time_of_day(each.plays_at, request.player.zone)}
        for each in held
    ]
    whole, public = (reply_from_template("status_held", held=those, number=len(told)) for those in (told, ()))
    return replies.with_public_words(whole, public) if told else Reply()


def cancel(request: Request, command: forms.Command) -> Outcome:
    """CANCEL the moves that were sent ahead or wait, or that of one pawn; ask about those that waited."""
    pawn = command.text.lower() or None
    if pawn is not None and pawn not in request.seat.pawns:
        raise Problem("forbidden", f"{sentences.pawn_name(pawn)} is not yours.")
    held = [
        each.notation for each in held_moves.of_seat(request.game, request.seat) if pawn in (None, each.pawn)
    ]  # fmt: skip
    acted = acting(request.game.id, request.player, queue.take_back, pawn)
    return acted.then(lambda acted: _cancelled(held, acted.answer, pawn))


def _cancelled(held: Sequence[str], taken_back: int, pawn: str | None) -> Reply:
    name = pawn and sentences.pawn_name(pawn)
    ahead = reply_from_template("cancel", taken_back=taken_back - len(held), pawn=name)
    if not held:
        return ahead
    stopped = told_as_stopped(held)
    return stopped if taken_back == len(held) else replies.with_remarks(stopped, ahead)


HANDLERS: dict[str, Handler] = {"cancel": cancel}
