"""What happens when time runs out. Firing goes through the same function as a move."""

from datetime import datetime, timedelta

from sqlalchemy import select, update

from server import engine, house
from server.application import moves, notices, sealing
from server.application.errors import Problem
from server.application.games import check_reason, happened, rebuild
from server.models import Deadline, Game, MoveAhead, Seat, session, transaction
from server.runtime import now, runtime

RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=1)


def due(at: datetime, limit: int = 100) -> list[tuple[str, str, datetime]]:
    """`(id, game id, due_at)` of what is due, oldest first."""
    query = (
        select(Deadline.id, Deadline.game_id, Deadline.due_at)
        .where(Deadline.state == "armed", Deadline.try_at <= at)
        .order_by(Deadline.try_at)
        .limit(limit)
    )
    return [tuple(row) for row in session.execute(query)]  # type: ignore[misc]


def fire(deadline_id: str) -> bool:
    """Do what a due row says, exactly once; False when it was no longer to be done.

    The guarded update claims the row and is undone with everything else if anything fails.
    """
    with transaction():
        game_id = session.scalar(select(Deadline.game_id).where(Deadline.id == deadline_id))
        # The game's row first, as movers do: two that wait for each other's row would never end.
        game = session.get_one(Game, game_id, with_for_update=True)
        claim = (Deadline.id == deadline_id, Deadline.state == "armed", Deadline.due_at <= now())
        if not session.execute(update(Deadline).where(*claim).values(state="fired")).rowcount:  # type: ignore[attr-defined]
            return False
        row = session.get_one(Deadline, deadline_id)
        _KINDS[row.kind](game, row)
    return True


def postpone(deadline_id: str) -> None:
    """Firing failed: try again later, ever more rarely, but never give up."""
    with transaction():
        row = session.get_one(Deadline, deadline_id)
        row.attempts += 1
        row.try_at = now() + min(RETRY * 2 ** min(row.attempts - 1, 10), LONGEST_RETRY)


def reinstate(game_id: str, reason: str) -> Game:
    """Take a game up again that lateness or a resignation ended, while that is provisional: the operator's undo."""
    with transaction():
        game = session.get(Game, game_id, with_for_update=True)
        if game is None:
            raise Problem("not-found", "There is no such game.")
        if game.status != "over" or game.final or game.reason not in ("out_of_time", "resigned"):
            raise Problem(
                "game-not-running",
                "Only a game that lateness or a resignation ended, and that is not final, can be taken up.",
            )
        moves.disarm(game)
        game.status, game.winner, game.reason, game.ended_at, game.final_at = "running", None, None, None, None
        game.mr_x_misses = 0
        happened(game, "reinstated", reason=check_reason(game, reason))
        moves.arm(game, rebuild(game), serial=game.events)
        notices.announced(game, "reinstated")
    return game


def _remind(game: Game, row: Deadline) -> None:
    # Where the time is up already, as after a standstill of the server, there is nothing left to remind of.
    time_left = game.due_at is not None and now() < game.due_at
    if time_left and (game.side, game.round) == (row.side, row.round):
        notices.reminder(waiting(game))


def _time_out(game: Game, row: Deadline) -> None:
    if (game.side, game.round) != (row.side, row.round):
        return
    if row.side == "detectives":
        _move_for_the_late(game)
    elif game.mr_x_misses == 0:
        game.mr_x_misses = 1
        moves.arm(game, rebuild(game), serial=game.events + 1)
        assert game.due_at is not None
        happened(game, "granted", due_at=game.due_at.isoformat())
        notices.announced(game, "granted")
    else:
        moves.end(game, rebuild(game), "detectives", "out_of_time", undoable=True)


def _move_for_the_late(game: Game) -> None:
    table = rebuild(game)
    late: set[int] = set()
    half = (game.side, game.round)
    while table.outcome is None and (game.side, game.round) == half:
        pawn = table.to_move[0]
        move = _chosen(game, table, "constable", pawn)
        seat = next(seat for seat in game.seats if pawn in seat.pawns)
        late.add(seat.number)
        moves.enter(game, table, move, "house")
    for seat in game.seats:
        if seat.number in late:
            seat.misses += 1
            notices.late(seat)


def _move_of_the_house(game: Game, _row: Deadline) -> None:
    """One pawn moves; if it is the turn of another one of the house's then, that one has a row of its own."""
    if game.status != "running":
        return
    table = rebuild(game)
    for seat in game.seats:
        for pawn in seat.pawns:
            if seat.bot and pawn in table.to_move:
                moves.enter(game, table, _chosen(game, table, seat.bot, pawn), "bot")
                return


def _chosen(game: Game, table: engine.Game, name: str, pawn: str) -> engine.Move:
    """What a player of the house would do with a pawn, from what is shown to whoever holds it."""
    legal = table.legal_moves(pawn)
    # Where a teammate has sent his pawn ahead the house does not go: his move would come back, too late.
    free = [move for move in legal if pawn == "mr_x" or move.station not in moves.stations_ahead(game)]
    return house.choose(name, table.view(pawn), free or legal, runtime().dice("house"))


def _finish(game: Game, _row: Deadline) -> None:
    if game.status == "over" and not game.final:
        game.final = True
        happened(game, "final", **sealing.opening(game, rebuild(game)))
        notices.announced(game, "final")


def waiting(game: Game) -> list[Seat]:
    """The seats whose move is missing in this half; one that has sent its moves ahead is not among them."""
    if game.status != "running":
        return []
    table = rebuild(game)
    if table.to_move == ("mr_x",):
        return [seat for seat in game.seats if seat.role == "mr_x"]
    kept = set(session.scalars(select(MoveAhead.pawn).where(MoveAhead.game_id == game.id)))
    able = {pawn for seat in game.seats for pawn in seat.pawns if moves.choices(table, pawn)}
    return [seat for seat in game.seats if able & set(seat.pawns) - kept]


_KINDS = {"reminder": _remind, "timeout": _time_out, "move": _move_of_the_house, "final": _finish}
