"""The imprint and the privacy page, with the operator's own text, and the links to them."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from server.application.health import health
from server.runtime import legal_texts
from server.web.legal import as_html
from tests.table import Table
from tests.web.game.test_page import Browser


class Tags(HTMLParser):
    """The tags of a page, and the targets of its links."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]
        assert {name for name, _ in attrs} <= {"href"}


def write(table: Table, name: str, text: str) -> None:
    (table.app.extensions["blackticket"].settings.var / name).write_text(text)


def test_without_text_of_the_operator_the_pages_say_so(table: Table):
    browser = Browser(table)
    assert "has not written who runs it" in browser.get("/imprint").text
    privacy = browser.get("/privacy").text
    assert "What is stored" not in privacy, "it has a heading of its own"
    assert "until the account is deleted" in privacy
    assert "has added nothing of their own" in privacy


def test_the_links_of_the_draft_lead_to_pages_there_are(table: Table):
    browser = Browser(table)
    links = [link for link in _all_links(browser.get("/privacy").text) if link.startswith("/docs/")]
    assert {browser.get(link.partition("#")[0]).status_code for link in links} <= {200}


def _all_links(html: str) -> list[str]:
    found: list[str] = []

    class Links(HTMLParser):
        def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.extend(value or "" for name, value in attrs if name == "href")

    Links().feed(html)
    return found


def test_the_operator_s_text_is_shown_as_soon_as_it_is_written(table: Table):
    write(table, "imprint.txt", "Ada Lovelace\nSt James's Square 12\n\nada@example.org")
    write(table, "privacy.txt", "# What I keep\n\nAs little as I can.")
    browser = Browser(table)
    imprint, privacy = browser.get("/imprint").text, browser.get("/privacy").text
    assert "Ada Lovelace<br>" in imprint
    assert 'href="mailto:ada@example.org"' in imprint
    assert "<h2>What I keep</h2>" in privacy
    assert "until the account is deleted" not in privacy


@pytest.mark.parametrize("name", ["imprint.txt", "privacy.txt"])
def test_a_file_without_text_counts_as_none(table: Table, name: str):
    write(table, name, " \n")
    assert "The operator of this server has" in Browser(table).get(f"/{name.removesuffix('.txt')}").text


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<a href="https://x.example" onclick="alert(1)">x</a>',
        "[x](javascript:alert(1))",
        "[x](data:text/html,hi)",
        "[x](/operator)",
        "![x](https://x.example/pixel.png)",
        "<javascript:alert(1)>",
        '[x](https://x.example" onclick="alert(1))',
        '```\n<img src=x onerror="alert(1)">\n```',
    ],
)
def test_nothing_but_text_headings_lists_and_links_comes_of_it(text: str):
    found = Tags(as_html(text))
    assert found.tags <= {"p", "br", "a", "span", "h2", "h3", "h4", "ul", "ol", "li"}
    assert all(link.startswith(("https://x.example", "http://x.example", "mailto:")) for link in found.links)


def test_addresses_of_sites_and_of_mail_become_links():
    html = as_html(
        "See https://example.org/a?b=1&c=2. Or [mine](https://example.org), or ada@example.org, <https://e.org>!"
    )
    assert Tags(html).links == [
        "https://example.org/a?b=1&c=2", "https://example.org", "mailto:ada@example.org", "https://e.org",
    ]  # fmt: skip


def test_a_long_text_ends_at_its_limit_is_read_once_and_the_doctor_says_so(table: Table):
    write(table, "imprint.txt", "b" * legal_texts.LONGEST + "a@example.org")
    browser = Browser(table)
    as_html.cache_clear()
    pages = [browser.get("/imprint").text for _ in range(3)]
    assert "b" * legal_texts.LONGEST in pages[0]
    assert "example.org" not in pages[0]
    assert as_html.cache_info().misses == 1
    with table.app.app_context():
        (warning,) = [sentence for sentence in health.overview()["warnings"] if "its page ends there" in sentence]
    assert "imprint.txt has more than 100,000 bytes" in warning
    write(table, "imprint.txt", "Ada Lovelace")
    assert "Ada Lovelace" in browser.get("/imprint").text


def test_every_page_leads_to_both(table: Table):
    browser, ada = Browser(table), Browser(table, table.person("Ada"))
    for answer in (
        browser.get("/"),
        browser.get("/docs"),
        browser.get("/sign-in"),
        ada.get("/me"),
        ada.get("/nowhere"),
    ):
        assert 'href="/imprint"' in answer.text
        assert 'href="/privacy"' in answer.text


@pytest.mark.parametrize(
    ("public_url", "written", "warns"),
    [
        ("https://play.example.org", (), True),
        ("https://play.example.org", ("imprint.txt",), True),
        ("https://play.example.org", ("imprint.txt", "privacy.txt"), False),
        ("http://localhost:8000", (), False),
        ("", (), False),
    ],
)
def test_the_doctor_warns_where_others_reach_a_server_without_them(
    tmp_path: Path, public_url: str, written: tuple[str, ...], warns: bool
):
    table = Table(tmp_path / "var", public_url=public_url)
    for name in written:
        write(table, name, "Ada")
    with table.app.app_context():
        warnings = [warning for warning in health.overview()["warnings"] if "/imprint and /privacy" in warning]
    assert bool(warnings) is warns
    assert not any(name in warning for warning in warnings for name in written)
