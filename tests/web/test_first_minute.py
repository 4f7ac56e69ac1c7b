"""The first minute and the end of a game in Chromium: the coach, the way that is drawn, and what is shared."""

from collections.abc import Iterator
from typing import Any

import pytest

from server.models import Game, session, transaction
from tests.scenes import mail_only_to
from tests.table import Playing, Table
from tests.web import axe
from tests.web.chromium import PHONE, Chromium, asking_often, launched
from tests.web.test_browser import middle

DESK = {"viewport": {"width": 1280, "height": 800}}
STILL = DESK | {"reduced_motion": "reduce"}
NOTED = """({ title, url, files }) => {
    window.shared = { title, url, names: files.map(({ name }) => name), size: files[0].size };
    return Promise.resolve();
}"""


pytestmark = pytest.mark.usefixtures("without_faults")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    script = axe.script()
    with launched(Table(tmp_path_factory.mktemp("minute"), sandbox="1")) as found, asking_often():
        found.script = script
        mail_only_to(found.table)
        yield found


def practise(chromium: Chromium, page: Any) -> Any:
    """Begin a practice game as a detective, whose turn it is; return the line of the coach."""
    page.goto("/")
    page.get_by_role("button", name="Play now").click()
    page.wait_for_url("**/games/*")
    chromium.table.tick()
    page.locator(".choose").wait_for()
    return page.get_by_role("complementary", name="Your first game")


def over(chromium: Chromium, visibility: str = "public") -> Playing:
    game = chromium.table.game(chromium.people, clock={"kind": "per_phase", "provisional": "PT0S"})
    for _ in range(2):
        game.play_round()
    game.people[0].post(f"/games/{game.id}/resign")
    chromium.table.tick()
    with chromium.table.app.app_context(), transaction():
        session.get_one(Game, game.id).visibility = visibility
    return game


def is_in(box: dict[str, float], at: tuple[float, float]) -> bool:
    return 0 <= at[0] - box["x"] <= box["width"] and 0 <= at[1] - box["y"] <= box["height"]


@pytest.mark.parametrize("how", [DESK, PHONE], ids=["desk", "phone"])
def test_five_lines_stand_in_sight_one_after_the_other_hide_no_choice_and_a_touch_leads_on(
    chromium: Chromium, how: dict[str, Any]
):
    with chromium.page(**how) as page:
        coach = practise(chromium, page)
        assert axe.serious(page) == []
        told = []
        for number in range(5):
            box, size = coach.bounding_box(), page.viewport_size
            assert min(box["x"], box["y"]) >= 0, number
            assert box["x"] + box["width"] <= size["width"], number
            assert box["y"] + box["height"] <= size["height"], number
            if number < 2:
                assert [at for at in map(middle, page.locator(".lit circle").all()) if is_in(box, at)] == [], number
            told.append(coach.locator("p").first.inner_text())
            coach.click(position={"x": 5, "y": 5})
        assert len(set(told)) == 5
        assert coach.count() == 0
        page.reload()
        page.locator(".choose").wait_for()
        assert (coach.count(), page.locator(".coach:visible").count()) == (0, 0), "it stays gone"


def test_the_lines_are_read_in_order_and_led_on_by_keys(chromium: Chromium):
    with chromium.page(**DESK) as page:
        coach = practise(chromium, page)
        lines = page.locator(".coach li").all_text_contents()
        coach.get_by_role("button", name="Next (1 of 5)").focus()
        for number in range(5):
            assert coach.locator("[aria-live=polite]").text_content() == lines[number]
            page.keyboard.press("Enter")
        assert coach.count() == 0


def test_escape_and_one_touch_on_close_end_it(chromium: Chromium):
    for close in (
        lambda page, _coach: page.keyboard.press("Escape"),
        lambda _page, coach: coach.get_by_role("button", name="Close").click(),
    ):
        with chromium.page(**DESK) as page:
            coach = practise(chromium, page)
            close(page, coach)
            assert coach.count() == 0


def test_news_of_the_game_leave_the_line_where_it_is(chromium: Chromium):
    with chromium.page(**DESK) as page:
        coach = practise(chromium, page)
        coach.get_by_role("button", name="Next (1 of 5)").click()
        page.locator(".stations label").first.click()
        page.get_by_role("button", name="Move Purple").click()
        page.locator(".choose").wait_for(state="detached")
        chromium.table.tick()
        page.locator(".happened h3", has_text="Round 2").wait_for(state="attached")
        assert coach.get_by_role("button", name="Next (2 of 5)").is_visible()


