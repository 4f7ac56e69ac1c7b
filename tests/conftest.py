"""A table to play at: an application of its own, a clock that tests turn, people with mail and tokens."""

import atexit
import email
import filecmp
import gc
import hashlib
import json
import os
import random
import shutil
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Set
from datetime import UTC, datetime, timedelta
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage, Message
from email.policy import default
from functools import cache, cached_property, lru_cache, wraps
from pathlib import Path
from typing import Any, ClassVar

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update
from werkzeug.test import TestResponse

from blackticket.standalone.client import Answer, Client
from server import map_pictures, migrations, picture, worker
from server.api.schemas.opening import NewGame
from server.app import create_app
from server.application.game import projection
from server.application.game.access import visible_version
from server.application.game.look import look
from server.application.mail import arrivals
from server.application.people.players import add_player
from server.application.play import pictures
from server.application.seats import lobby, opening, starting
from server.application.upkeep import key_check, machine
from server.application.upkeep.invariant import broken_games
from server.models import Base, Game, KeyCheck, Player, Tally, base, db, insert_new, session, transaction
from server.runtime import MOST_VIEWS
from server.runtime.game_cache import GameCache
from server.runtime.lru import LRUCache
from server.runtime.request_counts import RequestCounts
from server.settings import Settings
from server.webhooks import transport
from server.webhooks.transport import Post
from tests import databases, sharing  # noqa: F401 with which all applications share their routes
from tests.chance import pytest_runtest_protocol, seeded  # noqa: F401 pytest takes the one for a hook of ours
from tests.folders import use_memory

