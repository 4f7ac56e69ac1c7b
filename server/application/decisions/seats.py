"""Seats that change hands while the game runs, players who resign, and the host's duties.

Nothing that was made for the old player works any more.
"""

from collections.abc import Sequence
from typing import Any

from server.application.decisions import draws, endings, motions, moves, notices, queue
from server.application.decisions.draft import Draft
from server.application.decisions.situation import Holder, Seat
from server.application.decisions.turns import AnySeat, awaited_seats, check_running
from server.application.errors import Problem

LATE_TOO_OFTEN = "its player was late too often in a row"


def hand_on(draft: Draft, number: int, newcomer: Holder, reason: str | None = None) -> None:
    """Give the seat to the newcomer, and restart the phase if a move of the seat is missing.

    `reason` is the operator's; None when the seat was offered.
    """
    game = draft.game
    seat = game.seat_of_number(number)
    old = seat.player_id
    _clear(draft, seat)
    seat.player_id, seat.holder, seat.bot = newcomer.id, newcomer, None
    if seat.role == "mr_x":
        game.mr_x_misses = 0
        motions.expire_claims(draft)
    draft.publish("substituted", seat=seat.number, pawns=seat.pawns, reason=reason or LATE_TOO_OFTEN)
    renewed = seat in awaited_seats(game)
    if renewed:
        moves.restart_timers(draft, serial=game.events)
    notices.post_substitution(draft, seat, reason, renewed=renewed)
    if old is not None:
        if reason is None:
            notices.post_taken(draft, seat, old)
        _pass_duties_on(draft, seat, old)


def name_cover(draft: Draft, player_id: str, number: int | None) -> None:
    """Let the detective of seat `number` move for the player; None lets nobody."""
    seat = draft.game.seat_of_player(player_id)
    others = [other.number for other in draft.game.seats if other.role == "detective" and other is not seat]
    if seat.role == "mr_x" or number not in (None, *others):
        raise Problem("form", "A detective names a teammate to move for them, by the number of the seat.")
    seat.cover = number


def resign(draft: Draft, player_id: str) -> None:
    """Resign. For Mr. X, and for the last person among the detectives, the game is over, provisionally.

    In the seat of any other detective a bot plays on.
    """
    game = draft.game
    seat = game.seat_of_player(player_id)
    check_running(game, "there is nothing to give up")
    if resignation_ends_game(game.seats, seat):
        draft.publish("resigned", seat=seat.number, pawns=seat.pawns)
        endings.end(draft, endings.MR_X_RESIGNED if seat.role == "mr_x" else endings.DETECTIVES_RESIGNED)
        return
    _clear(draft, seat)
    seat.player_id, seat.holder, seat.bot = None, None, "constable"
    draft.publish("resigned", seat=seat.number, pawns=seat.pawns)
    _pass_duties_on(draft, seat, player_id)
    if draws.end_if_agreed(draft):  # bots always agree, so perhaps nobody is left to be asked
        notices.post_end_to_former(draft, player_id)
    else:
        moves.schedule_bots(draft)
        notices.post_resignation(draft, seat, player_id)


def resignation_ends_game(seats: Sequence[AnySeat], seat: AnySeat) -> bool:
    """Return True if the game is over when `seat` resigns: Mr. X, or the last person among the detectives."""
    others = (other for other in seats if other.role == "detective" and other.number != seat.number)
    return seat.role == "mr_x" or not any(other.player_id for other in others)


def _clear(draft: Draft, seat: Seat) -> None:
    """Clear a seat of its player: nothing made for them works any more, or counts against the next one."""
    moves.clear_misses(seat)
    seat.wants_draw, seat.bank, seat.cover = False, None, None
    for other in draft.game.seats:
        if other.cover == seat.number:
            other.cover = None
    for motion in motions.open_ones(draft.game):
        motion.ballots.pop(seat.number, None)
    if seat.player_id is None:  # a bot
        return
    seat.nonce = draft.sources.new_id("nonce")  # with it every reply address
    queue.take_back(draft, seat)


def _pass_duties_on(draft: Draft, seat: Seat, player_id: str) -> None:
    """Pass the host's duties on, if the player who has left the seat was the host and somebody else is there."""
    game = draft.game
    if game.host_id != player_id:
        return
    heir = next_host(game, seat.number)
    if heir is not None:
        game.host_id = heir.player_id
        draft.publish("host", seat=heir.number, pawns=heir.pawns)
        notices.post_new_host(draft, heir)


def next_host(game: Any, number: int = 0) -> Any:
    """Return the seat behind seat `number` whose player becomes the host; None if nobody else is there."""
    in_order = sorted(game.seats, key=lambda seat: (seat.number <= number, seat.number))
    return next((seat for seat in in_order if seat.player_id not in (None, game.host_id)), None)