def test_without_javascript_the_lines_are_a_list_that_a_touch_opens_and_the_moves_stay_where_they_are(
    chromium: Chromium,
):
    with chromium.page(java_script_enabled=False, **DESK) as page:
        page.goto("/")
        page.get_by_role("button", name="Play now").click()
        assert page.locator(".coach li:visible").count() == 0
        assert page.locator(".coach").bounding_box()["height"] < 60
        page.locator(".coach summary").click()
        assert page.locator(".coach li:visible").count() == 5


def test_the_way_is_drawn_station_by_station_and_is_whole_at_the_end(chromium: Chromium):
    game = over(chromium)
    with chromium.page(game.people[1], **STILL) as page:
        page.goto(f"/games/{game.id}")
        way = page.locator(".way").first
        whole = way.get_attribute("d")
        assert whole.count("L") == 2
        page.wait_for_timeout(300)
        assert way.get_attribute("d") == whole, "nothing moves where less motion is wished"
        page.get_by_role("button", name="Draw his way").click()
        page.wait_for_function("whole => document.querySelector('.way').getAttribute('d') !== whole", arg=whole)
        page.wait_for_function("whole => document.querySelector('.way').getAttribute('d') === whole", arg=whole)


def test_a_page_that_is_open_when_the_result_becomes_final_opens_the_board(chromium: Chromium):
    game = chromium.table.game(chromium.people, clock={"kind": "per_phase", "provisional": "PT0S"})
    game.play_round()
    with chromium.page(game.people[1], **DESK) as page:
        page.goto(f"/games/{game.id}")
        assert page.locator(".opened").count() == 0
        game.people[0].post(f"/games/{game.id}/resign")
        page.locator(".opened .way").first.wait_for(state="attached")
        page.get_by_role("button", name="Draw his way").wait_for()
        assert page.locator(".opened").evaluate("board => board.querySelector('svg').classList.contains('pans')")


@pytest.mark.parametrize(("visibility", "has_url"), [("public", True), ("private", False)])
def test_share_hands_the_picture_on_and_the_address_of_a_public_game_alone(
    chromium: Chromium, visibility: str, has_url: bool
):
    game = over(chromium, visibility)
    with chromium.page(game.people[1], **STILL) as page:
        page.goto(f"/games/{game.id}")
        page.evaluate(f"() => {{ navigator.canShare = () => true; navigator.share = {NOTED}; }}")
        page.get_by_role("link", name="Share").click()
        page.wait_for_function("() => window.shared")
        shared = page.evaluate("window.shared")
        assert shared["names"] == ["black-ticket.png"]
        assert shared["size"] > 20_000
        assert shared.get("url") == (f"{chromium.site}/games/{game.id}/replay" if has_url else None)
        assert shared["title"] == game.view()["name"]


def test_where_the_browser_shares_nothing_share_loads_the_picture(chromium: Chromium):
    game = over(chromium)
    with chromium.page(game.people[1], **STILL) as page:
        page.goto(f"/games/{game.id}")
        page.evaluate("navigator.canShare = undefined")
        with page.expect_download() as loaded:
            page.get_by_role("link", name="Share").click()
        assert loaded.value.suggested_filename == f"game-{game.id}.png"


def test_the_replay_is_seen_from_a_seat_stepped_by_rounds_and_played_at_a_speed(chromium: Chromium):
    game = over(chromium)
    with chromium.page(game.people[1], **STILL) as page:
        page.goto(f"/games/{game.id}/replay?ply=3")
        assert page.locator(".pawn[data-pawn=mr_x]").get_attribute("display") != "none"
        page.get_by_label("View of").select_option(label="Red (Cleo)")
        page.wait_for_url("**seat=3**")
        ply = page.locator(".ply")
        assert ply.text_content() == "3", "it stays at the move"
        assert page.locator(".pawn[data-pawn=mr_x]").get_attribute("display") == "none"
        assert page.locator(".way").first.get_attribute("d") == ""
        page.get_by_role("link", name="On one round").click()
        assert ply.text_content() == "6"
        page.get_by_role("slider").focus()
        page.keyboard.press("Shift+ArrowRight")
        assert ply.text_content() == "12"
        page.keyboard.press("Shift+ArrowLeft")
        assert ply.text_content() == "6"
        page.get_by_label("Speed").select_option("fast")
        page.get_by_role("button", name="Play").click()
        page.locator(".ply", has_text="12").wait_for()
        assert "seat=3" in page.url
