"""The event lists: what happened, in its order, read on from where one stopped."""

import http.client
import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.kept import again
from tests.rows import for_each
from tests.serving import serving
from tests.streaming import WAIT, Listener, wait_for_news
from tests.table import Person, Playing, Table


def told(person: Person, path: str, **query: object) -> dict:
    answer = person.get(path, query_string=query)
    assert answer.status_code == 200, answer.json
    return answer.json


def read_on(person: Person, path: str, limit: int) -> Iterator[dict]:
    """All events, some at a time."""
    page = told(person, path, limit=limit)
    while page["events"]:
        assert len(page["events"]) <= limit
        yield from page["events"]
        page = told(person, path, limit=limit, after=page["next"])


def test_the_events_of_a_game_are_numbered_without_gaps_from_its_opening_on(game: Playing):
    game.play_round()
    events = told(game.people[1], f"{game.path}/events")["events"]
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    assert [event["kind"] for event in events][:2] == ["opened", "joined"]
    assert events[-1]["kind"] == "moved"


def test_the_numbers_are_those_of_the_seal(game: Playing):
    view = game.view(game.people[1])
    assert told(game.people[1], f"{game.path}/events")["next"] == view["seal"]["event"]


def test_who_reads_on_misses_nothing_and_gets_nothing_twice(game: Playing):
    game.play_round()
    whole = told(game.people[2], f"{game.path}/events")["events"]
    assert list(read_on(game.people[2], f"{game.path}/events", 3)) == whole


def test_who_has_all_is_told_nothing_until_something_happens(game: Playing):
    person = game.people[3]
    have = told(person, f"{game.path}/events")["next"]
    assert told(person, f"{game.path}/events", after=have) == {"events": [], "next": have}
    game.move(game.people[0])
    assert [event["data"]["pawn"] for event in told(person, f"{game.path}/events", after=have)["events"]] == ["mr_x"]


def test_events_tell_a_detective_no_station_of_mr_x(game: Playing):
    move = next(notation for notation in game.legal(game.people[0]) if "double" not in notation)
    game.move(game.people[0], move)
    newest = told(game.people[1], f"{game.path}/events")["events"][-1]
    assert newest["data"]["notation"] == f"{move.split()[0]} ?"


@pytest.fixture
def two_games(table: Table) -> list[Playing]:
    game = again(table, _two_games, "two games with events")
    (other,) = (found["id"] for found in game.people[1].get("/games?mine=true").json["games"] if found["id"] != game.id)
    return [game, Playing(table, other, game.people[:2])]


def _two_games(table: Table) -> Playing:
    """Return the first of two games; the second is one of the first two people, of another edition."""
    people = table.people(3)
    games = [table.game(people), table.game(people[:2], edition="condensed")]
    for game in (*games, games[0]):
        table.clock.turn(minutes=5)
        game.play_round()
    return games[0]


def test_my_events_are_those_of_all_my_games_by_time(two_games: list[Playing]):
    ben = two_games[0].people[1]
    mine, *others = [list(read_on(ben, "/me/events", limit)) for limit in (1000, 4, 1)]
    assert others == [mine, mine], "however many come at once"
    assert [event["at"] for event in mine] == sorted(event["at"] for event in mine)
    for game in two_games:
        of_game = [{key: event[key] for key in event if key != "game"} for event in mine if event["game"] == game.id]
        assert of_game == told(ben, f"{game.path}/events")["events"]


def test_my_events_are_only_those_of_my_games(two_games: list[Playing]):
    cleo = two_games[0].people[2]
    assert {event["game"] for event in told(cleo, "/me/events")["events"]} == {two_games[0].id}


def test_an_event_that_comes_to_light_late_is_not_missed(two_games: list[Playing], table: Table):
    """Another process had timed it before the newest event that was read, and committed it after."""
    ben = two_games[0].people[1]
    have = told(ben, "/me/events", limit=1000)["next"]
    table.clock.turn(seconds=-30)
    two_games[1].move(two_games[1].people[0])
    table.clock.turn(seconds=30)
    assert len(told(ben, "/me/events", after=have)["events"]) == 1


def test_a_place_stays_short_however_much_happens_within_a_minute(two_games: list[Playing], table: Table):
    """It is part of an address, and the server takes only so much of one."""
    ben = two_games[0].people[1]
    place, seen = told(ben, "/me/events", limit=1000)["next"], []
    for _ in range(12):
        table.clock.turn(seconds=20)
        for game in two_games:
            game.play_round()
        page = told(ben, "/me/events", limit=1000, after=place)
        seen += page["events"]
        place = page["next"]
    assert len(seen) == len({(event["game"], event["number"]) for event in seen}) > 60
    assert len(place) < 250


