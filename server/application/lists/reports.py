"""Reports on many games: the table of those with one label, for their host, and the players who are late."""

import csv
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import contains_eager

from server.application.game.access import CLOSED_TO_PLAYER
from server.application.game.look import standings_of
from server.application.game.state import rebuild_all
from server.application.lists.listing import with_late_seats
from server.application.people.names import FORMER
from server.application.people.players import names_of
from server.house_rules.endings import ABANDONED, EXPIRED, OUT_OF_TIME, VOIDED
from server.house_rules.standing import Standing, role_of
from server.house_rules.substitution import HAS_ACCOUNT
from server.house_rules.turns import seats_to_move
from server.models import Event, FormerHolder, Game, Player, Seat, plain, rows, session
from server.runtime import now
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem
from server.vocabulary.events import EVENT_KINDS

RULES = (
    "A game counts when its result is final; until then it can still change.",
    "A game that was voided, abandoned or closed before its start does not count. A draw counts, and nobody wins it.",
    "The result is that of the players who hold the seats at the end.",
    "A player who resigned, or whose seat went to somebody else, has left.",
    "A deadline is missed when the server moves for a detective, and when the time of Mr. X runs out.",
    "Missed deadlines of running games are in it, and those of players who left are not.",
)
_NO_RESULT = (VOIDED.reason, ABANDONED.reason, EXPIRED.reason)
_GAME = (
    Game.id, Game.name, Game.status, Game.due_at, Game.winner, Game.reason, Game.final, Game.final_at, Game.started_at,
    Game.ended_at,
)  # fmt: skip
_SEATS = select(*_GAME, Seat.number, Seat.pawns, Seat.player_id, Seat.bot, Player.name.label("player_name"))
_SEATS = _SEATS.join(Seat, Seat.game_id == Game.id).outerjoin(Player, Player.id == Seat.player_id)
_HAPPENED = or_(
    Event.kind.in_([kind.name for kind in EVENT_KINDS.values() if kind.tabled]),
    and_(Event.kind == "moved", Event.data["by"].as_string() == "house"),
)
_EVENTS = select(Event.game_id, Event.kind, Event.data, Event.at).join(Game, Game.id == Event.game_id)
_EVENTS = _EVENTS.where(_HAPPENED).order_by(Event.game_id, Event.number)
_LEFT = select(FormerHolder.game_id, FormerHolder.player_id, Player.name)
_LEFT = _LEFT.join(Game, Game.id == FormerHolder.game_id).join(Player, Player.id == FormerHolder.player_id)


class Sitter(TypedDict):
    """A seat and its player or bot. A player who deleted their account has no name."""

    seat: int
    role: str
    player: str | None
    player_name: str | None
    bot: str | None


class GameOfLabel(TypedDict):
    """A game in the table: who owes a move until when, and how it ended. `resigned`, `replaced` are seats."""

    game: str
    name: str
    status: str
    due_at: str | None
    waits_for: list[Sitter]
    paused_until: str | None
    winner: str | None
    reason: str | None
    final: bool
    final_at: str | None
    counts: bool
    started_at: str | None
    ended_at: str | None
    resigned: list[int]
    replaced: list[int]
    seats: list[Sitter]


class PlayerOfLabel(TypedDict):
    """The line of a player; a player who deleted their account has no name."""

    player: str
    player_name: str | None
    wins: int
    games: int
    wins_as_mr_x: int
    games_as_mr_x: int
    wins_as_detective: int
    games_as_detective: int
    running: int
    missed: int
    left: int


class LabelTable(TypedDict):
    """The games of a label, those that wait first, a line for each player, and the rules by which they are counted."""

    label: str
    players: list[PlayerOfLabel]
    games: list[GameOfLabel]
    rules: list[str]


class LateSeat(TypedDict):
    """A seat whose player is late; `misses` is how many deadlines in a row."""

    game: str
    name: str
    seat: int
    role: str
    player_name: str | None
    late_since: str
    misses: int


