"""The story of a hunt in sentences: the moments that decided it.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Sequence

from server.application.game.hunt import Story
from server.bots.hunt import Moment, Point, went_there
from server.bots.journeys import NO_WAY
from server.house_rules.standing import Seat
from server.vocabulary.translation import gettext, gettext_noop, ngettext, npgettext, pgettext, pgettext_noop
from server.vocabulary.words import card, counted, join, line, number, pawn_name, pawn_names, percent

FALL = 0.2  # of how likely he was, which is worth telling
MOST = 4  # stations that are listed


# To anybody else, and the same to Mr. X. "{move}" is `with move 3`, and "{when}" is `after move 3`.
_SENTENCES = gettext_noop({
    "sure": ("{when} the detectives had Mr. X on {station} at {chance}.",
             "{when} they had you on {station} at {chance}."),
    "wrong": ("{when} the detectives had Mr. X at {most} on {likeliest}.",
              "{when} they had you at {most} on {likeliest}."),
    "went": ("{when} the detectives had Mr. X at {most} on {likeliest}, and {pawns} went there.",
             "{when} they had you at {most} on {likeliest}, and {pawns} went there."),
    "was": ("He was on {station}, at {chance}.", "You were on {station}, at {chance}."),
    "missed": ("In round {round} {pawn} could have caught Mr. X on {station}, and went by {line} to {stop} instead.",
               "In round {round} {pawn} could have caught you on {station}, and went by {line} to {stop} instead."),
    "slipped": ("With a double move, moves {first} and {n}, Mr. X got out to {station}.",
                "With a double move, moves {first} and {n}, you got out to {station}."),
    "narrow": ("He took it to {station} {move}.", "You took it to {station} {move}."),
    "shown": ("{move} Mr. X showed himself on {station}, and {away}.",
              "{move} you showed yourself on {station}, and {away}."),
    "unshown": ("Before that the detectives had him at {before}.", "Before that they had you at {before}."),
    "card": ("the {card} of move {n}", "your {card} of move {n}"),
    "double": ("the double move of moves {first} and {n}", "your double move of moves {first} and {n}"),
    "seen": ("{what}, on which everybody saw him at {seen},", "{what}, on which everybody saw you at {seen},"),
    "found": (
        "{what} gave Mr. X away: the detectives had him at {before} before it, and at {chance} after it, on {station}.",
        "{what} gave you away: they had you at {before} before it, and at {chance} after it, on {station}."),
    "went to": ("Mr. X went to {station} {move}, {then}.", "You went to {station} {move}, {then}."),
    "others": ("From {start} he could have gone to {others}, out of reach.",
               "From {start} you could have gone to {others}, out of reach."),
    "stuck": ("Mr. X went to {station} {move}, and could not leave it again.",
              "You went to {station} {move}, and could not leave it again."),
    "known": ("Everybody knew that he was there.", "Everybody knew that you were there."),
    "had": ("The detectives had him there at {had}.", "They had you there at {had}."),
})  # fmt: skip
_ALL_WAYS = pgettext_noop("closed", {1: "the last safe way", 2: "both safe ways", 3: "all {n} safe ways"})


def moments(story: Story, seat: Seat | None) -> list[str]:
    """Return what decided a game, each moment in one to three sentences, for the holder of a seat or anybody else.

    Mr. X's player is told as `you` of what happened since they took the seat.
    """
    is_mr_x = seat is not None and seat.role == "mr_x"
    points = story.hunt.points
    return [_told(points, each, is_to_him=is_mr_x and each.ply > story.since) for each in story.hunt.moments]


def _told(points: Sequence[Point], moment: Moment, *, is_to_him: bool) -> str:
    sentences: list[str] = getattr(_Told(points, moment, is_to_him=is_to_him), moment.kind)()
    return " ".join(f"{each[0].upper()}{each[1:]}" for each in sentences)


class _Told:
    """The sentences on a moment, of Mr. X or to him: a method for each kind of `Moment`."""

    def __init__(self, points: Sequence[Point], moment: Moment, *, is_to_him: bool) -> None:
        self.points, self.before, self.point = points, points[moment.ply - 1], points[moment.ply]
        self.is_to_him, self.is_double = is_to_him, len(self.point.stops) == 2
        point, n = self.point, self.point.window
        move = pgettext("hunt", "with moves {first} and {n}" if self.is_double else "with move {n}", n=n, first=n - 1)
        self.values: dict[str, object] = {
            "n": n, "first": n - 1, "move": move, "round": point.round, "pawn": pawn_name(point.pawn or ""),
            "start": self.before.station, "station": point.station, "before": percent(self.before.belief),
            "chance": percent(point.belief),
        }  # fmt: skip

    def lost(self) -> list[str]:
        if self.is_double:
            when = pgettext("hunt", "after moves {first} and {n}, a double move,", **self.values)
        elif self.point.tickets == ["black"]:
            when = pgettext("hunt", "after move {n}, by a black ticket,", **self.values)
        else:
            when = pgettext("hunt", "after move {n}", **self.values)
        if self.before.belief - self.point.belief >= FALL:
            self.values["chance"] = pgettext("hunt", "{chance}, down from {before}", **self.values)
        return self._sure_of(when)

    def end(self) -> list[str]:
        return self._sure_of(pgettext("hunt", "when the game ended"))

    def _sure_of(self, when: str) -> list[str]:
        """Return which station was the likeliest, and where he was."""
        point, went = self.point, went_there(self.points, self.point)
        if point.likeliest == point.station:
            return [self._say("sure", when=when)]
        likeliest = {"when": when, "most": percent(point.chance), "likeliest": point.likeliest}
        had = self._say("went", pawns=pawn_names(went), **likeliest) if went else self._say("wrong", **likeliest)
        return [had, self._say("was")]

    def missed(self) -> list[str]:
        point = self.point
        return [self._say("missed", line=line(point.tickets[0]), stop=point.stops[0]), self._had(self.before)]

    def slipped(self) -> list[str]:
        return [self._no_way(), self._say("slipped")]

    def narrow(self) -> list[str]:
        left = gettext("One safe way out of {start} was left.", **self.values)
        return [left, self._had(self.before), self._say("narrow")]

    def shown(self) -> list[str]:
        rides, near = self.point.rides, self.point.near
        away = gettext("no detective could get there")
        if rides < NO_WAY:
            far = {"pawns": pawn_names(near), "rides": counted(rides, "one ride", "{n} rides")}
            away = ngettext("{pawns} was {rides} away", "{pawns} were {rides} away", len(near), **far)
        return [self._say("shown", away=away), self._say("unshown")]

    def found(self) -> list[str]:
        point = self.point
        what = self._say("double") if self.is_double else self._say("card", card=card(point.tickets[0]))
        return [self._say("found", what=self._say("seen", what=what, seen=point.shown) if point.shown else what)]

    def closed(self) -> list[str]:
        point, n, all_ = self.point, len(self.point.closed), len(self.before.ways)
        ways = pgettext("closed", _ALL_WAYS[min(all_, 3)], n=number(all_))
        if n < all_:
            some = {"n": number(n), "all": number(all_)}
            ways = npgettext("closed", "one of the {all} safe ways", "{n} of the {all} safe ways", n, **some)
        values = self.values | {"line": line(point.tickets[0]), "stop": point.stops[0], "ways": ways}
        return [gettext("{pawn}'s {line} to {stop} in round {round} closed {ways} out of {station}.", **values)]

    def walked(self) -> list[str]:
        *_, known, end = self.points
        if end is self.point:
            return [self._say("went to", then=gettext("where {pawns} stood", pawns=pawn_names(end.near)))]
        came = {"pawn": pawn_name(end.pawn or ""), "line": line(end.tickets[0])}
        ways = self.before.ways
        if not ways:
            then = gettext("and {pawn} came there by {line}", **came)
            return [self._no_way(), self._say("went to", then=then), self._had(known)]
        few = len(ways) <= MOST
        others = join([str(way) for way in ways]) if few else counted(len(ways), "one station", "{n} stations")
        then = gettext("where a detective could be in one ride")
        there = gettext("{pawn} came there by {line}.", **came)
        return [self._say("went to", then=then), self._say("others", others=others), there, self._had(known)]

    def stuck(self) -> list[str]:
        return [self._say("stuck")]

    def _no_way(self) -> str:
        return gettext("Every ride from {start} led to where a detective could be in one ride.", **self.values)

    def _had(self, point: Point) -> str:
        """Return how sure the detectives could be of where he was."""
        return self._say("known") if point.stations == 1 else self._say("had", had=percent(point.belief))

    def _say(self, name: str, **values: object) -> str:
        return gettext(_SENTENCES[name][self.is_to_him], **self.values | values)
