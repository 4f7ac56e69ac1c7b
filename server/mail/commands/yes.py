"""YES and NO: they answer the question of the address that the mail came to, and at another address nothing.

There the player is told what is open, with the whole question.
"""

from collections.abc import Sequence
from dataclasses import replace

from server.application.game import reply_addresses
from server.language import forms, grammar
from server.language.answers import (
    answer_of,
    begins_with_answer,
    begins_with_yes,
    is_plain_yes,
    is_to_both,
    is_to_several,
)
from server.language.forms import Trait, names_with
from server.language.retractions import Retraction, retraction
from server.language.talk import has
from server.mail.commands import holding, moves, time
from server.mail.commands.ending import EndsGame
from server.mail.commands.holding import HeldMoves
from server.mail.commands.questions import all_open, open_at
from server.mail.commands.reply import Handler, Outcome, Question, Reply, UnclearError, reply_from_template
from server.mail.commands.request import Request
from server.mail.commands.seats import TakeSeat
from server.mail.commands.time import Vote
from server.mail.commands.unread import quoted_as_read
from server.mail.writing import sentences
from server.vocabulary.errors import Problem

ONE_MOVE = "Your answer is to several moves, and the question is about {}. Send the moves themselves, a line for each."
NOT_ASKED = (
    "Your answer is to several things, and no question is open. Send what you want itself, or HELP to read what you "
    "can send."
)
NOT_ASKED_SUCH = 'Your answer is to several things, and no question is open. Send what you want itself, such as "{}".'
ONE_THING = "Your answer is to several things, and you were asked about one."


def asked_at(request: Request) -> Question | None:
    """Return the question that a YES or NO answers at the address of the mail; None if nothing is asked there."""
    if (question := open_at(request.token)) is not None:
        return question
    if request.about:
        return time.vote_named(request.about)
    return TakeSeat() if _is_invited(request) else None


def open_elsewhere(request: Request) -> Sequence[Question]:
    """Return the questions to the player that are open at other addresses: the newest first, and votes last."""
    here, round_now = asked_at(request), reply_addresses.round_of(request.game)
    asked = [
        question
        for token, question in reversed(all_open(request.game.id, request.seat))
        if token.round == round_now and not isinstance(question, HeldMoves)
    ]
    seat = [TakeSeat()] if _is_invited(request) else []
    held = [each for each in holding.waiting(request) if not isinstance(here, HeldMoves) or each.hold != here.hold]
    others = (question for question in asked if not isinstance(question, Vote))
    of_all = [*held, *others, *seat, *time.open_votes(request)]
    return [question for question in dict.fromkeys(of_all) if question != here]


def open_to(request: Request) -> Sequence[Question]:
    """Return all questions that are open to the player, that of the address of the mail first."""
    here = asked_at(request)
    return [*([here] if here is not None and not here.is_over(request) else []), *open_elsewhere(request)]


def is_any_open(request: Request) -> bool:
    """Return True if a YES or NO is to something, at this address or at another."""
    return asked_at(request) is not None or bool(open_elsewhere(request))


def _is_invited(request: Request) -> bool:
    return request.game.status == "open" and request.seat.player_id is None


def with_answer(request: Request, parsed: grammar.Parsed) -> grammar.Parsed:
    """Return a mail without a command with the answer that it is to the question at its address, if it is one.

    "Exactly" and "wrong" answer a question whether a move is meant; any other takes the word, and friendly ones.
    """
    question = asked_at(request)
    ending = [question.command] if isinstance(question, EndsGame) else None
    if [command.name for command in parsed.commands] == ending and begins_with_yes(parsed.commands[0].line):
        return replace(parsed, commands=(forms.Command("yes", "yes"),))  # "Yes, I resign"
    if parsed.commands or question is None:
        return parsed
    lines = own_lines(request)
    is_meant = question.is_whether_meant and not question.needs_plain_yes
    answer = answer_of(lines, moves.names_of_people(request), is_asked=is_meant)
    if answer is None:
        return parsed
    return replace(parsed, commands=(forms.Command(answer, " ".join(lines) if is_meant else answer),), unread=())


def own_lines(request: Request) -> list[str]:
    """Return the player's own lines, without those wrapped off a quote."""
    lines = grammar.own_words(request.reading.lines, request.reading.subject)
    return [line for line in lines if line not in request.reading.wrapped_off]


def is_answer_unclear(request: Request) -> bool:
    """Return True if a mail begins with a yes or a no to the question at its address whether the player ends the game.

    For a mail that is no answer as a whole.
    """
    return isinstance(open_at(request.token), EndsGame) and begins_with_answer(own_lines(request))


