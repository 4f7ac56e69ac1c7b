"""What a mail makes happen: who may act, what is done, and the one answer to it.

All moves of one mail are made, or none. The answer goes to the registered address and nowhere else.
"""

from collections.abc import Callable, Sequence

from sqlalchemy import select

from server.application.errors import Problem
from server.application.mail import addresses
from server.application.news import notices, talk
from server.application.people import accounts
from server.application.people.players import with_email, zone_like
from server.application.play import draws, moves
from server.application.play.games import check_running
from server.application.play.moves import waiting
from server.application.seats import custody, hosting, lobby
from server.mail import answers, elsewhere, entrance, facts, grammar, sentences, strangers, timekeeping
from server.mail.errand import Errand
from server.mail.facts import role
from server.mail.moves import PAWNS, Ambiguous, MoveWords, NotLegal, resolve, suggest
from server.mail.reading import Reading
from server.mail.senders import Findings
from server.models import Game, Incoming, Player, Seat, session

# Done at the play address too, where From alone tells who writes: they change nothing.
HARMLESS = frozenset({"status", "legal", "log", "board", "help", "try"})


def obey(row: Incoming, reading: Reading, findings: Findings) -> str:
    """Do what the mail says within the open transaction; a word on what became of it."""
    token = addresses.find(row.recipient)
    if token is None:
        if findings.failing:
            return "forged"
        return _without_seat(row, reading, answers.NO_PROOF) if addresses.is_play(row.recipient) else "unknown-address"
    game = session.get_one(Game, token.game_id, with_for_update=True, populate_existing=True)
    seat = next((seat for seat in game.seats if seat.number == token.seat), None)
    holder = (seat.player_id or seat.invited_id) if seat else None
    if seat is None or not addresses.is_good(token, seat) or not (seat.is_taken or seat.is_kept):
        if findings.failing:
            return "forged"
        return strangers.too_late(row, reading, token) or _without_seat(row, reading, answers.CHANGED_HANDS)
    if holder is None:
        return "forged" if findings.failing else strangers.obey(row, reading, token, seat)
    errand = Errand(row, reading, token, game, seat, session.get_one(Player, holder))
    return elsewhere.turned_away(errand, _author(reading), findings) or _obey(errand)


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
        return answers.advise(errand, "helped")
    _answer(errand)
    return "obeyed"


def _carry_out(errand: Errand, commands: Sequence[grammar.Command]) -> None:
    if grammar.names_pin(errand.reading.lines):  # obeyed, it would look as if that had been checked
        raise Problem("form", answers.NO_PIN)
    wanted = [command.move for command in commands if command.name == "move" and command.move]
    if wanted:
        _move(errand, wanted)
    for command in commands:
        if command.name != "move":
            _HANDLERS[command.name](errand, command)


# Moves -----------------------------------------------------------------------------------------


def _move(errand: Errand, wanted: Sequence[MoveWords], *, confirmed: bool = False) -> None:
    """All moves of the mail, or none; two for one pawn are two readings, and neither is guessed.

    Who wants to be asked first has to confirm them.
    """
    _check_current(errand)
    # All are understood from how the table stands before any is made: one move must not lend the next its meaning.
    understood = [_understand(errand, words) for words in wanted]
    movers = [notation.split()[0] for notation in understood if notation.split()[0] in PAWNS]
    if len(set(movers)) < len(movers) or (errand.seat.role == "mr_x" and len(understood) > 1):
        told = sentences.join([sentences.quoted(notation) for notation in dict.fromkeys(understood)])
        sentence = f"Your mail has more than one move for a pawn: {told}. None was made; send the one you mean."
        raise Problem("form", sentence)
    if errand.player.asks_first and not confirmed:
        _ask_first(errand, understood)
        return
    made = [moves.place(errand.game, errand.player, moves.Wanted(notation)) for notation in understood]
    if errand.token is not None:
        errand.token.question = None
    answers.tell_moves(errand, made)


