"""The handlers of commands: what each line of a mail does, and in which order the lines of one mail are done."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from server.application.play import talk
from server.house_rules import draws
from server.house_rules.votes import CLOSED
from server.language import forms, grammar
from server.language.forms import Trait
from server.language.prose import FreeLine
from server.mail.commands import asking, ending, holding, joining, moves, papers, questions, seats, settings, time, yes
from server.mail.commands import reply as replies
from server.mail.commands.ending import PLAYS_ON
from server.mail.commands.holding import HeldMoves
from server.mail.commands.moves import AboutMoves, ChooseMove
from server.mail.commands.reply import Handler, Mark, Outcome, Question, Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.commands.seats import TakeSeat
from server.mail.commands.time import Vote
from server.mail.commands.unread import as_typed
from server.mail.writing import seating, sentences
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.preferences import ALWAYS
from server.vocabulary.translation import gettext, gettext_noop

NO_PIN = gettext_noop(
    "Your mail has a line with a PIN, and this server has none: what keeps others from moving for you is the reply "
    "address alone. Send the mail again without that line."
)
SEAT_GIVEN_UP = gettext_noop("You have just given up your seat in this game.")
MOVE_AND_ANSWER = gettext_noop(
    "Your mail answers a question that is open and makes a move as well, so it is not clear which move you mean. Send "
    "the answer and the move in two mails."
)
TWO_QUESTIONS = gettext_noop("You would be asked two things, and one YES cannot answer both. Send them in two mails.")
TWO_GAMES = gettext_noop(
    "Your mail leads to more than one other game, and the answer can be about one. Send each NEW, JOIN, PLAY or "
    "REMATCH in a mail of its own."
)
ASKED_ELSEWHERE = gettext_noop(
    "{what} has to be answered in a mail about this game, and your mail leads to another. Send the line that leads "
    "there in a mail of its own."
)
ASK_THERE = gettext_noop("Send {command} in an answer to a mail about that game.")


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
        raise refusal("form", NO_PIN, is_public=True)
    understood = _moves(request, parsed)
    notations = understood.notations
    if not notations or yes.names_of(parsed) >= yes.ANSWERS:  # else the other lines have been judged with the moves
        yes.check_meant(request, parsed)
    is_to_wait = _is_to_wait(request, understood)
    if is_to_wait:
        _check_no_end(parsed, notations)
    rest = _answers_once([command for command in parsed.commands if command.name != "move"])
    rest, idle = _without_idle_answers(request, rest) if notations else (rest, [])
    asked = _questions_asked(request, rest, is_move_to_wait=is_to_wait)
    if len(asked) > 1:
        raise refusal("form", TWO_QUESTIONS, is_public=True)
    _check_ways_into_games(rest, asked)
    if len(rest) + len(notations) > 1:
        _check(request, rest)
    settings.speak_as_set(rest)
    done = replies.done(_make(request, understood, is_to_wait=is_to_wait)) if notations else Reply()
    if Mark.ANSWERS in done.marks:
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

    Against bots alone nothing waits.
    The same moves once more, in answer to the question about them, are a yes.
    """
    question = yes.asked_at(request)
    is_alone = request.game.is_against_bots(request.seat)
    if is_alone or not understood.notations or (question and set(question.played) == set(understood.notations)):
        return False
    return bool(understood.doubt) or request.player.hold == ALWAYS


def _check_no_end(parsed: grammar.Parsed, notations: Sequence[str]) -> None:
    """Ask which is meant, a move that would wait or a command of the same mail that ends the player's game."""
    end = next((command for command in parsed.commands if command.name in ("resign", "leave")), None)
    if end is not None:
        raise moves.unclear(notations, _placed(end, parsed))


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
    is_answer = not commands.keys().isdisjoint(yes.ANSWERS)
    if question is None or isinstance(question, Vote | TakeSeat) or not is_answer:
        return understood
    if not _is_answered(question, understood.notations, commands):
        raise refusal("form", MOVE_AND_ANSWER, is_public=True)
    return understood


def _placed(command: forms.Command, parsed: grammar.Parsed) -> FreeLine:
    """Return a command of the mail as a line that stands above its first move, or below that."""
    first = next(i for i, other in enumerate(parsed.commands) if other.name == "move")
    return FreeLine(command.line, is_above=parsed.commands.index(command) < first)


def _is_answered(question: Question, notations: Sequence[str], names: Collection[str]) -> bool:
    """Return True if these moves answer the question by themselves, whatever a YES beside them adds.

    NO to moves that wait and others in their place are one answer as well.
    """
    if "yes" not in names:
        return isinstance(question, HeldMoves) and set(question.notations).isdisjoint(notations)
    return isinstance(question, ChooseMove) or set(question.played) == set(notations)


def _without_idle_answers(
    request: Request, commands: Sequence[forms.Command]
) -> tuple[list[forms.Command], list[Reply]]:
    """Leave a YES out that only confirms the moves of its mail, or that comes too late for a vote.

    Return the other commands, and replies that say which vote is closed.
    """
    question = yes.asked_at(request)
    is_late = isinstance(question, Vote) and question.is_over(request)
    elsewhere = yes.open_elsewhere(request) if question is None else ()
    is_meant = isinstance(question, Vote | TakeSeat) or not all(isinstance(each, AboutMoves) for each in elsewhere)
    if is_meant and not is_late:
        return list(commands), []
    idle = [command for command in commands if command.name in yes.ANSWERS]
    too_late = refusal("form", CLOSED, is_public=True)
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
        if Mark.ANSWERS in reply.marks:
            questions.close(request.game.id, request.seat, questions.open_at(request.token))
        request = request.anew()
        has_left = had_seat and request.seat.player_id != request.player.id
        if has_left and reply.is_refusal and reply.refused[0].problem.code == "forbidden":
            reply = replies.refused(command.line, refusal("forbidden", SEAT_GIVEN_UP))
        has_left_game = reply.entered is not None and reply.entered.game.id != request.game.id
        if has_left_game:
            hides_station = seating.hides_station(request.seat, request.player, is_final=request.game.final)
            reply = replace(reply, leaves=replies.FormerGame(request.game.name, hides_station))
        done.append(reply)
        request = request.turned_to(reply.entered)
    return request, done


