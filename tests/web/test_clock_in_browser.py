"""The clock of a turn under an hour, and quick words at the board, in Chromium."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.scenes import CHASE, mail_only_to
from tests.table import Playing, Table
from tests.web.chromium import Chromium, launched

pytestmark = pytest.mark.usefixtures("without_faults")
MINUTES = {"kind": "per_phase", "mr_x": "PT10M", "detectives": "PT10M"}


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("clock"), sandbox="1")) as found:
        mail_only_to(found.table)
        yield found


@pytest.fixture
def game(chromium: Chromium) -> Playing:
    """A game in which Mr. X has a bit less than ten minutes left."""
    made = chromium.table.game(chromium.people, position=CHASE, clock=MINUTES)
    chromium.table.clock.turn(seconds=10)
    return made


def opened(page: Any, game: Playing, ahead: timedelta = timedelta(0)) -> Any:
    """Show the game on a device whose clock is `ahead` of the server's, and stands still."""
    page.clock.install(time=game.table.clock() + ahead - timedelta(minutes=1))
    page.clock.pause_at(game.table.clock() + ahead)
    page.goto(f"/games/{game.id}")
    return page


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(days=400), timedelta(minutes=-20)])
def test_the_last_hour_is_counted_by_the_clock_of_the_server(chromium: Chromium, game: Playing, ahead: timedelta):
    for person in (chromium.people[0], chromium.people[1], None):
        with chromium.page(person) as page:
            opened(page, game, ahead)
            time = page.locator(".clock").get_by_role("timer")
            time.filter(has_text=re.compile("^in 9:50$")).wait_for()
            page.clock.run_for(1_000)
            time.filter(has_text=re.compile("^in 9:49$")).wait_for()


def test_where_nothing_should_move_minutes_are_told(chromium: Chromium, game: Playing):
    with chromium.page(chromium.people[1], reduced_motion="reduce") as page:
        opened(page, game)
        page.locator(".clock time").filter(has_text=re.compile("^in 9 min$")).wait_for()
        page.clock.run_for(1_000)
        assert page.locator(".clock time").inner_text() == "in 9 min"


def test_who_listens_hears_what_is_left_of_their_turn_now_and_then(chromium: Chromium, game: Playing):
    with chromium.page(chromium.people[0]) as page:
        opened(page, game)
        told = page.locator("p.left[aria-live=polite]", has_text="left for your turn")
        page.clock.run_for(10_000)
        assert told.count() == 0, "a screen reader does not hear every second"
        page.clock.run_for(281_000)
        assert told.inner_text() == "5 minutes left for your turn."
        page.clock.run_for(240_000)
        assert told.inner_text() == "1 minute left for your turn."
    with chromium.page(chromium.people[1]) as page:
        opened(page, game)
        page.clock.run_for(291_000)
        assert told_of(page) == 0, "it is not their turn"


def told_of(page: Any) -> int:
    return page.locator("p.left", has_text="left for your turn").count()


def test_a_message_of_this_second_was_written_just_now(chromium: Chromium, game: Playing):
    chromium.people[1].post(f"{game.path}/messages", {"to": "all", "text": "Where are you?"})
    with chromium.page(chromium.people[2]) as page:
        opened(page, game)
        page.locator(".talk time").filter(has_text=re.compile("^just now")).wait_for(state="attached")


def test_quick_words_are_one_press_at_the_board_and_the_move_stays_chosen(chromium: Chromium, game: Playing):
    game.move(chromium.people[0], "black 100")
    with chromium.page(chromium.people[1]) as page:
        page.goto(f"/games/{game.id}")
        quick = page.locator("button.quick")
        quick.wait_for(state="hidden")
        link = page.locator(".lit a").first
        station = link.get_attribute("data-station")
        link.focus()
        link.press("Enter")
        page.get_by_role("button", name=f"Tell the team: I take {station}").click()
        page.locator(".talk .message").filter(has_text=f"I take {station}").wait_for(state="attached")
        assert page.locator(f'input[name=move][data-station="{station}"]:checked').count() == 1
    said = chromium.people[2].get(f"{game.path}/messages").json["messages"]
    assert [(each["to"], each["text"]) for each in said] == [("team", f"I take {station}")]
    assert chromium.people[0].get(f"{game.path}/messages").json["messages"] == []
