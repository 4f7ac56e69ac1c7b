"""The coach: five lines for somebody who plays for the first time, each about a place on the page of the game.

They are made from the view of their reader, so they tell nothing that the page does not.
"""

from collections.abc import Sequence
from typing import NamedTuple

from server.application.game.projection import GameView
from server.application.lists import listing
from server.engine import BoardView, windows_used
from server.house_rules.standing import Seat, Standing
from server.models import Player
from server.vocabulary.translation import gettext, gettext_noop, ngettext, pgettext
from server.vocabulary.words import join, pawn_name, pawn_names
from server.wording import situation

ROUNDS = 2  # in which the coach speaks
REACH = gettext_noop("On your turn, the stations that you can go to have a dashed ring. Touch one.")


class Line(NamedTuple):
    """A line, and the place that it is about, as coach.js knows it: pawn, reach, move, log or where."""

    place: str
    text: str


def of(game: Standing, player: Player | None, seat: Seat | None, view: GameView) -> Sequence[Line]:
    """Return the lines for a player who has begun no game but this one, in its first rounds; else none.

    A game from a position that is in its middle already is no first one.
    """
    if player is None or seat is None or game.status != "running" or (view["round"] or 0) > ROUNDS:
        return ()
    if windows_used(view) > 2 * ROUNDS or listing.has_begun_another(player, game):
        return ()
    return lines(view, seat.pawns, is_against_bots=game.is_against_bots(seat))


def lines(view: BoardView, own: Sequence[str], *, is_against_bots: bool) -> Sequence[Line]:
    """Return the five lines for the player of the pawns `own`, in the order in which they are read."""
    return _for_mr_x(view, is_against_bots) if "mr_x" in own else _for_detective(view, own, is_against_bots)


def _for_detective(view: BoardView, own: Sequence[str], is_against_bots: bool) -> Sequence[Line]:
    has_team = len(view["pawns"]) > len(own) + 1
    others = gettext("Mr. X hides from you.")
    if has_team:
        others = gettext("One player is Mr. X, and the other detectives are with you.")
    if is_against_bots:
        others = gettext("Bots play the other detectives, and Mr. X." if has_team else "A bot plays Mr. X.")
    where = gettext("At the top of the page you read where Mr. X was last seen.")
    if view["options"]["deduction"]:
        where = gettext("At the top of the page you read where Mr. X can be, and on the board a halo is there.")
    stand = join([str(view["pawns"][pawn]["station"]) for pawn in own])
    pawns = gettext("You are {pawns}, on {stations}.", pawns=pawn_names(own), stations=stand)
    move = gettext("Under “Move {pawn}” you make the move. It costs a ticket.", pawn=pawn_name(own[0]))
    log = gettext("Mr. X moves in secret: you see only his tickets, in the travel log.")
    shown = _shows(view, pgettext("where", "he is"))
    won = gettext("Move onto his station, and you have won.")
    return (
        Line("pawn", f"{pawns} {others}"),
        Line("reach", gettext(REACH)),
        Line("move", f"{move} {situation.hands(view, own)}"),
        Line("log", f"{log} {shown}"),
        Line("where", f"{where} {won}"),
    )


def _for_mr_x(view: BoardView, is_against_bots: bool) -> Sequence[Line]:
    where = gettext("At the top of the page you read what the others know.")
    if view["options"]["deduction"]:
        where = gettext("At the top of the page you read what the others know: a halo is where they think you can be.")
    others = gettext("Bots play the detectives." if is_against_bots else "All the others hunt you.")
    at = view["pawns"]["mr_x"]["station"]
    pawn = gettext("You are Mr. X, on {station}. Nobody else sees where you are.", station=at)
    move = gettext(
        "Under “Move Mr. X” you make the move. A black ticket hides which line you took; a double move is two moves."
    )
    log = gettext("The detectives see your tickets, in the travel log, and not your way.")
    shown = _shows(view, pgettext("where", "you are"))
    win = gettext("If nobody moves onto your station to the end, you win.")
    return (
        Line("pawn", f"{pawn} {others}"),
        Line("reach", gettext(REACH)),
        Line("move", move),
        Line("log", f"{log} {shown}"),
        Line("where", f"{where} {win}"),
    )


def _shows(view: BoardView, he_is: str) -> str:
    """Return after which moves everybody sees where Mr. X is; `he_is` is `you are` to himself."""
    if not (surfacing := view["options"]["surfacing"]):
        return gettext("Nobody is shown where {he_is}.", he_is=he_is)
    return ngettext(
        "After move {moves} everybody sees where {he_is}.", "After moves {moves} everybody sees where {he_is}.",
        len(surfacing), moves=join([str(window) for window in surfacing]), he_is=he_is,
    )  # fmt: skip
