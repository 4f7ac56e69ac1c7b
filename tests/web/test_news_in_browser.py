"""What a page in Chromium is told while it is open, and what it does when the server is not reached or refuses."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from werkzeug.exceptions import RequestEntityTooLarge

from server.vocabulary.errors import Problem
from tests.patience import eventually
from tests.scenes import mail_only_to
from tests.table import Table
from tests.web.chromium import PHONE, Chromium, asking_often, launched, open_part
from tests.web.test_browser import chased, click_on, wait_until_moved, window

pytestmark = pytest.mark.usefixtures("without_faults")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("news"), sandbox="1")) as found, asking_often():
        mail_only_to(found.table)  # and so to nobody
        yield found


def test_a_message_that_is_half_typed_survives_news_and_an_own_move_which_says_what_is_left_of_its_tickets(
    chromium: Chromium,
):
    game = chased(chromium)
    with chromium.page(game.people[2]) as page:
        page.goto(f"/games/{game.id}")
        assert "Red" in page.locator("section.choose h2").inner_text()
        open_part(page, "More")
        page.get_by_text("The board in words").click()
        open_part(page, "Talk")
        page.get_by_label("Your message").fill("He can only be")
        game.move(game.people[1])
        page.get_by_role("status").filter(has_text="It is your turn").wait_for()
        assert page.get_by_label("Your message").input_value() == "He can only be"
        assert page.evaluate("document.activeElement.name") == "text"
        click_on(page, 66)
        assert page.locator(".says").text_content() == "taxi to 66; seven taxi tickets left."
        page.locator(".bar button.main").click()
        wait_until_moved(page)
        assert page.get_by_label("Your message").input_value() == "He can only be"
        assert page.get_by_role("tab", selected=True).inner_text() == "Talk"
        open_part(page, "More")
        assert page.locator("details[open] > summary:visible").all_inner_texts() == ["The board in words"]
    assert game.view()["pawns"]["red"]["station"] == 66


@contextmanager
def offline(chromium: Chromium, page: Any) -> Iterator[None]:
    """Take the network from a page; that it cannot load anything then is no fault of the page."""
    page.context.set_offline(True)
    yield
    page.context.set_offline(False)
    chromium.faults[:] = [fault for fault in chromium.faults if "net::ERR_" not in fault]


@contextmanager
def refusing_moves(monkeypatch: pytest.MonkeyPatch, error: Exception) -> Iterator[None]:
    """Let every move end in an error, which the server's page of errors answers."""

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr("server.web.game.moves.act", fail)
        broken.setattr("server.web.game.answers.Problem", ZeroDivisionError)  # else the page of the game would
        yield


def test_a_move_that_finds_no_server_or_a_busy_one_stays_chosen_and_is_made_when_the_button_is_pressed_again(
    chromium: Chromium, monkeypatch: pytest.MonkeyPatch
):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        open_part(page, "Talk")
        page.get_by_label("Your message").fill("He can only be")
        click_on(page, 126)
        button, complaint = page.get_by_role("button", name="Move Purple"), page.locator(".bar").get_by_role("alert")
        with offline(chromium, page):
            button.click()
            complaint.filter(has_text="The server cannot be reached").wait_for()
            assert page.locator(".says").text_content().startswith("taxi to 126")
            assert page.get_by_label("Your message").input_value() == "He can only be"
            assert page.locator("[aria-busy=true]").count() == 0
        with failing(chromium, page, "**/moves"):
            button.click()
            page.locator(".bar").get_by_role("alert").filter(has_text="The server cannot be reached").wait_for()
        with failing(chromium, page, "**/moves", with_page_of="server"):
            button.click()
            page.locator(".bar").get_by_role("alert").filter(has_text="The database cannot be used.").wait_for()
            assert page.locator(".says").text_content().startswith("taxi to 126")
        sentence = "Many requests came. Go on in 20 s."
        with refusing_moves(monkeypatch, Problem("too-many", sentence, retry_after=20)):
            button.click()
            complaint.filter(has_text=sentence).wait_for()
        chromium.faults[:] = [fault for fault in chromium.faults if "status of 429" not in fault]
        assert page.locator(".says").text_content().startswith("taxi to 126")
        assert page.get_by_label("Your message").input_value() == "He can only be"
        button.click()
        wait_until_moved(page)
        assert complaint.count() == 0
        assert page.get_by_label("Your message").input_value() == "He can only be"
    assert game.view()["pawns"]["purple"]["station"] == 126


