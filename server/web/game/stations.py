"""The board in words, about any station of it: what is linked to it, and the ways to another one.

A station is asked about by a POST, as one that Mr. X asks about may not stand in an address.
"""

from collections.abc import Sequence

from flask import Response, request

from server import engine
from server.application.game import projection
from server.application.game.look import look
from server.application.game.state import edition_of
from server.engine import BoardView
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.words import join
from server.web import forms, visitors
from server.web.problems import page
from server.wording import board_text

MOST_DIGITS = 3


def show(game_id: str) -> Response:
    """Show the form, with the surroundings of the visitor's pawns; a POST describes the stations that it names."""
    player = visitors.visitor()
    game = look(game_id, player)
    view, seat = projection.project(game, player), projection.own_seat(game, player)
    board = edition_of(game).board
    described: list[str] = []
    problem = None
    if request.method == "POST":
        try:
            described = board_text.described(board, view, _named(board))
        except Problem as refused:
            problem = refused
    return page(
        "game/stations",
        problem,
        game=game,
        described=described,
        around=_around(board, view, seat.pawns if seat else ()),
        last=max(board.stations),
    )


def _named(board: engine.Board) -> list[int]:
    """Return the stations of the form, one or two."""
    named = [forms.number(text, MOST_DIGITS) for name in ("station", "other") if (text := forms.text(name))]
    stations = [number for number in named if number is not None and number in board.stations]
    if not stations or len(stations) < len(named):
        last, missing = max(board.stations), sorted({*range(1, max(board.stations))} - {*board.stations})
        if not missing:
            raise refusal("form", "A station is a number from 1 to {last}.", last=last)
        none = join([str(number) for number in missing])
        raise refusal("form", "A station is a number from 1 to {last}, but for {none}.", last=last, none=none)
    return stations


def _around(board: engine.Board, view: BoardView, own: Sequence[str]) -> list[str]:
    """Return what lies around the pawns `own`, and for detectives how far they are from where Mr. X was seen last."""
    told = board_text.around(board, view, own)
    seen = board_text.last_seen(board, view, own)
    return [*told, seen] if seen else told
