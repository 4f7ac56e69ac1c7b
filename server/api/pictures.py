"""The board as a picture, with what its viewer may see."""

from flask import Response, request

from server.api.access import for_anybody, reader
from server.api.endpoints import File, Section
from server.api.schemas.values import NoQuery
from server.application.game import pictures
from server.application.game.look import look

section = Section("pictures", __name__, "The board as a picture")


@section.endpoint(
    "GET /games/<game_id>/board.svg",
    access=for_anybody("read"),
    query=NoQuery,
    answers=File("image/svg+xml"),
    about="The board",
)
def board_svg(game_id: str) -> Response:
    """Return the board with the pawns as you may see them, and the travel log."""
    return Response(pictures.svg(look(game_id, reader()), reader()), mimetype="image/svg+xml")


@section.endpoint(
    "GET /games/<game_id>/board.png",
    access=for_anybody("read"),
    query=NoQuery,
    answers=File("image/png", is_binary=True),
    about="The board",
)
def board_png(game_id: str) -> Response:
    """Return the board with the pawns as you may see them, and the travel log, as PNG, 1,080 pixels wide."""
    drawn = pictures.svg(look(game_id, reader()), reader())
    tag = pictures.tag(drawn)
    # Drawing the pixels takes long, so a client that has them already gets none.
    has_it = tag in request.if_none_match
    response = Response(b"" if has_it else pictures.png(drawn, reader()), mimetype="image/png")
    response.set_etag(tag)
    return response
