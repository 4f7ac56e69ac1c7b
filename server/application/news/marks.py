"""Marks: short texts that change with what is new, so that those who wait for news can be told of it.

A mark that a viewer gets depends only on what they may know. The others are for the server, which asks for those of
all that wait with two statements, and then has each request check for itself if there is news for its viewer.
"""

import hashlib
from collections.abc import Collection, Mapping

from sqlalchemy import Select, String, bindparam, func, select, union_all

from server.application.decisions.standing import Sight
from server.application.news import talk
from server.models import Game, Message, Player, QueuedMove, Seat, rows

GAME, PLAYER = "game ", "player "  # what a mark is of, before the id
_GAMES = bindparam("games", type_=String, expanding=True)
_PLAYERS = bindparam("players", type_=String, expanding=True)
_MESSAGES = select(func.count()).select_from(Message).where(Message.game_id == Game.id).scalar_subquery()
_OWN = QueuedMove.game_id == Game.id
_QUEUED = select(func.count()).select_from(QueuedMove).where(_OWN).scalar_subquery()
_KEPT = select(func.max(QueuedMove.kept_at)).where(_OWN).scalar_subquery()
_OF_GAMES = select(Game.id, Game.version, _MESSAGES.label("said"), _QUEUED.label("queued"), _KEPT.label("kept"))
_OF_GAMES = _OF_GAMES.where(Game.id.in_(_GAMES))


def _of_players() -> Select[tuple[str, int, int]]:
    """Return the query of the games of some players, with how many there are and how much has happened there."""
    seats = [
        select(column.label("player"), Seat.game_id.label("game")).where(column.in_(_PLAYERS))
        for column in (Seat.player_id, Seat.invited_id)
    ]
    hosted = select(Game.host_id.label("player"), Game.id.label("game")).where(Game.host_id.in_(_PLAYERS))
    theirs = union_all(*seats, hosted).subquery()
    counted = (func.count().label("games"), func.sum(Game.events).label("events"))
    return select(theirs.c.player, *counted).join(Game, Game.id == theirs.c.game).group_by(theirs.c.player)


_OF_PLAYERS = _of_players()


def of_game(game: Sight, player: Player | None) -> str:
    """Return the mark of a game for one viewer: the number of its events, and a word for all that they may know."""
    own = [f"{queued.pawn} {queued.kept_at.isoformat()}" for queued in game.queue]
    heard = talk.number_heard(game, player) if player is not None else 0
    known = " ".join([game.version, str(heard), *own])
    return f"{game.events}.{hashlib.sha256(known.encode()).hexdigest()[:16]}"


def for_server(names: Collection[str]) -> Mapping[str, str]:
    """Return the marks of games and players, such as `game abc`, that change with anything that is new there."""
    games = sorted(name.removeprefix(GAME) for name in names if name.startswith(GAME))
    players = sorted(name.removeprefix(PLAYER) for name in names if name.startswith(PLAYER))
    found = dict.fromkeys(names, "")
    for row in rows(_OF_GAMES, games=games) if games else ():
        found[GAME + row.id] = f"{row.version} {row.said} {row.queued} {row.kept}"
    for row in rows(_OF_PLAYERS, players=players) if players else ():
        found[PLAYER + row.player] = f"{row.games} {row.events}"
    return found
