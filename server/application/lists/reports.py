"""Reports on many games: the table of those with one label, for their host, and the players who are late."""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    String,
    and_,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal,
    literal_column,
    select,
    true,
    union,
    union_all,
)
from sqlalchemy.orm import contains_eager

from server.application.game.access import CLOSED_TO_PLAYER
from server.application.game.look import standings_of
from server.application.game.state import rebuild_all
from server.application.lists.listing import with_late_seats
from server.application.people.names import FORMER
from server.application.people.players import names_of
from server.house_rules.endings import ABANDONED, EXPIRED, MR_X_RESIGNED, OUT_OF_TIME, VOIDED
from server.house_rules.standing import Standing, role_of
from server.house_rules.substitution import HAS_ACCOUNT
from server.house_rules.turns import seats_to_move
from server.models import Event, FormerHolder, Game, Move, Player, Seat, plain, rows, session
from server.runtime import now
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import refusal
from server.vocabulary.translation import gettext, gettext_noop

RULES = gettext_noop((
    "A game counts when its result is final; until then it can still change.",
    "A game that was voided, abandoned or closed before its start does not count. A draw counts, and nobody wins it.",
    "The result is that of the players who hold the seats at the end.",
    "A player who resigned, or whose seat went to somebody else, has left.",
    "A deadline is missed when the server moves for a detective, and when the time of Mr. X runs out.",
    "Missed deadlines of running games count; those of players who left do not.",
))  # fmt: skip
MOST_GAMES = 200  # in one answer: the state of each that runs is rebuilt
MOST_PLAYERS = 1000
_NO_RESULT = (VOIDED.reason, ABANDONED.reason, EXPIRED.reason)
_COUNTS = and_(Game.status == "over", Game.final, Game.reason.not_in(_NO_RESULT))
_GAME = (
    Game.id, Game.name, Game.status, Game.due_at, Game.winner, Game.reason, Game.final, Game.final_at, Game.started_at,
    Game.ended_at, _COUNTS.label("counts"),
)  # fmt: skip
_SEATS = select(*_GAME, Seat.number, Seat.pawns, Seat.player_id, Seat.bot, Player.name.label("player_name"))
_SEATS = _SEATS.join(Seat, Seat.game_id == Game.id).outerjoin(Player, Player.id == Seat.player_id)
_SEAT = Event.data["seat"].as_integer()
# Of literals, as in the partial indexes that answer these.
_IS_RARE, _IS_LATE = Event.kind != literal_column("'moved'"), Move.by == literal_column("'house'")
_IS_TAKEN = and_(_IS_RARE, Event.kind == "substituted", Event.data["reason"].as_string() != HAS_ACCOUNT)
_LEAVINGS = select(Event.game_id, Event.kind, _SEAT.label("seat")).where(
    _IS_RARE, (Event.kind == "resigned") | _IS_TAKEN
)
_LEAVINGS = _LEAVINGS.where(Event.game_id.in_(bindparam("games", expanding=True)))
_LEAVINGS = _LEAVINGS.order_by(Event.game_id, Event.number)


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


_SUMS = [*PlayerOfLabel.__annotations__][4:]


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
    label: str, player: Player | None = None, after: str = "", limit: int = MOST_GAMES
) -> tuple[LabelTable, str | None]:
    """Return the table of the games of a label that `player` hosts (None: the operator, for all), and the next `after`.

    `games` are at most `limit` behind the id `after`; the line of a player is about all games. Neither the number of
    statements nor what is read into memory depends on how many games there are.

    Raises:
        Problem: not-found if there is no such game.
    """
    which, given = _which(label, player)
    lines = rows(_totals(which), **given) if "\0" not in label else ()  # which PostgreSQL cannot take
    if not lines:
        raise refusal("not-found", "There is no game with this label that you host.")
    columns = [*PlayerOfLabel.__annotations__]
    players: Any = [dict(zip(columns, line, strict=True)) for line in lines if line.player][:MOST_PLAYERS]
    for line in players:
        line["player_name"] = _name(line["player_name"])
    games, after_them = _page(which, given, after, limit)
    return {"label": label, "players": players, "games": games, "rules": [*RULES]}, after_them


def games_of_label(label: str, player: Player | None = None) -> Iterator[GameOfLabel]:
    """Yield all games of a label, as `of_label` returns them, and read them in parts."""
    which, given = _which(label, player)
    after: str | None = ""
    while after is not None:
        games, after = _page(which, given, after, MOST_GAMES)
        yield from games


def _which(label: str, player: Player | None) -> tuple[list[ColumnElement[bool]], dict[str, str]]:
    if player is None:
        return [Game.label == label], {}
    return [plain(Game.label) == label, Game.host_id == player.id, Game.id.not_in(CLOSED_TO_PLAYER)], {
        "player": player.id
    }


def _page(
    which: Sequence[ColumnElement[bool]], given: Mapping[str, str], after: str, limit: int
) -> tuple[list[GameOfLabel], str | None]:
    """Return the games behind the id `after`, those that wait first, and the id after which there are more."""
    found: dict[str, list[Any]] = defaultdict(list)
    ids = select(Game.id).where(*which, Game.id > after).order_by(Game.id).limit(limit + 1)
    for row in rows(_SEATS.where(Game.id.in_(ids)).order_by(Game.id, Seat.number), **given):
        found[row.id].append(row)
    shown = [*found][:limit]
    left: dict[tuple[str, str], list[int]] = defaultdict(list)
    for event in rows(_LEAVINGS, games=shown):
        left[event.game_id, event.kind].append(event.seat)
    standings = standings_of([game_id for game_id in shown if found[game_id][0].status == "running"])
    awaited = _awaited(standings)
    paused = {game_id: game.paused_until(now()) for game_id, game in standings.items()}
    games = [_game(found[game_id], awaited.get(game_id, set()), paused.get(game_id), left) for game_id in shown]
    games.sort(key=lambda game: (game["status"] != "running", game["due_at"] or "~", game["game"]))
    return games, shown[-1] if len(found) > limit else None


