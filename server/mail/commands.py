"""What a mail makes happen: who may act, what is done, and the one answer to it.

All moves of one mail are made, or none. The answer goes to the registered address and nowhere else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import select

from server import engine
from server.application import lobby, moves, notices, projection
from server.application.deadlines import waiting
from server.application.errors import Problem
from server.mail import addresses, answers, grammar
from server.mail.moves import Ambiguous, MoveWords, NotLegal, resolve, suggest
from server.mail.reading import Reading
from server.models import Game, Incoming, Player, ReplyToken, Seat, session

# Answers to mails that could not be obeyed; whoever writes nonsense in a loop is not answered in one.
MOST_ERRORS = 3


@dataclass
class Errand:
    """One mail on its way: who wants what in which game, and what is to be answered."""

    row: Incoming
    reading: Reading
    token: ReplyToken
    game: Game
    seat: Seat
    player: Player
    told: list[str] = field(default_factory=list)
    title: str = ""

    @property
    def stale(self) -> bool:
        """Whether the mail answers a turn mail of a go that is over."""
        if self.game.status == "open":
            return False
        return self.game.status == "over" or self.token.go != self.game.round

    def legal(self) -> list[engine.Move]:
        """What the player may send now."""
        return [] if self.stale else projection.legal_moves(self.game, self.player)


def obey(row: Incoming, reading: Reading) -> str:
    """Do what the mail says within the open transaction; a word on what became of it."""
    token = addresses.find(row.recipient)
    if token is None:
        return _without_token(row, reading)
    game = session.get(Game, token.game_id, with_for_update=True)
    assert game is not None
    seat = next((seat for seat in game.seats if seat.number == token.seat), None)
    holder = (seat.player_id or seat.invited_id) if seat else None
    if seat is None or holder is None or seat.nonce != token.nonce:
        return "dead-token"
    player = session.get_one(Player, holder)
    errand = Errand(row, reading, token, game, seat, player)
    if [address.lower() for address in reading.from_addresses] != [player.email]:
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
        errand.told = [f"Nothing was done. {problem.sentence}"]
        errand.title = "nothing was done"
        return _answer_error(errand, problem.code)
    if parsed.later:
        errand.told.append("Further lines that look like commands stood below other text; they were not read.")
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
                raise Problem("form", f'"{command.line.split()[0].upper()}" is not offered by this server yet.')
            handler(errand, command)


def _move(errand: Errand, wanted: Sequence[MoveWords]) -> None:
    """All moves of the mail, or none; two for one pawn are two readings, and neither is guessed."""
    if errand.stale:
        raise Problem("stale-turn", "Your mail answers an earlier turn, and the game has moved on.")
    if errand.game.status != "running":
        raise Problem("game-not-running", "This game has not begun; there is nothing to move.")
    understood = [_understand(errand, words) for words in wanted]
    pawns = [notation.split()[0] for notation in understood] if errand.seat.role == "detective" else understood
    if len(set(pawns)) < len(pawns) or (errand.seat.role == "mr_x" and len(understood) > 1):
        raise Problem("form", "Your mail has two moves for one pawn, so neither was made; send the one you mean.")
    for notation in understood:
        submitted = moves.place(errand.game, errand.player, moves.Wanted(notation))
        answers.tell_move(errand, submitted.notation, kept=submitted.kept)


def _understand(errand: Errand, words: MoveWords) -> str:
    """The notation of what the words mean."""
    found = resolve(words, errand.legal())
    if isinstance(found, Ambiguous):
        raise Problem("form", f"That can mean more than one move: {_quoted(found.notations)}. Send the one you mean.")
    if isinstance(found, NotLegal):
        notation = found.notation
        if notation is None:
            raise Problem("form", "That move cannot be made, and it does not say by which ticket.")
        # The engine has the reason; if it finds none, the move was legal after all.
        return moves.check_move(errand.game, errand.player, notation)
    return found.notation


def _yes(errand: Errand, _command: grammar.Command) -> None:
    question = errand.token.question
    if question is not None:
        errand.token.question = None
        words = grammar.parse_line(question["notation"])
        assert words is not None
        assert words.move is not None
        _move(errand, [words.move])
        return
    if errand.game.status != "open" or errand.seat.player_id is not None:
        raise Problem("form", "There is no open question to say YES to.")
    lobby.join(errand.game.id, errand.player, seat=errand.seat.number)
    errand.title = "the seat is yours"
    errand.told.append(f"You have the seat of {answers.role(errand.seat)}. A mail comes when the game begins.")


def _no(errand: Errand, _command: grammar.Command) -> None:
    if errand.token.question is not None:
        errand.token.question = None
        errand.told.append("All right, nothing was done.")
        return
    if errand.game.status != "open" or errand.seat.player_id is not None:
        raise Problem("form", "There is no open question to say NO to.")
    lobby.leave(errand.game.id, errand.player, errand.seat.number)
    errand.told.append("The invitation is declined, and the seat is open to others.")


def _start(errand: Errand, _command: grammar.Command) -> None:
    lobby.start(errand.game.id, errand.player)
    errand.title = "the game has begun"
    errand.told.append("The start cards are dealt, and the game has begun.")


def _leave(errand: Errand, _command: grammar.Command) -> None:
    lobby.leave(errand.game.id, errand.player)
    errand.told.append("You have left the game; your seat is open to others.")


def _cancel(errand: Errand, _command: grammar.Command) -> None:
    taken_back = moves.forget_ahead(errand.game.id, errand.player)
    errand.told.append("Your moves sent ahead are taken back." if taken_back else "There was no move sent ahead.")


def _try(errand: Errand, command: grammar.Command) -> None:
    assert command.move is not None
    if errand.stale:
        raise Problem("stale-turn", "Your mail answers an earlier turn, and the game has moved on.")
    notation = moves.check_move(errand.game, errand.player, _understand(errand, command.move))
    answers.tell_try(errand, notation)


def _status(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "how the game stands"


def _legal(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "your choices"


def _log(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "the travel log"


def _board(errand: Errand, command: grammar.Command) -> None:
    errand.title = errand.title or "the board"
    answers.tell_board(errand, command.stations)


def _help(errand: Errand, _command: grammar.Command) -> None:
    errand.title = errand.title or "help"
    forms = [form for form in grammar.COMMANDS if form.name == "move" or form.name in _HANDLERS]
    errand.told.append("\n".join(f' - "{form.syntax}" {form.help}.' for form in forms))


_HANDLERS: dict[str, Callable[[Errand, grammar.Command], None]] = {
    "yes": _yes, "no": _no, "start": _start, "leave": _leave, "cancel": _cancel, "try": _try,
    "status": _status, "legal": _legal, "log": _log, "board": _board, "help": _help,
}  # fmt: skip


def _unreadable(errand: Errand) -> str:
    """No command was found. If the words name exactly one legal move, ask whether it was meant."""
    meant = suggest(errand.reading.lines, errand.legal()) if errand.reading.problem is None else None
    if meant is None:
        errand.title = "your mail could not be read"
        errand.told = [_UNREADABLE.get(str(errand.reading.problem), _NO_COMMAND)]
        return _answer_error(errand, "unreadable")
    errand.token.question = {"notation": meant}
    errand.title = "did you mean this?"
    answers.tell_question(errand, meant)
    return _answer_error(errand, "asked")


_NO_COMMAND = (
    "Your mail was read, but no line of it is a command, so nothing was done. A move stands on a line of its own, "
    "above the quoted text."
)
_UNREADABLE = {
    "too-large": "Your mail is too large to be read, so nothing was done; a line of text is enough.",
}


def _from_elsewhere(errand: Errand) -> str:
    """The right reply address, but another From: nobody who wrote is answered; the registered address is told."""
    errand.title = "a mail from another address was not obeyed"
    errand.told = [
        (
            "A mail came to your reply address in this game, but not from this address of yours. Nothing was done, and "
            "whoever wrote it got no answer. If it was you, send it again from this address."
        )
    ]
    return _answer_error(errand, "other-sender")


def _without_token(row: Incoming, reading: Reading) -> str:
    """A mail to the play address, where From alone tells who writes: nothing is changed on its word.

    A player gets the turn mails again for which he is awaited, with reply addresses that do carry proof.
    """
    if not addresses.is_play(row.recipient):
        return "unknown-address"
    sender = reading.from_addresses[0].lower() if len(reading.from_addresses) == 1 else ""
    player = session.scalar(select(Player).where(Player.email == sender))
    if player is None:
        return "stranger"
    query = select(Game).join(Seat).where(Seat.player_id == player.id, Game.status == "running")
    games = list(session.scalars(query.order_by(Game.due_at)).unique())
    waited_for = [game for game in games if any(seat.player_id == player.id for seat in waiting(game))]
    for game in waited_for:
        notices.post(player.id, "go", game, cause=row.id)
    details = answers.without_token(len(games), len(waited_for), reading.message_id)
    notices.post(player.id, "answer", details=details, cause=row.id)
    return "play-address"


def _answer(errand: Errand) -> None:
    details = answers.details(errand)
    notices.post(errand.player.id, "answer", errand.game, details=details, cause=errand.row.id)


def _answer_error(errand: Errand, verdict: str) -> str:
    if errand.token.errors_told >= MOST_ERRORS:
        return f"{verdict}-unanswered"
    errand.token.errors_told += 1
    _answer(errand)
    return verdict


def _quoted(notations: Sequence[str]) -> str:
    return " or ".join(f'"{notation}"' for notation in notations)
