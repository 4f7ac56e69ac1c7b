"""The handlers of commands: what each line of a mail does, and in which order the lines of one mail are done."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from typing import Any

from server.application.accounts import renaming
from server.application.accounts.preferences import change_preferences
from server.application.deciding import all_or_nothing, rehearsal
from server.application.errors import Problem
from server.application.game.state import edition_of
from server.application.mail import deliveries
from server.application.news import mail_choices, talk
from server.application.people import mail_frequency
from server.application.people.players import zone_like
from server.application.play import draws
from server.application.seats import hosting, lobby, starting
from server.application.time import votes
from server.mail.commands import blocking, joining, moves, papers, questions, time, yes
from server.mail.commands import reply as replies
from server.mail.commands.reply import Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.language import forms, grammar
from server.mail.language.prose import FreeLine
from server.mail.language.words import folded
from server.mail.writing import context, sentences
from server.models import Player
from server.wording import board_text
from server.wording.deliveries import kind_in_words
from server.wording.seats import seat_label

MOST_MAILS = 5  # of those that STATUS lists
NO_PIN = (
    "Your mail has a line with a PIN, and this server has none: what keeps others from moving for you is the reply "
    "address alone. Send the mail again without that line."
)
SEAT_GIVEN_UP = "You have just given up your seat in this game."
MOVE_AND_ANSWER = (
    "Your mail answers a question that is open and makes a move as well, so it is not clear which move you mean. Send "
    "the answer and the move in two mails."
)
TWO_QUESTIONS = (
    "You want to be asked before a move is made, and you are always asked before the game ends for you. Send the two "
    "in two mails."
)
ASKED_ELSEWHERE = (
    "The answer to this mail would be about another game, and {} needs one about this. Send the line that leads to the "
    "other game in a mail of its own."
)


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
        raise Problem("form", NO_PIN)
    request = replace(request, question=questions.open_at(request.token))
    notations = _moves(request, parsed)
    yes.check_meant(request, replace(parsed, free=() if notations else parsed.free))  # moves have been judged by them
    rest = _answers_once([command for command in parsed.commands if command.name != "move"])
    rest, idle = _without_idle_answers(request, rest) if notations else (rest, [])
    _check_questions(request, notations, [command.name for command in rest])
    if len(rest) + len(notations) > 1:
        _check(request, rest)
    done = moves.make(request, notations) if notations else Reply()
    keep_question(request, done)
    request, behind = carry_out_rest(request, rest)
    if not notations and behind and all(reply.is_refusal for reply in behind):
        raise behind[0].refused[0].problem
    return request, replies.combined([done, *idle, *behind])


def _moves(request: Request, parsed: grammar.Parsed) -> list[str]:
    """Return the notations of the moves that the mail makes; none if it has none.

    Raises:
        Problem: a move cannot be made, or it stands beside the answer to an open question about something else.
        UnclearError: something in the mail speaks against its moves.
    """
    in_words = [command.move for command in parsed.commands if command.name == "move" and command.move]
    if not in_words:
        return []
    commands = {command.name: command for command in parsed.commands}
    is_no = "no" in commands and request.question is None and not yes.is_asked(request)
    against = commands.get("cancel") or commands.get("stop") or (commands["no"] if is_no else None)
    notations = moves.understood(request, in_words, parsed.free, _placed(against, parsed) if against else None)
    is_answer = not commands.keys().isdisjoint({"yes", "no"}) and request.question is not None
    if is_answer and not ("yes" in commands and _is_answered(request.question, notations)):
        raise Problem("form", MOVE_AND_ANSWER)
    return notations


def _placed(command: forms.Command, parsed: grammar.Parsed) -> FreeLine:
    """Return a command of the mail as a line that stands above its first move, or below that."""
    first = next(i for i, other in enumerate(parsed.commands) if other.name == "move")
    return FreeLine(command.line, is_above=parsed.commands.index(command) < first)


def _is_answered(question: questions.Question | None, notations: Sequence[str]) -> bool:
    """Return True if these moves answer the question by themselves, whatever a YES beside them adds."""
    is_same = isinstance(question, questions.MakeMoves) and set(question.notations) == set(notations)
    return is_same or isinstance(question, questions.ChooseMove)


def _without_idle_answers(
    request: Request, commands: Sequence[forms.Command]
) -> tuple[list[forms.Command], list[Reply]]:
    """Leave a YES out that only confirms the moves of its mail, or that comes too late for a vote.

    Return the other commands, and replies that say which vote is closed.
    """
    if request.question is None and yes.is_asked(request):
        return list(commands), []
    is_about_vote = request.question is None and yes.has_own_question(request)
    idle = [command for command in commands if command.name in ("yes", "no")]
    late = [replies.refused(command.line, Problem("form", votes.CLOSED)) for command in idle if is_about_vote]
    return [command for command in commands if command not in idle], late


def _answers_once(commands: Sequence[forms.Command]) -> list[forms.Command]:
    """Return the commands with the first YES and NO alone: "Yes please" and "sounds fun!" are one answer."""
    first = {command.name: command for command in reversed(commands)}
    return [command for command in commands if command.name not in ("yes", "no") or command is first[command.name]]


def carry_out_rest(request: Request, commands: Sequence[forms.Command]) -> tuple[Request, list[Reply]]:
    """Do one line after the other, of which one that is refused undoes nothing; return what `carry_out` does."""
    done = []
    had_seat = request.seat.player_id == request.player.id
    for command in commands:
        reply = _attempt(request, command)
        has_left = had_seat and request.seat.player_id != request.player.id
        if has_left and reply.is_refusal and reply.refused[0].problem.code == "forbidden":
            reply = replies.refused(command.line, Problem("forbidden", SEAT_GIVEN_UP))
        keep_question(request, reply)
        is_left = reply.entered is not None and reply.entered.game_id != request.game.id
        done.append(replace(reply, left=_left(request)) if is_left else reply)
        request = request.turned_to(reply.entered)
    return request, done


def _left(request: Request) -> replies.Left:
    is_on_page = request.seat.role == "mr_x" and request.player.station == "page" and not request.game.final
    return replies.Left(request.game.name, is_on_page)


def _attempt(request: Request, command: forms.Command) -> Reply:
    """Do what one line asks for; return its reply, or the refusal."""
    try:
        with all_or_nothing():
            return _HANDLERS[command.name](request, command)
    except Problem as problem:
        return replies.refused(command.line, problem)


def keep_question(request: Request, reply: Reply) -> None:
    """Keep the question of a reply with the address that its answer comes to, which may be that of a new game."""
    if reply.question is None:
        return
    if reply.entered is not None:
        questions.ask_in_new_game(reply.entered, reply.question)
    elif request.token is not None:  # without one nothing is done that could be asked about
        questions.ask(request.token, reply.question)


def _check_questions(request: Request, notations: Sequence[str], names: Sequence[str]) -> None:
    """Raise `Problem` form if the answer would ask two questions, or is to tell of this game and be about another."""
    here = list(takewhile(lambda name: name not in _INTO_A_GAME, names))
    asked = {"a move that you want to be asked about": bool(notations) and request.player.asks_first}
    if request.game.status == "running":
        asked["RESIGN"] = "resign" in here
        asked["the last word to a draw"] = "draw" in here and draws.would_end(request.game, request.player)
    questions_asked = [what for what, is_asked in asked.items() if is_asked]
    if notations and len(questions_asked) > 1:
        raise Problem("form", TWO_QUESTIONS)
    told = [*questions_asked, *(name.upper() for name in here if name in ("status", "legal"))]
    told += ["YES"] if "yes" in here and yes.asks_again(request) else []
    if told and len(here) < len(names):
        raise Problem("form", ASKED_ELSEWHERE.format(told[0]))


def _check(request: Request, commands: Sequence[forms.Command]) -> None:
    """Raise the `Problem` of the first of these that could not be done as things stand."""
    for command in commands:
        with rehearsal():
            _HANDLERS[command.name](request, command)
        if command.name in _TURNS:
            return


# Questions and seats ---------------------------------------------------------------------------


def _yes(request: Request, command: forms.Command) -> Reply:
    return yes.answer_yes(request, command.line, carry_out)


def _no(request: Request, _command: forms.Command) -> Reply:
    return yes.answer_no(request)


def _host(request: Request, command: forms.Command) -> Reply:
    pawn = "mr_x" if command.text.lower().startswith("mr") else command.text.lower()
    heir = next((seat for seat in request.game.seats if pawn in seat.pawns), None)
    if heir is None:
        raise Problem("form", f"Nobody plays {pawn.capitalize()} in this game.")
    hosting.hand_over(request.game.id, request.player, heir.number)
    return reply_from_template("host", role=seat_label(heir))


def _start(request: Request, _command: forms.Command) -> Reply:
    starting.start(request.game.id, request.player)
    return replace(reply_from_template("start"), leads=True, is_in_turn_mail=True)


def _leave(request: Request, _command: forms.Command) -> Reply:
    lobby.leave(request.game.id, request.player)
    return replace(reply_from_template("leave"), leads=True)


# Talk ------------------------------------------------------------------------------------------


def _say(request: Request, command: forms.Command) -> Reply:
    try:
        return _write(request, "team", command.text)
    except talk.NoTeam as problem:
        raise Problem(problem.code, f'{problem.sentence} In a mail, begin the line with "SAY ALL".') from None


def _say_all(request: Request, command: forms.Command) -> Reply:
    return _write(request, "all", command.text)


def _write(request: Request, to: str, text: str) -> Reply:
    message = talk.write(request.game.id, request.player, to, text)
    return reply_from_template("said", to=to, text=message["text"])


# Settings --------------------------------------------------------------------------------------


def _set(request: Request, command: forms.Command) -> Reply:
    what, _, value = command.text.partition(" ")
    setting = what.rstrip(":").lower()
    if setting == "name":
        renaming.rename(request.player.id, value)
        renamed = reply_from_template("renamed", name=sentences.quoted(request.player.name))
        return replace(_settings(request.player, "your settings"), paragraphs=renamed.paragraphs)
    with _naming(value, f"SET {setting}"):
        if setting == "zone":
            change_preferences(request.player.id, zone=zone_like(value))
        else:
            change_preferences(request.player.id, **{setting: value if setting == "night" else value.lower()})
    return _settings(request.player, "your settings")


def _set_mail(request: Request, command: forms.Command) -> Reply:
    mail, is_here = forms.how_much(command.text)
    with _naming(mail, "SET mail"):
        if is_here:
            mail_choices.choose_for_game(request.game.id, request.player, mail)
        else:
            change_preferences(request.player.id, mail=mail)
    return _settings(request.player, "how much mail comes")


@contextmanager
def _naming(value: str, setting: str) -> Iterator[None]:
    """Name the words that cannot follow a setting, before the choices of a refusal that does not name them."""
    try:
        yield
    except Problem as problem:
        if problem.code != "form" or value in problem.sentence:
            raise
        choices = re.sub(r"^\w+: ", "", problem.sentence)
        told = f'{sentences.quoted(value)} cannot follow "{setting}". {choices[0].upper()}{choices[1:]}'
        raise Problem(problem.code, told) from None


def _stop(request: Request, _command: forms.Command) -> Reply:
    mail_choices.stop_all(request.player.id)
    return _settings(request.player, "no more mail")


def _settings(player: Player, title: str) -> Reply:
    own_choices = [(game, mail) for game, mail in mail_choices.own_choices(player) if game.status != "over"]
    (paragraph,) = reply_from_template("settings", player=player, own_choices=own_choices).paragraphs
    return Reply(title, settings=paragraph, is_brief=True)


# Asking ----------------------------------------------------------------------------------------


def _status(request: Request, _command: forms.Command) -> Reply:
    player, game = request.player, request.game
    mail = mail_frequency.of(player, game.id)
    reply = reply_from_template(
        "status",
        game=game,
        mail=mail,
        is_off_here=mail == mail_frequency.OFF != player.mail,
        mails=deliveries.of(player, limit=MOST_MAILS, game=game),
        moment=lambda at: sentences.short_moment(datetime.fromisoformat(at), player.zone),
        kind_in_words=kind_in_words,
    )
    opened = _open_questions(request) if game.status == "running" else Reply()
    on_page = (*opened.paragraphs, *reply.on_page)
    return replace(reply, paragraphs=opened.paragraphs, below=reply.paragraphs, on_page=on_page)


def _open_questions(request: Request) -> Reply:
    """Return the reply that tells of votes that are open, and of offers of a draw."""
    game, seat = request.game, request.seat
    offering = [other for other in game.seats if other.wants_draw and other.player_id]
    return reply_from_template(
        "status_open",
        votes=[time.vote_in_words(request, motion) for motion in votes.of(game)],
        draws=["you" if other is seat else context.player_of(game, other.pawns) for other in offering],
        offers_draw=seat in offering,
    )


def _legal(request: Request, _command: forms.Command) -> Reply:
    return reply_from_template("legal", may_double=any(move.double for move in request.legal_moves()))


def _board(request: Request, command: forms.Command) -> Reply:
    board, view = edition_of(request.game).board, request.view()
    if not command.stations:
        is_about_him = _IS_ABOUT_MR_X.search(folded(command.line)) is not None
        return _board_reply(**_surroundings(request, view), about_him=is_about_him, with_hint=True)
    return _board_reply(stations=board_text.described(board, view, command.stations))


def _board_reply(**facts: Any) -> Reply:
    return replace(reply_from_template("board", **facts), on_page=reply_from_template("board_on_page").paragraphs)


_IS_ABOUT_MR_X = re.compile(r"\bx\b")  # "where is Mr. X?" is a form of BOARD


def _surroundings(request: Request, view: dict[str, Any]) -> dict[str, Any]:
    """Return what lies around the player's pawns and, for a detective, where Mr. X was seen and all places of his."""
    board, own = edition_of(request.game).board, request.seat.pawns
    around: dict[str, Any] = {"stations": board_text.around(board, view, own)}
    if request.seat.role == "mr_x" or not around["stations"]:
        return around
    seen = board_text.last_seen(board, view, own)
    return around | {"seen": seen, "places": sentences.places(view, in_full=True)}


