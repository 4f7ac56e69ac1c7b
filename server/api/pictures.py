"""The board as a picture, for who looks at it."""

from flask import Response, request
from flask_smorest import Blueprint
from marshmallow import Schema

from server.api.access import caller, known, of_game, private, query
from server.application.game.access import visible
from server.application.play import pictures

blueprint = Blueprint("pictures", __name__, description="The board as a picture")
blueprint.after_request(private)


def _answers(mimetype: str) -> dict[str, object]:
    schema = {"type": "string", **({"format": "binary"} if mimetype == "image/png" else {})}
    return {"description": "The board", "content": {mimetype: {"schema": schema}}}


@blueprint.get("/games/<game_id>/board.svg")
@known
@of_game
@blueprint.doc(responses={200: _answers("image/svg+xml")})
def board_svg(game_id: str) -> Response:
    """The board with the pawns as the caller may see them, and the travel log."""
    query(Schema())
    return Response(pictures.svg(visible(game_id, caller()), caller()), mimetype="image/svg+xml")


@blueprint.get("/games/<game_id>/board.png")
@known
@of_game
@blueprint.doc(responses={200: _answers("image/png")})
def board_png(game_id: str) -> Response:
    """The same as pixels, 1,200 in a row."""
    query(Schema())
    drawn = pictures.svg(visible(game_id, caller()), caller())
    tag = pictures.tag(drawn)
    # Pixels take long, so there are none for who has them.
    has_it = tag in request.if_none_match
    response = Response(b"" if has_it else pictures.png(drawn, caller()), mimetype="image/png")
    response.set_etag(tag)
    return response
