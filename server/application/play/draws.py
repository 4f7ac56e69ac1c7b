"""Draws by agreement: the offers of players, which are public."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, select

from server.application.game.deciding import Decided, use_case
from server.application.game.look import sight_of
from server.application.game.situations import decided, load_visible
from server.house_rules import draws
from server.house_rules.standing import Seat, Sight, Standing
from server.models import Event, Player, rows
from server.runtime import now
from server.vocabulary.durations import DAY
from server.vocabulary.limits import DRAWS

_OFFERS = (
    select(Event.at)
    .where(
        Event.game_id == bindparam("game"),
        Event.kind == "draw",
        Event.data["seat"].as_integer() == bindparam("seat"),
        Event.at > bindparam("since"),
    )
    .order_by(Event.at)
)


@use_case
def offer(game_id: str, player: Player) -> Decided[Sight]:
    """Offer a draw, or agree to one. When the last player agrees the game is over, provisionally."""
    situation = load_visible(game_id, player)
    recent = _recent(game_id, situation.seat_of_player(player.id).number)
    outcome = decided(situation, lambda draft: draws.offer_draw(draft, player.id, recent))
    return outcome.then(lambda decision: sight_of(decision.after, player.id))


def would_end(game: Standing, player: Player) -> bool:
    """Return True if all others want a draw, so that the player's offer would end the game."""
    return all(seat.wants_draw for seat in draws.seats_asked(game) if seat.player_id != player.id)


def may_offer(game: Standing, seat: Seat) -> bool:
    """Return True if the player of the seat may offer a draw, or agree to one, now."""
    if game.status != "running" or seat.wants_draw:
        return False
    return DRAWS.again_at(_recent(game.id, seat.number)) is None


def _recent(game_id: str, number: int) -> Sequence[datetime]:
    """Return when the seat offered a draw or withdrew the offer within a day, the oldest first."""
    return [row.at for row in rows(_OFFERS, game=game_id, seat=number, since=now() - DAY)]
