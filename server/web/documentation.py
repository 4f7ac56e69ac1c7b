"""The documentation as pages: an index, the guides, the API reference. They load nothing from other servers."""

from functools import cache

from flask import Response, abort, render_template

from server.vocabulary.translation import current
from server.web import guides, reference
from server.web.static_files import static


def index() -> Response:
    return static(_index(current()))


def page(guide: str) -> Response:
    """Return a guide, or the API reference."""
    if guide == "reference":
        return static(_reference(current()))
    if guide not in guides.names():
        abort(404)
    return static(_guide(guide, current()))


@cache
def _index(_language: str) -> str:
    return render_template("web/index.html", guides=[guides.guide(name) for name in guides.names()])


@cache
def _guide(name: str, _language: str) -> str:
    return render_template("web/guide.html", guide=guides.guide(name))


@cache
def _reference(_language: str) -> str:
    return render_template(
        "web/reference.html", chapters=reference.chapters(), shapes=reference.shapes(), inline=guides.inline
    )