use_memory()
pytest_plugins = ["tests.order", "tests.profiles", "tests.quick", "tests.reports"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out campaigns unless one is wanted; on PostgreSQL, skip what says nothing of it."""
    if databases.IS_POSTGRESQL:
        for item in items:
            _skip_what_says_nothing_of_postgresql(item)
    if "CAMPAIGN" not in os.environ:
        long = [item for item in items if item.get_closest_marker("campaign")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Have the collector of garbage pass over what was imported and collected: it stays to the end."""
    gc.collect()
    gc.freeze()


def _skip_what_says_nothing_of_postgresql(item: pytest.Item) -> None:
    """Skip what is about SQLite, and what runs on PostgreSQL in every run, unless on a server of its own."""
    mark = item.get_closest_marker("sqlite")
    fixtures = getattr(item, "fixturenames", ())
    if mark:
        item.add_marker(pytest.mark.skip(reason=f"about SQLite: {mark.args[0]}"))
    elif "database" in fixtures and "sqlite" in item.name:
        item.add_marker(pytest.mark.skip(reason="about SQLite: one of both databases in turn"))
    elif {"database", "postgres"} & {*fixtures} and "TEST_DATABASE_URL" not in os.environ:
        item.add_marker(pytest.mark.skip(reason="runs on PostgreSQL in `make test`"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """The databases of a test's folder are free after it, and all others after the last test of their file."""
    yield
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    if nextitem is None or nextitem.path != item.path:
        databases.pool.give_back()
    elif folder is not None:
        databases.pool.give_back(folder)


# Most of the time a test takes would be waiting for the disk. Processes of their own, which tests kill, wait for it.
base.SYNCHRONOUS = "OFF"
os.fsync = lambda _file: None  # each secret key that an application makes
# How the machine of the tests sets its clock, and that its PostgreSQL does not wait for the disk, is no fault.
ASK_THE_KERNEL, machine.is_clock_set, machine.DURABLE = machine.is_clock_set, lambda: True, ()
# Hundreds of applications in one process: looking for garbage too often would be a tenth of the time.
gc.set_threshold(20_000, 20, 20)
START = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
_LOADED = datetime.now(UTC)


def _wall_clock() -> datetime:
    """Return the time of an application that a test gives no clock, such as a command's: it runs, from before START.

    So no test depends on the day on which it runs.
    """
    return START - timedelta(hours=6) + (datetime.now(UTC) - _LOADED)


assert create_app.__kwdefaults__ is not None
create_app.__kwdefaults__["clock"] = _wall_clock
# With it goes that no database has a clock of its own: that one would set theirs right.
create_app.__kwdefaults__["database_clock"] = None


_DRAWN = {name: getattr(map_pictures, name) for name in ("surroundings", "overview", "preview")}
_DRAW_PIXELS = picture.png


def _stub(*shown: Any) -> bytes:
    """Return what stands for a picture of the map in most tests: the same for the same picture, and for no other."""
    facts = [sorted(fact) if isinstance(fact, Set) else fact for fact in shown]
    return b"\x89PNG" + hashlib.sha256(repr([shown[0].name, *facts[1:]]).encode()).digest()


map_pictures.surroundings = map_pictures.overview = map_pictures.preview = _stub


def _stub_pixels(drawn: str, width: int = picture.PNG_WIDTH) -> bytes:
    """Return what stands for an SVG as a PNG in most tests: the same for the same SVG and width, and for no other."""
    return b"\x89PNG" + hashlib.sha256(f"{width} {drawn}".encode()).digest()


picture.png = _stub_pixels  # to draw one takes a fifth of a second


def draw_pictures(patch: pytest.MonkeyPatch) -> None:
    """Have pictures drawn, in place of what stands for them, until `patch` is undone."""
    for name, draw in _DRAWN.items():
        patch.setattr(map_pictures, name, draw)
    patch.setattr(picture, "png", _DRAW_PIXELS)


@pytest.fixture
def drawn_pictures(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pictures are drawn, for tests that look at them."""
    draw_pictures(monkeypatch)
    made = pictures._near, pictures._far, pictures._linked, pictures._png
    for kept in made:
        kept.cache_clear()
    yield
    for kept in made:
        kept.cache_clear()


_shown = projection.shown


@wraps(_shown)
def _shown_as_it_is(
    game_id: str, player: Any, version: str, has_queue: bool, write: Callable[[dict[str, Any]], tuple[bytes, str]]
) -> tuple[bytes, str]:
    """Check at each request of a test that a cached view is the one that would be made now."""
    made = []

    def write_anew(view: dict[str, Any]) -> tuple[bytes, str]:
        made.append(write(view))
        return made[-1]

    written = _shown(game_id, player, version, has_queue, write_anew)
    if not made:
        anew = write(projection.project(look(game_id, player), player))
        # Where somebody may have moved meanwhile there is nothing to compare.
        assert written == anew or visible_version(game_id, player) != version, "a view is kept that holds no longer"
    return written


projection.shown = _shown_as_it_is


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """At the end of every test each game in its databases holds, unless the test is marked `breaks_games`."""
    try:
        yield
    finally:  # the next test answers for its own games only
        unchecked = {id(table): table for table in Table.unchecked}
        Table.unchecked.clear()
    used = {id(table): table for value in getattr(item, "funcargs", {}).values() for table in _tables_of(value)}
    used |= unchecked
    if item.get_closest_marker("breaks_games") is None:
        for table in used.values():
            table.check_games()


def _tables_of(value: Any) -> list["Table"]:
    found = value if isinstance(value, Table) else getattr(value, "table", None)
    return [found] if isinstance(found, Table) else []


class Clock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def turn(self, **length: float) -> None:
        self.time += timedelta(**length)


class Rngs:
    """A source of chance of its own for each purpose, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.sources: dict[str, random.Random] = {}

    def __call__(self, purpose: str) -> random.Random:
        if purpose not in self.sources:
            self.sources[purpose] = random.Random(f"{self.seed} {purpose}")
        return self.sources[purpose]

    def copy(self) -> "Rngs":
        """Return sources that give what these would give."""
        twin = Rngs(self.seed)
        for purpose, source in self.sources.items():
            twin.sources[purpose] = random.Random(0)
            twin.sources[purpose].setstate(source.getstate())
        return twin


class Mail(EmailMessage):
    """A mail, whose content is its text: that is complete without the HTML beside it."""

    def get_body(self, preferencelist: Any = ("plain",)) -> Any:
        return super().get_body(preferencelist)

    def get_content(self, *args: Any, **kwargs: Any) -> Any:
        if self.is_multipart():
            return self.get_body().get_content()
        return super().get_content(*args, **kwargs)


class HeaderCache(HeaderRegistry):
    """A parser of header lines that parses each once: taking a mail apart asks thirty times for the type of a part."""

    def __init__(self) -> None:
        super().__init__()
        self._parsed = lru_cache(4096)(super().__call__)

    def __call__(self, name: str, value: Any) -> Any:
        return self._parsed(name, value)


_MAIL_POLICY = default.clone(message_factory=Mail, header_factory=HeaderCache())


def opened(raw: bytes) -> Any:
    """A mail, taken apart."""
    return email.message_from_bytes(raw, policy=_MAIL_POLICY)


class Letter:
    """A pair: who was written to, and the mail, which is taken apart when somebody looks at it."""

    def __init__(self, recipient: str, raw: bytes) -> None:
        self.recipient = recipient
        self.raw = raw

    def __iter__(self) -> Iterator[Any]:
        return iter((self.recipient, self.mail))

    def __getitem__(self, index: int) -> Any:
        return tuple(self)[index]

    @cached_property
    def mail(self) -> Message:
        return opened(self.raw)


class Postbox:
    """A transport that keeps what it is handed."""

    def __init__(self) -> None:
        self.sent: list[Letter] = []

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        self.sent.append(Letter(recipient, message))

    def close(self) -> None:
        """Nothing is open."""

    def of(self, address: str) -> list[Any]:
        return [letter.mail for letter in self.sent if letter.recipient == address]


class Doorbell(Postbox):
    """A transport that says when it was handed something."""

    def __init__(self) -> None:
        super().__init__()
        self.rung = threading.Event()

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        super().send(message, sender, recipient)
        self.rung.set()


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


@cache
def migrated() -> Path:
    """An empty database at the newest revision, made once: migrating for each test would take most of its time."""
    folder = _temporary_folder()
    app = create_app(Settings.from_environ({}, folder))
    with app.app_context():
        migrations.upgrade()
        db.engine.dispose()
    return folder / "blackticket.db"


@cache
def migrated_with_key() -> Path:
    """A migrated database that holds the key check value of the secret key beside it, made once."""
    folder = _temporary_folder()
    with seeded("the secret key of most tests"):  # the same whichever test is the first in its process
        chosen = Settings.from_environ({}, folder)
        shutil.copy(migrated(), folder)
        app = create_app(chosen)
        with app.app_context():
            key_check.require()
            databases.let_go()
    return folder / "blackticket.db"


def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="blackticket-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def lay_migrated(var: Path) -> None:
    """Make the data folder of a server that has only been migrated: an empty database, and the secret key."""
    var.mkdir(mode=0o700)
    _lay(migrated(), var)


def _lay(database: Path, var: Path) -> None:
    """Put a database and the secret key beside it into a folder."""
    for name in (database.name, "secret_key"):
        shutil.copy(database.with_name(name), var / name)


# Which ends of lines in mails are commands follows from their words alone, so all applications share what is known.
LINE_ENDS: LRUCache[str, bool] = LRUCache(100_000)


def _keep_key() -> None:
    """Keep the key check value in a database without rows, in which there is nothing to try the key on."""
    with transaction():
        insert_new(KeyCheck, {"number": 1, "value": key_check.VALUE})


class Table:
    """An application under test."""

    # Made since the end of the last test.
    unchecked: ClassVar[list["Table"]] = []

    def __init__(self, var: Path, seed: int = 1, **settings: str) -> None:
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
        gets_our_key = (
            is_new and not {"secret_key", "secret_key_file"} & {*settings} and not (var / "secret_key").exists()
        )
        if gets_our_key:
            var.mkdir(mode=0o700, parents=True, exist_ok=True)
            _lay(migrated_with_key(), var)
        chosen = Settings.from_environ((databases.environ(var) if is_pooled else {}) | environ, var)
        if is_new and not gets_our_key:
            shutil.copyfile(migrated(), file)
        # The file that the database is a copy of, while it may still be one.
        self.laid = migrated_with_key() if gets_our_key else None
        self.app: Flask = create_app(chosen, clock=self.clock, rng=Rngs(seed))
        runtime = self.app.extensions["blackticket"]
        # However slow the machine is, /readyz waits for the first look of a worker.
        runtime.began = float("inf")
        runtime.line_ends = LINE_ENDS
        self.client: FlaskClient = self.app.test_client()
        self._count = 0
        with self.app.app_context():
            if not is_new and not databases.pool.has(chosen.database_url):
                migrations.upgrade()
            if not is_new:
                key_check.require()
            elif not gets_our_key:
                _keep_key()
        self.unchecked.append(self)

    def check_games(self) -> None:
        """Fail when a game in the database does not hold; nothing where the database is gone, or as it was laid."""
        if self._is_as_laid():
            return
        with self.app.app_context():
            url = db.engine.url
            if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
                return
            broken = [(found.game.id, [finding.sentence for finding in found.findings]) for found in broken_games()]
            session.remove()
            if url.get_backend_name() != "sqlite":
                db.engine.dispose()
        assert not broken, f"games that do not hold: {broken}"

    def _is_as_laid(self) -> bool:
        """Return True if nothing was written since the database was laid as a copy whose games hold."""
        database = _runtime(self).settings.var / "blackticket.db"
        log = database.with_name(f"{database.name}-wal")
        may_be_same = self.laid is not None and database.exists() and not (log.exists() and log.stat().st_size)
        return may_be_same and filecmp.cmp(self.laid, database, shallow=False)

    def blind_the_seal(self) -> None:
        """Commitments as they look to who cannot open them: random, and the same whatever they are to."""
        runtime = self.app.extensions["blackticket"]
        runtime.commit = lambda _key, *place: hashlib.sha256(repr(place[:-1]).encode()).hexdigest()

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

    def begin_anew(self) -> None:
        """Nothing has happened, and it is `START`; for tests that share a table, as only the players are left."""
        self.clock.time, self.post, self.hook = START, Postbox(), transport.post
        runtime = self.app.extensions["blackticket"]
        runtime.request_counts, runtime.game_cache, runtime.view_cache = (
            RequestCounts(),
            GameCache(),
            LRUCache(MOST_VIEWS),
        )
        runtime.seen_tokens.take_all()
        with self.app.app_context():
            for table in reversed(Base.metadata.sorted_tables):
                if table.name not in ("players", "tokens", "addresses", "tallies"):
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
                lobby.join(game_id, player, seat=number)
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


class _Kept:
    """A table as it stood, to be taken up again by any number of tests: making another takes long."""

    def __init__(self, build: Callable[[Table], Playing], settings: Mapping[str, str]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.table = Table(Path(self.folder.name), **settings)
        self.game = build(self.table)
        self.table.check_games()  # now: on PostgreSQL the database is another table's afterwards
        Table.unchecked[:] = [table for table in Table.unchecked if table is not self.table]
        _let_go(self.table)
        if databases.IS_POSTGRESQL:
            folder = Path(self.folder.name)
            self.rows = databases.taken(databases.pool.of(folder))
            databases.pool.give_back(folder)

    def put(self, table: Table) -> Playing:
        """Lay everything out on `table`, which must be empty."""
        _let_go(table)
        ours, theirs = _runtime(table), _runtime(self.table)
        for file in filter(Path.is_file, theirs.settings.var.iterdir()):
            shutil.copy(file, ours.settings.var / file.name)
        if databases.IS_POSTGRESQL:
            databases.put_back(databases.pool.of(ours.settings.var), self.rows)
        else:
            table.laid = theirs.settings.var / "blackticket.db"
        ours.keyring, ours.rng = theirs.keyring, Rngs(theirs.rng.seed + 1)  # no id comes twice
        table.clock.time, table.post.sent[:] = self.table.clock.time, self.table.post.sent
        table._count = self.table._count
        people = []
        for kept in self.game.people:
            person = object.__new__(Person)
            person.__dict__ |= kept.__dict__ | {"table": table}
            people.append(person)
        return Playing(table, self.game.id, people)


_kept: dict[tuple[str, ...], _Kept] = {}


def again(table: Table, build: Callable[[Table], Playing], title: str = "") -> Playing:
    """The game that `build` makes, on `table`, which must be empty; it is made once for tables with these settings.

    Its name and module, or the `title`, tell it from others.
    """
    settings = tuple(f"{setting} {value}" for setting, value in sorted(table.settings.items()))
    name = (title or f"{build.__module__} {build.__qualname__}", *settings)
    if name not in _kept:
        with seeded((title or build.__name__, *settings)):  # whichever test is the first to build it
            _kept[name] = _Kept(build, table.settings)
    return _kept[name].put(table)


def _let_go(table: Table) -> None:
    """No connection to the database is left open."""
    with table.app.app_context():
        session.remove()
        db.engine.dispose()


def _runtime(table: Table) -> Any:
    return table.app.extensions["blackticket"]


@pytest.fixture(scope="session")
def cluster() -> str:
    """The URL of a PostgreSQL server."""
    return databases.cluster_url()


@pytest.fixture
def postgres(tmp_path: Path) -> str:
    """The URL of a PostgreSQL database at the newest revision, without rows."""
    return databases.pool.of(tmp_path / "postgres")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without rows, of each kind in turn; the one of SQLite is yet to be made."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'blackticket.db'}"
    url: str = request.getfixturevalue("postgres")
    return url


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A fresh application with a clock at Sunday 22 November 2026, 18:00 UTC; SANDBOX is on."""
    return Table(tmp_path, sandbox="1", min_turn="PT1S")


@pytest.fixture
def game(table: Table) -> Playing:
    """A running game of the 2000 edition with six people."""
    return table.dealt(6)
