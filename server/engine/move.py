"""A move and its notation.

The server prints the canonical text of a move, the record keeps it, and `Move.parse` reads it:
`taxi 46` · `black 108` · `double taxi 46 bus 58` · `taxi 46 surface red:taxi green:bus` ·
`red taxi 46`. A detective's move begins with the pawn, Mr. X's does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, NotRequired, TypedDict, TypeGuard

from server.engine.errors import Unreadable, shown
from server.engine.ticket_kinds import PLAIN, TICKETS

DETECTIVES = ("purple", "red", "green", "yellow", "blue")
PAWNS = ("mr_x", *DETECTIVES)

FORMS = (
    'A move is written like "taxi 46", "red bus 58", "black 108", "double taxi 46 bus 58" '
    'or "taxi 46 surface red:taxi".'
)
# More digits than any board needs, and short enough to read and print.
_DIGITS = 20
_NUMBER = re.compile(rf"[0-9]{{1,{_DIGITS}}}")
_MAX_TEXT = 300


class Leg(NamedTuple):
    """One trip: the ticket laid down and the station reached."""

    ticket: str
    station: int


class Trip(TypedDict):
    """A trip as plain data: the ticket laid down, and the station it leads to."""

    ticket: str
    to: int


class PlainMove(TypedDict):
    """A move as plain data: `ticket` and `to`, or `double` with two trips; `surface` has a ticket for each pawn."""

    pawn: str
    notation: str
    ticket: NotRequired[str]
    to: NotRequired[int]
    double: NotRequired[list[Trip]]
    surface: NotRequired[dict[str, str]]


class Move(NamedTuple):
    """A move of a pawn in one turn; it never changes and can be compared and hashed.

    pawn: one of PAWNS ("" only in a parsed text that left it out)
    legs: one trip, or two for a double move
    surface: None, or for a voluntary surfacing the (pawn, ticket) pairs Mr. X takes, in pawn order
    """

    pawn: str
    legs: tuple[Leg, ...]
    surface: tuple[tuple[str, str], ...] | None = None

    @classmethod
    def parse(cls, text: str, pawn: str = "") -> Move:
        """Read the canonical notation, in any case and with any spaces; Unreadable otherwise.

        `pawn` is the pawn if the text names none.
        """
        return _parse(text, pawn)

    @classmethod
    def from_json(cls, body: Mapping[str, object], pawn: str = "") -> Move:
        """Read a move given as an object; Unreadable otherwise.

        {"pawn"?, "ticket", "to"} or {"pawn"?, "double": [{"ticket", "to"}, {"ticket", "to"}]}, each
        with "surface": {pawn: ticket} if he surfaces voluntarily; or {"pawn"?, "notation"}.
        """
        return _from_json(body, pawn)

    @property
    def well_formed(self) -> bool:
        """Return True if all its parts are valid, as in every move that was parsed."""
        return _is_well_formed(self)

    @property
    def double(self) -> bool:
        return len(self.legs) == 2

    @property
    def station(self) -> int:
        """Return the station where the move ends."""
        return self.legs[-1].station

    def __str__(self) -> str:
        return _written(self, (True, True))

    def redacted(self, shown: Sequence[bool] = (False, False)) -> str:
        """Return the notation with "?" for the station of each leg that is not `shown`."""
        return _written(self, tuple(shown))

    def to_json(self) -> PlainMove:
        """Return the move as plain data, readable by `from_json`."""
        body: PlainMove = {"pawn": self.pawn, "notation": str(self)}
        if self.double:
            body["double"] = [{"ticket": ticket, "to": station} for ticket, station in self.legs]
        else:
            body["ticket"], body["to"] = self.legs[0]
        if self.surface is not None:
            body["surface"] = dict(self.surface)
        return body


@lru_cache(2048)
def _written(move: Move, shown: tuple[bool, ...]) -> str:
    """Return the notation. It is cached because every view of a game holds all moves so far."""
    parts = [] if move.pawn in ("mr_x", "") else [move.pawn]
    if len(move.legs) == 2:
        parts.append("double")
    for (ticket, station), open_ in zip(move.legs, shown, strict=False):
        parts += (ticket, str(station) if open_ else "?")
    if move.surface is not None:
        parts.append("surface")
        parts += [f"{pawn}:{ticket}" for pawn, ticket in move.surface]
    return " ".join(parts)


def _parse(text: object, pawn: str) -> Move:
    if not isinstance(text, str):
        raise Unreadable(shown(text), f"A move is a text, not {shown(text)}. {FORMS}")
    words = text[:_MAX_TEXT].split()
    if not words or len(text) > _MAX_TEXT:
        raise Unreadable(text[:_MAX_TEXT], f"There is no move in this text. {FORMS}")
    if words[0].lower() in PAWNS:
        pawn = _one_pawn(text, words.pop(0).lower(), pawn)
    count = 1
    if words and words[0].lower() == "double":
        count = 2
        del words[0]
    legs = tuple(_leg(text, words[2 * i : 2 * i + 2]) for i in range(count))
    rest = words[2 * count :]
    if not rest:
        return Move(pawn, legs)
    if rest[0].lower() != "surface":
        raise Unreadable(text, f'"{rest[0]}" is one word too many after the move. {FORMS}')
    return Move(pawn, legs, _taken(text, [tuple(word.lower().split(":")) for word in rest[1:]]))


def _one_pawn(text: str, named: str, meant: str) -> str:
    if meant and named != meant:
        raise Unreadable(text, f"This names {named}, but it was given for {meant}.", "two-pawns")
    return named


def _leg(text: str, words: list[str]) -> Leg:
    if len(words) < 2:
        raise Unreadable(text, f"A ticket and a station are needed for every trip. {FORMS}")
    ticket, station = words[0].lower(), words[1]
    if ticket not in TICKETS:
        raise Unreadable(text, f'"{words[0]}" is no ticket; the tickets are {", ".join(TICKETS)}.')
    if not _NUMBER.fullmatch(station):
        raise Unreadable(text, f'"{station}" is no station number. {FORMS}')
    return Leg(ticket, int(station))


def _taken(text: str, pairs: Sequence[tuple[object, ...]]) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for pair in pairs:
        pawn, ticket = pair if len(pair) == 2 else (None, None)
        if not isinstance(pawn, str) or pawn not in DETECTIVES or not isinstance(ticket, str) or ticket not in PLAIN:
            raise Unreadable(text, 'After "surface" each ticket taken is written pawn:ticket, like "red:taxi".')
        if pawn in found:
            raise Unreadable(text, f"Two tickets are named for {pawn}; one is taken from each.")
        found[pawn] = ticket
    return tuple((pawn, found[pawn]) for pawn in DETECTIVES if pawn in found)


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**_DIGITS


def _is_well_formed(move: Move) -> bool:
    pawn, legs, surface = move
    return (
        pawn in ("", *PAWNS)
        and isinstance(legs, tuple)
        and len(legs) in (1, 2)
        and all(isinstance(leg, Leg) and leg.ticket in TICKETS and _is_number(leg.station) for leg in legs)
        and (surface is None or _is_taking(surface))
    )


def _is_taking(surface: object) -> bool:
    """Return True if these are (pawn, ticket) pairs in pawn order, each pawn once."""
    if not isinstance(surface, tuple) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in surface):
        return False
    pawns = [pawn for pawn, _ in surface]
    return pawns == [pawn for pawn in DETECTIVES if pawn in pawns] and all(ticket in PLAIN for _, ticket in surface)


def _from_json(body: Mapping[str, object], pawn: str) -> Move:
    text = shown(body, _MAX_TEXT)
    if not isinstance(body, Mapping):
        raise Unreadable(text, "A move is an object with a ticket and a station.")
    named = body.get("pawn")
    if named is not None:
        if not isinstance(named, str) or named not in PAWNS:
            raise Unreadable(text, f"{shown(named)} is no pawn; the pawns are {', '.join(PAWNS)}.")
        pawn = _one_pawn(text, named, pawn)
    if sum(key in body for key in ("notation", "double", "ticket")) > 1 and "notation" not in body:
        raise Unreadable(text, "A move is either a double or a single one, not both.")
    if "notation" in body:
        return _parse(body["notation"], pawn)
    trips = body.get("double", [body])
    if not isinstance(trips, list) or ("double" in body and len(trips) != 2):
        raise Unreadable(text, "A double move is a list of two trips.")
    legs = tuple(_leg_from_json(text, trip) for trip in trips)
    surface = body.get("surface")
    if surface is None:
        return Move(pawn, legs)
    if not isinstance(surface, Mapping):
        raise Unreadable(text, 'What is taken on surfacing is an object like {"red": "taxi"}.')
    return Move(pawn, legs, _taken(text, list(surface.items())))


def _leg_from_json(text: str, trip: object) -> Leg:
    if not isinstance(trip, Mapping) or "ticket" not in trip or "to" not in trip:
        raise Unreadable(text, 'A trip is an object like {"ticket": "taxi", "to": 46}.')
    if trip["ticket"] not in TICKETS:
        raise Unreadable(text, f"{shown(trip['ticket'])} is no ticket; the tickets are {', '.join(TICKETS)}.")
    if not _is_number(trip["to"]):
        raise Unreadable(text, f"A station is a whole number, not {shown(trip['to'])}.")
    return Leg(trip["ticket"], trip["to"])