def of_label(
    label: str, player: Player | None = None, after: str = "", limit: int | None = None
) -> tuple[LabelTable, str | None]:
    """Return the table of the games of a label that `player` hosts (None: the operator, for all), and the next `after`.

    `games` are at most `limit` behind the id `after`; the line of a player is about all games. The number of statements
    does not depend on that of games.

    Raises:
        Problem: not-found if there is no such game.
    """
    which: list[ColumnElement[bool]] = [Game.label == label]
    if player is not None:
        which = [plain(Game.label) == label, Game.host_id == player.id, Game.id.not_in(CLOSED_TO_PLAYER)]
    given = {"player": player.id if player else ""}
    found: dict[str, list[Any]] = defaultdict(list)
    for row in rows(_SEATS.where(*which).order_by(Game.id, Seat.number), **given):
        found[row.id].append(row)
    if not found:
        raise Problem("not-found", "There is no game with this label that you host.")
    history = _History(rows(_EVENTS.where(*which), **given), found)
    ids = [game_id for game_id in found if game_id > after][:limit]
    standings = standings_of([game_id for game_id in ids if found[game_id][0].status == "running"])
    awaited = _awaited(standings)
    paused = {game_id: game.paused_until(now()) for game_id, game in standings.items()}
    games = [_game(found[game_id], awaited.get(game_id, set()), paused.get(game_id), history) for game_id in ids]
    games.sort(key=lambda game: (game["status"] != "running", game["due_at"] or "~", game["game"]))
    players = _players([*found.values()], history, rows(_LEFT.where(*which), **given))
    more = bool(ids) and ids[-1] != max(found)
    return {"label": label, "players": players, "games": games, "rules": [*RULES]}, ids[-1] if more else None


def labels_of(player: Player) -> list[str]:
    """Return the labels of the games that a player hosts."""
    query = select(Game.label).where(Game.host_id == player.id, Game.label.is_not(None)).distinct()
    return [str(row.label) for row in rows(query.order_by(Game.label).limit(MOST_LABELS))]


MOST_LABELS = 50  # in the list of a player's


class _History:
    """Of each seat of many games: the deadlines that its holder has missed; and who has resigned or was replaced."""

    def __init__(self, events: Sequence[Any], games: Mapping[str, Sequence[Any]]) -> None:
        self.missed: dict[tuple[str, int], set[datetime]] = defaultdict(set)
        self.resigned: dict[str, list[int]] = defaultdict(list)
        self.replaced: dict[str, list[int]] = defaultdict(list)
        for event in events:
            seats = games[event.game_id]
            column = EVENT_KINDS[event.kind].tabled
            if not column:  # a move of the server; all pawns of a seat whose time is up are moved at once
                number = next(row.number for row in seats if event.data["pawn"] in row.pawns)
                self.missed[event.game_id, number].add(event.at)
            elif column == "missed":
                self.missed[event.game_id, 1].add(event.at)
            elif column == "left":
                self.resigned[event.game_id].append(event.data["seat"])
            elif event.data["reason"] != HAS_ACCOUNT:
                self.replaced[event.game_id].append(event.data["seat"])
                self.missed.pop((event.game_id, event.data["seat"]), None)


def _awaited(games: Mapping[str, Standing]) -> dict[str, set[int]]:
    """Return the numbers of the seats that are to move in each running game, as everybody sees it."""
    states = rebuild_all([*games.values()], leaves_out_damaged=True)
    return {game_id: seats_to_move(games[game_id].seats, state) for game_id, state in states.items()}


def _counts(row: Any) -> bool:
    return row.status == "over" and row.final and row.reason not in _NO_RESULT


def _name(name: str | None) -> str | None:
    return None if name == FORMER else name


def _game(seats: Sequence[Any], awaited: set[int], paused: datetime | None, history: _History) -> GameOfLabel:
    row = seats[0]
    sitters: list[Sitter] = [
        {"seat": each.number, "role": role_of(each.pawns), "player": each.player_id,
         "player_name": _name(each.player_name), "bot": each.bot}
        for each in seats
    ]  # fmt: skip
    return {
        "game": row.id,
        "name": row.name,
        "status": row.status,
        "due_at": rfc3339(row.due_at) if row.status == "running" else None,
        "waits_for": [sitter for sitter in sitters if sitter["seat"] in awaited],
        "paused_until": rfc3339(paused),
        "winner": row.winner,
        "reason": row.reason,
        "final": row.final,
        "final_at": None if row.final else rfc3339(row.final_at),
        "counts": _counts(row),
        "started_at": rfc3339(row.started_at),
        "ended_at": rfc3339(row.ended_at),
        "resigned": history.resigned[row.id],
        "replaced": history.replaced[row.id],
        "seats": sitters,
    }


