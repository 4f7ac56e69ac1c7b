"""How a move enters a game. There is one way, `enter`, whoever brings the move:

a player by REST or by mail (`submit`), a move kept for its turn, or the house when time has run out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update

from server import engine
from server.application import clock as clocks
from server.application import notices, sealing
from server.application.errors import Problem
from server.application.games import happened, keep, rebuild, seat_of, visible
from server.models import Deadline, Game, Move, MoveAhead, Player, Seat, session, transaction
from server.runtime import now, runtime

# How long a player of the house thinks, always: how hard its choice was is nobody's business.
THINKING = timedelta(seconds=2)


@dataclass(frozen=True)
class Submitted:
    """What became of a move: played now, or kept for its turn (`kept`). `notation` is how it was understood.

    `table` is the game as it stands then.
    """

    game: Game
    seat: Seat
    table: engine.Game
    notation: str
    kept: bool


@dataclass(frozen=True)
class Wanted:
    """A move as it was sent: notation, or the fields of a move in JSON.

    `turn` is the turn it was meant for; None where something else (a reply address) tells that it is current.
    """

    move: str | Mapping[str, Any]
    turn: int | None = None
    pawn: str | None = None
    dry_run: bool = False


def submit(game_id: str, player: Player, read: Callable[[], Wanted], named: Mapping[str, Any]) -> Submitted:
    """Commit a move of `player`, or keep it for its turn.

    The order of checks is fixed: whose game and seat it is comes before the form, which `read` checks, and nothing
    secret is looked at before the move is irrevocable. `named` is what came, for the check whether a pawn that it
    names, however malformed it is otherwise, is the player's.
    """
    with transaction():
        game = visible(game_id, player, lock=True)
        _check_owner(seat_of(game, player), named)
        submitted = place(game, player, read())
    keep(game, submitted.table)
    return submitted


def place(game: Game, player: Player, wanted: Wanted) -> Submitted:
    """`submit` of a move whose form is known, within a transaction that is already open."""
    seat = seat_of(game, player)
    if wanted.pawn is not None:
        _check_own(seat, wanted.pawn)
    form = _form(wanted)
    if form.pawn:
        _check_own(seat, form.pawn)
    if game.status != "running":
        began = "has not begun" if game.status == "open" else "is over"
        raise Problem("game-not-running", f"This game {began}; there is nothing to move.")
    if wanted.turn is not None and wanted.turn != game.turn:
        sentence = f"Turn {wanted.turn} was answered; now turn {game.turn} is awaited."
        raise Problem("stale-turn", sentence, turn=game.turn)
    table = rebuild(game)
    mover = _mover(table, seat, form)
    move = _legal(table, form, mover)
    kept = mover not in table.to_move
    if kept and not wanted.dry_run:
        _keep(game, seat, table, move)
    elif not wanted.dry_run:
        enter(game, table, move, "player")
    return Submitted(game, seat, table, str(move), kept)


def check_move(game: Game, player: Player, wanted: str) -> str:
    """The notation of a move that `player` could send now; the `Problem` that `submit` would raise otherwise."""
    return place(game, player, Wanted(wanted, dry_run=True)).notation


def kept_of(game: Game, player: Player) -> list[dict[str, str]]:
    """The moves `player` has kept for their turn."""
    kept = session.scalars(select(MoveAhead).where(MoveAhead.game_id == game.id).order_by(MoveAhead.kept_at))
    mine = seat_of(game, player).number
    return [{"pawn": row.pawn, "notation": row.notation} for row in kept if row.seat == mine]


def stations_ahead(game: Game) -> set[int]:
    """Where the moves that are kept would lead."""
    kept = session.scalars(select(MoveAhead.notation).where(MoveAhead.game_id == game.id))
    return {engine.Move.parse(notation).station for notation in kept}


def forget_ahead(game_id: str, player: Player) -> int:
    """Take back what `player` has kept; how many there were."""
    with transaction():
        game = visible(game_id, player, lock=True)
        mine = seat_of(game, player).number
        kept = session.scalars(select(MoveAhead).where(MoveAhead.game_id == game.id, MoveAhead.seat == mine)).all()
        for row in kept:
            session.delete(row)
    return len(kept)


def enter(game: Game, table: engine.Game, move: engine.Move, by: str) -> None:
    """Commit a move and whatever was kept behind it; then tell who is to move now, and until when.

    The only way into a game. `by` is player, bot (a player of the house in a seat of its own), or house (for who is
    late).
    """
    half, on_go = half_of(table), _seats_on_go(game, table)
    # Asked for before anything is written, so that all is written at once.
    query = select(MoveAhead).where(MoveAhead.game_id == game.id)
    waiting = list(session.scalars(query.order_by(MoveAhead.kept_at, MoveAhead.pawn)))
    came_back: dict[int, list[dict[str, str]]] = {}
    with session.no_autoflush:
        _commit(game, table, move, by)
        while table.outcome is None and (kept := _next_ahead(waiting, table)) is not None:
            waiting.remove(kept)
            session.delete(kept)
            seat = _seat(game, kept.seat)
            on_go = on_go | {seat.number}  # he has sent something ahead, or is told that it came back
            try:
                ahead = _legal(table, _form(Wanted(kept.notation)), kept.pawn)
            except Problem as problem:
                came_back.setdefault(seat.number, []).append({"notation": kept.notation, "why": problem.sentence})
            else:
                _commit(game, table, ahead, "ahead")
        for kept in waiting:
            if not choices(table, kept.pawn):  # it was passed over, or the game is over
                session.delete(kept)
        if table.outcome is not None:
            return
        if half_of(table) != half:
            begin_half(game, table)
        else:
            for number, moves in came_back.items():
                notices.returned(_seat(game, number), moves)
            for number in sorted(_seats_on_go(game, table) - on_go):
                notices.go(_seat(game, number))
            call_the_house(game, table)


def begin_half(game: Game, table: engine.Game) -> None:
    """Arm the deadlines of the half of a round that begins now, and tell its seats."""
    game.side, game.round = half_of(table)
    arm(game, table)
    notices.half_begun(game, game.side)


def arm(game: Game, table: engine.Game, serial: int = 1) -> None:
    """Give the current half its full time from now."""
    assert game.side is not None and game.round is not None  # noqa: PT018 both belong to a running game
    disarm(game)
    game.due_at = clocks.due(game.clock, game.side, now())
    remind_at = clocks.remind(game.clock, game.side, now())
    for kind, due_at in (("timeout", game.due_at), ("reminder", remind_at)):
        add_deadline(game, kind, due_at, serial)
    call_the_house(game, table, serial)


def call_the_house(game: Game, table: engine.Game, serial: int = 1) -> None:
    """Where a player of the house is to move, it does so when it has thought."""
    if any(seat.bot for seat in game.seats if set(seat.pawns) & set(table.to_move)):
        add_deadline(game, "move", now() + THINKING, max(serial, game.events))


def add_deadline(game: Game, kind: str, due_at: datetime, serial: int = 1) -> None:
    """One row of something that has to happen at `due_at`."""
    row = Deadline(
        id=runtime().new_id("deadline"),
        game_id=game.id,
        kind=kind,
        side=game.side,
        round=game.round,
        serial=serial,
        due_at=due_at,
        try_at=due_at,
    )
    session.add(row)


def disarm(game: Game) -> None:
    """Cancel what is armed: nothing of a half that is over may fire."""
    game.due_at = None
    armed = (Deadline.game_id == game.id, Deadline.state == "armed")
    statement = update(Deadline).where(*armed).values(state="cancelled")
    session.execute(statement, execution_options={"synchronize_session": False})


def end(game: Game, table: engine.Game, winner: str, reason: str, *, undoable: bool = False) -> None:
    """The game is over. What play did not bring about is provisional for a while, and opens nothing until then."""
    disarm(game)
    for kept in session.scalars(select(MoveAhead).where(MoveAhead.game_id == game.id)):
        session.delete(kept)
    game.status, game.winner, game.reason, game.ended_at = "over", winner, reason, now()
    provisional = clocks.provisional(game.clock) if undoable else None
    game.final = not provisional
    if provisional:
        game.final_at = now() + provisional
        add_deadline(game, "final", game.final_at, serial=game.events)
    opened = sealing.opening(game, table) if game.final else {}
    happened(game, "ended", winner=winner, reason=reason, final=game.final, **opened)
    notices.announced(game, "ended")


def _commit(game: Game, table: engine.Game, move: engine.Move, by: str) -> None:
    """Write one move. The row's primary key (game, turn) keeps a second one out."""
    turn = table.turn
    happenings = table.play(move)
    session.add(Move(game_id=game.id, turn=turn, pawn=move.pawn, notation=str(move), by=by, made_at=now()))
    game.turn = turn + 1
    public = table.view("spectator")["history"][-1]
    passed_over = [event.pawn for event in happenings if isinstance(event, engine.PassedOver)]
    windows = next(event.windows for event in happenings if isinstance(event, engine.Moved))
    sealed = sealing.of_move(game, table, windows)
    happened(game, "moved", pawn=move.pawn, notation=public, by=by, passed_over=passed_over, **sealed)
    outcome = table.outcome
    if outcome is not None:
        end(game, table, outcome.winner, outcome.reason, undoable=by == "house")


