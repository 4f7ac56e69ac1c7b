"""Lists of games."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple

from sqlalchemy import ColumnElement, Integer, Select, String, bindparam, exists, func, literal_column, select, union
from sqlalchemy.orm import selectinload

from server.application.game import projection, timer_rows
from server.application.game.access import CLOSED_TO_PLAYER, GAMES_OF_PLAYER
from server.application.game.look import standing_of
from server.application.game.projection import Summary, summaries
from server.application.game.state import rebuild_all
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import Seat as Place
from server.house_rules.standing import Standing
from server.house_rules.timers import own_or_earliest, timer_of
from server.house_rules.turns import awaited_seats
from server.models import (
    OPEN,
    OVER,
    PRIVATE,
    PUBLIC,
    RUNNING,
    Event,
    FormerHolder,
    Game,
    Player,
    Seat,
    plain,
    rows,
    session,
)

MOST_OF_A_HOST = 2  # games to watch, in the list for everybody
MOST_LOOKED_AT = 200  # for that list
LOOKED_AT_AT_ONCE = 40
_OPTIONS = (selectinload(Game.seats).selectinload(Seat.invitation),)
_STATUS, _LABEL = bindparam("status", type_=String), bindparam("label", type_=String)
_FILTERS: dict[str, ColumnElement[bool]] = {
    "status": Game.status == _STATUS,
    "label": Game.label == _LABEL,
    "visibility": Game.visibility == bindparam("visibility", type_=String),
    "after": Game.id > bindparam("after", type_=String),
    "ids": Game.id.in_(bindparam("ids", expanding=True)),
}
_MINE = Game.id.in_(GAMES_OF_PLAYER)
_PUBLIC = Game.visibility == "public"
_PLAIN = {"status": plain(Game.status) == _STATUS, "label": plain(Game.label) == _LABEL}
_PLAINLY_PUBLIC = plain(Game.visibility) == "public"
_HAS_FORMER_MR_X = exists().where(FormerHolder.game_id == Game.id, FormerHolder.role == "mr_x")
_OF_HOSTS = select(Game.id, Game.host_id).limit(LOOKED_AT_AT_ONCE)
_TO_WATCH = _OF_HOSTS.where(_PUBLIC, Game.status == "running", ~_HAS_FORMER_MR_X).order_by(Game.id)
# Of literals, as in the partial index that answers it.
_OVER_FOR_ALL = (Game.visibility == PUBLIC, Game.status == OVER, Game.turn.is_not(None))
_TO_REPLAY = _OF_HOSTS.where(*_OVER_FOR_ALL, Game.final, Game.ended_at.is_not(None))
_TO_REPLAY = _TO_REPLAY.order_by(Game.ended_at.desc(), Game.id.desc())
_NOT_CLOSED = Game.id.not_in(CLOSED_TO_PLAYER)
# Of literals, as in the partial index that answers it.
_JOINABLE = (Game.visibility == PUBLIC, Game.status == OPEN, Game.free_seats > literal_column("0"))
_MOST = bindparam("most", type_=Integer)
_RUNNING = select(Game).join(Seat).where(Seat.player_id == bindparam("player"), Game.status == "running")
_RUNNING = _RUNNING.order_by(Game.due_at.is_(None), Game.due_at, Game.id).options(*_OPTIONS)


def games(
    player: Player, *, status: str | None = None, mine: bool = False, waiting: bool = False,
    label: str | None = None, visibility: str | None = None, after: str | None = None, limit: int = 50,
) -> list[Summary]:  # fmt: skip
    """Return the games `player` may see (`mine`: is in; `waiting`: has to move in), by id.

    They begin after the id `after`, and are at most `limit`.
    """
    ids = [game.id for game in _waiting_for(player)] if waiting else None
    filters = {"status": status, "label": label, "visibility": visibility, "after": after}
    return summaries(page(player, mine=mine, limit=limit, ids=ids, **filters), player)


def game_names(ids: Sequence[str]) -> dict[str, str]:
    """Return the names of these games, by their ids; the caller knows that the reader may know of them."""
    found = session.execute(select(Game.id, Game.name).where(Game.id.in_(set(ids)))) if ids else ()
    return {row.id: row.name for row in found}


def watchable(limit: int, after: str = "") -> list[Standing]:
    """Return public games that run, for everybody to watch; none with a former Mr. X, and few of one host.

    They are in the order of their ids, behind the id `after`, and at most `limit`.
    """
    return _few_of_a_host(_TO_WATCH, limit, after, lambda last: Game.id > last)


def finished_for_all(limit: int, after: str = "") -> list[Standing]:
    """Return public games whose result is final, the newest first, for everybody to replay; few of one host.

    They are behind the game with the id `after`, and at most `limit`.
    """
    return _few_of_a_host(_TO_REPLAY, limit, after, _ended_before)


def _ended_before(game_id: str) -> ColumnElement[bool]:
    at = session.scalar(select(Game.ended_at).where(Game.id == game_id, _PUBLIC)) if game_id.isalnum() else None
    return (Game.ended_at <= at) & ((Game.ended_at < at) | (Game.id < game_id)) if at is not None else Game.id == ""


def _few_of_a_host(
    query: Select[str, str], limit: int, after: str, is_behind: Callable[[str], ColumnElement[bool]]
) -> list[Standing]:
    of_host: Counter[str] = Counter()
    found: list[str] = []
    last = after
    for _ in range(MOST_LOOKED_AT // LOOKED_AT_AT_ONCE):
        looked_at = session.execute(query.where(is_behind(last)) if last else query).all()
        for last, host_id in looked_at:
            of_host[host_id] += 1
            if of_host[host_id] <= MOST_OF_A_HOST:
                found.append(last)
        if len(found) >= limit or len(looked_at) < LOOKED_AT_AT_ONCE:
            break
    shown = session.scalars(select(Game).where(Game.id.in_(found[:limit])).options(*_OPTIONS))
    return sorted(map(standing_of, shown), key=lambda game: found.index(game.id))


def page(
    player: Player | None, *, mine: bool = False, limit: int, status: str | None = None,
    label: str | None = None, visibility: str | None = None, after: str | None = None, ids: Sequence[str] | None = None,
) -> list[Standing]:  # fmt: skip
    """Return the games that `player` may see, or is in (`mine`), with their seats: at most `limit`, by id.

    `player` is None for the operator, who may see all. The number of statements does not depend on that of games.

    Args:
        status, label, visibility, after, ids: filters, of which those that are None do not count; `after` is an id.
    """
    filters = {"status": status, "label": label, "visibility": visibility, "after": after, "ids": ids}
    given = {name: value for name, value in filters.items() if value is not None}
    if player is None:
        whose = "unfinished" if given.get("status") in ("open", "running") else "all"
    else:
        whose = "mine" if mine else "seen"
    known = {"player": player.id} if player else {}
    found = session.scalars(_page(whose, frozenset(given)), {**known, **given, "most": limit})
    return [standing_of(row) for row in found]


@cache
def _page(whose: str, filters: frozenset[str]) -> Select[Game]:
    """Return the query of a page. Games of the player are found by their ids; others by their label, or in order."""
    wanted = [_FILTERS[name] for name in sorted(filters)]
    plain = [(_FILTERS | _PLAIN)[name] for name in sorted(filters)]
    by_label = [_FILTERS["label"], *plain, _PLAINLY_PUBLIC] if "label" in filters else [_PUBLIC, *wanted]
    query = select(Game).order_by(Game.id).limit(_MOST).options(*_OPTIONS)
    if whose == "all":
        return query.where(*wanted)
    if whose == "unfinished":
        return query.where(*wanted, Game.status != OVER)
    if whose == "mine":
        return query.where(_MINE, _NOT_CLOSED, *plain)
    parts = (select(Game.id).where(*part, _NOT_CLOSED) for part in ([_MINE, *plain], by_label))
    return query.where(Game.id.in_(union(*(select(part.order_by(Game.id).limit(_MOST).subquery()) for part in parts))))


def with_late_seats(limit: int) -> ColumnElement[bool]:
    """Return the condition for the first running games with a late player."""
    late = select(Game.id).where(Game.status == RUNNING, Game.late_seats > literal_column("0"))
    parts = [late.where(Game.visibility == PUBLIC), late.where(Game.visibility == PRIVATE)]
    return Game.id.in_(union(*(select(part.order_by(Game.id).limit(limit).subquery()) for part in parts)))


def joinable(player: Player | None, *, limit: int, ids: Sequence[str] | None = None, after: str = "") -> list[Standing]:
    """Return public games that have not begun, and have a seat for `player` or for somebody without an account.

    They are in the order of their ids, behind the id `after`. With `ids`, only those of these games.
    """
    query = select(Game).where(*_JOINABLE).options(*_OPTIONS)
    if player is not None:
        query = query.where(~Game.seats.any(Seat.player_id == player.id), Game.host_id != player.id)
    if ids is not None:
        query = query.where(Game.id.in_(ids))
    if after:
        query = query.where(Game.id > after)
    return [standing_of(row) for row in session.scalars(query.order_by(Game.id).limit(limit))]


def waiting_for(player: Player) -> list[Summary]:
    """Return the running games in which a move of `player` is missing, the one that is due first before the others."""
    return summaries(_waiting_for(player), player)


class Due(NamedTuple):
    """The deadline of a turn of a player's: the game and its name, the round, and when its time began."""

    game_id: str
    game: str
    round: int
    at: datetime
    began_at: datetime


