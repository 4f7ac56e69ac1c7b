"""The story of a hunt in sentences: the three moments that decided it.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from server.application.game.hunt import Story
from server.bots.hunt import Moment, Point
from server.bots.journeys import NO_WAY
from server.house_rules.standing import Seat
from server.vocabulary.words import card, count, join, line, number, pawn_name, pawn_names


class _Words(NamedTuple):
    """The words for Mr. X and for the detectives, by who reads."""

    mr_x: str
    he: str
    him: str
    his: str
    was: str
    you: str
    they: str


_OTHERS = _Words("Mr. X", "he", "him", "his", "was", "himself", "the detectives")
_MR_X = _Words("you", "you", "you", "your", "were", "yourself", "they")


def moments(story: Story, seat: Seat | None) -> list[str]:
    """Return what decided a game, each moment in one to three sentences, for the holder of a seat or anybody else.

    Mr. X's player is told as `you` of what happened since they took the seat.
    """
    is_mr_x = seat is not None and seat.role == "mr_x"
    points = story.hunt.points
    return [
        _told(points, each, _MR_X if is_mr_x and each.ply > story.since else _OTHERS) for each in story.hunt.moments
    ]


def _told(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    told = _SENTENCES[moment.kind](points, moment, words)
    return told[0].upper() + told[1:]


def percent(share: float) -> str:
    """Return a share as `41 %`; what is nearly nothing or nearly all as `under 1 %` or `over 99 %`."""
    if share < 0.01:
        return "under 1 %"
    return f"{round(100 * share)} %" if share < 0.995 or share >= 1 else "over 99 %"


def _lost(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    before, point = points[moment.ply - 1], points[moment.ply]
    down = f", down from {percent(before.belief)}" if before.belief - point.belief >= _FALL else ""
    if point.likeliest == point.station:
        return f"after {_move(point)}{_by(point)} {words.they} had {words.mr_x} on {point.station} at {percent(point.belief)}{down}."
    went = f", and {pawn_names(moment.pawns)} went there" if moment.pawns else ""
    return (
        f"after {_move(point)}{_by(point)} {words.they} had {words.mr_x} at {percent(point.chance)} on "
        f"{point.likeliest}{went}. {words.he.capitalize()} {words.was} on {point.station}, at "
        f"{percent(point.belief)}{down}."
    )


_FALL = 0.2


def _missed(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    point, next_ = points[moment.ply], points[moment.ply + 1]
    ticket, station = next_.trips[0]
    return (
        f"in round {next_.round} {pawn_name(next_.pawn)} could have caught {words.mr_x} on {point.station}, and went by "
        f"{line(ticket)} to {station}. {_sure(point, words)}"
    )


def _slipped(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    before, point = points[moment.ply - 1], points[moment.ply]
    return (
        f"every ride from {before.station} led to where a detective could be in one ride. With a double move, "
        f"{_move(point)}, {words.mr_x} got out to {point.station}."
    )


def _narrow(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    before, point = points[moment.ply - 1], points[moment.ply]
    return (
        f"one way out of {before.station} was left. {_sure(before, words)} {words.he.capitalize()} took it to "
        f"{point.station} with {_move(point)}."
    )


def _sure(point: Point, words: _Words) -> str:
    """Return how sure the detectives could be of where he was."""
    if point.stations == 1:
        return f"Everybody knew that {words.he} {words.was} there."
    return f"{words.they.capitalize()} had {words.him} there at {percent(point.belief)}."


def _shown(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    before, point = points[moment.ply - 1], points[moment.ply]
    near = f"{pawn_names(point.near)} {'was' if len(point.near) == 1 else 'were'} {count(point.rides, 'ride')} away"
    return (
        f"with {_move(point)} {words.mr_x} showed {words.you} on {point.station}, and "
        f"{near if point.rides < NO_WAY else 'no detective could get there'}. Before that {words.they} had {words.him} "
        f"at {percent(before.belief)}."
    )


def _found(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    before, point = points[moment.ply - 1], points[moment.ply]
    what = "double move" if len(point.trips) == 2 else card(point.trips[0][0])
    whose = "your" if words is _MR_X else "the"
    seen = f", on which everybody saw {words.him} at {point.shown}," if point.shown else ""
    return (
        f"{whose} {what} of {_move(point)}{seen} gave {words.mr_x} away: {words.they} had {words.him} at "
        f"{percent(before.belief)} before it, and at {percent(point.belief)} after it, on {point.station}."
    )


def _closed(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    before, point = points[moment.ply - 1], points[moment.ply]
    ticket, station = point.trips[0]
    closed, all_ = len(point.closed), len(before.ways)
    if all_ == 1:
        ways = "the last way out"
    else:
        ways = f"all {number(all_)} ways out" if closed == all_ else f"{number(closed)} of the {number(all_)} ways out"
    return f"{pawn_name(point.pawn)}'s {line(ticket)} to {station} in round {point.round} closed {ways} of {point.station}."


def _walked(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    before, point, caught = points[moment.ply - 1], points[moment.ply], points[-1]
    by = f"{pawn_name(caught.pawn)} came there by {line(caught.trips[0][0])}. {_sure(points[-2], words)}"
    if before.ways:
        others = join([str(way) for way in before.ways]) if len(before.ways) <= _MOST else count(len(before.ways), "station")
        verb = "was" if len(before.ways) == 1 else "were"
        return (
            f"with {_move(point)} {words.mr_x} went from {before.station} to {point.station}, where a detective could be in one "
            f"ride; {others} {verb} out of reach. {by}"
        )
    double = " Only a double move led out." if moment.could_double and len(point.trips) == 1 else ""
    return (
        f"every ride from {before.station} led to where a detective could be in one ride.{double} "
        f"{words.mr_x[0].upper()}{words.mr_x[1:]} went to {point.station} with {_move(point)}, and {by}"
    )


_MOST = 4  # stations that are listed


def _onto(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    point = points[moment.ply]
    return f"with {_move(point)} {words.mr_x} went to {point.station}, where {pawn_names(moment.pawns)} stood."


def _stuck(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    point = points[moment.ply]
    if point.pawn == "mr_x":
        return f"with {_move(point)} {words.mr_x} went to {point.station}, and no ticket led on from there."
    return f"when the game ended no ticket led {words.mr_x} on from {point.station}: every way was taken or not paid for."


def _hidden(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    point = points[moment.ply]
    return (
        f"{words.mr_x} {words.was} hidden best after {_move(point)}: among {count(point.stations, 'station')}, and "
        f"{words.they} had {words.him} at {percent(point.belief)}."
    )


def _end(points: Sequence[Point], moment: Moment, words: _Words) -> str:
    point = points[moment.ply]
    if point.likeliest == point.station:
        return f"when the game ended {words.they} had {words.mr_x} on {point.station}, where {words.he} {words.was}, at {percent(point.chance)}."
    return (
        f"when the game ended {words.they} had {words.mr_x} at {percent(point.chance)} on {point.likeliest}. "
        f"{words.he.capitalize()} {words.was} on {point.station}, at {percent(point.belief)}."
    )


_SENTENCES: dict[str, Callable[[Sequence[Point], Moment, _Words], str]] = {
    "lost": _lost,
    "missed": _missed,
    "slipped": _slipped,
    "narrow": _narrow,
    "shown": _shown,
    "found": _found,
    "closed": _closed,
    "walked": _walked,
    "onto": _onto,
    "stuck": _stuck,
    "hidden": _hidden,
    "end": _end,
}


def _move(point: Point) -> str:
    """Return the numbers of the travel log that a move filled: `move 9`, `moves 9 and 10`."""
    return f"{'moves' if len(point.windows) > 1 else 'move'} {join([str(window) for window in point.windows])}"


def _by(point: Point) -> str:
    """Return the card that hid a move, if it was a special one."""
    if len(point.trips) == 2:
        return ", a double move,"
    return ", by a black ticket," if point.trips[0][0] == "black" else ""
