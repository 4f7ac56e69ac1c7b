"""Vacancies: seats that become free before the start as an invitation was for nothing."""

from sqlalchemy import select

from server.application.game.situations import carry_out, load
from server.house_rules import before_start
from server.models import Seat, session


def decline(seat: Seat) -> None:
    """Free a seat, as the reader of the invited address declines it."""
    carry_out(load(seat.game_id), lambda draft: before_start.decline_seat(draft, seat.number))


def free_undelivered(invitation_id: str, *, is_full: bool = False) -> None:
    """Free a seat whose invitation came back, and write to the host, who may have mistyped the address.

    `is_full`: it came back for now, as from a full mailbox.
    """
    game_id = session.scalar(select(Seat.game_id).where(Seat.invitation_id == invitation_id))
    game = load(game_id) if game_id else None
    if game is not None and game.status == "open":
        carry_out(game, lambda draft: before_start.free_seat_of(draft, invitation_id, is_full=is_full))
