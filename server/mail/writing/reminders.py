"""The content of reminders: one mail for all the games that wait for a player at that time.

`templates/mail/reminder` has the words; `application/decisions/lateness.py` sends one when its timer is due.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import select

from server.application.game import timer_rows
from server.application.game.as_of import AsOf, as_of, is_current_phase
from server.application.game.reply_addresses import PrintedToken, round_of, token_of
from server.application.game.waiting import awaited_seats
from server.durations import DAY
from server.mail.writing import context, sentences
from server.models import Event, Game, Outgoing, Player, Seat, session
from server.runtime import now
from server.wording.seats import seat_label

# Two reminders to one player within this time are one: it names all games.
TOGETHER = timedelta(hours=1)


@dataclass(frozen=True)
class OtherGame:
    """Another game that waits for the player: a line about it, and the address for answers printed in it."""

    line: str
    token: PrintedToken


def content(row: Outgoing, others: Sequence[OtherGame] = ()) -> dict[str, Any]:
    """Return what the template of a reminder uses more than others do: the share of the time, and the other games."""
    return {"share": _share(row.details), "others_waiting": [other.line for other in others]}


def _share(details: Mapping[str, Any] | None) -> str:
    """Return how much of the time was over when a reminder was due."""
    share = (details or {}).get("share", 0)
    return {0.5: "half", 0.25: "a quarter", 0.75: "three quarters"}.get(share, f"{share * 100:g} per cent")


def other_games(row: Outgoing, player: Player) -> list[OtherGame]:
    """Return the other games that wait for the player, the most urgent first; the reminder is about `row.game`."""
    query = select(Game).join(Seat).where(Seat.player_id == player.id, Game.status == "running", Game.id != row.game_id)
    found = []
    for game in session.scalars(query.order_by(Game.due_at, Game.id)).unique():
        seat = context.find_seat(game, player)
        if seat is not None and seat in awaited_seats(game) and timer_rows.timer_of(game, seat) is not None:
            found.append(_other(game, seat, player))
    return found


def is_awaited(then: AsOf, seat: Seat | None) -> bool:
    """Return True if the turn that ran then still runs, and the seat's move is missing."""
    return is_current_phase(then) and seat in awaited_seats(then.game, queue=then.queue)


def is_in_time(game: Game, seat: Seat | None) -> bool:
    """Return True if the seat's time has not run out, or there is no deadline; a time of grace counts as run out."""
    if seat is None or game.status != "running":
        return True
    timer = timer_rows.timer_of(game, seat)
    return timer is None or (now() < timer.due_at and not timer_rows.has_grace(game, seat))


def is_in_another(row: Outgoing) -> bool:
    """Return True if another reminder, sent or about to be, names this game too, as it waited when that was composed.

    Of several that wait to be sent, the oldest is sent.
    """
    assert row.event is not None
    began = session.get_one(Event, (row.game_id, row.event)).at
    query = select(Outgoing).where(
        Outgoing.player_id == row.player_id, Outgoing.kind == "reminder", Outgoing.id != row.id,
        Outgoing.game_id != row.game_id, Outgoing.state.in_(("pending", "sent")), Outgoing.created_at >= began,
        Outgoing.created_at >= now() - TOGETHER - DAY,
    )  # fmt: skip
    return any(_is_before(other, row) for other in session.scalars(query))


def _is_before(other: Outgoing, row: Outgoing) -> bool:
    if other.state == "sent":
        return other.sent_at is not None and other.sent_at >= max(row.created_at, now() - TOGETHER) - TOGETHER
    is_about_to_be_sent = other.fence is not None or other.not_before <= now()
    if not is_about_to_be_sent or (other.created_at, other.id) >= (row.created_at, row.id):
        return False
    assert other.game is not None
    assert other.event is not None
    player = session.get_one(Player, other.player_id)
    return is_awaited(as_of(other.game, other.event), context.find_seat(other.game, player))


def _other(game: Game, seat: Seat, player: Player) -> OtherGame:
    token = token_of(game, seat, round_of(game))
    timer = timer_rows.timer_of(game, seat)
    assert timer is not None
    due = sentences.moment(timer.due_at, player.zone)
    return OtherGame(f"{game.name}, as {seat_label(seat)}: your move by {due}, at the address {token.written}.", token)