def deadlines_of(player: Player) -> list[Due]:
    """Return the deadlines of the turns in which a move of `player` is missing, the most urgent first."""
    found, waiting = [], _waiting_for(player)
    clocks = timer_rows.timeouts_of([game.id for game in waiting])
    for game in waiting:
        (seat,) = (seat for seat in game.seats if seat.player_id == player.id)
        timer = timer_of(game, seat, clocks[game.id])
        if timer is not None and timer.round is not None:
            found.append(Due(game.id, game.name, timer.round, timer.due_at, timer.began_at or timer.due_at))
    return sorted(found, key=lambda due: (due.at, due.game_id))


def _waiting_for(player: Player) -> list[Standing]:
    found = [standing_of(row) for row in session.scalars(_RUNNING, {"player": player.id})]
    states, queues = rebuild_all(found), timer_rows.queues_of([game.id for game in found])
    return [
        game
        for game in found
        if any(seat.player_id == player.id for seat in awaited_seats(game, states[game.id], queues[game.id]))
    ]


MOST_SHOWN = 100  # games shown that are not over
A_PAGE = 20  # finished games
RECENT = 4  # events of each game, of which the last one worth telling is told
_EVENT_COLUMNS = (Event.number, Event.kind, Event.moves, Event.data, Event.head, Event.at)
_RECENT = (
    select(Event.game_id, *_EVENT_COLUMNS)
    .join(Game, Game.id == Event.game_id)
    .where(Event.game_id.in_(bindparam("games", expanding=True)), Event.number > Game.events - RECENT)
    .order_by(Event.game_id, Event.number)
)
# By an expression, which no index answers: it sorts the games of one player, and reads no others.
_NEWEST_FIRST = (func.coalesce(Game.ended_at, Game.created_at).desc(), Game.id.desc())
_FINISHED = (
    select(Game)
    .where(Game.id.in_(GAMES_OF_PLAYER), Game.id.not_in(CLOSED_TO_PLAYER), plain(Game.status) == OVER)
    .order_by(*_NEWEST_FIRST)
    .options(selectinload(Game.seats))
)
_IS_ANOTHER = (Seat.player_id == bindparam("player"), Seat.game_id != bindparam("game"))
_HAS_BEGUN_ANOTHER = select(exists().where(*_IS_ANOTHER, Game.id == Seat.game_id, Game.started_at.is_not(None)))


