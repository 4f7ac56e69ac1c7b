"""The story of a hunt in sentences: the moments that decided it.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from server.application.game.hunt import Story
from server.bots.hunt import Moment, Point, went_there
from server.bots.journeys import NO_WAY
from server.house_rules.standing import Seat
from server.vocabulary.words import card, counted, join, line, number, pawn_name, pawn_names, percent

FALL = 0.2  # of how likely he was, which is worth telling
MOST = 4  # stations that are listed


class Words(NamedTuple):
    """The words for Mr. X and for the detectives, by who reads."""

    mr_x: str
    he: str
    him: str
    his: str
    was: str
    himself: str
    they: str


OTHERS = Words("Mr. X", "he", "him", "the", "was", "himself", "the detectives")
MR_X = Words("you", "you", "you", "your", "were", "yourself", "they")


def moments(story: Story, seat: Seat | None) -> list[str]:
    """Return what decided a game, each moment in one to three sentences, for the holder of a seat or anybody else.

    Mr. X's player is told as `you` of what happened since they took the seat.
    """
    is_mr_x = seat is not None and seat.role == "mr_x"
    points = story.hunt.points
    return [_told(points, each, MR_X if is_mr_x and each.ply > story.since else OTHERS) for each in story.hunt.moments]


def _told(points: Sequence[Point], moment: Moment, words: Words) -> str:
    sentences: list[str] = getattr(_Told(points, moment, words), moment.kind)()
    return " ".join(f"{each[0].upper()}{each[1:]}." for each in sentences)


class _Told:
    """The sentences on a moment, without a capital and a stop: a method for each kind of `Moment`."""

    def __init__(self, points: Sequence[Point], moment: Moment, words: Words) -> None:
        self.points, self.before, self.point, self.words = points, points[moment.ply - 1], points[moment.ply], words
        self.is_double = len(self.point.stops) == 2
        first = self.point.window - self.is_double
        self.move = f"moves {first} and {first + 1}" if self.is_double else f"move {first}"

    def lost(self) -> list[str]:
        fall = self.before.belief - self.point.belief
        down = f", down from {percent(self.before.belief)}" if fall >= FALL else ""
        how = ", a double move," if self.is_double else ", by a black ticket,"
        is_told = self.is_double or self.point.tickets == ["black"]
        return self._sure_of(f"after {self.move}{how}" if is_told else f"after {self.move}", down)

    def end(self) -> list[str]:
        return self._sure_of("when the game ended")

    def _sure_of(self, when: str, down: str = "") -> list[str]:
        """Return which station was the likeliest, and where he was."""
        point, words = self.point, self.words
        had = f"{when} {words.they} had {words.mr_x}"
        if point.likeliest == point.station:
            return [f"{had} on {point.station} at {percent(point.belief)}{down}"]
        went = went_there(self.points, point)
        there = f", and {pawn_names(went)} went there" if went else ""
        was = f"{words.he} {words.was} on {point.station}, at {percent(point.belief)}{down}"
        return [f"{had} at {percent(point.chance)} on {point.likeliest}{there}", was]

    def missed(self) -> list[str]:
        point = self.point
        could = f"{pawn_name(point.pawn or '')} could have caught {self.words.mr_x} on {point.station}"
        went = f"went by {line(point.tickets[0])} to {point.stops[0]} instead"
        return [f"in round {point.round} {could}, and {went}", self._had(self.before)]

    def slipped(self) -> list[str]:
        got = f"{self.words.mr_x} got out to {self.point.station}"
        return [self._no_way(), f"with a double move, {self.move}, {got}"]

    def narrow(self) -> list[str]:
        took = f"{self.words.he} took it to {self.point.station} with {self.move}"
        return [f"one safe way out of {self.before.station} was left", self._had(self.before), took]

    def shown(self) -> list[str]:
        point, words = self.point, self.words
        near, rides = pawn_names(point.near), counted(point.rides, "one ride", "{n} rides")
        away = f"{near} was {rides} away" if len(point.near) == 1 else f"{near} were {rides} away"
        if point.rides >= NO_WAY:
            away = "no detective could get there"
        return [
            f"with {self.move} {words.mr_x} showed {words.himself} on {point.station}, and {away}",
            f"before that {words.they} had {words.him} at {percent(self.before.belief)}",
        ]

    def found(self) -> list[str]:
        point, words = self.point, self.words
        what = "double move" if self.is_double else card(point.tickets[0])
        seen = f", on which everybody saw {words.him} at {point.shown}," if point.shown else ""
        gave = f"{words.his} {what} of {self.move}{seen} gave {words.mr_x} away"
        then = f"{percent(self.before.belief)} before it, and at {percent(point.belief)} after it, on {point.station}"
        return [f"{gave}: {words.they} had {words.him} at {then}"]

    def closed(self) -> list[str]:
        point, closed, all_ = self.point, len(self.point.closed), len(self.before.ways)
        ways = {1: "the last safe way out", 2: "both safe ways out"}.get(all_, f"all {number(all_)} safe ways out")
        if closed < all_:
            ways = f"{number(closed)} of the {number(all_)} safe ways out"
        mover = f"{pawn_name(point.pawn or '')}'s {line(point.tickets[0])} to {point.stops[0]} in round {point.round}"
        return [f"{mover} closed {ways} of {point.station}"]

    def walked(self) -> list[str]:
        *_, known, end = self.points
        went = f"{self.words.mr_x} went to {self.point.station} with {self.move}"
        if end is self.point:
            return [f"{went}, where {pawn_names(end.near)} stood"]
        came = f"{pawn_name(end.pawn or '')} came there by {line(end.tickets[0])}"
        ways = self.before.ways
        if not ways:
            return [self._no_way(), f"{went}, and {came}", self._had(known)]
        others = (
            join([str(way) for way in ways]) if len(ways) <= MOST else counted(len(ways), "one station", "{n} stations")
        )
        out = f"from {self.before.station} {self.words.he} could have gone to {others}, out of reach"
        return [f"{went}, where a detective could be in one ride", out, came, self._had(known)]

    def stuck(self) -> list[str]:
        return [f"{self.words.mr_x} went to {self.point.station} with {self.move}, and could not leave it again"]

    def _no_way(self) -> str:
        return f"every ride from {self.before.station} led to where a detective could be in one ride"

    def _had(self, point: Point) -> str:
        """Return how sure the detectives could be of where he was."""
        if point.stations == 1:
            return f"everybody knew that {self.words.he} {self.words.was} there"
        return f"{self.words.they} had {self.words.him} there at {percent(point.belief)}"
