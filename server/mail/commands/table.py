"""Carry out each command of a mail. What a mail may do at all is told in `obeying`."""

from collections.abc import Callable, Sequence, Set
from dataclasses import replace

from server.application.accounts import accounts
from server.application.deciding import decided, rehearsal, whole
from server.application.errors import Problem
from server.application.game import reply_addresses
from server.application.news import mail_choices, talk
from server.application.people.players import zone_like
from server.application.seats import hosting, lobby, substitution
from server.mail.commands import blocking, joining, moves, reply, time, unknown_senders
from server.mail.commands.request import Errand
from server.mail.language import grammar
from server.mail.writing import sentences
from server.wording.seats import role


def carry_out(errand: Errand, commands: Sequence[grammar.Command]) -> None:
    """Do what a mail asks for, in three steps; `Problem` when nothing was done.

    1. Check every line against public facts: what is refused here refuses the whole mail.
    2. Make the moves, which nothing takes back.
    3. Do the rest. What is refused now, as the game is another by then, is told and undoes nothing.
    """
    if grammar.names_pin(errand.reading.lines):  # obeyed, it would look as if that had been checked
        raise Problem("form", reply.NO_PIN)
    wanted = [command.move for command in commands if command.name == "move" and command.move]
    rest = [command for command in commands if command.name != "move"]
    errand.question = errand.token.question if errand.token else None
    _check_one_reading(errand, {command.name for command in commands})
    notations = moves.understood(errand, wanted) if wanted else []
    if len(rest) + len(wanted) > 1:
        _check(errand, rest)
    if notations:
        moves.make(errand, notations)
    done = [carry_out_behind(errand, command) for command in rest]
    if errand.refused and not notations and not any(done):
        raise errand.refused[0][1]
    reply.tell_refused(errand)


def carry_out_behind(errand: Errand, command: grammar.Command) -> bool:
    """Do what one line asks for and return whether it was done; note it where it is refused, and undo nothing else."""
    try:
        with whole():
            _HANDLERS[command.name](errand, command)
    except Problem as problem:
        errand.refuse(command.line, problem)
        return False
    return True


def _check_one_reading(errand: Errand, names: Set[str]) -> None:
    """Raise `Problem` where a move stands beside a word that may be about another: neither is guessed."""
    if "move" in names and "cancel" in names:
        raise Problem("form", reply.MOVE_AND_CANCEL)
    if "move" in names and errand.question is not None and not names.isdisjoint({"yes", "no"}):
        raise Problem("form", reply.MOVE_AND_ANSWER)


def _check(errand: Errand, commands: Sequence[grammar.Command]) -> None:
    """Raise the `Problem` of the first of these that could not be done as things stand."""
    for command in commands:
        with rehearsal():
            _HANDLERS[command.name](replace(errand, told=[], refused=[], others=[]), command)
        if command.name in _TURNS:
            return


# Questions and seats ---------------------------------------------------------------------------


def _yes(errand: Errand, _command: grammar.Command) -> None:
    question = errand.question
    if question is not None and "resign" in question:
        substitution.resign(errand.game.id, errand.player)
        errand.title = "you have given the game up"
        errand.told.append("You have given the game up.")
        return
    if question is not None and "draw" in question:
        moves.offer_draw(errand)
        return
    if question is not None and "mail" in question:
        unknown_senders.confirmed(errand, question["mail"], carry_out)
        return
    if question is not None and "invite" in question:
        joining.go_public(errand, question)
        return
    if question is not None:
        read = [grammar.parse_line(notation) for notation in question["moves"]]
        words = [command.move for command in read if command and command.move]
        moves.make(errand, moves.understood(errand, words), confirmed=True)
        return
    if not _is_invited(errand):
        time.answer(errand, is_for=True)
        return
    lobby.join(errand.game.id, errand.player, seat=errand.seat.number)
    errand.title = "the seat is yours"
    errand.told.append(f"You have taken the seat of {role(errand.seat)}. A mail comes when the game begins.")


def _no(errand: Errand, _command: grammar.Command) -> None:
    if errand.token is not None and errand.question is not None:
        decided()
        errand.token.question = None
        errand.title = errand.title or "nothing was done"
        errand.told.append("All right, nothing of that was done.")
        return
    if not _is_invited(errand):
        time.answer(errand, is_for=False)
        return
    lobby.leave(errand.game.id, errand.player, errand.seat.number)
    errand.title = "the invitation is declined"
    errand.told.append("You have declined the invitation, and the seat is open to others.")


def _is_invited(errand: Errand) -> bool:
    """Whether YES and NO are about the seat; not at an address that was made for another question."""
    about = reply_addresses.about(errand.token, errand.seat) if errand.token else ""
    return errand.game.status == "open" and errand.seat.player_id is None and not about


