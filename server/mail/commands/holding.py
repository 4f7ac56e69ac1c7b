"""Held moves by mail: a move that may not be meant waits, its player is told until when, and an answer settles it.

YES or the same move plays it, another move takes its place, thanks leave it. Anything else in answer stops it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from server.application.game import held_moves
from server.application.game.access import locked
from server.application.game.situations import Acted, act, acting
from server.house_rules import queue
from server.house_rules.holding import NOT_HELD, Placed, hold_length, may_wait, play_held, put_on_hold, stop_held
from server.house_rules.standing import HeldMove
from server.language import forms
from server.mail.commands import moves
from server.mail.commands import reply as replies
from server.mail.commands.moves import MakeMoves
from server.mail.commands.questions import open_at
from server.mail.commands.reply import Handler, Mark, Outcome, Question, Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.commands.unread import quoted_as_read
from server.mail.writing import sentences
from server.runtime import runtime
from server.vocabulary.errors import refusal
from server.vocabulary.preferences import ALWAYS
from server.vocabulary.words import typed
from server.wording.times import time_of_day


@dataclass(frozen=True)
class HeldMoves(Question):
    """The question whether moves are meant that wait, in their notation; they are played unless the answer is no.

    It is open as long as the `hold` of that id goes on, and is the same in whichever order it names the moves.
    """

    hold: str
    notations: tuple[str, ...] = field(compare=False)

    @property
    def played(self) -> tuple[str, ...]:
        return self.notations

    def held(self, request: Request) -> list[HeldMove]:
        """Return the moves that it is about and that are neither played nor stopped."""
        return [each for each in held_moves.held_by_seat(request.game, request.seat) if each.hold == self.hold]

    def is_over(self, request: Request) -> bool:
        """Return True if none of them waits any more."""
        return not self.held(request)

    def words(self, request: Request) -> Reply:
        """Return the reply that tells until when they wait."""
        held = self.held(request)
        if not held:
            raise refusal("form", NOT_HELD, is_public=True)
        return _told(request, held)

    remark = words

    def yes(self, request: Request) -> Outcome:
        """Play the moves before their time."""
        before, kept = len(request.view()["history"]), request.queue()

        def reply(acted: Acted[list[Placed]]) -> Reply:
            notations = [each.held.notation for each in acted.answer]
            return moves.made(request, notations, [each.outcome for each in acted.answer], kept, before)

        return acting(request.game.id, request.player, play_held, self.hold).then(reply)

    def no(self, request: Request) -> Outcome:
        """Stop the moves, and ask which are meant."""
        return stop(request, self.hold)


def hold(request: Request, notations: Sequence[str], line: str = "", *, asked: Reply | None = None) -> Outcome:
    """Hold moves that are understood, and tell until when they wait; ask about them where moves cannot be held.

    Where bots alone would wait they are made.

    line: what in the mail leaves a doubt about them; "" for a player who wants to be able to stop all their moves
    asked: the question, if it is another than whether the moves are meant, or that line
    """
    if request.game.is_against_bots(request.seat):
        return moves.make(request, notations)
    requested = [moves.requested(notation) for notation in notations]
    wait = hold_length(request.game, request.seat, runtime().settings.hold)
    if wait is None or not may_wait(request.game, request.player.id, requested):
        asked = asked or MakeMoves(tuple(notations)).did_you_mean(
            sentences.quoted(moves.shortened(line)) if line else ""
        )
        return with_what_stays(request, asked)
    acted = acting(request.game.id, request.player, put_on_hold, requested, wait)
    return acted.then(lambda acted: _told(request, acted.answer, line, is_new=True).marked(Mark.LEADS | Mark.ANSWERS))


def with_what_stays(request: Request, reply: Reply) -> Reply:
    """Return a reply that asks about moves, with the moves sent ahead that stay unless its answer replaces them."""
    question = reply.question
    if question is None or not (stays := question.stays(request)):
        return reply
    return replies.with_remarks(reply, reply_from_template("stays", moves=stays, is_choice=not question.has_yes))


def _told(request: Request, held: Sequence[HeldMove], line: str = "", *, is_new: bool = False) -> Reply:
    """Return the reply that tells until when moves of one hold wait, and why if that is new, and asks about them."""
    name, notations = held[0].hold, tuple(each.notation for each in held)
    told = {
        "line": sentences.quoted(moves.shortened(line, moves.FEW)) if line else "",
        "is_wish": is_new and request.player.hold == ALWAYS,
        "number": len(notations),
        "at": time_of_day(held[0].plays_at, request.player.zone),
    }
    whole = reply_from_template("held", Mark.REFERENCE, moves=sentences.moves_quoted(notations), **told)
    public = reply_from_template("held", moves=(), **told | {"line": ""})
    return replace(replies.with_public_words(whole, public), question=HeldMoves(name, notations))


# Answers -----------------------------------------------------------------------------------------


def waiting(request: Request) -> list[HeldMoves]:
    """Return the questions about moves that wait, those of a page among them, which no mail has asked."""
    notations: dict[str, list[str]] = {}
    for each in held_moves.held_by_seat(request.game, request.seat):
        notations.setdefault(each.hold, []).append(each.notation)
    return [HeldMoves(name, tuple(those)) for name, those in notations.items()]


def asked_about(request: Request) -> HeldMoves | None:
    """Return the question about moves that wait: the one at the address of the mail, else another; None if none do."""
    here = open_at(request.token)
    waits = sorted(waiting(request), key=lambda each: not isinstance(here, HeldMoves) or each.hold != here.hold)
    return next(iter(waits), None)


def stop(request: Request, hold: str | None = None) -> Outcome:
    """Stop the moves of a hold, or all that wait, and ask which are meant."""
    acted = acting(request.game.id, request.player, stop_held, hold)
    return acted.then(lambda acted: told_as_stopped([each.notation for each in acted.answer]))


def told_as_stopped(
    notations: Sequence[str], unclear: Sequence[str] = (), *, is_understood: bool = True, is_yes_to_them: bool = True
) -> Reply:
    """Return the reply that moves are not played, which asks which are meant.

    `is_understood`: False if the server stopped the moves because it did not understand the mail, of which `unclear`
    are the lines. `is_yes_to_them`: False if the mail asks about something else, to which a YES is.
    """
    told = {"number": len(notations), "is_understood": is_understood, "is_yes_to_them": is_yes_to_them}
    whole, public = (
        reply_from_template("stopped", Mark.LEADS | Mark.ANSWERS, moves=those, read=read, **told)
        for those, read in (
            (sentences.moves_quoted(notations), quoted_as_read(unclear, moves.MOST_QUOTED)), ((), ""))
    )  # fmt: skip
    question = MakeMoves(tuple(notations))
    return replace(replies.with_public_words(whole, public), question=question)


def stopped_by_answer(
    request: Request, reply: Reply | None = None, unclear: Sequence[str] = (), *, but: Question | None = None
) -> Reply:
    """Stop the moves that wait, as a mail is unclear; return the reply that says so, or `reply` if none waits.

    What the server has not understood may have been a no, whatever it answers: the lines that are `unclear` are quoted.
    A `reply` that only lists what can be sent is left out then. Those that the mail itself holds (`but`) go on. A mail
    that anybody can have written stops nothing, and the reply says how to do that.
    """
    reply = reply or Reply()
    if request.is_authentic:
        locked(request.game.id)  # as for a mail to a reply address: nobody plays them meanwhile
    waits = [each for each in waiting(request) if each != but]
    if not waits:
        return reply
    if not request.is_proved:
        told = waits[0].asked(request)
        lead = reply_from_template("no_proof", is_waiting=True)
        return replace(told, blocks=(*lead.blocks, *told.blocks))
    for each in waits:
        act(request.game.id, request.player, stop_held, each.hold)
    is_understood = reply.question is not None or (bool(reply.title) and Mark.REFERENCE not in reply.marks)
    is_yes_to_them = but is None and isinstance(reply.question, HeldMoves | None)
    notations = [notation for each in waits for notation in each.notations]
    stopped = told_as_stopped(notations, unclear, is_understood=is_understood, is_yes_to_them=is_yes_to_them)
    if not is_understood:
        return stopped
    asked = stopped.question if is_yes_to_them else reply.question
    return replace(replies.with_remarks(reply, stopped), question=asked, marks=reply.marks | Mark.ANSWERS)


def told_by_status(request: Request) -> Reply:
    """Return the reply that tells of all moves of the player that wait."""
    held = held_moves.held_by_seat(request.game, request.seat)
    told = [
        {"notation": sentences.quoted(typed(each.notation)), "at": time_of_day(each.plays_at, request.player.zone)}
        for each in held
    ]
    whole, public = (reply_from_template("status_held", held=those, number=len(told)) for those in (told, ()))
    return replies.with_public_words(whole, public) if told else Reply()


def cancel(request: Request, command: forms.Command) -> Outcome:
    """CANCEL the moves that were sent ahead or wait, or that of one pawn; ask about those that waited."""
    pawn = command.text.lower() or None
    if pawn is not None and pawn not in request.seat.pawns:
        raise refusal("forbidden", "{pawn} is not yours.", pawn=sentences.pawn_name(pawn))
    held = [
        each.notation for each in held_moves.held_by_seat(request.game, request.seat) if pawn in (None, each.pawn)
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
