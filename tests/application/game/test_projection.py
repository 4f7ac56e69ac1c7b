"""Views of a game that has not begun."""

import pytest

from tests.table import Table


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/log", {"log": []}),
        ("/deadline", {"due_at": None, "steps": [], "goes": []}),
        ("/legal-moves", {"turn": None, "moves": []}),
    ],
)
def test_an_open_game_has_nothing_to_tell_yet(table: Table, path: str, told: object) -> None:
    ada = table.person("Ada")
    game_id = ada.post("/games", {"edition": "condensed"}).json["id"]
    assert ada.get(f"/games/{game_id}{path}").json == told


def test_an_open_game_has_no_record(table: Table) -> None:
    ada = table.person("Ada")
    game_id = ada.post("/games", {"edition": "condensed"}).json["id"]
    answer = ada.get(f"/games/{game_id}/record")
    assert (answer.status_code, answer.json["type"]) == (409, "game-not-running")
