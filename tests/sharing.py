"""What all applications of a process have in common: routes, compiled templates, and compiled statements.

Each would take long to make them. To import this has them share. The copies of a process share what it has made before.
"""

import gc
from functools import cache
from types import SimpleNamespace
from typing import Any

from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache
from sqlalchemy import Engine
from sqlalchemy.util import LRUCache

import server.app
from server import api, web
from server.models import connect, db

STATEMENTS = 5_000  # SQLAlchemy keeps 500 unless told otherwise, and the tests use more


class CompiledTemplates(BytecodeCache):
    """The templates of all applications of this process: compiling them again for each would be a sixth of the time."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key, bucket.checksum] = bucket.code


def _as_the_first(app: Flask) -> None:
    """Give `app` the routes of another: adding them takes most of the time of making an application."""
    first = _first(app.extensions["blackticket"].settings.dev_mail)
    for name in ("url_map", "view_functions", "blueprints", "error_handler_spec"):
        setattr(app, name, getattr(first, name))
    for name in ("before_request_funcs", "after_request_funcs", "teardown_request_funcs"):
        getattr(app, name).update({scope: [*functions] for scope, functions in getattr(first, name).items()})
    app.extensions = first.extensions | app.extensions
    app.config.update({name: value for name, value in first.config.items() if name not in app.config})


@cache
def _first(dev_mail: bool) -> Flask:
    app = Flask("first", static_folder=None)
    app.extensions["blackticket"] = SimpleNamespace(settings=SimpleNamespace(dev_mail=dev_mail))
    for register in _REGISTER:
        register(app)
    return app


def _connect(app: Flask, url: str, connections: int) -> None:
    connect(app, url, connections)
    with app.app_context():
        _share_statements(db.engine)


def _share_statements(engine: Engine) -> None:
    """Let `engine` use the dialect and the compiled statements of the first engine of its kind that has connected."""
    first = _engines.get(engine.dialect.name)
    if first is None or first.dialect.server_version_info is None:  # before it connects, a dialect knows no database
        engine._compiled_cache = LRUCache(STATEMENTS)
        _engines[engine.dialect.name] = engine
    else:
        engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache


def leave_no_garbage() -> None:
    """Have no copy of this process look for garbage in what it has made so far."""
    gc.collect()
    gc.freeze()


Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": CompiledTemplates()}
_engines: dict[str, Engine] = {}
server.app.connect = _connect
_REGISTER = (api.register, web.register)
api.register, web.register = _as_the_first, lambda _app: None
