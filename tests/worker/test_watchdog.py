"""The operator's watchdog is called at every tick as long as all is well, and silence raises the alarm."""

import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from server.settings import SettingError, Settings
from server.worker import Worker
from server.worker.watchdog import Watchdog
from tests.table import Table


class Dog:
    """Hears the calls."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.called = threading.Event()
        dog = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                dog.heard.append(self.path)
                self.send_response(200)
                self.end_headers()
                dog.called.set()

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server.server_port}/ping"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def dog() -> Iterator[Dog]:
    made = Dog()
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_it_is_called_while_there_is_no_trouble(dog: Dog):
    watchdog = Watchdog(dog.url)
    watchdog.call(list)
    watchdog.call(lambda: ["No deadline fires."])
    assert dog.heard == ["/ping"]


def test_nobody_is_called_where_none_is_set():
    Watchdog(None).call(list)


def test_one_that_does_not_answer_does_no_harm_and_is_told_once(dog: Dog, caplog: pytest.LogCaptureFixture):
    watchdog = Watchdog("http://127.0.0.1:1/secret-check")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            watchdog.call(list)
    assert len(caplog.messages) == 1
    assert "secret-check" not in caplog.text


def test_a_worker_calls_it_as_soon_as_it_runs(dog: Dog, table: Table, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("var")
    worker = Worker(Table(folder, alert_url=dog.url, tick_seconds="3600").app)
    worker.start()
    try:
        assert dog.called.wait(20)
    finally:
        worker.stop()


@pytest.mark.parametrize(
    "wrong", ["watchdog", "ftp://watchdog.example.org", "https://", "https://a b", "https://ü.example"]
)
def test_what_cannot_be_called_stops_the_start(wrong: str, tmp_path_factory: pytest.TempPathFactory):
    with pytest.raises(SettingError, match="ALERT_URL is wrong: its value is no address"):
        Settings.from_environ({"BLACKTICKET_ALERT_URL": wrong}, tmp_path_factory.mktemp("var"))
