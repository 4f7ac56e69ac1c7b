"""A table to play at: an application of its own, a clock that tests turn, people with mail and tokens."""

import atexit
import email
import gc
import hashlib
import random
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage, Message
from email.policy import default
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from server import migrations, worker
from server.app import create_app
from server.application.players import add_player
from server.mail import inbox
from server.models import base, db, session
from server.settings import Settings

pytest_plugins = ["databases"]
# Most of the time a test takes would be waiting for the disk. Processes of their own, which tests kill, wait for it.
base.SYNCHRONOUS = "OFF"
# Hundreds of applications in one process: looking for garbage too often would be a tenth of the time.
gc.set_threshold(20_000, 20, 20)
START = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def turn(self, **length: float) -> None:
        self.time += timedelta(**length)


class Dice:
    """A source of chance of its own for each purpose, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.sources: dict[str, random.Random] = {}

    def __call__(self, purpose: str) -> random.Random:
        return self.sources.setdefault(purpose, random.Random(f"{self.seed} {purpose}"))


class Postbox:
    """A transport that keeps what it is handed."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Message]] = []

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        self.sent.append((recipient, email.message_from_bytes(message, policy=default)))

    def of(self, address: str) -> list[Any]:
        return [message for recipient, message in self.sent if recipient == address]


class Person:
    """Somebody at the table, with a token and an address."""

    def __init__(self, table: "Table", name: str) -> None:
        self.table = table
        self.name = name
        self.address = f"{name.lower()}@example.org"
        with table.app.app_context():
            player, self.token = add_player(name, self.address, "Europe/London")
            self.id = player.id

    def get(self, path: str, **kwargs: Any) -> TestResponse:
        return self.request("GET", path, **kwargs)

    def post(self, path: str, body: Any = None, **kwargs: Any) -> TestResponse:
        return self.request("POST", path, json=body, **kwargs)

    def request(self, method: str, path: str, **kwargs: Any) -> TestResponse:
        headers = {"Authorization": f"Bearer {self.token}", **kwargs.pop("headers", {})}
        return self.table.client.open(f"/api/v1{path}", method=method, headers=headers, **kwargs)

    @property
    def mails(self) -> list[Any]:
        """The mails this person got so far, the oldest first."""
        return self.table.post.of(self.address)

    def reply(self, text: str, to: Any = None, sender: str | None = None, **headers: str) -> None:
        """Answer a mail (the newest unless `to` is given) above its quoted text; it is stored, not yet read."""
        original = to or self.mails[-1]
        answer = EmailMessage()
        answer["From"] = sender or f"{self.name} <{self.address}>"
        answer["To"] = original["Reply-To"]
        answer["Subject"] = f"Re: {original['Subject']}"
        answer["Message-ID"] = f"<{self.table.count()}@mail.example.org>"
        for name, value in headers.items():
            del answer[name.replace("_", "-")]
            answer[name.replace("_", "-")] = value
        quoted = "\n".join(f"> {line}" for line in original.get_body().get_content().splitlines())
        answer.set_content(f"{text}\n\nOn Sun, 22 Nov 2026 at 18:00, Black Ticket <play@localhost> wrote:\n{quoted}\n")
        self.table.deliver(answer.as_bytes(), self.address, original["Reply-To"].addresses[0].addr_spec)


@cache
def migrated() -> Path:
    """An empty database at the newest revision, made once: migrating for each test would take most of its time."""
    folder = Path(tempfile.mkdtemp(prefix="blackticket-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    app = create_app(Settings.from_environ({}, folder))
    with app.app_context():
        migrations.upgrade()
        db.engine.dispose()
    return folder / "blackticket.db"


class Table:
    """An application under test."""

    def __init__(self, var: Path, seed: int = 1, **settings: str) -> None:
        self.clock = Clock()
        self.post = Postbox()
        environ = {f"BLACKTICKET_{name.upper()}": value for name, value in settings.items()}
        chosen = Settings.from_environ(environ, var)
        database = var / "blackticket.db"
        if chosen.database_url == f"sqlite:///{database}" and not database.exists():
            shutil.copyfile(migrated(), database)
        self.app: Flask = create_app(chosen, clock=self.clock, dice=Dice(seed))
        self.client: FlaskClient = self.app.test_client()
        self._count = 0
        with self.app.app_context():
            migrations.upgrade()

    def blind_the_seal(self) -> None:
        """Commitments as they look to who cannot open them: random, and the same whatever they are to."""
        runtime = self.app.extensions["blackticket"]
        runtime.commit = lambda _key, *place: hashlib.sha256(repr(place[:-1]).encode()).hexdigest()

    def person(self, name: str) -> Person:
        return Person(self, name)

    def people(self, n: int) -> list[Person]:
        return [self.person(name) for name in ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")[:n]]

    def count(self) -> int:
        self._count += 1
        return self._count

    def deliver(self, raw: bytes, sender: str, recipient: str) -> None:
        """Put a mail into the inbox as a listener does."""
        with self.app.app_context():
            inbox.store(raw, sender, [recipient], "smtp")
            session.remove()

    def tick(self) -> None:
        """One round of the worker."""
        with self.app.app_context():
            worker.tick(self.post)
            session.remove()

    def game(self, people: list[Person], edition: str = "ravensburger-2000", **wanted: Any) -> "Playing":
        """A running game; the first of the people is host and Mr. X."""
        made = people[0].post("/games", {"edition": edition, "players": len(people), **wanted})
        assert made.status_code == 201, made.json
        game_id = made.json["id"]
        for number, person in enumerate(people, 1):
            joined = person.post(f"/games/{game_id}/seats", {"seat": number})
            assert joined.status_code == 201, joined.json
        started = people[0].post(f"/games/{game_id}/start")
        assert started.status_code == 200, started.json
        return Playing(self, game_id, people)


class Playing:
    """A running game and the people in it."""

    def __init__(self, table: Table, game_id: str, people: list[Person]) -> None:
        self.table = table
        self.id = game_id
        self.path = f"/games/{game_id}"
        self.people = people

    def view(self, person: Person | None = None) -> dict[str, Any]:
        return (person or self.people[0]).get(self.path).json

    def legal(self, person: Person) -> list[str]:
        return [move["notation"] for move in person.get(f"{self.path}/legal-moves").json["moves"]]

    def move(self, person: Person, notation: str | None = None, **kwargs: Any) -> TestResponse:
        """Submit a move (the first legal one unless named) for the turn that is awaited."""
        notation = notation or self.legal(person)[0]
        body = {"turn": self.view(person)["turn"], "notation": notation}
        return person.post(f"{self.path}/moves", body, **kwargs)

    def mover(self) -> Person:
        """The person who is to move."""
        pawn = self.view()["to_move"][0]
        return next(p for p in self.people if pawn in self.view(p)["you"]["pawns"])

    def play_round(self) -> None:
        """Everybody makes the first legal move, Mr. X first."""
        start = self.view()["round"]
        while self.view()["round"] == start and self.view()["status"] == "running":
            assert self.move(self.mover()).status_code == 201


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A fresh application with a clock at Sunday 22 November 2026, 18:00 UTC; SANDBOX is on."""
    return Table(tmp_path, sandbox="1", min_turn="PT1S")


@pytest.fixture
def game(table: Table) -> Playing:
    """A running game of the 2000 edition with six people."""
    return table.game(table.people(6))
