"""The handlers of commands: what each line of a mail does, and in which order the lines of one mail are done."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

from server.application.game import reply_addresses
from server.application.game.situations import acting
from server.application.lobby import hosting, seats, starting
from server.application.people.accounts import addresses as emails
from server.application.play import talk
from server.house_rules import draws
from server.house_rules.resignation import give_up
from server.house_rules.standing import Sight
from server.house_rules.votes import CLOSED
from server.language import forms, grammar
from server.language.forms import Trait
from server.language.prose import FreeLine
from server.mail.commands import (
    asking,
    holding,
    joining,
    moves,
    papers,
    questions,
    settings,
    time,
    unread,
    yes,
)
from server.mail.commands import reply as replies
from server.mail.commands.questions import (
    ABOUT_MOVES,
    AgreeToDraw,
    ChooseMove,
    ConfirmSender,
    DoCommand,
    GoPublic,
    HeldMoves,
    MakeMoves,
    Question,
    Resign,
    TakeSeat,
    Vote,
)
from server.mail.commands.reply import Handler, Outcome, Reply, Says, UnclearError, reply_from_template
from server.mail.commands.request import Place, Request, parse
from server.mail.examination.supervisor import ReadingFailed, TooCostly, examiner
from server.mail.reading.quoting import MARKER
from server.mail.writing import context, sentences
from server.models import Incoming, session
from server.vocabulary.errors import Problem
from server.vocabulary.preferences import ALWAYS
from server.wording.seats import seat_label

NO_PIN = (
    "Your mail has a line with a PIN, and this server has none: what keeps others from moving for you is the reply "
    "address alone. Send the mail again without that line."
)
SEAT_GIVEN_UP = "You have just given up your seat in this game."
MOVE_AND_ANSWER = (
    "Your mail answers a question that is open and makes a move as well, so it is not clear which move you mean. Send "
    "the answer and the move in two mails."
)
TWO_QUESTIONS = "You would be asked two things, and one YES cannot answer both. Send them in two mails."
TWO_GAMES = (
    "Your mail leads to more than one other game, and the answer can be about one. Send each NEW, JOIN, PLAY or "
    "REMATCH in a mail of its own."
)
ASKED_ELSEWHERE = (
    "{} has to be answered in a mail about this game, and your mail leads to another. Send the line that leads there "
    "in a mail of its own."
)
NOT_KEPT = "The mail in question is not kept any more, so nothing was done; send it again."
NOT_READ = "The mail in question cannot be read, so nothing was done; send it again, with less in it."
WHICH = "YES does not tell which you mean: {}, or {}. Reply with the move itself."
ASK_THERE = "Send {} in an answer to a mail about that game."


def carry_out(request: Request, parsed: grammar.Parsed) -> tuple[Request, Reply]:
    """Do what a mail asks for, in three steps; return the request as it is about now, and the reply to all commands.

    1. Check every line against public facts: what is refused here refuses the whole mail.
    2. Make the moves, which nothing takes back.
    3. Do the rest. What is refused now, as the game is another by then, is reported and undoes nothing.

    Raises:
        Problem: nothing was done.
        UnclearError: nothing was done, and the player is to be asked which move they mean, or whether their answer.
    """
    if grammar.names_pin(request.reading.lines):  # done all the same, it would look as if the PIN had been checked
        raise Problem("form", NO_PIN, is_public=True)
    understood = _moves(request, parsed)
    notations = understood.notations
    yes.check_meant(request, replace(parsed, free=() if notations else parsed.free))  # moves have been judged by them
    is_to_wait = _is_to_wait(request, understood)
    if is_to_wait:
        _check_no_end(parsed, notations)
    rest = _answers_once([command for command in parsed.commands if command.name != "move"])
    rest, idle = _without_idle_answers(request, rest) if notations else (rest, [])
    asked = _questions_asked(request, rest, is_move_to_wait=is_to_wait)
    if len(asked) > 1:
        raise Problem("form", TWO_QUESTIONS, is_public=True)
    _check_ways_into_games(rest, asked)
    if len(rest) + len(notations) > 1:
        _check(request, rest)
    done = replies.done(_make(request, understood, is_to_wait=is_to_wait)) if notations else Reply()
    if done.is_answer:
        questions.close(request.game.id, request.seat, None)
    request, behind = carry_out_rest(request.anew() if notations else request, rest)
    if not notations and behind and all(reply.is_refusal for reply in behind):
        raise behind[0].refused[0].problem
    return request, replies.combined([done, *idle, *behind])


def _make(request: Request, understood: moves.Understood, *, is_to_wait: bool) -> Outcome:
    if is_to_wait:
        return holding.hold(request, understood.notations, understood.doubt)
    return moves.make(request, understood.notations)


def _is_to_wait(request: Request, understood: moves.Understood) -> bool:
    """Return True if the moves are held: if the mail leaves a doubt, or the player wishes it; not once they said yes.

    The same moves once more, in answer to the question about them, are a yes.
    """
    if not understood.notations or set(yes.about_moves(yes.asked_at(request))) == set(understood.notations):
        return False
    return bool(understood.doubt) or request.player.hold == ALWAYS


def _check_no_end(parsed: grammar.Parsed, notations: Sequence[str]) -> None:
    """Ask which is meant, a move that would wait or a command of the same mail that ends the player's game."""
    end = next((command for command in parsed.commands if command.name in ("resign", "leave")), None)
    if end is not None:
        raise moves.which(notations, end.line, _placed(end, parsed))


