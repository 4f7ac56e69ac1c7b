"""A move made at the board, the last round as it is shown and heard, and times, in Chromium."""

import math
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from server.application.operator import remedies
from tests.patience import eventually
from tests.positions import position
from tests.scenes import dealing, mail_only_to
from tests.table import Table
from tests.web.chromium import PHONE, Chromium, asking_often, launched
from tests.web.test_browser import chased, click_on, middle, station, wait_until_moved, window

SIZES = ((390, 844), (820, 1180), (1280, 800), (1920, 1080), (2560, 1440))
MOST_WORDS = 25  # of what is announced at once
MOST_KEYS, MOST_KEYS_OF_DOUBLE = 8, 14
SHORT = 2000  # milliseconds
DESK = {"viewport": {"width": 1280, "height": 800}}
# Notes for each animation of a page when it ends, counted from its beginning.
NOTE_MOTION = """
window.moved = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, timing) {
    window.moved.push([this.closest(".now [data-pawn]")?.dataset.pawn, timing.delay + timing.duration]);
    return animate.call(this, frames, timing);
};
"""


pytestmark = pytest.mark.usefixtures("without_faults")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("at-the-board"), sandbox="1")) as found, asking_often():
        mail_only_to(found.table)  # and so to nobody
        found.script = NOTE_MOTION
        yield found


def bar(page: Any) -> Any:
    return page.locator(".choose:not([hidden]) .bar")


def apart(found: Any, point: tuple[float, float]) -> float:
    """Return how many pixels a box is from a point; 0 if it covers that."""
    box = found.bounding_box()
    (x, y), (right, bottom) = point, (box["x"] + box["width"], box["y"] + box["height"])
    return float(math.hypot(max(box["x"] - x, x - right, 0), max(box["y"] - y, y - bottom, 0)))


# Moving -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_turn_with_four_pawns_is_eight_clicks_and_nothing_is_scrolled(chromium: Chromium, size: tuple[int, int]):
    with dealing(chromium.table, 103, 26, 29, 34, 50):
        game = chromium.table.game(chromium.people[:2], "condensed")
    game.move(game.people[0])
    how = {"viewport": {"width": size[0], "height": size[1]}, "has_touch": size[0] < 1000}
    with chromium.page(game.people[1], **how) as page:
        page.goto(f"/games/{game.id}")
        clicks = 0
        for pawn in ("purple", "red", "green", "yellow"):
            page.locator(f".lit[data-pawn={pawn}]:not([display=none])").wait_for(state="attached")
            target = next(each for each in page.locator(".lit:not([display=none]) a").all() if is_free(page, each))
            page.mouse.click(*middle(target))
            page.mouse.click(*middle(bar(page).locator("button.main")))
            clicks += 2
            eventually(lambda pawn=pawn: pawn not in page.locator("figure.board").get_attribute("data-due"))
        assert page.evaluate("scrollY") == 0
        assert clicks == 8
    assert game.view()["round"] == 2


def is_free(page: Any, found: Any) -> bool:
    """Return True if a click on the middle of something reaches it."""
    x, y = middle(found)
    top = page.evaluate("([x, y]) => document.elementFromPoint(x, y)?.closest('svg.map a')?.dataset.station", [x, y])
    return bool(top == found.get_attribute("data-station"))


def test_a_station_shows_its_tickets_beside_it_and_a_second_touch_moves_but_not_a_double_click(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1], **DESK) as page:
        page.goto(f"/games/{game.id}")
        at = middle(station(page, 126))
        page.mouse.dblclick(*at)
        assert 0 < apart(bar(page), at) < 60, "it stands beside the station"
        assert bar(page).locator(".says").inner_text() == "Taxi to 126; seven taxi tickets left."
        assert page.locator("section.choose").count() == 1, "the second click of a double click is no second touch"
        page.mouse.click(*at)
        wait_until_moved(page)
    assert game.view()["pawns"]["purple"]["station"] == 126


def test_the_buttons_stay_beside_the_station_when_news_come_and_are_in_the_sheet_of_a_small_window(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1], **DESK) as page:
        page.goto(f"/games/{game.id}")
        click_on(page, 126)
        game.people[2].post(f"{game.path}/messages", {"to": "all", "text": "Where is he?"})
        page.get_by_role("tab", name="Talk 1 new message").wait_for()
        assert 0 < apart(bar(page), middle(station(page, 126))) < 60
        with window(page, 390, 844):
            sheet, box = page.locator(".sheet").bounding_box(), bar(page).bounding_box()
            assert (sheet["x"], sheet["y"]) <= (box["x"], box["y"])
            assert box["y"] + box["height"] <= 844


