"""The board as a picture, for who looks at it."""

from flask import Response, request

from server.api.access import caller, viewer
from server.api.endpoints import File, Section
from server.api.schemas.values import NoQuery
from server.application.game.access import visible
from server.application.play import pictures

section = Section("pictures", __name__, "The board as a picture")


@section.endpoint(
    "GET /games/<game_id>/board.svg",
    who=viewer("read"),
    query=NoQuery,
    answers=File("image/svg+xml"),
    about="The board",
)
def board_svg(game_id: str) -> Response:
    """The board with the pawns as the caller may see them, and the travel log."""
    return Response(pictures.svg(visible(game_id, caller()), caller()), mimetype="image/svg+xml")


@section.endpoint(
    "GET /games/<game_id>/board.png",
    who=viewer("read"),
    query=NoQuery,
    answers=File("image/png", is_binary=True),
    about="The board",
)
def board_png(game_id: str) -> Response:
    """The same as pixels, 1,200 in a row."""
    drawn = pictures.svg(visible(game_id, caller()), caller())
    tag = pictures.tag(drawn)
    # Pixels take long, so there are none for who has them.
    has_it = tag in request.if_none_match
    response = Response(b"" if has_it else pictures.png(drawn, caller()), mimetype="image/png")
    response.set_etag(tag)
    return response