def _moves(request: Request, parsed: grammar.Parsed) -> moves.Understood:
    """Return the moves that the mail makes; none if it has none.

    Raises:
        Problem: a move cannot be made, or it stands beside the answer to an open question about something else.
        UnclearError: something in the mail speaks against its moves.
    """
    in_words = [command.move for command in parsed.commands if command.name == "move" and command.move]
    if not in_words:
        return moves.Understood([])
    commands = {command.name: command for command in parsed.commands}
    question = yes.asked_at(request)
    is_no = "no" in commands and question is None
    against = commands.get("cancel") or commands.get("stop") or (commands["no"] if is_no else None)
    understood = moves.understood(request, in_words, parsed.free, _placed(against, parsed) if against else None)
    is_answer = not commands.keys().isdisjoint(yes.ANSWERS) and not isinstance(question, Vote | TakeSeat | None)
    if is_answer and not _is_answered(question, understood.notations, commands):
        raise Problem("form", MOVE_AND_ANSWER, is_public=True)
    return understood


def _placed(command: forms.Command, parsed: grammar.Parsed) -> FreeLine:
    """Return a command of the mail as a line that stands above its first move, or below that."""
    first = next(i for i, other in enumerate(parsed.commands) if other.name == "move")
    return FreeLine(command.line, is_above=parsed.commands.index(command) < first)


def _is_answered(question: Question | None, notations: Sequence[str], names: Collection[str]) -> bool:
    """Return True if these moves answer the question by themselves, whatever a YES beside them adds.

    NO to moves that wait and others in their place are one answer as well.
    """
    if "yes" not in names:
        return isinstance(question, HeldMoves) and set(question.notations).isdisjoint(notations)
    return isinstance(question, ChooseMove) or set(yes.about_moves(question)) == set(notations)


def _without_idle_answers(
    request: Request, commands: Sequence[forms.Command]
) -> tuple[list[forms.Command], list[Reply]]:
    """Leave a YES out that only confirms the moves of its mail, or that comes too late for a vote.

    Return the other commands, and replies that say which vote is closed.
    """
    question = yes.asked_at(request)
    is_late = isinstance(question, Vote) and not time.is_vote_open(request, question)
    elsewhere = yes.open_elsewhere(request) if question is None else ()
    is_meant = isinstance(question, Vote | TakeSeat) or not all(isinstance(each, ABOUT_MOVES) for each in elsewhere)
    if is_meant and not is_late:
        return list(commands), []
    idle = [command for command in commands if command.name in yes.ANSWERS]
    too_late = Problem("form", CLOSED, is_public=True)
    late = [replies.refused(command.line, too_late) for command in idle if is_late]
    return [command for command in commands if command not in idle], late


