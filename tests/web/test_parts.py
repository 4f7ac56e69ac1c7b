"""The parts of a game's page: what the first screen of a desk holds, what fills a phone, and the tabs, in Chromium."""

from collections.abc import Iterator
from typing import Any

import pytest

from server.models import Player, session, transaction
from tests.scenes import CHASE, mail_only_to
from tests.table import Playing, Table
from tests.web.chromium import PHONE, Chromium, asking_often, launched, open_part
from tests.web.test_small_windows import hidden

DESK = {"viewport": {"width": 1280, "height": 800}}
SMALL = PHONE | {"viewport": {"width": 360, "height": 640}}
NAMES = (
    "Αλέξανδρος Παπαδόπουλος ο Μακεδονικός Β", "Владимир Константинович Рождественский-М", "王小明" * 13,
    "محمد بن عبد الله بن محمد الطويل جدا جدا", "Maximiliane-Wilhelmine v. d. Schulenburg",
)  # fmt: skip
MINUTES = {"kind": "per_phase", "mr_x": "PT10M", "detectives": "PT10M"}
MOST_HIGH = 1200  # pixels of the page of a game of six at a desk
LEAST_BOARD = 0.45  # of the height of a phone
ALLOWING = """Object.defineProperty(Notification, "permission", { get: () => "granted" });"""  # headless, it is denied

pytestmark = pytest.mark.usefixtures("without_faults")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("parts"), sandbox="1", push="yes")) as found, asking_often():
        mail_only_to(found.table)
        found.script = ALLOWING
        with found.table.app.app_context(), transaction():
            for person, name in zip(found.people[1:], NAMES, strict=True):
                session.get_one(Player, person.id).name = name
        yield found


def voted(chromium: Chromium, *, has_moved: bool = False) -> Playing:
    """Return a game of six in which Mr. X has four kinds of tickets, a vote is open, and somebody has written."""
    game = chromium.table.game(chromium.people, position=CHASE)
    if has_moved:
        game.move(game.people[0], "black 100")
    for path, body in (
        (
            "messages",
            {"to": "all", "text": "He must change at 89. Two of us are there next turn, and then we have him!"},
        ),
        ("votes", {"kind": "pause", "length": "P3D"}),
    ):
        answer = game.people[2].post(f"{game.path}/{path}", body)
        assert answer.status_code in (200, 201), answer.text
    return game


def bottom(found: Any) -> float:
    box = found.bounding_box()
    return float(box["y"] + box["height"])


@pytest.mark.parametrize("has_moved", [False, True], ids=["mr_x", "detective"])
def test_the_first_screen_of_a_desk_has_the_turn_the_vote_all_players_and_the_last_message(
    chromium: Chromium, has_moved: bool
):
    game = voted(chromium, has_moved=has_moved)
    with chromium.page(game.people[int(has_moved)], **DESK) as page:
        page.goto(game.path)
        assert page.locator(".stations:visible").count() == (2 if has_moved else 4)
        assert page.locator(".players li").count() == 6
        for needed in (
            ".choose .bar button.main",
            ".ballot button >> nth=1",
            ".players li >> nth=5",
            ".last-word",
            ".log",
        ):
            assert bottom(page.locator(needed)) <= 800, needed
        assert page.evaluate("document.documentElement.scrollHeight") <= MOST_HIGH
        assert page.evaluate("document.documentElement.scrollWidth") == 1280
        page.get_by_role("button", name="Yes").click()
        page.locator(".ballot").wait_for(state="detached")


@pytest.mark.parametrize("how", [SMALL, PHONE], ids=["small", "usual"])
def test_a_phone_is_filled_exactly_and_half_of_it_is_the_board_with_all_stations_in_reach(
    chromium: Chromium, how: dict[str, Any]
):
    game = voted(chromium, has_moved=True)
    with chromium.page(game.people[1], **how) as page:
        page.goto(game.path)
        height = how["viewport"]["height"]
        assert page.evaluate("document.documentElement.scrollHeight") == height
        assert page.locator("main").evaluate("main => main.scrollHeight - main.clientHeight") <= 0
        assert bottom(page.locator(".parts")) == height
        assert page.locator(".frame").bounding_box()["height"] >= LEAST_BOARD * height
        assert bottom(page.locator(".frame")) <= page.locator(".log").bounding_box()["y"]
        assert hidden(page) == []


