"""What the processes of a crowd have in common, loaded once and copied; see tests/crowd.py."""

from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg  # noqa: F401 which SQLAlchemy would load for the first connection

from server.app import create_app
from server.settings import Settings
from tests import conftest  # noqa: F401 which has all applications of a process share the routes of the first

with TemporaryDirectory() as _folder:
    create_app(Settings.from_environ({}, Path(_folder)))
