"""Bad input gets one clear sentence that names what was wrong, and never a fault of the server."""

import gzip
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.positions import position
from tests.rows import for_each
from tests.table import Person, Playing, Table

EDITION = "ravensburger-2000"
OTHERS = [{"role": "detective"}] * 2


def told(answer: TestResponse) -> str:
    """The sentence of an error, which must be one: begun with a capital or a field's name, and ended."""
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.json)
    sentence: str = answer.json["detail"]
    assert sentence.endswith(".")
    assert len(sentence) < 500
    return sentence


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """One table for all requests that are refused: they leave nothing behind."""
    return Table(tmp_path_factory.mktemp("bad"), sandbox="1")


@pytest.fixture(scope="module")
def ada(shared: Table) -> Person:
    return shared.person("Ada")


@pytest.fixture(scope="module")
def running(shared: Table, ada: Person) -> Playing:
    place = position(104, red=(117, {"taxi": 5}), log_used=23, his={"taxi": 3, "double": 2})
    return shared.game([ada, shared.person("Ben")], "milton-bradley-1985", position=place)


@pytest.fixture(scope="module")
def still_open(shared: Table) -> str:
    """The path of a game of three that nobody has joined."""
    made = shared.person("Cleo").post("/games", {"edition": EDITION, "players": 3})
    return f"/games/{made.json['id']}"


# Opening a game


@for_each(
    "body, named",
    [
        ({}, "edition"),
        ({"edition": "scotland-yard"}, "'scotland-yard'"),
        ({"edition": ""}, "edition"),
        ({"edition": None}, "edition"),
        ({"edition": 2000}, "edition"),
        ({"edition": EDITION, "players": 7}, "3 to 6 people"),
        ({"edition": EDITION, "players": 2}, "3 to 6 people"),
        ({"edition": "ravensburger-2013", "players": 4}, "bobbies"),
        ({"edition": EDITION, "players": 0}, "players"),
        ({"edition": EDITION, "players": -1}, "players"),
        ({"edition": EDITION, "players": 3.5}, "players"),
        ({"edition": EDITION, "players": "3"}, "players"),
        ({"edition": EDITION, "players": True}, "players"),
        ({"edition": EDITION, "players": 10**30}, "players"),
        ({"edition": EDITION, "plyers": 3}, "plyers"),
        ({"edition": EDITION, "options": {"speed": 1}}, "'speed'"),
        ({"edition": EDITION, "options": {"self": 1}}, "'self'"),
        ({"edition": EDITION, "options": {"": 1}}, "option ''"),
        ({"edition": EDITION, "options": {"cut_off": "yes"}}, "cut_off"),
        ({"edition": EDITION, "options": {"log_windows": 10**30}}, "log_windows"),
        ({"edition": EDITION, "options": {"board": []}}, "board"),
        ({"edition": EDITION, "options": {"players": [3, 9]}}, "players"),
        ({"edition": EDITION, "options": []}, "options"),
        ({"edition": EDITION, "options": None}, "options"),
        ({"edition": EDITION, "clock": {"kind": "fischer"}}, "'fischer'"),
        ({"edition": EDITION, "clock": {"kind": None}}, "kind None"),
        ({"edition": EDITION, "clock": {"self": "P1D"}}, "'self'"),
        ({"edition": EDITION, "clock": {"mr_x": "PT9M59S"}}, "10 minutes"),
        ({"edition": EDITION, "clock": {"detectives": "P366D"}}, "365 days"),
        ({"edition": EDITION, "clock": {"detectives": "two days"}}, "'two days'"),
        ({"edition": EDITION, "clock": {"mr_x": 3}}, "clock.mr_x"),
        ({"edition": EDITION, "clock": {"mr_x": "P٢D"}}, "clock.mr_x"),
        ({"edition": EDITION, "clock": {"reminder": 1}}, "clock.reminder"),
        ({"edition": EDITION, "clock": {"reminder": True}}, "clock.reminder"),
        ({"edition": EDITION, "clock": "P2D"}, "clock"),
        ({"edition": EDITION, "visibility": "secret"}, "visibility"),
        ({"edition": EDITION, "label": "two\nlines"}, "label"),
        ({"edition": EDITION, "label": "two\u2028lines"}, "label"),
        ({"edition": EDITION, "label": "turned\u202eround"}, "label"),
        ({"edition": EDITION, "label": "x" * 81}, "label"),
        ({"edition": EDITION, "seats": [{"role": "detective"}] * 3}, "mr_x"),
        ({"edition": EDITION, "seats": [{"role": "mr_x"}] * 2 + [{"role": "detective"}]}, "mr_x"),
        ({"edition": EDITION, "seats": [{"role": "mr_x"}] + [{"role": "detective"}] * 6}, "seats"),
        ({"edition": EDITION, "seats": [{"role": "mr_x"}, {"role": "bobby"}]}, "seats.1.role"),
        ({"edition": EDITION, "seats": [{"role": "mr_x"}, {}]}, "seats.1.role"),
        ({"edition": EDITION, "seats": {"1": "mr_x"}}, "seats"),
        ({"edition": EDITION, "seats": [1, 2, 3]}, "seats.0"),
        ({"edition": EDITION, "players": 4, "seats": [{"role": "mr_x"}] + [{"role": "detective"}] * 2}, "players"),
        ({"edition": EDITION, "seats": [{"role": "mr_x", "player": "nobody"}, *OTHERS]}, "'nobody'"),
        ({"edition": EDITION, "seats": [{"role": "mr_x", "player": "a\0b"}, {"role": "detective"}]}, "seats.0.player"),
    ],
)  # fmt: skip
def test_a_game_that_cannot_be_opened_says_what_is_wrong(ada: Person, body: Any, named: str):
    answer = ada.post("/games", body)
    assert named in told(answer)
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert ada.get("/games?mine=true&status=open").json == {"games": []}, "nothing was opened"


