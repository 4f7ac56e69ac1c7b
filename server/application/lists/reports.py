"""Reports on many games, by the label that their hosts gave: results, and players who are late."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TypedDict

from sqlalchemy import select, tuple_
from sqlalchemy.orm import contains_eager

from server.application.lists.listing import page, with_late_seats
from server.application.people.players import names_of
from server.house_rules.standing import Standing, role_of
from server.models import Game, Player, Seat, plain, session
from server.runtime import now
from server.vocabulary.durations import format_duration, rfc3339
from server.vocabulary.errors import Problem

# The columns of the CSV.
_GAME = ("game", "name", "label")
RESULTS = (
    *_GAME, "edition", "status", "winner", "reason", "final", "rounds", "started_at", "ended_at",
    "mr_x", *(f"detective_{number}" for number in range(2, 7)),
)  # fmt: skip
LATE = (*_GAME, "seat", "role", "player", "player_name", "due_at", "late_since", "late_for", "misses")


class _Title(TypedDict):
    game: str
    name: str
    label: str | None


class Sitter(TypedDict):
    """A seat and its player or bot."""

    seat: int
    role: str
    player: str | None
    player_name: str | None
    bot: str | None


class GameResult(_Title):
    """A row of the results: how a game stands or ended."""

    edition: str
    status: str
    winner: str | None
    reason: str | None
    final: bool
    rounds: int | None
    started_at: str | None
    ended_at: str | None
    seats: list[Sitter]


class LateSeat(_Title):
    """A row of those who are late; `late_for` is a duration, `misses` how many deadlines in a row."""

    seat: int
    role: str
    player: str | None
    player_name: str | None
    due_at: str | None
    late_since: str
    late_for: str
    misses: int


def results(
    player: Player | None = None, *, label: str | None = None, status: str | None = None,
    after: str | None = None, limit: int = 100,
) -> list[GameResult]:  # fmt: skip
    """Return the results of the games that `player` (None: the operator) may see, by their ids.

    They begin after the id `after`, and are at most `limit`.
    """
    games = page(player, status=status, label=label, after=after, limit=limit)
    names = names_of(seat.player_id for game in games for seat in game.seats)
    return [_result(game, names) for game in games]


def late(
    player: Player | None = None, *, label: str | None = None, after: str | None = None, limit: int = 100
) -> list[LateSeat]:
    """Return the seats of running games whose players missed a deadline and have not moved since.

    They begin after the seat `after`, written as `game.seat`.
    """
    query = select(Seat).join(Game).options(contains_eager(Seat.game)).where(Seat.late_since.is_not(None))
    which = [] if label is None else [plain(Game.label) == label]
    if after is not None:
        query = query.where(tuple_(Seat.game_id, Seat.number) > _place(after))
        which.append(Game.id >= _place(after)[0])
    # One game more, as of the first there may be no more seat.
    query = query.where(with_late_seats(player, limit + 1, *which)).order_by(Seat.game_id, Seat.number).limit(limit)
    seats = session.scalars(query, {"player": player.id} if player else {}).all()
    names = names_of(seat.player_id for seat in seats)
    return [_lateness(seat, names) for seat in seats]


def flat_results(rows: Sequence[GameResult]) -> list[dict[str, object]]:
    """Return results with a cell for each seat's player instead of the list; seat 1 is that of Mr. X."""
    return [{name: value for name, value in row.items() if name != "seats"} | _seat_cells(row["seats"]) for row in rows]


def place_of(row: LateSeat) -> str:
    """Return the `after` with which `late` continues after this row."""
    return f"{row['game']}.{row['seat']}"


def _place(after: str) -> tuple[str, int]:
    game_id, _, number = after.partition(".")
    if not number.isdecimal():
        raise Problem("form", "take it from the Link of an earlier answer as it is.", field="after")
    return game_id, int(number)


def _result(game: Standing, names: Mapping[str | None, str]) -> GameResult:
    return {
        **_title(game.id, game.name, game.label),
        "edition": game.edition,
        "status": game.status,
        "winner": game.winner,
        "reason": game.reason,
        "final": game.final,
        "rounds": game.round,
        "started_at": rfc3339(game.started_at),
        "ended_at": rfc3339(game.ended_at),
        "seats": [
            {"seat": seat.number, "role": role_of(seat.pawns), "player": seat.player_id,
             "player_name": names.get(seat.player_id), "bot": seat.bot}
            for seat in game.seats
        ],
    }  # fmt: skip


def _lateness(seat: Seat, names: Mapping[str | None, str]) -> LateSeat:
    game = seat.game
    assert seat.late_since is not None
    is_own_phase = (game.side == "mr_x") == (role_of(seat.pawns) == "mr_x")
    return {
        **_title(game.id, game.name, game.label),
        "seat": seat.number,
        "role": role_of(seat.pawns),
        "player": seat.player_id,
        "player_name": names.get(seat.player_id),
        "due_at": rfc3339(game.due_at) if is_own_phase else None,
        "late_since": rfc3339(seat.late_since),
        "late_for": format_duration(now() - seat.late_since),
        "misses": seat.misses,
    }


def _title(game_id: str, name: str, label: str | None) -> _Title:
    return {"game": game_id, "name": name, "label": label}


def _seat_cells(seats: Sequence[Sitter]) -> dict[str, str]:
    who = {seat["seat"]: seat["player_name"] or seat["bot"] or "" for seat in seats}
    return {"mr_x": who[1]} | {f"detective_{number}": who.get(number, "") for number in range(2, 7)}


# A spreadsheet reads a cell that begins with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str:
    """Return the rows as CSV with headings; None is an empty cell, and no text can be read as a formula."""
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    return sheet.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
