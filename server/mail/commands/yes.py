"""YES and NO, in whatever words: they answer the question of the address that the mail came to, and elsewhere nothing.

There the player is told what is open, with the whole question. What settles nothing gets the question once more.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from server.application.game import reply_addresses
from server.language import forms, grammar
from server.language.answers import answer_in, read_answer
from server.language.forms import Trait, names_with
from server.language.normalise import plain
from server.language.prose import FreeLine, names_move
from server.language.retractions import retraction
from server.language.talk import speaks_against
from server.language.wishes import wishes
from server.mail.commands import ending, holding, moves, time
from server.mail.commands.holding import HeldMoves
from server.mail.commands.questions import all_open, open_at
from server.mail.commands.reply import Handler, Mark, Outcome, Question, Reply, UnclearError, reply_from_template
from server.mail.commands.request import Request
from server.mail.commands.seats import TakeSeat
from server.mail.commands.time import Vote
from server.mail.commands.unread import quoted_as_read
from server.mail.writing import sentences
from server.vocabulary.errors import Problem

ANSWERS = {"yes", "no"}
_ENDING = {"LEAVE", "RESIGN"}  # wishes for either are alike
_AGAINST_YES = {"cancel", "stop"}
PLAYING_ON = names_with(Trait.PLAYS_ON)


def asked_at(request: Request) -> Question | None:
    """Return the question that a YES or NO answers at the address of the mail; None if nothing is asked there."""
    if (question := open_at(request.token)) is not None:
        return question
    if request.about == ending.DRAW:
        return ending.offered_to(request)
    if request.about:
        return time.vote_named(request)
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
    draw = ending.offered_to(request)
    of_all = [*held, *others, *seat, *([draw] if draw else []), *time.open_votes(request)]
    return [question for question in dict.fromkeys(of_all) if question != here]


def open_to(request: Request) -> Sequence[Question]:
    """Return all questions that are open to the player, that of the address of the mail first."""
    here = asked_at(request)
    return [*([here] if here is not None and not here.is_over(request) else []), *open_elsewhere(request)]


def is_any_open(request: Request) -> bool:
    """Return True if a YES or NO is to something, at this address or at another."""
    return asked_at(request) is not None or bool(open_elsewhere(request))


def open_here(request: Request) -> Question | None:
    """Return the question at the address of the mail, if it is open and the player has not answered it."""
    question = asked_at(request)
    if question is None or question.is_over(request):
        return None
    return None if isinstance(question, Vote) and question not in time.open_votes(request) else question


def _is_invited(request: Request) -> bool:
    return request.game.status == "open" and request.seat.player_id is None


# Reading ----------------------------------------------------------------------------------------


def with_answer(request: Request, parsed: grammar.Parsed) -> grammar.Parsed:
    """Return a mail without other commands as the answer that it is, in its own words, to the question it is about.

    That is the one at its address, or else the first of those that are open. A mail that has a YES or NO and settles
    nothing has no command then.
    """
    question = asked_at(request) or next(iter(open_elsewhere(request)), None)
    names = names_of(parsed)
    if question is None or request.reading.problem is not None or not names <= {*ANSWERS, *question.own_commands}:
        return parsed
    lines = lines_read(request, parsed)
    answer = _read(request, question, lines)
    if answer is None:
        return replace(parsed, commands=()) if names & ANSWERS else parsed
    return replace(parsed, commands=(forms.Command(answer, " ".join(map(plain, lines))),), unread=(), free=())


def _read(request: Request, question: Question, lines: Sequence[str]) -> str | None:
    if isinstance(question, moves.AboutMoves | HeldMoves) and any(map(names_move, lines)):
        return None  # it says which move is meant
    names = moves.names_of_people(request) | {*_NUMBER.findall(_numbers_of(request, question))}
    is_plain = question.needs_plain_yes
    is_safe = is_plain or isinstance(question, moves.AboutMoves | HeldMoves)
    of_several = {} if len(question.played) > 1 else {"both": "condition"}  # two were not asked about
    answer = read_answer(lines, names, topic={**question.topic, **of_several}, is_plain=is_plain, is_safe=is_safe)
    return "yes" if answer is None and is_plain and _repeats(question, lines) else answer


def _numbers_of(request: Request, question: Question) -> str:
    """Return the text with the numbers that a question names, as that of days."""
    motion = question.motion(request) if isinstance(question, Vote) else None
    return str(motion.wish) if motion else " ".join(question.about) if not question.played else ""


_NUMBER = re.compile(r"[0-9]+")


def _repeats(question: Question, lines: Sequence[str]) -> bool:
    """Return True for a yes and the wish for what a question is about, in other words: "Yes, I give up"."""
    first, comma, rest = " ".join(map(plain, lines)).partition(",")
    wish = next(iter(wishes([rest])), None) if comma and answer_in(first) == "yes" else None
    wished = {name.upper() for name in question.own_commands} | {*question.about}
    wished |= _ENDING if wished & _ENDING else set()
    is_one = wish is not None and wish.is_sure and wish.line in wished
    return is_one and "?" not in rest and not speaks_against(rest)


def lines_read(request: Request, parsed: grammar.Parsed) -> list[str]:
    """Return the player's own lines, below the subject if that may speak against them."""
    return [*_of_subject(parsed), *own_lines(request)]