def test_a_whole_number_may_be_written_with_a_point(shared: Table):
    """As JSON Schema has it: some languages write every number so."""
    made = shared.person("Dora").post("/games", {"edition": EDITION, "players": 3.0, "options": {"log_windows": 20.0}})
    assert (made.status_code, len(made.json["seats"]), made.json["options"]["log_windows"]) == (201, 3, 20)


def test_one_player_cannot_be_named_for_two_seats(ada: Person):
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ada.id}, {"role": "detective"}]
    assert "one seat" in told(ada.post("/games", {"edition": EDITION, "seats": seats}))


GOOD = position(104, red=117)


@for_each(
    "change, named",
    [
        ({"mr_x": None}, "mr_x"),
        ({"mr_x": {"station": 117, "tickets": {}}}, "117"),
        ({"mr_x": {"station": 0, "tickets": {}}}, "mr_x.station"),
        ({"mr_x": {"station": [104], "tickets": {}}}, "mr_x.station"),
        ({"mr_x": {"station": 104, "tickets": {"taxi": -1}}}, "mr_x.tickets.taxi"),
        ({"mr_x": {"station": 104, "tickets": {"horse": 1}}}, "'horse'"),
        ({"detectives": []}, "detectives"),
        ({"detectives": 3}, "detectives"),
        ({"detectives": [{"pawn": "mr_x", "station": 1, "tickets": {}}]}, "'mr_x'"),
        ({"detectives": [{"pawn": ["red"], "station": 1, "tickets": {}}]}, "detectives[0].pawn"),
        ({"detectives": [{"pawn": "red"}]}, "'station'"),
        ({"log_used": 99}, "log_used"),
        ({"to_move": []}, "to_move"),
        ({"to_move": {}}, "to_move"),
        ({"to_move": "blue"}, "'blue'"),
        ({"moved": [[]]}, "moved"),
        ({"moved": "red"}, "moved"),
        ({"last_seen": {"window": 3, "station": 46}}, "window 3"),
        ({"last_seen": [3, 46]}, "last_seen"),
    ],
)
def test_a_position_that_cannot_be_says_where_it_is_wrong(ada: Person, change: dict[str, Any], named: str):
    answer = ada.post("/games", {"edition": EDITION, "position": GOOD | change})
    assert named in told(answer)
    assert answer.json["detail"].startswith("position: ")


