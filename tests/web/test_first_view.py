"""The first view of a game's page after a start: what it waits for has been loaded by then."""

from unittest import mock

from server import web
from tests.conftest import Table
from tests.scenes import hunt
from tests.web.game.test_page import Browser


def test_the_first_view_of_a_game_compiles_no_template(table: Table):
    hunted = hunt(table)
    web.prepare(table.app)
    with mock.patch.object(table.app.jinja_env, "compile", side_effect=AssertionError("a template was compiled")):
        for person in (*hunted.people[:2], None):
            assert Browser(table, person).get(f"/games/{hunted.id}").status_code == 200