def asked_again(request: Request, question: Question, lines: Sequence[str]) -> Reply:
    """Return the reply to a mail that settles nothing: the question once more, and from then on the words to write."""
    asked = [token for token, other in all_open(request.game.id, request.seat) if other == question]
    lead = reply_from_template(
        "not_settled", read=quoted_as_read(lines), is_again=len(asked) > 1, is_choice=not question.has_yes
    )
    again = question.asked(request)
    return replace(again, blocks=(*lead.blocks, *again.blocks))


def told_what_is_open(request: Request, command: forms.Command) -> Outcome:
    """Return the reply to an answer at an address where nothing is asked: the question that is open, asked once more.

    A NO there stops a move that waits.

    Raises:
        Problem: `form`, when nothing is open, or several votes and nothing else.
    """
    elsewhere = open_elsewhere(request)
    if not elsewhere:
        if is_to_several(command.line):
            raise Problem("form", _not_asked(request))
        raise Problem("form", time.why_unanswered(request, command.name.upper()), is_public=True)
    first, *others = elsewhere
    if command.name == "no" and any(isinstance(each, HeldMoves) for each in elsewhere):
        return holding.stop(request)  # they would be played before they had answered once more
    if isinstance(first, Vote) and others:
        raise Problem("form", time.several_votes(request), is_public=True)
    asked = first.asked(request)
    lead = reply_from_template("asked_elsewhere", word=command.name.upper())
    return replace(asked, blocks=(*lead.blocks, *asked.blocks))


def _not_asked(request: Request) -> str:
    moves_to_send = request.legal_moves()
    return NOT_ASKED_SUCH.format(moves.example_of(moves_to_send[0])) if moves_to_send else NOT_ASKED


def check_several(question: Question, line: str) -> None:
    """Refuse a yes to several things, as `line` has it, where the question is not about as many moves."""
    if not is_to_several(line) or not question.has_yes:
        return
    about = question.played
    if not about:
        raise Problem("form", ONE_THING, is_public=True)
    if len(about) == 1 or (is_to_both(line) and len(about) != 2):
        raise Problem("form", ONE_MOVE.format(sentences.join(list(map(sentences.quoted, about)))))


def check_meant(request: Request, parsed: grammar.Parsed) -> None:
    """Refuse a mail that speaks against its own answer; what the answer is about stays open.

    Raises:
        UnclearError: the player is to be asked whether they mean the answer.
    """
    question = asked_at(request)
    if question is None and not names_of(parsed).isdisjoint(ANSWERS):
        return  # there is nothing to answer
    given = next((command for command in parsed.commands if command.name == "yes"), None)
    if question is not None and question.needs_plain_yes and given is not None and not is_plain_yes(given.line):
        raise UnclearError(asked_again(request, question, [given.line]))
    played = question.played if question is not None else ()
    legal = moves.legal_beside(request, played) if open_at(request.token) is not None else ()
    found = retraction(parsed, played, legal)
    if given is not None and isinstance(question, EndsGame):
        found = _playing_on(given, parsed) or found or _hedging(given, parsed)
    if found:
        raise UnclearError(replace(unclear_answer(found), question=question))


ANSWERS = {"yes", "no"}


def names_of(parsed: grammar.Parsed) -> set[str]:
    """Return the names of the commands of a mail."""
    return {command.name for command in parsed.commands}


def _playing_on(given: forms.Command, parsed: grammar.Parsed) -> Retraction | None:
    """Return the objection to a YES that would end the game: a command by which the player plays on."""
    other = next((command for command in parsed.commands if command.name in PLAYING_ON), None)
    return Retraction(given.line, other.line) if other else None


def _hedging(given: forms.Command, parsed: grammar.Parsed) -> Retraction | None:
    """Return the objection to a YES that would end the game: words with a "but" in them."""
    line = next((line for line in parsed.free if has(line.text, "but")), None)
    return Retraction(given.line, line.text, line.is_above, line.is_subject) if line else None


PLAYING_ON = names_with(Trait.PLAYS_ON)


def unclear_answer(found: Retraction) -> Reply:
    """Return the question whether an answer is meant, with the line that speaks against it."""
    quoted = {"answer": sentences.quoted(found.answer), "line": sentences.quoted(moves.shortened(found.against))}
    return reply_from_template("which_answer", **quoted, is_above=found.is_above, is_subject=found.is_subject)


def answer_question(request: Request, command: forms.Command) -> Outcome:
    """YES or NO: do what the question is about that was asked at the address of the mail, or drop it."""
    question = asked_at(request)
    if question is None:
        return told_what_is_open(request, command)
    if command.name == "no":
        return question.no(request)
    check_several(question, command.line)
    return question.yes(request)


HANDLERS: dict[str, Handler] = {"yes": answer_question, "no": answer_question}
