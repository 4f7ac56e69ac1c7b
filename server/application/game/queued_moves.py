"""Moves ahead: a detective's move that waits in a queue for its turn, at most one for each pawn."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import Row, bindparam, select

from server import engine
from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.game.access import seat_of, visible
from server.application.game.choices import check_legal
from server.models import Game, Player, QueuedMove, Seat, insert, rows, session, table_of, transaction, under_way
from server.runtime import now

_OF_GAME = select(table_of(QueuedMove)).where(QueuedMove.game_id == bindparam("game"))
_OF_GAME = _OF_GAME.order_by(QueuedMove.kept_at, QueuedMove.pawn)
_OF_GAMES = select(table_of(QueuedMove)).where(QueuedMove.game_id.in_(bindparam("games", expanding=True)))
_DELETE = (
    table_of(QueuedMove).delete().where(QueuedMove.game_id == bindparam("game"), QueuedMove.pawn == bindparam("of"))
)
QueuedRow = Row[Any]
"""A row of the table of `QueuedMove`, read without its class."""
_Queued = TypeVar("_Queued", bound=Any)


def of_game(game_id: str) -> list[QueuedRow]:
    """Return the queued moves of the game in the order in which they came.

    A transaction in which a move was made has the game locked, and remembers them.
    """
    work = under_way()
    known = work.found.get(_key(game_id)) if work else None
    return list(rows(_OF_GAME, game=game_id) if known is None else known)


def of_games(ids: Sequence[str]) -> dict[str, list[QueuedRow]]:
    """Return the queued moves of each of the games, in one statement."""
    found: dict[str, list[QueuedRow]] = {game_id: [] for game_id in ids}
    for row in rows(_OF_GAMES, games=ids) if ids else ():
        found[row.game_id].append(row)
    return found


def of_player(game: Game, player: Player) -> list[dict[str, str]]:
    """Return the queued moves of `player`, as `facts`."""
    own = seat_of(game, player).number
    return [facts(row) for row in of_game(game.id) if row.seat == own]


def facts(row: QueuedRow) -> dict[str, str]:
    """Return a queued move as the team sees it."""
    return {"pawn": row.pawn, "notation": row.notation}


def stations(game: Game) -> set[int]:
    """Return the stations that queued moves lead to."""
    return {engine.Move.parse(row.notation).station for row in of_game(game.id)}


def take_back(game_id: str, player: Player) -> int:
    """Delete the queued moves of `player`; return how many there were."""
    with transaction():
        game = visible(game_id, player, lock=True)
        own = seat_of(game, player).number
        queued = [row for row in of_game(game.id) if row.seat == own]
        begin_to_write()
        drop(queued)
    return len(queued)


def due_moves(queue: list[_Queued], state: engine.Game) -> Iterator[tuple[_Queued, engine.Move | Problem]]:
    """Yield each move of the queue as its turn comes, and take it out of the list.

    Beside it is the move, which the caller plays, or the `Problem` why it is not legal any more.
    """
    while state.outcome is None:
        due = next((row for row in queue if row.round == state.round and row.pawn in state.to_move), None)
        if due is None:
            return
        queue.remove(due)
        try:
            yield due, check_legal(state, engine.Move.parse(due.notation), due.pawn)
        except Problem as problem:
            yield due, problem


# Within the transaction under way -----------------------------------------------------------------


def put(game: Game, seat: Seat, state: engine.Game, move: engine.Move) -> None:
    """Queue a move of the seat, in the place of an earlier one of the same pawn."""
    drop([row for row in of_game(game.id) if row.pawn == move.pawn])
    row = {"game_id": game.id, "pawn": move.pawn, "seat": seat.number, "round": state.round}
    insert(QueuedMove, row | {"notation": str(move), "kept_at": now()})
    remember(game.id, list(rows(_OF_GAME, game=game.id)))


def drop_of_seat(seat: Seat) -> None:
    """Delete the queued moves of the seat."""
    drop([row for row in of_game(seat.game_id) if row.seat == seat.number])


def drop(queued: Sequence[QueuedRow]) -> None:
    """Delete these queued moves."""
    for row in queued:
        session.execute(_DELETE, {"game": row.game_id, "of": row.pawn})
        remember(row.game_id, None)


def remember(game_id: str, queued: list[QueuedRow] | None) -> None:
    """Remember the queue as it was just written; None has it read again."""
    work = under_way()
    assert work is not None
    work.found[_key(game_id)] = queued


def _key(game_id: str) -> str:
    return f"ahead of {game_id}"