def _answers_once(commands: Sequence[forms.Command]) -> list[forms.Command]:
    """Return the commands with the first YES and NO alone: "Yes please" and "sounds fun!" are one answer."""
    first = {command.name: command for command in reversed(commands)}
    return [command for command in commands if command.name not in yes.ANSWERS or command is first[command.name]]


def carry_out_rest(request: Request, commands: Sequence[forms.Command]) -> tuple[Request, list[Reply]]:
    """Do one line after the other, of which one that is refused undoes nothing; return what `carry_out` does."""
    done = []
    had_seat = request.seat.player_id == request.player.id
    for command in commands:
        reply = _refusal_elsewhere(request, command) or attempt(request, command)
        if reply.is_answer:
            questions.close(request.game.id, request.seat, questions.open_at(request.token))
        request = request.anew()
        has_left = had_seat and request.seat.player_id != request.player.id
        if has_left and reply.is_refusal and reply.refused[0].problem.code == "forbidden":
            reply = replies.refused(command.line, Problem("forbidden", SEAT_GIVEN_UP))
        has_left_game = reply.entered is not None and reply.entered.game.id != request.game.id
        done.append(replace(reply, leaves=_former_game(request)) if has_left_game else reply)
        request = request.turned_to(reply.entered)
    return request, done


def _refusal_elsewhere(request: Request, command: forms.Command) -> Reply | None:
    """Return the refusal of a line below one that led to another game, if it may ask: no YES could answer it."""
    is_elsewhere = request.token is None or request.token.game_id != request.game.id
    if not is_elsewhere or command.name not in ("resign", "draw"):
        return None
    return replies.refused(command.line, Problem("form", ASK_THERE.format(command.name.upper()), is_public=True))


def _former_game(request: Request) -> replies.FormerGame:
    hides_station = context.hides_station(request.seat, request.player, is_final=request.game.final)
    return replies.FormerGame(request.game.name, hides_station)


def attempt(request: Request, command: forms.Command) -> Reply:
    """Do what one line asks for; return its reply, or the refusal."""
    return replies.attempted(command.line, lambda: HANDLERS[command.name](request, command))


def _questions_asked(
    request: Request, commands: Sequence[forms.Command], *, is_move_to_wait: bool
) -> list[str]:  # fmt: skip
    """Return what of a mail asks the player something that a YES is to answer, for a sentence."""
    names = _about_this_game(commands)
    is_running = request.game.status == "running"
    is_elsewhere = yes.asked_at(request) is None and bool(yes.open_elsewhere(request))
    is_last_word = is_running and draws.would_end(request.game, request.player.id)
    asked = {
        "A move that waits for your word": is_move_to_wait,
        "RESIGN": is_running and "resign" in names,
        "A DRAW that ends the game": is_last_word and "draw" in names,
    }
    asked |= {word: is_elsewhere and word.lower() in names for word in ("YES", "NO")}
    return [what for what, is_asked in asked.items() if is_asked]


def _check_ways_into_games(commands: Sequence[forms.Command], asked: Sequence[str]) -> None:
    """Raise `Problem` form if a mail leads to two games, or to one while the answer has to be about this one."""
    names = _about_this_game(commands)
    ways = [command for command in commands if command.name in _INTO_A_GAME]
    told = [*asked, *(name.upper() for name in names if name in ("status", "legal"))]
    if told and ways:
        raise Problem("form", ASKED_ELSEWHERE.format(told[0]), is_public=True)
    if len(ways) > 1:
        raise Problem("form", TWO_GAMES, is_public=True)


def _about_this_game(commands: Sequence[forms.Command]) -> list[str]:
    """Return the names of the commands above the one that leads to another game."""
    return [command.name for command in takewhile(lambda each: each.name not in _INTO_A_GAME, commands)]


def _check(request: Request, commands: Sequence[forms.Command]) -> None:
    """Raise the `Problem` of the first of these that could not be done as things stand."""
    for command in commands:
        HANDLERS[command.name](request, command)  # it decides, and nobody writes that
        if command.name in _ENDING_CHECKS:
            return


