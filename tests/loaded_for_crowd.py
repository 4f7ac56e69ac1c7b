"""What the processes of a crowd have in common, loaded once and copied; see tests/crowd.py."""

from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg  # noqa: F401 which SQLAlchemy would load for the first connection

from server.app import create_app
from server.engine import Edition
from server.engine.rides import Rides
from server.settings import Settings
from tests import conftest, sharing  # noqa: F401 which sets the clock of the tests

with TemporaryDirectory() as _folder:
    create_app(Settings.from_environ({}, Path(_folder)))
for _name in ("condensed", "ravensburger-2000"):
    Rides.of(Edition.named(_name).board)
sharing.leave_no_garbage()
