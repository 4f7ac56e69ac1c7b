"""The pages of games as somebody hears them: names, descriptions and news, in Chromium."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from server.models import Player, session
from tests.positions import position
from tests.scenes import CHASE, mail_only_to
from tests.table import Playing, Table
from tests.web.chromium import Chromium, asking_often, launched, open_part
from tests.web.game.test_page import BROWSER, HERE, Browser
from tests.web.test_browser import station


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("ear"), sandbox="1")) as found, asking_often():
        mail_only_to(found.table)  # and so to nobody
        yield found


@pytest.fixture(autouse=True)
def _anew(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "chromium" in request.fixturenames:
        chromium: Chromium = request.getfixturevalue("chromium")
        chromium.table.retry_from_database()
        faults, chromium.faults[:] = [each for each in chromium.faults if "status of 409" not in each], []
        assert faults == []


def chased(chromium: Chromium) -> Playing:
    game = chromium.table.game(chromium.people, position=CHASE)
    game.move(game.people[0], "black 100")
    return game


def description(found: Any) -> str:
    """Return what a browser tells of a control after its name."""
    return str(found.evaluate("it => document.getElementById(it.getAttribute('aria-describedby')).textContent"))


# Firefox says of a click by a key that it is the first of a row of clicks, as one by a pointer.
AS_IN_FIREFOX = """addEventListener("click", (event) => Object.defineProperty(event, "detail", { value: 1 }), true)"""


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_enter_on_a_station_chooses_it_and_the_button_tells_which(chromium: Chromium, browser: str):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        if browser == "firefox":
            page.evaluate(AS_IN_FIREFOX)
        page.mouse.click(*middle_of_nothing(page))
        station(page, 126).focus()
        page.keyboard.press("Enter")
        button = page.get_by_role("button", name="Move Purple")
        assert page.evaluate("document.activeElement.textContent") == "Move Purple"
        assert description(button) == "taxi to 126; seven taxi tickets left."
        page.keyboard.press("Enter")
        page.locator("section.choose").first.wait_for(state="detached")
    assert game.view()["pawns"]["purple"]["station"] == 126


def middle_of_nothing(page: Any) -> tuple[float, float]:
    """Return a point of the board where no station is."""
    box = page.locator("svg.map").bounding_box()
    return box["x"] + 5, box["y"] + box["height"] / 2


def test_a_pointer_that_is_let_go_elsewhere_does_not_make_the_next_key_a_pointer(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        page.mouse.move(*middle_of_nothing(page))
        page.mouse.down()
        page.mouse.move(1270, 700)
        page.mouse.up()
        station(page, 126).focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.textContent") == "Move Purple"


def test_each_ticket_of_a_station_is_described_and_the_second_leg_sounds_unlike_the_first(chromium: Chromium):
    game = chromium.table.game(chromium.people, position=CHASE)
    with chromium.page(game.people[0]) as page:
        page.goto(f"/games/{game.id}")
        assert station(page, 100).text_content() == "bus or black ticket to 100"
        assert page.get_by_role("link", name="bus or black ticket to 100").count() == 1
        station(page, 100).focus()
        page.keyboard.press("Enter")
        assert description(page.locator(".tickets button").first) == (
            "bus to 100; seven bus tickets left. You could then be on 2 stations."
        )
        page.get_by_role("button", name="Then move again").click()
        page.get_by_role("status").filter(has_text="The second leg of your double move").wait_for()
        assert station(page, 101).text_content().startswith("then taxi or ")
        assert page.locator("legend").first.inner_text().startswith("then by ")


def test_news_are_told_oldest_first_by_rounds_without_ones_own_move_and_then_what_to_do(chromium: Chromium):
    game = chased(chromium)
    ada, ben, cleo, dan, *others = game.people
    game.move(ben, "purple taxi 126")
    with chromium.page(cleo) as page:
        page.goto(f"/games/{game.id}")
        page.route("**/news", lambda route: route.abort())  # several come at once
        game.move(cleo, "red taxi 66")
        game.move(dan)
        for other in others:
            game.move(other)
        game.move(ada, "taxi 101")
        chromium.faults.clear()
        page.unroute("**/news")
        said = page.locator(".said").filter(has_text="Round 2")
        said.wait_for(timeout=20_000)
        told = said.inner_text()
    chromium.faults[:] = [fault for fault in chromium.faults if "ERR_FAILED" not in fault]
    first = r"Round 1: Green \w+ \d+, Yellow \w+ \d+, Blue \w+ \d+\."
    assert re.fullmatch(rf"{first} Round 2: Mr\. X taxi\. Purple \(Ben\) is to move\.", told)


def test_a_refusal_stays_when_news_come_and_goes_when_the_reader_acts(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        page.locator("input[name=turn]").first.evaluate("field => { field.value = '1'; }")
        station(page, 126).focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.get_by_role("alert").filter(has_text="so nothing was done").wait_for()
        reason = page.locator("p.wrong")
        game.people[2].post(f"{game.path}/messages", {"to": "all", "text": "Where is he?"})
        page.get_by_role("tab", name="Talk 1 new message").wait_for()
        assert "so nothing was done" in reason.inner_text()
        assert page.get_by_role("alert").count() == 0, "it is not told a second time"
        open_part(page, "Talk")
        page.get_by_label("Your message").fill("I do not know")
        page.get_by_role("button", name="Send to all").click()
        page.locator(".talk").get_by_text("I do not know").wait_for()
        assert reason.count() == 0


def test_who_was_signed_out_elsewhere_hears_that_the_move_was_not_made(chromium: Chromium):
    game = chased(chromium)
    before = game.view()
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        page.context.clear_cookies()
        station(page, 126).focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.get_by_role("alert").filter(has_text="your move was not made").wait_for()
    assert game.view()["turn"] == before["turn"]


def test_a_slider_of_a_replay_has_a_name_and_counts_in_its_own_words(chromium: Chromium):
    game = chromium.table.game(chromium.people, clock={"kind": "per_phase", "provisional": "PT0S"})
    game.play_round()
    game.people[0].post(f"/games/{game.id}/resign")
    chromium.table.tick()
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}/replay?ply=1")
        slider = page.get_by_role("slider", name="Move", exact=True)
        slider.focus()
        page.keyboard.press("ArrowRight")
        assert slider.get_attribute("aria-valuetext") == "2 of 6"
        assert page.get_by_role("status").count() == 1


# Without a browser --------------------------------------------------------------------------------


def test_what_only_mr_x_knows_and_where_everybody_saw_him_is_in_words(table: Table):
    game = table.dealt(2, "condensed", options={"surfacing": [2]})
    for _ in range(2):
        game.play_round()
    page = Browser(table, game.people[0]).get(f"/games/{game.id}").text
    cells = re.findall(r'<li class="(?:taxi|bus).*?</li>', page, re.DOTALL)
    assert "which only you know" in cells[0]
    assert "which everybody saw" in cells[1]


def test_the_last_round_and_a_pawn_that_cannot_move_any_more_are_told(table: Table):
    at_the_end = {"his": {"taxi": 10, "bus": 8, "underground": 5}, "log_used": 23, "last_seen": (18, 111)}
    pawns = {"red": (67, {"taxi": 0, "bus": 0, "underground": 0}), "green": (133, {"taxi": 3})}
    game = table.game(table.people(3), position=position(111, **pawns, **at_the_end))
    page = Browser(table, game.people[1]).get(f"/games/{game.id}").text
    assert "<p>You cannot move any more; the game goes on without you.</p>" in page
    assert "<p>This is the last round.</p>" in page
    assert "cannot move any more" not in Browser(table, game.people[2]).get(f"/games/{game.id}").text


def test_more_tickets_since_a_sighting_than_a_picture_names_are_told_by_kinds(table: Table):
    game = table.dealt(2, "condensed", options={"surfacing": [20]})
    for _ in range(8):
        game.play_round()
    page = Browser(table, game.people[1]).get(f"/games/{game.id}").text
    assert re.search(r"<p class=\"unseen\">So far he used (\w+ \w+ tickets?(, | and )?)+\.</p>", page)


def test_a_browser_that_keeps_no_cookies_is_told_before_a_guest_is_made(table: Table):
    browser = table.app.test_client(use_cookies=False)
    first = browser.post("/practice", data={"role": "mr_x"}, headers=BROWSER | HERE)
    assert (first.status_code, first.headers["Location"]) == (307, "/practice?again=yes")
    second = browser.post(first.headers["Location"], data={"role": "mr_x"}, headers=BROWSER | HERE)
    assert second.status_code == 422
    assert "keeps no cookies of this site" in second.text
    with table.app.app_context():
        assert session.scalars(select(Player.id)).all() == []