# Answers to questions ----------------------------------------------------------------------------


def _answer(request: Request, command: forms.Command) -> Outcome:
    """YES or NO: do what the question is about that was asked at the address of the mail, or drop it."""
    question = yes.asked_at(request)
    if question is None:
        return yes.told_what_is_open(request, command)
    if command.name == "no":
        return NO[type(question)](request, question)
    yes.check_several(question, command.line)
    return YES[type(question)](request, question)


def _make_moves(request: Request, question: MakeMoves) -> Outcome:
    read = [grammar.parse_line(notation) for notation in question.moves]
    words = [command.move for command in read if command and command.move]
    return moves.make(request, moves.understood(request, words).notations)


def _which_move(_request: Request, question: ChooseMove) -> Reply:
    moves_read = sentences.join([sentences.quoted(notation) for notation in question.moves])
    raise Problem("form", WHICH.format(moves_read, sentences.quoted(question.against)))


def _resign(request: Request, _question: Resign) -> Outcome:
    def reply(left: Sight) -> Reply:
        # The mail about the end tells all; a player who has left the seat to a bot gets no other.
        is_told = left.status == "over" and left.seat_held_by(request.player.id) is not None
        return replace(reply_from_template("resigned"), leads=True, is_answer=True, is_in_turn_mail=is_told)

    return acting(request.game.id, request.player, give_up).then(lambda acted: reply(acted.game))


def _add_address(request: Request, question: ConfirmSender) -> Outcome:
    """Add the address of a mail to the player's own, and do what the mail asked for when it came."""
    earlier, address = _asked_about(request, question.inbox_id)
    return emails.take.decide(request.player.id, address).then(lambda _: _do_earlier(earlier, address))


def _do_earlier(earlier: Request, address: str) -> Reply:
    """Do what a mail asks for that came from an address which is the player's by now.

    A YES or NO to an address at which nothing was asked is to none of the questions of other mails, such as the one
    whether the player wrote it.
    """
    parsed, idle = _without_answers_to_nothing(earlier, parse(earlier.reading))
    why: dict[str, Any] = {"reason": "", "idle": idle}
    try:
        done = carry_out(earlier, parsed)[1] if parsed.commands or not idle else Reply()
        done = replies.combined([done, unread.remark_if_done(parsed)])
    except Problem as problem:
        why |= {"reason": sentences.reason(problem.sentence), "is_reason_public": problem.is_public}
        done = unread.remark_if_nothing_done(parsed, ())
    except UnclearError as unclear:
        done = unread.question_with_remark(unclear, parsed)
    added = reply_from_template("address_added", address=sentences.quoted(address), **why)
    reply = replies.combined([added, replace(done, leads=bool(done.title))])
    return replace(reply, leads=True, is_answer=True)


def _without_answers_to_nothing(request: Request, parsed: grammar.Parsed) -> tuple[grammar.Parsed, str]:
    """Return a mail without a YES or NO where nothing was asked, and that word; empty if it had none."""
    answers = [command for command in parsed.commands if command.name in yes.ANSWERS]
    if not answers or yes.asked_at(request) is not None:
        return parsed, ""
    rest = tuple(command for command in parsed.commands if command not in answers)
    return replace(parsed, commands=rest), answers[0].name.upper()


def _asked_about(request: Request, inbox_id: str) -> tuple[Request, str]:
    """Return a mail that its player was asked about as a request, and the address it came from.

    Raises:
        Problem: it cannot be read, or is not kept any more.
    """
    row = session.get(Incoming, inbox_id)
    if row is None or row.raw is None:
        raise Problem("form", NOT_KEPT, is_public=True)
    try:
        reading = examiner().read(row.raw, marker=MARKER, envelope_sender=row.sender)
    except (TooCostly, ReadingFailed):
        raise Problem("form", NOT_READ, is_public=True) from None
    (address,) = reading.from_addresses
    token = reply_addresses.find(row.recipient)
    return Request(row, reading, token, request.game, request.seat, request.player), address


