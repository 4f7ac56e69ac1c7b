"""Cover: a detective who moves for a teammate, because the teammate named them or is late."""

from server.application.decisions import cover, submission
from server.application.game import timer_rows
from server.application.game.situations import carry_out, load_visible
from server.application.game.waiting import awaited_seats
from server.models import Game, Player, Seat, transaction


def covered_seats(game: Game, seat: Seat) -> list[Seat]:
    """Return the detectives for whom `seat` may move: those who named it, or are late and in the grace period."""
    if game.status != "running":
        return []
    timeouts, awaited = timer_rows.running(game), awaited_seats(game)
    return [other for other in game.seats if submission.may_cover(game, seat, other, timeouts, other in awaited)]


def name_cover(game_id: str, player: Player, number: int | None) -> None:
    """Let the detective of seat `number` move for `player` in this game; None lets nobody."""
    with transaction():
        carry_out(load_visible(game_id, player), lambda draft: cover.name_cover(draft, player.id, number))
