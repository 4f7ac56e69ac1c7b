"""The icon of the pages: a black ticket, with a mark on it where it is the reader's turn."""

from functools import cache

from flask import Response, render_template, request

from server import picture

SIDE = 32  # pixels


def icon() -> Response:
    """Return the icon."""
    return _kept(_drawn(is_turn=False), "image/svg+xml")


def turn_icon() -> Response:
    """Return the icon of a page on which it is the reader's turn."""
    return _kept(_drawn(is_turn=True), "image/svg+xml")


def favicon() -> Response:
    """Return the icon as a PNG, for browsers that ask for it of their own accord."""
    return _kept(_pixels(), "image/png")


@cache
def _drawn(*, is_turn: bool) -> str:
    return render_template("web/icon.svg", is_turn=is_turn)


@cache
def _pixels() -> bytes:
    return picture.png(_drawn(is_turn=False), SIDE)


def _kept(content: str | bytes, mimetype: str) -> Response:
    response = Response(content, mimetype=mimetype)
    response.headers["Cache-Control"] = "public, max-age=86400"
    response.add_etag()
    response.make_conditional(request)
    return response