def _do_command(request: Request, question: DoCommand) -> Outcome:
    """Do what the player was asked about, as if they had sent it."""
    command = grammar.parse_line(question.line)
    assert command is not None
    outcome = HANDLERS[command.name](request, command)
    if isinstance(outcome, Reply):
        return replace(outcome, is_answer=True)
    return outcome.then(lambda reply: replace(reply, is_answer=True))


def _take_seat(request: Request, _question: TakeSeat) -> Outcome:
    joined = seats.join.decide(request.game.id, request.player, seat=request.seat.number)
    return joined.then(lambda game: joining.taken(Place.of(game, request.player)))


def _decline_seat(request: Request, _question: TakeSeat) -> Outcome:
    left = seats.leave.decide(request.game.id, request.player, request.seat.number)
    return left.then(lambda _: replace(reply_from_template("declined"), leads=True))


def _drop(request: Request, question: Question) -> Reply:
    return replace(reply_from_template("no", stays=holding.staying(request, question)), is_answer=True)


# What each answer does. A function takes a question of that type.
YES: dict[type[Question], Callable[[Request, Any], Outcome]] = {
    MakeMoves: _make_moves,
    ChooseMove: _which_move,
    HeldMoves: holding.play_now,
    Resign: _resign,
    AgreeToDraw: lambda request, _: moves.offer_draw(request),
    ConfirmSender: _add_address,
    GoPublic: joining.go_public,
    Vote: partial(time.answer_vote, is_for=True),
    TakeSeat: _take_seat,
    DoCommand: _do_command,
}
NO: dict[type[Question], Callable[[Request, Any], Outcome]] = dict.fromkeys(YES, _drop)
NO |= {HeldMoves: holding.stop, Vote: partial(time.answer_vote, is_for=False), TakeSeat: _decline_seat}


# Seats -------------------------------------------------------------------------------------------


def _host(request: Request, command: forms.Command) -> Outcome:
    pawn = "mr_x" if command.text.lower().startswith("mr") else command.text.lower()
    heir = next((seat for seat in request.game.seats if pawn in seat.pawns), None)
    if heir is None or heir.player_id is None:
        raise Problem("form", f"No person plays {sentences.pawn_name(pawn)} in this game.", is_public=True)
    handed_over = hosting.hand_over.decide(request.game.id, request.player, heir.number)
    return handed_over.then(lambda _: reply_from_template("host", Says.BRIEF, role=seat_label(heir)))


def _start(request: Request, _command: forms.Command) -> Outcome:
    started = starting.start.decide(request.game.id, request.player)
    return started.then(lambda _: replace(reply_from_template("start"), leads=True, is_in_turn_mail=True))


def _leave(request: Request, _command: forms.Command) -> Outcome:
    left = seats.leave.decide(request.game.id, request.player)
    return left.then(lambda _: replace(reply_from_template("leave"), leads=True))


# Talk ------------------------------------------------------------------------------------------


def _say(request: Request, command: forms.Command) -> Outcome:
    try:
        return _write(request, "team", command.text)
    except talk.NoTeam as problem:
        raise Problem(problem.code, f'{problem.sentence} In a mail, begin the line with "SAY ALL".') from None


def _say_all(request: Request, command: forms.Command) -> Outcome:
    return _write(request, "all", command.text)


def _write(request: Request, to: str, text: str) -> Outcome:
    said = talk.write.decide(request.game.id, request.player, to, text)
    return said.then(lambda message: reply_from_template("said", Says.BRIEF, to=to, text=message["text"]))


_INTO_A_GAME = forms.names_with(Trait.ENTERS)
_ENDING_CHECKS = forms.names_with(Trait.ENDS_CHECKS)
HANDLERS: dict[str, Handler] = {
    "yes": _answer, "no": _answer, "host": _host, "start": _start, "leave": _leave, "say": _say, "say_all": _say_all,
}  # fmt: skip
for _module in (asking, holding, joining, moves, papers, settings, time):
    HANDLERS |= _module.HANDLERS
