"""The first view of a game's page after a start: what it waits for has been loaded by then."""

from pathlib import Path
from unittest import mock

from server import web
from tests.scenes import CHASE, hunt, mail_only_to
from tests.table import Table
from tests.web.chromium import launched
from tests.web.game.test_page import Browser

# Headers and all. The page itself, 18 KB, is not compressed; of the rest, streets and a font for digits are 4 KB.
MOST_BYTES, MOST_REQUESTS = 62_500, 8


def test_the_first_view_of_a_game_loads_no_template(table: Table):
    hunted = hunt(table)
    web.load(table.app)
    with mock.patch.object(table.app.jinja_env.loader, "load", side_effect=AssertionError("a template was loaded")):
        for person in (*hunted.people[:2], None):
            assert Browser(table, person).get(f"/games/{hunted.id}").status_code == 200


def test_the_first_view_of_a_game_over_the_wire_is_small(tmp_path: Path):
    with launched(Table(tmp_path, sandbox="1")) as chromium:
        mail_only_to(chromium.table)
        game = chromium.table.game(chromium.people, position=CHASE)
        game.move(game.people[0], "black 100")
        with chromium.page(game.people[1]) as page:
            line, sizes = page.context.new_cdp_session(page), []
            line.send("Network.enable")
            line.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
            page.goto(f"/games/{game.id}", wait_until="networkidle")
            page.locator(".stops circle").last.wait_for(state="attached")
            stations = page.locator(".stops title").all_text_contents()
            assert (len(stations), stations[66]) == (199, "67: taxi, bus, underground")
    assert len(sizes) <= MOST_REQUESTS, sizes
    assert sum(sizes) <= MOST_BYTES, sizes
