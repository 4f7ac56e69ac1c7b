"""The scripts of the pages, and the one file of those that a game's page has."""

import json
import re

import pytest

from server.engine import Board
from server.engine.ticket_kinds import TRANSPORTS
from server.vocabulary.resources import templates
from server.web.scripts import TOGETHER
from tests.table import Table

SOURCES = {path.stem: path.read_text() for path in (templates() / "web" / "scripts").glob("*.js")}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(tmp_path_factory.mktemp("scripts"))


def test_in_the_one_file_each_script_stands_behind_those_that_it_uses(table: Table):
    text = table.client.get("/scripts/game.js").text
    assert re.findall(r"^const \$(\w+) = ", text, re.MULTILINE) == list(TOGETHER)
    for number, name in enumerate(TOGETHER):
        used = re.findall(r'from "\./(\w+)\.js"', SOURCES.get(name, ""))
        assert set(used) <= set(TOGETHER[:number]), name
    assert not re.search(r"^(?:import|export) ", text, re.MULTILINE), "all of it is bound within the file"


def test_what_the_page_of_a_game_uses_is_one_file_and_each_script_is_there_by_itself_too(table: Table):
    together = table.client.get("/scripts/game.js").text
    for name in SOURCES:
        alone = table.client.get(f"/scripts/{name}.js").text
        used = set(re.findall(r'from "\./(\w+)\.js"', alone))
        assert all(table.client.get(f"/scripts/{each}.js").status_code == 200 for each in used)
    assert len(together) < sum(len(SOURCES.get(name, "")) for name in TOGETHER)


@pytest.mark.parametrize("name", SOURCES)
def test_no_text_of_a_script_goes_over_several_lines(name: str):
    """The server takes comments and indentation away line by line, and would change such a text."""
    assert all(line.count("`") % 2 == 0 for line in SOURCES[name].splitlines())
    assert "/*" not in SOURCES[name]


def test_the_stations_that_scripts_draw_are_those_of_the_boards(table: Table):
    boards = json.loads(table.client.get("/scripts/boards.js").text.removeprefix("export const BOARDS = ").rstrip(";"))
    for name, text in boards.items():
        board = Board.named(name)
        told = {number: station for number, station in enumerate(text.split(" "), 1) if station}
        assert told == {
            number: f"{x},{y}" + "".join(line[0] for line in TRANSPORTS if board.links[line].get(number))
            for number, (x, y) in board.stations.items()
        }
    assert set(boards) == set(Board.names())
