"""The conversation with a player: the commands of one mail about their seat, and the one answer to it.

The answer tells what was done or why not, or asks; a question is open until it is answered or another takes its place.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from server.application.errors import Problem
from server.mail.commands import handlers, questions, sending, time, unread, yes
from server.mail.commands import reply as replies
from server.mail.commands.misunderstood import misunderstood, quoted_as_read
from server.mail.commands.questions import MakeMoves, Question, UnclearError
from server.mail.commands.reply import Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.language import grammar
from server.mail.language.courtesies import Courtesy, courtesy_in
from server.mail.language.matching import chosen, suggest, suggest_several
from server.mail.language.prose import is_unwanted, speaks_against
from server.mail.language.retractions import retraction
from server.mail.writing import sentences
from server.models import ReplyToken

COURTESY = "courtesy"  # the verdict on friendly words alone
_ANSWERS = {"yes", "no"}
_ABOUT_MOVES = (questions.ChooseMove, MakeMoves)
_ENDING = {questions.Resign: "resign", questions.AgreeToDraw: "draw"}  # the questions whether the player ends the game


def obey(request: Request, parsed: grammar.Parsed) -> str:
    """Do what a mail about a seat asks for, or ask back; return the verdict on it."""
    names = {command.name for command in parsed.commands}
    request = replace(request, is_urgent=_is_urgent(request, names))
    if request.reading.problem is not None or not parsed.commands:
        return _answer_unreadable(request, parsed)
    withdrawn = _withdraw_question(request, names)
    request = replace(request, is_urgent=request.is_urgent or bool(withdrawn))
    try:
        request, reply = handlers.carry_out(request, parsed)
    except Problem as problem:
        refusal = unread.refusal_with_remark(replies.refused_whole(problem), parsed)
        return sending.advise(request, replies.with_remarks(refusal, withdrawn), problem.code)
    except UnclearError as unclear:
        asked = unread.question_with_remark(unclear, parsed)
        return _ask(request, replies.with_remarks(asked, withdrawn), unclear.question)
    reply = replies.with_remarks(replies.combined([reply, _remark_on_the_rest(request, parsed)]), withdrawn)
    # A question is sent at once, or a YES could answer it before it was read.
    request = replace(request, is_urgent=request.is_urgent or questions.open_at(request.token) is not None)
    if names == {"help"}:
        return sending.advise(request, reply, "helped")
    return sending.answer(request, reply)


def _withdraw_question(request: Request, names: Collection[str]) -> tuple[str, ...]:
    """Close the question whether the player ends the game if a mail does not answer it; return the remark on that.

    It was asked at the address of a round, this or an earlier one, so a later YES may be meant for another mail, and
    nobody can take the end of a game back. The mark `Withdrawn` stays, so that such a YES does not count for an open
    vote either.
    """
    if request.token is None:
        return ()
    still_open = questions.all_open(request.game.id, request.seat)
    about_end = [(token, _ENDING[type(question)]) for token, question in still_open if type(question) in _ENDING]
    if not _ANSWERS.isdisjoint(names):  # to what was asked at the same address, or perhaps at another of this round
        about_end = [(token, command) for token, command in about_end if _is_elsewhere(request, token)]
    withdrawn = [(token, command) for token, command in about_end if command not in names]
    for token, command in withdrawn:
        questions.ask(token, questions.Withdrawn(command))
    commands = sorted({command for _, command in withdrawn})
    remarks = (reply_from_template("question_withdrawn", is_draw=command == "draw") for command in commands)
    return tuple(paragraph for remark in remarks for paragraph in remark.paragraphs)


def _is_elsewhere(request: Request, token: ReplyToken) -> bool:
    """Return True if a YES or NO in this mail cannot be meant for a question at another reply address, `token`."""
    is_of_earlier_round = request.token is not None and token.round < request.token.round
    return is_of_earlier_round or (token is not request.token and yes.has_own_question(request))


def _is_urgent(request: Request, names: Collection[str]) -> bool:
    """Return True if the answer waits for nothing: it is about a move, or about what the player was asked."""
    is_answer = not _ANSWERS.isdisjoint(names) and yes.is_asked(request)
    return is_answer or questions.open_at(request.token) is not None or not sending.ALWAYS_ANSWERED.isdisjoint(names)


def _ask(request: Request, reply: Reply, question: Question | None) -> str:
    """Ask a question about a mail of which nothing was done; it is open only if the player was asked.

    Without a `question` to keep, the one before stays open.
    """
    at_once = replace(request, is_urgent=request.is_urgent or question is not None)
    verdict = sending.advise(at_once, _with_replaced_question(request, reply, question), "asked")
    if verdict == "asked" and request.token is not None and question is not None:
        questions.ask(request.token, question)
    return verdict


def _with_replaced_question(request: Request, reply: Reply, question: Question | None) -> Reply:
    """Return the reply with the remark that `question` takes the place of one that was about other moves."""
    before = questions.open_at(request.token)
    if not isinstance(question, _ABOUT_MOVES) or not isinstance(before, _ABOUT_MOVES):
        return reply
    about = [sentences.quoted(notation) for notation in before.notations if notation not in question.notations]
    return replies.with_remarks(
        reply, reply_from_template("question_replaced", about=about).paragraphs if about else ()
    )


def _remark_on_the_rest(request: Request, parsed: grammar.Parsed) -> Reply:
    """Return the remark on the lines that were not understood, beside what was done.

    If they name the one move that is left to make, as "yelow taxi 46", the remark asks whether it was meant.
    """
    meant = _meant_by_the_rest(request, parsed)
    if meant is None or request.token is None:
        return unread.remark_if_done(parsed)
    questions.ask(request.token, MakeMoves((meant,)))
    told = unread.remark_if_nothing_done(replace(parsed, commands=()), (), are_moves_told=True)
    asked = reply_from_template("nearly", move=sentences.quoted(meant)).paragraphs
    return Reply(remarks=(*told.remarks, *asked))


def _meant_by_the_rest(request: Request, parsed: grammar.Parsed) -> str | None:
    """Return the one move that the free lines name for a pawn that the moves of the mail do not move, else None."""
    token = request.token
    if (
        token is None
        or questions.open_at(token) is not None
        or {"move"} != {command.name for command in parsed.commands}
    ):
        return None
    if not parsed.free:
        return None
    left = [move for move in request.legal_moves() if move.pawn not in request.queue()]
    return suggest([line.text for line in parsed.free], left)


def _answer_unreadable(request: Request, parsed: grammar.Parsed) -> str:
    """Answer a mail without a command; if its words name a legal move, or one for each pawn, ask if that was meant."""
    problem = request.reading.problem
    if problem is not None:
        said = _with_open_question(request, reply_from_template("unreadable", problem=problem))
        return sending.advise(request, said, "unreadable", problem)
    lines = grammar.own_words(request.reading.lines, request.reading.subject)
    if courtesy := courtesy_in(lines):
        return _answer_courtesy(request, courtesy)
    if (unclear := _hedged_answer(request, parsed)) is not None:
        return _ask(request, unclear, None)
    withdrawn = _withdraw_question(request, ())
    request = replace(request, is_urgent=request.is_urgent or bool(withdrawn))
    wanted = [line for line in lines if not is_unwanted(line)]
    meant = _chosen_by(wanted, request) or _meant_by(wanted, request)
    if not meant:
        said = replies.with_remarks(_with_open_question(request, misunderstood(lines, request)), withdrawn)
        return sending.advise(request, said, "unreadable", " ".join(lines))
    asked = reply_from_template("did_you_mean", moves=list(map(sentences.quoted, meant)), read=quoted_as_read(lines))
    return _ask(request, replies.with_remarks(asked, withdrawn), MakeMoves(meant))


def _chosen_by(lines: Sequence[str], request: Request) -> tuple[str, ...]:
    """Return the legal move to the one station that the lines name of those that the open question is about."""
    question = questions.open_at(request.token)
    if not isinstance(question, questions.ChooseMove):
        return ()
    return chosen(lines, [*question.notations, question.against], list(map(str, request.legal_moves())))


def _meant_by(lines: Sequence[str], request: Request) -> tuple[str, ...]:
    """Return the legal moves that the words of no command name: one, or one for each pawn if nothing is doubted."""
    if request.token is None:
        return ()
    legal = request.legal_moves()
    if one := suggest(lines, legal):
        return (one,)
    several = suggest_several(lines, legal)
    return () if several and any(map(speaks_against, lines)) else several


def _hedged_answer(request: Request, parsed: grammar.Parsed) -> Reply | None:
    """Return the question whether "YES but not sure" is a yes; None without such a line, or with nothing to answer."""
    if questions.open_at(request.token) is None and not yes.is_asked(request):
        return None
    found = retraction(parsed)
    return yes.unclear_answer(found) if found else None


def _answer_courtesy(request: Request, courtesy: Courtesy) -> str:
    question = questions.open_at(request.token)
    reply = replies.courteous(replace(request, question=question), courtesy)
    if reply is None:
        return COURTESY
    words = " ".join(request.reading.lines)
    return sending.advise(request, _with_open_question(request, reply), COURTESY, words)


def _with_open_question(request: Request, reply: Reply) -> Reply:
    """Return the reply with the remark that a question, an invitation or a vote is open, if YES or NO answers one."""
    question = questions.open_at(request.token)
    if question is None:
        return replace(reply, remarks=(*reply.remarks, *_asked_beside_questions(request).paragraphs))
    is_choice = isinstance(question, questions.ChooseMove)
    about = [*question.notations] if isinstance(question, _ABOUT_MOVES) else []
    about += [question.against] if isinstance(question, questions.ChooseMove) else []
    remark = reply_from_template("question_open", is_choice=is_choice, about=list(map(sentences.quoted, about)))
    return replace(reply, remarks=remark.paragraphs)


def _asked_beside_questions(request: Request) -> Reply:
    """Return the remark that YES or NO answers an invitation or a vote; without paragraphs if there is none."""
    is_invited, vote = yes.is_invited(request), time.vote_to_answer(request)
    return reply_from_template("still_asked", is_invited=is_invited, vote=vote) if is_invited or vote else Reply()
