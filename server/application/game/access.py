"""Finding a game, rebuilding it from its moves, and saying what happened in it."""

from typing import Any

from sqlalchemy import Select, String, bindparam, exists, select, update
from sqlalchemy.orm.attributes import set_committed_value

from server.application.errors import Problem
from server.models import (
    FormerHolder,
    Game,
    Player,
    Seat,
    rows,
    session,
)
from server.runtime import runtime

# Every request for a game asks these, so they are built once.
_PLAYER, _CODE = bindparam("player", type_=String), bindparam("code", type_=String)
_OF_GAME = Seat.game_id == Game.id
_WAS_MR_X = (FormerHolder.game_id == Game.id, FormerHolder.player_id == _PLAYER, FormerHolder.role == "mr_x")
_MAY_KNOW = (Game.visibility == "public") | (Game.code == _CODE) | (Game.host_id == _PLAYER)
_MAY_KNOW |= exists().where(_OF_GAME, Seat.invited_id == _PLAYER)
_SITS_THERE = exists().where(_OF_GAME, Seat.player_id == _PLAYER)
_MAY_SEE = _SITS_THERE | ~(exists().where(*_WAS_MR_X) & Game.final.is_(False)) & _MAY_KNOW
_SEEN = (Game.id == bindparam("game"), _MAY_SEE)
_VERSION = select(Game.version).where(*_SEEN)
_GAME = select(Game).where(*_SEEN)
_LOCKED = _GAME.with_for_update().execution_options(populate_existing=True)
_ANY_LOCKED = select(Game).where(Game.id == bindparam("game")).with_for_update()
_ANY_LOCKED = _ANY_LOCKED.execution_options(populate_existing=True)
_SEATS = select(Seat).where(Seat.game_id == bindparam("game")).order_by(Seat.number)


def visible_version(game_id: str, player: Player | None, *, code: str | None = None) -> str:
    """The version of a game that `player` may see; `Problem` not-found as of `visible`, for less."""
    found = rows(_VERSION, **_given(game_id, player, code))
    if not found:
        raise _not_found()
    return found[0].version  # type: ignore[no-any-return]


def visible(game_id: str, player: Player | None, *, code: str | None = None, lock: bool = False) -> Game:
    """The game, if `player` may see it; the same `Problem` not-found whether it is hidden or missing.

    A private game is seen by its host, by who sits or is invited there, and by who knows its code. Who was Mr. X and
    has handed his seat on sees nothing of it, whoever he is besides, until the result is final.
    """
    # What was read of it before a lock was waited for may have changed meanwhile.
    game: Game | None = session.scalar(_LOCKED if lock else _GAME, _given(game_id, player, code))
    if game is None:
        raise _not_found()
    return _with_seats(game)


def _given(game_id: str, player: Player | None, code: Any) -> dict[str, str | None]:
    # What else an id or a code may hold is nothing to ask a database about.
    code = code if isinstance(code, str) and code.isalnum() else None
    return {"game": game_id if game_id.isalnum() else "", "player": player.id if player else None, "code": code}


def _not_found() -> Problem:
    return Problem("not-found", "There is no such game, or it is not yours to see.")


def locked(game_id: str) -> Game:
    """Any game, whoever may see it, to be changed in the transaction under way; `Problem` not-found."""
    game: Game | None = session.scalar(_ANY_LOCKED, {"game": game_id})
    if game is None:
        raise Problem("not-found", "There is no such game.")
    return _with_seats(game)


def _with_seats(game: Game) -> Game:
    # A query of their own, which begins when the lock is had.
    set_committed_value(game, "seats", session.scalars(_SEATS, {"game": game.id}).all())
    return game


def check_running(game: Game, consequence: str) -> None:
    """`Problem` game-not-running unless it runs; `consequence` ends its sentence."""
    if game.status != "running":
        began = "has not begun" if game.status == "open" else "is over"
        raise Problem("game-not-running", f"This game {began}; {consequence}.")


def roles_once_held(game: Game, player: Player) -> set[str]:
    """What `player` was in this game before he handed a seat on: mr_x, detective, or both."""
    held = (FormerHolder.game_id == game.id, FormerHolder.player_id == player.id)
    return set(session.scalars(select(FormerHolder.role).where(*held)))


def closed_to(player: Player) -> Select[Any]:
    """The ids of the games that are not there for `player`: he was Mr. X, and the result is not final."""
    held = (FormerHolder.player_id == player.id, FormerHolder.role == "mr_x")
    return select(Game.id).join(FormerHolder, FormerHolder.game_id == Game.id).where(*held, Game.final.is_(False))


def was_renewed(player: Player) -> None:
    """Something has changed of `player` that views of all his games tell."""
    his = Game.id.in_(select(Seat.game_id).where(Seat.player_id == player.id))
    # In one order, as in `vacation.lock_with_games`, so that no two transactions wait for each other.
    ids = session.scalars(select(Game.id).where(his).order_by(Game.id).with_for_update()).all()
    statement = update(Game).where(Game.id.in_(ids)).values(version=runtime().new_id("version"))
    session.execute(statement, execution_options={"synchronize_session": False})


def seat_of(game: Game, player: Player) -> Seat:
    """The seat `player` holds; `Problem` forbidden when he has none."""
    for seat in game.seats:
        if seat.player_id == player.id:
            return seat
    raise Problem("forbidden", "You have no seat in this game.")


def seat_of_pawn(game: Game, pawn: str) -> Seat:
    """The seat that moves the pawn."""
    return next(seat for seat in game.seats if pawn in seat.pawns)


def seat_of_number(game: Game, number: int) -> Seat:
    """The seat of that number."""
    return next(seat for seat in game.seats if seat.number == number)
