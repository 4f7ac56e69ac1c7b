"""The games of a player, for a page with all of them: each with whose turn it is, until when, and the last events.

The number of statements does not depend on that of games.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, exists, func, select
from sqlalchemy.orm import selectinload

from server.application.game import projection, queued_moves, timer_rows
from server.application.game.access import CLOSED_TO_PLAYER, GAMES_OF_PLAYER
from server.application.game.look import standing_of
from server.application.game.state import rebuild_all
from server.application.lists import listing
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import Seat, Standing
from server.house_rules.timers import own_or_earliest
from server.house_rules.turns import awaited_seats
from server.models import OVER, Event, FormerHolder, Game, Player, plain, rows, session
from server.models import Seat as SeatRow

MOST = 100  # games shown that are not over
A_PAGE = 20  # finished games
RECENT = 4  # events of each game, of which the last one worth telling is told
_COLUMNS = (Event.number, Event.kind, Event.moves, Event.data, Event.head, Event.at)
_RECENT = (
    select(Event.game_id, *_COLUMNS)
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
_IS_ANOTHER = (SeatRow.player_id == bindparam("player"), SeatRow.game_id != bindparam("game"))
_HAS_BEGUN_ANOTHER = select(exists().where(*_IS_ANOTHER, Game.id == SeatRow.game_id, Game.started_at.is_not(None)))


class MyGame(NamedTuple):
    """A game of a player's that is not over.

    seat: the player's own, None for a host who does not play and for an invited player
    is_waiting: a move of the player is missing; `since` is when it became their turn, None before the start
    to_move: the pawns that may move now
    due_at: the deadline of the player's turn, or else the earliest one
    recent: the newest public events, the last one last
    """

    game: Standing
    seat: Seat | None
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
    games = listing.page(player, mine=True, status="running", limit=MOST)
    ids = [game.id for game in games]
    states, queues, clocks = rebuild_all(games), queued_moves.of_games(ids), timer_rows.timeouts_of(ids)
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
    games = sorted(listing.page(player, mine=True, status="open", limit=MOST), key=lambda game: game.created_at)
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
