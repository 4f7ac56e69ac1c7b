"""A rematch: the same people play again, and the next of them is Mr. X."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from server.application.errors import Problem
from server.application.game.access import locked_visible, seat_of
from server.application.game.look import standing_of
from server.application.game.state import rebuild
from server.application.lobby import lobby, opening
from server.house_rules.standing import Standing
from server.models import Game, Player, Seat, session, transaction


def rematch(game_id: str, player: Player) -> Game:
    """Return the one rematch of a game that is over, in which the player has a seat; the first who asks opens it.

    Rules, clock, visibility, label and seating are the same. Each person is invited one seat further, so that another
    is Mr. X; bots keep their seats. The result of the game may still be provisional.
    """
    with transaction():
        # `open_game` locks its host as well; players are locked before games, as in `vacation.lock_with_games`.
        session.get_one(Player, player.id, with_for_update={"key_share": True})
        game = locked_visible(game_id, player)
        seat_of(game, player)
        if game.status != "over":
            raise Problem("still-playing", "This game is not over; a rematch comes after it.", games=[game.id])
        if game.rematch_id is not None:
            return _find_seat(session.get_one(Game, game.rematch_id), player)
        following = _opened(game, player)
        game.rematch_id = following.id
    return following


def is_held_back(game: Standing) -> bool:
    """Return True while a rematch has to wait: it would begin where Mr. X began here, and that is not told yet."""
    return game.turn is not None and not game.final and rebuild(game).is_set_up


def _opened(game: Game, host: Player) -> Game:
    if is_held_back(standing_of(game)):
        raise Problem("game-not-running", "Where Mr. X began here is told when the result is final; ask again then.")
    return opening.open_game(
        host,
        game.edition,
        options=game.options,
        seats=_seats(game),
        clock=game.clock,
        visibility=game.visibility,
        label=game.label,
        seating=game.seating,
        guests=game.guests,
        position=game.position,
    )


def _seats(game: Game) -> list[dict[str, Any]]:
    """Return the seats of the rematch: each person one seat further."""
    sitting = [seat.player_id for seat in game.seats if seat.player_id]
    following = iter([*sitting[1:], *sitting[:1]])
    return [{"role": seat.role, **_wanted(seat, following)} for seat in game.seats]


def _wanted(seat: Seat, following: Iterator[str]) -> dict[str, Any]:
    if seat.player_id is None:
        return {"bot": seat.bot, "level": seat.level} if seat.bot else {}
    player_id = next(following)
    return {} if session.get_one(Player, player_id).gone_at else {"player": player_id}


def _find_seat(game: Game, player: Player) -> Game:
    """Give the player their seat in a rematch that another opened, or any open one; return the rematch."""
    if not _sits(game, player):
        with suppress(Problem):  # it has started, or all seats are taken or reserved for others
            lobby.join(game.id, player, code=game.code)
    if not _sits(game, player):
        raise Problem("seat-taken", "There is a rematch of this game already, and no seat is left in it.")
    return game


def _sits(game: Game, player: Player) -> bool:
    return any(seat.player_id == player.id for seat in game.seats)
