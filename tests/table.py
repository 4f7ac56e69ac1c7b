"""A table to play at: an application of its own, a clock that tests turn, people with mail and tokens."""

import filecmp
import hashlib
import json
import shutil
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from flask import Flask, Response, request, request_finished
from flask.testing import FlaskClient
from sqlalchemy import select, update
from werkzeug.test import TestResponse

from blackticket.standalone.client import Answer, Client
from server import migrations, worker
from server.api.access import reader, version
from server.api.endpoints import with_etag
from server.api.games import NewGame
from server.application.game import projection
from server.application.game.access import visible_version
from server.application.game.look import look
from server.application.integrity import key_check
from server.application.lobby import opening, seats, starting
from server.application.mail import arrivals
from server.application.people import devices
from server.application.people.players import add_player
from server.models import Base, Game, Player, Tally, db, session, transaction
from server.runtime import MOST_VIEWS, Runtime
from server.runtime.game_cache import GameCache
from server.runtime.lru import LRUCache
from server.runtime.request_counts import RequestCounts
from server.settings import Settings
from server.webhooks import transport
from server.webhooks.transport import Post
from tests import blanks, databases
from tests.injected import START, Clock, Rngs, application, forget_ends
from tests.invariant import broken_games
from tests.kept import again
from tests.letters import Postbox


def compare_view(_app: Flask, response: Response, **_: Any) -> None:
    """Check after each request for a game that the answer, which may be kept, is the one that would be made now."""
    if request.endpoint != VIEW or request.method == "OPTIONS" or response.status_code != 200:
        return
    game_id, player, read = str((request.view_args or {})["game_id"]), reader(), version()
    anew, _tag = with_etag(projection.project(look(game_id, player), player))
    # Where somebody may have moved meanwhile there is nothing to compare.
    if response.get_data() != anew:
        assert visible_version(game_id, player) != read, "a view is kept that holds no longer"


SITE = "http://localhost"  # of a server that knows its own address
VIEW = "games.game"


class Person:
    """Somebody at the table, with a token and an address."""

    def __init__(self, table: "Table", name: str) -> None:
        """Add the player in the application context under way."""
        self.table = table
        self.name = name
        self.address = f"{name.lower()}@example.org"
        player, self.token = add_player(name, self.address, "Europe/London")
        self.id = player.id

    @property
    def client(self) -> Client:
        """A client of theirs, whose waits turn the clock."""
        return Client("http://localhost", self.token, sleep=self.table.sleep, transport=self.table.transport)

    def get(self, path: str, **kwargs: Any) -> TestResponse:
        return self.request("GET", path, **kwargs)

    def post(self, path: str, body: Any = None, **kwargs: Any) -> TestResponse:
        if path == "/games" and isinstance(body, dict):
            body = {"visibility": "public"} | body  # so that others find it by its id
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


