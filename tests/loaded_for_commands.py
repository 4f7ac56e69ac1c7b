"""What the processes of `blackticket` have in common, loaded once and copied; see tests/loaded.py.

No module here imports tests.conftest, which would bring the tests' clock into the program.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg  # noqa: F401 which SQLAlchemy would load for the first connection

from server import migrations
from server.app import create_app
from server.cli import run, service_manager, worker_process  # noqa: F401
from server.cli.processes import load_usual_board
from server.http import server  # noqa: F401
from server.mail.transport import smtp_server  # noqa: F401
from server.models import db, session
from server.settings import Settings
from server.web import prepare
from tests import sharing

load_usual_board()
with TemporaryDirectory() as _folder:
    _app = create_app(Settings.from_environ({}, Path(_folder)))
    with _app.app_context():
        migrations.upgrade()
        prepare(_app)
        session.remove()
        db.engine.dispose()
sharing.leave_no_garbage()
