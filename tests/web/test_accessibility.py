"""Every page as axe sees it, in a window as narrow as the smallest phone, light and dark."""

from collections.abc import Iterator
from typing import Any

import pytest

from server import worker
from server.application.operator import operators
from server.mail.transport.smtp_client import transport_for
from tests.scenes import pairs
from tests.table import Person, Table
from tests.web import axe
from tests.web.chromium import Chromium, launched
from tests.web.game.test_page import Browser
from tests.web.test_mailbox import path_of
from tests.web.test_signing_in import ask

OPEN = (
    "/", "/sign-in", "/sign-in/code", "{code}", "/tour", "/how-to-play", "/how-to-play/condensed", "{stop}",
    "/imprint", "/privacy",
    "/docs", "/docs/reference", "/docs/mail", "/docs/settings", "/dev/mail", "{mail}", "/nothing",
)  # fmt: skip
OWN = (
    "/me", "/me/archive", "/me/settings", "/me/mail", "/me/deliveries", "/me/addresses", "/me/vacation",
    "/me/programs", "/me/blocks", "/me/account", "/games", "{running}", "{running}/resign", "{running}/rules",
    "{running}/log", "{running}/stations", "/public-games", "{open}",
    "{final}", "{final}/replay", "{final}/replay?seat=2", "{running}/report",
    "/operator", "/operator/people", "/operator/mail", "/operator/deadlines", "/operator/settings",
)  # fmt: skip
# In the dark only the colours are others, of which tests/web/test_colours.py tries all pairs; here some are on a page.
IN_THE_DARK = (
    "/tour",
    "{final}",
    "/how-to-play",
    "/me",
    "{running}",
    "{running}/report",
    "/operator",
    "/operator/people",
)
NARROW = {"viewport": {"width": 360, "height": 740}}


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    script = axe.script()
    with launched(Table(tmp_path_factory.mktemp("axe"), dev_mail="yes")) as found:
        found.script = script
        yield found


@pytest.fixture(scope="module")
def paths(chromium: Chromium) -> dict[str, str]:
    return paths_of(chromium.table, chromium.people)


def paths_of(table: Table, people: list[Person]) -> dict[str, str]:
    """Return the pages of three games of Ada's: one that runs, one that has not started, one whose result is final.

    There is also a mail in the development mailbox, and the pages that links in mails lead to.
    """
    ada = people[0]
    running = pairs(table)
    with table.app.app_context():
        operators.change(ada.id, granted=True)
    waiting = ada.post("/games", {"edition": "condensed", "players": 3}).json["id"]
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "bot": "constable"}]
    clock = {"kind": "per_phase", "provisional": "PT0S"}
    over = ada.post("/games", {"edition": "condensed", "seats": seats, "clock": clock}).json["id"]
    for what in ("start", "resign"):
        ada.post(f"/games/{over}/{what}")
    with table.app.app_context():
        worker.send_mail(transport_for(table.app.extensions["blackticket"].settings))
    code = ask(table, Browser(table), "gwen@example.org")
    ada.post(f"/games/{running.id}/messages", {"to": "all", "text": "Hello"})
    table.tick()
    stop = people[1].mails[-1]["List-Unsubscribe"].partition("+")[2].partition("@")[0]
    return {
        "running": f"/games/{running.id}", "open": f"/games/{waiting}", "final": f"/games/{over}",
        "code": f"/sign-in/code/{code}", "stop": f"/stop/{stop}", "mail": path_of(table.client, "", ""),
    }  # fmt: skip


@pytest.mark.parametrize("dark", [IN_THE_DARK, pytest.param((*OPEN, *OWN), marks=pytest.mark.campaign)])
def test_no_page_has_a_serious_finding_runs_over_the_edge_or_is_too_small_for_fingers(
    chromium: Chromium, paths: dict[str, str], dark: tuple[str, ...]
):
    found: list[str] = []

    def look(who: Person | None, wanted: tuple[str, ...]) -> None:
        with chromium.page(who, **NARROW) as page:
            for path in wanted:
                page.emulate_media(color_scheme="light")
                assert page.goto(path.format(**paths)).ok == (path != "/nothing"), path
                found.extend(f"{path}: {fault}" for fault in faults_of_size(page))
                page.evaluate(axe.FEWER)
                found.extend(f"{path}: {fault}" for fault in axe.serious(page))
                if path in dark:
                    page.emulate_media(color_scheme="dark")
                    found.extend(f"{path}, dark: {fault}" for fault in axe.serious(page, axe.COLOURS))

    look(None, OPEN)
    look(chromium.people[0], OWN)
    look(chromium.people[1], ("{open}/seats",))
    chromium.faults.clear()  # the page that is not there
    assert found == []


# What a finger presses, but for links within sentences, tables of contents, what is for keys alone, and a board, which
# can be drawn larger.
TARGETS = """() => {
const isWithinSentence = (link) => {
    const sentence = link.closest("p, li:not(.games li), dt, dd, td, h3, figcaption");
    return sentence !== null && sentence.textContent.trim() !== link.textContent.trim();
};
return [...document.querySelectorAll("button, summary, select, textarea, a:not(svg a, main nav li a, .skip)")]
    .filter((target) => target.checkVisibility() && !(target.matches("a") && isWithinSentence(target)))
    .map((target) => [target.outerHTML.slice(0, 200), target.getBoundingClientRect()])
    .filter(([, { width, height }]) => Math.min(width, height) < 44)
    .map(([html, { width, height }]) => `${width} by ${height} pixels: ${html}`);
}"""


def faults_of_size(page: Any) -> Iterator[str]:
    """Yield what is wrong with the width of a page, and with the size of what is pressed there."""
    over = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    if over > 0:
        yield f"{over} pixels wider than the window"
    yield from page.evaluate(TARGETS)
