"""The held moves of a player, for their own eyes: no other reader's way leads here.

`house_rules.holding` holds them, `application.game.decision_rows` stores them, and `application.time.deadlines` plays
them.
"""

from typing import TypedDict

from sqlalchemy import bindparam, exists, select

from server.application.game import situation_statements as statements
from server.house_rules.standing import HeldMove, Seat, Standing
from server.models import HeldMove as HeldRow
from server.models import rows
from server.vocabulary.durations import rfc3339

_OF_SEAT = statements.HELD.where(HeldRow.seat == bindparam("seat"))
_IS_ANY = select(exists().where(HeldRow.game_id == bindparam("game"), HeldRow.seat == bindparam("seat")))


class HeldFacts(TypedDict):
    """A held move as its player gets it by REST."""

    pawn: str
    notation: str
    plays_at: str


def held_by_seat(game: Standing, seat: Seat | None) -> list[HeldMove]:
    """Return the held moves of a seat, the first to be played first. Ask for the reader's own seat alone."""
    if seat is None or game.status != "running":
        return []
    return [HeldMove(*tuple(row)) for row in rows(_OF_SEAT, game=game.id, seat=seat.number)]


def held_as_json(held: HeldMove) -> HeldFacts:
    """Return a held move as REST tells it."""
    return {"pawn": held.pawn, "notation": held.notation, "plays_at": rfc3339(held.plays_at)}


def has_any(game: Standing, seat: Seat) -> bool:
    """Return True if moves of the seat are held."""
    return bool(rows(_IS_ANY, game=game.id, seat=seat.number)[0][0])