@pytest.mark.parametrize("how", [SMALL, PHONE], ids=["small", "usual"])
def test_on_a_phone_the_question_whether_it_shall_call_is_one_row_and_waits_for_a_vote(
    chromium: Chromium, how: dict[str, Any]
):
    game = chromium.table.game(chromium.people, position=CHASE, clock=MINUTES)
    game.play_round()
    with chromium.page(game.people[0], **how) as page:
        page.goto(game.path)
        asked, height = page.locator(".calls"), how["viewport"]["height"]
        asked.get_by_role("button", name="This game").wait_for()
        assert len({box.bounding_box()["y"] for box in asked.get_by_role("button").all()}) == 1
        assert asked.bounding_box()["height"] < 50
        assert page.get_by_role("button", name="Sound when it is my turn").is_visible()
        assert page.locator("main").evaluate("main => main.scrollHeight - main.clientHeight") <= 0
        assert page.locator(".frame").bounding_box()["height"] >= LEAST_BOARD * height
        game.people[2].post(f"{game.path}/votes", {"kind": "pause", "length": "P3D"})
        page.locator(".ballot").wait_for()
        assert asked.is_hidden()
        assert page.locator("main").evaluate("main => main.scrollHeight - main.clientHeight") <= 0


def test_tabs_are_led_by_arrows_say_what_is_new_and_stay_when_news_come(chromium: Chromium):
    game = voted(chromium, has_moved=True)
    with chromium.page(game.people[3], **DESK) as page:
        page.goto(game.path)
        tabs = page.get_by_role("tablist", name="Parts of the game").get_by_role("tab")
        assert [tab.text_content() for tab in tabs.all()] == ["Players", "Talk", "Votes 1 open vote", "Story", "More"]
        page.get_by_role("tab", selected=True).focus()
        for key, name in (
            ("ArrowRight", "Talk"),
            ("End", "More"),
            ("ArrowRight", "Players"),
            ("ArrowLeft", "More"),
            ("Home", "Players"),
        ):
            page.keyboard.press(key)
            shown = page.get_by_role("tab", selected=True)
            assert shown.text_content() == name == page.evaluate("document.activeElement.textContent"), key
            assert page.get_by_role("tabpanel").count() == 1
            assert page.get_by_role("tabpanel", name=name).is_visible()
        open_part(page, "Story")
        game.people[1].post(f"{game.path}/messages", {"to": "team", "text": "On my way"})
        page.get_by_role("tab", name="Talk 1 new message").wait_for()
        assert page.get_by_role("tab", selected=True).text_content() == "Story"
        assert page.locator(".happened").is_visible()


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_tab_is_in_sight_with_the_number_of_what_is_new(chromium: Chromium, language: str):
    game = voted(chromium)
    ada = game.people[0]
    ada.request("PATCH", "/me/preferences", json={"language": language})
    with chromium.page(ada, **DESK) as page:
        page.goto(game.path)
        game.people[1].post(f"{game.path}/messages", {"to": "all", "text": "Where are you?"})
        page.locator("#tab-Talk b").wait_for()
        for width, height in ((360, 740), (740, 360), (1024, 700), (1180, 800), (1280, 800), (1440, 900)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.locator(".parts").evaluate("tabs => tabs.scrollWidth <= tabs.clientWidth"), (width, height)
    ada.request("PATCH", "/me/preferences", json={"language": "en"})


def test_on_a_phone_the_board_is_a_tab_and_the_others_lie_where_it_does(chromium: Chromium):
    game = voted(chromium, has_moved=True)
    with chromium.page(game.people[1], **SMALL) as page:
        page.goto(game.path)
        for name in ("Players", "Talk", "Votes", "Story", "More"):
            open_part(page, name)
            panel = page.locator(f"#part-{name}").bounding_box()
            assert round(panel["y"] + panel["height"]) == round(page.locator(".parts").bounding_box()["y"])
            assert bottom(page.locator(".parts")) == 640
            assert not page.locator(".frame").is_visible()
            assert page.evaluate("document.documentElement.scrollWidth") == 360
        open_part(page, "Board")
        assert page.locator(".frame").is_visible()
        assert hidden(page) == []


def test_without_scripts_all_parts_stand_below_each_other(chromium: Chromium):
    game = voted(chromium, has_moved=True)
    with chromium.page(game.people[1], java_script_enabled=False, **PHONE) as page:
        page.goto(game.path)
        places = (".head", ".frame", ".log", ".choose", ".players", "#talk", "#votes", ".happened", ".around", "#seat")
        tops = [page.locator(place).bounding_box()["y"] for place in places]
        assert tops == sorted(tops)
