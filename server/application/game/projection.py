"""The projection of a game: the view of it that one viewer gets. Nothing else of a game leaves the server.

The engine builds a view from public facts; this module adds the facts around the game.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from server import clock, engine
from server.application.decisions.situation import Seat as SituationSeat
from server.application.decisions.situation import Situation
from server.application.decisions.turns import choices
from server.application.errors import Problem
from server.application.game import guest_rules, queued_moves, timer_rows, transcripts
from server.application.game.access import visible
from server.application.game.cover import covered_seats
from server.application.game.state import edition_of, rebuild
from server.durations import format_duration, rfc3339
from server.models import Deadline, Game, Player, Seat
from server.runtime import runtime

# A game as it lies in the database, or as a decision left it.
AnyGame = Game | Situation
AnySeat = Seat | SituationSeat
SPECTATOR = "spectator"


def viewer_of(game: AnyGame, player: Player | None) -> str:
    """Return the viewer that `player` is: mr_x, the first pawn of their seat, or spectator."""
    seat = own_seat(game, player)
    return seat.pawns[0] if seat else SPECTATOR


def own_seat(game: AnyGame, player: Player | None) -> Any:
    """Return the seat that `player` holds, if any."""
    return next((seat for seat in game.seats if player and seat.player_id == player.id), None)


def is_against_bots(game: AnyGame, seat: Any) -> bool:
    """Return True if bots have all other seats than this one; False without a seat."""
    return seat is not None and all(other.bot for other in game.seats if other is not seat)


class _CachedView(NamedTuple):
    """A view as it was last written for a viewer, at one `version` of the game; `ahead` has the team's queued moves."""

    version: str
    ahead: list[dict[str, str]] | None
    text: bytes
    tag: str


def shown(
    game_id: str, player: Player, version: str, has_queue: bool, write: Callable[[dict[str, Any]], tuple[bytes, str]]
) -> tuple[bytes, str]:
    """Return the game as `player` may see it, as text with its ETag; from the cache if nothing has changed since.

    It is cached for this player alone. It is current while the version is the same, which changes with public facts
    only, and the team's queued moves are. `version` is the one that was read when the player was let in, and
    `has_queue` whether they have a seat and the detectives had queued moves then. `write` makes both from a view.
    """
    view_cache = runtime().view_cache
    last: _CachedView | None = view_cache.get((game_id, player.id))
    if last and last.version == version and (last.ahead is None or last.ahead == _team_queue(game_id, has_queue)):
        return last.text, last.tag
    game = visible(game_id, player)
    view = project(game, player)
    seat = own_seat(game, player)
    ahead = view["ahead"] if seat and seat.role == "detective" else None
    view_cache.put((game_id, player.id), made := _CachedView(version, ahead, *write(view)))
    return made.text, made.tag


def _team_queue(game_id: str, has_queue: bool) -> list[dict[str, str]]:
    return [queued_moves.facts(row) for row in queued_moves.of_game(game_id)] if has_queue else []


def project(game: AnyGame, player: Player | None) -> dict[str, Any]:
    """Return the game as `player` may see it, in the shape of `GET /games/{id}`."""
    seat = own_seat(game, player)
    is_host = player is not None and player.id == game.host_id
    view = summary(game, player) | {
        "you": {"seat": seat.number, "pawns": seat.pawns} if seat else None,
        "code": game.code if is_host or seat else None,
        "rematch": game.rematch_id if seat else None,
        "due_at": rfc3339(game.due_at) if game.status == "running" else None,
        "outcome": outcome(game),
        "seal": transcripts.head(game),
        "draw": [seat.number for seat in game.seats if seat.wants_draw],
        "ahead": team_queue(game) if seat and seat.role == "detective" else [],
    }
    return view | engine_view(game, viewer_of(game, player))


def summary(game: AnyGame, player: Player | None = None) -> dict[str, Any]:
    """Return a game's entry in a list. Only the host sees which addresses are invited."""
    return {
        "id": game.id,
        "name": game.name,
        "edition": game.edition,
        "options": game.options,
        "clock": clock.with_defaults(game.clock),
        "visibility": game.visibility,
        "label": game.label,
        "seating": game.seating,
        "guests": guest_rules.of(game)._asdict(),
        "status": game.status,
        "host": game.host_id,
        "seats": [
            {"seat": seat.number, "role": seat.role, "pawns": seat.pawns, "player": seat.player_id, "bot": seat.bot,
             "level": seat.level,
             "invite": invited_address(seat, player), "bank": _bank(game, seat), "misses": seat.misses,
             "offered": seat.is_offered, "cover": seat.cover, "bounces": bool(seat.bounces),
             "guest": bool(seat.is_guest),
             "state": "taken" if seat.is_taken else "invited" if seat.is_reserved else "open"}
            for seat in game.seats
        ],
        "turn": game.turn,
        "round": game.round,
        "created_at": rfc3339(game.created_at),
    }  # fmt: skip


def _bank(game: AnyGame, seat: AnySeat) -> str | None:
    """Return the time a seat has left for all its turns, at the beginning of the current one."""
    if game.clock["kind"] != "bank":
        return None
    return game.clock["bank"] if seat.bank is None else format_duration(timedelta(seconds=seat.bank))


def invited_address(seat: AnySeat, player: Player | None) -> str | None:
    """Return the invited address of a seat, if `player` is the host who wrote it."""
    if player is None or seat.invitation is None or seat.invitation.host_id != player.id:
        return None
    return seat.invitation.email