def test_escape_takes_back_what_is_chosen_and_leads_to_the_station(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1], **DESK) as page:
        page.goto(f"/games/{game.id}")
        station(page, 126).focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        assert page.locator("input[name=move]:checked").count() == 0
        assert page.evaluate("document.activeElement.dataset.station") == "126"


def test_on_a_phone_the_tickets_are_in_the_sheet_and_a_second_touch_moves(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1], **PHONE) as page:
        page.goto(f"/games/{game.id}")
        page.touchscreen.tap(*middle(station(page, 126)))
        sheet = page.locator(".sheet").bounding_box()
        assert bar(page).bounding_box()["y"] >= sheet["y"]
        assert sheet["y"] + sheet["height"] == page.locator(".parts").bounding_box()["y"]
        board = page.locator("svg.map").bounding_box()
        page.touchscreen.tap(board["x"] + 5, board["y"] + board["height"] / 2)  # else it would be a double tap
        page.touchscreen.tap(*middle(station(page, 126)))
        wait_until_moved(page)


HEMMED = position(
    111, purple=(127, {"taxi": 8, "bus": 0, "underground": 4}), red=(126, {"taxi": 8, "bus": 8, "underground": 3})
)


def test_a_station_that_cannot_be_reached_says_why_at_its_place(chromium: Chromium):
    game = chromium.table.game(chromium.people[:3], position=HEMMED)
    game.move(game.people[0])
    with chromium.page(game.people[1], **DESK) as page:
        page.goto(f"/games/{game.id}")
        said, asked = page.locator(".frame .station"), {}
        for number in (126, 102, 127, 1):
            circle = page.locator(".stops circle").filter(has_text=re.compile(f"^{number}:"))
            x, y = middle(circle)
            page.mouse.click(x, y)
            asked[number] = said.inner_text()
            assert 0 < apart(said, (x, y)) < 60
        assert asked[126].endswith("Another detective stands on 126; move to a free station.")
        assert "Purple has no bus ticket left, only taxi and underground." in asked[102]
        assert asked[127].endswith("Purple stands here.")
        assert asked[1] == "Station 1: taxi, bus, underground. No line joins it to 127."
        click_on(page, 115)
        assert not said.is_visible()


def test_a_station_that_another_pawn_of_ones_own_can_reach_chooses_that_pawn(chromium: Chromium):
    with dealing(chromium.table, 103, 26, 29, 34, 50):
        game = chromium.table.game(chromium.people[:2], "condensed")
    game.move(game.people[0])
    with chromium.page(game.people[1], **DESK) as page:
        page.goto(f"/games/{game.id}")
        reach = page.locator(".lit").evaluate_all(
            "all => all.map(lit => [...lit.querySelectorAll('a')].map(a => a.dataset.station))"
        )
        (only,) = [each for each in reach[3] if all(each not in others for others in reach[:3])][:1]
        page.mouse.click(*middle(page.locator(".stops circle").filter(has_text=re.compile(f"^{only}:"))))
        assert page.locator("section.choose:visible h2").inner_text() == "Move Yellow"
        assert page.locator("input[name=move]:checked").get_attribute("data-station") == only


def test_mr_x_reads_on_how_many_stations_he_could_be_then(chromium: Chromium):
    game = chased(chromium, has_moved=False)
    with chromium.page(game.people[0], **DESK) as page:
        page.goto(f"/games/{game.id}")
        click_on(page, 100)
        says = bar(page).locator(".says")
        by_bus = says.inner_text()
        bar(page).get_by_role("button", name="black ticket").click()
        by_black = says.inner_text()
        counts = [re.search(r"left\. You could then be on (\d+) stations\.$", said) for said in (by_bus, by_black)]
        bus, black = (int(found[1]) for found in counts if found)
        assert bus < black
        page.get_by_role("button", name="Move Mr. X").click()
        wait_until_moved(page)
    possible = game.people[1].get(f"{game.path}/deduction").json["stations"]
    assert len(possible) == black, "as all others work it out"


