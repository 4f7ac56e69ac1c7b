"""Editions and boards as data; open to everybody."""

from typing import Any

from flask import Response, jsonify, request
from flask.typing import ResponseReturnValue
from flask_smorest import Blueprint

from server.api.limits import anybody
from server.api.schemas.rules import BoardView, EditionList
from server.application.errors import Problem
from server.application.play import rules

blueprint = Blueprint("rules", __name__, description="The rules and the boards")


@blueprint.after_request
def public(response: Response) -> Response:
    """The same for everybody, and cheap to ask for again."""
    response.headers["Cache-Control"] = "no-cache"
    if response.status_code == 200:
        response.add_etag()
        response.make_conditional(request)
    return response


@blueprint.get("/editions")
@blueprint.doc(security=[])
@anybody
@blueprint.alt_response(200, schema=EditionList, description="Every edition with its options")
def editions() -> ResponseReturnValue:
    """All editions with all their options."""
    return jsonify({"editions": rules.editions()})


@blueprint.get("/boards/<name>")
@blueprint.doc(security=[])
@anybody
@blueprint.alt_response(200, schema=BoardView, description="Stations, lines and start cards")
def board(name: str) -> Any:
    """A board: stations with their places on the picture, lines, start cards."""
    found = rules.board(name)
    if found is None:
        raise Problem("not-found", f"There is no such board; the boards are {', '.join(rules.board_names())}.")
    return jsonify(found)
