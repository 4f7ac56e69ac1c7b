"""Draws by agreement: a game ends in a draw when all its players want one; bots always do.

Offers are public. An offer stands until it is withdrawn, the game is over, or the seat changes hands.
"""

from collections.abc import Sequence
from datetime import datetime

from server.house_rules import endings, notices
from server.house_rules.draft import Draft
from server.house_rules.standing import Seat, Standing
from server.vocabulary import limits

NOTHING = "there is nothing to agree on"


def offer_draw(draft: Draft, player_id: str, recent: Sequence[datetime]) -> None:
    """Offer a draw, or agree to one. When the last player agrees the game is over, provisionally.

    The first offer, and the end, are mailed to all. `recent` are the times within a day at which the player offered a
    draw or withdrew the offer, the newest first.
    """
    seat = draft.game.seat_of_player(player_id)
    draft.game.check_running(NOTHING)
    if seat.wants_draw:
        return
    _check_not_too_many(draft, recent)
    is_first = not any(other.wants_draw for other in draft.game.seats)
    _record(draft, seat, agrees=True)
    if not end_if_agreed(draft) and is_first:
        notices.post_draw_offer(draft, seat)


def withdraw(draft: Draft, player_id: str) -> None:
    """Withdraw the player's offer, if there is one."""
    seat = draft.game.seat_of_player(player_id)
    draft.game.check_running(NOTHING)
    if seat.wants_draw:
        _record(draft, seat, agrees=False)


def end_if_agreed(draft: Draft) -> bool:
    """End the game if all its players want a draw; return True if they do."""
    agreed = all(seat.wants_draw for seat in seats_asked(draft.game))
    if agreed:
        endings.end(draft, endings.AGREED)
    return agreed


def seats_asked(game: Standing) -> list[Seat]:
    """Return the seats whose players have to agree: not that of a late guest who is Mr. X, who may have lost it."""
    people = [seat for seat in game.seats if seat.player_id]
    return [seat for seat in people if not (seat.is_guest and seat.role == "mr_x" and seat.late_since)] or people


def _record(draft: Draft, seat: Seat, *, agrees: bool) -> None:
    seat.wants_draw = agrees
    draft.publish("draw", seat=seat.number, pawns=seat.pawns, agrees=agrees)


def _check_not_too_many(draft: Draft, recent: Sequence[datetime]) -> None:
    """Raise `Problem` too-many if the player has offered often today: each offer is mailed to all."""
    limits.DRAWS.check(recent, draft.now)
