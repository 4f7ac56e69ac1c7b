"""Resignation: a player gives up, and the game is over or a bot plays on."""

from collections.abc import Sequence

from server import bots
from server.house_rules import (
    draws,
    endings,
    moves,
    notices,
)
from server.house_rules.draft import Draft
from server.house_rules.seats import clear_seat, pass_duties_on
from server.house_rules.standing import Seat


def give_up(draft: Draft, player_id: str) -> None:
    """Resign. For Mr. X, and for the last person among the detectives, the game is over.

    In the seat of any other detective a bot plays on.
    """
    game = draft.game
    seat = game.seat_of_player(player_id)
    game.check_running("there is nothing to give up")
    if ends_game(game.seats, seat):
        draft.publish("resigned", seat=seat.number, pawns=seat.pawns)
        endings.end(draft, endings.MR_X_RESIGNED if seat.role == "mr_x" else endings.DETECTIVES_RESIGNED)
        return
    clear_seat(draft, seat)
    draft.former.append((player_id, seat.role))
    seat.vacate()
    seat.bot, seat.level = "constable", bots.USUAL
    draft.publish("resigned", seat=seat.number, pawns=seat.pawns)
    pass_duties_on(draft, seat, player_id)
    if draws.end_if_agreed(draft):  # bots always agree, so perhaps nobody is left to be asked
        draft.post(player_id, "ended")
    else:
        moves.schedule_bots(draft)
        notices.post_to_all(draft, "resigned", {"pawns": seat.pawns, "player": player_id})


def ends_game(seats: Sequence[Seat], seat: Seat) -> bool:
    """Return True if the game is over when `seat` resigns: Mr. X, or the last person among the detectives."""
    others = (other for other in seats if other.role == "detective" and other.number != seat.number)
    return seat.role == "mr_x" or not any(other.player_id for other in others)