def engine_view(game: AnyGame, viewer: str) -> dict[str, Any]:
    """Return the engine's view of the game for `viewer`; that of an open game is empty."""
    if game.turn is None:
        return {"to_move": [], "starts": {}, "pawns": {}, "log": [], "history": []}
    state = game.state if isinstance(game, Situation) else None
    view = (state or rebuild(game)).view(viewer, opened=game.final)
    seats = {pawn: seat.number for seat in game.seats for pawn in seat.pawns}
    for pawn, facts in view["pawns"].items():
        facts["seat"] = seats[pawn]
    del view["outcome"]  # the row has the result: lateness ends games that play does not
    if game.status == "over":
        view["to_move"] = []
    return view


def spectator_view_at(game: Game, window: int) -> dict[str, Any]:
    """Return the engine's view for a spectator after the move that filled `window` of the travel log."""
    return rebuild(game, rebuild(game).moves_until(window)).view_at(window)


def outcome(game: AnyGame) -> dict[str, Any] | None:
    """Return the winner, the reason, and whether the result is final; None while the game runs."""
    if game.status != "over":
        return None
    return {
        "winner": game.winner,
        "reason": game.reason,
        "final": game.final,
        "final_at": None if game.final else rfc3339(game.final_at),
    }


def deadline(game: Game, player: Player | None, say: Callable[[datetime], str] | None = None) -> dict[str, Any]:
    """Return the deadlines of a game and how they came about, as `player` may know them.

    `due_at` and `steps` are those of the player's own turn, or else of the earliest deadline; `goes` has all of them.
    `say` writes times, as for `steps`.
    """
    seat = own_seat(game, player)
    rows = timer_rows.running(game) if game.status == "running" else []
    first = timer_rows.own_or_earliest(rows, seat)
    return {
        "due_at": rfc3339(first.due_at) if first else None,
        "steps": steps(game, first, seat, say) if first else [],
        "goes": [
            {"seat": row.seat or None, "due_at": rfc3339(row.due_at), "steps": steps(game, row, seat, say)}
            for row in rows
        ],
    }


def steps(
    game: Game, row: Deadline, seat: Seat | None, say: Callable[[datetime], str] | None = None
) -> list[str]:  # fmt: skip
    """Return how a deadline came about, as the player of `seat` may know it.

    `say` writes times; by default in the clock's zone.
    """
    say = say or clock.in_zone(clock.with_defaults(game.clock)["zone"])
    return clock.explain(clock.read_steps(row.steps or []), seat.number if seat else None, say)


def deduction(game: Game) -> list[int]:
    """Return the stations Mr. X can be on, from a spectator's view, so that every player gets the same."""
    if not edition_of(game).option("deduction"):
        raise Problem(
            "forbidden", "In this game all players work out for themselves where Mr. X can be (deduction: false)."
        )
    if game.turn is None:
        raise Problem("game-not-running", "This game has not begun; Mr. X is nowhere yet.")
    return sorted(engine.deduce(project(game, None)))


def possible(game: Game) -> list[int] | None:
    """Return the stations Mr. X can be on, for a picture; None if the game hides them or has not begun."""
    shown = game.turn is not None and edition_of(game).option("deduction")
    return deduction(game) if shown else None


def team_queue(game: AnyGame) -> list[dict[str, str]]:
    """Return the team's queued moves; detectives see each other's."""
    queue = game.queue if isinstance(game, Situation) else queued_moves.of_game(game.id)
    return [queued_moves.facts(queued) for queued in queue]


def record(game: Game, player: Player | None) -> dict[str, Any]:
    """Return the game record, redacted until the result is final, except that Mr. X sees his own."""
    return record_for(game, viewer_of(game, player))


def record_for(game: Game, viewer: str) -> dict[str, Any]:
    """Return the game record for the viewer mr_x, a pawn, or spectator, redacted until the result is final."""
    if game.turn is None:
        raise Problem("game-not-running", "This game has not begun; there is no record of it.")
    state = rebuild(game)
    headers = {"date": f"{game.started_at:%Y-%m-%d}"}
    if game.head:
        headers["seal"] = f"event {game.events}, head {game.head}"
    if game.status == "over" and state.outcome is None:
        headers["result"] = f"{game.winner}, {game.reason}"
    return state.record_json(viewer=viewer, opened=game.final, **headers)


def legal_moves(game: Game, player: Player | None) -> list[engine.Move]:
    """Return the moves `player` may send now, those to be queued included; none if they have nothing to move."""
    seat = own_seat(game, player)
    if seat is None or game.status != "running":
        return []
    state = rebuild(game)
    return [move for pawn in seat.pawns for move in choices(state, pawn)]


def sendable_moves(game: Game, player: Player | None) -> list[engine.Move]:
    """Return all moves `player` may send now: their own, to be played or queued, and those for teammates they cover."""
    return [*legal_moves(game, player), *covered_moves(game, player)]


def covered_moves(game: Game, player: Player | None) -> list[engine.Move]:
    """Return the moves `player` may send now for teammates they cover."""
    seat = own_seat(game, player)
    if seat is None or game.status != "running" or seat.role == "mr_x":
        return []
    state = rebuild(game)
    pawns = [pawn for other in covered_seats(game, seat) for pawn in other.pawns]
    return [move for pawn in pawns if pawn in state.to_move for move in state.legal_moves(pawn)]
