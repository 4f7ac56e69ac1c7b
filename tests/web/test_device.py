"""In Chromium: a tab that nobody looks at says that it is the reader's turn, and a device can be called and installed.

No push service can be reached from a test, so the test makes the subscription, and Chromium's own tools hand the
message to the service worker.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.table import Playing, Table
from tests.web.chromium import PATIENCE, Chromium, launched
from tests.webhooks.receiver import Receiver
from tests.webhooks.test_calls import Device, hunt, move_all

HIDDEN = """
window.setHidden = (is) => {
  for (const [name, value] of [["hidden", is], ["visibilityState", is ? "hidden" : "visible"]])
    Object.defineProperty(document, name, { configurable: true, get: () => value });
  document.dispatchEvent(new Event("visibilitychange"));
};
window.sounds = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...given) { window.sounds += 1; return start.apply(this, given); };
"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    table = Table(tmp_path_factory.mktemp("device"), push="yes")
    with launched(table, has_streams=True) as found:
        yield found
        assert found.faults == []


def until(page: Any, what: str) -> None:
    """Wait until an expression of the page is true; the policy of the page keeps Playwright's own way out."""
    page.evaluate(
        f"""new Promise((done, giveUp) => {{
            const end = Date.now() + {PATIENCE};
            const look = () => ({what}) ? done() : Date.now() > end ? giveUp("waited") : setTimeout(look, 9);
            look();
        }})"""
    )


def begun(chromium: Chromium) -> Playing:
    """A game in which Ben has moved, and Ada is to move."""
    game = hunt(chromium.table, chromium.people)
    game.move(chromium.people[0])
    move_all(game, chromium.people[1])
    return game


def test_a_tab_that_nobody_looks_at_says_that_it_is_the_readers_turn_and_sounds_if_they_want_it(chromium: Chromium):
    ada, ben = chromium.people[:2]
    game = begun(chromium)
    chromium.script = HIDDEN
    with chromium.page(ben) as page:
        page.goto(f"{chromium.site}/games/{game.id}")
        sound = page.get_by_role("button", name="Sound when it is my turn")
        sound.wait_for()
        for is_wanted in (False, True):
            if is_wanted:
                sound.click()  # it is heard once, so that the reader knows it
            before = page.evaluate("sounds")
            assert before == int(is_wanted)
            page.evaluate("setHidden(true)")
            game.move(ada)
            until(page, "document.title.startsWith('●')")
            assert page.title() == "● Your move: Rainy Camden"
            assert page.locator('link[rel="icon"]').get_attribute("href") == "/icons/turn.svg"
            assert page.evaluate("sounds") - before == int(is_wanted)
            page.evaluate("setHidden(false)")
            assert page.title() == "Your move: Rainy Camden"
            move_all(game, ben)
            until(page, "document.title === 'Rainy Camden'")
        page.reload()
        assert sound.get_attribute("aria-pressed") == "true"


def subscribing(device: Device) -> str:
    """A script by which a browser has this subscription, as if its push service had made it."""
    asked = json.dumps(device.subscription)
    return f"""
        let mine = null;
        Object.defineProperty(Notification, "permission", {{ get: () => "granted" }}); // headless, it is never granted
        PushManager.prototype.getSubscription = async () => mine;
        PushManager.prototype.subscribe = async ({{ userVisibleOnly, applicationServerKey }}) => {{
          window.asked = applicationServerKey;
          return mine = {{ toJSON: () => ({asked}) }};
        }};"""


def test_one_line_asks_after_a_first_move_and_one_press_makes_the_device_one_that_is_called(chromium: Chromium):
    ada, ben = chromium.people[:2]
    game = begun(chromium)
    with Receiver().running() as service:
        device = Device(service, "chromium")
        chromium.script = subscribing(device)
        with chromium.page(ben, permissions=["notifications"]) as page:
            page.goto(f"{chromium.site}/games/{game.id}")
            line = page.locator("form.call")
            line.wait_for()
            assert "Shall this device call you?" in line.inner_text()
            line.get_by_role("button", name="This game").click()
            page.get_by_text("This device calls you.").wait_for()
            assert page.evaluate("asked") == ben.get("/devices").json["key"]
            game.move(ada)
            chromium.table.tick()
            assert [shown["game"] for shown in device.shown] == [game.id]
            page.get_by_role("button", name="Stop").click()
            line.wait_for()
            assert ben.get("/devices").json["devices"] == []
            line.get_by_role("button", name="No").click()
            page.reload()
            page.locator("button.sound").wait_for()
            assert line.is_hidden()


# Headless, Chromium shows nothing: what is shown is noted, and can be closed.
NOTING = """() => {
  self.shown = [];
  registration.showNotification = async (title, { tag, silent }) => {
    shown.push({ title, tag, silent, isClosed: false, close() { this.isClosed = true; } });
  };
  registration.getNotifications = async ({ tag }) => shown.filter((each) => each.tag === tag && !each.isClosed);
}"""


def test_the_service_worker_shows_a_call_but_not_to_who_looks_at_the_game(chromium: Chromium):
    ben = chromium.people[1]
    game = begun(chromium)
    chromium.script = ""
    with chromium.page(ben) as page:
        tools = page.context.new_cdp_session(page)
        known: list[Any] = []
        tools.on("ServiceWorker.workerRegistrationUpdated", lambda told: known.extend(told["registrations"]))
        tools.send("ServiceWorker.enable")
        page.goto(f"{chromium.site}/me")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        worker = page.context.service_workers[-1]  # the context may be one of an earlier test
        worker.evaluate(NOTING)

        def push(title: str) -> None:
            told = {"origin": chromium.site, "registrationId": known[-1]["registrationId"]}
            message = {"title": title, "game": game.id}
            tools.send("ServiceWorker.deliverPushMessage", told | {"data": json.dumps(message)})

        push("first")
        until(worker, "shown.length === 1")
        page.goto(f"{chromium.site}/games/{game.id}")
        push("second")
        until(worker, "shown.length === 2 && shown.every(({ isClosed }) => isClosed)")
        told = worker.evaluate("shown.map(({ title, silent }) => [title, silent])")
        assert told == [["first", False], ["second", True]]


def test_it_can_be_installed_and_says_when_there_is_no_network_with_no_page_of_a_game_kept(chromium: Chromium):
    ben = chromium.people[1]
    game = begun(chromium)
    chromium.script = ""
    with chromium.page(ben) as page:
        page.goto(f"{chromium.site}/games/{game.id}")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.goto(f"{chromium.site}/me")
        manifest = page.context.new_cdp_session(page).send("Page.getAppManifest")
        told = json.loads(manifest["data"])
        assert (manifest["errors"], told["start_url"], told["display"]) == ([], "/me", "standalone")
        for icon in told["icons"]:
            got = chromium.table.client.get(icon["src"])
            width = int.from_bytes(got.data[16:20])
            assert (got.status_code, f"{width}x{width}") == (200, icon["sizes"])
        page.context.set_offline(True)
        for path in (f"/games/{game.id}", "/me"):
            page.goto(f"{chromium.site}{path}")
            assert page.locator("h1").inner_text() == "No network"
        kept = """caches.keys().then(async (names) => {
            const keys = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
            return keys.flat().map(({ url }) => new URL(url).pathname);
        })"""
        assert page.evaluate(kept) == ["/offline"]
        page.context.set_offline(False)
        page.get_by_role("link", name=re.compile("Try again")).click()
        page.get_by_role("heading", name=re.compile("Your games")).wait_for()
