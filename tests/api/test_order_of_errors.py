"""A request with several faults is told the first in the promised order, so that no later check speaks early.

401; 404 for a game that is not to be seen; 403 not your seat or pawn; 422 form; 409 game-not-running; 409
stale-turn; 409 not-your-turn; 422 illegal.
"""

from dataclasses import dataclass
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.positions import position
from tests.rows import for_each
from tests.table import Person, Playing, Table

STALE = 99
NOWHERE = "taxi 999"


@dataclass
class Places:
    """One running game, one that is over, one not begun, one nobody else may see; and who asks."""

    table: Table
    ada: Person  # Mr. X
    ben: Person  # red
    gus: Person  # has no seat anywhere
    running: Playing
    over: Playing
    open: Playing
    hidden: Playing

    def ask(self, who: str, game: str, body: Any, key: str | None = None) -> TestResponse:
        headers = {} if key is None else {"Idempotency-Key": key}
        path = f"/api/v1{getattr(self, game).path}/moves" if game != "missing" else "/api/v1/games/aaaa/moves"
        if who != "nobody":
            headers["Authorization"] = f"Bearer {getattr(self, who).token}"
        data = {"data": body} if isinstance(body, bytes) else {"json": body}
        return self.table.client.post(path, headers=headers, **data)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    table = Table(tmp_path_factory.mktemp("order"), sandbox="1", min_turn="PT1S")
    ada, ben, gus = table.people(3)
    place = position(104, red=117)
    over = table.game([ada, ben], position=position(104, red=(117, {})))
    opened = ada.post("/games", {"edition": "ravensburger-2000", "position": place}).json["id"]
    ben.post(f"/games/{opened}/seats", {"seat": 2})
    hal, ida = table.person("Hal"), table.person("Ida")
    seats = [{"role": "mr_x", "player": hal.id}, {"role": "detective", "player": ida.id}]
    private = {"edition": "ravensburger-2000", "position": place, "seats": seats, "visibility": "private"}
    hidden = Playing(table, hal.post("/games", private).json["id"], [hal, ida])
    ida.post(f"{hidden.path}/seats")
    assert hal.post(f"{hidden.path}/start").status_code == 200
    return Places(
        table, ada, ben, gus,
        running=table.game([ada, ben], position=place),
        over=over,
        open=Playing(table, opened, [ada, ben]),
        hidden=hidden,
    )  # fmt: skip


MOVE = {"turn": 1, "notation": "taxi 86"}


@for_each(
    "who, game, body, status, first",
    [
        # Nobody is told anything about a game, a body or a turn before he has said who he is.
        ("nobody", "running", MOVE, 401, "unauthorized"),
        ("nobody", "missing", b"{", 401, "unauthorized"),
        ("nobody", "hidden", {"turn": STALE, "notation": NOWHERE, "pawn": "red"}, 401, "unauthorized"),
        # Whoever may not see a game learns no more of it, whatever else is wrong.
        ("gus", "hidden", MOVE, 404, "not-found"),
        ("gus", "hidden", b"{", 404, "not-found"),
        ("gus", "missing", b"{", 404, "not-found"),
        ("gus", "hidden", {"pawn": "red", "turn": "x"}, 404, "not-found"),
        # No seat, or not the seat of that pawn, before the form of the rest.
        ("gus", "running", b"{", 403, "forbidden"),
        ("gus", "over", MOVE, 403, "forbidden"),
        ("gus", "running", {"turn": STALE, "notation": NOWHERE}, 403, "forbidden"),
        ("ben", "running", {"pawn": "mr_x"}, 403, "forbidden"),
        ("ben", "running", {"pawn": "mr_x", "turn": "x", "ticket": 7}, 403, "forbidden"),
        ("ben", "running", {"turn": STALE, "notation": "  GREEN taxi 999"}, 403, "forbidden"),
        ("ben", "over", {"turn": STALE, "notation": "green taxi 999"}, 403, "forbidden"),
        ("ada", "open", {"pawn": "red", "turn": 1}, 403, "forbidden"),
        # The form before the state of the game.
        ("ben", "over", b"{", 422, "form"),
        ("ben", "over", {"turn": STALE}, 422, "form"),
        ("ben", "over", {"turn": STALE, "notation": "walk home"}, 422, "form"),
        ("ben", "open", {"turn": True, "notation": NOWHERE}, 422, "form"),
        ("ben", "running", {"turn": STALE, "ticket": "taxi"}, 422, "form"),
        ("ben", "running", {"turn": STALE, "ticket": "walk", "to": 999}, 422, "form"),
        ("ben", "running", {"notation": NOWHERE}, 422, "form"),
        # A game that is not running before the turn.
        ("ben", "over", {"turn": STALE, "notation": NOWHERE}, 409, "game-not-running"),
        ("ben", "open", {"turn": STALE, "notation": NOWHERE}, 409, "game-not-running"),
        # An old turn before whose it is.
        ("ben", "running", {"turn": STALE, "notation": NOWHERE}, 409, "stale-turn"),
        ("ada", "running", {"turn": 2, "notation": NOWHERE}, 409, "stale-turn"),
        # Whose turn it is before what is legal.
        ("ben", "running", {"turn": 1, "notation": NOWHERE}, 409, "not-your-turn"),
        ("ben", "running", {"turn": 1, "pawn": "red", "ticket": "black", "to": 104}, 409, "not-your-turn"),
        # And last the rules; a station that does not exist is against them, and no fault of form.
        ("ada", "running", {"turn": 1, "notation": NOWHERE}, 422, "illegal"),
        ("ada", "running", {"turn": 1, "ticket": "taxi", "to": 0}, 422, "illegal"),
        ("ada", "running", {"turn": 1, "ticket": "taxi", "to": -5}, 422, "illegal"),
        ("ada", "running", {"turn": 1, "ticket": "taxi", "to": 200}, 422, "illegal"),
    ],
)
def test_the_first_fault_is_the_one_that_is_told(
    places: Places, who: str, game: str, body: Any, status: int, first: str
):
    answer = places.ask(who, game, body)
    assert (answer.status_code, answer.json["type"]) == (status, first)
    assert answer.mimetype == "application/problem+json"


