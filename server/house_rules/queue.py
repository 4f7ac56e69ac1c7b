"""Queued moves: a detective's move that waits for its turn, at most one for each pawn."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from server import engine
from server.house_rules.draft import Draft
from server.house_rules.situation import Situation
from server.house_rules.standing import QueuedMove, Seat
from server.house_rules.turns import check_legal
from server.vocabulary.errors import Problem

_Queued = TypeVar("_Queued", bound=Any)


def add(draft: Draft, seat: Seat, move: engine.Move, otherwise: Sequence[engine.Move] = ()) -> None:
    """Queue a move of the seat, in the place of an earlier one of the same pawn, queued or held.

    `otherwise` are played in its place if it is not legal when its turn comes, the first that is.
    """
    drop(draft.game, [queued for queued in draft.game.queue if queued.pawn == move.pawn])
    draft.game.forget_held([move.pawn])
    others = [str(other) for other in otherwise] or None
    queued = QueuedMove(move.pawn, seat.number, draft.state.round, str(move), draft.now, others)
    draft.game.queue.append(queued)
    draft.game.queue.sort(key=lambda queued: (queued.kept_at, queued.pawn))


def take_back(draft: Draft, player_id: str, pawn: str | None = None) -> int:
    """Delete the queued and held moves of a player, or of one of their pawns; return how many there were."""
    return clear(draft, draft.game.seat_of_player(player_id), pawn)


def clear(draft: Draft, seat: Seat, pawn: str | None = None) -> int:
    """Delete the queued and held moves of the seat, or of one of its pawns; return how many there were."""
    own = [each for each in draft.game.queue if each.seat == seat.number and pawn in (None, each.pawn)]
    held = [each for each in draft.game.held if each.seat == seat.number and pawn in (None, each.pawn)]
    drop(draft.game, own)
    draft.game.forget_held([each.pawn for each in held])
    return len(own) + len(held)


def drop(game: Situation, gone: list[QueuedMove]) -> None:
    """Delete these queued moves."""
    pawns = {queued.pawn for queued in gone}
    game.queue = [queued for queued in game.queue if queued.pawn not in pawns]


def stations(game: Situation) -> set[int]:
    """Return the stations that queued moves lead to."""
    return {engine.Move.parse(notation).station for queued in game.queue for notation in queued.notations}


def due_moves(queue: list[_Queued], state: engine.Game) -> Iterator[tuple[_Queued, engine.Move | Problem]]:
    """Yield each move of the queue as its turn comes, and take it out of the list.

    Beside it is the move, which the caller plays, or the `Problem` why it is not legal any more.
    """
    while state.outcome is None:
        due = next((row for row in queue if row.round == state.round and row.pawn in state.to_move), None)
        if due is None:
            return
        queue.remove(due)
        yield due, _first_legal(due, state)


def _first_legal(queued: Any, state: engine.Game) -> engine.Move | Problem:
    """Return the first move of the order that is legal, or the `Problem` of the first of all."""
    problems = []
    for notation in queued.notations:
        try:
            return check_legal(state, engine.Move.parse(notation), queued.pawn)
        except Problem as problem:
            problems.append(problem)
    return problems[0]
