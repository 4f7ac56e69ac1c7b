"""Cover: a detective names a teammate who moves for them."""

from server.house_rules.draft import Draft
from server.vocabulary.errors import Problem


def name_cover(draft: Draft, player_id: str, number: int | None) -> None:
    """Let the detective of seat `number` move for the player; None lets nobody."""
    seat = draft.game.seat_of_player(player_id)
    others = [other.number for other in draft.game.seats if other.role == "detective" and other is not seat]
    if seat.role == "mr_x" or number not in (None, *others):
        raise Problem(
            "form", "A detective names a teammate to move for them, by the number of the seat.", is_public=True
        )
    seat.cover = number
