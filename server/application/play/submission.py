"""A move that a player sends: whose it is, its form, whether it is legal; it is played at once or queued."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from server import engine
from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.game import queued_moves
from server.application.game.access import check_running, seat_of, visible
from server.application.game.choices import check_legal, choices
from server.application.game.cover import may_cover
from server.application.game.queued_moves import QueuedRow
from server.application.game.state import rebuild
from server.application.play import moves
from server.models import Game, Player, Seat, transaction
from server.wording.words import pawn_name, pawn_names


@dataclass(frozen=True)
class Submitted:
    """A move that was accepted: played now, or queued (`is_queued`). `notation` is the whole move as understood.

    `state` is the state of the game after it.
    """

    game: Game
    seat: Seat
    state: engine.Game
    notation: str
    is_queued: bool


@dataclass(frozen=True)
class RequestedMove:
    """A move as it was sent: notation, or the fields of a move in JSON.

    `turn` is the turn number it was meant for; None where something else (a reply address) shows that it is current.
    """

    move: str | Mapping[str, Any]
    turn: int | None = None
    pawn: str | None = None
    dry_run: bool = False


def submit(game_id: str, player: Player, read: Callable[[], RequestedMove], named: Mapping[str, Any]) -> Submitted:
    """Commit a move of `player`, or queue it for its turn.

    The order of checks is fixed: the game and the seat are checked before the form, which `read` checks, and nothing
    secret is looked at before the move is irrevocable. `named` is the request as it came: a pawn that it names must be
    the player's, however malformed the rest is.
    """
    with transaction():
        game = visible(game_id, player, lock=True)
        _check_owner(game, seat_of(game, player), named)
        return place(game, player, read())


def place(game: Game, player: Player, requested: RequestedMove) -> Submitted:
    """Commit or queue a move whose form is known, within a transaction that is already open."""
    seat = seat_of(game, player)
    form = _checked_form(game, seat, requested)
    state = rebuild(game)
    chosen = _choose(seat, state, form)
    begin_to_write()
    if not requested.dry_run and chosen.is_queued:
        queued_moves.put(game, seat, state, chosen.move)
    elif not requested.dry_run:
        moves.enter(game, state, chosen.move, chosen.by)
    return Submitted(game, seat, state, str(chosen.move), chosen.is_queued)


def check_moves(game: Game, player: Player, requested: Sequence[RequestedMove]) -> None:
    """Raise the `Problem` of the first of these moves that cannot be sent after those before it.

    They are tried in their order on a copy of what is public: the team's queued moves are played in between, nobody is
    captured, and whether Mr. X can move is left open. So a refusal tells nothing that the detectives do not know.
    """
    seat = seat_of(game, player)
    forms = [_checked_form(game, seat, one) for one in requested]
    state = rebuild(game) if seat.role == "mr_x" else rebuild(game).without_mr_x()
    queue: list[QueuedRow | _Planned] = list(queued_moves.of_game(game.id))
    for form in forms:
        chosen = _choose(seat, state, form)
        if chosen.is_queued:
            queue = [row for row in queue if row.pawn != chosen.move.pawn]
            queue.append(_Planned(chosen.move.pawn, state.round, str(chosen.move)))
        else:
            state.play(chosen.move)
            for _, due in queued_moves.due_moves(queue, state):
                if not isinstance(due, Problem):
                    state.play(due)


def check_move(game: Game, player: Player, notation: str) -> str:
    """Return the whole notation of a move that `player` could send now; raise the `Problem` of `submit` otherwise."""
    return place(game, player, RequestedMove(notation, dry_run=True)).notation


class _Chosen(NamedTuple):
    """A requested move as understood: the whole move, who brings it, and whether it waits for its turn."""

    move: engine.Move
    by: str
    is_queued: bool


class _Planned(NamedTuple):
    """A move that would be queued: the columns of `QueuedMove` that its turn asks for."""

    pawn: str
    round: int
    notation: str


def _checked_form(game: Game, seat: Seat, requested: RequestedMove) -> engine.Move:
    """Return the move as it was written, legal or not, after the checks of its pawn's owner and its turn number."""
    if requested.pawn is not None:
        _check_own(game, seat, requested.pawn)
    form = _form(requested)
    if form.pawn:
        _check_own(game, seat, form.pawn)
    check_running(game, "there is nothing to move")
    if requested.turn is not None and requested.turn != game.turn:
        why = "was answered" if requested.turn < (game.turn or 0) else "has not come"
        sentence = f"Turn {requested.turn} {why}; now turn {game.turn} is awaited."
        raise Problem("stale-turn", sentence, turn=game.turn)
    return form


def _form(requested: RequestedMove) -> engine.Move:
    """Return the move as it was written, legal or not. A detective's pawn may still be missing."""
    try:
        if isinstance(requested.move, str):
            return engine.Move.parse(requested.move, requested.pawn or "")
        return engine.Move.from_json(requested.move, requested.pawn or "")
    except engine.Unreadable as error:
        raise Problem("form", str(error)) from None


def _choose(seat: Seat, state: engine.Game, form: engine.Move) -> _Chosen:
    """Return the legal move that `form` means in `state`, which may be one without Mr. X."""
    is_covered = bool(form.pawn) and form.pawn not in seat.pawns
    mover = form.pawn if is_covered else _mover(state, seat, form)
    if is_covered and mover not in state.to_move:
        whose = pawn_name(mover)
        raise Problem("not-your-turn", f"It is not the turn of {whose}; you can move for others in their turn.")
    return _Chosen(check_legal(state, form, mover), "cover" if is_covered else "player", mover not in state.to_move)


def _mover(state: engine.Game, seat: Seat, form: engine.Move) -> str:
    """Return the pawn that is meant: one of the seat's that may move now, or may queue its move."""
    if seat.role == "mr_x":
        if state.to_move != ("mr_x",):
            raise Problem("not-your-turn", "It is the detectives' turn; yours comes when all of them have moved.")
        return "mr_x"
    if state.to_move == ("mr_x",):
        raise Problem("not-your-turn", "It is Mr. X's turn; yours comes when he has moved.")
    able = [pawn for pawn in seat.pawns if choices(state, pawn)]
    meant = [pawn for pawn in able if form.pawn in ("", pawn)]
    if not meant:
        who = pawn_names([form.pawn] if form.pawn else seat.pawns)
        raise Problem("not-your-turn", f"{who} cannot move any more in this round.")
    if len(meant) > 1:
        fitting = [pawn for pawn in meant if form._replace(pawn=pawn) in choices(state, pawn)]
        if len(fitting) != 1:
            raise Problem("form", f"Say which pawn moves: {pawn_names(meant)}.")
        meant = fitting
    return meant[0]


def _check_owner(game: Game, seat: Seat, named: Mapping[str, Any]) -> None:
    for name in (named.get("pawn"), *str(named.get("notation", "")).lower().split()[:1]):
        if name in engine.PAWNS:
            _check_own(game, seat, name)


def _check_own(game: Game, seat: Seat, pawn: str) -> None:
    other = next((other for other in game.seats if pawn in other.pawns), None)
    if other is not seat and not (other and may_cover(game, seat, other)):
        raise Problem("forbidden", f"{pawn_name(pawn)} is not yours to move; yours: {pawn_names(seat.pawns)}.")
