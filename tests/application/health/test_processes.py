"""The processes on a PostgreSQL agree in their settings, or the one that came later takes no mail."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from server import worker
from server.app.heart import Heart
from server.application.health import health, processes
from server.mail.transport.smtp_server import LATER, Handler
from server.models import liveness, session
from server.runtime.keyring import Keyring
from tests.databases import let_go
from tests.letters import Postbox
from tests.table import Table

SETTINGS = {
    "smtp_url": "smtp://ada:hunter2@relay.example.org", "mail_domain": "play.example.org",
    "public_url": "https://play.example.org",
}  # fmt: skip
Start = Callable[..., Table]


@pytest.fixture
def start(postgres: str, tmp_path: Path) -> Iterator[Start]:
    """Start a process, each a second after the last, with these settings or others."""
    made: list[Table] = []

    def begin(*, is_worker: bool = True, key: str | None = None, **others: str) -> Table:
        table = Table(tmp_path, len(made) + 1, database_url=postgres, **{**SETTINGS, **others})
        table.app.extensions["blackticket"].host = f"machine-{len(made) + 1}"
        table.clock.turn(seconds=len(made))
        if key is not None:
            table.app.extensions["blackticket"].keyring = Keyring(key)
        made.append(table)
        table.app.extensions["blackticket"].has_listener = is_worker
        beat(table)
        return table

    yield begin
    for table in made:
        with table.app.app_context():
            let_go()


def beat(table: Table) -> None:
    Heart(table.app).beat()


def sentences(table: Table) -> list[str]:
    with table.app.app_context():
        found = health.overview()["warnings"]
        session.remove()
    return [sentence for sentence in found if "same settings" in sentence]


def sent_by(table: Table) -> int:
    """Return how many mails a process sends."""
    with table.app.app_context():
        worker.send_mail(post := Postbox())
        session.remove()
    return len(post.sent)


def test_a_worker_whose_settings_differ_sends_nothing_and_doctor_names_it(
    start: Start, caplog: pytest.LogCaptureFixture
):
    first = start()
    with caplog.at_level(logging.ERROR):
        second = start(smtp_url="smtp://127.0.0.1", public_url="https://else.example.org")
    assert caplog.messages == [
        "this process takes no mail: a worker that began earlier has another SMTP_URL, PUBLIC_URL"
    ]
    first.game(first.people(2), edition="condensed")
    second.clock.turn(seconds=5)
    first.clock.turn(seconds=5)
    beat(first)
    (sentence,) = sentences(first)
    assert "machine-2" in sentence
    assert "another SMTP_URL, PUBLIC_URL than the worker on machine-1, and takes no mail" in sentence
    assert sent_by(second) == 0
    assert sent_by(first) > 0


def test_it_takes_mail_once_the_others_have_its_settings_or_are_gone(start: Start):
    start(mail_domain="old.example.org")
    second = start()
    assert second.app.extensions["blackticket"].differs == (
        "MAIL_DOMAIN",
        "PLAY_ADDRESS",
        "REPLY_ADDRESS",
        "BOUNCE_ADDRESS",
    )
    second.clock.turn(seconds=7)
    beat(second)
    assert second.app.extensions["blackticket"].differs == ()
    assert sentences(second) == []


def test_its_listener_has_senders_keep_their_mail(start: Start):
    start()
    second = start(mail_domain="other.example.org")

    async def mail_from() -> str:
        return await Handler(second.app, "smtp").handle_MAIL(None, None, None, "", [])

    with pytest.raises(StopIteration) as answered:
        mail_from().send(None)
    assert answered.value.value == LATER


def test_a_web_process_may_lack_the_relay_and_is_named_where_its_pages_would_be_others(start: Start):
    first = start()
    start(is_worker=False, smtp_url="")
    assert sentences(first) == []
    start(is_worker=False, public_url="https://else.example.org")
    (sentence,) = sentences(first)
    assert "machine-3" in sentence
    assert "takes no mail" not in sentence


def test_with_another_key_nothing_else_is_compared(start: Start):
    start()
    second = start(key="another key that is long enough for this")
    assert second.app.extensions["blackticket"].differs == ("SECRET_KEY",)


def test_the_fingerprint_shows_nothing_of_a_setting_to_who_lacks_the_key(start: Start):
    first = start()
    start(key="another key that is long enough for this")
    with first.app.app_context():
        rows: list[Any] = [row.settings for row in liveness.alive()]
        session.remove()
    assert len(rows[0].split("-")) == len(processes.AGREE)
    assert not {*rows[0].split("-")} & {*rows[1].split("-")}
    for value in ("relay", "hunter2", "example"):
        assert value not in "".join(rows)