def _next_ahead(waiting: list[MoveAhead], table: engine.Game) -> MoveAhead | None:
    return next((kept for kept in waiting if kept.round == table.round and kept.pawn in table.to_move), None)


def _keep(game: Game, seat: Seat, table: engine.Game, move: engine.Move) -> None:
    session.merge(
        MoveAhead(
            game_id=game.id,
            pawn=move.pawn,
            seat=seat.number,
            round=table.round,
            notation=str(move),
            kept_at=now(),
        )
    )


def _check_owner(seat: Seat, named: Mapping[str, Any]) -> None:
    for name in (named.get("pawn"), *str(named.get("notation", "")).lower().split()[:1]):
        if name in engine.PAWNS:
            _check_own(seat, name)


def _check_own(seat: Seat, pawn: str) -> None:
    if pawn not in seat.pawns:
        raise Problem("forbidden", f"{_and([pawn])} is not yours to move; yours: {_and(seat.pawns)}.")


def _form(wanted: Wanted) -> engine.Move:
    """The move as it was written, legal or not. A detective's pawn may still be missing."""
    try:
        if isinstance(wanted.move, str):
            return engine.Move.parse(wanted.move, wanted.pawn or "")
        return engine.Move.from_json(wanted.move, wanted.pawn or "")
    except engine.Unreadable as error:
        raise Problem("form", str(error)) from None


