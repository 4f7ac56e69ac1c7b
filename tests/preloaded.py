"""What the processes that tests start have in common, loaded once; see tests/loaded.py."""

import psycopg  # noqa: F401 which SQLAlchemy would load for the first connection
from sqlalchemy.dialects import postgresql  # noqa: F401 which it looks at to find the one for psycopg

from server.cli import serve, service_manager, web, worker, worker_process  # noqa: F401
from server.http import server  # noqa: F401
from server.mail.transport import smtp_server  # noqa: F401
from tests import profiles, table  # noqa: F401 of which one loads hypothesis