@for_each("place", [{}, {"detectives": 3}, {"mr_x": {}}, {"detectives": [{"pawn": "red"}]}])
def test_half_a_position_is_refused(ada: Person, place: Any):
    assert "position" in told(ada.post("/games", {"edition": EDITION, "position": place}))


def test_a_position_is_for_as_many_people_as_it_has_pawns(ada: Person):
    assert "2 seats" in told(ada.post("/games", {"edition": EDITION, "position": GOOD, "players": 4}))


def test_a_position_needs_the_sandbox(tmp_path):
    answer = Table(tmp_path).person("Ada").post("/games", {"edition": EDITION, "position": GOOD})
    assert (answer.status_code, answer.json["type"]) == (403, "forbidden")
    assert "SANDBOX" in told(answer)


# Seats and the start


@for_each(
    "body, named",
    [
        ({"seat": 6}, "1 (Mr. X) to 3"),
        ({"seat": 0}, "seat"),
        ({"seat": "2"}, "seat"),
        ({"seat": True}, "seat"),
        ({"seat": None}, "seat"),
        ({"seat": 10**40}, "seat"),
        ({"role": "host"}, "role"),
        ({"role": ["mr_x"]}, "role"),
        ({"seat": 1, "role": "detective"}, "no such seat"),
        ({"code": ["x"]}, "code"),
        ({"chair": 2}, "chair"),
    ],
)
def test_a_seat_that_there_is_not_is_refused(ada: Person, still_open: str, body: Any, named: str):
    answer = ada.post(f"{still_open}/seats", body)
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert named in told(answer)


def test_a_game_does_not_start_without_mr_x(table: Table):
    ada, ben, cleo = table.people(3)
    path = f"/games/{ada.post('/games', {'edition': EDITION, 'players': 3}).json['id']}"
    for person, seat in ((ben, 2), (cleo, 3)):
        person.post(f"{path}/seats", {"seat": seat})
    refused = ada.post(f"{path}/start")
    assert (refused.status_code, refused.json["type"], refused.json["open"]) == (409, "seats-open", [1])
    assert "The game cannot start: seat 1 (Mr. X) is open." in told(refused)


# Moves


@for_each("body", [{"notation": "red taxi 118"}, {"pawn": "red", "ticket": "taxi", "to": 118}])
def test_a_move_for_anothers_pawn_is_refused(running: Playing, ada: Person, body: dict[str, Any]):
    refused = ada.post(f"{running.path}/moves", {"turn": 1, **body})
    assert (refused.status_code, refused.json["type"]) == (403, "forbidden")
    assert told(refused) == "Red is not yours to move; yours: Mr. X."


@for_each(
    "notation, reason, named",
    [
        ("taxi 999", "no-such-station", "999"),
        ("taxi 104", "stay", "104"),
        ("taxi 46", "not-connected", "46"),
        ("bus 86", "wrong-ticket", "taxi"),
        ("black 86", "no-ticket", "black"),
        ("double taxi 86 taxi 69", "no-window-left", "window"),
        ("taxi 86 surface red:taxi", "no-voluntary-surfacing", "shows himself"),
    ],
)
def test_an_illegal_move_says_which_rule_forbids_it(
    running: Playing, ada: Person, notation: str, reason: str, named: str
):
    refused = ada.post(f"{running.path}/moves", {"turn": 1, "notation": notation})
    assert (refused.status_code, refused.json["type"], refused.json["reason"]) == (422, "illegal", reason)
    assert named in told(refused)
    assert [move["notation"] for move in refused.json["legal"]] == ["taxi 86", "taxi 116"]


