"""The rules as pages: those of each edition and of a game, with pictures and a glossary."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from flask import Response, abort, render_template, url_for

from server.application.game.look import look
from server.application.game.state import edition_of
from server.drawing import printing, rules_pictures
from server.drawing.rules_pictures import Picture
from server.engine import USUAL, Board, Edition
from server.vocabulary.translation import current, gettext
from server.web import visitors
from server.web.problems import page
from server.web.static_files import static
from server.wording import rules
from server.wording.glossary import GLOSSARY

# The picture of a rule, by its name.
PICTURES: Mapping[str, Callable[[Board], Picture]] = {
    "Moves": rules_pictures.moves,
    "The travel log": rules_pictures.deduction,
    "Black tickets": rules_pictures.ferry,
}


def usual() -> Response:
    """Lead the browser to the rules of the usual edition."""
    return Response(status=303, headers={"Location": url_for("how_to_play", edition=USUAL)})


def tour() -> Response:
    """Return the game in five pictures, by the rules of the usual edition."""
    return static(_tour(current()))


@cache
def _tour(_language: str) -> str:
    edition = Edition.named(USUAL)
    board = edition.board
    return render_template(
        "web/tour.html",
        moves=rules_pictures.moves(board),
        deduction=rules_pictures.deduction(board),
        capture=rules_pictures.capture(board),
        surfacing=edition.option("surfacing"),
    )


def of_edition(edition: str) -> Response:
    if edition not in Edition.names():
        abort(404)
    return static(_of_edition(edition, current()))


@cache
def _of_edition(name: str, _language: str) -> str:
    edition = Edition.named(name)
    return render_template("web/rules.html", title=rules.edition_title(name), **_context(edition, None), name=name)


def of_game(game_id: str) -> Response:
    """Return the rules of a game, with the options that its host has chosen."""
    game = look(game_id, visitors.visitor())
    detectives = sum(len(seat.pawns) for seat in game.seats if seat.role == "detective")
    known = _context(edition_of(game), detectives)
    known["rules"] = [*known["rules"], rules.time(game.clock)]
    return page("rules", title=game.name, **known, name=game.edition, game=game)


def map_to_print(name: str) -> Response:
    """Return a board as a PDF to print."""
    if name not in Board.names():
        abort(404)
    board = Board.named(name)
    response = Response(printing.pdf(board), mimetype="application/pdf")
    response.headers.set("Content-Disposition", "inline", filename=printing.file_name(board))
    return response


@cache  # it takes a while to draw
def _picture(rule: str, board: Board, _language: str) -> Picture:
    return PICTURES[rule](board)


def _context(edition: Edition, detectives: int | None) -> dict[str, Any]:
    """Return what the page tells of an edition; of a game with the number of its detectives."""
    board = edition.board
    known = rules.rules(edition, detectives)
    return {
        "rules": known,
        "pictures": {rule.name: _picture(rule.name, board, current()) for rule in known if rule.name in PICTURES},
        "surfacing": edition.options["surfacing"],
        "windows": edition.options["log_windows"],
        "is_handed_over": edition.options["mr_x_supply"] == "counted",
        "board": board.name,
        "editions": [(name, rules.edition_title(name)) for name in Edition.names()],
        "glossary": [(gettext(word), gettext(meaning)) for word, meaning in GLOSSARY],
    }