def test_a_place_that_an_earlier_version_gave_is_read(two_games: list[Playing]):
    ben = two_games[0].people[1]
    *_, last = told(ben, "/me/events", limit=1000)["events"]
    seen = [[last["game"], number] for number in range(1, last["number"] + 1)]
    place = b64encode(json.dumps([last["at"], seen]).encode()).decode()
    assert told(ben, "/me/events", after=place)["events"] == []


@for_each(
    "after",
    [
        b64encode(b'["2026-11-24T06:35:50Z",[["x",1,1000000000000,0]]]').decode(),
        b64encode(b'["9999-12-31T23:59:59.999999-14:00",[]]').decode(),
        b64encode(b'["1970-01-01T00:00:00+14:00",[]]').decode(),
        b64encode(b'["2026-11-24T06:35:50Z",[["x",3,1,0]]]').decode(),
        "x",
        "bm9uc2Vuc2U=",
        "WyIyMDI2IiwgW11d",
        "W10=",
        "-1",
        "é",
    ],
)
def test_a_place_that_is_none_is_refused(game: Playing, after: str):
    answer = game.people[0].get("/me/events", query_string={"after": after})
    assert (answer.status_code, answer.json["type"]) == (422, "form")


@for_each("query", [{"after": "-1"}, {"after": "x"}, {"limit": "0"}, {"limit": "1001"}, {"before": "3"}])
def test_a_question_of_another_form_is_refused(game: Playing, query: dict):
    assert game.people[0].get(f"{game.path}/events", query_string=query).status_code == 422


def test_an_answer_says_when_to_ask_again_and_is_cheap_to_ask_for_again(game: Playing):
    first = game.people[1].get(f"{game.path}/events")
    again = game.people[1].get(f"{game.path}/events", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.headers["Retry-After"]) == (304, "60")


def test_a_private_game_has_no_events_for_strangers(table: Table):
    ada, gus = table.people(2)
    game = ada.post("/games", {"edition": "condensed", "visibility": "private"}).json["id"]
    hidden, missing = gus.get(f"/games/{game}/events"), gus.get("/games/nothing/events")
    assert ada.get(f"/games/{game}/events").status_code == 200
    assert hidden.status_code == 404
    assert hidden.data == missing.data


def test_a_program_that_would_wait_for_events_is_told_at_once_when_to_ask_again(game: Playing):
    ben = game.people[1]
    assert ben.get("/me/events", query_string={"wait": 30}).status_code == 200, "from the beginning there are some"
    have = told(ben, "/me/events")["next"]
    for wait in (0, 30, 60):
        answer = ben.get("/me/events", query_string={"wait": wait, "after": have})
        assert (answer.status_code, answer.data, answer.headers["Retry-After"]) == (304, b"", "5")
    game.move(game.people[0])
    assert ben.get("/me/events", query_string={"wait": 30, "after": have}).json["events"]


@for_each("wait", ["61", "-1", "soon", "1.5", ""])
def test_a_wait_that_is_too_long_or_no_number_is_refused(game: Playing, wait: str):
    answer = game.people[1].get("/me/events", query_string={"wait": wait})
    assert (answer.status_code, answer.json["type"]) == (422, "form")


@pytest.fixture
def listen(table: Table) -> Iterator[Callable[[Person], Listener]]:
    with serving(table.app, has_streams=True) as port, ExitStack() as stack:

        def begin(person: Person) -> Listener:
            wait_for_news(table, port)
            listener = Listener(port, "/api/v1/me/stream", Authorization=f"Bearer {person.token}")
            stack.callback(listener.close)
            return listener

        yield begin


def test_a_program_is_told_to_ask_when_there_are_events_for_it(game: Playing, listen: Any):
    ada, ben = game.people[:2]
    streams = [listen(ada), listen(ben)]
    game.move(ada)
    assert [stream.hears() for stream in streams] == ["ask", "ask"]


def test_a_program_is_told_of_a_game_that_is_new_to_it(table: Table, listen: Any):
    host, invited, other = table.people(3)
    streams = [listen(person) for person in (invited, other)]
    for person in (invited, other):
        seats = [{"role": "mr_x", "player": host.id}, {"role": "detective", "player": person.id}]
        assert host.post("/games", {"edition": "condensed", "seats": seats}).status_code == 201
    assert [stream.hears() for stream in streams] == ["ask", "ask"]