def test_a_message_and_a_vote_that_find_no_server_stay_and_are_sent_once_when_the_button_is_pressed_again(
    chromium: Chromium,
):
    game = chased(chromium)
    with chromium.page(game.people[2]) as page:
        page.goto(f"/games/{game.id}")
        open_part(page, "Talk")
        talk, votes = page.locator("#talk"), page.locator("#votes")
        page.get_by_label("Your message").fill("He can only be")
        open_part(page, "Votes")
        votes.get_by_text("Ask the others for something").click()
        votes.get_by_label("A pause").first.fill("3")
        send, ask = (
            talk.get_by_role("button", name="Send to the team"),
            votes.get_by_role("button", name="Ask for a pause"),
        )
        with offline(chromium, page):
            open_part(page, "Talk")
            send.click()
            talk.get_by_role("alert").filter(has_text="What you typed stays: press the button again.").wait_for()
            open_part(page, "Votes")
            ask.click()
            votes.get_by_role("alert").filter(has_text="The server cannot be reached").wait_for()
            open_part(page, "More")
            page.get_by_role("button", name="Offer a draw").click()
            said = page.locator('form[action$="/draw"]').get_by_role("alert").inner_text()
            assert said == ("The server cannot be reached, so this may not have been done. Press the button again."), (
                "nothing was typed"
            )
            open_part(page, "Votes")
            assert "twice" not in votes.get_by_role("alert").inner_text(), "that is not checked for votes"
        open_part(page, "Talk")
        send.click()
        talk.get_by_role("listitem").filter(has_text="He can only be").wait_for()
        eventually(lambda: page.get_by_label("Your message").input_value() == "")  # news may come before the answer
        assert votes.get_by_label("A pause").first.input_value() == "3", "that form was not sent yet"
        open_part(page, "Votes")
        ask.click()
        votes.get_by_text("3 days").wait_for()
        assert talk.locator("li").count() == 1


def test_a_message_is_gone_from_its_field_also_when_news_come_before_the_answer(chromium: Chromium):
    game = chased(chromium)
    held: list[tuple[Any, Any]] = []
    with chromium.page(game.people[2]) as page:
        page.goto(f"/games/{game.id}")
        open_part(page, "Talk")
        page.route("**/talk", lambda route: held.append((route, route.fetch())))
        page.get_by_label("Your message").fill("He can only be")
        with page.expect_response(lambda answer: answer.url.endswith("/news") and answer.status == 200):
            page.get_by_role("button", name="Send to the team").click()
            eventually(lambda: page.title() and held)  # to ask the page lets its routes run
        route, answer = held.pop()
        route.fulfill(response=answer)
        page.locator("#talk").get_by_role("listitem").filter(has_text="He can only be").wait_for()
        eventually(lambda: page.get_by_label("Your message").input_value() == "")


ERROR_PAGES: dict[str, dict[str, Any]] = {
    "proxy": {"status": 503, "headers": {"Retry-After": "1"}, "body": "<main><h1>Sorry</h1><p>Bad gateway</p></main>"},
    "server": {
        "status": 503,
        "headers": {"Retry-After": "1", "X-Black-Ticket": "unavailable"},
        "body": '<main><h1>Not now</h1><p class="reason">The database cannot be used.</p></main>',
    },
}


