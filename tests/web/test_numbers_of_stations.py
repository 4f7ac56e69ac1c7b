"""The numbers of stations on the boards of pages, from a phone to a large screen, in Chromium."""

from collections.abc import Iterator
from typing import Any

import pytest

from server.drawing import look
from tests.scenes import CHASE, mail_only_to
from tests.table import Playing, Table
from tests.web.axe import script, serious
from tests.web.chromium import Chromium, launched

SIZES = ((360, 640), (390, 844), (768, 1024), (820, 1180), (1024, 768), (1280, 800), (2560, 1440))
LEAST = 11  # pixels
DRAWING = "svg.map, .replay .frame svg"

# How wide a field is without its arrow, and the words that it shows.
WIDTHS = """(field) => {
    const style = getComputedStyle(field), pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    const text = field.options[field.selectedIndex].text;
    const beside = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight) + 20;
    return [field.clientWidth - beside, pen.measureText(text).width];
}"""

pytestmark = pytest.mark.usefixtures("without_faults")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("numbers"), sandbox="1")) as found:
        mail_only_to(found.table)  # and so to nobody
        yield found


def over(chromium: Chromium) -> Playing:
    game = chromium.table.game(chromium.people, position=CHASE, clock={"kind": "per_phase", "provisional": "PT0S"})
    for _ in range(3):
        game.play_round()
    game.people[0].post(f"/games/{game.id}/resign")
    chromium.table.tick()
    return game


def size_of_numbers(page: Any) -> float:
    """Return how high the numbers of stations are, in pixels, without what moves there."""
    return float(page.locator(DRAWING).evaluate("drawn => drawn.getScreenCTM().a")) * look.SIZE


def test_numbers_can_be_read_in_a_game_at_its_end_and_in_its_replay(chromium: Chromium):
    ended, running = over(chromium), chromium.table.game(chromium.people, position=CHASE)
    found = {}
    for width, height in SIZES:
        with chromium.page(running.people[0], viewport={"width": width, "height": height}) as page:
            page.emulate_media(reduced_motion="reduce")
            for path in (f"{running.id}", f"{ended.id}", f"{ended.id}/replay?ply=7"):
                page.goto(f"/games/{path}")
                page.locator(".zoom:visible").wait_for()
                found[width, path] = size_of_numbers(page)
    assert {place: size for place, size in found.items() if size < LEAST} == {}


def test_on_a_phone_the_replay_follows_each_move_until_the_reader_shows_the_whole(chromium: Chromium):
    game = over(chromium)
    with chromium.page(game.people[0], viewport={"width": 390, "height": 844}) as page:
        page.emulate_media(reduced_motion="reduce")
        page.goto(f"/games/{game.id}/replay?ply=0")
        drawn, seen = page.locator(DRAWING), set()
        for _ in range(6):
            page.locator('[data-to="on"]').click()
            seen.add(drawn.get_attribute("viewBox"))
            assert size_of_numbers(page) >= LEAST
        assert len(seen) > 3
        page.locator('[data-zoom="whole"]').click()
        whole = drawn.get_attribute("viewBox")
        page.locator('[data-to="back"]').click()
        assert drawn.get_attribute("viewBox") == whole
        page.locator('[data-zoom="in"]').click()
        page.locator('[data-to="back"]').click()
        assert size_of_numbers(page) >= LEAST


def test_no_control_of_the_replay_cuts_its_words_or_shows_other_words_than_it_says(chromium: Chromium):
    game = over(chromium)
    for width in (360, 390, 820, 1280):
        with chromium.page(game.people[0], viewport={"width": width, "height": 844}) as page:
            page.goto(f"/games/{game.id}/replay?ply=3")
            page.evaluate(script())
            assert serious(page, {"runOnly": ["label-content-name-mismatch"]}) == []
            controls = page.locator(".player :is(button, a, label, select):visible")
            assert (
                controls.evaluate_all("all => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length")
                == 0
            )
            (shown, words) = page.locator(".whose select").evaluate(WIDTHS)
            assert words < shown
