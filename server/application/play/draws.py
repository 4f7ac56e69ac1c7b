"""Draws by agreement: a game ends in a draw when all its players want one; bots always do.

Offers are public. An offer stands until it is withdrawn, the game is over, or the seat changes hands.
"""

from sqlalchemy import select

from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.game import notices
from server.application.game.access import check_running, seat_of, visible
from server.application.game.events import record_event
from server.application.game.state import rebuild
from server.application.play import endings
from server.durations import DAY
from server.models import Event, Game, Player, Seat, session, transaction
from server.runtime import now, seconds_until

MOST_A_DAY = 3
NOTHING = "there is nothing to agree on"


def offer(game_id: str, player: Player) -> Game:
    """Offer a draw, or agree to one. When the last player agrees the game is over, provisionally.

    The first offer, and the end, are mailed to all.
    """
    with transaction():
        game = visible(game_id, player, lock=True)
        seat = seat_of(game, player)
        check_running(game, NOTHING)
        if not seat.wants_draw:
            is_first = not any(other.wants_draw for other in game.seats)
            _check_not_too_many(seat)
            begin_to_write()
            _record(seat, agrees=True)
            if not end_if_agreed(game) and is_first:
                notices.post_draw_offer(seat)
    return game


def withdraw(game_id: str, player: Player) -> Game:
    """Withdraw the player's offer, if there is one."""
    with transaction():
        game = visible(game_id, player, lock=True)
        seat = seat_of(game, player)
        check_running(game, NOTHING)
        begin_to_write()
        if seat.wants_draw:
            _record(seat, agrees=False)
    return game


def would_end(game: Game, player: Player) -> bool:
    """Return True if all others want a draw, so that the player's offer would end the game."""
    return all(seat.wants_draw for seat in _players(game) if seat.player_id != player.id)


def end_if_agreed(game: Game) -> bool:
    """End the game if all its players want a draw; return True if they do."""
    agreed = all(seat.wants_draw for seat in _players(game))
    if agreed:
        endings.end(game, rebuild(game), endings.AGREED)
    return agreed


def _players(game: Game) -> list[Seat]:
    return [seat for seat in game.seats if seat.player_id]


def _record(seat: Seat, *, agrees: bool) -> None:
    seat.wants_draw = agrees
    record_event(seat.game, "draw", seat=seat.number, pawns=seat.pawns, agrees=agrees)


def _check_not_too_many(seat: Seat) -> None:
    """Raise `Problem` too-many if the seat has offered often today: each offer is mailed to all."""
    own = Event.data["seat"].as_integer() == seat.number
    query = select(Event.at).where(Event.game_id == seat.game_id, Event.kind == "draw", own, Event.at > now() - DAY)
    # An offer and its withdrawal are two events.
    times = session.scalars(query.order_by(Event.at.desc()).limit(2 * MOST_A_DAY)).all()
    if len(times) == 2 * MOST_A_DAY:
        sentence = f"You have offered a draw {MOST_A_DAY} times within a day, as often as may be."
        raise Problem("too-many", sentence, retry_after=seconds_until(times[-1] + DAY))
