"""The documentation as pages: everything is there, every link leads somewhere, and nothing comes from elsewhere."""

import gzip
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import brotli
import pytest
from flask import url_for

from server.drawing import look
from server.vocabulary.resources import docs
from server.web import guides
from tests.table import Table

# Attributes by which a page can make a browser fetch, run or send something.
FETCHING = ("src", "srcset", "action", "formaction", "data", "poster", "background", "ping", "style", "manifest")
# What a browser says that it takes, in which coding it gets a part of pages, and how that is read.
COMPRESSED: tuple[tuple[str, str, Callable[[bytes], bytes]], ...] = (
    ("br;q=0.5, gzip", "gzip", gzip.decompress),
    ("gzip, deflate, br", "br", brotli.decompress),
)


class Page(HTMLParser):
    """Collects the links of a page and the anchors on it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[tuple[str, str]] = []
        self.anchors: set[str] = set()
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in (*FETCHING, "href") or name.startswith("on"):
                self.loads.append((tag, value or ""))
            elif name == "id":
                assert value not in self.anchors, f"{value} is there twice"
                self.anchors.add(value or "")


PATHS = ["/docs", "/docs/reference", *(f"/docs/{name}" for name in guides.names())]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(tmp_path_factory.mktemp("pages"), dev_mail="1")


@pytest.fixture(scope="module")
def pages(table: Table) -> dict[str, Page]:
    return {path: Page(table.client.get(path).text) for path in PATHS}


def test_every_guide_is_a_page_and_in_the_index(pages: dict[str, Page]):
    assert {path.stem for path in docs().glob("*.md")} == set(guides.names())
    assert set(PATHS[1:]) <= set(pages["/docs"].links)


def test_a_page_loads_its_style_font_and_icon_and_nothing_else(pages: dict[str, Page]):
    for path in PATHS:
        page = pages[path]
        loads = [(tag, address.partition("?")[0]) for tag, address in page.loads if tag != "form"]
        assert loads == [
            ("link", name)
            for name in (
                "/icons/mask.svg",
                "/icons/game.svg",
                "/manifest.webmanifest",
                "/icons/180.png",
                "/heading.woff2",
                "/style.css",
            )
        ], path
        assert page.tags & {"script", "iframe", "object", "embed", "base", "style"} == set(), path


def test_a_page_has_no_form_but_the_switch_of_the_language(pages: dict[str, Page]):
    assert {address for page in pages.values() for tag, address in page.loads if tag == "form"} == {
        f"/language?next={path}" for path in PATHS
    }


def test_every_link_of_a_page_leads_to_something(table: Table, pages: dict[str, Page]):
    for path in PATHS:
        for link in pages[path].links:
            target, anchor = urldefrag(urljoin(path, link))
            assert target.startswith("/"), f"{path}: {link} leads away from this server"
            if target in pages:
                assert not anchor or anchor in pages[target].anchors, f"{path}: {link}"
            else:
                # A page for players leads to the sign-in.
                assert table.client.get(target).status_code in (200, 303), f"{path}: {link}"


def test_the_boards_can_be_printed_from_the_rules(pages: dict[str, Page]):
    assert {"/maps/london.pdf", "/maps/london-milton-bradley.pdf"} <= set(pages["/docs/how-to-play"].links)


def test_the_icon_is_served_from_here_also_to_browsers_that_ask_of_their_own_accord(table: Table):
    drawn = {name: table.client.get(f"/icons/{name}.svg") for name in ("game", "turn")}
    assert {answer.mimetype for answer in drawn.values()} == {"image/svg+xml"}
    assert drawn["game"].data != drawn["turn"].data
    assert table.client.get("/favicon.ico").data.startswith(b"\x89PNG")


def test_the_style_refers_to_our_font_and_drawings_alone_which_browsers_keep(table: Table):
    style = table.client.get("/style.css").text
    assert "@import" not in style
    addresses = set(re.findall(r"url\(([^)]*)\)", style))
    assert {address.partition("?v=")[0] for address in addresses} == {"/art.svg", "/heading.woff2"}
    for address in addresses:
        assert "immutable" in table.client.get(address).headers["Cache-Control"], address


def test_a_page_forbids_the_browser_whatever_it_does_not_need(table: Table):
    for path in (*PATHS, "/dev/mail"):
        headers = table.client.get(path).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
        assert policy["default-src"] == "'none'", path
        assert policy["style-src"] == "'self'", path
        assert not {"script-src", "connect-src", "frame-src"} & policy.keys(), path
        assert "unsafe" not in headers["Content-Security-Policy"], path
        assert headers["Referrer-Policy"] == "same-origin", path  # as `guard` says why


def test_a_page_that_has_not_changed_is_not_sent_again(table: Table):
    for path in (*PATHS[:3], "/style.css"):
        tag = table.client.get(path).headers["ETag"]
        again = table.client.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.data) == (304, b"")


def test_what_is_the_same_for_everybody_is_compressed_for_who_takes_it(table: Table):
    paths = (*PATHS[:3], "/style.css", "/scripts/board.js", "/boards/london.svg", "/how-to-play", "/privacy")
    for path, (takes, coding, decompress) in product(paths, COMPRESSED):
        takes_it = {"Accept-Encoding": takes}
        plain = table.client.get(path, follow_redirects=True)
        short = table.client.get(path, headers=takes_it, follow_redirects=True)
        assert decompress(short.data) == plain.data, path
        assert len(short.data) < 0.5 * len(plain.data), path
        assert (short.headers["Content-Encoding"], plain.headers.get("Content-Encoding")) == (coding, None)
        assert short.headers["Vary"] == plain.headers["Vary"], path
        assert plain.headers["Vary"].startswith("Accept-Encoding"), path
        assert short.headers["ETag"] != plain.headers["ETag"]
        again = table.client.get(
            short.request.path, headers={**takes_it, "If-None-Match": short.headers["ETag"]}, follow_redirects=True
        )
        assert (again.status_code, again.data) == (304, b"")
    refused = table.client.get("/style.css", headers={"Accept-Encoding": "gzip;q=0, identity"})
    assert "Content-Encoding" not in refused.headers


def test_the_picture_of_a_game_in_progress_has_the_colours_of_the_night_for_who_reads_in_the_dark(table: Table):
    drawn = table.client.get("/example.svg").text
    night = re.search(r"@media \(prefers-color-scheme:dark\)\{(.*?)</style>", drawn, re.DOTALL)
    assert night
    for name, colour in look.table().night.items():
        assert re.search(rf"\.{name}\{{\w+:{colour}\}}", night[1]), name
    for part in ("land", "river bank", "taxi", "disc", "underground rim"):
        assert all(re.search(rf'class="(?:[\w-]+ )*{name}[ "]', drawn) for name in part.split()), part


def test_a_page_for_its_reader_alone_is_not_compressed(table: Table):
    """Its length would tell of a secret beside what a stranger wrote."""
    game = table.dealt(3).id
    for path in ("/", f"/games/{game}", f"/games/{game}/rules"):
        answer = table.client.get(path, headers={"Accept-Encoding": "gzip, br"})
        assert "Content-Encoding" not in answer.headers, path
        assert answer.status_code == 200, path


def test_the_reference_has_every_call_and_every_schema(table: Table, pages: dict[str, Page]):
    document = table.client.get("/openapi.json").json
    text = table.client.get("/docs/reference").text
    for path, methods in document["paths"].items():
        for method in methods.keys() - {"parameters"}:
            assert re.search(rf"{method.upper()}</span> <code>{re.escape(path)}</code>", text), (method, path)
    assert {f"schema-{name}" for name in document["components"]["schemas"]} <= pages["/docs/reference"].anchors


def test_a_page_that_there_is_not_is_a_404(table: Table):
    for name in ("nothing", "../README", "decisions", "openapi.json"):
        assert table.client.get(f"/docs/{name}").status_code == 404


def test_markup_in_a_guide_is_shown_and_not_obeyed():
    engine = guides.guide("engine").html
    assert "<BLANKLINE>" not in engine
    assert "&lt;BLANKLINE&gt;" in engine


def test_the_pages_are_made_for_small_screens_and_for_the_night(table: Table):
    assert 'name="viewport" content="width=device-width' in table.client.get("/docs").text
    assert "prefers-color-scheme:dark" in table.client.get("/style.css").text


def test_who_loads_the_address_of_a_form_comes_to_its_page(table: Table):
    for path, page in (
        ("/games/abc/votes", "/games/abc"),
        ("/games/abc/votes/def", "/games/abc"),
        ("/games/abc/moves/double", "/games/abc"),
        ("/games/abc/seats/2/clear", "/games/abc"),
        ("/games/abc/mail", "/games/abc"),
        ("/me/addresses/confirm", "/me/addresses"),
        ("/me/name", "/me"),
        ("/join", "/"),
        ("/practice", "/"),
    ):
        answer = table.client.get(path, headers={"Accept": "text/html"})
        assert (answer.status_code, answer.headers["Location"]) == (303, page), path
        assert table.client.get(path).status_code == 405, f"{path}, a program"
        assert table.client.delete(path, headers={"Accept": "text/html"}).status_code == 405, path


def test_a_form_that_is_too_large_is_refused_in_plain_words(table: Table):
    answer = table.client.post(
        "/sign-in", data={"email": "a" * 1_100_000}, headers={"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    )
    assert (answer.status_code, "That is too long" in answer.text) == (413, True)
    assert "nothing was done. Write less" in answer.text


def test_a_browser_that_asks_too_often_is_told_so_without_a_word_about_tokens(tmp_path: Path):
    table = Table(tmp_path, rate_limit="1/PT1M")
    for _ in range(2):
        answer = table.client.get("/", headers={"Accept": "text/html"})
    assert (answer.status_code, "came from your network within a short time" in answer.text) == (429, True)
    assert "token" not in answer.text


def test_style_and_scripts_are_kept_for_good_by_addresses_that_change_with_them(table: Table):
    (style,) = set(re.findall(r'href="(/style\.css[^"]*)"', table.client.get("/").text))
    with table.app.test_request_context():
        script = url_for("script", name="board")
    for address, unversioned in ((style, "/style.css"), (script, "/scripts/board.js")):
        assert address != unversioned
        assert table.client.get(address).headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert table.client.get(unversioned).headers["Cache-Control"] == "no-cache"
    assert table.client.get("/scripts/0/board.js").headers["Cache-Control"] == "no-cache", "a server of another version"
