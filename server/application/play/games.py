"""Finding a game, rebuilding it from its moves, and saying what happened in it."""

import re
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import joinedload

from server import engine
from server.application.errors import Problem
from server.application.news.webhooks import tell
from server.application.people.players import check_line
from server.application.play import sealing
from server.models import Event, FormerHolder, Game, Move, Player, Seat, insert, session
from server.runtime import now, runtime

LONGEST_REASON = 200
_WITH_SEATS = [joinedload(Game.seats)]


def visible(game_id: str, player: Player | None, *, code: str | None = None, lock: bool = False) -> Game:
    """The game, if `player` may see it; the same `Problem` not-found whether it is hidden or missing.

    A private game is seen by its host, by who sits or is invited there, and by who knows its code. Who was Mr. X and
    has handed his seat on sees nothing of it, whoever he is besides, until the result is final.
    """
    # What else an id may hold is nothing to ask a database about.
    game = _found(game_id, lock=lock) if game_id.isalnum() else None
    if game is None or not may_see(game, player, code):
        raise Problem("not-found", "There is no such game, or it is not yours to see.")
    return game


def _found(game_id: str, *, lock: bool) -> Game | None:
    """The game, with its seats in the same query unless it is locked: theirs is to begin when the lock is had."""
    if lock:  # what was read of it before the lock was waited for may have changed meanwhile
        return session.get(Game, game_id, with_for_update=True, populate_existing=True)
    return session.get(Game, game_id, options=_WITH_SEATS)


def locked(game_id: str) -> Game:
    """Any game, for who runs the server, to be changed in the transaction under way; `Problem` not-found."""
    game = session.get(Game, game_id, with_for_update=True)
    if game is None:
        raise Problem("not-found", "There is no such game.")
    return game


def check_running(game: Game, consequence: str) -> None:
    """`Problem` game-not-running unless it runs; `consequence` ends its sentence."""
    if game.status != "running":
        began = "has not begun" if game.status == "open" else "is over"
        raise Problem("game-not-running", f"This game {began}; {consequence}.")


def may_see(game: Game, player: Player | None, code: str | None = None) -> bool:
    """Whether `player` may see that the game exists."""
    if player is not None and any(player.id == seat.player_id for seat in game.seats):
        return True
    if player is not None and session.scalar(closed_to(player).where(Game.id == game.id)) is not None:
        return False
    if game.visibility == "public" or (code is not None and code == game.code):
        return True
    if player is None:
        return False
    return player.id == game.host_id or any(player.id == seat.invited_id for seat in game.seats)


def roles_once_held(game: Game, player: Player) -> set[str]:
    """What `player` was in this game before he handed a seat on: mr_x, detective, or both."""
    held = (FormerHolder.game_id == game.id, FormerHolder.player_id == player.id)
    return set(session.scalars(select(FormerHolder.role).where(*held)))


def closed_to(player: Player) -> Select[Any]:
    """The ids of the games that are not there for `player`: he was Mr. X, and the result is not final."""
    held = (FormerHolder.player_id == player.id, FormerHolder.role == "mr_x")
    return select(Game.id).join(FormerHolder, FormerHolder.game_id == Game.id).where(*held, Game.final.is_(False))


def seat_of(game: Game, player: Player) -> Seat:
    """The seat `player` holds; `Problem` forbidden when he has none."""
    for seat in game.seats:
        if seat.player_id == player.id:
            return seat
    raise Problem("forbidden", "You have no seat in this game.")


def seat_of_pawn(game: Game, pawn: str) -> Seat:
    """The seat that moves the pawn."""
    return next(seat for seat in game.seats if pawn in seat.pawns)


def edition_of(game: Game) -> engine.Edition:
    """The edition with the options the host chose."""
    return engine.Edition.named(game.edition).with_options(**game.options)


def rebuild(game: Game, moves: int | None = None) -> engine.Game:
    """The game as it stood after its first `moves` moves (all of them when None).

    Committed moves never change, so a game that was rebuilt before is taken up where it was kept.
    """
    wanted = (game.turn or 1) - 1 if moves is None else moves
    kept = runtime().tables
    table = kept.get(game.id, wanted) or _from_start(game)
    played = len(table.history)
    if played < wanted:
        query = select(Move.notation).where(Move.game_id == game.id, Move.turn > played, Move.turn <= wanted)
        for notation in session.scalars(query.order_by(Move.turn)):
            table.play(notation)
        keep(game, table)
    return table


def keep(game: Game, table: engine.Game) -> None:
    """Remember `table` for the next request, unless a transaction is open: its moves may yet be undone."""
    if not session.info.get("writing"):
        runtime().tables.put(game.id, table)


def _from_start(game: Game) -> engine.Game:
    edition = edition_of(game)
    if game.position is not None:
        return engine.Game.at(edition, game.position)
    assert game.mr_x_start is not None
    return engine.Game(edition, players=len(game.seats), starts={"mr_x": game.mr_x_start, **game.starts})


def happened(game: Game, kind: str, **data: Any) -> None:
    """Record that something public happened. `data` may hold public facts only."""
    game.events += 1
    # A clock that is set right may go back; what happened in a game does not.
    at = game.happened_at = max(now(), game.happened_at or now())
    sealing.link(game, game.events, kind, at, data)
    moves = (game.turn or 1) - 1
    row = {"game_id": game.id, "number": game.events, "kind": kind, "moves": moves, "data": data, "at": at}
    insert(Event, row | {"head": game.head})
    tell(game)


def check_reason(game: Game, reason: str, *newcomers: str) -> str:
    """Why the operator did something, as it may stand among the events for good: one line, and nobody's name.

    Events are chained and cannot be changed, and the account of a player must be free to go. `newcomers` are the ids
    of players who take a seat now.
    """
    tidy = check_line(reason, "A reason", LONGEST_REASON)
    at_the_table = {game.host_id, *(seat.player_id for seat in game.seats), *newcomers}
    names = session.scalars(select(Player.name).where(Player.id.in_(at_the_table)).order_by(Player.name))
    for name in names:
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", tidy, re.IGNORECASE):
            raise Problem("form", f"A reason stands in the game's log for good, so it names nobody; leave out {name}.")
    return tidy
