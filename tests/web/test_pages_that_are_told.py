"""Pages of a game to which a stream says when to ask for news, in Chromium."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.patience import eventually
from tests.scenes import CHASE, mail_only_to
from tests.table import Playing, Table
from tests.web.chromium import Chromium, launched

pytestmark = pytest.mark.usefixtures("without_faults")
TURN = "It is your turn"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("told"), sandbox="1"), has_streams=True) as found:
        mail_only_to(found.table)  # and so to nobody
        found.script = COUNTING
        yield found


COUNTING = """
    const Plain = window.EventSource;
    window.streams = 0;
    window.EventSource = class extends Plain {
        constructor(address) {
            super(address);
            window.streams += 1;
            this.addEventListener("open", () => (window.isTold = true));
        }
    };
"""


def chased(chromium: Chromium) -> Playing:
    return chromium.table.game(chromium.people, position=CHASE)


def opened(page: Any, game: Playing) -> Any:
    """Show the game, and wait until the page is told; its own clock stands still, so it asks for no other reason."""
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.goto(f"/games/{game.id}")
    return page


def shows_turn(page: Any) -> None:
    page.get_by_role("status").filter(has_text=TURN).wait_for()


def test_a_move_shows_on_the_page_of_the_next_player_at_once(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        opened(page, game)
        eventually(lambda: page.evaluate("window.isTold"))
        game.move(game.people[0], "black 100")
        shows_turn(page)


def test_all_tabs_of_a_browser_share_one_stream_and_another_one_takes_it_over(chromium: Chromium):
    game, other = chased(chromium), chased(chromium)
    with chromium.page(game.people[1]) as page:
        opened(page, game)
        eventually(lambda: page.evaluate("window.isTold"))
        second = page.context.new_page()
        second.add_init_script(chromium.script)
        opened(second, other)
        eventually(lambda: page.evaluate("window.streams === 2"))  # the same one, which now names both games
        assert second.evaluate("window.streams") == 0
        other.move(other.people[0], "black 100")
        shows_turn(second)
        page.goto("/sign-in")
        eventually(lambda: second.evaluate("window.isTold"))
        other.move(other.people[1])
        second.get_by_role("status").filter(has_text=TURN).wait_for(state="detached")
        second.close()


def test_a_hidden_tab_says_so_in_its_title(chromium: Chromium):
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        opened(page, game)
        eventually(lambda: page.evaluate("window.isTold"))
        page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
        game.move(game.people[0], "black 100")
        eventually(lambda: page.evaluate("document.title.startsWith('● Your move: ')"))


def test_a_page_without_locks_is_told_as_well(chromium: Chromium):
    """As over plain HTTP in a home network."""
    game = chased(chromium)
    with chromium.page(game.people[1]) as page:
        page.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined })")
        opened(page, game)
        page.clock.run_for(300)
        eventually(lambda: page.evaluate("window.isTold"))
        game.move(game.people[0], "black 100")
        shows_turn(page)
