"""Editions and boards as data, open to anybody."""

from typing import Any

from flask import jsonify
from flask.typing import ResponseReturnValue

from server.api.access import ANYBODY
from server.api.endpoints import Section
from server.api.schemas.rules import BoardView, EditionList
from server.application.errors import Problem
from server.application.play import rules

section = Section("rules", __name__, "The rules and the boards")


@section.endpoint("GET /editions", access=ANYBODY, answers=EditionList, about="Every edition with its options")
def editions() -> ResponseReturnValue:
    """List all editions with all their options."""
    return jsonify({"editions": rules.editions()})


@section.endpoint("GET /boards/<name>", access=ANYBODY, answers=BoardView, about="Stations, lines and start cards")
def board(name: str) -> Any:
    """Return a board: stations with their places on the picture, lines, start cards."""
    found = rules.board(name)
    if found is None:
        raise Problem("not-found", f"There is no such board; the boards are {', '.join(rules.board_names())}.")
    return jsonify(found)