def _refusal_elsewhere(request: Request, command: forms.Command) -> Reply | None:
    """Return the refusal of a line below one that led to another game, if it may ask: no YES could answer it."""
    is_elsewhere = request.token is None or request.token.game_id != request.game.id
    if not is_elsewhere or command.name not in ("resign", "draw"):
        return None
    sentence = gettext(ASK_THERE, command=forms.word_of(command.name))
    return replies.refused(command.line, Problem("form", sentence, is_public=True))


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
        gettext("A move that waits for your word"): is_move_to_wait,
        forms.word_of("resign"): is_running and "resign" in names,
        gettext("A DRAW that ends the game"): is_last_word and "draw" in names,
    }
    asked |= {forms.word_of(word): is_elsewhere and word in names for word in ("yes", "no")}
    return [what for what, is_asked in asked.items() if is_asked]


def _check_ways_into_games(commands: Sequence[forms.Command], asked: Sequence[str]) -> None:
    """Raise `Problem` form if a mail leads to two games, or to one while the answer has to be about this one."""
    names = _about_this_game(commands)
    ways = [command for command in commands if command.name in _INTO_A_GAME]
    told = [*asked, *(forms.word_of(name) for name in names if name in ("status", "legal"))]
    if told and ways:
        raise refusal("form", ASKED_ELSEWHERE, what=told[0], is_public=True)
    if len(ways) > 1:
        raise refusal("form", TWO_GAMES, is_public=True)


def _about_this_game(commands: Sequence[forms.Command]) -> list[str]:
    """Return the names of the commands above the one that leads to another game."""
    return [command.name for command in takewhile(lambda each: each.name not in _INTO_A_GAME, commands)]


def _check(request: Request, commands: Sequence[forms.Command]) -> None:
    """Raise the `Problem` of the first of these that could not be done as things stand."""
    for command in commands:
        HANDLERS[command.name](request, command)  # it decides, and nobody writes that
        if command.name in _ENDING_CHECKS:
            return


# Whether a command is meant ----------------------------------------------------------------------


@dataclass(frozen=True)
class DoCommand(Question):
    """The question whether the player means a command, as its line: a wish in plain words is like it."""

    line: str

    @property
    def about(self) -> tuple[str, ...]:
        return (self.line,)

    @property
    def command(self) -> forms.Command:
        command = grammar.parse_line(self.line)
        assert command is not None
        return command

    @property
    def about_as_typed(self) -> tuple[str, ...]:
        """Return the line in the language of the reader."""
        return (as_typed(self.line),)

    @property
    def needs_plain_yes(self) -> bool:
        """Return True if what it is about cannot be undone."""
        return self.line == "LEAVE"

    @property
    def topic(self) -> Mapping[str, str]:
        """Return what is a word for no to it."""
        return PLAYS_ON if self.needs_plain_yes else {}

    def words(self, _request: Request) -> Reply:
        """Return the question, in public without what is said with the command."""
        lines = (*self.about_as_typed, forms.word_of(self.command.name))
        whole, in_public = (
            reply_from_template("did_you_want", command=sentences.quoted(line), is_leave=self.needs_plain_yes)
            for line in lines
        )
        return replies.with_public_words(whole, in_public)

    def yes(self, request: Request) -> Outcome:
        """Do the command, as if the player had sent it."""
        outcome = HANDLERS[self.command.name](request, self.command)
        if isinstance(outcome, Reply):
            return outcome.marked(Mark.ANSWERS)
        return outcome.then(lambda reply: reply.marked(Mark.ANSWERS))

    def no(self, request: Request) -> Outcome:
        """Drop it; who was asked whether they leave keeps the seat, and is told so."""
        return reply_from_template("kept_seat", Mark.ANSWERS) if self.needs_plain_yes else super().no(request)


def _stop_or_ask(request: Request, command: forms.Command) -> Outcome:
    """STOP; one with a question mark is asked about, as its player hears no more of the game after it."""
    return DoCommand("STOP").asked(request) if command.line.endswith("?") else settings.stop(request.player)


# Talk ------------------------------------------------------------------------------------------


def _say(request: Request, command: forms.Command) -> Outcome:
    try:
        return _write(request, "team", command.text)
    except talk.NoTeam as problem:
        raise refusal(problem.code, '{why} In a mail, begin the line with "SAY ALL".', why=problem.sentence) from None


def _write(request: Request, to: str, text: str) -> Outcome:
    said = talk.write.decide(request.game.id, request.player, to, text)
    return said.then(lambda message: reply_from_template("said", Mark.BRIEF, to=to, text=message["text"]))


_INTO_A_GAME = forms.names_with(Trait.ENTERS)
_ENDING_CHECKS = forms.names_with(Trait.ENDS_CHECKS)
HANDLERS: dict[str, Handler] = {
    "say": _say,
    "say_all": lambda request, command: _write(request, "all", command.text),
    "stop": _stop_or_ask,
}
for _module in (asking, ending, holding, joining, moves, papers, seats, settings, time, yes):
    HANDLERS |= _module.HANDLERS
