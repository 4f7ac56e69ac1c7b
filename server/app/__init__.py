"""The application, which has no threads of its own.

Listeners, ticker and sender belong to `blackticket serve` and `blackticket worker`.
"""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from flask import Flask

from server.app import template_words
from server.application.integrity import key_check
from server.http.proxies import BehindProxies
from server.migrations import require_current
from server.models import connect, db, wait_for
from server.models.in_use import Use
from server.models.postgresql import read_clock
from server.runtime import RngFor, Runtime, system_rng, utc_now
from server.runtime.keyring import Keyring
from server.settings import Settings, environment
from server.vocabulary.resources import templates


def create_app(
    settings: Settings | None = None,
    *,
    clock: Callable[[], datetime] = utc_now,
    database_clock: Callable[[Any], datetime] | None = read_clock,
    rng: RngFor = system_rng,
    serves_http: bool = True,
    add_routes: Callable[[Flask], None] | None = None,
    bind: Callable[[Flask, str, int], None] = connect,
    **parts: Any,
) -> Flask:
    """Return the application for `settings` (from the environment if None).

    One that does not serve HTTP has no routes, and loads nothing of what they need. Tests inject the clocks, `rng` and
    `parts`, which are fields of `Runtime`; where they make hundreds of applications, also `add_routes`, which adds the
    routes to an application, and `bind`, which binds it to a database like `connect`.
    """
    settings = settings or Settings.from_environ(environment())
    app = Flask("server", template_folder=str(templates()), static_folder=None)
    app.extensions["blackticket"] = Runtime(
        settings, Keyring(settings.secret_key, settings.secret_key_path), clock, rng,
        database_clock=database_clock, **parts,
    )  # fmt: skip
    app.config["MAX_CONTENT_LENGTH"] = 1_000_000
    app.json.sort_keys = False  # type: ignore[attr-defined]
    template_words.add_to(app.jinja_env)
    bind(app, settings.database_url, settings.database_connections)
    if serves_http:
        serve_http(app, add_routes)
    return app


def serve_http(app: Flask, add_routes: Callable[[Flask], None] | None = None) -> None:
    """Give an application that served no HTTP its routes, and load what they need."""
    (add_routes or register)(app)
    _guard(app, app.extensions["blackticket"].settings)


def register(app: Flask) -> None:
    """Add the routes of the API and of all pages."""
    from server import api, web  # noqa: PLC0415 only a process that serves HTTP loads what that needs

    api.register(app)
    web.register(app)


def _guard(app: Flask, settings: Settings) -> None:
    from server.api import problems as api_problems  # noqa: PLC0415
    from server.api.endpoints import require_declarations  # noqa: PLC0415
    from server.web import problems as web_problems  # noqa: PLC0415

    api_problems.register(app, web_problems.page_for_browser)
    require_declarations(app)
    if settings.trusted_proxies:
        app.wsgi_app = BehindProxies(app.wsgi_app, settings.trusted_proxies)  # type: ignore[method-assign]


def wsgi(environ: Mapping[str, str] | None = None, sleep: Callable[[float], object] = time.sleep) -> Flask:
    """Return the application for a WSGI server, once its database answers; `sleep` waits until it is asked again.

    It shares the lock of a SQLite database until it is gone.

    Raises:
        InUse: if the database is being restored.
        OldDatabase: if the database is not at this version.
        WrongKey: if the database was made with another secret key.
    """
    app = create_app(Settings.from_environ(environment() if environ is None else environ))
    app.extensions["use"] = Use(app.extensions["blackticket"].settings.database_url)

    def require() -> None:
        require_current()
        key_check.require()

    with app.app_context():
        wait_for(db.engine, require, sleep)
    return app