def _of_subject(parsed: grammar.Parsed) -> list[str]:
    """Return the subject of a mail, if it may speak against the text."""
    subject = [line.text for line in parsed.free if line.is_subject]
    is_answer = parsed.subject is not None and parsed.subject.name in ANSWERS
    return [*subject, *([parsed.subject.line] if parsed.subject and is_answer and not subject else [])]


def own_lines(request: Request) -> list[str]:
    """Return the player's own lines, without those wrapped off a quote, and without links of ours."""
    lines = grammar.own_words(request.reading.lines, request.reading.subject)
    own = [line for line in lines if line not in request.reading.wrapped_off]
    return [line for line in own if "mailto:" not in line and "://" not in line]


def asked_again(request: Request, question: Question, lines: Sequence[str]) -> Reply:
    """Return the reply to a mail that settles nothing: the question once more, and from then on the words to write."""
    asked = [token for token, other in all_open(request.game.id, request.seat) if other == question]
    is_of_mail = isinstance(question, Vote | ending.AgreeToOffer)  # which a mail has asked that is no answer
    is_again = len(asked) + is_of_mail > 1 or not question.is_kept
    remark = reply_from_template(
        "not_settled", read=quoted_as_read(lines), is_again=is_again, is_choice=not question.has_yes
    )
    again = question.asked(request)
    # The question stands first, and no situation of the game behind it.
    return replace(again, blocks=(*again.blocks, *remark.blocks), marks=again.marks | Mark.REFERENCE)


def check_meant(request: Request, parsed: grammar.Parsed) -> None:
    """Refuse a mail whose other lines speak against its own answer; what the answer is about stays open.

    Raises:
        UnclearError: the player is asked once more.
    """
    given = next((command for command in parsed.commands if command.name in ANSWERS), None)
    question = asked_at(request)
    if given is None:
        if found := retraction(parsed):
            raise UnclearError(replace(_unclear(*found), question=question))
        return
    others = [plain(command.line) for command in parsed.commands if command.name not in ANSWERS]
    if question is None or (len(parsed.commands) == 1 and not parsed.free):
        return  # there is nothing to answer, or the whole mail has been read
    lines = [*_of_subject(parsed), *(line for line in own_lines(request) if plain(line) not in others)]
    against = _AGAINST_YES | (PLAYING_ON if isinstance(question, ending.EndsGame) else set())
    is_against = given.name == "yes" and not against.isdisjoint(names_of(parsed))
    if is_against or _read(request, question, lines) != given.name:
        raise UnclearError(asked_again(request, question, lines))


def names_of(parsed: grammar.Parsed) -> set[str]:
    """Return the names of the commands of a mail."""
    return {command.name for command in parsed.commands}


def _unclear(answer: str, line: FreeLine) -> Reply:
    """Return the question whether a command is meant, with the line that speaks against it."""
    quoted = {"answer": sentences.quoted(answer), "line": sentences.quoted(moves.shortened(line.text))}
    return reply_from_template("which_answer", **quoted, is_above=line.is_above, is_subject=line.is_subject)


# Answering ---------------------------------------------------------------------------------------


def told_what_is_open(request: Request, command: forms.Command) -> Outcome:
    """Return the reply to an answer at an address where nothing is asked: the question that is open, asked once more.

    A NO there stops a move that waits.

    Raises:
        Problem: `form`, when nothing is open, or several votes and nothing else.
    """
    elsewhere = open_elsewhere(request)
    if not elsewhere:
        raise Problem("form", time.why_unanswered(request, command.name), is_public=True)
    first, *others = elsewhere
    if command.name == "no" and any(isinstance(each, HeldMoves) for each in elsewhere):
        return holding.stop(request)  # they would be played before they had answered once more
    if isinstance(first, Vote) and others:
        raise Problem("form", time.several_votes(request), is_public=True)
    asked = first.asked(request)
    lead = reply_from_template("asked_elsewhere", word=forms.word_of(command.name))
    return replace(asked, blocks=(*asked.blocks, *lead.blocks))


def answer_question(request: Request, command: forms.Command) -> Outcome:
    """YES or NO: do what the question is about that was asked at the address of the mail, or drop it."""
    question = asked_at(request)
    if question is None:
        return told_what_is_open(request, command)
    if command.name == "no":
        return question.no(request)
    return question.yes(request)


HANDLERS: dict[str, Handler] = {"yes": answer_question, "no": answer_question}
