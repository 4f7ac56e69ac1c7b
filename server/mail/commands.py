"""What a mail makes happen: who may act, what is done, and the one answer to it.

All moves of one mail are made, or none. The answer goes to the registered address and nowhere else.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta

from sqlalchemy import func, select

from server.application import accounts, custody, lobby, moves, notices, talk
from server.application.deadlines import waiting
from server.application.errors import Problem
from server.application.players import with_email, zone_like
from server.mail import addresses, answers, facts, grammar, sentences
from server.mail.errand import Errand
from server.mail.facts import role
from server.mail.moves import PAWNS, Ambiguous, MoveWords, NotLegal, resolve, suggest
from server.mail.reading import Reading
from server.models import Game, Incoming, Outgoing, Player, Seat, session
from server.runtime import now

# Answers to mails that could not be obeyed, and help: whoever writes nonsense in a loop is not answered in one.
MOST_ERRORS = 3
MOST_A_DAY = 10
# Done at the play address too, where From alone tells who writes: they change nothing.
HARMLESS = frozenset({"status", "legal", "log", "board", "help", "try"})


def obey(row: Incoming, reading: Reading) -> str:
    """Do what the mail says within the open transaction; a word on what became of it."""
    token = addresses.find(row.recipient)
    if token is None:
        return _without_seat(row, reading, answers.NO_PROOF) if addresses.is_play(row.recipient) else "unknown-address"
    game = session.get_one(Game, token.game_id, with_for_update=True, populate_existing=True)
    seat = next((seat for seat in game.seats if seat.number == token.seat), None)
    holder = (seat.player_id or seat.invited_id) if seat else None
    if seat is None or holder is None or seat.nonce != token.nonce:
        return _without_seat(row, reading, answers.CHANGED_HANDS)
    errand = Errand(row, reading, token, game, seat, session.get_one(Player, holder))
    if [address.lower() for address in reading.from_addresses] != [errand.player.email]:
        return _from_elsewhere(errand)
    return _obey(errand)


def _obey(errand: Errand) -> str:
    parsed = grammar.parse(errand.reading.lines, errand.reading.subject)
    if errand.reading.problem is not None or not parsed.commands:
        return _unreadable(errand)
    try:
        with session.begin_nested():
            _carry_out(errand, parsed.commands)
    except Problem as problem:
        return _refuse(errand, problem)
    if parsed.later:
        answers.tell_unread(errand, [command.line for command in parsed.later])
    if {command.name for command in parsed.commands} == {"help"}:
        return _advise(errand, "helped")
    _answer(errand)
    return "obeyed"


def _carry_out(errand: Errand, commands: Sequence[grammar.Command]) -> None:
    wanted = [command.move for command in commands if command.name == "move" and command.move]
    if wanted:
        _move(errand, wanted)
    for command in commands:
        if command.name != "move":
            handler = _HANDLERS.get(command.name)
            if handler is None:
                word = command.line.split()[0].upper()
                raise Problem("form", f'"{word}" is understood, but this server does not offer it yet.')
            handler(errand, command)


# Moves -----------------------------------------------------------------------------------------


def _move(errand: Errand, wanted: Sequence[MoveWords]) -> None:
    """All moves of the mail, or none; two for one pawn are two readings, and neither is guessed."""
    _check_current(errand)
    # All are understood from how the table stands before any is made: one move must not lend the next its meaning.
    understood = [_understand(errand, words) for words in wanted]
    movers = [notation.split()[0] for notation in understood if notation.split()[0] in PAWNS]
    if len(set(movers)) < len(movers) or (errand.seat.role == "mr_x" and len(understood) > 1):
        raise Problem("form", "Your mail has two moves for one pawn, so neither was made; send the one you mean.")
    made = [moves.place(errand.game, errand.player, moves.Wanted(notation)) for notation in understood]
    if errand.token is not None:
        errand.token.question = None
    answers.tell_moves(errand, made)


def _check_current(errand: Errand) -> None:
    if errand.stale:
        raise Problem("stale-turn", "Your mail answers a mail about an earlier round, and the game has moved on.")
    if errand.game.status == "open":
        raise Problem("game-not-running", "The game has not begun, so there is nothing to move.")


def _understand(errand: Errand, words: MoveWords) -> str:
    """The notation of what the words mean; whether it may be played is for the rules to tell."""
    found = resolve(words, errand.legal())
    if isinstance(found, Ambiguous):
        meanings = " or ".join(f'"{notation}"' for notation in found.notations)
        raise Problem("form", f"That can mean more than one move: {meanings}. Send the one you mean.")
    if not isinstance(found, NotLegal):
        return found.notation
    if found.notation is None:
        raise Problem("form", "That move cannot be made by any ticket; one with its ticket reads like taxi NN.")
    return found.notation


def _try(errand: Errand, command: grammar.Command) -> None:
    assert command.move is not None
    _check_current(errand)
    notation = moves.check_move(errand.game, errand.player, _understand(errand, command.move))
    errand.title = errand.title or "the move could be made"
    errand.told.append(f'The move "{notation}" could be made. It was only tried; nothing was done.')


def _cancel(errand: Errand, _command: grammar.Command) -> None:
    taken_back = moves.forget_ahead(errand.game.id, errand.player)
    errand.title = errand.title or "what you sent ahead"
    errand.told.append("What you had sent ahead is taken back." if taken_back else "You had sent nothing ahead.")


# Questions and seats ---------------------------------------------------------------------------


def _resign(errand: Errand, _command: grammar.Command) -> None:
    """Asked once more, since it cannot be taken back."""
    if errand.stale or errand.game.status != "running":
        _check_current(errand)
        raise Problem("game-not-running", "The game is over; there is nothing to give up.")
    assert errand.token is not None  # without one nothing but what changes nothing is done
    errand.token.question = {"resign": True}
    errand.title = "do you give the game up?"
    errand.told.append(
        "You want to give the game up. Nothing was done yet: answer with the word YES on a line of its own, and "
        "it is so. Mr. X ends the game with it, and so does the last detective; other detectives leave their "
        "pawns to the house."
    )


def _yes(errand: Errand, _command: grammar.Command) -> None:
    question = errand.token.question if errand.token else None
    if question is not None and "resign" in question:
        custody.resign(errand.game.id, errand.player)
        errand.title = "you have given the game up"
        errand.told.append("You have given the game up.")
        return
    if question is not None:
        words = grammar.parse_line(question["notation"])
        assert words is not None
        assert words.move is not None
        _move(errand, [words.move])
        return
    if errand.game.status != "open" or errand.seat.player_id is not None:
        raise Problem("form", "There is no open question to answer with YES.")
    lobby.join(errand.game.id, errand.player, seat=errand.seat.number)
    errand.title = "the seat is yours"
    errand.told.append(f"You have taken the seat of {role(errand.seat)}. A mail comes when the game begins.")


def _no(errand: Errand, _command: grammar.Command) -> None:
    if errand.token is not None and errand.token.question is not None:
        errand.token.question = None
        errand.title = errand.title or "nothing was done"
        errand.told.append("All right, nothing of that was done.")
        return
    if errand.game.status != "open" or errand.seat.player_id is not None:
        raise Problem("form", "There is no open question to answer with NO.")
    lobby.leave(errand.game.id, errand.player, errand.seat.number)
    errand.title = "the invitation is declined"
    errand.told.append("You have declined the invitation, and the seat is open to others.")


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
        case "zone":
            accounts.prefer(errand.player.id, zone=zone_like(value))
        case "mail":
            accounts.prefer(errand.player.id, mail=value.lower())
        case _:
            raise Problem("form", "There are no pictures in our mails yet, so nothing about them can be set.")
    errand.title = errand.title or "your settings"
    errand.told.append(answers.settings(errand.player))


def _stop(errand: Errand, _command: grammar.Command) -> None:
    accounts.prefer(errand.player.id, mail="off")
    errand.title = errand.title or "no more mail"
    errand.told.append(answers.settings(errand.player))


# Asking ----------------------------------------------------------------------------------------


def _status(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "how the game stands"


def _legal(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "your choices"


def _log(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "the travel log"
    answers.tell_log(errand)


def _board(errand: Errand, command: grammar.Command) -> None:
    answers.tell_board(errand, command.stations)


def _help(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "help"
    errand.told += _help_text()


def _help_text() -> list[str]:
    return [answers.help_lines(["move", *_HANDLERS]), answers.HOW_TO]


_HANDLERS: dict[str, Callable[[Errand, grammar.Command], None]] = {
    "yes": _yes, "no": _no, "start": _start, "leave": _leave, "cancel": _cancel, "try": _try,
    "set": _set, "stop": _stop, "say": _say, "say_all": _say_all,
    "resign": _resign, "status": _status, "legal": _legal, "log": _log, "board": _board, "help": _help,
}  # fmt: skip


# What is not done ------------------------------------------------------------------------------


def _refuse(errand: Errand, problem: Problem) -> str:
    errand.title = "nothing was done"
    errand.told = [f"{sentences.reason(problem.sentence)} Nothing was done."]
    return _advise(errand, problem.code)


def _unreadable(errand: Errand) -> str:
    """No command was found. If the words name exactly one legal move, ask whether it was meant."""
    problem = errand.reading.problem
    meant = suggest(errand.reading.lines, errand.legal()) if problem is None and errand.token else None
    if meant is None:
        errand.title = "your mail could not be read" if problem else "no command was found"
        errand.told = [answers.UNREADABLE.get(problem, answers.BROKEN) if problem else answers.NO_COMMAND]
        return _advise(errand, "unreadable")
    answers.tell_question(errand, meant)
    verdict = _advise(errand, "asked")
    if verdict == "asked" and errand.token is not None:
        errand.token.question = {"notation": meant}
    return verdict


def _from_elsewhere(errand: Errand) -> str:
    """The right reply address, but another From: who wrote is not answered; the registered address is told once."""
    told = select(Incoming.recipient).where(Incoming.game_id == errand.game.id, Incoming.verdict == "other-sender")
    if errand.row.recipient.lower() in (recipient.lower() for recipient in session.scalars(told)):
        return "other-sender-unanswered"
    errand.title = "a mail from another address was not obeyed"
    errand.told = [answers.ELSEWHERE]
    return _advise(errand, "other-sender")


def _without_seat(row: Incoming, reading: Reading, why: str) -> str:
    """A mail without a token that is good: nothing is changed on its word.

    A player gets what changes nothing, and for everything else an answer with a token that carries proof. Whoever is
    no player gets no answer.
    """
    sender = reading.from_addresses[0] if len(reading.from_addresses) == 1 else ""
    player = with_email(sender)
    if player is None:
        return "stranger"
    names = {command.name for command in grammar.parse(reading.lines, reading.subject).commands}
    games = _games_of(player)
    if not games:
        return _without_game(row, reading, player, wants_help="help" in names)
    errand = Errand(row, reading, None, *games[0], player, games[1:])
    if names <= HARMLESS:
        return _obey(errand)
    errand.title = "please answer this mail"
    errand.told = [why]
    return _advise(errand, "no-proof")


def _games_of(player: Player) -> list[tuple[Game, Seat]]:
    """The games a player sits in or is invited to, those that wait for him first, then by deadline."""
    mine = (Seat.player_id == player.id) | (Seat.invited_id == player.id)
    query = select(Game).join(Seat).where(mine, Game.status.in_(("running", "open")))
    found = []
    for game in session.scalars(query.order_by(Game.status.desc(), Game.due_at, Game.created_at)).unique():
        seat = facts.seat_of(game, player)
        assert seat is not None
        found.append((game, seat))
    return sorted(found, key=lambda pair: pair[1] not in waiting(pair[0]))


def _without_game(row: Incoming, reading: Reading, player: Player, *, wants_help: bool) -> str:
    if _told_today(player) >= MOST_A_DAY:
        return "no-game-unanswered"
    details = answers.without_game(_help_text() if wants_help else [], reading.message_id)
    notices.post(player.id, "advice", details=details, cause=row.id)
    return "no-game"


# Answering -------------------------------------------------------------------------------------


def _answer(errand: Errand) -> None:
    notices.post(errand.player.id, "answer", errand.game, details=answers.details(errand), cause=errand.row.id)


def _advise(errand: Errand, verdict: str) -> str:
    """Answer what was not obeyed, or help: so many times for a token, and so many a day."""
    told = errand.token.errors_told if errand.token else 0
    if told >= MOST_ERRORS or _told_today(errand.player) >= MOST_A_DAY:
        return f"{verdict}-unanswered"
    if errand.token is not None:
        errand.token.errors_told += 1
    details = answers.details(errand)
    notices.post(errand.player.id, "advice", errand.game, details=details, cause=errand.row.id)
    return verdict


def _told_today(player: Player) -> int:
    advice = (
        Outgoing.player_id == player.id,
        Outgoing.kind == "advice",
        Outgoing.created_at > now() - timedelta(days=1),
    )
    return session.scalar(select(func.count()).select_from(Outgoing).where(*advice)) or 0