def _help(request: Request, command: forms.Command) -> Reply:
    if not command.text.strip("? "):
        return replies.help_now(request)
    return help_with_all([pawn for seat in request.game.seats if seat.role == "detective" for pawn in seat.pawns])


def help_with_all(pawns: Sequence[str] = ()) -> Reply:
    """Return the reply to HELP ALL, with every command. Examples name one of the `pawns`, if the game is known."""
    known = [form for form in forms.COMMANDS if form.name in ("move", *_HANDLERS)]
    pawn = "red" if "red" in pawns or not pawns else pawns[0]
    return reply_from_template(
        "help_all",
        forms=[replace(form, syntax=re.sub(r"\bred\b", pawn, form.syntax)) for form in known],
        pawn=pawn,
    )


def reply_without_game(player: Player, commands: Sequence[forms.Command]) -> Reply:
    """Return the reply to the commands that can be answered to somebody who has no game; empty if there are none."""
    about_no_game: dict[str, Callable[[forms.Command], Reply]] = {
        "help": lambda command: help_with_all() if command.text.strip("? ") else Reply(),
        "list": lambda _: joining.list_for(player),
        "signup": lambda _: reply_from_template("signed_up_already"),
        "rules": lambda command: papers.rules_of(command.text),
        "map": lambda command: papers.map_of(command.text),
    }
    return replies.combined(
        [about_no_game[command.name](command) for command in commands if command.name in about_no_game]
    )


_INTO_A_GAME = joining.WAYS_IN.keys() | {"rematch"}
# Behind these the mail is about another game, or about one that is not what it was: the lines behind cannot be checked.
_TURNS = _INTO_A_GAME | {"yes", "start", "leave"}
_HANDLERS: dict[str, Callable[[Request, forms.Command], Reply]] = {
    "play": joining.play, "list": joining.list_games, "signup": joining.signup,
    "new": joining.new, "join": joining.join, "invite": joining.invite, "rematch": joining.rematch,
    "yes": _yes, "no": _no, "start": _start, "leave": _leave, "cancel": moves.cancel, "try": moves.attempt,
    "set": _set, "set_mail": _set_mail, "stop": _stop, "say": _say, "say_all": _say_all,
    "block": blocking.block, "unblock": blocking.unblock,
    "draw": moves.draw, "host": _host,
    "away": time.away, "pause": time.pause, "resume": time.resume, "extend": time.extend,
    "wait": time.wait, "claim": time.claim, "cover": time.cover,
    "resign": moves.resign, "status": _status, "legal": _legal, "board": _board, "help": _help,
    "log": papers.log, "replay": papers.replay, "rules": papers.rules, "map": papers.send_map,
}  # fmt: skip