@pytest.mark.parametrize("to", ["team", "all"])
def test_a_program_is_told_of_talk_where_it_is_among_the_events_and_nowhere_else(table: Table, listen: Any, to: str):
    people = _, ben, *_ = table.people(4)
    game = table.game(people[:3], "condensed")
    streams = [listen(person) for person in people]
    assert ben.post(f"{game.path}/messages", {"to": to, "text": "I go west"}).status_code == 201
    has_entry = [
        any(each["kind"] == "said" for each in told(person, "/me/events", limit=1000)["events"]) for person in people
    ]
    for person in people:
        revoke(person)
    assert has_entry == [to == "all", False, True, False]
    assert [stream.hears() for stream in streams] == ["ask" if has else "" for has in has_entry]


def test_a_program_of_mr_x_is_told_the_same_whether_or_not_the_team_talks(table: Table, listen: Any):
    for team_talks, names in ((True, ("Gwen", "Hugo", "Ivo")), (False, ("Jan", "Kim", "Lea"))):
        people = mr_x, ben, cleo = table.persons(*names)
        game = table.game(people, "condensed")
        stream = listen(mr_x)
        said = [("team", cleo), ("all", ben), ("team", ben), ("all", cleo)]
        for to, person in said if team_talks else said[1::2]:
            assert person.post(f"{game.path}/messages", {"to": to, "text": "hello"}).status_code == 201
            if to == "all":
                assert stream.hears() == "ask"
        revoke(mr_x)
        assert stream.hears() == ""


def test_a_program_is_told_of_a_reminder_where_it_goes_to_its_player(table: Table, listen: Any):
    people = table.people(3)
    game = table.game(people, "condensed")
    streams = [listen(person) for person in people]
    for _ in range(60):
        table.clock.turn(hours=1)
        table.tick()
        if any(each["kind"] == "reminded" for each in told(people[0], "/me/events", limit=1000)["events"]):
            break
    assert game.turn == 1
    for person in people:
        revoke(person)
    assert [stream.hears() for stream in streams] == ["ask", "", ""]


def test_a_head_of_a_stream_is_answered_and_ends(game: Playing, table: Table):
    with serving(table.app, has_streams=True) as port:
        for path in ("/api/v1/me/stream", f"/news-stream?game={game.id}"):
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
            for _ in range(2):
                line.request("HEAD", path, headers={"Authorization": f"Bearer {game.people[0].token}"})
                answer = line.getresponse()
                assert (answer.status, answer.read()) == (200, b""), path
            line.close()


@pytest.mark.parametrize("text", ["[" * 1000 + "]" * 1000, "[" * 20_000, "{}", "[1", "[]"])
def test_a_place_that_no_answer_gave_is_refused(game: Playing, text: str):
    after = urlsafe_b64encode(text.encode()).decode()
    answer = game.people[0].get("/me/events", query_string={"after": after})
    assert (answer.status_code, answer.json["type"]) == (422, "form")


def test_a_program_is_told_nothing_of_games_of_others_of_talk_and_of_moves_sent_ahead(table: Table, listen: Any):
    people = table.people(4)
    game = table.game(people[:3], "condensed")
    game.move(people[0])
    mover = game.mover()
    late = next(person for person in people[1:3] if person is not mover)
    mr_x, watching = listen(people[0]), listen(people[3])
    assert late.post(f"{game.path}/messages", {"to": "team", "text": "I go west"}).status_code == 201
    assert game.move(late).status_code == 202
    for person in (people[0], people[3]):
        revoke(person)
    assert [mr_x.hears(), watching.hears()] == ["", ""]


def test_the_stream_of_a_program_ends_when_its_token_is_revoked(table: Table, listen: Any):
    ben = table.person("Bea")
    stream = listen(ben)
    revoke(ben)
    assert stream.hears() == ""


def revoke(person: Person) -> None:
    [token] = [each["id"] for each in person.get("/me/tokens").json["tokens"]]
    assert person.request("DELETE", f"/me/tokens/{token}").status_code == 204


def test_the_streams_of_a_program_and_of_the_pages_of_its_player_count_together(table: Table, listen: Any):
    [ada] = table.people(1)
    assert [listen(ada).status for _ in range(13)] == [200] * 12 + [204]


def test_a_stream_needs_a_token_that_reads_and_under_another_server_there_is_none(table: Table):
    [ada] = table.people(1)
    assert ada.get("/me/stream").status_code == 204
    assert table.client.get("/api/v1/me/stream").status_code == 401
    ada.token = ada.post("/me/tokens", {"name": "mover", "scopes": ["play"]}).json["token"]
    assert ada.get("/me/stream").status_code == 403
