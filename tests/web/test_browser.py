"""The page of a game in Chromium: by mouse, by keyboard, by touch, and without JavaScript."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest

from server.application.operator import operators
from server.application.people.accounts import abuse_reports
from server.models import Player, session
from tests.patience import eventually
from tests.profiles import IS_CAMPAIGN
from tests.scenes import CHASE, mail_only_to
from tests.table import Playing, Table
from tests.web import axe
from tests.web.chromium import PHONE, Chromium, asking_often, launched, open_part

pytestmark = pytest.mark.usefixtures("without_faults")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("browser"), sandbox="1")) as found, asking_often():
        mail_only_to(found.table)  # and so to nobody
        yield found


def chased(chromium: Chromium, *, has_moved: bool = True, **wanted: Any) -> Playing:
    """A game of six people; Mr. X, who is at 111, moves to 100 with a black ticket if `has_moved`."""
    game = chromium.table.game(chromium.people, position=CHASE, **wanted)
    if has_moved:
        game.move(game.people[0], "black 100")
    return game


def station(page: Any, number: int) -> Any:
    return page.locator(f'.lit:not([display=none]) a[data-station="{number}"]')


def middle(found: Any) -> tuple[float, float]:
    box = found.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@contextmanager
def window(page: Any, width: int, height: int) -> Iterator[None]:
    """Give a page another size for a while: less than a browser of this size would cost."""
    usual = page.viewport_size
    page.set_viewport_size({"width": width, "height": height})
    yield
    page.set_viewport_size(usual)


def click_on(page: Any, number: int) -> None:
    page.mouse.click(*middle(station(page, number)))


def seen(page: Any) -> list[float]:
    """Return the part of the board that is seen: left, middle, width. Its height follows what else is on the page."""
    left, top, width, height = map(float, page.locator("svg.map").get_attribute("viewBox").split())
    return [round(part, 3) for part in (left, top + height / 2, width)]


def wait_until_moved(page: Any) -> None:
    page.locator("section.choose").first.wait_for(state="detached")


@pytest.mark.parametrize("role", [pytest.param("mr_x", marks=pytest.mark.campaign), "detective"])
def test_it_takes_three_clicks_from_the_first_page_to_the_first_move(chromium: Chromium, role: str):
    with chromium.page() as page:
        page.goto("/")
        page.locator(f'button[value="{role}"]').click()
        page.wait_for_url("**/games/*")
        if role == "detective":  # a bot is Mr. X, and moves first
            chromium.table.clock.turn(minutes=1)
            chromium.table.tick()
            page.reload()
        page.mouse.click(*middle(page.locator(".lit:not([display=none]) a").first))
        page.locator(".bar.ready button.main").click()
        page.get_by_role("status").filter(has_text="bots are moving").wait_for()


def test_the_host_copies_and_shares_the_link(chromium: Chromium):
    host = chromium.people[0]
    made = host.post("/games", {"edition": "condensed", "players": 3}).json
    with chromium.page(host, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.add_init_script("navigator.share = async ({ url }) => { window.shared = url; };")
        page.goto(f"/games/{made['id']}")
        page.get_by_role("button", name="Copy the link").click()
        page.get_by_role("status").filter(has_text="Copied.").wait_for()
        link = page.evaluate("navigator.clipboard.readText()")
        assert link == f"{chromium.site}/join/{made['code']}"
        page.get_by_role("button", name="Share").click()
        eventually(lambda: page.evaluate("window.shared") == link)
    with chromium.page(host) as page:
        page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined });")  # as without TLS
        page.goto(f"/games/{made['id']}")
        page.get_by_role("button", name="Copy the link").click()
        page.get_by_role("status").filter(has_text="Copied.").wait_for()
    with chromium.page(host, java_script_enabled=False) as page:
        page.goto(f"/games/{made['id']}")
        assert page.get_by_role("button", name="Copy the link").count() == 0
        assert page.get_by_text(link).is_visible()


def test_mr_x_pays_with_a_black_ticket_and_sees_his_station_in_a_window_as_wide_as_the_others(chromium: Chromium):
    game = chased(chromium, has_moved=False)
    with chromium.page(game.people[0]) as page:
        page.goto(f"/games/{game.id}")
        click_on(page, 100)
        page.get_by_role("group", name="Ticket").get_by_role("button", name="black ticket").click()
        left = "black ticket to 100; three black tickets left. You could then be on 6 stations."
        assert page.locator(".says").text_content() == left
        page.locator(".bar button.main").click()
        wait_until_moved(page)
        assert "100" not in page.title()
        assert page.locator(".log li").filter(has_text="at 100").count() == 1
        widths = page.locator(".log li").evaluate_all("cells => cells.map((cell) => cell.offsetWidth)")
        assert max(widths) - min(widths) <= 1
    assert game.view()["log"][-1]["ticket"] == "black"


def test_a_double_move_is_made_in_two_steps(chromium: Chromium):
    game = chased(chromium, has_moved=False)
    with chromium.page(game.people[0]) as page:
        page.goto(f"/games/{game.id}")
        assert page.locator('option[value*="double"]').count() == 0
        click_on(page, 100)
        page.get_by_role("button", name="Then move again").click()
        page.get_by_text("First by bus to 100, and then?").wait_for()
        ring = page.locator("circle.first")
        assert ring.evaluate("ring => getComputedStyle(ring).fill") == "none", "its number can be read"
        assert game.view()["log"] == []
        assert "100" not in page.url
        game.people[1].post(f"/games/{game.id}/messages", {"to": "all", "text": "Where are you?"})
        page.get_by_text("Something happened in the game.").wait_for()
        click_on(page, 101)
        left = "seven bus tickets, nine taxi tickets and one double move left. You could then be on 10 stations."
        assert page.locator(".says").text_content() == f"bus to 100, then taxi to 101; {left}"
        page.get_by_role("button", name="Make the double move").click()
        wait_until_moved(page)
    assert [entry["ticket"] for entry in game.view()["log"]] == ["bus", "taxi"]


def test_the_keyboard_alone_is_enough(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        names = set()
        for _ in range(40):
            page.keyboard.press("Tab")
            names.add(name := page.evaluate("document.activeElement.textContent"))
            if name == "taxi to 126":
                break
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.textContent") == "Move Purple"
        page.keyboard.press("Enter")
        wait_until_moved(page)
        assert page.evaluate("document.activeElement.getAttribute('role')") == "status"
    assert game.view()["pawns"]["purple"]["station"] == 126


def test_the_board_pans_and_zooms_by_wheel_keys_and_hand_and_stays_so_after_a_move(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        whole, board = seen(page), page.locator("svg.map")
        page.mouse.move(*middle(board))
        page.mouse.wheel(0, -400)
        page.locator("svg.map.zoomed").wait_for(state="attached")
        assert seen(page)[2] < whole[2]
        board.focus()
        left, width = seen(page)[0], seen(page)[2]
        page.keyboard.press("+")
        assert seen(page)[2] < width
        page.keyboard.press("ArrowRight")
        assert seen(page)[0] > left
        before, (x, y) = seen(page), middle(board)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 80, y + 40, steps=4)
        page.mouse.up()
        assert seen(page)[0] < before[0]
        assert page.locator(".says:visible").count() == 0
        before = seen(page)
        page.locator('input[value="purple taxi 126"]').check(force=True)
        page.locator(".bar button.main").click()
        wait_until_moved(page)
        assert seen(page) == before
        page.get_by_role("button", name="Whole").click()
        assert seen(page) == whole


def is_around(page: Any, letter: str) -> bool:
    """Return True if the part of the board that is seen is a small one, with this pawn near its middle."""
    which = {"X": "[data-pawn=mr_x]:not([data-seen])", "?": "[data-seen]", "P": "[data-pawn=purple]"}[letter]
    pawn, (x, y) = middle(page.locator(f".pieces {which} > .ring")), middle(page.locator("svg.map"))
    return seen(page)[2] < 450 and max(abs(pawn[0] - x), abs(pawn[1] - y)) < 150


@pytest.mark.campaign
def test_on_a_phone_the_board_begins_around_mr_x_where_he_reads(chromium: Chromium):
    game = chased(chromium, has_moved=False)
    with chromium.page(game.people[0], **PHONE) as page:
        page.goto(f"/games/{game.id}")
        assert is_around(page, "X")


def is_in_sight(page: Any, pawn: str) -> bool:
    """Return True if the pawn stands in the part of the board that is seen."""
    left, top, width, height = map(float, page.locator("svg.map").get_attribute("viewBox").split())
    piece = page.locator(f'.pieces [data-pawn="{pawn}"]')
    x, y = (float(piece.get_attribute(name)) + 40 for name in ("data-x", "data-y"))
    return left <= x <= left + width and top <= y <= top + height


def test_a_phone_follows_the_own_pawn_that_a_move_takes_out_of_sight_and_nothing_else_unless_the_whole_is_shown(
    chromium: Chromium,
):
    game = chased(chromium)
    ben, cleo = game.people[1:3]
    with chromium.page(ben, **PHONE) as page:
        page.goto(f"/games/{game.id}")
        board = page.locator("svg.map")
        board.focus()
        page.keyboard.press("ArrowRight")
        slightly = seen(page)
        assert is_in_sight(page, "purple")
        game.move(ben, "purple taxi 126")
        page.locator(".lead").filter(has_text="Red (Cleo) is to move").wait_for()
        assert seen(page) == slightly
        board.focus()
        for _ in range(12):
            page.keyboard.press("ArrowLeft")
        away = seen(page)
        assert not is_in_sight(page, "purple")
        cleo.post(f"/games/{game.id}/messages", {"to": "team", "text": "He is at the river"})
        page.get_by_role("tab", name="Talk 1 new message").wait_for()
        assert seen(page) == away, "no pawn has moved"
        for person in game.people[2:]:
            game.move(person)
        game.move(game.people[0])
        page.locator(".lead").filter(has_text="It is your turn").wait_for()
        assert is_in_sight(page, "purple")
        followed = seen(page)
        page.reload()
        assert seen(page) == followed
        page.get_by_role("button", name="Whole").tap()
        whole = seen(page)
        assert whole[2] > followed[2]
        game.move(ben)
        page.locator(".lead").filter(has_text="Red (Cleo) is to move").wait_for()
        assert seen(page) == whole


def test_a_station_in_its_window_and_a_long_name_at_its_pawn_take_no_more_room_than_there_is(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        page.locator(".log .surfaces").first.evaluate(
            "cell => { cell.innerHTML += '<b class=ticket></b><span>183</span>'; }"
        )
        page.locator(".players small").first.evaluate("name => { name.textContent = 'W'.repeat(40); }")
        for width in (360, 390, 1280):
            with window(page, width, 844):
                page.locator(".log").wait_for()
                room, text, height = page.locator(".log .surfaces").first.evaluate(
                    """window => {
                        const span = window.querySelector("b + span");
                        return [window.clientWidth, span.offsetWidth, span.offsetHeight];
                    }"""
                )
                assert text + 4 <= room, width
                assert height < 25, width
                open_part(page, "Players")
                beyond = page.locator(".players ul").evaluate("list => list.scrollWidth - list.clientWidth")
                assert beyond <= 0, width
                if width < 1280:
                    open_part(page, "Board")


def test_a_phone_shows_the_own_pawn_from_near_and_fingers_are_enough(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1], **PHONE) as page:
        page.goto(f"/games/{game.id}")
        first = seen(page)
        assert is_around(page, "P")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        x, y = middle(page.locator("svg.map"))
        pinch(page, x, y)
        assert seen(page)[2] < first[2]
        x, y = middle(page.locator("svg.map"))
        page.touchscreen.tap(x, y)
        assert page.locator(".says:visible").count() == 0, "there is no station to go to where the pawn stands"
        page.get_by_role("button", name="Smaller").tap()
        x, y = middle(station(page, 126))
        page.touchscreen.tap(x + 12, y - 12)
        assert page.locator(".says").text_content().startswith("taxi to 126")
        button = page.locator(".bar button.main")
        assert button.bounding_box()["height"] >= 44
        button.tap()
        wait_until_moved(page)


def pinch(page: Any, x: float, y: float) -> None:
    """Spread two fingers on the page around a point."""
    fingers = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 30), ("touchMove", 40), ("touchMove", 60)):
        points = [{"x": x - apart, "y": y, "id": 1}, {"x": x + apart, "y": y, "id": 2}]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


class Fingers:
    """A phone."""

    how = PHONE

    def choose(self, page: Any, move: str) -> None:
        """Choose a move such as `red taxi 66`, or the second leg of a double move."""
        *_, ticket, goal = move.split()
        page.get_by_role("button", name="Whole").tap()
        station(page, int(goal)).scroll_into_view_if_needed()
        page.touchscreen.tap(*middle(station(page, int(goal))))
        tickets = page.get_by_role("group", name="Ticket").get_by_role("button", name=ticket)
        if tickets.count():
            tickets.tap()

    def press(self, page: Any, name: str) -> None:
        page.get_by_role("button", name=name).tap()

    def surface(self, page: Any) -> None:
        page.get_by_text("Show yourself for tickets").tap()
        page.get_by_label("Show yourself after this move").tap()


class Keys:
    """A keyboard, and nothing else."""

    how: ClassVar[dict[str, Any]] = {}

    def reach(self, page: Any, wanted: str) -> None:
        """Press Tab until the focus is at what has this name, text or value."""
        names = (
            "(it => [it.getAttribute('aria-label'), it.textContent.trim(), it.value, it.name])(document.activeElement)"
        )
        for _ in range(120):
            page.keyboard.press("Tab")
            if wanted in page.evaluate(names):
                return
        raise AssertionError(f"no Tab leads to {wanted}")

    def choose(self, page: Any, move: str) -> None:
        *_, ticket, goal = move.split()
        self.reach(page, station(page, int(goal)).text_content())
        page.keyboard.press("Enter")
        if page.get_by_role("group", name="Ticket").get_by_role("button", name=ticket).count():
            while ticket not in page.evaluate("document.activeElement.textContent"):
                page.keyboard.press("Tab")
            page.keyboard.press("Enter")

    def press(self, page: Any, name: str) -> None:
        self.reach(page, name)
        page.keyboard.press("Enter")

    def surface(self, page: Any) -> None:
        self.reach(page, "Show yourself for tickets")
        page.keyboard.press("Enter")
        self.reach(page, "surface")
        page.keyboard.press(" ")


class Forms:
    """A browser without JavaScript."""

    how: ClassVar[dict[str, Any]] = {"java_script_enabled": False}

    def choose(self, page: Any, move: str) -> None:
        page.locator(f'label:has(input[value="{move}"])').click()

    def press(self, page: Any, name: str) -> None:
        page.get_by_role("button", name=name).click()

    def surface(self, page: Any) -> None:
        page.get_by_text("Show yourself for tickets").click()
        page.get_by_label("Show yourself after this move").check()


@pytest.mark.parametrize(
    "hand",
    [
        Fingers(),
        # Shorter tests have a move by the keyboard alone, and a double move without JavaScript.
        pytest.param(Keys(), marks=pytest.mark.campaign),
        pytest.param(Forms(), marks=pytest.mark.campaign),
    ],
    ids=["fingers", "keys", "forms"],
)
def test_a_round_is_played_with_a_double_move_showing_himself_and_a_move_ahead_taken_back(
    chromium: Chromium, hand: Fingers | Keys | Forms
):
    game = chased(chromium, has_moved=False, options={"voluntary_surfacing": True})
    ada, ben, cleo, *_ = game.people
    with chromium.page(ada, **hand.how) as page:
        page.goto(f"/games/{game.id}")
        hand.choose(page, "black 100")
        hand.press(page, "Then move again (double)")
        page.get_by_text("First by black ticket to 100").wait_for()
        hand.choose(page, "double black 100 taxi 101")
        hand.surface(page)
        hand.press(page, "Make the double move")
        page.locator(".lead").filter(has_text="Purple (Ben) is to move").wait_for()
    assert [(entry["ticket"], entry["station"]) for entry in game.view(ben)["log"]] == [("black", None), ("taxi", 101)]
    with chromium.page(cleo, **hand.how) as page:
        page.goto(f"/games/{game.id}")
        hand.choose(page, "red taxi 68")
        hand.press(page, "Send ahead: Red")
        page.get_by_role("region", name="Sent ahead").wait_for()
        hand.press(page, "Take back red taxi 68")
        page.get_by_role("region", name="Sent ahead").wait_for(state="detached")
        hand.choose(page, "red bus 65")
        hand.press(page, "Send ahead: Red")
        page.get_by_role("region", name="Sent ahead").wait_for()
    game.move(ben, "purple taxi 126")
    pawns = game.view()["pawns"]
    assert (pawns["purple"]["station"], pawns["red"]["station"]) == (126, 65)


def test_on_a_phone_a_round_of_a_replay_is_one_line_and_its_board_is_pinched(chromium: Chromium):
    game = chromium.table.game(chromium.people, clock={"kind": "per_phase", "provisional": "PT0S"})
    game.play_round()
    game.people[0].post(f"/games/{game.id}/resign")
    chromium.table.tick()
    with chromium.page(game.people[1], **PHONE) as page:
        page.goto(f"/games/{game.id}/replay?ply=1")
        tops = page.locator(".plies li").first.locator("a").evaluate_all("all => all.map((one) => one.offsetTop)")
        assert (len(tops), len(set(tops))) == (6, 1)
        board = page.locator(".replay .frame svg")
        page.get_by_role("button", name="Whole").tap()
        whole = board.get_attribute("viewBox").split()
        board.scroll_into_view_if_needed()
        pinch(page, *middle(board))
        assert float(board.get_attribute("viewBox").split()[2]) < float(whole[2])
        page.get_by_role("button", name="Whole").press("Enter")  # a tap may be taken for a part of the pinch
        assert board.get_attribute("viewBox").split() == whole


def test_without_javascript_there_is_the_picture_and_a_form(chromium: Chromium):
    game = chased(chromium, has_moved=False)
    with chromium.page(game.people[0], java_script_enabled=False) as page:
        page.goto(f"/games/{game.id}")
        assert page.locator("svg.map image").first.bounding_box()["width"] > 300
        page.locator('label:has(input[value="bus 100"])').click()
        page.get_by_role("button", name="Then move again").click()
        page.locator('label:has(input[value="double bus 100 taxi 101"])').click()
        page.get_by_role("button", name="Make the double move").click()
        page.wait_for_url(f"**/games/{game.id}")
        assert len(game.view()["log"]) == 2
        page.locator("#window").fill("9")
        page.get_by_role("button", name="Show").click()
        assert "After move 9 of the travel log" in page.locator(".where").inner_text()


def test_the_form_of_a_new_game_shows_the_values_of_the_edition_that_is_chosen(chromium: Chromium):
    with chromium.page(chromium.people[0]) as page:
        page.goto("/games?card=club")
        page.get_by_text("Change the rules").click()
        page.get_by_text("Change rules of the edition").click()
        rounds = page.locator('[name="max_rounds"]')
        before = rounds.get_attribute("placeholder")
        page.locator('[name="edition"][value="milton-bradley-1985"]').check()
        page.locator("#options").filter(has_text="stays as in Milton Bradley 1985.").wait_for()
        assert rounds.get_attribute("placeholder") != before
        assert rounds.is_visible()  # the part of the form that was open still is


def test_a_game_with_a_friend_is_one_choice_and_start_and_fits_on_one_screen(chromium: Chromium):
    with chromium.page(chromium.people[0]) as page, window(page, 1280, 800):
        page.goto("/games")
        page.get_by_role("link", name="All detectives are mine").click()
        page.get_by_text("You are a detective.").wait_for()
        assert page.evaluate("document.documentElement.scrollHeight") <= 800
        assert page.locator("#new-game :is(input, select):visible").count() == 0
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("button", name="Copy the link").wait_for()


def test_a_slider_leads_back_to_where_mr_x_could_have_been(chromium: Chromium):
    game = chased(chromium, has_moved=False)
    game.move(game.people[0], "double bus 100 taxi 101")
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        caption = page.locator(".where")
        now, lit = caption.inner_text(), page.locator(".lit a").count()
        open_part(page, "More")
        page.locator("#window").focus()
        page.keyboard.press("ArrowLeft")
        caption.filter(has_text="After move 9 of the travel log").wait_for()
        assert page.locator(".lit a").count() == 0
        page.get_by_role("link", name="Back to now").click()
        assert (caption.inner_text(), page.locator(".lit a").count()) == (now, lit)


def test_each_pawn_has_its_own_lit_stations(chromium: Chromium):
    game = chromium.table.game(chromium.people[:3], "ravensburger-2000")
    game.move(game.people[0])
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        tabs = page.get_by_role("group", name="Pawn").get_by_role("button")
        assert tabs.count() == 2
        shown = []
        for i in range(2):
            tabs.nth(i).click()
            shown.append(page.locator(".lit:not([display=none])").get_attribute("data-pawn"))
            assert page.locator("section.choose:visible").count() == 1
        assert len(set(shown)) == 2


@pytest.mark.parametrize("person", [1, *(pytest.param(other, marks=pytest.mark.campaign) for other in (0, None))])
def test_a_screen_reader_stumbles_over_nothing(chromium: Chromium, person: int | None):
    script = axe.script()
    game = chased(chromium, visibility="public")
    with chromium.page(None if person is None else chromium.people[person]) as page:
        page.goto(f"/games/{game.id}")
        if not IS_CAMPAIGN:
            page.evaluate(axe.FEWER)
        page.evaluate(script)
        assert axe.serious(page) == []


def test_a_phone_shows_the_rows_of_a_wide_table_below_each_other(chromium: Chromium):
    with chromium.page(**PHONE) as page:
        page.goto("/docs/settings")
        widths = page.locator(".cards td").evaluate_all("cells => cells.map((cell) => cell.offsetWidth)")
        assert min(widths) > 300
        first = page.locator("td:nth-child(2)").first
        assert first.evaluate("cell => getComputedStyle(cell, '::before').content") == '"default: "'


def test_the_operator_reads_who_reports_what_on_lines_of_their_own(chromium: Chromium):
    game = chased(chromium, has_moved=False)
    ben, cleo, finn = (chromium.people[number] for number in (1, 2, 5))
    ben.post(f"{game.path}/messages", {"to": "all", "text": "You are the worst detective I ever met. " * 5})
    with chromium.table.app.app_context():
        abuse_reports.report_message(game.id, session.get_one(Player, cleo.id), 1)
        operators.change(finn.id, granted=True)
    for how in ({"viewport": {"width": 1280, "height": 900}}, PHONE):
        with chromium.page(finn, **how) as page:
            page.goto("/operator/people")
            line, quotation = page.locator(".card > span").bounding_box(), page.locator("blockquote").bounding_box()
            assert line["width"] > page.locator(".card").bounding_box()["width"] / 2
            assert quotation["y"] >= line["y"] + line["height"]


def test_a_printed_page_has_nothing_to_press_or_to_fill_in(chromium: Chromium):
    running = chased(chromium)
    over = chromium.table.game(chromium.people, clock={"kind": "per_phase", "provisional": "PT0S"})
    over.people[0].post(f"/games/{over.id}/resign")
    chromium.table.tick()
    with chromium.page(running.people[1]) as page, window(page, 718, 1040):  # an A4 page
        page.emulate_media(media="print")
        for path in (f"/games/{running.id}", f"/games/{over.id}/replay"):
            page.goto(path)
            board = page.locator("svg").first.bounding_box()
            assert board["width"] > 1.1 * board["height"] > 500, "as large as the paper, without bands"
            assert page.locator(":is(summary, .keys):visible").all_inner_texts() == []
            assert page.locator(":is(button, .button, input, select, textarea):visible").all_inner_texts() == []
        page.emulate_media(media="screen")


def test_a_printed_game_is_dark_on_light_also_where_pages_are_dark(chromium: Chromium):
    game = chased(chromium)
    look = "[getComputedStyle(document.body), getComputedStyle(document.querySelector('.frame'))]"
    with chromium.page(game.people[1]) as page:
        page.emulate_media(media="print", color_scheme="dark")
        page.goto(f"/games/{game.id}")
        background, ink, board = page.evaluate(
            f"(([page, board]) => [page.backgroundColor, page.color, board.backgroundColor])({look})"
        )
        assert (background, ink) == ("rgb(247, 243, 232)", "rgb(20, 22, 26)")
        assert board == "rgb(230, 223, 205)"  # the pictures in it are the browser's to print as by day
        page.emulate_media(media="screen", color_scheme="light")


def test_the_back_button_shows_nothing_of_a_seat_after_signing_out(chromium: Chromium):
    """`no-store` keeps pages out of every cache, and `Vary: Cookie` leaves none of them to a browser signed out."""
    game = chased(chromium)
    with chromium.page(game.people[0]) as page:
        page.goto(f"/games/{game.id}")
        assert page.locator(".travel-log i").first.text_content() == "at 100"
        page.goto("/me/account")
        page.get_by_role("button", name="Sign out of this browser").click()
        page.wait_for_url("/")
        page.go_back()
        assert page.get_by_role("heading", level=1).text_content() == "Sign in"
        page.go_back()
        assert page.url.endswith(f"/games/{game.id}")
        assert page.locator(".travel-log").count() == 1
        assert page.locator(".travel-log i, #seat, #talk").count() == 0, "anybody may watch, and sees no more"