def _ask_first(errand: Errand, notations: Sequence[str]) -> None:
    """The moves could be made, and are shown; YES makes them."""
    for notation in notations:
        moves.check_move(errand.game, errand.player, notation)
    assert errand.token is not None  # without one nothing but what changes nothing is done
    errand.token.question = {"moves": list(notations)}
    answers.tell_first(errand, notations)


def _check_current(errand: Errand) -> None:
    if errand.stale:
        raise Problem("stale-turn", "Your mail answers a mail about an earlier round, and the game has moved on.")
    if errand.game.status == "open":
        raise Problem("game-not-running", "The game has not begun, so there is nothing to move.")


def _understand(errand: Errand, words: MoveWords) -> str:
    """The notation of what the words mean; whether it may be played is for the rules to tell."""
    found = resolve(words, errand.legal(words.pawn))
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
    if question is not None and "draw" in question:
        _offer_draw(errand)
        return
    if question is not None and "mail" in question:
        elsewhere.confirmed(errand, question["mail"], _carry_out)
        return
    if question is not None and "invite" in question:
        entrance.send_invitations(errand, question["invite"])
        return
    if question is not None:
        read = [grammar.parse_line(notation) for notation in question["moves"]]
        _move(errand, [command.move for command in read if command and command.move], confirmed=True)
        return
    if errand.game.status != "open" or errand.seat.player_id is not None:
        timekeeping.answer(errand, is_for=True)
        return
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
        timekeeping.answer(errand, is_for=False)
        return
    lobby.leave(errand.game.id, errand.player, errand.seat.number)
    errand.title = "the invitation is declined"
    errand.told.append("You have declined the invitation, and the seat is open to others.")


def _draw(errand: Errand, command: grammar.Command) -> None:
    """The word that would end the game is asked for once more."""
    check_running(errand.game, draws.NOTHING)
    if command.text:
        draws.withdraw(errand.game.id, errand.player)
        errand.title = errand.title or "you do not offer a draw any more"
        errand.told.append("Your offer is taken back, and the game goes on.")
    elif draws.would_end(errand.game, errand.player):
        assert errand.token is not None  # without one nothing but what changes nothing is done
        errand.token.question = {"draw": True}
        errand.title = "do you agree that the game ends?"
        errand.told.append(answers.LAST_WORD)
    else:
        _offer_draw(errand)


def _offer_draw(errand: Errand) -> None:
    if errand.token is not None:
        errand.token.question = None
    draws.offer(errand.game.id, errand.player)
    is_over = errand.game.status == "over"
    errand.title = errand.title or ("the game is over" if is_over else "you offer a draw to all")
    errand.told.append(answers.AGREED if is_over else answers.OFFERED)


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
        case "zone":
            accounts.prefer(errand.player.id, zone=zone_like(value))
        case "mail":
            accounts.prefer(errand.player.id, mail=value.lower())
        case "ask":
            accounts.prefer(errand.player.id, ask=value.lower())
        case "night":
            accounts.prefer(errand.player.id, night=value)
        case "vacation":
            accounts.prefer(errand.player.id, vacation=value.lower())
        case _:
            accounts.prefer(errand.player.id, picture=value.lower())
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
    "new": entrance.new, "join": entrance.join, "invite": entrance.invite, "rematch": entrance.rematch,
    "yes": _yes, "no": _no, "start": _start, "leave": _leave, "cancel": _cancel, "try": _try,
    "set": _set, "stop": _stop, "say": _say, "say_all": _say_all,
    "draw": _draw, "host": _host,
    "away": timekeeping.away, "pause": timekeeping.pause, "resume": timekeeping.resume, "extend": timekeeping.extend,
    "wait": timekeeping.wait, "claim": timekeeping.claim, "cover": timekeeping.cover,
    "resign": _resign, "status": _status, "legal": _legal, "log": _log, "board": _board, "help": _help,
}  # fmt: skip


# What is not done ------------------------------------------------------------------------------


