"""What one viewer may know of a game: the only producer of anything that leaves the server.

A view is built up from public facts by the engine; here it gets the facts of the table around it.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import select

from server import engine
from server.application import sealing
from server.application.errors import Problem
from server.application.games import rebuild
from server.application.moves import choices
from server.durations import parse_duration, rfc3339, say_duration
from server.models import Game, MoveAhead, Player, Seat, session

SPECTATOR = "spectator"


def viewer_of(game: Game, player: Player | None) -> str:
    """Through whose eyes `player` sees the game: mr_x, a pawn of his, or spectator."""
    seat = own_seat(game, player)
    return seat.pawns[0] if seat else SPECTATOR


def own_seat(game: Game, player: Player | None) -> Seat | None:
    """The seat `player` holds, if any."""
    return next((seat for seat in game.seats if player and seat.player_id == player.id), None)


def project(game: Game, player: Player | None, table: engine.Game | None = None) -> dict[str, Any]:
    """The game as `player` may see it; the shape is that of `GET /games/{id}`. `table` saves rebuilding it."""
    seat = own_seat(game, player)
    is_host = player is not None and player.id == game.host_id
    view = summary(game) | {
        "you": {"seat": seat.number, "pawns": seat.pawns} if seat else None,
        "code": game.code if is_host or seat else None,
        "due_at": rfc3339(game.due_at) if game.status == "running" else None,
        "outcome": outcome(game),
        "seal": sealing.head(game),
        "ahead": team_ahead(game) if seat and seat.role == "detective" else [],
    }
    return view | table_view(game, viewer_of(game, player), table)


def summary(game: Game) -> dict[str, Any]:
    """What a list of games says of each."""
    return {
        "id": game.id,
        "name": game.name,
        "edition": game.edition,
        "options": game.options,
        "clock": game.clock,
        "visibility": game.visibility,
        "label": game.label,
        "status": game.status,
        "host": game.host_id,
        "seats": [
            {"seat": seat.number, "role": seat.role, "pawns": seat.pawns, "player": seat.player_id, "bot": seat.bot,
             "state": "taken" if seat.is_taken else "invited" if seat.invited_id else "open"}
            for seat in game.seats
        ],
        "turn": game.turn,
        "round": game.round,
        "created_at": rfc3339(game.created_at),
    }  # fmt: skip


def table_view(game: Game, viewer: str, table: engine.Game | None = None) -> dict[str, Any]:
    """What the engine shows `viewer` of `table` (as it stands now when None); an open game shows an empty one."""
    if game.status == "open":
        return {"to_move": [], "starts": {}, "pawns": {}, "log": [], "history": []}
    view = (table or rebuild(game)).view(viewer, opened=game.final)
    seats = {pawn: seat.number for seat in game.seats for pawn in seat.pawns}
    for pawn, facts in view["pawns"].items():
        facts["seat"] = seats[pawn]
    del view["outcome"]  # the table's is the row's: lateness ends games that play does not
    if game.status == "over":
        view["to_move"] = []
    return view


def outcome(game: Game) -> dict[str, Any] | None:
    """Who won and why, and whether that stands; None while the game runs."""
    if game.status != "over":
        return None
    return {
        "winner": game.winner,
        "reason": game.reason,
        "final": game.final,
        "final_at": None if game.final else rfc3339(game.final_at),
    }


def deadline(game: Game) -> dict[str, Any]:
    """Until when whoever is to move has time, and how that came about."""
    if game.status != "running" or game.due_at is None:
        return {"due_at": None, "steps": []}
    assert game.side is not None
    length = parse_duration(game.clock[game.side])
    who = "Mr. X has" if game.side == "mr_x" else "the detectives have"
    steps = [
        f"from {rfc3339(game.due_at - length)}",
        f"{who} {say_duration(length)}",
        f"due {rfc3339(game.due_at)}",
    ]
    return {"due_at": rfc3339(game.due_at), "steps": steps}


def team_ahead(game: Game, by: datetime | None = None) -> list[dict[str, str]]:
    """The moves the team had kept for their turn `by` then, or now; detectives see each other's."""
    query = select(MoveAhead).where(MoveAhead.game_id == game.id).order_by(MoveAhead.kept_at, MoveAhead.pawn)
    if by is not None:
        query = query.where(MoveAhead.kept_at <= by)
    return [{"pawn": kept.pawn, "notation": kept.notation} for kept in session.scalars(query)]


def record(game: Game, player: Player | None) -> dict[str, Any]:
    """The game record; redacted until the result is final, except that Mr. X sees his own."""
    return record_for(game, viewer_of(game, player))


def record_for(game: Game, viewer: str) -> dict[str, Any]:
    """The same through the eyes of mr_x, a pawn, or spectator."""
    if game.status == "open":
        raise Problem("game-not-running", "This game has not begun; there is no record of it.")
    table = rebuild(game)
    headers = {"date": f"{game.started_at:%Y-%m-%d}"}
    if game.head:
        headers["seal"] = f"event {game.events}, head {game.head}"
    if game.status == "over" and table.outcome is None:
        headers["result"] = f"{game.winner}, {game.reason}"
    return table.record_json(viewer=viewer, opened=game.final, **headers)


def legal_moves(game: Game, player: Player | None) -> list[engine.Move]:
    """The moves `player` may send now, moves ahead included; none when he has nothing to move."""
    seat = own_seat(game, player)
    if seat is None or game.status != "running":
        return []
    table = rebuild(game)
    return [move for pawn in seat.pawns for move in choices(table, pawn)]
