"""How often a page of a game asks for news, in Chromium, by a clock of the page's that a test turns."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.scenes import CHASE, mail_only_to
from tests.table import Playing, Table
from tests.web.chromium import Chromium, launched

CALLING, QUIET = "link[rel=icon][href$='turn.svg']", "link[rel=icon]:not([href$='turn.svg'])"
pytestmark = pytest.mark.usefixtures("without_faults")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("asking"), sandbox="1")) as found:
        mail_only_to(found.table)  # and so to nobody
        found.script = COUNTING
        yield found


COUNTING = """
    const { fetch } = window;
    window.asked = 0;
    window.fetch = (address, ...how) => {
        window.asked += address.endsWith("/news");
        const answer = fetch(address, ...how);
        window.answer = answer.then((whole) => whole.clone().text());
        return answer;
    };
"""


class Reader:
    """A page of a game whose clock stands still."""

    def __init__(self, page: Any, game: Playing) -> None:
        self.page = page
        page.clock.install(time=0)
        page.clock.pause_at(1000)
        page.goto(f"/games/{game.id}")

    def questions_in(self, seconds: int) -> int:
        """Return how often the page asks for news while so many seconds pass, when all answers have come."""
        before = self._asked_and_answered()
        self.page.clock.run_for(1000 * seconds)
        return self._asked_and_answered() - before

    def _asked_and_answered(self) -> int:
        """Return how often the page has asked for news, after the last answer; the next question waits from there."""
        return int(self.page.evaluate("Promise.resolve(window.answer).then(() => asked)"))

    def asks_after(self, seconds: int) -> bool:
        """Return True if the page asks when so many seconds have passed, and not in those before."""
        return self.questions_in(seconds - 1) == 0 and self.questions_in(1) == 1

    def turn_to(self, *, hidden: bool) -> None:
        """Let the reader look at another tab, or at this one again."""
        self.page.evaluate(
            """hidden => {
                Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
                document.dispatchEvent(new Event("visibilitychange"));
            }""",
            hidden,
        )


def has_news(answer: Any) -> bool:
    return bool(answer.url.endswith("/news") and answer.status == 200)


def chased(chromium: Chromium, **wanted: Any) -> Playing:
    return chromium.table.game(chromium.people, position=CHASE, **wanted)


def test_a_page_asks_every_half_minute(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        reader = Reader(page, game)
        assert all(reader.asks_after(30) for _ in range(3))


def test_where_the_clock_gives_under_an_hour_it_asks_every_five_seconds(chromium: Chromium):
    game = chased(chromium, clock={"kind": "per_phase", "mr_x": "PT10M", "detectives": "PT10M"})
    with chromium.page(game.people[1]) as page:
        reader = Reader(page, game)
        assert all(reader.asks_after(5) for _ in range(3))


def test_while_bots_are_to_move_it_asks_every_five_seconds_and_shows_what_they_did(chromium: Chromium):
    table, ada = chromium.table, chromium.people[0]
    seats = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective", "player": ada.id}]
    opened = ada.post("/games", {"edition": "condensed", "seats": seats}).json["id"]
    game = Playing(table, opened, [ada])
    ada.post(f"{game.path}/start")
    with chromium.page(ada) as page:
        reader = Reader(page, game)
        assert all(reader.asks_after(5) for _ in range(3))
        table.clock.turn(minutes=1)
        table.tick()
        assert reader.asks_after(5)
        page.get_by_role("status").filter(has_text="It is your turn").wait_for()
        assert reader.asks_after(30)


def test_the_tab_of_a_hidden_page_says_within_a_minute_whose_turn_it_is(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        reader = Reader(page, game)
        reader.turn_to(hidden=True)
        game.move(game.people[0], "black 100")
        with page.expect_response(has_news):
            assert reader.asks_after(60)
        page.locator(CALLING).wait_for(state="attached")
        assert page.title().startswith("● Your move: ")
        game.move(game.people[1])
        with page.expect_response(has_news):
            reader.questions_in(60)
        page.locator(QUIET).wait_for(state="attached")
        assert "Your move" not in page.title()


def test_a_hidden_page_asks_once_a_minute_and_shows_what_happened_when_it_is_looked_at_again(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        reader = Reader(page, game)
        assert reader.asks_after(30)
        reader.turn_to(hidden=True)
        game.move(game.people[0], "black 100")
        with page.expect_response(has_news):
            assert reader.asks_after(60)
        page.locator(CALLING).wait_for(state="attached")
        assert page.title().startswith("● Your move: ")
        assert all(reader.asks_after(60) for _ in range(3)), "one piece of news is asked for once"
        turn = page.get_by_role("status").filter(has_text="It is your turn")
        assert turn.count() == 0, "its reader has still to see the pawn move"
        reader.turn_to(hidden=False)
        page.clock.run_for(1)
        turn.wait_for()
        assert page.title().startswith("Your move: ")
        assert reader.asks_after(30)
