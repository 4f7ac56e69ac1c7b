"""Substitution: a seat of a running game is offered to others, and handed on to a newcomer, who gets a full turn."""

from server.house_rules import motions, moves, notices
from server.house_rules.draft import Draft
from server.house_rules.seats import clear_seat, pass_duties_on
from server.house_rules.standing import Holder, Seat
from server.house_rules.turns import awaited_seats

LATE_TOO_OFTEN = "its player was late too often in a row"
HAS_ACCOUNT = "its player, a guest, goes on with an account"


def offer_if_late_too_often(draft: Draft, seat: Seat, open_after: int | None) -> None:
    """Offer a seat to others if its player has missed `open_after` deadlines in a row; never if that is None.

    Its player may come back until somebody takes the seat.
    """
    is_late_too_often = open_after is not None and seat.misses >= open_after
    if is_late_too_often and not seat.is_offered and not seat.bot and draft.game.status == "running":
        seat.is_offered = True
        draft.publish("offered", seat=seat.number, pawns=seat.pawns)
        notices.post_to_all(draft, "offered", {"pawns": seat.pawns})


def pass_seat_on(draft: Draft, number: int, account: Holder) -> None:
    """Give a guest's seat to the account that the guest has as well; nothing else of the game changes."""
    seat = draft.game.seat_of_number(number)
    seat.give_to(account)
    seat.nonce = draft.sources.new_id("nonce")
    draft.publish("substituted", seat=seat.number, pawns=seat.pawns, reason=HAS_ACCOUNT)
    notices.post_account(draft, seat)


def hand_on(draft: Draft, number: int, newcomer: Holder, reason: str | None = None) -> None:
    """Give the seat to the newcomer, and restart the phase if a move of the seat is missing.

    `reason` is the operator's; None when the seat was offered.
    """
    game = draft.game
    seat = game.seat_of_number(number)
    old = seat.player_id
    clear_seat(draft, seat)
    seat.vacate()
    seat.give_to(newcomer)
    if seat.role == "mr_x":
        game.mr_x_misses = 0
        motions.expire_claims(draft)
    draft.publish("substituted", seat=seat.number, pawns=seat.pawns, reason=reason or LATE_TOO_OFTEN)
    renewed = seat in awaited_seats(game, draft.state, game.queue)
    if renewed:
        moves.restart_timers(draft, serial=game.events)
    notices.post_substitution(draft, seat, reason, renewed=renewed)
    if old is not None:
        notices.post_taken(draft, seat, old, reason)
        pass_duties_on(draft, seat, old)