@for_each(
    "body, named",
    [
        ({}, "turn"),
        ({"turn": 1}, "notation; ticket and to; double"),
        ({"turn": 1, "notation": "taxi 86", "ticket": "taxi", "to": 86}, "one of"),
        ({"turn": 1, "ticket": "taxi"}, "ticket and to"),
        ({"turn": 1, "to": 86}, "ticket and to"),
        ({"turn": 1, "ticket": "horse", "to": 86}, "ticket"),
        ({"turn": 1, "ticket": "taxi", "to": "86"}, "to"),
        ({"turn": 1, "ticket": "taxi", "to": 86.5}, "to"),
        ({"turn": 1, "ticket": "taxi", "to": True}, "to"),
        ({"turn": 1, "ticket": "taxi", "to": None}, "to"),
        ({"turn": 1, "ticket": ["taxi"], "to": 86}, "ticket"),
        ({"turn": 1, "double": [{"ticket": "taxi", "to": 86}]}, "double"),
        ({"turn": 1, "double": [{"ticket": "taxi"}, {"ticket": "taxi", "to": 86}]}, "double.0.to"),
        ({"turn": 1, "double": {"ticket": "taxi", "to": 86}}, "double"),
        ({"turn": 1, "notation": ""}, "notation"),
        ({"turn": 1, "notation": "walk 86"}, '"walk"'),
        ({"turn": 1, "notation": "taxi"}, "ticket and a station"),
        ({"turn": 1, "notation": "taxi 86 now"}, '"now"'),
        ({"turn": 1, "notation": "taxi ٨٦"}, "station number"),
        ({"turn": 1, "notation": "taxi 86", "surface": {}}, "surface"),
        ({"turn": 1, "ticket": "taxi", "to": 86, "surface": {"mr_x": "taxi"}}, "surface"),
        ({"turn": 1, "ticket": "taxi", "to": 86, "surface": ["red"]}, "surface"),
        ({"turn": 1, "notation": ["taxi 86"]}, "notation"),
        ({"turn": 1, "notation": "taxi 86", "pawn": "black"}, "pawn"),
        ({"turn": 1, "notation": "taxi 86", "self": 1}, "self"),
        ({"turn": "1", "notation": "taxi 86"}, "turn"),
        ({"turn": 0, "notation": "taxi 86"}, "turn"),
        ({"turn": 1.5, "notation": "taxi 86"}, "turn"),
        ({"turn": True, "notation": "taxi 86"}, "turn"),
        ({"turn": None, "notation": "taxi 86"}, "turn"),
        ({"turn": 10**300, "notation": "taxi 86"}, "turn"),
    ],
)
def test_a_move_of_the_wrong_form_says_what_is_wrong_with_it(running: Playing, ada: Person, body: Any, named: str):
    refused = ada.post(f"{running.path}/moves", body)
    assert (refused.status_code, refused.json["type"]) == (422, "form")
    assert named in told(refused)


NO_JSON = [
    b"{",
    b"taxi 46",
    b"{'turn': 1}",
    b'{"turn": 1,}',
    b"NaN",
    b'{"turn": NaN, "edition": Infinity}',
    b"\xff\xfe",
    b"\x00",
    b'{"turn": "\xc3\x28"}',
    b"[" * 200_000,
    b'{"a":' * 100_000,
    b'{"turn": ' + b"9" * 5_000 + b"}",
    b'{"label": "\\ud800"}',
    *('{"turn": 1}'.encode(other) for other in ("utf-16", "utf-16-le", "utf-32", "utf-32-be")),
]
NO_OBJECT = [b"[]", b"1", b"null", b"true", b'"taxi 46"', b"[1, 2]", b'[{"turn": 1}]', b"1e999"]


@for_each("path", ["", "/seats", "/moves"])
@for_each("data", [*NO_JSON, *NO_OBJECT])
def test_a_body_that_is_no_json_object_is_refused_as_such(running: Playing, ada: Person, path: str, data: bytes):
    answer = ada.request("POST", f"{running.path}{path}" if path else "/games", data=data)
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert told(answer).startswith("The body must be a JSON object" if data in NO_OBJECT else "The body is not JSON")


def test_a_move_that_is_sent_twice_in_one_body_is_refused_and_not_played(running: Playing, ada: Person):
    before = running.view()["history"]
    for data in (
        '{"turn": 1, "notation": "taxi 86", "notation": "taxi 89"}',
        '{"turn": 1, "turn": 1, "notation": "taxi 86"}',
        '{"turn": 1, "double": [{"to": 86, "to": 89}]}',
    ):
        answer = ada.request("POST", f"{running.path}/moves", data=data)
        assert (answer.status_code, answer.json["type"]) == (422, "form")
        (named,) = answer.json["errors"]
        assert data.count(f'"{named}"') == 2
        assert told(answer) == f"{named}: This is sent more than once."
    assert running.view()["history"] == before


