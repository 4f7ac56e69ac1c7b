"""Vacancies: seats that become free before the start, as they are left, or their invitation was for nothing."""

from sqlalchemy import select

from server.application.game import outbox_rows
from server.application.game.access import locked, seat_of_number
from server.application.game.events import record_event
from server.application.lobby import invitations
from server.application.play import talk
from server.models import Deadline, Game, Seat, session
from server.runtime import runtime


def free_seat(seat: Seat, why: str, *, told: bool = True, whom: str = "") -> None:
    """Free a seat: its player or guest, and every link made for them, is gone. Write to the host if `told`.

    `why` is left, away, declined, lapsed, undelivered or full; `whom` the address that no mail reaches.
    """
    talk.remember_leaving(seat)
    invitations.end(seat)
    seat.player_id = seat.bot = seat.level = None
    seat.nonce = runtime().new_id("nonce")
    record_event(seat.game, "left", seat=seat.number)
    if told:
        outbox_rows.post_vacancy(seat, why, whom)


def decline(seat: Seat) -> None:
    """Free a seat, as the reader of the invited address declines it; the caller has locked the game."""
    free_seat(seat, "declined")


def expire_invitation(game: Game, row: Deadline) -> None:
    """Free a seat whose invitation has expired, as the timer `row` says."""
    seat = seat_of_number(game, row.seat)
    if game.status == "open" and seat.is_reserved:
        free_seat(seat, "lapsed")


def free_undelivered(invitation_id: str, *, is_full: bool = False) -> None:
    """Free a seat whose invitation came back, and write to the host, who may have mistyped the address.

    `is_full`: it came back for now, as from a full mailbox.
    """
    game_id = session.scalar(select(Seat.game_id).where(Seat.invitation_id == invitation_id))
    game = locked(game_id) if game_id else None
    seat = next((seat for seat in game.seats if seat.invitation_id == invitation_id), None) if game else None
    if seat is not None and seat.invitation is not None and seat.game.status == "open":
        is_theirs = seat.invitation.host_id == seat.game.host_id  # only the host who wrote the address is told it
        free_seat(seat, "full" if is_full else "undelivered", whom=(seat.invitation.email or "") if is_theirs else "")
