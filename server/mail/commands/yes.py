"""The meaning of a YES or NO by mail: an answer to the open question, to an invitation, or to a motion about time."""

from dataclasses import replace

from server.application.errors import Problem
from server.application.game import reply_addresses
from server.application.lobby import lobby
from server.application.play import resignation
from server.mail.commands import joining, moves, time, unknown_senders
from server.mail.commands.questions import (
    AgreeToDraw,
    Answered,
    ChooseMove,
    ConfirmSender,
    GoPublic,
    MakeMoves,
    Question,
    Resign,
    UnclearError,
    ask,
    open_at,
    open_elsewhere,
    withdrawn_at,
)
from server.mail.commands.reply import Reply, Says, example_of, reply_from_template
from server.mail.commands.reply_address import own_mail_ids
from server.mail.commands.request import Place, Request
from server.mail.language import grammar
from server.mail.language.answers import is_to_both, is_to_several
from server.mail.language.forms import Trait, names_with
from server.mail.language.retractions import Retraction, retraction
from server.mail.writing import sentences
from server.models import Outgoing, ReplyToken, session

ONE_MOVE = "Your answer is to several moves, and the question is about {}. Send the moves themselves, a line for each."
NOT_ASKED = "Your answer is to several things, and no question is open. Send what you want itself, {}."
OLD_ROUND = (
    "The mail that you answered is of an earlier round, and the question that is open was asked in this one. Send {} "
    "as an answer to the newest mail."
)
ONE_THING = "Your answer is to several things, and you were asked about one."
WHICH = "YES does not tell which you mean: {}, or {}. Reply with the move itself."


def answer_yes(request: Request, line: str, carry_out: unknown_senders.CarryOut) -> Reply:
    """Do what the open question is about, or accept the seat that is kept for the player, or vote for the motion.

    `line` is the answer as it was written. `carry_out` does the commands of a mail that the player confirms they wrote.
    """
    if is_to_several(line):
        _check_several(request, is_two=is_to_both(line))
    if (unclear := _ask_which_question(request, "YES")) is not None:
        return unclear
    if asks_again(request):
        assert isinstance(request.question, Resign | AgreeToDraw)
        return moves.ask_about_end(request, request.question, is_again=True)
    if request.question is not None:
        return _confirm(request, request.question, carry_out)
    if not is_invited(request):
        return _vote(request, is_for=True)
    joined = lobby.join(request.game.id, request.player, seat=request.seat.number)
    return joining.taken(Place.of(joined, request.player))


def asks_again(request: Request) -> bool:
    """Return True if a YES in the mail would end the game, but answers a mail that did not ask that."""
    return isinstance(request.question, Resign | AgreeToDraw) and _answers_other_mail(request)


def _answers_other_mail(request: Request) -> bool:
    """Return True if the mail answers one of ours that cannot have asked the question, such as talk or a turn mail.

    Several mails have one reply address. Another player may write "Shall we pause?" while the question is open.
    """
    answered = own_mail_ids(request.reading.in_reply_to or "")
    row = session.get(Outgoing, answered[0]) if answered else None
    return row is not None and row.player_id == request.player.id and row.kind not in ("answer", "advice")


def _check_several(request: Request, *, is_two: bool) -> None:
    """Refuse a yes to several things where the question is not about as many moves, or where there is none."""
    question = request.question
    if question is None and not is_asked(request):
        _check_round(request, is_for=True)
        moves_to_send = request.legal_moves()
        how = f'such as "{example_of(moves_to_send[0])}"' if moves_to_send else "or HELP to read what you can send"
        raise Problem("form", NOT_ASKED.format(how))
    if isinstance(question, ChooseMove):
        return  # no YES answers that
    if not isinstance(question, MakeMoves):
        raise Problem("form", ONE_THING)
    if len(question.notations) == 1 or (is_two and len(question.notations) != 2):
        raise Problem("form", ONE_MOVE.format(sentences.join([sentences.quoted(move) for move in question.notations])))


def _vote(request: Request, *, is_for: bool) -> Reply:
    """Vote on the motion that the answer is about; one to a mail of an earlier round may be meant for a question."""
    if not is_asked(request):
        _check_round(request, is_for=is_for)
    return time.answer_vote(request, is_for=is_for)


def _check_round(request: Request, *, is_for: bool) -> None:
    """Refuse an answer to a mail of an earlier round while a question of this round is open."""
    if not request.is_stale or has_own_question(request):
        return
    printed = reply_addresses.token_of(request.game, request.seat, reply_addresses.round_of(request.game))
    if open_at(reply_addresses.find(printed.written)) is not None:
        raise Problem("stale-turn", OLD_ROUND.format("YES" if is_for else "NO"))


