"""The style and the pictures of the pages, which are the same for everybody: compressed, and kept by browsers."""

import gzip
import json
import re
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from typing import Any

import brotli
from flask import Response, abort, render_template, request

from server.drawing import picture
from server.drawing.look import table, template
from server.runtime.lru import LRUCache
from server.vocabulary.resources import docs, templates
from server.vocabulary.translation import ENGLISH, catalogues, speaking
from server.vocabulary.words import pawn_letter

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "br": brotli.compress,
    "gzip": partial(gzip.compress, mtime=0),
}
FAVICON = 32  # pixels
APP_ICONS = (180, 192, 512)
GROUND = "#fffdf7"
COMPRESSIBLE = ("text/html", "text/css", "text/javascript", "image/svg+xml")
_compressed: LRUCache[str, bytes] = LRUCache(1_000_000, len)  # by ETag
FOR_GOOD = "public, max-age=31536000, immutable"


def icon(name: str) -> Response:
    """Return the picture of a page in the tab of a browser."""
    if name not in _icons():
        abort(404)
    return static(_icons()[name], "image/svg+xml")


def favicon() -> Response:
    """Return the same as PNG, for browsers that look for it there."""
    return static(_favicon(), "image/png")


def app_icon(pixels: int) -> Response:
    """Return the icon of the app that a device installs: on a ground, which a device may cut round."""
    if pixels not in APP_ICONS:
        abort(404)
    return static(_app_icon(pixels), "image/png")


def manifest() -> Response:
    """Return what a browser asks to install the pages as an app."""
    icons = [{"src": f"/icons/{side}.png", "sizes": f"{side}x{side}", "type": "image/png"} for side in APP_ICONS]
    maskable = [{**icon, "purpose": "maskable"} for icon in icons]
    facts = {
        "name": "Black Ticket", "short_name": "Black Ticket", "id": "/me", "start_url": "/me", "scope": "/",
        "display": "standalone", "background_color": GROUND, "theme_color": GROUND, "icons": [*icons, *maskable],
    }  # fmt: skip
    return static(json.dumps(facts), "application/manifest+json")


def offline() -> Response:
    """Return the page that the service worker keeps, for a device without a network."""
    return static(render_template("web/offline.html"))


def kept(text: str | bytes, mimetype: str, *, is_this_version: bool) -> Response:
    """Return a part of pages, which a browser keeps for good if its address names this version."""
    response = static(text, mimetype)
    if is_this_version:
        response.headers["Cache-Control"] = FOR_GOOD
    return response


def versioned() -> Response:
    """Return one of `VERSIONED` in the language whose version the address names, else in English."""
    name, version = request.endpoint or "", request.args.get("v")
    known = next((language for language in catalogues() if version == version_of(name, language)), None)
    make, mimetype = VERSIONED[name]
    return kept(make(known or ENGLISH), mimetype, is_this_version=known is not None)


@cache
def version_of(name: str, language: str) -> str:
    """Return what the address of one of `VERSIONED` names, so that it changes with it."""
    make, _ = VERSIONED[name]
    content = make(language)
    return sha256(content if isinstance(content, bytes) else content.encode()).hexdigest()[:12]


def static(text: str | bytes, mimetype: str = "text/html") -> Response:
    """Return what is the same for everybody: compressed, and not sent again to a browser that has it.

    Else `compress` is for pages without secrets: beside a stranger's text, the length would tell of the secret.
    """
    response = Response(text, mimetype=mimetype)
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    if mimetype in COMPRESSIBLE:
        response.vary.add("Accept-Encoding")
        if coding := request.accept_encodings.best_match(COMPRESSORS):
            _compress_once(response, coding)
    response.make_conditional(request)
    return response


def _compress_once(response: Response, coding: str) -> None:
    """Compress an answer; what is asked for again is compressed once."""
    etag, _ = response.get_etag()
    key = f"{etag}-{coding}"
    compressed = _compressed.get(key)
    if compressed is None:
        compressed = COMPRESSORS[coding](response.get_data())
        _compressed.put(key, compressed)
    response.set_data(compressed)
    response.content_encoding = coding
    response.set_etag(key)


def compress(response: Response) -> Response:
    """Compress a page that tells no secret, for browsers that want it."""
    response.vary.add("Accept-Encoding")
    if request.accept_encodings["gzip"]:
        response.set_data(gzip.compress(response.get_data(), mtime=0))
        response.content_encoding = "gzip"
    return response


@cache
def _style(language: str) -> str:
    """Return the style without comments and indentation, with the versions of what it loads in their addresses."""
    text = (templates() / "web" / "style.css").read_text(encoding="utf-8") + template("board.css").render()
    for address, name in (("/art.svg", "art"), ("/heading.woff2", "heading")):
        text = text.replace(address, f"{address}?v={version_of(name, language)}")
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r";(?=\})|(?<=[\w-]:) ", "", re.sub(r"\s*([{};,>\n])\s*", r"\1", bare))


@cache
def _art(language: str) -> str:
    """Return the drawings; a pawn has its letter in a language, and the sign for where Mr. X was seen has none."""
    with speaking(language):
        letters = [(pawn, pawn_letter(pawn)) for pawn in ("mr_x", "purple", "red", "green", "yellow", "blue")]
    return render_template("web/art.svg", letters=[*letters, ("green", "?"), ("mr_x", "?")])


@cache
def _example(language: str) -> str:
    """Return the picture of a game in progress, by day and by night; the English one where a language has none."""
    path = docs() / "images" / f"board-{language}.svg"
    drawn = (path if path.exists() else path.with_name("board.svg")).read_text(encoding="utf-8")
    by_night: Any = template("_board.svg").module
    return drawn.replace("</style>", f"{by_night.by_night(table().night)}</style>", 1)


@cache
def _heading(_language: str) -> bytes:
    return (templates() / "web" / "heading.woff2").read_bytes()


@cache
def _icons() -> dict[str, str]:
    folder = templates() / "web" / "icons"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}


@cache
def _favicon() -> bytes:
    return picture.png(_icons()["game"], FAVICON)


@cache
def _app_icon(pixels: int) -> bytes:
    ground = f'viewBox="-8 -8 48 48"><path fill="{GROUND}" d="M-8-8H40V40H-8Z"/>'
    return picture.png(_icons()["game"].replace('viewBox="0 0 32 32">', ground), pixels)


VERSIONED: dict[str, tuple[Callable[[str], str | bytes], str]] = {
    "style": (_style, "text/css"), "art": (_art, "image/svg+xml"), "heading": (_heading, "font/woff2"),
    "example": (_example, "image/svg+xml"),
}  # fmt: skip
"""The parts of pages whose addresses name their version, by their endpoints: each in a language, and its type."""
