"""Migrations (Alembic), run by `serve` and `blackticket db upgrade`; `versions/` holds one file each."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from server.models import db


class OldDatabase(Exception):
    """The database is not at this version; the message says what to do."""


def current() -> str | None:
    """The revision the database is at, None when it is empty."""
    with db.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def newest() -> str | None:
    """The revision this version of the server needs."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def upgrade() -> None:
    """Bring the database to the newest revision."""
    config = _config()
    with db.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def require_current() -> None:
    """`OldDatabase` unless the database is at the newest revision."""
    if current() != newest():
        raise OldDatabase("The database is not at this version; run `blackticket db upgrade` first.")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config