def _totals(which: Sequence[ColumnElement[bool]]) -> Select[Any]:
    """Return the query of the players' lines; one of no player stands for all seats without a player."""
    is_mr_x = Seat.number == 1
    has_won = Game.winner == case((is_mr_x, "mr_x"), else_="detectives")
    # Mr. X, or the last person among the detectives; of others who left there are rows of former holders.
    has_ended_it = and_(Game.reason == MR_X_RESIGNED.reason, ~has_won)
    sat = _part(
        Seat.player_id, wins_as_mr_x=_COUNTS & is_mr_x & has_won, games_as_mr_x=_COUNTS & is_mr_x,
        wins_as_detective=_COUNTS & ~is_mr_x & has_won, games_as_detective=_COUNTS & ~is_mr_x,
        running=Game.status == "running", missed=and_(Game.reason == OUT_OF_TIME.reason, is_mr_x), left=has_ended_it,
    ).join(Seat, Seat.game_id == Game.id).where(*which)  # fmt: skip
    # All pawns of a seat whose time is up are moved at once.
    is_of_seat = cast(Seat.pawns, String).contains(literal('"') + Move.pawn + '"')
    moved = select(Move.game_id, Seat.number, Seat.player_id, Move.made_at.label("at")).where(_IS_LATE)
    moved = moved.join(Game, Game.id == Move.game_id).join(Seat, and_(Seat.game_id == Game.id, is_of_seat))
    granted = select(Event.game_id, Seat.number, Seat.player_id, Event.at).where(
        _IS_RARE, Event.kind == "granted", is_mr_x
    )
    granted = granted.join(Game, Game.id == Event.game_id).join(Seat, Seat.game_id == Game.id)
    misses = union(*(part.where(*which, Game.is_contestable, Seat.player_id.is_not(None)) for part in (moved, granted)))
    miss = misses.subquery()
    is_others = exists().where(
        Event.game_id == miss.c.game_id, _IS_TAKEN, miss.c.number == _SEAT, Event.at >= miss.c.at
    )
    missed = _part(miss.c.player_id, missed=true()).select_from(miss).where(~is_others)
    # Who gave a seat back before the start did not leave a game, and has no such number.
    left = _part(FormerHolder.player_id, left=FormerHolder.team_since.is_not(None))
    left = left.join(Game, Game.id == FormerHolder.game_id).where(*which, FormerHolder.team_since.is_not(None))
    parts = union_all(sat, missed, left).subquery()
    sums = {name: func.sum(parts.c[name]).label(name) for name in _SUMS}
    wins, games = (func.sum(parts.c[f"{what}_as_mr_x"] + parts.c[f"{what}_as_detective"]) for what in ("wins", "games"))
    query = select(
        parts.c.player, Player.name.label("player_name"), wins.label("wins"), games.label("games"), *sums.values()
    )
    query = query.select_from(parts).outerjoin(Player, Player.id == parts.c.player)
    query = query.group_by(parts.c.player, Player.name).limit(MOST_PLAYERS + 1)
    return query.order_by(
        parts.c.player.is_(None).desc(), wins.desc(), games, Player.name == FORMER, Player.name, parts.c.player
    )


def _part(player: Any, **counted: ColumnElement[bool]) -> Select[Any]:
    """Return a query of rows for `player` that count 1 where the condition of a number holds."""
    numbers = [cast(case((counted[name], 1), else_=0) if name in counted else literal(0), Integer) for name in _SUMS]
    return select(player.label("player"), *(number.label(name) for number, name in zip(numbers, _SUMS, strict=True)))


def labels_of(player: Player) -> list[str]:
    """Return the labels of the games that a player hosts."""
    query = select(Game.label).where(Game.host_id == player.id, Game.label.is_not(None)).distinct()
    return [str(row.label) for row in rows(query.order_by(Game.label).limit(MOST_LABELS))]


MOST_LABELS = 50  # in the list of a player's


def _awaited(games: Mapping[str, Standing]) -> dict[str, set[int]]:
    """Return the numbers of the seats that are to move in each running game, as everybody sees it."""
    states = rebuild_all([*games.values()], leaves_out_damaged=True)
    return {game_id: seats_to_move(games[game_id].seats, state) for game_id, state in states.items()}


def _name(name: str | None) -> str | None:
    return None if name == FORMER else name


def _game(
    seats: Sequence[Any], awaited: set[int], paused: datetime | None, left: Mapping[tuple[str, str], list[int]]
) -> GameOfLabel:
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
        "counts": bool(row.counts),
        "started_at": rfc3339(row.started_at),
        "ended_at": rfc3339(row.ended_at),
        "resigned": left.get((row.id, "resigned"), []),
        "replaced": left.get((row.id, "substituted"), []),
        "seats": sitters,
    }


def sheet(which: str, players: Sequence[PlayerOfLabel], games: Iterable[GameOfLabel]) -> str:
    """Return the `players` or the `games` of a table as CSV."""
    if which == "players":
        return as_csv([*PlayerOfLabel.__annotations__], players)
    return as_csv(GAMES, (game | _cells(game) for game in games))


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
    return gettext("the end of the pause") if game["paused_until"] else _names(game)


def _names(game: GameOfLabel) -> str:
    """Return who is to move in a game, by name."""
    return ", ".join(seat["player_name"] or seat["bot"] or gettext("a former player") for seat in game["waits_for"])


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


def as_csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return the rows as CSV with headings; None is an empty cell, and no text can be read as a formula."""
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    return sheet.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