def _mover(table: engine.Game, seat: Seat, form: engine.Move) -> str:
    """The pawn that is meant: one of the seat's that may move now, or may send its move ahead."""
    if seat.role == "mr_x":
        if table.to_move != ("mr_x",):
            raise Problem("not-your-turn", "It is the detectives' turn; yours comes when all of them have moved.")
        return "mr_x"
    if table.to_move == ("mr_x",):
        raise Problem("not-your-turn", "It is Mr. X's turn; yours comes when he has moved.")
    able = [pawn for pawn in seat.pawns if choices(table, pawn)]
    meant = [pawn for pawn in able if form.pawn in ("", pawn)]
    if not meant:
        who = _and([form.pawn] if form.pawn else seat.pawns)
        raise Problem("not-your-turn", f"{who} cannot move any more in this round.")
    if len(meant) > 1:
        fitting = [pawn for pawn in meant if form._replace(pawn=pawn) in choices(table, pawn)]
        if len(fitting) != 1:
            raise Problem("form", f"Say which pawn moves: {_and(meant)}.")
        meant = fitting
    return meant[0]


def choices(table: engine.Game, pawn: str) -> list[engine.Move]:
    """What `pawn` may send now: played at once when it is to move, kept for its turn otherwise."""
    return table.legal_moves(pawn) if pawn in table.to_move else table.moves_ahead(pawn)


def _legal(table: engine.Game, form: engine.Move, pawn: str) -> engine.Move:
    """The move, if it is legal for `pawn` now or, sent ahead, as far as can be told."""
    move = form._replace(pawn=pawn)
    try:
        return table.check(move) if pawn in table.to_move else table.check_ahead(move)
    except engine.Illegal as error:
        legal = [move.to_json() for move in error.legal]
        raise Problem("illegal", str(error), reason=error.code, legal=legal) from None


def half_of(table: engine.Game) -> tuple[str, int]:
    """Whose half of which round it is: (`mr_x` or `detectives`, round)."""
    return ("mr_x" if table.to_move == ("mr_x",) else "detectives"), table.round


def _seats_on_go(game: Game, table: engine.Game) -> set[int]:
    return {seat.number for seat in game.seats if set(seat.pawns) & set(table.to_move)}


def _seat(game: Game, number: int) -> Seat:
    return next(seat for seat in game.seats if seat.number == number)


def _and(pawns: list[str]) -> str:
    return " and ".join("Mr. X" if pawn == "mr_x" else pawn.capitalize() for pawn in pawns)
