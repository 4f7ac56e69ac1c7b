"""The documentation as pages: an index, the guides, the API reference. They load nothing from other servers."""

from functools import cache

from flask import Response, abort, render_template

from server.web import guides, reference
from server.web.static_files import static


def index() -> Response:
    """Return the index of the documentation."""
    return static(_index())


def page(guide: str) -> Response:
    """Return a guide, or the API reference."""
    if guide == "reference":
        return static(_reference())
    if guide not in guides.names():
        abort(404)
    return static(_guide(guide))


@cache
def _index() -> str:
    return render_template("web/index.html", guides=[guides.guide(name) for name in guides.names()])


@cache
def _guide(name: str) -> str:
    return render_template("web/guide.html", guide=guides.guide(name))


@cache
def _reference() -> str:
    return render_template(
        "web/reference.html", chapters=reference.chapters(), shapes=reference.shapes(), inline=guides.inline
    )
