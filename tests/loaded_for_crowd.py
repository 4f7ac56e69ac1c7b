"""What the processes of a crowd have in common, loaded once and copied; see tests/crowd.py."""

from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg  # noqa: F401 which SQLAlchemy would load for the first connection
from sqlalchemy.dialects import postgresql  # noqa: F401 which it looks at to find the one for psycopg

from server.engine import Edition
from server.engine.rides import Rides
from tests import conftest, databases, profiles, sharing  # noqa: F401 of which one loads hypothesis

# A move and a deadline are played, for what is made, compiled and kept when that happens for the first time.
with TemporaryDirectory() as _folder:
    # On SQLite also where the tests are on PostgreSQL: this process would start a server of its own.
    _url = f"sqlite:///{Path(_folder) / 'blackticket.db'}"
    _table = conftest.Table(Path(_folder), database_url=_url, sandbox="1", min_turn="PT1S")
    _game = _table.game(_table.people(2), edition="condensed")
    _game.move(_game.people[0])
    _table.clock.turn(days=3)
    _table.tick()
    _table.unchecked.clear()  # no test comes after which it would be checked
    with _table.app.app_context():
        databases.let_go()
Rides.of(Edition.named("ravensburger-2000").board)
sharing.leave_no_garbage()
