"""How the board and what a turn needs share a window, from a phone to a large screen, in Chromium."""

from collections.abc import Iterator
from typing import Any

import pytest

from server.drawing import look
from tests.scenes import CHASE, mail_only_to
from tests.table import Playing, Table
from tests.web.chromium import PHONE, Chromium, launched
from tests.web.test_browser import click_on, is_around, is_in_sight, middle, seen, station

DESKS = ((1280, 800), (1366, 768), (1920, 1080), (2560, 1440))
SMALLEST_NUMBER = {1280: 11, 1366: 11, 1920: 13, 2560: 16}  # pixels, by the width of the window
NEEDED = (".choose .bar button.main", ".players li >> nth=-1")
SHARE = 0.65  # of a window 2560 px wide


pytestmark = pytest.mark.usefixtures("without_faults")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("window"), sandbox="1")) as found:
        mail_only_to(found.table)  # and so to nobody
        yield found


def chased(chromium: Chromium, rounds: int = 1) -> Playing:
    game = chromium.table.game(chromium.people, position=CHASE)
    for _ in range(rounds):
        game.play_round()
    return game


def desk(size: tuple[int, int]) -> dict[str, Any]:
    return {"viewport": {"width": size[0], "height": size[1]}}


def scale(page: Any) -> float:
    """Return how many pixels a unit of the drawing has."""
    return float(page.locator("svg.map").evaluate("map => map.getScreenCTM().a"))


def bottom(found: Any) -> float:
    box = found.bounding_box()
    return float(box["y"] + box["height"])


@pytest.mark.parametrize("size", DESKS, ids=str)
def test_the_board_takes_the_height_and_what_a_turn_needs_stands_beside_it_in_sight(
    chromium: Chromium, size: tuple[int, int]
):
    game = chased(chromium)
    ada, ben, *_ = game.people
    width, height = size
    with chromium.page(ada, **desk(size)) as page:
        page.goto(f"/games/{game.id}")
        frame = page.locator(".frame").bounding_box()
        assert frame["y"] + frame["height"] <= page.locator(".log").bounding_box()["y"]
        assert bottom(page.locator(".log")) <= height <= bottom(page.locator(".log")) + 20
        needed = [page.locator(name) for name in NEEDED]
        assert all(each.bounding_box()["x"] >= frame["x"] + frame["width"] for each in needed)
        assert [bottom(each) for each in needed if bottom(each) > height] == []
        assert look.SIZE * scale(page) >= SMALLEST_NUMBER[width]
        if width == 2560:
            assert float(page.locator("svg.map image").first.get_attribute("width")) * scale(page) >= SHARE * width
    game.move(ada)
    with chromium.page(ben, **desk(size)) as page:
        page.goto(f"/games/{game.id}")
        for name in NEEDED:
            assert bottom(page.locator(name)) <= height, name


@pytest.mark.parametrize("size", [DESKS[0], DESKS[-1]], ids=str)
def test_a_replay_has_its_board_and_its_buttons_beside_each_other_too(chromium: Chromium, size: tuple[int, int]):
    game = chromium.table.game(chromium.people, clock={"kind": "per_phase", "provisional": "PT0S"})
    game.play_round()
    game.people[0].post(f"/games/{game.id}/resign")
    chromium.table.tick()
    with chromium.page(game.people[1], **desk(size)) as page:
        page.goto(f"/games/{game.id}/replay?ply=1")
        assert bottom(page.locator(".frame")) <= size[1]
        assert bottom(page.locator("[data-to=play]")) <= size[1] / 2
        unit = page.locator(".replay .frame svg").evaluate("drawn => drawn.getScreenCTM().a")
        assert look.SIZE * unit >= SMALLEST_NUMBER[size[0]]


def test_without_javascript_the_board_takes_the_height_too(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[0], java_script_enabled=False, **desk((1280, 800))) as page:
        page.goto(f"/games/{game.id}")
        assert page.locator(".frame").bounding_box()["height"] > 650
        assert bottom(page.locator(".choose .bar button.main")) < 800


def test_on_a_phone_the_board_is_first_and_the_move_is_a_sheet_from_below(chromium: Chromium):
    game = chased(chromium, rounds=0)
    with chromium.page(game.people[0], **PHONE) as page:
        page.goto(f"/games/{game.id}")
        board, sheet = page.locator(".frame"), page.locator(".sheet")
        button = page.get_by_role("button", name="Move Mr. X")
        assert board.bounding_box()["y"] < 170
        assert board.bounding_box()["height"] > 844 / 2
        assert bottom(page.locator(".parts")) == 844
        assert bottom(sheet) == page.locator(".parts").bounding_box()["y"]
        assert bottom(board) < sheet.bounding_box()["y"]
        assert page.locator(".stations:visible").count() == 0
        button.tap()
        page.locator(".stations").first.wait_for()
        assert page.locator(".stations:visible").count() == 4, "the list shows what is missing"
        assert bottom(button) <= 844
        page.locator(".list > summary").tap()
        assert page.locator(".stations:visible").count() == 0
        page.locator(".list > summary").tap()
        page.locator('label:has(input[value="bus 100"])').tap()
        assert page.locator(".says").text_content().startswith("bus to 100")
        game.people[1].post(f"/games/{game.id}/messages", {"to": "all", "text": "Where are you?"})
        page.get_by_role("tab", name="Talk 1 new message").wait_for()
        assert page.locator(".stations:visible").count() == 4, "news leave it open"


def test_buttons_and_keys_show_ones_own_pawn_the_last_sighting_and_the_whole(chromium: Chromium):
    game = chased(chromium, rounds=0)
    game.move(game.people[0], "black 100")
    with chromium.page(game.people[1], **desk((1280, 800))) as page:
        page.goto(f"/games/{game.id}")
        whole, board = seen(page), page.locator("svg.map")
        for name, key in (("Me", "m"), ("Last sighting", "l")):
            page.get_by_role("button", name=name).click()
            near = seen(page)
            assert near[2] < whole[2] / 2
            assert is_in_sight(page, "purple") == (name == "Me")
            page.get_by_role("button", name="Whole").click()
            assert seen(page) == whole
            board.focus()
            page.keyboard.press(key)
            assert seen(page) == near
            page.keyboard.press("w")
            assert seen(page) == whole
        page.keyboard.press("l")
        assert is_around(page, "?")
    with chromium.page(None) as page:
        page.goto(f"/games/{game.id}")
        assert page.get_by_role("button", name="Me", exact=True).count() == 0


def test_a_station_with_the_focus_is_not_behind_the_buttons_of_the_board(chromium: Chromium):
    game = chased(chromium, rounds=0)
    with chromium.page(game.people[0], **PHONE) as page:
        page.goto(f"/games/{game.id}")
        for link in page.locator(".lit:not([display=none]) a").all():
            link.focus()
            x, y = middle(link.locator("circle"))
            assert y < page.locator(".zoom").bounding_box()["y"] or x < page.locator(".zoom").bounding_box()["x"]


def test_a_station_is_told_on_the_board_where_it_was_touched(chromium: Chromium):
    game = chased(chromium, rounds=0)
    with chromium.page(game.people[0], **desk((1280, 800))) as page:
        page.goto(f"/games/{game.id}")
        page.locator(".stops circle").first.click()
        told, frame = page.locator(".frame .station"), page.locator(".frame").bounding_box()
        assert told.inner_text() == "Station 1: taxi, bus, underground. No line joins it to 111."
        assert bottom(told) < frame["y"] + frame["height"]
        click_on(page, 100)
        assert station(page, 100).get_attribute("aria-current") == "true"
        assert not told.is_visible()
