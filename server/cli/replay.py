"""Replay a game record move by move: a whole one as it was, a redacted one as everybody saw it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from server import engine
from server.engine import record
from server.engine.position import PlacedMrX
from server.engine.view import Result

Data = record.Record
Lines = Mapping[str, int]


class Step(NamedTuple):
    """The game after `ply` moves: the last of them, its round, and a view."""

    ply: int
    round: int
    move: str | None
    view: engine.View


def walk(source: str | Mapping[str, object]) -> list[Step]:
    """Return the steps of a record from the start to its last move; raise `RecordError` if it is wrong."""
    data, lines = record.read(source)
    redacted = record.is_redacted(data)
    played = _fitting(data, lines) if redacted else engine.Game.replay(source)
    return list(_steps(played, data, redacted))


def _steps(played: engine.Game, data: Data, redacted: bool) -> Iterator[Step]:
    game = _begun(played)
    shown = ("spectator", False) if redacted else ("mr_x", True)
    moves = zip((game.round, *played.rounds), (None, *played.history), strict=True)
    for ply, (number, move) in enumerate(moves):
        if move:
            game.play(move)
        view = game.view(*shown)
        if ply == len(played.history):
            view["outcome"] = view["outcome"] or _outcome(data["result"])
        yield Step(ply, number, view["history"][-1] if move else None, view)


def _begun(played: engine.Game) -> engine.Game:
    """Return a game with the same beginning and no moves."""
    if played.position:
        return engine.Game.at(played.edition, played.position)
    return engine.Game(played.edition, played.players, played.starts)


def _outcome(result: str) -> Result | None:
    """Return the outcome of a game that lateness or a resignation ended, which the rules do not know."""
    winner, _, reason = result.partition(", ")
    return None if result == record.UNFINISHED else {"winner": winner, "reason": reason}


# A redacted record is held against the rules by playing it with a Mr. X of our own: all games that fit it look the
# same to a spectator, so any of them will do.


def _fitting(data: Data, lines: Lines) -> engine.Game:
    """Return a game that looks like this record to everybody but Mr. X."""
    worlds = _openings(data, lines)
    for number, moves in enumerate(data["moves"], 1):
        for text in moves:
            worlds = _after(worlds, text, number, lines.get(f"round {number}", 0))
    result, line = data["result"], lines.get("result", 0)
    ended = [game for game in worlds if record.result(game) == result]
    game = (ended or [game for game in worlds if not game.outcome] or worlds)[0]
    record.check_result(game, result, line)
    told = [text for moves in data["moves"] for text in moves]
    for text, seen, number in zip(told, game.view("spectator")["history"], game.rounds, strict=True):
        if text != seen:
            line = lines.get(f"round {number}", 0)
            raise _fault(line, f'Round {number}, "{text}": to everybody this move was "{seen}".')
    return game


def _openings(data: Data, lines: Lines) -> list[engine.Game]:
    """Return the game with Mr. X on each station he may have begun from."""
    found: list[engine.Game] = []
    faults: Counter[tuple[str, int]] = Counter()
    for station in record.edition_of(data, lines).board.stations:
        try:
            found.append(record.begin(engine.Game, _placed(data, station), lines))
        except engine.RecordError as error:
            faults[str(error), error.line] += 1
    if not found:
        # A fault of one start station occurs once, a fault of the record for many of them.
        [((sentence, line), _)] = faults.most_common(1)
        raise engine.RecordError(sentence, line)
    return found


def _placed(data: Data, station: int) -> Data:
    if "starts" in data:
        return {**data, "starts": {"mr_x": station, **data["starts"]}}
    his: PlacedMrX = {**data["position"]["mr_x"], "station": station}
    return {**data, "position": {**data["position"], "mr_x": his}}


def _after(worlds: list[engine.Game], text: str, number: int, line: int) -> list[engine.Game]:
    """Return the games after one more move, one for each station Mr. X may be on then."""
    found: dict[int, engine.Game] = {}
    going_on = [game for game in worlds if not game.outcome]
    fault = "no move of Mr. X's fits this." if going_on else "the game is over."
    for game in going_on:
        try:
            for move in _meant(game, text):
                if move.pawn != "mr_x" or move.station not in found:
                    after = game.copy()
                    after.play(move)
                    found[after.station("mr_x")] = after
        except engine.MoveError as error:
            fault = str(error)
    if not found:
        raise _fault(line, f'Round {number}, "{text}": {fault}')
    after = next(iter(found.values()))
    if after.rounds[-1] != number:
        raise _fault(line, f'The move "{text}" is in round {after.rounds[-1]}, not {number}.')
    return list(found.values())


def _meant(game: engine.Game, text: str) -> list[engine.Move]:
    """Return the moves of one game that a redacted notation may stand for."""
    move = engine.Move.parse(" ".join("0" if word == "?" else word for word in text.split()))
    if move.pawn or game.to_move != ("mr_x",):
        return [game.check(move)]
    fitting = [
        other
        for other in game.legal_moves()
        if len(other.legs) == len(move.legs)
        and all(
            ticket == leg.ticket and station in (0, leg.station)
            for (ticket, station), leg in zip(move.legs, other.legs, strict=True)
        )
    ]
    return [game.check(other._replace(surface=move.surface)) for other in fitting]


def _fault(line: int, sentence: str) -> engine.RecordError:
    return engine.RecordError(f"Line {line}: {sentence}" if line else sentence, line)