# By key and ear -----------------------------------------------------------------------------------


class Keys:
    """A keyboard whose presses are counted."""

    def __init__(self, page: Any) -> None:
        self.page, self.pressed = page, 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.pressed += 1


def test_a_move_takes_eight_keys_and_says_what_it_is_before_it_is_made(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1], **DESK) as page:
        page.goto(f"/games/{game.id}")
        keys = Keys(page)
        keys.press("Tab", "Enter", *"126", "Enter")
        told = page.evaluate(
            "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
        )
        assert told == "taxi to 126; seven taxi tickets left."
        assert page.locator("section.choose").count() == 1
        keys.press("Enter")
        wait_until_moved(page)
        assert keys.pressed <= MOST_KEYS
    assert game.view()["pawns"]["purple"]["station"] == 126


def test_a_double_move_takes_fourteen_keys_with_a_ticket_that_is_named(chromium: Chromium):
    game = chased(chromium, has_moved=False)
    with chromium.page(game.people[0], **DESK) as page:
        page.goto(f"/games/{game.id}")
        keys = Keys(page)
        keys.press("Tab", "Enter", *"x100", "Enter", "Tab", "Enter")
        page.get_by_text("First by black ticket to 100, and then?").wait_for()
        eventually(lambda: page.evaluate("document.activeElement.id") == "to")
        keys.press(*"101", "Enter", "Enter")
        wait_until_moved(page)
        assert keys.pressed <= MOST_KEYS_OF_DOUBLE
    assert [entry["ticket"] for entry in game.view()["log"]] == ["black", "taxi"]


def test_who_types_goes_on_with_the_next_pawn_and_hears_which_one_it_is(chromium: Chromium):
    with dealing(chromium.table, 103, 26, 29, 34, 50):
        game = chromium.table.game(chromium.people[:2], "condensed")
    game.move(game.people[0])
    with chromium.page(game.people[1], **DESK) as page:
        page.goto(f"/games/{game.id}")
        keys = Keys(page)
        keys.press("Tab", "Enter", *"27", "Enter", "Enter")
        page.get_by_label("Station for Red").wait_for()
        eventually(lambda: page.evaluate("document.activeElement.id") == "to")
        keys.press(*"41", "Enter", "Enter")
        page.get_by_label("Station for Green").wait_for()
        assert keys.pressed <= 10
    pawns = game.view()["pawns"]
    assert (pawns["purple"]["station"], pawns["red"]["station"]) == (27, 41)


def test_what_is_typed_and_cannot_be_reached_is_told_why(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1], **DESK) as page:
        page.goto(f"/games/{game.id}")
        field, why = page.get_by_label("Station for Purple, or ticket and station"), page.locator("#why")
        for typed, sentence in {
            "1": "1: No line joins it to 127.", "bus 126": "126: not by bus.", "500": "Type the number of a station.",
        }.items():  # fmt: skip
            field.fill(typed)
            field.press("Enter")
            assert why.inner_text() == sentence
            assert page.evaluate("document.activeElement.id") == "to"


# What happened ------------------------------------------------------------------------------------


@pytest.mark.parametrize("person", [0, 2, None], ids=["mr_x", "detective", "watcher"])
def test_what_is_announced_at_once_has_25_words_at_most(chromium: Chromium, person: int | None):
    game = chased(chromium)
    ada, *others = game.people
    with chromium.page(None if person is None else game.people[person]) as page:
        page.route("**/news", lambda route: route.abort())  # all of it comes at once: nothing was asked before
        page.goto(f"/games/{game.id}")
        for other in others:
            game.move(other)
        game.move(ada)
        if person is not None:
            others[4].post(f"{game.path}/messages", {"to": "all", "text": "A long message, " * 40})
        chromium.faults.clear()
        page.unroute("**/news")
        said = page.locator(".said").filter(has_text="to move")
        said.wait_for(timeout=30_000)
        told = said.inner_text()
    chromium.faults[:] = [fault for fault in chromium.faults if "ERR_FAILED" not in fault]
    assert 4 < len(told.split()) <= MOST_WORDS
    assert ("Finn" in told or "Blue:" in told) == (person is not None)