class Table:
    """An application under test."""

    # Made since the end of the last test.
    unchecked: ClassVar[list["Table"]] = []

    def __init__(self, var: Path, seed: int = 1, parts: Mapping[str, Any] | None = None, **settings: str) -> None:
        """Make the application, with these parts of a runtime (tests/injected.py) and these settings."""
        self.settings = settings
        self.clock = Clock()
        self.post = Postbox()
        self.hook: Post = transport.post
        # Tests make more requests than anybody else within a moment that does not pass.
        given = {"rate_limit": "", **settings}
        environ = {f"BLACKTICKET_{name.upper()}": value for name, value in given.items()}
        file = var / "blackticket.db"
        own = f"sqlite:///{file}"
        is_pooled = databases.IS_POSTGRESQL and "database_url" not in settings
        is_new = not is_pooled and settings.get("database_url", own) == own and not file.exists()
        has_own_key = bool({"secret_key", "secret_key_file"} & {*settings}) or (var / "secret_key").exists()
        gets_our_key = is_new and not has_own_key
        if not has_own_key:
            var.mkdir(mode=0o700, parents=True, exist_ok=True)
            blanks.lay_key(var)
        chosen = Settings.from_environ((databases.environ(var) if is_pooled else {}) | environ, var)
        if is_new:
            shutil.copyfile(blanks.migrated_with_key() if gets_our_key else blanks.migrated(), file)
        # The file that the database is a copy of, while it may still be one.
        self.laid = blanks.migrated_with_key() if gets_our_key else None
        forget_ends()
        # However slow the machine is, /readyz waits for the first look of a worker.
        self.app: Flask = application(chosen, clock=self.clock, rng=Rngs(seed), began=float("inf"), **parts or {})
        request_finished.connect(compare_view, self.app)
        self.client: FlaskClient = self.app.test_client()
        self._count = 0
        with self.app.app_context():
            if not is_new and not databases.pool.has(chosen.database_url):
                migrations.upgrade()
            if not is_new:
                key_check.require()
            elif not gets_our_key:
                blanks.keep_key()
            if chosen.push:
                devices.make_key()
                session.remove()
        self.unchecked.append(self)

    @property
    def runtime(self) -> Runtime:
        """The parts of the application."""
        found: Runtime = self.app.extensions["blackticket"]
        return found

    def check_games(self) -> None:
        """Fail when a game in the database does not hold; nothing where the database is gone, or as it was laid."""
        if self._is_as_laid():
            return
        with self.app.app_context():
            url = db.engine.url
            if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
                return
            broken = list(broken_games())
            session.remove()
            if url.get_backend_name() != "sqlite":
                db.engine.dispose()
        assert not broken, f"games that do not hold: {broken}"

    def _is_as_laid(self) -> bool:
        """Return True if nothing was written since the database was laid as a copy whose games hold."""
        database = self.runtime.settings.var / "blackticket.db"
        log = database.with_name(f"{database.name}-wal")
        may_be_same = self.laid is not None and database.exists() and not (log.exists() and log.stat().st_size)
        return may_be_same and filecmp.cmp(self.laid, database, shallow=False)

    def room(self, free: int) -> None:
        """Leave so many bytes on the disk of the data folder."""
        self.runtime.disk_usage = lambda _folder: SimpleNamespace(free=free)

    def blind_the_seal(self) -> None:
        """Commitments as they look to who cannot open them: random, and the same whatever they are to."""
        self.runtime.commit = lambda _key, *place: hashlib.sha256(repr(place[:-1]).encode()).hexdigest()

    def person(self, name: str) -> Person:
        (person,) = self.persons(name)
        return person

    def people(self, n: int) -> list[Person]:
        return self.persons(*("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")[:n])

    def persons(self, *names: str) -> list[Person]:
        """Add players of these names in one transaction."""
        with self.app.app_context(), transaction():
            return [Person(self, name) for name in names]

    def transport(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        """Send a client's request to the application."""
        answer = self.client.open(url, method=method, headers=dict(headers), data=body)
        return Answer(answer.status_code, {name.lower(): value for name, value in answer.headers}, answer.data)

    def sleep(self, seconds: float) -> None:
        self.clock.turn(seconds=seconds)

    def count(self) -> int:
        self._count += 1
        return self._count

    def deliver(self, raw: bytes, sender: str, recipient: str) -> None:
        """Put a mail into the inbox as a listener does."""
        with self.app.app_context():
            arrivals.store(raw, sender, [recipient], "smtp")
            session.remove()

    def retry_from_database(self) -> None:
        """Nothing has happened, and it is `START`; for tests that share a table, as only the players are left."""
        self.clock.time, self.post, self.hook = START, Postbox(), transport.post
        parts = self.runtime
        parts.request_counts, parts.game_cache, parts.view_cache = RequestCounts(), GameCache(), LRUCache(MOST_VIEWS)
        parts.seen_tokens.take_all()
        with self.app.app_context():
            for table in reversed(Base.metadata.sorted_tables):
                if table.name not in ("players", "tokens", "addresses", "tallies", "push_keys"):
                    session.execute(table.delete())
            session.execute(update(Tally).where(Tally.name != "players").values(number=0))
            session.commit()
            session.remove()

    def tick(self) -> None:
        """One round of the worker."""
        with self.app.app_context():
            worker.tick(self.post, self.hook)
            session.remove()

    def game(self, people: list[Person], edition: str = "ravensburger-2000", **wanted: Any) -> "Playing":
        """A running game, made in one transaction by the functions behind the requests; the first is host and Mr. X."""
        body = {"visibility": "public", "edition": edition, "players": len(people), **wanted}
        with self.app.app_context(), transaction():
            host, *_ = players = [session.get_one(Player, person.id) for person in people]
            game_id = opening.open_game(host, **NewGame().load(body)).id
            for number, player in enumerate(players, 1):
                seats.join(game_id, player, seat=number)
            starting.start(game_id, host)
        return Playing(self, game_id, people)

    def dealt(self, players: int, edition: str = "ravensburger-2000", **wanted: Any) -> "Playing":
        """A running game of so many people, as `game` makes it, on a table at which nothing has happened: a copy."""

        def deal(table: Table) -> Playing:
            return table.game(table.people(players), edition, **wanted)

        return again(self, deal, f"{players} {edition} {json.dumps(wanted, sort_keys=True)}")


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
        return person.post(f"{self.path}/moves", {"turn": self.turn, "notation": notation}, **kwargs)

    def contest(self) -> None:
        """Note that a deadline was missed in the game, so that the result of a resignation is provisional."""
        with self.table.app.app_context(), transaction():
            session.get_one(Game, self.id).is_contestable = True

    @property
    def turn(self) -> int | None:
        """The turn that is awaited."""
        with self.table.app.app_context():
            return session.scalar(select(Game.turn).where(Game.id == self.id))

    def mover(self) -> Person:
        """The person who is to move."""
        return self._mover(self.view())

    def _mover(self, view: dict[str, Any]) -> Person:
        holder = next(seat["player"] for seat in view["seats"] if view["to_move"][0] in seat["pawns"])
        return next(person for person in self.people if person.id == holder)

    def play_round(self) -> None:
        """Everybody makes the first legal move, Mr. X first."""
        view = first = self.view()
        while view["round"] == first["round"] and view["status"] == "running":
            played = self.move(self._mover(view))
            assert played.status_code == 201
            view = played.json
