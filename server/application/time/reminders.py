"""The sending of reminders: a mail to each player whose move is missing when a share of the time is over."""

from datetime import datetime

from server import clock
from server.application.game import notices, timers
from server.application.time import lateness
from server.models import Deadline, Game, Player, Seat, session
from server.runtime import now


def send(game: Game, timer: Deadline) -> None:
    """Remind the players whose move is missing.

    None is sent when the deadline has passed, as it may have after an outage.
    """
    if game.due_at is None or now() >= game.due_at:
        return
    share = clock.with_defaults(game.clock)["reminders"][timer.step]
    for seat in lateness.missing_seats(game, timer):
        notices.post_reminder(seat, timer.id, {"share": share}, _after_night(seat, game.due_at))


def _after_night(seat: Seat, due: datetime) -> datetime:
    """Return when to send a reminder: now, or after the player's night if the deadline is later than that."""
    player = session.get(Player, seat.player_id) if seat.player_id else None
    if player is None or not player.night:
        return now()
    morning = timers.night_of(player.night, player.zone).end_if_in(now())
    return morning if morning is not None and morning < due else now()
