"""Reminders: one mail for all the games that wait for a player at that time."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select

from server.application.game import timers
from server.application.game.as_of import is_current_phase
from server.application.game.reply_addresses import PrintedToken, go_of, token_of
from server.application.game.waiting import awaited_seats
from server.mail.writing import context, sentences
from server.models import Event, Game, Outgoing, Player, Seat, session
from server.runtime import now
from server.wording.seats import role

# Of two reminders to one player within this time the first is enough: it names all games.
TOGETHER = timedelta(hours=1)


@dataclass(frozen=True)
class Other:
    """Another game that waits for the player: a line about it, and the address for answers printed in it."""

    line: str
    token: PrintedToken


def others(row: Outgoing, player: Player) -> list[Other]:
    """The games that wait for the player besides the one that the reminder is of, the most urgent first."""
    query = select(Game).join(Seat).where(Seat.player_id == player.id, Game.status == "running", Game.id != row.game_id)
    found = []
    for game in session.scalars(query.order_by(Game.due_at, Game.id)).unique():
        seat = context.seat_of(game, player)
        if seat is not None and seat in awaited_seats(game) and timers.timer_of(game, seat) is not None:
            found.append(_other(game, seat, player))
    return found


def waits(row: Outgoing, game: Game, seat: Seat | None) -> bool:
    """Whether the go that a mail is about is still the seat's, and its move missing."""
    assert row.event is not None
    return is_current_phase(game, row.event) and seat in awaited_seats(game)


def is_in_time(game: Game, seat: Seat | None) -> bool:
    """Whether the seat's time is not over, with or without grace; it need not have any."""
    if seat is None or game.status != "running":
        return True
    time = timers.timer_of(game, seat)
    return time is None or (now() < time.due_at and not timers.is_in_grace(game, seat))


def was_reminded(row: Outgoing) -> bool:
    """Whether another reminder, sent or about to be, names this game as well: it began to wait before that was written.

    Of those that wait to be sent the one that was written down first is sent.
    """
    assert row.event is not None
    began = session.get_one(Event, (row.game_id, row.event)).at
    query = select(Outgoing).where(
        Outgoing.player_id == row.player_id, Outgoing.kind == "reminder", Outgoing.id != row.id,
        Outgoing.game_id != row.game_id, Outgoing.state.in_(("pending", "sent")), Outgoing.created_at >= began,
        Outgoing.created_at >= now() - TOGETHER - timedelta(days=1),
    )  # fmt: skip
    return any(_is_before(other, row) for other in session.scalars(query))


def _is_before(other: Outgoing, row: Outgoing) -> bool:
    if other.state == "sent":
        return other.sent_at is not None and other.sent_at >= max(row.created_at, now() - TOGETHER) - TOGETHER
    is_about_to_be_sent = other.fence is not None or other.not_before <= now()
    if not is_about_to_be_sent or (other.created_at, other.id) >= (row.created_at, row.id):
        return False
    assert other.game is not None
    player = session.get_one(Player, other.player_id)
    return waits(other, other.game, context.seat_of(other.game, player))


def _other(game: Game, seat: Seat, player: Player) -> Other:
    token = token_of(game, seat, go_of(game))
    time = timers.timer_of(game, seat)
    assert time is not None
    due = sentences.moment(time.due_at, player.zone)
    return Other(f"{game.name}, as {role(seat)}: your move by {due}, at the address {token.written}.", token)