def _refuse(errand: Errand, problem: Problem) -> str:
    errand.title = "nothing was done"
    errand.told = [f"{sentences.reason(problem.sentence)} Nothing was done."]
    return answers.advise(errand, problem.code)


def _unreadable(errand: Errand) -> str:
    """No command was found. If the words name exactly one legal move, ask whether it was meant."""
    problem = errand.reading.problem
    meant = suggest(errand.reading.lines, errand.legal()) if problem is None and errand.token else None
    if meant is None:
        errand.title = "your mail could not be read" if problem else "no command was found"
        errand.told = [answers.UNREADABLE.get(problem, answers.BROKEN) if problem else answers.NO_COMMAND]
        return answers.advise(errand, "unreadable")
    answers.tell_question(errand, meant)
    verdict = answers.advise(errand, "asked")
    if verdict == "asked" and errand.token is not None:
        errand.token.question = {"moves": [meant]}
    return verdict


def _without_seat(row: Incoming, reading: Reading, why: str) -> str:
    """A mail without a token that is good: nothing is changed on its word.

    A player gets what changes nothing, and for everything else an answer with a token that carries proof. Whoever is
    no player gets no answer.
    """
    player = _author(reading)
    if player is None:
        return "stranger"
    commands = grammar.parse(reading.lines, reading.subject).commands
    names = {command.name for command in commands}
    if names == {"start"} and (hosted := entrance.hosted_without_seat(player)):
        return _start_for(row, reading, player, hosted)
    games = _games_of(player)
    if not games and names & entrance.WAYS_IN.keys() and names <= HARMLESS | entrance.WAYS_IN.keys():
        return _enter(row, reading, player, commands)
    if not games:
        return _without_game(row, reading, player, _help_text() if "help" in names else [])
    errand = Errand(row, reading, None, *games[0], player, games[1:])
    if names <= HARMLESS | entrance.WAYS_IN.keys():
        return _obey(errand)
    errand.title = "please answer this mail"
    errand.told = [why]
    return answers.advise(errand, "no-proof")


def _author(reading: Reading) -> Player | None:
    """The player whom the one address in From belongs to; that it was he who wrote is not proved by it."""
    return with_email(reading.from_addresses[0]) if len(reading.from_addresses) == 1 else None


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


def _without_game(row: Incoming, reading: Reading, player: Player, told: Sequence[str]) -> str:
    if answers.told_today(player) >= answers.MOST_A_DAY:
        return "no-game-unanswered"
    details = answers.without_game(told, reading.message_id)
    notices.post(player.id, "advice", details=details, cause=row.id)
    return "no-game"


def _enter(row: Incoming, reading: Reading, player: Player, commands: Sequence[grammar.Command]) -> str:
    """A player who has no game gets into one."""
    first = next(command for command in commands if command.name in entrance.WAYS_IN)
    try:
        with session.begin_nested():
            entered = entrance.WAYS_IN[first.name](player, first, is_proved=False)
            errand = Errand(row, reading, None, entered.game, entered.seat, player)
            entrance.tell(errand, entered)
            _carry_out(errand, [command for command in commands if command is not first])
    except Problem as problem:
        return _without_game(row, reading, player, [f"{sentences.reason(problem.sentence)} Nothing was done."])
    _answer(errand)
    return "obeyed"


def _start_for(row: Incoming, reading: Reading, host: Player, games: Sequence[Game]) -> str:
    """A host without a seat has no address of his own in the game; what he may do is to let it begin."""
    try:
        with session.begin_nested():
            game = entrance.start_one(host, games)
    except Problem as problem:
        return _without_game(row, reading, host, [f"{sentences.reason(problem.sentence)} Nothing was done."])
    notices.post(host.id, "answer", game, details=answers.of_host(game, reading.message_id), cause=row.id)
    return "obeyed"


# Answering -------------------------------------------------------------------------------------


def _answer(errand: Errand) -> None:
    notices.post(errand.player.id, "answer", errand.game, details=answers.details(errand), cause=errand.row.id)
