"""What one viewer may know of a game: the only producer of anything that leaves the server.

A view is built up from public facts by the engine; here it gets the facts of the table around it.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from server import clock, engine
from server.application.errors import Problem
from server.application.game import queued_moves, sealed_log, timers
from server.application.game.access import visible
from server.application.game.choices import choices
from server.application.game.cover import may_cover
from server.application.game.state import edition_of, rebuild
from server.durations import format_duration, parse_duration, rfc3339, say_duration
from server.models import Deadline, Game, Player, Seat
from server.runtime import now, runtime

SPECTATOR = "spectator"


def viewer_of(game: Game, player: Player | None) -> str:
    """Through whose eyes `player` sees the game: mr_x, a pawn of his, or spectator."""
    seat = own_seat(game, player)
    return seat.pawns[0] if seat else SPECTATOR


def own_seat(game: Game, player: Player | None) -> Seat | None:
    """The seat `player` holds, if any."""
    return next((seat for seat in game.seats if player and seat.player_id == player.id), None)


class _CachedView(NamedTuple):
    """What a viewer was shown of a game at one `version` of it; `ahead` is what his team had kept, None for others."""

    version: str
    ahead: list[dict[str, str]] | None
    text: bytes


def shown(game_id: str, player: Player, version: str, write: Callable[[dict[str, Any]], bytes]) -> bytes:
    """The game as `player` may see it, as `write` has it; what he was shown last if nothing has changed since.

    It is kept for him alone. That it still holds is told by the version, which changes with nothing that is not for
    all to know, and by what his own team has sent ahead. `version` is what he was let in with.
    """
    view_cache = runtime().view_cache
    last: _CachedView | None = view_cache.get((game_id, player.id))
    if (
        last
        and last.version == version
        and last.ahead in (None, [queued_moves.facts(kept) for kept in queued_moves.of_game(game_id)])
    ):
        return last.text
    game = visible(game_id, player)
    view = project(game, player)
    seat = own_seat(game, player)
    ahead = view["ahead"] if seat and seat.role == "detective" else None
    view_cache.put((game_id, player.id), made := _CachedView(version, ahead, write(view)))
    return made.text


def project(game: Game, player: Player | None, table: engine.Game | None = None) -> dict[str, Any]:
    """The game as `player` may see it; the shape is that of `GET /games/{id}`. `table` saves rebuilding it."""
    seat = own_seat(game, player)
    is_host = player is not None and player.id == game.host_id
    view = summary(game, player) | {
        "you": {"seat": seat.number, "pawns": seat.pawns} if seat else None,
        "code": game.code if is_host or seat else None,
        "rematch": game.rematch_id if seat else None,
        "due_at": rfc3339(game.due_at) if game.status == "running" else None,
        "outcome": outcome(game),
        "seal": sealed_log.head(game),
        "draw": [seat.number for seat in game.seats if seat.wants_draw],
        "ahead": team_ahead(game) if seat and seat.role == "detective" else [],
    }
    return view | table_view(game, viewer_of(game, player), table)


def summary(game: Game, player: Player | None = None) -> dict[str, Any]:
    """What a list of games says of each. Which addresses are invited is told to who wrote them."""
    return {
        "id": game.id,
        "name": game.name,
        "edition": game.edition,
        "options": game.options,
        "clock": clock.with_defaults(game.clock),
        "visibility": game.visibility,
        "label": game.label,
        "seating": game.seating,
        "status": game.status,
        "host": game.host_id,
        "seats": [
            {"seat": seat.number, "role": seat.role, "pawns": seat.pawns, "player": seat.player_id, "bot": seat.bot,
             "invite": invited_address(seat, player), "bank": _bank(game, seat), "misses": seat.misses,
             "offered": seat.is_offered, "cover": seat.cover, "bounces": bool(seat.bounces),
             "state": "taken" if seat.is_taken else "invited" if seat.is_kept else "open"}
            for seat in game.seats
        ],
        "turn": game.turn,
        "round": game.round,
        "created_at": rfc3339(game.created_at),
    }  # fmt: skip


def _bank(game: Game, seat: Seat) -> str | None:
    """The time left to a seat for all its goes, at the beginning of the one under way."""
    if game.clock["kind"] != "bank":
        return None
    return game.clock["bank"] if seat.bank is None else format_duration(timedelta(seconds=seat.bank))


def invited_address(seat: Seat, player: Player | None) -> str | None:
    """The address for which a seat is kept, for `player` as the host who wrote it."""
    if player is None or seat.invitation is None or seat.invitation.host_id != player.id:
        return None
    return seat.invitation.email


def table_view(game: Game, viewer: str, table: engine.Game | None = None) -> dict[str, Any]:
    """What the engine shows `viewer` of `table` (as it stands now when None); an open game shows an empty one."""
    if game.turn is None:
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


def deadline(game: Game, player: Player | None) -> dict[str, Any]:
    """Until when there is time, and how that came about, as `player` may know it.

    `due_at` and `steps` are those of his own go, or else of the first of those under way, which are all in `goes`.
    """
    seat = own_seat(game, player)
    rows = timers.running(game) if game.status == "running" else []
    own = next((row for row in rows if seat is not None and row.seat in (timers.SHARED, seat.number)), None)
    first = own or next(iter(rows), None)
    return {
        "due_at": rfc3339(first.due_at) if first else None,
        "steps": steps(game, first, seat) if first else [],
        "goes": [
            {"seat": row.seat or None, "due_at": rfc3339(row.due_at), "steps": steps(game, row, seat)} for row in rows
        ],
    }


def steps(
    game: Game, row: Deadline, seat: Seat | None, say: Callable[[datetime], str] | None = None
) -> list[str]:  # fmt: skip
    """How a deadline came about, as who sits on `seat` may know it. `say` writes times; None is the clock's zone."""
    say = say or clock.in_zone(clock.with_defaults(game.clock)["zone"])
    return clock.explain(clock.read_steps(row.steps or []), seat.number if seat else None, say)


