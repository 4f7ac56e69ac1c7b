"""Editions and boards as data; open to everybody."""

from typing import Any

from flask import jsonify
from flask.typing import ResponseReturnValue
from flask_smorest import Blueprint

from server.application import rules
from server.application.errors import Problem

blueprint = Blueprint("rules", __name__, description="The rules and the boards")


@blueprint.get("/editions")
@blueprint.doc(security=[])
@blueprint.alt_response(200, description="Every edition with its options")
def editions() -> ResponseReturnValue:
    """All editions with all their options."""
    return jsonify({"editions": rules.editions()})


@blueprint.get("/boards/<name>")
@blueprint.doc(security=[])
@blueprint.alt_response(200, description="Stations, lines and start cards")
def board(name: str) -> Any:
    """A board: stations with their places on the picture, lines, start cards."""
    found = rules.board(name)
    if found is None:
        raise Problem("not-found", f"There is no such board; the boards are {', '.join(rules.board_names())}.")
    return jsonify(found)
