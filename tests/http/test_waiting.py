"""Requests that wait for news without a thread, over real connections."""

import asyncio
import http.client
import threading
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from server.http import waiting
from server.http.server import THREADS
from tests.http.test_server import WAIT, running
from tests.patience import eventually


class Board:
    """A number that requests wait for: the application answers with it once it is not the one that they know."""

    def __init__(self) -> None:
        self.number = 0
        self.asked: list[bool] = []
        self.came = threading.Semaphore(0)
        self.looks = 0

    def marks(self, names: Collection[str]) -> Mapping[str, str]:
        self.looks += 1
        return {name: str(self.number) for name in names}

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        self.asked.append(waiting.is_repeated(environ))
        self.came.release()
        number, known = self.number, environ["QUERY_STRING"]
        if known == str(number):
            waiting.hold(environ, {"board": known}, 0.3 if environ["PATH_INFO"] == "/short" else WAIT)
        start_response("200 OK", [])
        return [str(number).encode()]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOKS", 0.02)


def ask(port: int, path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
    connection.request("GET", path)
    try:
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def test_many_wait_for_news_and_no_thread_does(quick: None):
    board = Board()
    readers = 3 * THREADS
    with running(board, marks=board.marks) as server, ThreadPoolExecutor(readers) as threads:
        answers = [threads.submit(ask, server.port, "/?0") for _ in range(readers)]
        for _ in range(readers):
            board.came.acquire(timeout=WAIT)
        assert ask(server.port, "/?7") == "0", "somebody else is answered meanwhile"
        board.number = 1
        assert [answer.result(WAIT) for answer in answers] == ["1"] * readers
    assert (board.asked.count(False), board.asked.count(True)) == (readers + 1, readers)


def test_an_answer_without_news_goes_out_when_its_time_is_up(quick: None):
    board = Board()
    with running(board, marks=board.marks) as server:
        assert ask(server.port, "/short?0") == "0"
    assert board.asked == [False]


def test_the_application_is_asked_only_about_what_has_changed(quick: None):
    board = Board()

    def marks(names: Collection[str]) -> Mapping[str, str]:
        return {**board.marks(names), "another": str(board.looks)}

    with running(board, marks=marks) as server:
        assert ask(server.port, "/short?0") == "0"
    assert board.looks > 1
    assert board.asked == [False]


def test_a_client_that_goes_is_forgotten(quick: None):
    board = Board()
    with running(board, marks=board.marks) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
        connection.request("GET", "/?0")
        held = server._waiting._waiting
        eventually(lambda: held, pause=0.01)
        connection.close()
        eventually(lambda: not held, longest=WAIT / 2, pause=0.01)
    assert board.asked == [False]


def test_a_client_that_has_gone_before_its_request_is_held_is_not_waited_for():
    held = waiting.HeldRequest()
    held.hold({"board": "0"}, WAIT)
    requests = waiting.HeldRequests(Board().marks)
    gone = SimpleNamespace(closed=lambda: True)
    assert asyncio.run(requests.hold(gone, held, "no news", ask=list)) == "no news"
    assert not requests._of_stream


def test_a_server_that_stops_answers_those_who_wait(quick: None):
    board = Board()
    with ThreadPoolExecutor(1) as threads:
        with running(board, marks=board.marks) as server:
            answer = threads.submit(ask, server.port, "/?0")
            board.came.acquire(timeout=WAIT)
        assert answer.result(WAIT) == "0"


def test_without_marks_nobody_waits():
    board = Board()
    with running(board) as server:
        assert ask(server.port, "/?0") == "0"


def test_a_look_that_fails_is_repeated(quick: None):
    board = Board()
    failed = threading.Event()

    def marks(names: Collection[str]) -> Mapping[str, str]:
        if not failed.is_set():
            failed.set()
            raise OSError("no database")
        return board.marks(names)

    with running(board, marks=marks) as server, ThreadPoolExecutor(1) as threads:
        answer = threads.submit(ask, server.port, "/?0")
        failed.wait(WAIT)
        board.number = 1
        assert answer.result(WAIT) == "1"


def test_an_answer_with_news_at_once_is_asked_for_again_when_it_is_its_turn(quick: None):
    asked: list[bool] = []

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        asked.append(waiting.is_repeated(environ))
        waiting.postpone(environ)
        start_response("200 OK", [])
        return [str(len(asked)).encode()]

    with running(app, marks=Board().marks) as server:
        assert ask(server.port, "/") == "2"
    assert asked == [False, True]


def test_news_rest_in_proportion_to_the_work_and_longer_while_somebody_changes_something():
    now = 1000.0
    held = waiting.HeldRequests(None, lambda: now)
    quiet, told = held.seconds_to_rest(0.001, is_told=False), held.seconds_to_rest(0.001, is_told=True)
    assert quiet < told, "a reader who is told loads the page"
    held.give_way()
    assert held.seconds_to_rest(0.001, is_told=False) == pytest.approx(9 * quiet)
    assert held.seconds_to_rest(0.002, is_told=True) == pytest.approx(2 * 9 * told)
    assert held.seconds_to_rest(60, is_told=True) == waiting.LONGEST_REST
    now += waiting.QUIET
    assert held.seconds_to_rest(0.001, is_told=True) == told


def test_a_request_that_may_change_something_lets_news_rest_longer():
    with running(Board()) as server:
        quiet = server._waiting.seconds_to_rest(0.001, is_told=False)
        assert ask(server.port, "/?7") == "0"
        assert server._waiting.seconds_to_rest(0.001, is_told=False) == quiet
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
        connection.request("POST", "/", b"")
        connection.getresponse().read()
        connection.close()
        assert server._waiting.seconds_to_rest(0.001, is_told=False) > quiet


def test_a_server_that_stops_asks_nobody_whose_turn_has_not_come(quick: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(waiting, "REST_IN_QUIET", 1e9)
    monkeypatch.setattr(waiting, "LONGEST_REST", 1e9)
    board = Board()
    with ThreadPoolExecutor(2) as threads:
        with running(board, marks=board.marks) as server:
            answers = [threads.submit(ask, server.port, "/?0") for _ in range(2)]
            for _ in answers:
                board.came.acquire(timeout=WAIT)
            board.number = 1
            board.came.acquire(timeout=WAIT)
        assert sorted(answer.result(WAIT) for answer in answers) == ["0", "1"]
    assert board.asked.count(True) == 1
