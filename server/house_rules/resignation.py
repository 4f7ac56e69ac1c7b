"""A player who leaves a running game: they give up, and it may be over, or have to go, and a bot plays on."""

from collections.abc import Sequence

from server import bots
from server.house_rules import draws, endings, moves, notices
from server.house_rules.draft import Draft
from server.house_rules.seats import clear_seat, pass_duties_on
from server.house_rules.standing import Seat
from server.vocabulary.errors import refusal


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
    _give_to_bot(draft, seat, player_id)


def step_out(draft: Draft, player_id: str) -> None:
    """Give the seat of a player who has to go to a bot at once; whoever may join can take over that of a detective.

    Mr. X's cannot be taken over, as in `substitution.take_offered_seat`. In a game that nobody else plays there is no
    hurry, and no bot.
    """
    game = draft.game
    seat = game.seat_of_player(player_id)
    game.check_running("there is no seat for a bot to take")
    if game.is_against_bots(seat):
        raise refusal("forbidden", "Nobody else plays here: come back when you like, or resign.")
    _give_to_bot(draft, seat, player_id, had_to_go=True)
    seat.is_offered = seat.role == "detective" and game.status == "running"


def _give_to_bot(draft: Draft, seat: Seat, player_id: str, **how: bool) -> None:
    """Let a bot play on in a player's seat, and tell the others `how` its player left: `had_to_go`, or resigned."""
    clear_seat(draft, seat)
    draft.former.append((player_id, seat.role, seat.team_since))
    seat.vacate()
    seat.bot, seat.level = bots.names(seat.role)[0], bots.USUAL
    draft.publish("resigned", seat=seat.number, pawns=seat.pawns, **how)
    pass_duties_on(draft, seat, player_id)
    if draws.end_if_agreed(draft):  # bots always agree, so perhaps nobody is left to be asked
        draft.post(player_id, "ended")
    else:
        moves.schedule_bots(draft)
        notices.post_to_all(draft, "resigned", {"pawns": seat.pawns, "player": player_id, **how})


def ends_game(seats: Sequence[Seat], seat: Seat) -> bool:
    """Return True if the game is over when `seat` resigns: Mr. X, or the last person among the detectives."""
    others = (other for other in seats if other.role == "detective" and other.number != seat.number)
    return seat.role == "mr_x" or not any(other.player_id for other in others)