def _host(errand: Errand, command: grammar.Command) -> None:
    pawn = "mr_x" if command.text.lower().startswith("mr") else command.text.lower()
    heir = next((seat for seat in errand.game.seats if pawn in seat.pawns), None)
    if heir is None:
        raise Problem("form", f"Nobody plays {pawn.capitalize()} in this game.")
    hosting.hand_over(errand.game.id, errand.player, heir.number)
    errand.title = errand.title or "you are not the host any more"
    errand.told.append(f"Whoever plays {role(heir)} is the host from now on, and is told so.")


def _start(errand: Errand, _command: grammar.Command) -> None:
    lobby.start(errand.game.id, errand.player)
    errand.title = "the game has begun"
    errand.told.append("The start cards are dealt, and the game has begun.")


def _leave(errand: Errand, _command: grammar.Command) -> None:
    lobby.leave(errand.game.id, errand.player)
    errand.title = "you have left"
    errand.told.append("You have left the game, and your seat is open to others.")


# Talk ------------------------------------------------------------------------------------------


def _say(errand: Errand, command: grammar.Command) -> None:
    _write(errand, "team", command.text)


def _say_all(errand: Errand, command: grammar.Command) -> None:
    _write(errand, "all", command.text)


def _write(errand: Errand, to: str, text: str) -> None:
    message = talk.write(errand.game.id, errand.player, to, text)
    errand.title = errand.title or "your message is passed on"
    errand.told.append(f"Said to {'the team' if to == 'team' else 'all'}:\n{sentences.quoted_lines(message['text'])}")


# Preferences -----------------------------------------------------------------------------------


def _set(errand: Errand, command: grammar.Command) -> None:
    what, _, value = command.text.partition(" ")
    match what.rstrip(":").lower():
        case "name":
            accounts.rename(errand.player.id, value)
            errand.told.append(f"You are called {sentences.quoted(errand.player.name)} from now on.")
        case "zone":
            accounts.prefer(errand.player.id, zone=zone_like(value))
        case "ask":
            accounts.prefer(errand.player.id, ask=value.lower())
        case "night":
            accounts.prefer(errand.player.id, night=value)
        case "vacation":
            accounts.prefer(errand.player.id, vacation=value.lower())
        case _:
            accounts.prefer(errand.player.id, picture=value.lower())
    errand.title = errand.title or "your settings"
    reply.tell_settings(errand)


def _set_mail(errand: Errand, command: grammar.Command) -> None:
    mail, is_here = grammar.how_much(command.text)
    if is_here:
        mail_choices.choose_for_game(errand.game.id, errand.player, mail)
    else:
        accounts.prefer(errand.player.id, mail=mail)
    errand.title = errand.title or "how much mail comes"
    reply.tell_settings(errand)


def _stop(errand: Errand, _command: grammar.Command) -> None:
    mail_choices.stop_all(errand.player.id)
    errand.title = errand.title or "no more mail"
    reply.tell_settings(errand)


# Asking ----------------------------------------------------------------------------------------


def _status(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "how the game stands"
    reply.tell_mails(errand)


def _legal(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "your choices"


def _log(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "the travel log"
    reply.tell_log(errand)


def _board(errand: Errand, command: grammar.Command) -> None:
    reply.tell_board(errand, command.stations)


def _help(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "help"
    errand.told += help_text()


def help_text() -> list[str]:
    """What HELP is answered with, by paragraphs."""
    return [reply.help_lines(["move", *_HANDLERS]), reply.HOW_TO]


# Behind these the mail is about another game, or about one that is not what it was: the lines behind cannot be checked.
_TURNS = frozenset({"new", "join", "rematch", "yes", "start", "leave"})
_HANDLERS: dict[str, Callable[[Errand, grammar.Command], None]] = {
    "new": joining.new, "join": joining.join, "invite": joining.invite, "rematch": joining.rematch,
    "yes": _yes, "no": _no, "start": _start, "leave": _leave, "cancel": moves.cancel, "try": moves.attempt,
    "set": _set, "set_mail": _set_mail, "stop": _stop, "say": _say, "say_all": _say_all,
    "block": blocking.block, "unblock": blocking.unblock,
    "draw": moves.draw, "host": _host,
    "away": time.away, "pause": time.pause, "resume": time.resume, "extend": time.extend,
    "wait": time.wait, "claim": time.claim, "cover": time.cover,
    "resign": moves.resign, "status": _status, "legal": _legal, "log": _log, "board": _board, "help": _help,
}  # fmt: skip