# The games of a player, for a page with all of them: each with whose turn it is, until when, and the last events.
#
# The number of statements does not depend on that of games.


class MyGame(NamedTuple):
    """A game of a player's that is not over.

    seat: the player's own, None for a host who does not play and for an invited player
    is_waiting: a move of the player is missing; `since` is when it became their turn, None before the start
    to_move: the pawns that may move now
    due_at: the deadline of the player's turn, or else the earliest one
    recent: the newest public events, the last one last
    """

    game: Standing
    seat: Place | None
    is_waiting: bool
    since: datetime | None
    to_move: Sequence[str]
    due_at: datetime | None
    recent: Sequence[PublicEvent]

    @property
    def is_ahead(self) -> bool:
        """Return True if the move that is missing would be queued, as other pawns are to move first."""
        return self.is_waiting and self.seat is not None and not set(self.seat.pawns) & set(self.to_move)


def running(player: Player) -> list[MyGame]:
    """Return the running games of `player`, the one that has waited longest for a move of theirs first."""
    games = page(player, mine=True, status="running", limit=MOST_SHOWN)
    ids = [game.id for game in games]
    states, queues, clocks = rebuild_all(games), timer_rows.queues_of(ids), timer_rows.timeouts_of(ids)
    recent = _recent(ids)
    found = []
    for game in games:
        seat, state = projection.own_seat(game, player), states[game.id]
        timer = own_or_earliest(clocks[game.id], seat)
        awaited = awaited_seats(game, state, queues[game.id])
        since = (timer and timer.began_at) or game.happened_at
        due_at = timer.due_at if timer else None
        found.append(MyGame(game, seat, seat in awaited, since, state.to_move, due_at, recent.get(game.id, ())))
    return sorted(found, key=lambda mine: (not mine.is_waiting, mine.since or mine.game.created_at, mine.game.id))