def check_meant(request: Request, parsed: grammar.Parsed) -> None:
    """Refuse a mail that speaks against its own answer; what the answer is about stays open.

    Raises:
        UnclearError: the player is to be asked whether they mean the answer.
    """
    names = {command.name for command in parsed.commands}
    if not names.isdisjoint({"yes", "no"}) and request.question is None and not is_asked(request):
        return  # there is nothing to answer
    played = request.question.notations if isinstance(request.question, MakeMoves) else ()
    legal = moves.legal_beside(request, played) if request.question is not None else ()
    if found := _playing_on(request, parsed) or retraction(parsed, played, legal):
        reply = unclear_answer(found)
        raise UnclearError(reply.title, reply.paragraphs)


def _playing_on(request: Request, parsed: grammar.Parsed) -> Retraction | None:
    """Return the objection to a YES that would end the game: a command by which the player plays on."""
    yes = next((command for command in parsed.commands if command.name == "yes"), None)
    other = next((command for command in parsed.commands if command.name in _PLAYING_ON), None)
    if yes is None or other is None or not isinstance(request.question, Resign | AgreeToDraw):
        return None
    return Retraction(yes.line, other.line)


_PLAYING_ON = names_with(Trait.PLAYS_ON)


def unclear_answer(found: Retraction) -> Reply:
    """Return the question whether an answer is meant, with the line that speaks against it."""
    quoted = {"answer": sentences.quoted(found.answer), "line": sentences.quoted(moves.shortened(found.against))}
    return reply_from_template("which_answer", **quoted, is_above=found.is_above, is_subject=found.is_subject)


def _confirm(request: Request, question: Question, carry_out: unknown_senders.CarryOut) -> Reply:
    """Do what the open question is about."""
    match question:
        case Resign():
            left = resignation.resign(request.game.id, request.player)
            # The mail about the end tells all; a player who has left the seat to a bot gets no other.
            is_told = left.status == "over" and left.seat_held_by(request.player.id) is not None
            reply = reply_from_template("resigned", Says.NO_BOARD)
            return replace(reply, leads=True, question=Answered(), is_in_turn_mail=is_told)
        case AgreeToDraw():
            return moves.offer_draw(request)
        case ConfirmSender(inbox_id):
            return unknown_senders.confirm(request, inbox_id, carry_out)
        case GoPublic():
            return joining.go_public(request, question)
        case ChooseMove(notations, against):
            moves_read = sentences.join([sentences.quoted(notation) for notation in notations])
            raise Problem("form", WHICH.format(moves_read, sentences.quoted(against)))
        case MakeMoves(notations):
            read = [grammar.parse_line(notation) for notation in notations]
            words = [command.move for command in read if command and command.move]
            return moves.make(request, moves.understood(request, words), is_confirmed=True)


def answer_no(request: Request) -> Reply:
    """Drop the open question, or decline the seat that is kept for the player, or vote against the motion."""
    if (unclear := _ask_which_question(request, "NO")) is not None:
        return unclear
    if request.question is not None:
        return replace(reply_from_template("no", Says.NO_BOARD), question=Answered())
    if not is_invited(request):
        return _vote(request, is_for=False)
    lobby.leave(request.game.id, request.player, request.seat.number)
    return replace(reply_from_template("declined"), leads=True)


def _ask_which_question(request: Request, word: str) -> Reply | None:
    """Ask whether a YES or NO is meant for a vote or for another question; return None if there is no such doubt.

    The other question is closed, so the next answer counts for the vote.
    """
    other = _question_other_than_vote(request) if time.is_vote_open(request) else None
    if other is None:
        return None
    token, question = other
    match question:
        case Resign():
            asked, again = "whether you give the game up", '"RESIGN"'
        case AgreeToDraw():
            asked, again = "whether you agree to a draw", '"DRAW"'
        case MakeMoves(notations) | ChooseMove(notations):
            quoted = sentences.join([sentences.quoted(move) for move in notations])
            asked, again = f"about {quoted}", quoted if len(notations) == 1 else "the moves, a line for each,"
        case _:
            return None
    ask(token, Answered())
    return reply_from_template("two_questions", question=asked, again=again, word=word)


def _question_other_than_vote(request: Request) -> tuple[ReplyToken, Question] | None:
    """Return the question that a YES or NO may be meant for instead of a vote, with the reply address of that question.

    At the address of a vote, that is a question asked in answer to the mail about the vote. At the address of the
    round an open question goes before votes, so there is no doubt; without one, it is a question that was withdrawn
    there, or one that is open at another address.
    """
    token = request.token
    if token is None or (request.question is not None and not has_own_question(request)):
        return None
    here = request.question or withdrawn_at(token)
    if here is not None:
        return token, here
    return None if has_own_question(request) else open_elsewhere(token, request.seat)


def is_invited(request: Request) -> bool:
    """Return True if YES and NO are about the seat, and not about a question that has an address of its own."""
    return request.game.status == "open" and request.seat.player_id is None and not request.about


def is_asked(request: Request) -> bool:
    """Return True if a YES or NO has something to answer beside a question that is open: a seat, or a vote."""
    return is_invited(request) or time.is_vote_open(request)


def has_own_question(request: Request) -> bool:
    """Return True if the mail came to an address that belongs to one question and to nothing else."""
    return bool(request.about)
