"""The conversation with a player: the commands of one mail about their seat, and the one answer to it.

The answer tells what was done or why not, or asks; a question is open until it is answered or another takes its place.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from server.language import grammar
from server.language.lexicon import folded
from server.language.matching import chosen, meant_instead, named, suggest, suggest_several
from server.language.normalise import plain, quotable
from server.language.phrases import split
from server.language.prose import has_yes, is_unwanted, may_be_held, may_not_be_meant, names_ticket, wanted_parts
from server.language.talk import Courtesy, courtesy_in, has, is_of_machine, is_small_talk, speaks_against
from server.mail.commands import (
    asking,
    handlers,
    holding,
    keeping,
    moves,
    questions,
    regret,
    sending,
    unread,
    wishing,
    yes,
)
from server.mail.commands import reply as replies
from server.mail.commands.ending import EndsGame
from server.mail.commands.holding import HeldMoves
from server.mail.commands.moves import AboutMoves, ChooseMove, MakeMoves
from server.mail.commands.reply import Mark, Question, Reply, UnclearError, reply_from_template
from server.mail.commands.request import Request
from server.mail.commands.seats import TakeSeat
from server.mail.commands.time import Vote
from server.mail.commands.unknown_senders import ConfirmSender
from server.mail.commands.unread import misunderstood, quoted_as_read
from server.mail.reading.message import Kind
from server.mail.writing import sentences
from server.vocabulary.errors import Problem
from server.vocabulary.words import typed

COURTESY = "courtesy"  # the verdict on friendly words alone
_SETTLING = frozenset({*yes.ANSWERS, "move"})  # the commands that say themselves what becomes of moves that wait


def obey(request: Request, parsed: grammar.Parsed) -> str:
    """Do what a mail about a seat asks for, or ask back; return the verdict on it."""
    if not parsed.commands and is_of_machine(request.reading.lines):
        return Kind.AUTO_REPLY
    parsed = wishing.with_block(request, parsed)
    request = replace(request, has_command=bool(parsed.commands))
    answered = yes.with_answer(request, parsed)
    if parsed.commands and not answered.commands:  # it has a yes or no, and settles nothing
        return _answer_unsettled(request, answered)
    return _obey(request, wishing.with_wish(request, wishing.with_undo(request, answered)))


def _obey(request: Request, parsed: grammar.Parsed) -> str:
    names = yes.names_of(parsed)
    request = replace(request, is_urgent=_is_urgent(request, names))
    if (regretted := regret.answer(request, parsed)) is not None:
        return sending.advise(request, regretted, "regretted")
    if request.reading.problem is not None or not parsed.commands:
        return _answer_unreadable(request)
    withdrawn = _withdraw_question(request, names)
    request = replace(request, is_urgent=request.is_urgent or bool(withdrawn))
    is_doubted = any(not is_small_talk(line, is_last=True) for line in parsed.unread)
    stopped = Reply()
    if (is_doubted and names.isdisjoint(_SETTLING)) or "stop" in names:  # a STOP may be meant for the move
        stopped = holding.stopped_by_answer(request, unclear=parsed.unread)
    try:
        request, reply = handlers.carry_out(request, parsed)
    except Problem as problem:
        refusal = unread.refusal_with_remark(replies.refused_whole(problem), parsed)
        refusal = replace(refusal, question=_still_open(request, names))
        return _turn_down(request, refusal, problem.code, stopped, *map(_withdrawal, withdrawn))
    except UnclearError as unclear:
        question = unread.question_with_remark(unclear, parsed)
        return _ask(request, replies.with_remarks(question, stopped, *map(_withdrawal, withdrawn)))
    parsed, kept = keeping.with_words_kept(request, parsed, reply)
    reply = replies.combined([stopped, reply])
    if is_doubted and not names.isdisjoint(_SETTLING):  # the mail moved one pawn; moves of another may still wait
        reply = holding.stopped_by_answer(request, reply, but=reply.question)
    remark = unread.remark_if_done(parsed, reply.texts) if reply.question else _remark_on_the_rest(request, parsed)
    reply = replies.with_remarks(replies.combined([reply, remark, kept]), *map(_withdrawal, withdrawn))
    if names == {"help"}:
        return sending.advise(request, reply, "helped")
    return sending.answer(request, reply)


def _still_open(request: Request, names: Collection[str]) -> Question | None:
    """Return the question that a YES or NO would have answered but for the rest of its mail: it is asked still."""
    question = yes.asked_at(request)
    return question if not yes.ANSWERS.isdisjoint(names) and question in yes.open_to(request) else None


def _withdraw_question(request: Request, names: Collection[str]) -> Sequence[str]:
    """Close the question whether the player ends the game if a mail has another command; return what led to it."""
    if request.token is None:
        return ()
    all_open = questions.all_open(request.game.id, request.seat)
    asked = {question: token for token, question in all_open if isinstance(question, EndsGame)}
    is_answer = not yes.ANSWERS.isdisjoint(names) and yes.asked_at(request) in (None, *asked)
    withdrawn = [
        question
        for question, token in asked.items()
        if question.command not in names and not (is_answer and token.round >= request.token.round)
    ]
    for question in withdrawn:
        questions.close(request.game.id, request.seat, question)
    return sorted({question.command for question in withdrawn})


def _withdrawal(command: str) -> Reply:
    """Return the remark on a question that is closed, in the language that the mail has set by then."""
    return reply_from_template("question_withdrawn", is_draw=command == "draw")


def _is_urgent(request: Request, names: Collection[str]) -> bool:
    """Return True if the answer waits for nothing: it is about a move, or about what the player was asked."""
    is_answer = not yes.ANSWERS.isdisjoint(names) and yes.is_any_open(request)
    return is_answer or questions.open_at(request.token) is not None or not sending.ALWAYS_ANSWERED.isdisjoint(names)


def _ask(request: Request, reply: Reply) -> str:
    """Ask a question about a mail of which nothing was done; without one of its own, the one before stays open.

    Moves that wait are stopped, and those that are sent ahead stay.
    """
    asked = holding.with_what_stays(request, holding.stopped_by_answer(request, reply))
    asked = _with_other_question(request, _with_replaced_question(request, asked))
    return sending.advise(request, asked, "asked")


def _with_other_question(request: Request, reply: Reply) -> Reply:
    """Return a reply that asks something, with what the player is also asked, by a mail that waits for an answer."""
    others = [each for each in yes.open_to(request) if each != reply.question and isinstance(each, Vote | TakeSeat)]
    if reply.question is None or not others:
        return reply
    title = others[0].words(request).title
    return replies.with_remarks(reply, reply_from_template("other_open", what=sentences.quoted(title)))


def _turn_down(request: Request, reply: Reply, verdict: str, *remarks: Reply) -> str:
    """Answer a mail of which nothing was done; moves that wait are stopped."""
    return sending.advise(request, replies.with_remarks(holding.stopped_by_answer(request, reply), *remarks), verdict)


def _with_replaced_question(request: Request, reply: Reply) -> Reply:
    """Return the reply with the remark that its question takes the place of one that was about other moves."""
    question = reply.question
    if not isinstance(question, AboutMoves):
        return reply
    before = [each for each in yes.open_to(request) if isinstance(each, AboutMoves) and each != question]
    replaced = [notation for each in before[:1] for notation in each.moves if notation not in question.moves]
    about = sentences.moves_quoted(replaced)
    return replies.with_remarks(reply, reply_from_template("question_replaced", about=about)) if about else reply


def _remark_on_the_rest(request: Request, parsed: grammar.Parsed) -> Reply:
    """Return the remark on the lines that were not understood, beside what was done.

    If they name the one move that is left to make, as "yelow taxi 46", the remark asks whether it was meant.
    """
    meant = _meant_by_the_rest(request, parsed)
    if meant is None or request.token is None:
        return unread.remark_if_done(parsed)
    told = unread.remark_if_nothing_done(replace(parsed, commands=()), (), are_moves_told=True)
    asked = replies.with_remarks(told, reply_from_template("nearly", move=sentences.quoted(typed(meant))))
    return replace(asked, question=MakeMoves((meant,)))


def _meant_by_the_rest(request: Request, parsed: grammar.Parsed) -> str | None:
    """Return the one move that the free lines name for a pawn that the moves of the mail do not move, else None."""
    is_only_moves = {command.name for command in parsed.commands} == {"move"}
    if request.token is None or questions.open_at(request.token) is not None or not (is_only_moves and parsed.free):
        return None
    left = [move for move in request.legal_moves() if move.pawn not in request.queue()]
    return suggest([line.text for line in parsed.free], left)


def _answer_unreadable(request: Request) -> str:
    """Answer a mail without a command; if its words name a legal move, or one for each pawn, ask if that was meant."""
    problem = request.reading.problem
    if problem is not None:
        return _answer_misunderstood(request, reply_from_template("unreadable", problem=problem))
    lines = yes.own_lines(request)
    question = yes.open_here(request)
    courtesy = courtesy_in(lines)
    if courtesy and (question is None or isinstance(question, HeldMoves)):
        return _answer_courtesy(request, courtesy)
    if question is not None and (courtesy or not any(map(plain, lines))):
        return _ask(request, yes.asked_again(request, question, lines))
    return _answer_words(request, lines)


def _answer_unsettled(request: Request, parsed: grammar.Parsed) -> str:
    question = yes.open_here(request)
    if question is None or isinstance(question, AboutMoves | HeldMoves):
        return _obey(request, parsed)
    return _ask(request, yes.asked_again(request, question, yes.lines_read(request, parsed)))


def _answer_words(request: Request, lines: Sequence[str]) -> str:
    """Hold the moves that words without a command may well mean, or ask what they mean, or say what can be sent."""
    if (instead := _in_place_of_held(request, lines)) is not None:
        return sending.answer(request, instead) if Mark.ANSWERS in instead.marks else _ask(request, instead)
    wanted = [line for line in lines if not is_unwanted(line)]
    meant = _chosen_by(wanted, request) or _meant_by(wanted, request)
    held = holding.asked_about(request)
    if held is not None and {*meant} <= {*held.notations} and any(map(speaks_against, lines)):
        meant = ()  # they are what it takes back
    is_of_others = any(not moves.pawns_by_name(request).keys().isdisjoint(split(folded(line))) for line in lines)
    is_other = is_of_others or any(has_yes(line) or grammar.only_looks(line) for line in lines)
    if meant and held is None and may_be_held(lines) and not is_other and len(_stations(lines)) <= len(meant):
        reply = replies.done(holding.hold(request, meant, _as_one(lines), asked=_asked_whether(request, lines, meant)))
        return sending.answer(request, reply) if Mark.ANSWERS in reply.marks else _ask(request, reply)
    try:
        asked = _question_about(request, lines, meant)
    except Problem as refusal:
        return _turn_down(request, replies.refused_whole(refusal), refusal.code)
    return _ask(request, asked) if asked else _answer_misunderstood(request, misunderstood(lines, request))


def _in_place_of_held(request: Request, lines: Sequence[str]) -> Reply | None:
    """Return the reply to a mail that takes back the one move that waits and names another, or some; else None.

    The other move waits in its place if it is named with its ticket and nothing doubts it; else the reply asks.
    """
    question = holding.asked_about(request)
    if question is None:
        return None
    wanted = [part for line in lines for part in wanted_parts(line)]
    meant = meant_instead(wanted, question.notations, request.legal_moves())
    if not meant or len(question.notations) > 1:
        return None
    if len(meant) > 1:
        return moves.which_of(meant)
    is_choice = any(has(part, "choice") for part in wanted)
    is_doubted = any(may_not_be_meant(line) or grammar.only_looks(line) for line in lines)
    if is_choice or is_doubted or not any(map(names_ticket, wanted)):
        return _asked_whether(request, lines, meant)
    return replies.done(holding.hold(request, meant, _as_one(lines)))


def _as_one(lines: Sequence[str]) -> str:
    return " ".join(map(quotable, lines))


def _stations(lines: Sequence[str]) -> set[str]:
    return {word for line in lines for word in line.split() if word.isdigit()}


def _asked_whether(request: Request, lines: Sequence[str], meant: tuple[str, ...]) -> Reply:
    double = sentences.double_example(request.legal_moves()) if len(_stations(lines)) > 1 else ""
    return MakeMoves(meant).did_you_mean(quoted_as_read(lines, moves.MOST_QUOTED), double)


def _question_about(request: Request, lines: Sequence[str], meant: tuple[str, ...]) -> Reply | None:
    """Return the question about a mail without a command; None if it names no move and nothing was asked before."""
    if meant:
        return _asked_whether(request, lines, meant)
    if request.token is not None and (several := named(lines, request.legal_moves())):
        return moves.which_of(several)
    if wished := wishing.question_about(request, lines):
        return wished
    question = yes.open_here(request)
    is_held = isinstance(question, HeldMoves)  # which such a mail stops
    return yes.asked_again(request, question, lines) if question is not None and not is_held else None


def _chosen_by(lines: Sequence[str], request: Request) -> tuple[str, ...]:
    """Return the legal move to the one station that the lines name of those that the open question is about."""
    question = questions.open_at(request.token)
    if not isinstance(question, ChooseMove):
        return ()
    return chosen(lines, question.about, list(map(str, request.legal_moves())))


def _meant_by(lines: Sequence[str], request: Request) -> tuple[str, ...]:
    """Return the legal moves that the words of no command name: one, or one for each pawn if nothing is doubted."""
    if request.token is None:
        return ()
    legal = request.legal_moves()
    if one := suggest(lines, legal):
        return (one,)
    several = suggest_several(lines, legal)
    return () if several and any(map(speaks_against, lines)) else several


def _answer_courtesy(request: Request, courtesy: Courtesy) -> str:
    reply = asking.courteous(request, courtesy)
    if reply is None:
        return COURTESY
    return sending.advise(request, _with_open_question(request, reply), COURTESY)


def _answer_misunderstood(request: Request, reply: Reply) -> str:
    """Answer a mail that was not understood: it stops moves that wait, or is told which question is open."""
    stopped = holding.stopped_by_answer(request, reply, yes.own_lines(request))
    told = _with_open_question(request, reply) if stopped is reply else stopped
    return sending.advise(request, told, "unreadable")


def _with_open_question(request: Request, reply: Reply) -> Reply:
    """Return the reply with the remark that a question is open; a YES or NO to the reply answers it.

    Of several votes none is meant.
    """
    opened = [question for question in yes.open_to(request) if not isinstance(question, ConfirmSender)]
    if not opened or (isinstance(opened[0], Vote) and len(opened) > 1 and not request.about):
        return reply
    return replace(replies.with_remarks(reply, opened[0].remark(request)), question=opened[0])
