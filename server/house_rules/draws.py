"""Draws by agreement: a game ends in a draw when all its players want one; bots always do.

Offers are public. An offer stands until it is withdrawn, the game is over, or the seat changes hands.
"""

from datetime import datetime

from server.house_rules import endings, notices
from server.house_rules.draft import Draft
from server.house_rules.standing import Seat, Sight, Standing
from server.vocabulary import limits
from server.vocabulary.durations import DAY
from server.vocabulary.translation import gettext_noop

NOTHING = gettext_noop("there is nothing to agree on")


def offer_draw(draft: Draft, player_id: str) -> None:
    """Offer a draw, or agree to one. When the last player agrees the game is over.

    The first offer, and the end, are mailed to all. `Problem` too-many if the player has offered often today.
    """
    seat = draft.game.seat_of_player(player_id)
    draft.game.check_running(NOTHING)
    if seat.wants_draw:
        return
    limits.DRAWS.check(_lately(draft.game, seat, draft.now), draft.now)
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


def may_offer(game: Sight, seat: Seat, now: datetime) -> bool:
    """Return True if the player of the seat may offer a draw, or agree to one, now."""
    if game.status != "running" or seat.wants_draw:
        return False
    return limits.DRAWS.again_at(_lately(game, seat, now)) is None


def would_end(game: Standing, player_id: str) -> bool:
    """Return True if all others want a draw, so that the player's offer would end the game."""
    return all(seat.wants_draw for seat in seats_asked(game) if seat.player_id != player_id)


def _lately(game: Sight, seat: Seat, now: datetime) -> list[datetime]:
    """Return when the seat offered a draw or withdrew the offer within a day, the oldest first."""
    return [at for number, at in game.draw_changes if number == seat.number and at > now - DAY]


def _record(draft: Draft, seat: Seat, *, agrees: bool) -> None:
    seat.wants_draw = agrees
    draft.publish("draw", seat=seat.number, pawns=seat.pawns, agrees=agrees)
    draft.game.draw_changes = [*draft.game.draw_changes, (seat.number, draft.now)]