@for_each("body", [MOVE, b"[", {"turn": STALE, "pawn": "red"}])
@for_each("method", ["GET", "POST"])
def test_a_hidden_game_and_a_missing_one_are_the_same_byte_for_byte(places: Places, method: str, body: Any):
    gus, hidden = places.gus, places.hidden.path
    data = {"data": body} if isinstance(body, bytes) else {"json": body}
    paths = {
        "GET": ["", "/legal-moves", "/ahead", "/log", "/record", "/deadline"],
        "POST": ["/moves", "/moves?dry_run=true", "/moves?dry_run=perhaps", "/seats", "/start"],
    }[method]
    for path in paths:
        with_key = {"headers": {"Idempotency-Key": "k" * 99}} if method == "POST" else {}
        answers = [gus.request(method, f"{game}{path}", **data, **with_key) for game in (hidden, "/games/aaaa")]
        assert answers[0].status_code == 404, path
        assert answers[0].data == answers[1].data, path
        assert list(answers[0].headers) == list(answers[1].headers), path


@for_each("path", ["/ahead", "/seats/1"])
def test_taking_something_back_in_a_hidden_game_is_as_in_a_missing_one(places: Places, path: str):
    answers = [places.gus.request("DELETE", f"{game}{path}") for game in (places.hidden.path, "/games/aaaa")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].data == answers[1].data


def test_a_dry_run_has_the_same_checks_in_the_same_order(places: Places):
    cases = [
        ("gus", {"turn": STALE}, 403),
        ("ben", {"pawn": "mr_x"}, 403),
        ("ben", {"turn": STALE}, 422),
        ("ben", {"turn": STALE, "notation": NOWHERE}, 409),
        ("ben", {"turn": 1, "notation": NOWHERE}, 409),
        ("ada", {"turn": 1, "notation": NOWHERE}, 422),
    ]
    for who, body, status in cases:
        person = getattr(places, who)
        wet, dry = (person.post(f"{places.running.path}/moves{query}", body) for query in ("", "?dry_run=true"))
        assert wet.status_code == dry.status_code == status
        assert wet.data == dry.data


def test_a_bad_key_is_a_fault_of_form(places: Places):
    assert places.ask("ben", "running", {"pawn": "mr_x"}, key="k" * 65).status_code == 403
    answer = places.ask("ada", "running", {"turn": STALE, "notation": NOWHERE}, key="k" * 65)
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert "Idempotency-Key" in answer.json["detail"]


def test_an_illegal_move_says_why_and_what_would_be_legal(places: Places):
    refused = places.ask("ada", "running", {"turn": 1, "notation": NOWHERE}).json
    assert refused["reason"] == "no-such-station"
    assert "999" in refused["detail"]
    legal = [move["notation"] for move in refused["legal"]]
    assert "taxi 86" in legal
    assert legal == places.running.legal(places.ada)


def test_a_stale_turn_says_which_one_is_awaited(places: Places):
    refused = places.ask("ada", "running", {"turn": STALE, "notation": "taxi 86"}).json
    assert refused["turn"] == 1
    assert "99" in refused["detail"]
    assert "turn 1 is awaited" in refused["detail"]


def test_an_answer_that_asks_for_a_token_says_which_kind(places: Places):
    answer = places.ask("nobody", "running", MOVE)
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@for_each("header", ["", "Bearer", "Bearer bt_wrong", "Basic YWRhOmFkYQ==", "bt_wrong", "Bearer é"])
def test_no_other_token_is_valid(places: Places, header: str):
    answer = places.table.client.get("/api/v1/me", headers={"Authorization": header})
    assert (answer.status_code, answer.json["type"]) == (401, "unauthorized")


def test_every_error_has_the_one_shape(places: Places):
    answers = [
        places.ask("nobody", "running", MOVE),
        places.ask("gus", "hidden", MOVE),
        places.ask("ada", "running", b"["),
        places.ask("ada", "running", {"turn": 1, "notation": NOWHERE}),
        places.ada.request("PUT", "/games"),
        places.ada.get("/nowhere"),
        places.ada.request("POST", "/games", data=b"x" * 1_100_000),
    ]
    assert [answer.status_code for answer in answers] == [401, 404, 422, 422, 405, 404, 413]
    for answer in answers:
        assert answer.mimetype == "application/problem+json"
        assert answer.json.keys() >= {"type", "title", "status", "detail"}
        assert answer.json["status"] == answer.status_code
        assert answer.json["detail"].endswith(".")
