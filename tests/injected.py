"""What tests put in the place of the machine's parts, all of it through parameters of `create_app` and its `Runtime`.

| part | in its place | why |
| --- | --- | --- |
| `clock`, `monotonic` | a clock that tests turn | nobody waits for a deadline |
| `database_clock` | none | a database would set the tests' clock right |
| `rng` | chance with a seed | a test that fails can be repeated |
| transport (`worker.tick`) | a postbox | mails are looked at, and reach nobody |
| far end of webhooks (`worker.tick`), `resolve`, `dns` | what the test says | tests ask no network |
| `began` | never | `/readyz` waits for a worker, however slow the machine is |
| `is_clock_set` | yes | how the machine of the tests sets its clock is no fault |
| `disk_usage` | what the test says | whatever room the disk of the tests has |
| `database` | shorter waits, another limit of SQLite's library | nobody waits for a lock, and both journals are tried |
| `sleep` of commands | what happens meanwhile | nobody waits for a minute |
| `examiner` | one that a mail ends | what a hostile mail may do is done |
| `line_ends`, `pictures` | one cache for all applications | what a picture of the same board shows is drawn once |
| `add_routes` | routes of the first application | making them anew for each would double the time of all tests |
| `bind` | statements of the first database | compiling them anew would take half as long again |
| `bytecode_cache` of Jinja | templates compiled once | compiling them anew would take a third as long again |

What has no application gets its parts as parameters: listeners and readers their limits, the setup of a mailbox the
world outside (`Outside`). A database that fails, or something that happens in the middle of an act, comes at a
statement: `failing`, `before` and `committing` of tests/statements.py. Faults that a test has to find are planted,
see tests/planting.py.

The secret key of a table is always the same. Where a command makes the application itself, it gets `for_command` as the
object of click's context.
"""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from types import SimpleNamespace
from typing import Any

from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache
from sqlalchemy import Engine
from sqlalchemy import util as sql_util

from server.app import create_app, register
from server.models import connect, db
from server.runtime.lru import LRUCache
from server.settings import Settings

START = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
LINE_ENDS: LRUCache[str, bool] = LRUCache(100_000)
PICTURES: LRUCache[tuple[object, ...], bytes] = LRUCache(500)
STATEMENTS = 5_000  # SQLAlchemy keeps 500 unless told otherwise, and the tests use more
_LOADED = datetime.now(UTC)


def wall_clock() -> datetime:
    """Return the time of an application that a test gives no clock, such as a command's: it runs, from before START.

    So no test depends on the day on which it runs.
    """
    return START - timedelta(hours=6) + (datetime.now(UTC) - _LOADED)


def application(settings: Settings | None = None, **parts: Any) -> Flask:
    """Return an application whose parts are those of the table above, but for the `parts` that are given."""
    usual: dict[str, Any] = {
        "clock": wall_clock,
        "database_clock": None,
        "is_clock_set": lambda: True,
        "line_ends": LINE_ENDS,
        "pictures": PICTURES,
        "add_routes": _add_routes_of_the_first,
        "bind": _bind,
    }
    app = create_app(settings, **usual | parts)
    app.jinja_env.bytecode_cache = _TEMPLATES
    return app


def forget_ends() -> None:
    """Forget the pictures of ends, which are kept by the ids of games: those of another table may have the same."""
    for shown, picture in PICTURES.take_all():
        if not str(shown[0]).startswith("end-"):
            PICTURES.put(shown, picture)


def for_command(app: Flask | None = None, **parts: Any) -> Callable[..., Flask]:
    """Return what makes the application of a command: `app` itself, or one with these parts."""
    return lambda *given, **named: app or application(*given, **named, **parts)


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


# What all applications of a process have in common ----------------------------------------------


class CompiledTemplates(BytecodeCache):
    """The templates of all applications of this process."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key, bucket.checksum] = bucket.code


_TEMPLATES = CompiledTemplates()


def _add_routes_of_the_first(app: Flask) -> None:
    first = _first(app.extensions["blackticket"].settings.dev_mail)
    for name in ("url_map", "view_functions", "blueprints", "error_handler_spec"):
        setattr(app, name, getattr(first, name))
    for name in ("before_request_funcs", "after_request_funcs", "teardown_request_funcs", "url_default_functions"):
        getattr(app, name).update({scope: [*functions] for scope, functions in getattr(first, name).items()})
    app.extensions = first.extensions | app.extensions
    app.config.update({name: value for name, value in first.config.items() if name not in app.config})


@cache
def _first(dev_mail: bool) -> Flask:
    app = Flask("first", static_folder=None)
    app.extensions["blackticket"] = SimpleNamespace(settings=SimpleNamespace(dev_mail=dev_mail))
    register(app)
    return app


def _bind(app: Flask, url: str, connections: int) -> None:
    """Bind to a database whose engine uses the dialect and the compiled statements of the first that has connected."""
    connect(app, url, connections)
    with app.app_context():
        engine = db.engine
    first = _engines.get(engine.dialect.name)
    if first is None or first.dialect.server_version_info is None:  # before it connects, a dialect knows no database
        engine._compiled_cache = sql_util.LRUCache(STATEMENTS)
        _engines[engine.dialect.name] = engine
    else:
        engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache


_engines: dict[str, Engine] = {}