def _recent(ids: Sequence[str]) -> Mapping[str, list[PublicEvent]]:
    found: dict[str, list[PublicEvent]] = {}
    for row in rows(_RECENT, games=ids) if ids else ():
        found.setdefault(row.game_id, []).append(PublicEvent._make(row[1:]))
    return found


def not_started(player: Player) -> tuple[list[Standing], list[Standing]]:
    """Return the games that have not started: those to which `player` is invited and has no seat, and all others."""
    games = sorted(page(player, mine=True, status="open", limit=MOST_SHOWN), key=lambda game: game.created_at)
    invited = [game for game in games if any(seat.invited_id == player.id for seat in game.seats)]
    return invited, [game for game in games if game not in invited]


def finished(player: Player, page: int) -> tuple[Sequence[Standing], bool]:
    """Return the finished games on a page, the newest first, and whether there are more; the first page is 1."""
    wanted = _FINISHED.limit(A_PAGE + 1).offset((page - 1) * A_PAGE)
    found = session.scalars(wanted, {"player": player.id}).all()
    return [standing_of(row) for row in found[:A_PAGE]], len(found) > A_PAGE


def has_begun_another(player: Player, game: Standing) -> bool:
    """Return True if the player has a seat in another game that has begun."""
    return bool(rows(_HAS_BEGUN_ANOTHER, player=player.id, game=game.id)[0][0])


def given_up(player: Player, game_id: str) -> tuple[str, bool] | None:
    """Return name and publicity of a game in which `player` gave up a detective's seat, None if they did not.

    They knew both before, so nothing is revealed. A former Mr. X gets None, as for a game that does not exist.
    """
    was_detective = (FormerHolder.player_id == player.id, FormerHolder.role == "detective")
    query = select(Game.name, Game.visibility).join(FormerHolder, FormerHolder.game_id == Game.id)
    found = session.execute(query.where(Game.id == game_id, *was_detective)).first()
    return (found.name, found.visibility == "public") if found else None
