"""The pictures of pages in the documentation: every page has one, they are small, and shown."""

import re
from pathlib import Path

from docs.images import photograph_game
from docs.images.photograph_pages import ALL_TOGETHER, FOLDER, IN_GERMAN, NAMES, PAGES
from server.vocabulary.translation import ENGLISH
from tests.docs.pages import page
from tests.table import Table

# What is set up for the pictures has addresses of this form.
ADDRESSES = {
    **dict.fromkeys(("running", "final", "open", "practice"), "/games/x"), "join": "/join/x", "device": "/continue/x",
    "address": "/address/x", "code": "/sign-in/code/x",
    "stop": "/stop/x",
    "invitation": "/reports/x", "answer": "/answer/x/play-now", "hook": "/me/webhooks/x", "mail": "/dev/mail",
}  # fmt: skip
# What answers a GET with a file, or leads to a page.
NO_PAGES = {
    *("pages.board", "pages.preview", "pages.replay_svg", "pages.replay_png", "pages.record", "pages.transcript"),
    *(
        "pages.news",
        "pages.news_stream",
        "pages.export",
        "api-docs.openapi_json",
        "healthz",
        "readyz",
        "metrics",
        "usual_rules",
    ),
    *("verifier", "client", "pages.join", "pages.table"),
    *("map", "style", "script", "icon", "example", "favicon", "ground", "discs", "art", "heading", "dev_mail_html"),
    *("service_worker", "manifest", "app_icon", "offline"),
}


def test_every_page_has_its_picture(tmp_path: Path):
    table = Table(tmp_path, dev_mail="yes")
    addresses = table.app.url_map.bind("localhost")
    paths = [each.path.format(**ADDRESSES).partition("?")[0] for each in PAGES.values()]
    photographed = {addresses.match(path)[0] for path in paths}
    rules = [rule for rule in table.app.url_map.iter_rules() if "GET" in (rule.methods or ())]
    assert {rule.endpoint for rule in rules if not rule.rule.startswith("/api/")} - NO_PAGES == photographed


def test_the_pictures_are_there_small_and_shown_in_the_documentation():
    sizes = {path.stem: path.stat().st_size for path in FOLDER.glob("*.png")}
    assert sizes.keys() == NAMES
    assert sum(sizes.values()) < ALL_TOGETHER[ENGLISH]
    shown = "".join(map(page, ("docs/browser.md", "docs/operating.md", "docs/first-game.md")))
    assert [name for name in sorted(NAMES) if f"(images/pages/{name}.png)" not in shown] == []


def test_the_german_pictures_are_there_small_and_shown_in_the_german_guide():
    sizes = {path.stem: path.stat().st_size for path in (FOLDER / "de").iterdir()}
    assert sizes.keys() == IN_GERMAN
    assert sum(sizes.values()) < ALL_TOGETHER["de"]
    assert set(re.findall(r"\(../images/pages/de/([\w-]+)\.png\)", page("docs/de/browser.md"))) == IN_GERMAN


def test_the_readme_shows_the_picture_of_a_played_game():
    assert photograph_game.PICTURE.stat().st_size < photograph_game.LARGEST
    assert "(docs/images/game.png)" in page("README.md")
