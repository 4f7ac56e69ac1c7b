"""The client: what it asks, what it keeps, and how it behaves when answers are lost or it is asked to wait."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from blackticket.standalone.client import KEPT, Answer, Client, Problem, Wire

URL = "http://black.example:8000"


class Said:
    """A stream that says something each time it is waited for, and then ends."""

    def __init__(self, said: Sequence[bool]) -> None:
        self.said, self.is_closed = list(said), False

    def wait(self, seconds: float) -> bool:
        assert seconds > 0
        return self.said.pop(0)

    def close(self) -> None:
        self.is_closed = True


class Script:
    """A server that says what it is told to, in order; OSError where an answer is lost."""

    def __init__(self, *answers: Answer | Exception, streams: Sequence[Sequence[bool]] = ()) -> None:
        self.answers = list(answers)
        self.streams = [Said(each) for each in streams]
        self.asked: list[tuple[str, str, Mapping[str, str], Any]] = []
        self.slept: list[float] = []

    def __call__(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        self.asked.append((method, url.removeprefix(URL), headers, json.loads(body) if body else None))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def client(self) -> Client:
        return Client(URL, "bt_secret", sleep=self.slept.append, transport=self, tries=4, listen=self.listen)

    def listen(self, url: str, headers: Mapping[str, str]) -> Any:
        assert (url, headers["Authorization"]) == (f"{URL}/api/v1/me/stream", "Bearer bt_secret")
        if not self.streams:
            raise ConnectionError("no stream")
        return self.streams.pop(0)

    @property
    def keys(self) -> set[str | None]:
        return {headers.get("Idempotency-Key") for _, _, headers, _ in self.asked}


def ok(body: Any = None, status: int = 200, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"content-type": "application/json", **named}, json.dumps(body or {}).encode())


def refusal(status: int, type_: str, /, retry_after: str | None = None, **facts: Any) -> Answer:
    headers = {"content-type": "application/problem+json"}
    if retry_after is not None:
        headers["retry-after"] = retry_after
    told = {"type": type_, "title": "No", "status": status, "detail": "Not so.", **facts}
    return Answer(status, headers, json.dumps(told).encode())


LOST = ConnectionResetError("gone")


def test_a_get_says_who_asks_and_for_what():
    script = Script(ok({"games": [1, 2]}))
    assert list(script.client.games(status="running", mine=True, waiting=False, label="a b")) == [1, 2]
    [(method, path, headers, body)] = script.asked
    assert (method, path, body) == ("GET", "/api/v1/games?status=running&mine=true&waiting=false&label=a+b", None)
    assert headers["Authorization"] == "Bearer bt_secret"


def test_an_answer_that_has_not_changed_is_the_same_object():
    script = Script(ok({"id": "a"}, etag='"1"'), Answer(304, {"etag": '"1"'}, b""), ok({"id": "b"}, etag='"2"'))
    client = script.client
    first, again, changed = (client.game("a") for _ in range(3))
    assert again is first
    assert changed == {"id": "b"}
    assert [headers.get("If-None-Match") for _, _, headers, _ in script.asked] == [None, '"1"', '"1"']


def test_what_is_kept_belongs_to_its_address_and_there_is_an_end_to_it():
    script = Script(*(ok({"events": [], "next": 0}, etag='"e"') for _ in range(KEPT + 3)))
    client = script.client
    for number in range(KEPT + 2):
        client.events("a", number)
    client.events("a", 0)
    assert all("If-None-Match" not in headers for _, _, headers, _ in script.asked)


def test_pages_are_followed_to_the_last():
    second = "/api/v1/games?after=b&limit=2"
    script = Script(ok({"games": ["a", "b"]}, link=f'<{second}>; rel="next"'), ok({"games": ["c"]}))
    assert list(script.client.games(limit=2)) == ["a", "b", "c"]
    assert script.asked[1][1] == second


def test_a_page_on_another_server_is_not_asked_for_as_it_would_get_the_token():
    for elsewhere in ("http://evil.example/api/v1/games", "//evil.example/", f"{URL}.evil.example/games"):
        script = Script(ok({"games": ["a"]}, link=f'<{elsewhere}>; rel="next"'))
        assert list(script.client.games()) == ["a"]


def test_a_move_whose_answer_is_lost_is_sent_again_under_the_same_key():
    script = Script(LOST, LOST, ok({"status": "running"}, 201))
    moved = script.client.move("a", 7, "taxi 46")
    assert (moved.game, moved.kept) == ({"status": "running"}, False)
    assert len(script.asked) == 3
    assert len(script.keys) == 1
    assert None not in script.keys
    assert script.slept == sorted(script.slept), "it waits longer each time"


def test_every_move_has_a_key_of_its_own():
    script = Script(ok(status=202), ok(status=201))
    client = script.client
    assert [client.move("a", 7, "taxi 46").kept for _ in range(2)] == [True, False]
    assert len(script.keys) == 2


def test_a_key_of_ones_own_is_used():
    script = Script(ok(status=201))
    script.client.move("a", 7, {"ticket": "taxi", "to": 46}, key="mine", pawn="red", surface=None)
    assert script.keys == {"mine"}
    assert script.asked[0][3] == {"turn": 7, "ticket": "taxi", "to": 46, "pawn": "red"}


def test_what_would_have_two_effects_is_sent_once():
    script = Script(LOST)
    with pytest.raises(Problem) as caught:
        script.client.sign_up("Ada", "ada@example.org")
    assert (caught.value.type, caught.value.status, len(script.asked)) == ("no-answer", 0, 1)


HTML, JSON = {"content-type": "text/html"}, {"content-type": "application/json"}


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, {}, b"not json"), Answer(200, HTML, b"<html>"), Answer(204, {}, b""), Answer(302, HTML, b""),
        Answer(401, HTML, b"Who are you?"), Answer(200, JSON, b"[1, 2]"),
        Answer(200, JSON, b"null"), Answer(200, JSON, b"[" * 100_000), Answer(200, JSON, b'{"games": 5}'),
        Answer(400, JSON, b'"no"'), Answer(401, JSON, b"{}"), Answer(401, JSON, b'{"title": 5}'),
    ],
)  # fmt: skip
def test_an_answer_of_another_program_is_said_to_be_none_of_this_server(answer: Answer):
    for ask in (lambda client: client.waiting(), lambda client: list(client.games())):
        with pytest.raises(Problem, match="but not as Black Ticket does") as caught:
            ask(Script(*[answer] * 4).client)
        assert caught.value.type == "foreign-answer"


@pytest.mark.parametrize(
    "url",
    [
        "here", "ftp://x", "http://", "http://ex ample", "http://..", f"http://{'a' * 300}", "http://x:99999", "http://[::1",
        f"{URL}?x=1", f"{URL}#f", f"{URL}/maps/london.pdf?", f"{URL}\n",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_server_is_refused_with_an_example(url: str):
    with pytest.raises(ValueError, match=r"is not the address of a server, such as http://127\.0\.0\.1:8000\."):
        Client(url)


@pytest.mark.parametrize("token", ["bt_a\nb", "bt_ä", "bt_\x00"])
def test_a_token_that_no_header_may_have_is_refused_and_not_repeated(token: str):
    with pytest.raises(ValueError, match="A token is bt_ and letters and digits") as caught:
        Client(URL, token)
    assert token not in str(caught.value)


def test_it_gives_up_in_the_end():
    script = Script(*[LOST] * 4)
    with pytest.raises(Problem, match="gone"):
        script.client.me()
    assert (len(script.asked), len(script.slept)) == (4, 3)


@pytest.mark.parametrize(("status", "type_"), [(429, "too-many"), (503, "internal")])
def test_who_is_asked_to_come_back_later_waits_as_long_and_comes_back(status: int, type_: str):
    script = Script(refusal(status, type_, "7"), ok(status=201))
    script.client.move("a", 7, "taxi 46")
    assert script.slept == [7]
    assert len(script.keys) == 1


def test_a_request_that_was_refused_for_their_number_may_be_sent_again_even_without_a_key():
    script = Script(refusal(429, "too-many", "1"), ok({"token": "bt_new"}, 201))
    client = script.client
    assert client.confirm("code") == client.token == "bt_new"


def test_a_date_to_come_back_at_is_understood():
    script = Script(refusal(429, "too-many", "Sun, 22 Nov 2020 18:00:00 GMT"), ok({"id": "a"}))
    script.client.me()
    assert script.slept == [0]


def test_nobody_waits_for_hours():
    script = Script(refusal(429, "too-many", "86400", retry_after_seconds=86400))
    with pytest.raises(Problem) as caught:
        script.client.me()
    assert (caught.value.type, script.slept) == ("too-many", [])


@pytest.mark.parametrize("status", [502, 504])
def test_what_stands_between_may_fail_without_harm(status: int):
    html = Answer(status, {"content-type": "text/html"}, b"<h1>Bad gateway</h1>")
    script = Script(html, ok({"id": "a"}))
    assert script.client.me() == {"id": "a"}
    with pytest.raises(Problem, match=str(status)):
        Script(html).client.sign_up("Ada", "ada@example.org")


def test_it_says_when_to_ask_again():
    script = Script(ok({"events": [], "next": ""}, retry_after="60"), ok({"id": "a"}))
    client = script.client
    client.my_events()
    assert client.ask_again_after == 60
    client.me()
    assert client.ask_again_after is None


NOTHING, SOMETHING = ok({"events": [], "next": "a"}), ok({"events": [{"number": 7}], "next": "b"})


def test_it_asks_for_events_when_a_stream_opens_and_when_that_says_so():
    script = Script(NOTHING, NOTHING, NOTHING, SOMETHING, NOTHING, SOMETHING, streams=[[True, True, True]])
    client = script.client
    assert [client.wait_for_events("a")["next"] for _ in range(2)] == ["b", "b"]
    assert {path for _, path, _, _ in script.asked} == {"/api/v1/me/events?after=a&limit=1000"}
    assert script.slept == []


def test_behind_a_stream_that_ends_it_opens_another_and_asks():
    streams = [[False], [True]]
    script = Script(NOTHING, NOTHING, NOTHING, NOTHING, SOMETHING, streams=streams)
    first = script.streams[0]
    assert script.client.wait_for_events("a")["next"] == "b"
    assert first.is_closed
    assert script.slept == [1]


def test_without_a_stream_it_asks_for_events_every_few_seconds_until_there_are_some():
    script = Script(NOTHING, NOTHING, SOMETHING)
    assert script.client.wait_for_events("a")["next"] == "b"
    assert script.slept == [5, 5]


@pytest.mark.parametrize(("seconds", "slept"), [(12, [5, 5, 2]), (0, [])])
def test_it_waits_for_events_no_longer_than_it_is_told(seconds: int, slept: list[float]):
    script = Script(*[NOTHING] * (len(slept) + 1))
    assert script.client.wait_for_events("a", seconds=seconds) is None
    assert script.slept == slept


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://example.org", "http://", ""])
def test_an_address_that_is_none_is_refused(url: str):
    with pytest.raises(ValueError, match="is not the address of a server"):
        Wire(url, 1)