@contextmanager
def failing(chromium: Chromium, page: Any, path: str, with_page_of: str = "proxy") -> Iterator[None]:
    """Let the server, or a proxy in front of it, answer requests of a page with an error page."""
    page.route(path, lambda route: route.fulfill(content_type="text/html", **ERROR_PAGES[with_page_of]))
    yield
    page.unroute(path)
    chromium.faults[:] = [fault for fault in chromium.faults if "status of 503" not in fault]


def test_a_form_refused_after_another_was_answered_tells_the_reason_and_is_sent_once(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        open_part(page, "Talk")
        held: list[Any] = []
        page.route(f"**/games/{game.id}/talk", lambda route: held.append(route))  # noqa: PLW0108 Playwright marks its handlers
        message = page.get_by_label("Your message")
        message.fill("He can only be")
        send = page.get_by_role("button", name="Send to all")
        send.click()
        click_on(page, 126)
        page.get_by_role("button", name="Move Purple").click()
        wait_until_moved(page)
        send.click()
        held[0].abort()
        page.locator('form[action$="/talk"]').get_by_role("alert").filter(
            has_text="No message is sent twice"
        ).wait_for()
        assert len(held) == 1
        assert message.input_value() == "He can only be"
        page.unroute(f"**/games/{game.id}/talk")
        send.click()
        page.locator(".talk").get_by_text("He can only be").wait_for()
    chromium.faults[:] = [fault for fault in chromium.faults if "ERR_FAILED" not in fault]


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (RuntimeError("a fault"), "The server failed; the request had no effect."),
        (RequestEntityTooLarge(), "You sent more than this server takes"),
    ],
    ids=["fault", "too-large"],
)
def test_a_form_that_an_error_of_the_server_answers_keeps_what_was_chosen_and_typed_and_tells_the_reason(
    chromium: Chromium, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        open_part(page, "Talk")
        page.get_by_label("Your message").fill("He can only be")
        click_on(page, 126)
        with refusing_moves(monkeypatch, error):
            page.get_by_role("button", name="Move Purple").click()
            page.locator(".bar").get_by_role("alert").filter(has_text=sentence).wait_for()
        assert page.locator(".says").text_content().startswith("taxi to 126")
        assert page.get_by_label("Your message").input_value() == "He can only be"
        page.get_by_role("button", name="Move Purple").click()
        wait_until_moved(page)
        assert page.get_by_label("Your message").input_value() == "He can only be"
    assert game.view()["pawns"]["purple"]["station"] == 126
    chromium.faults[:] = [fault for fault in chromium.faults if "Failed to load resource" not in fault]


@pytest.mark.parametrize("status", [429, pytest.param(500, marks=pytest.mark.campaign)])
def test_news_that_an_error_answers_leave_the_page_with_what_is_typed_and_are_shown_later(
    chromium: Chromium, status: int
):
    game = chased(chromium)
    asked: list[str] = []

    def refuse(route: Any) -> None:
        asked.append(route.request.url)
        route.fulfill(status=status, headers={"Retry-After": "1"}) if len(asked) == 1 else route.continue_()

    with chromium.page(game.people[2]) as page:
        page.goto(f"/games/{game.id}")
        open_part(page, "Talk")
        page.get_by_label("Your message").fill("He can only be")
        page.route("**/news", refuse)
        page.evaluate("window.isKept = true")
        game.move(game.people[1])
        page.get_by_role("status").filter(has_text="It is your turn").wait_for()
        assert len(asked) >= 2
        assert page.evaluate("window.isKept"), "the page was not loaded again"
        assert page.get_by_label("Your message").input_value() == "He can only be"
    chromium.faults[:] = [fault for fault in chromium.faults if f"status of {status}" not in fault]


# `giveUp` does at once what the browser does to a request when its time, of this length, is over.
GIVE_UP = """length => AbortSignal.timeout = (given) => {
    const ending = new AbortController();
    if (given === length) window.giveUp = () => ending.abort();
    return ending.signal;
}"""


def test_a_question_for_news_without_an_answer_is_given_up_and_the_page_says_so(chromium: Chromium):
    game = chased(chromium)
    held: list[Any] = []

    def hold_the_first(route: Any) -> None:
        """Neither answer the first question nor let it go on; the others reach a proxy only."""
        route.fulfill(content_type="text/html", **ERROR_PAGES["proxy"]) if held else held.append(route)

    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        page.evaluate(GIVE_UP, 20_000)
        page.route("**/news", hold_the_first)
        with page.expect_request("**/news"):  # the one after these news
            game.people[2].post(f"/games/{game.id}/messages", {"to": "all", "text": "Where is he?"})
        page.evaluate("giveUp()")
        page.locator(".said").filter(has_text="The server cannot be reached").wait_for()
        page.unroute("**/news")
        page.evaluate("dispatchEvent(new Event('online'))")  # which the page waits for, or for five seconds
        page.locator(".said").filter(has_not_text="The server cannot be reached").wait_for(state="attached")
    chromium.faults[:] = [fault for fault in chromium.faults if "status of 503" not in fault]


def test_a_form_without_an_answer_is_given_up_after_half_a_minute_and_says_so_also_when_news_have_waited(
    chromium: Chromium,
):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.goto(f"/games/{game.id}")
        open_part(page, "Talk")
        page.evaluate(GIVE_UP, 30_000)
        page.route("**/talk", lambda route: None)  # which neither answers nor goes on
        page.get_by_label("Your message").fill("He can only be")
        with page.expect_response(lambda answer: answer.url.endswith("/news") and answer.status == 200):
            page.get_by_role("button", name="Send to the team").click()
            game.people[2].post(f"/games/{game.id}/messages", {"to": "all", "text": "Where is he?"})
        page.evaluate("giveUp()")
        page.locator("#talk").get_by_text("Where is he?").wait_for()
        said = page.locator("#talk form").get_by_role("alert")
        assert said.inner_text().startswith("The server cannot be reached")
        assert page.get_by_label("Your message").input_value() == "He can only be"
        page.unroute("**/talk")
        page.get_by_role("button", name="Send to the team").click()
        page.locator("#talk").get_by_text("He can only be").wait_for()
        assert said.count() == 0


def test_the_button_looks_ready_once_a_station_is_chosen_and_not_while_the_move_is_on_its_way(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.route("**/moves", lambda route: None)  # which neither answers nor goes on
        page.goto(f"/games/{game.id}")
        border = "button => getComputedStyle(button).borderTopStyle"
        button = page.get_by_role("button", name="Move Purple")
        assert button.evaluate(border) == "dashed"
        click_on(page, 126)
        assert button.evaluate(border) == "solid"
        button.click()
        page.locator("form.move[aria-busy=true]").wait_for()
        look = button.evaluate("button => [getComputedStyle(button).borderTopStyle, getComputedStyle(button).cursor]")
        assert look == ["dashed", "progress"]
        page.unroute("**/moves")


def hurry(page: Any) -> None:
    """Let a page that has reached no server try again after a tenth of a second and not five."""

    def answer(route: Any) -> None:
        script = route.fetch().text()
        assert "AFTER_FAILURE = 5_000" in script
        route.fulfill(content_type="text/javascript", body=script.replace("5_000", "100"))

    page.route("**/news.js", answer)


def test_a_page_that_gets_no_news_says_so_once_until_the_server_is_there_again(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[2]) as page:
        hurry(page)
        page.goto(f"/games/{game.id}")
        said = page.locator(".said")
        with offline(chromium, page):
            game.move(game.people[1])
            said.filter(has_text="The server cannot be reached").wait_for()
            assert said.bounding_box()["height"] > 20, "everybody can read it"
        page.get_by_role("status").filter(has_text="It is your turn").wait_for()
        said.filter(has_not_text="The server cannot be reached").wait_for(state="attached")
        with failing(chromium, page, "**/news"):
            said.filter(has_text="The server cannot be reached").wait_for()
            assert page.get_by_role("status").filter(has_text="It is your turn").count() == 1, "the page stays"
            with failing(chromium, page, "**/news", with_page_of="server"):  # it is there, without its database
                said.filter(has_not_text="The server cannot be reached").wait_for(state="attached")
        page.unroute("**/news.js")


def test_on_a_phone_news_that_wait_to_be_shown_are_not_behind_the_button_that_moves(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1], **PHONE) as page, window(page, 360, 740):
        page.goto(f"/games/{game.id}")
        click_on(page, 126)
        page.locator(".bar.ready").wait_for()
        with offline(chromium, page):
            said = page.locator(".said:has(.lost)")
            said.wait_for()
            assert said.evaluate(
                """each => { const { left, right, top, bottom } = each.getBoundingClientRect();
                return document.elementFromPoint((left + right) / 2, (top + bottom) / 2).closest('.said') === each }"""
            )
            assert page.locator(".bar.ready").bounding_box()["y"] > said.bounding_box()["y"]


def test_messages_that_are_new_to_this_browser_have_a_mark_until_they_were_seen(chromium: Chromium):
    game = chased(chromium)
    path, cleo = f"/games/{game.id}", game.people[2]
    with chromium.page(game.people[1], **PHONE) as page:
        page.goto(path)
        cleo.post(f"{path}/messages", {"to": "team", "text": "He is at the river"})
        page.get_by_role("tab", name="Talk 1 new message").wait_for()
        assert page.locator(".talk .new").text_content().endswith("He is at the river")
        page.reload()
        page.get_by_role("tab", name="Talk 1 new message").tap()
        eventually(lambda: page.evaluate("localStorage.getItem(`heard ${location.pathname}`)") == "1")
        page.reload()
        assert page.locator(".talk .new").count() == 0


def test_the_board_is_there_as_soon_as_the_host_starts_the_game(chromium: Chromium):
    host, guest = chromium.people[:2]
    seats = [{"role": "mr_x", "player": host.id}, {"role": "detective"}]
    game = f"/games/{host.post('/games', {'edition': 'condensed', 'seats': seats}).json['id']}"
    guest.post(f"{game}/seats", {"seat": 2})
    with chromium.page(guest) as page:
        page.goto(game)
        host.post(f"{game}/start")
        page.get_by_role("button", name="Larger").click()
        page.locator("svg.map.zoomed").wait_for(state="attached")
        assert page.locator("main").bounding_box()["width"] > 1000


def test_an_invitation_that_was_refused_is_not_sent_again_when_somebody_joins(chromium: Chromium):
    host, guest = chromium.people[:2]
    seats = [{"role": "mr_x", "player": host.id}, {"role": "detective"}]
    game = f"/games/{host.post('/games', {'edition': 'condensed', 'seats': seats}).json['id']}"
    with chromium.page(host) as page:
        page.goto(game)
        page.get_by_text("Invite or add a bot").click()
        page.get_by_placeholder("address or name").fill("Nobody at all")
        page.get_by_role("button", name="Invite").click()
        page.get_by_role("alert").wait_for()
        guest.post(f"{game}/seats", {"seat": 2})
        page.get_by_role("alert").wait_for(state="detached")
        page.reload()
    assert host.get(game).json["status"] == "open"
    chromium.faults[:] = [fault for fault in chromium.faults if "status of 422" not in fault]  # the refusal


def test_who_touches_nothing_is_told_what_is_new_though_the_same_was_told_before_and_the_end(chromium: Chromium):
    game = chased(chromium)
    for _ in range(2):
        game.play_round()
    with chromium.page(game.people[2]) as page:
        page.goto(f"/games/{game.id}")
        assert page.locator(".happened p").filter(has_text="Mr. X took a taxi.").count()
        game.move(game.people[0])
        said = page.locator(".said")
        said.filter(has_text="Purple (Ben) is to move").wait_for()
        assert said.inner_text() == "Round 3: Mr. X taxi. Purple (Ben) is to move."
        game.people[0].post(f"/games/{game.id}/resign")
        page.get_by_role("status").filter(has_text="The detectives have won").wait_for()