def test_the_last_round_is_shown_as_a_motion_once_when_news_come_and_again_by_a_button(chromium: Chromium):
    game = chased(chromium)
    game.move(game.people[1], "purple taxi 126")
    with chromium.page(game.people[5], **DESK) as page:
        page.goto(f"/games/{game.id}")
        assert page.evaluate("moved") == [], "what was there before is not news"
        game.move(game.people[2], "red taxi 66")
        eventually(lambda: {pawn for pawn, _ in page.evaluate("moved")} >= {"red"})
        assert {pawn for pawn, _ in page.evaluate("moved")} <= {"red", None}
        page.evaluate("moved.length = 0")
        page.get_by_role("button", name="Last round").click()
        moved = page.evaluate("moved")
        assert {"purple", "red"} <= {pawn for pawn, _ in moved}
        assert max(end for _, end in moved) < SHORT


def test_who_wishes_for_no_motion_sees_the_last_round_as_trails(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[5], reduced_motion="reduce") as page:
        page.goto(f"/games/{game.id}")
        game.move(game.people[1], "purple taxi 126")
        page.locator(".trail[data-pawn=purple]").wait_for(state="attached")
        assert page.evaluate("moved") == []
        assert page.get_by_role("button", name="Last round").count() == 0


# Times --------------------------------------------------------------------------------------------


def test_a_deadline_is_told_in_the_zone_of_the_browser_and_how_long_it_is_until_then(chromium: Chromium):
    game = chased(chromium)
    chromium.table.clock.turn(hours=1)
    with chromium.page(game.people[1], timezone_id="Asia/Tokyo") as page:
        page.clock.set_fixed_time("2026-11-22T19:00:00Z")
        page.goto(f"/games/{game.id}")
        assert page.locator(".lead").inner_text() == "It is your turn, Purple."
        assert page.locator(".clock").text_content() == "Due in 47 hours (Wed 03:00)"
        assert page.locator(".clock time").get_attribute("title") == "Tuesday 24 November, 18:00 in London"
        page.goto("/me")
        assert "due in 47 hours (Wed 03:00)" in page.locator(".yours").inner_text()
    with chromium.page(game.people[1], timezone_id="Asia/Tokyo", java_script_enabled=False) as page:
        page.goto(f"/games/{game.id}")
        assert page.locator(".clock").text_content() == "Due Tuesday 24 November, 18:00 in London"


def test_the_end_of_a_provisional_result_is_told_in_the_zone_of_the_browser_too(chromium: Chromium):
    game = chased(chromium)
    with chromium.table.app.app_context():
        remedies.void(game.id, "The game was only a test.")
    chromium.table.clock.turn(hours=1)
    with chromium.page(game.people[1], timezone_id="Asia/Tokyo") as page:
        page.clock.set_fixed_time("2026-11-22T19:00:00Z")
        told = "The result is provisional, and becomes final in 23 hours (Tue 03:00)."
        page.goto(f"/games/{game.id}")
        assert told in page.locator(".lead").inner_text()
        page.goto("/me/archive")
        assert told in page.locator("main").inner_text()


@pytest.mark.parametrize(
    ("ahead", "sentence"),
    [
        ({"minutes": 5}, "in 5 minutes (Sun 18:05)"),
        ({"minutes": 119}, "in 119 minutes (Sun 19:59)"),
        ({"hours": 95}, "in 95 hours (Thu 17:00)"),
        ({"days": 5}, "in 5 days (Fri 18:00)"),
        ({"days": 9}, "in 9 days (Tue 1 Dec 18:00)"),
        ({"hours": -3}, "3 hours ago (Sun 15:00)"),
        ({"hours": 23, "minutes": 59}, "in 24 hours (Mon 17:59)"),
        ({"seconds": -20}, "just now (Sun 17:59)"),
        ({"seconds": 20}, "in a moment (Sun 18:00)"),
    ],
    ids=str,
)
def test_a_time_is_told_as_people_say_it(chromium: Chromium, ahead: dict[str, int], sentence: str):
    milliseconds = timedelta(**ahead).total_seconds() * 1000
    with chromium.page(timezone_id="Europe/London") as page:
        page.goto("/")
        told = page.evaluate(
            """async (ahead) => {
                const { said } = await import("/scripts/times.js");
                const now = new Date("2026-11-22T18:00:00Z");
                return said(new Date(now.getTime() + ahead), now);
            }""",
            milliseconds,
        )
    assert told == sentence