def longest(game: Game) -> str | None:
    """How long the game takes at most if nobody is late or away, as an ISO 8601 duration; None where there is no end.

    It is counted from now, as calendars differ.
    """
    options = game.options
    used = (game.position or {}).get("log_used", 0)
    rounds = max(1, min(options["log_windows"] - used, options["max_rounds"] or options["log_windows"]))
    seats = [seat for seat in game.seats if seat.role == "detective"]
    found = clock.longest_game(game.clock, now(), rounds, len(seats), _goes(options["turn_order"], seats))
    return None if found is None else format_duration(found)


def longest_in_words(game: Game) -> str:
    """The same as a sentence."""
    found = longest(game)
    if found is None:
        return "It has no deadlines, and may take as long as it likes."
    return f"If nobody is late or away, the game takes at most {say_duration(parse_duration(found))}."


def _goes(turn_order: str, seats: Sequence[Seat]) -> int:
    """How many goes follow each other in a round. Pawns of one seat that move one after the other go together."""
    if turn_order != "fixed":
        return 1 if turn_order == "any" else len(seats)
    holders = {pawn: seat.number for seat in seats for pawn in seat.pawns}
    return len(list(groupby(holders[pawn] for pawn in engine.PAWNS if pawn in holders)))


def deduction(game: Game) -> list[int]:
    """The stations on which Mr. X can be, for anybody: from what a spectator sees, whoever asks."""
    if not edition_of(game).option("deduction"):
        raise Problem("forbidden", "In this game everybody works out himself where Mr. X can be (deduction: false).")
    if game.turn is None:
        raise Problem("game-not-running", "This game has not begun; Mr. X is nowhere yet.")
    return sorted(engine.deduce(project(game, None)))


def possible(game: Game) -> list[int] | None:
    """The same for a picture: None where it is not to be shown, or cannot be."""
    shown = game.turn is not None and edition_of(game).option("deduction")
    return deduction(game) if shown else None


def team_ahead(game: Game, by: datetime | None = None) -> list[dict[str, str]]:
    """The moves the team had kept for their turn `by` then, or now; detectives see each other's."""
    return [queued_moves.facts(kept) for kept in queued_moves.of_game(game.id) if by is None or kept.kept_at <= by]


def record(game: Game, player: Player | None) -> dict[str, Any]:
    """The game record; redacted until the result is final, except that Mr. X sees his own."""
    return record_for(game, viewer_of(game, player))


def record_for(game: Game, viewer: str) -> dict[str, Any]:
    """The same through the eyes of mr_x, a pawn, or spectator."""
    if game.turn is None:
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


def covered_moves(game: Game, player: Player | None) -> list[engine.Move]:
    """The moves `player` may send now for teammates that he may move for."""
    seat = own_seat(game, player)
    if seat is None or game.status != "running" or seat.role == "mr_x":
        return []
    table = rebuild(game)
    pawns = [pawn for other in game.seats if may_cover(game, seat, other) for pawn in other.pawns]
    return [move for pawn in pawns if pawn in table.to_move for move in table.legal_moves(pawn)]
