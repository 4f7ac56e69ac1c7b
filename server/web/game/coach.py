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
from server.vocabulary.words import join, pawn_name
from server.wording import situation

ROUNDS = 2  # in which the coach speaks


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
    if is_against_bots:
        others = "Bots play the other detectives, and Mr. X." if has_team else "A bot plays Mr. X."
    else:
        others = "One player is Mr. X, and the other detectives are with you." if has_team else "Mr. X hides from you."
    called = join([pawn_name(pawn) for pawn in own])
    stand = join([f"{view['pawns'][pawn]['station']}" for pawn in own])
    is_told = view["options"]["deduction"]
    told = "where Mr. X can be, and on the board a halo is there" if is_told else "where Mr. X was last seen"
    return (
        Line("pawn", f"You are {called}, on {stand}. {others}"),
        Line("reach", "On your turn, the stations that you can go to have a dashed ring. Touch one."),
        Line(
            "move",
            f"Under “Move {pawn_name(own[0])}” you make the move. It costs a ticket. {situation.hands(view, own)}",
        ),
        Line("log", f"Mr. X moves in secret: you see only his tickets, in the travel log. {_shows(view, 'he is')}"),
        Line("where", f"At the top of the page you read {told}. Move onto his station, and you have won."),
    )


def _for_mr_x(view: BoardView, is_against_bots: bool) -> Sequence[Line]:
    halos = ": a halo is where they think you can be" if view["options"]["deduction"] else ""
    others = "Bots play the detectives." if is_against_bots else "All the others hunt you."
    at = view["pawns"]["mr_x"]["station"]
    return (
        Line("pawn", f"You are Mr. X, on {at}. Nobody else sees where you are. {others}"),
        Line("reach", "On your turn, the stations that you can go to have a dashed ring. Touch one."),
        Line(
            "move",
            "Under “Move Mr. X” you make the move. A black ticket hides which line you took; "
            "a double move is two moves.",
        ),
        Line("log", f"The detectives see your tickets, in the travel log, and not your way. {_shows(view, 'you are')}"),
        Line(
            "where",
            f"At the top of the page you read what the others know{halos}. "
            "If nobody moves onto your station to the end, you win.",
        ),
    )


def _shows(view: BoardView, who: str) -> str:
    surfacing = view["options"]["surfacing"]
    if not surfacing:
        return f"Nobody is shown where {who}."
    moves = join([str(window) for window in surfacing])
    return f"After move{'s' * (len(surfacing) > 1)} {moves} everybody sees where {who}."
