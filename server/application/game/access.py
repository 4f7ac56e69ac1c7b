"""Access to a game: who may see it, locking it, and its seats."""

from sqlalchemy import ColumnElement, ScalarSelect, Select, String, bindparam, exists, select, union, update
from sqlalchemy.orm import aliased
from sqlalchemy.orm.attributes import InstrumentedAttribute, set_committed_value

from server.models import Account, FormerHolder, Game, Player, QueuedMove, Seat, execute, rows, session
from server.runtime import runtime
from server.vocabulary.errors import Problem
from server.vocabulary.translation import gettext

_PLAYER, _CODE = bindparam("player", type_=String), bindparam("code", type_=String)
_OF_GAME = Seat.game_id == Game.id
_FORMER_MR_X = (FormerHolder.player_id == _PLAYER, FormerHolder.role == "mr_x")


def _is_visible_to(player: ColumnElement[str] | InstrumentedAttribute[str]) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions that a game is the one of the parameter `game`, and may be seen by `player`.

    Anybody who has not signed in, a null, may be a former Mr. X, to whom the game is closed, and so may any guest.
    """
    guest = aliased(Player)
    is_guest = exists().where(guest.id == player, guest.network.is_not(None)).correlate_except(guest)
    is_player = (FormerHolder.player_id == player) | player.is_(None) | is_guest
    was_mr_x = (FormerHolder.game_id == Game.id, is_player, FormerHolder.role == "mr_x")
    may_know = (Game.visibility == "public") | (Game.code == _CODE) | (Game.host_id == player)
    may_know |= exists().where(_OF_GAME, Seat.invited_id == player).correlate_except(Seat)
    sits_there = exists().where(_OF_GAME, Seat.player_id == player).correlate_except(Seat)
    is_closed = exists().where(*was_mr_x).correlate_except(FormerHolder) & Game.final.is_(False)
    may_see = sits_there | ~is_closed & may_know
    return Game.id == bindparam("game", type_=String), may_see


def version_for(player: ColumnElement[str] | InstrumentedAttribute[str]) -> ScalarSelect[str]:
    """Return the version of a game as a column of a query of players: null in the rows of those who may not see it.

    The query has the parameters `game` and `code`, see `game_parameters`.
    """
    return select(Game.version).where(*_is_visible_to(player)).correlate_except(Game).scalar_subquery()


def has_queue_for(player: ColumnElement[str] | InstrumentedAttribute[str]) -> ColumnElement[bool]:
    """Return a column of the same query: whether `player` has a seat there and the detectives have queued moves."""
    seated = (Seat.game_id == bindparam("game", type_=String), Seat.player_id == player)
    queued = exists().where(*seated, QueuedMove.game_id == Seat.game_id)
    return queued.correlate_except(Seat, QueuedMove)


VISIBLE = _is_visible_to(_PLAYER)
_VERSION = select(Game.version).where(*VISIBLE)
_LOCKED = select(Game).where(*VISIBLE).with_for_update().execution_options(populate_existing=True)
_ANY_LOCKED = select(Game).where(Game.id == bindparam("game")).with_for_update()
_ANY_LOCKED = _ANY_LOCKED.execution_options(populate_existing=True)
# Queries of the ids of games, for the parameter `player`. A UNION, because a database answers each of its parts from an
# index, and an OR of them with a scan of all games.
GAMES_OF_PLAYER = union(
    select(Seat.game_id).where(Seat.player_id == _PLAYER),
    select(Seat.game_id).where(Seat.invited_id == _PLAYER),
    select(Game.id).where(Game.host_id == _PLAYER),
)
_WAS_MR_X = select(FormerHolder.game_id).where(FormerHolder.game_id == bindparam("game"), *_FORMER_MR_X)
CLOSED_TO_PLAYER = select(Game.id).join(FormerHolder, FormerHolder.game_id == Game.id)
CLOSED_TO_PLAYER = CLOSED_TO_PLAYER.where(*_FORMER_MR_X, Game.final.is_(False))
_SEATS = select(Seat).where(Seat.game_id == bindparam("game")).order_by(Seat.number)


def visible_version(game_id: str, player: Account | None, *, code: str | None = None) -> str:
    """Return the version of a game that `player` may see; by a cheap query; `Problem` as `locked_visible`."""
    versions = rows(_VERSION, **parameters(game_id, player, code))
    if not versions:
        raise not_found()
    return versions[0].version  # type: ignore[no-any-return]


def locked_visible(game_id: str, player: Player | None, *, code: str | None = None) -> Game:
    """Return the row of a game that `player` may see, locked for the transaction under way.

    A private game is visible to its host, its players, invited players, and anybody who knows its code. A former Mr. X
    does not see it until the result is final, even as its host or with the code. Without a player, None, a game is
    visible if it is public and has no former Mr. X, or its result is final. A guest without a seat there does not see
    one with a former Mr. X either.

    Raises:
        Problem: not-found, whether the game is hidden or missing.
    """
    # Another process may have changed it while this one waited for the lock.
    game: Game | None = session.scalar(_LOCKED, parameters(game_id, player, code))
    if game is None:
        raise not_found()
    return _with_seats(game)


def game_parameters(game_id: str, code: str | None = None) -> dict[str, str | None]:
    """Return the parameters of a query for a game: its id, and the code that somebody sent for it."""
    # Other characters, such as NUL, a database may refuse.
    code = code if code is not None and code.isalnum() else None
    return {"game": game_id if game_id.isalnum() else "", "code": code}


def parameters(game_id: str, player: Account | None, code: str | None = None) -> dict[str, str | None]:
    """Return what `VISIBLE` asks for."""
    return game_parameters(game_id, code) | {"player": player.id if player else None}


def not_found(sentence: str = "") -> Problem:
    """Return the `Problem` of a game that is missing, or hidden."""
    return Problem("not-found", sentence or gettext("There is no such game, or it is not yours to see."))


def locked(game_id: str) -> Game:
    """Return any game, locked for the transaction under way; `Problem` not-found."""
    game: Game | None = session.scalar(_ANY_LOCKED, {"game": game_id})
    if game is None:
        raise not_found(gettext("There is no such game."))
    return _with_seats(game)


def _with_seats(game: Game) -> Game:
    # A query of its own, which begins after the lock was taken.
    set_committed_value(game, "seats", session.scalars(_SEATS, {"game": game.id}).all())
    return game


def roles_once_held(game_id: str, player: Player) -> dict[str, int | None]:
    """Return the roles of `player` before they handed a seat on, mr_x or detective, each with its `team_since`."""
    held = (FormerHolder.game_id == game_id, FormerHolder.player_id == player.id)
    return {was.role: was.team_since for was in session.scalars(select(FormerHolder).where(*held))}


def was_mr_x(game_id: str, player_id: str) -> bool:
    """Return True for a player to whom the game is closed until its result is final, as they were Mr. X in it."""
    return bool(rows(_WAS_MR_X, game=game_id, player=player_id))


def closed_to(player: Player) -> Select[str]:
    """Return a query of the ids of games hidden from `player`, who was Mr. X in them while the result is not final."""
    return CLOSED_TO_PLAYER.params(player=player.id)


def renew_versions(player: Player) -> None:
    """Renew the versions of all games of `player`, after a change to the player that views show."""
    own = Game.id.in_(select(Seat.game_id).where(Seat.player_id == player.id))
    # In one order, as in `absences.lock_with_games`, so that no two transactions wait for each other.
    ids = session.scalars(select(Game.id).where(own).order_by(Game.id).with_for_update()).all()
    statement = update(Game).where(Game.id.in_(ids)).values(version=runtime().new_id("version"))
    execute(statement)
