"""The board and a turn in windows with little room: a phone upright and lying, 400 % zoom, and a guest's first turn."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.scenes import CHASE, mail_only_to
from tests.table import Playing, Table
from tests.web.chromium import PHONE, Chromium, asking_often, launched, open_part
from tests.web.test_browser import is_in_sight, middle, seen

DESK = {"viewport": {"width": 1280, "height": 800}}
LYING = PHONE | {"viewport": {"width": 844, "height": 390}}
ENLARGED = {"viewport": {"width": 320, "height": 256}}  # 1280 x 1024 at 400 %
READABLE = 10  # pixels of a number


pytestmark = pytest.mark.usefixtures("without_faults")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("small"), sandbox="1")) as found, asking_often():
        mail_only_to(found.table)
        yield found


def chased(chromium: Chromium) -> Playing:
    return chromium.table.game(chromium.people, position=CHASE)


def guest_before_the_start(chromium: Chromium, page: Any) -> str:
    """Open a game in which a guest, who sits down in this page, is Mr. X; return its path, where the page is."""
    host = chromium.people[0]
    bot = {"role": "detective", "bot": "constable"}
    seats = [{"role": "mr_x"}, {"role": "detective", "player": host.id}, bot]
    wanted = {"edition": "ravensburger-2000", "seats": seats, "visibility": "private", "guests": {"seats": "any"}}
    answer = host.post("/games", wanted)
    assert answer.status_code == 201, answer.text
    game = answer.json
    page.goto(f"/join/{game['code']}")
    page.get_by_label("Your name").fill("Anna")
    page.get_by_role("button", name="Take a seat").click()
    page.wait_for_url("**/games/*")
    return f"/games/{game['id']}"


def guests(chromium: Chromium, page: Any) -> str:
    """Begin a game in which a guest, who sits down in this page, is Mr. X and to move; return its path."""
    path = guest_before_the_start(chromium, page)
    chromium.people[0].post(f"{path}/start")
    page.goto(path)
    return path


def begin_before_the_eyes(chromium: Chromium, page: Any, path: str) -> None:
    """Begin the game whose lobby the page shows, and wait until the page has heard of it."""
    chromium.people[0].post(f"{path}/start")
    wait_for_turn(page)


def is_uncovered(page: Any, found: Any) -> bool:
    """Return True if the middle of an element is in the window, and nothing else lies over it."""
    x, y = middle(found)
    hit = "(element, [x, y]) => { const hit = document.elementFromPoint(x, y); return !!hit && element.contains(hit); }"
    return bool(found.evaluate(hit, [x, y]))


def in_frame(page: Any) -> list[tuple[float, float]]:
    """Return the middle of each station within reach that the board shows, the northernmost first."""
    frame = page.locator(".frame").bounding_box()
    points = map(middle, page.locator(".lit:not([display=none]) a circle").all())
    within = [
        at for at in points if 0 < at[0] - frame["x"] < frame["width"] and 0 < at[1] - frame["y"] < frame["height"]
    ]
    return sorted(within, key=lambda at: at[1])


def choose(page: Any) -> None:
    """Choose the southernmost station within reach that is shown."""
    page.mouse.click(*in_frame(page)[-1])
    page.locator(".bar.ready").wait_for()


@pytest.mark.parametrize("how", [PHONE, LYING], ids=["upright", "lying"])
def test_on_a_phone_the_buttons_of_the_board_the_pawn_and_what_is_chosen_are_always_in_sight(
    chromium: Chromium, how: dict[str, Any]
):
    game = chased(chromium)
    with chromium.page(game.people[0], **how) as page:
        page.goto(f"/games/{game.id}")
        number = page.locator("svg.map").evaluate("map => map.getScreenCTM().a") * 13.6
        assert number > READABLE
        assert is_in_sight(page, "mr_x")
        assert seen(page)[2] < 600, "it begins around the own pawn"
        for step in ("nothing is chosen", "a station is chosen"):
            for button in page.locator(".zoom button").all():
                assert is_uncovered(page, button), (step, button.inner_text())
            assert is_uncovered(page, page.get_by_role("button", name="Move Mr. X")), step
            if step == "nothing is chosen":
                assert len(in_frame(page)) > 3
                choose(page)
        assert is_uncovered(page, page.locator(".lit a[aria-current] circle"))


def test_a_lobby_takes_no_harm_when_the_phone_is_turned(chromium: Chromium):
    with chromium.page(**PHONE) as page:
        guest_before_the_start(chromium, page)
        for how in (LYING, DESK, PHONE):
            page.set_viewport_size(how["viewport"])
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert not chromium.faults


def hidden(page: Any) -> list[str]:
    """Return the stations within reach that are out of sight, or behind the sheet or the buttons."""
    links = page.locator(".lit:not([display=none]) a").all()
    return [link.get_attribute("data-station") for link in links if not is_uncovered(page, link.locator("circle"))]


def test_the_first_view_on_a_phone_leaves_no_station_within_reach_behind_the_sheet_or_the_buttons(chromium: Chromium):
    game = chased(chromium)
    game.move(game.people[0], "black 100")
    for person in game.people[3:]:
        with chromium.page(person, **PHONE) as page:
            page.goto(f"/games/{game.id}")
            first = seen(page)
            assert hidden(page) == []
            page.get_by_role("button", name="Me", exact=True).tap()
            assert seen(page) == first, "the buttons were reckoned with"


def wait_for_turn(page: Any) -> None:
    page.locator(".lead").filter(has_text="It is your turn").wait_for()


def test_on_a_phone_a_page_that_hears_news_shows_the_board_as_a_load_would(chromium: Chromium):
    game = chased(chromium)
    game.move(game.people[0], "black 100")
    with chromium.page(game.people[3], **PHONE) as page:
        page.goto(f"/games/{game.id}")
        for person, move in zip(game.people[1:4], ("purple taxi 126", "red taxi 66", "green taxi 141"), strict=True):
            game.move(person, move)
        page.locator(".lead").filter(has_text="Yellow (Eve) is to move").wait_for()
        moved = seen(page)
        for person in (*game.people[4:], *game.people[:3]):
            game.move(person)
        wait_for_turn(page)
        followed = seen(page)
        assert hidden(page) == []
        page.reload()
        assert (seen(page), followed == moved) == (followed, False)


def test_news_do_not_move_the_board_under_a_finger_or_a_chosen_station_but_after_that(chromium: Chromium):
    game = chased(chromium)
    game.move(game.people[0], "black 100")
    with chromium.page(game.people[2], **PHONE) as page:
        page.goto(f"/games/{game.id}")
        page.get_by_role("button", name="Whole").tap()
        whole = seen(page)
        fingers = page.context.new_cdp_session(page)
        x, y = middle(page.locator("svg.map"))
        fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        game.move(game.people[1], "purple taxi 126")
        wait_for_turn(page)
        assert seen(page) == whole
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.get_by_role("button", name="Me", exact=True).tap()
        choose(page)
        chosen = seen(page)
        game.people[1].post(f"/games/{game.id}/messages", {"to": "team", "text": "He is at the river"})
        page.get_by_role("tab", name="Talk 1 new message").wait_for()
        assert seen(page) == chosen
        page.get_by_role("button", name="Move Red").tap()
        page.locator("section.choose").first.wait_for(state="detached")
        after = seen(page)
        page.reload()
        assert (seen(page), after == chosen) == (after, False)


def test_on_a_phone_the_sheet_shrinks_to_what_was_sent_ahead_until_another_station_is_chosen(chromium: Chromium):
    game = chased(chromium)
    game.move(game.people[0], "black 100")
    with chromium.page(game.people[2], **PHONE) as page:
        page.goto(f"/games/{game.id}")
        sheet, before = page.locator(".sheet"), page.locator(".sheet").bounding_box()["height"]
        page.touchscreen.tap(*middle(page.locator('.lit [data-station="68"] circle')))
        page.get_by_role("button", name="Send ahead: Red").tap()
        page.get_by_role("region", name="Sent ahead").wait_for()
        assert sheet.inner_text().split("\n") == ["Red goes by taxi to 68 when it is Red's turn.", "Take back"]
        assert sheet.bounding_box()["height"] < before
        assert hidden(page) == ["79", "89"], "two stations of the underground are too far for numbers that can be read"
        choose(page)
        button = page.get_by_role("button", name="Send ahead: Red")
        assert is_uncovered(page, button)
        button.tap()
        page.locator(".bar.ready").wait_for(state="detached")
        page.get_by_role("button", name="Take back").tap()
        page.get_by_role("region", name="Sent ahead").wait_for(state="detached")
        assert sheet.bounding_box()["height"] == before


def test_on_a_phone_that_lies_the_turn_stands_beside_a_board_as_high_as_the_window(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[0], **LYING) as page:
        page.goto(f"/games/{game.id}")
        frame, sheet = (page.locator(name).bounding_box() for name in (".frame", ".sheet"))
        assert frame["y"] + frame["height"] <= 390
        assert frame["height"] > 390 * 0.8
        assert sheet["x"] >= frame["x"] + frame["width"]


def test_enlarged_four_times_the_move_is_never_out_of_sight_and_the_sheet_hides_little(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[0], **ENLARGED) as page:
        page.goto(f"/games/{game.id}")
        page.locator(".frame").scroll_into_view_if_needed()
        page.locator(".lit:not([display=none]) a").first.focus()
        page.keyboard.press("Enter")
        button, bar = page.get_by_role("button", name="Move Mr. X"), page.locator(".bar.ready").bounding_box()
        assert is_uncovered(page, button)
        box = button.bounding_box()
        assert box["y"] + box["height"] <= 256
        assert bar["height"] <= 256 * 0.6
        page.evaluate("scrollTo(0, 0)")
        assert is_uncovered(page, button), "wherever one scrolls"
        button.click()
        page.locator("section.choose").first.wait_for(state="detached")


@pytest.mark.parametrize(("how", "begins"), [(PHONE, 260), (DESK, 60)], ids=["phone", "desk"])
def test_a_guest_is_asked_for_an_address_behind_a_tab_that_says_so_and_leaves_the_board_where_it_is(
    chromium: Chromium, how: dict[str, Any], begins: int
):
    with chromium.page(**how) as page:
        path = guests(chromium, page)
        line = page.locator("summary", has_text="Where shall we write?")
        assert not line.is_visible()
        page.get_by_role("tab", name="More 1 question").wait_for()
        assert page.locator(".frame").bounding_box()["y"] < begins
        assert is_uncovered(page, page.get_by_role("button", name="Move Mr. X"))
        page.goto(path)
        open_part(page, "More")
        assert not page.get_by_label("Your own or your parents' address").is_visible()
        line.click()
        assert "the server moves for you when your time is up" in page.locator(".write").inner_text()
        assert page.get_by_label("Your own or your parents' address").is_visible()
        page.get_by_role("link", name="Later").click()
        page.locator(".frame").wait_for()
        assert line.count() == 0


def test_when_the_game_begins_before_the_eyes_of_a_guest_the_board_has_the_window_of_a_phone(chromium: Chromium):
    with chromium.page(**PHONE) as page:
        path = guest_before_the_start(chromium, page)
        address = page.get_by_label("Your own or your parents' address")
        assert address.is_visible(), "nothing else is to do before the start"
        begin_before_the_eyes(chromium, page, path)
        assert not address.is_visible()
        page.evaluate("scrollTo(0, 0)")
        assert page.locator(".frame").bounding_box()["y"] < 260
        assert is_in_sight(page, "mr_x")


@pytest.mark.parametrize("is_typed", [False, True], ids=["opened", "typed"])
def test_a_box_that_the_reader_has_opened_or_types_in_stays_open_when_the_game_begins(
    chromium: Chromium, is_typed: bool
):
    with chromium.page(**PHONE) as page:
        path = guest_before_the_start(chromium, page)
        address, line = page.get_by_label("Your own or your parents' address"), page.locator(".write summary")
        if is_typed:
            address.press_sequentially("anna@")
        else:
            line.click()
            line.click()
        begin_before_the_eyes(chromium, page, path)
        assert address.is_visible()
        assert address.input_value() == ("anna@" if is_typed else "")


def test_the_field_for_the_second_leg_is_in_sight_also_above_a_page_that_was_scrolled(chromium: Chromium):
    with chromium.page(**DESK) as page:
        guests(chromium, page)
        open_part(page, "More")
        page.locator("summary", has_text="Where shall we write?").click()
        page.locator("#to").focus()
        first = page.locator("input[name=move]").first.get_attribute("data-station")
        page.keyboard.type(first)
        page.keyboard.press("Enter")
        page.evaluate("scrollTo(0, 600)")
        page.get_by_role("button", name="Then move again").press("Enter")
        page.locator(".choose.second").first.wait_for()
        page.wait_for_function("() => document.activeElement?.id === 'to'")
        in_sight = "({ top, bottom }) => top >= 0 && bottom <= innerHeight"
        page.wait_for_function(f"() => ({in_sight})(document.activeElement.getBoundingClientRect())")


def test_after_a_move_by_key_no_frame_stands_around_the_sentence_that_is_read(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[0], **DESK) as page:
        page.goto(f"/games/{game.id}")
        page.locator(".lit:not([display=none]) a").first.focus()
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Move Mr. X").press("Enter")
        page.wait_for_function("() => document.activeElement?.role === 'status'")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"


def test_in_a_wide_window_the_players_stay_and_the_talk_stands_below_them(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[0], viewport={"width": 1920, "height": 1080}) as page:
        page.goto(f"/games/{game.id}")
        names = (".frame", ".log", "#talk", ".players")
        board, log, talk, players = (page.locator(name).bounding_box() for name in names)
        assert board["y"] + board["height"] <= log["y"] < log["y"] + log["height"] <= 1080
        assert players["x"] >= board["x"] + board["width"]
        assert players["y"] + players["height"] <= talk["y"] < talk["y"] + talk["height"] <= 1080


@pytest.mark.parametrize("how", [PHONE, DESK], ids=["phone", "desk"])
def test_the_buttons_of_a_replay_and_the_moves_of_a_round_are_a_row_each_and_the_board_is_in_sight(
    chromium: Chromium, how: dict[str, Any]
):
    game = chromium.table.game(chromium.people, clock={"kind": "per_phase", "provisional": "PT0S"})
    game.play_round()
    game.people[0].post(f"/games/{game.id}/resign")
    chromium.table.tick()
    with chromium.page(game.people[1], **how) as page:
        page.goto(f"/games/{game.id}/replay?ply=1")
        for row in (page.locator(".player [data-to]"), page.locator(".plies li").first.locator("a")):
            boxes = [each.bounding_box() for each in row.all()]
            assert len(boxes) >= 6
            assert len({round(box["y"] + box["height"] / 2) for box in boxes}) == 1
        assert page.locator(".frame").bounding_box()["y"] < 260
        assert middle(page.locator("[data-to=play]"))[1] < how["viewport"]["height"]
