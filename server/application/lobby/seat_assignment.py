"""Seating: the assignment of people to seats when a game starts, as they chose, by lot, or in rotation."""

from sqlalchemy import func, select, update
from sqlalchemy.orm import aliased

from server.application.game import guest_rules
from server.application.game.events import record_event
from server.models import Game, Message, Seat, session
from server.runtime import runtime

WAYS = ("chosen", "lot", "rotation")


def assign_seats(game: Game) -> None:
    """Assign the seats of people again if the game's seating says so; bots stay where they are.

    By lot, all seats are drawn. In a rotation the person who was Mr. X the longest ago changes places with the one on
    seat 1. A guest becomes Mr. X only where guests may take his seat, or nobody else is there. Nobody has talked to a
    team yet, as nobody knew which was theirs: see `talk.write`.
    """
    seats = [seat for seat in game.seats if seat.player_id]
    sitting = [seat.player_id for seat in seats if seat.player_id]
    if game.seating == "lot":
        chance = runtime().rng("seating")
        drawn = chance.sample(sitting, len(sitting))
        candidates = _candidates(game)
        if game.seats[0].player_id and drawn[0] not in candidates:
            _swap(drawn, chance.choice(candidates))
        _move(game, seats, drawn)
    elif game.seating == "rotation" and game.seats[0].player_id:
        _swap(sitting, _next_mr_x(sitting, _candidates(game)))
        _move(game, seats, sitting)


def _candidates(game: Game) -> list[str]:
    """Return the players who may become Mr. X."""
    any_may = guest_rules.of(game).seats == "any"
    people = [seat for seat in game.seats if seat.player_id]
    return [str(seat.player_id) for seat in people if any_may or not seat.is_guest] or [
        str(seat.player_id) for seat in people
    ]


def _swap(players: list[str], first: str) -> None:
    """Let a player change places with the first of them."""
    place = players.index(first)
    players[0], players[place] = players[place], players[0]


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


def _next_mr_x(players: list[str], candidates: list[str]) -> str:
    """Return the first candidate who was Mr. X the longest ago, or never, in games with another of the players."""
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
    return min(candidates, key=lambda player_id: last.get(player_id, 0))
