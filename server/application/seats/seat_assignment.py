"""Seating: the assignment of people to seats when a game starts, as they chose, by lot, or in rotation."""

from sqlalchemy import func, select, update
from sqlalchemy.orm import aliased

from server.application.game.events import record_event
from server.models import Game, Message, Seat, session
from server.runtime import runtime

WAYS = ("chosen", "lot", "rotation")


def assign_seats(game: Game) -> None:
    """Assign the seats of people again if the game's seating says so; bots stay where they are.

    By lot, all seats are drawn. In a rotation the person who was Mr. X the longest ago changes places with the one on
    seat 1. Nobody has talked to a team yet, as nobody knew which was theirs: see `talk.write`.
    """
    seats = [seat for seat in game.seats if seat.player_id]
    sitting = [seat.player_id for seat in seats if seat.player_id]
    if game.seating == "lot":
        _move(game, seats, runtime().rng("seating").sample(sitting, len(sitting)))
    elif game.seating == "rotation" and game.seats[0].player_id:
        turn = sitting.index(_next_mr_x(sitting))
        sitting[0], sitting[turn] = sitting[turn], sitting[0]
        _move(game, seats, sitting)


def _move(game: Game, seats: list[Seat], players: list[str]) -> None:
    changed = [(seat, player_id) for seat, player_id in zip(seats, players, strict=True) if seat.player_id != player_id]
    for seat, _ in changed:
        seat.player_id = None
    session.flush()  # nobody has two seats, not for a moment either
    for seat, player_id in changed:
        seat.player_id, seat.nonce = player_id, runtime().new_id("nonce")
        # Earlier messages of the player belong to the new seat.
        mine = (Message.game_id == game.id, Message.player_id == player_id)
        session.execute(update(Message).where(*mine).values(seat=seat.number))
    record_event(game, "seated", by=game.seating)


def _next_mr_x(players: list[str]) -> str:
    """Return the first of the players who was Mr. X the longest ago, or never, in games with another of them."""
    own, other = aliased(Seat), aliased(Seat)
    began = func.max(Game.started_at)
    query = (
        select(own.player_id, began)
        .join(Game, Game.id == own.game_id)
        .join(other, other.game_id == own.game_id)
        .where(own.number == 1, own.player_id.in_(players), Game.started_at.is_not(None))
        .where(other.player_id.in_(players), other.player_id != own.player_id)
        .group_by(own.player_id)
    )
    last = {player_id: at.timestamp() for player_id, at in session.execute(query) if at}
    return min(players, key=lambda player_id: last.get(player_id, 0))
