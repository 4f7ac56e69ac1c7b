"""The host of a game. If the host is gone, the next person in the order of seats becomes the host."""

from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.game import outbox_rows
from server.application.game.access import locked, locked_visible, seat_of_number
from server.application.game.events import record_event
from server.application.game.look import standing_of
from server.application.game.reasons import check_reason
from server.house_rules.seats import next_host
from server.models import Game, Player, Seat, transaction

HANDS_OVER = "hands their duties over"


def hand_over(game_id: str, player: Player, number: int) -> Game:
    """Make the player on seat `number` the host, as the host wants it."""
    with transaction():
        game = locked_visible(game_id, player)
        check_host(game.host_id, player, HANDS_OVER)
        heir = _heir(game, number)
        begin_to_write()
        _appoint(heir)
    return game


def appoint(game_id: str, number: int, reason: str) -> Game:
    """Make the player on seat `number` the host, as the operator wants it: the remedy for a host who is gone."""
    with transaction():
        game = locked(game_id)
        heir, why = _heir(game, number), check_reason(standing_of(game), reason)
        begin_to_write()
        _appoint(heir, reason=why)
    return game


def check_host(host_id: str, player: Player, does: str) -> None:
    """Raise `Problem` forbidden unless `player` is the host; `does` ends its sentence."""
    if player.id != host_id:
        raise Problem("forbidden", f"Only the host {does}.")


def pass_on_after_leaving(seat: Seat, player_id: str) -> None:
    """Pass the host's duties on, if the player who has left the seat was the host and somebody else is there."""
    if seat.game.host_id == player_id:
        pass_on(seat.game, seat.number)


def pass_on(game: Game, number: int = 0) -> bool:
    """Make the next person behind seat `number` the host; return whether there is one."""
    heir = next_host(standing_of(game), number)
    if heir is not None:
        _appoint(seat_of_number(game, heir.number))
    return heir is not None


def _heir(game: Game, number: int) -> Seat:
    if game.status == "over":
        raise Problem("game-not-running", "This game is over; there is nothing for a host to do.")
    seat = next((seat for seat in game.seats if seat.number == number), None)
    if seat is None or seat.player_id is None:
        raise Problem("form", f"no person has seat {number}, and a bot cannot be the host.", field="seat")
    if seat.is_guest:
        raise Problem("form", f"who sits on seat {number} is a guest, who has no address yet.", field="seat")
    if seat.player_id == game.host_id:
        raise Problem("form", f"who sits on seat {number} is the host already.", field="seat")
    return seat


def _appoint(seat: Seat, **details: str) -> None:
    game = seat.game
    assert seat.player_id is not None
    game.host_id = seat.player_id
    record_event(game, "host", seat=seat.number, pawns=seat.pawns, **details)
    outbox_rows.post_new_host(game, details)
