"""The documentation as pages: an index, the guides, the API reference. They load nothing from other servers."""

import gzip
from functools import cache
from hashlib import sha256

from flask import Response, abort, render_template, request

from server.drawing import picture
from server.resources import docs, templates
from server.runtime.lru import LRUCache
from server.web import guides, reference

FAVICON = 32  # pixels
COMPRESSIBLE = ("text/html", "text/css", "text/javascript", "image/svg+xml")
_compressed: LRUCache[str, bytes] = LRUCache(100)  # some 20 KB each; by ETag
FOR_GOOD = "public, max-age=31536000, immutable"
# A page may show only itself, with our own style and pictures.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SCRIPTED = POLICY + "; script-src 'self'; connect-src 'self'"  # pages for players, which ask for news


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


def style() -> Response:
    """Return the stylesheet."""
    return kept(_style(), "text/css", is_this_version=request.args.get("v") == version_of_style())


def script(name: str, version: str = "") -> Response:
    """Return a script of the pages; `version` is in the path, so that those that it imports have the same."""
    if name not in _scripts():
        abort(404)
    return kept(_scripts()[name], "text/javascript", is_this_version=version == version_of_scripts())


def icon(name: str) -> Response:
    """Return the picture of a page in the tab of a browser."""
    if name not in _icons():
        abort(404)
    return static(_icons()[name], "image/svg+xml")


def favicon() -> Response:
    """Return the same as PNG, for browsers that look for it there."""
    return static(_favicon(), "image/png")


def example() -> Response:
    """Return the picture of a game in progress, for everybody."""
    return static((docs() / "images" / "board.svg").read_text(encoding="utf-8"), "image/svg+xml")


def guard(response: Response) -> Response:
    """Add the security headers of every answer: no sniffing of types, no loading from other servers."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    if response.status_code == 503:  # sending.js tells it from one of a proxy
        response.headers["X-Black-Ticket"] = "unavailable"
    if response.mimetype == "text/html":
        response.headers.setdefault("Content-Security-Policy", POLICY)
        # With "no-referrer" browsers send `Origin: null` with our own forms, which `csrf.is_from_here` would refuse
        # where the browser is too old for Sec-Fetch-Site. Other sites are told nothing either way.
        response.headers.setdefault("Referrer-Policy", "same-origin")
    return response


def kept(text: str, mimetype: str, *, is_this_version: bool) -> Response:
    """Return a part of pages, which a browser keeps for good if its address names this version."""
    response = static(text, mimetype)
    if is_this_version:
        response.headers["Cache-Control"] = FOR_GOOD
    return response


@cache
def version_of_style() -> str:
    """Return what the address of the stylesheet names, so that it changes with it."""
    return sha256(_style().encode()).hexdigest()[:12]


@cache
def version_of_scripts() -> str:
    """Return the same for the scripts; they import each other, so all of them have one version."""
    return sha256("".join(text for _, text in sorted(_scripts().items())).encode()).hexdigest()[:12]


def static(text: str | bytes, mimetype: str = "text/html") -> Response:
    """Return what is the same for everybody: compressed, and not sent again to a browser that has it.

    Nothing else is compressed: where a secret stands beside a stranger's text, the length would tell of the secret.
    """
    response = Response(text, mimetype=mimetype)
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    if mimetype in COMPRESSIBLE:
        response.vary.add("Accept-Encoding")
        if request.accept_encodings["gzip"]:
            _compress(response)
    response.make_conditional(request)
    return response


def _compress(response: Response) -> None:
    """Compress an answer; what is asked for again is compressed once."""
    etag, _ = response.get_etag()
    key = str(etag)
    compressed = _compressed.get(key)
    if compressed is None:
        compressed = gzip.compress(response.get_data(), mtime=0)
        _compressed.put(key, compressed)
    response.set_data(compressed)
    response.content_encoding = "gzip"
    response.set_etag(f"{key}-gzip")


@cache
def _style() -> str:
    return (templates() / "web" / "style.css").read_text(encoding="utf-8")


@cache
def _scripts() -> dict[str, str]:
    folder = templates() / "web" / "scripts"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.js")}


@cache
def _icons() -> dict[str, str]:
    folder = templates() / "web" / "icons"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}


@cache
def _favicon() -> bytes:
    return picture.png(_icons()["game"], FAVICON)


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