@for_each("query", ["limit=5&limit=6", "limit=5&mine=true&limit=5"])
def test_a_query_parameter_that_is_sent_twice_is_refused(ada: Person, query: str):
    answer = ada.get(f"/games?{query}")
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert told(answer) == "limit: This is sent more than once."


def test_a_body_that_is_too_large_is_refused(ada: Person):
    answer = ada.request("POST", "/games", data=b" " * 1_000_001)
    assert (answer.status_code, answer.json["type"]) == (413, "too-large")


def test_a_body_that_is_compressed_is_refused_as_such(ada: Person):
    answer = ada.request("POST", "/games", data=gzip.compress(b"{}"), headers={"Content-Encoding": "gzip"})
    assert (answer.status_code, answer.json["type"]) == (415, "unsupported-media-type")
    assert told(answer) == "Send the body without a Content-Encoding; it is not unpacked here."


def test_a_name_that_is_not_known_is_told_by_its_beginning(ada: Person):
    answer = ada.post("/games", {"x" * 200_000: 1})
    assert answer.status_code == 422
    assert "x" * 60 + "…" in answer.json["errors"]
    assert len(answer.data) < 1_000


@for_each(
    "query, named",
    [
        ("limit=0", "limit"),
        ("limit=x", "limit"),
        ("limit=101", "limit"),
        ("mine=perhaps", "mine"),
        ("status=won", "status"),
        ("sort=mr_x", "sort"),
        ("after=%00", "after"),
        ("label=a%0Ab", "label"),
    ],
)
def test_a_wrong_filter_is_named(ada: Person, query: str, named: str):
    answer = ada.get(f"/games?{query}")
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert told(answer).startswith(named)


@for_each("game_id", ["%00", "a%0Ab", "%F0%9F%8E%A9", "'--", "x" * 5_000, "AAAA"])
def test_an_id_that_is_none_is_a_game_that_is_not_there(ada: Person, game_id: str):
    answer = ada.get(f"/games/{game_id}")
    assert answer.data == ada.get("/games/aaaa").data
    assert answer.status_code == 404


# Whatever comes


# A typing error in a name goes unnoticed nowhere


@for_each("query", ["dryrun=true", "dry_run=true&dryrun=true", "x="])
def test_a_parameter_that_a_call_does_not_know_is_refused_and_no_move_is_made(
    ada: Person, running: Playing, query: str
):
    before = ada.get(running.path).json["turn"]
    answer = ada.post(f"{running.path}/moves?{query}", {"notation": "taxi 86"})
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert ada.get(running.path).json["turn"] == before


@for_each("path", ["/me", "/games/{}", "/games/{}/legal-moves", "/editions", "/webhooks"])
def test_no_get_takes_a_parameter_it_does_not_know(ada: Person, running: Playing, path: str):
    answer = ada.get(f"{path.format(running.id)}?nonsense=1")
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert "nonsense" in str(answer.json["errors"])


@for_each("body", [b"{", b"[]", b'{"zz": 1}'])
@for_each("method", ["post", "delete"])
def test_a_call_without_a_body_takes_none(ada: Person, running: Playing, method: str, body: bytes):
    answer = ada.request(method, f"{running.path}/draw", data=body)
    assert (answer.status_code, answer.json["type"]) == (422, "form")


def test_only_the_first_errors_are_told_and_how_many_more_there_are(ada: Person):
    answer = ada.post("/games", {"edition": EDITION, "seats": [{"tea": 1}] * 30, **dict.fromkeys(map(str, range(40)))})
    leaves = str(answer.json["errors"]).count("[")
    assert (answer.status_code, leaves) == (422, 20)
    assert answer.json["errors_left_out"] >= 40


@for_each("path", ["/games", "/webhooks/nothing/test"])
def test_a_body_with_more_values_than_anybody_can_mean_is_refused_before_they_are_looked_at(ada: Person, path: str):
    for body in (dict.fromkeys(map(str, range(60_000)), 1), {"seats": [[]] * 60_000}, {"a": [{"b": [1] * 60_000}]}):
        answer = ada.request("POST", path, json=body)
        assert answer.status_code == 422
        assert answer.json["detail"] == "The body has more than 1,000 values; no request needs as many."
        assert len(answer.data) < 300
