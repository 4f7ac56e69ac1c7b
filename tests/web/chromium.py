"""Chromium through Playwright, for tests of pages as people use them. Without either, these tests are skipped."""

import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from server.application.people.accounts import browsers
from server.web.game import news
from tests.serving import serving
from tests.table import Person, Table

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-background-networking", "--no-first-run",
    "--js-flags=--no-opt --no-maglev",  # no script runs for as long as it would take to compile it well
]  # fmt: skip
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")  # the first takes a third less of the processor
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "device_scale_factor": 1}
PATIENCE = 120_000  # milliseconds, for a machine that is busy: the first page has been seen to take 70 s


class Chromium:
    """A Chromium at the pages of the application of `table`; `people` are six players there.

    `faults` has what its pages complained of. The `script` of a test runs in each page before those of the page.
    """

    def __init__(self, browser: Any, table: Table, port: int) -> None:
        self.browser = browser
        self.table = table
        self.site = f"http://127.0.0.1:{port}"
        self.faults: list[str] = []
        self.script = ""
        self.people = table.people(6)
        self._waiting: defaultdict[tuple[str, ...], list[Any]] = defaultdict(list)

    @contextmanager
    def page(self, person: Person | None = None, **how: Any) -> Iterator[Any]:
        """Yield a page in a browser that keeps nothing of what was before, in which `person` is signed in."""
        waiting = self._waiting[tuple(map(str, how.items()))]
        page = waiting.pop() if waiting else self._new_page(how)
        if person is not None:
            with self.table.app.app_context():
                secret = browsers.sign_in(person.id, "Chromium on Linux")
            page.context.add_cookies([{"name": "blackticket", "value": secret, "url": self.site}])
        try:
            yield page
        except BaseException:
            page.context.close()  # what is open would ask for a game that is gone, a fault of the test behind this one
            raise
        self._forget(page)
        waiting.append(page)

    def _new_page(self, how: dict[str, Any]) -> Any:
        """Return a page in a context of its own, whose process takes most of a second to start."""
        page = self.browser.new_context(base_url=self.site, **how).new_page()
        page.set_default_timeout(PATIENCE)
        page.add_init_script(self.script)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._note)
        return page

    def _note(self, said: Any) -> None:
        """Note an error of a page's, but not that it is offline: only a test can do that, and it is told late."""
        if said.type == "error" and "net::ERR_INTERNET_DISCONNECTED" not in said.text:
            self.faults.append(f"{said.text} {said.location['url']}")

    def _forget(self, page: Any) -> None:
        """Leave the site, and clear what the browser keeps of it: cookies, storage, cache, and requests held."""
        page.unroute_all()
        page.evaluate("sessionStorage.clear()")
        page.goto("about:blank")
        page.context.clear_cookies()
        line = page.context.new_cdp_session(page)
        line.send("Storage.clearDataForOrigin", {"origin": self.site, "storageTypes": "all"})
        line.send("Network.clearBrowserCache")
        line.send("Page.resetNavigationHistory")
        line.detach()


def open_part(page: Any, name: str) -> None:
    """Open a part of the page of a game by its tab, such as `Talk`."""
    page.locator(f"#tab-{name}").click()


@contextmanager
def launched(table: Table, *, has_streams: bool = False) -> Iterator[Chromium]:
    """Yield a Chromium, and serve the application of `table` to it, with streams of news or without."""
    with program() as browser, serving(table.app, has_streams=has_streams) as port:
        yield Chromium(browser, table, port)


@contextmanager
def asking_often() -> Iterator[None]:
    """Let pages ask for news four times a second; so they also see soon that they are offline."""
    with mock.patch.multiple(news, SOON=0.25, ELSE=0.25):
        yield


@contextmanager
def program() -> Iterator[Any]:
    """Yield the browser as Playwright has it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (make test does it)")
    path = next(filter(None, map(shutil.which, PROGRAMS)), None)
    with playwright.sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        except playwright.Error:
            pytest.skip("Chromium is not installed: apt-get install chromium")
        yield browser
        browser.close()