def _players(games: Sequence[Sequence[Any]], history: _History, left: Sequence[Any]) -> list[PlayerOfLabel]:
    lines: dict[str, PlayerOfLabel] = {}

    def line(player: str, name: str) -> Any:
        numbers = dict.fromkeys(list(PlayerOfLabel.__annotations__)[2:], 0)
        return lines.setdefault(player, {"player": player, "player_name": _name(name), **numbers})  # type: ignore[typeddict-item]

    for row in [seat for seats in games for seat in seats if seat.player_id]:
        own, role = line(row.player_id, row.player_name), role_of(row.pawns)
        own["running"] += row.status == "running"
        own["missed"] += len(history.missed[row.id, row.number])
        own["missed"] += row.reason == OUT_OF_TIME.reason and role == "mr_x"
        own["left"] += row.number in history.resigned[row.id] and row.number not in history.replaced[row.id]
        if _counts(row):
            has_won = row.winner == ("mr_x" if role == "mr_x" else "detectives")
            for name in ("games", f"games_as_{role}"):
                own[name] += 1
                own[name.replace("games", "wins")] += has_won
    for row in left:
        # Who gave a seat back before the start did not leave a game.
        line(row.player_id, row.name)["left"] += bool(history.resigned[row.game_id] or history.replaced[row.game_id])
    return sorted(
        lines.values(), key=lambda own: (-own["wins"], own["games"], own["player_name"] or "~", own["player"])
    )


def sheet(table: LabelTable, which: str) -> str:
    """Return the `players` or the `games` of a table as CSV."""
    if which == "players":
        return as_csv([*PlayerOfLabel.__annotations__], table["players"])
    return as_csv(GAMES, [game | _cells(game) for game in table["games"]])


GAMES = (
    "game", "name", "status", "due_at", "waits_for", "paused_until", "winner", "reason", "final", "final_at", "counts",
    "started_at", "ended_at", "mr_x", *(f"detective_{number}" for number in range(2, 7)), "resigned", "replaced",
)  # fmt: skip


def _cells(game: GameOfLabel) -> dict[str, str]:
    """Return the cells of a game that are lists: its players, a cell for each; seat 1 is that of Mr. X."""
    who = {seat["seat"]: seat["player_name"] or seat["bot"] or "" for seat in game["seats"]}
    cells = {"mr_x": who[1]} | {f"detective_{number}": who.get(number, "") for number in range(2, 7)}
    numbers = {name: " ".join(map(str, game[name])) for name in ("resigned", "replaced")}
    return cells | numbers | {"waits_for": _names(game)}


def waits_for(game: GameOfLabel) -> str:
    """Return for whom or what a game waits, in words."""
    return "the end of the pause" if game["paused_until"] else _names(game)


def _names(game: GameOfLabel) -> str:
    """Return who is to move in a game, by name."""
    return ", ".join(seat["player_name"] or seat["bot"] or "a former player" for seat in game["waits_for"])


def late(limit: int) -> list[LateSeat]:
    """Return the first seats of running games whose players missed a deadline and have not moved since."""
    query = select(Seat).join(Game).options(contains_eager(Seat.game)).where(Seat.late_since.is_not(None))
    # One game more, as of the first there may be no more seat.
    query = query.where(with_late_seats(limit + 1)).order_by(Seat.game_id, Seat.number).limit(limit)
    seats = session.scalars(query).all()
    names = names_of(seat.player_id for seat in seats)
    return [
        {
            "game": seat.game_id, "name": seat.game.name, "seat": seat.number, "role": role_of(seat.pawns),
            "player_name": names.get(seat.player_id), "late_since": rfc3339(seat.late_since) or "",
            "misses": seat.misses,
        }
        for seat in seats
    ]  # fmt: skip


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
