"""Of several hosts in `DATABASE_URL` the one that takes writes is used, and another one after a failover."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg
import pytest

from server.application.health import machine
from server.models import Unavailable, db, try_write
from server.models.postgresql import Listener
from tests import databases
from tests.databases import cluster_url, let_go
from tests.table import Table


def folder_of(url: str) -> str:
    return urlsplit(url).query.removeprefix("host=")


@pytest.fixture(scope="module")
def standby() -> Iterator[databases.Server]:
    """A server that takes no writes."""
    server = databases.Server("default_transaction_read_only = on")
    yield server
    server.close()


@pytest.mark.skipif("host=/" not in cluster_url(), reason="the server of TEST_DATABASE_URL may be anywhere")
def test_the_host_that_takes_writes_is_found_wherever_it_stands(
    postgres: str, standby: databases.Server, tmp_path: Path
):
    name = urlsplit(postgres).path[1:]
    with psycopg.connect(standby.url, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute(f"CREATE DATABASE {name}")
    hosts = [quote(folder_of(url), safe="") for url in (standby.url, postgres)]
    for number, order in enumerate((hosts, hosts[::-1])):
        url = f"postgresql://postgres@{','.join(order)}/{name}"
        table = Table(tmp_path, number + 1, database_url=url)
        table.person(f"Ada{number}")
        with table.app.app_context():
            Listener(db.engine, ["inbox"]).close()
            let_go()


@pytest.mark.skipif("host=/" not in cluster_url(), reason="the server of TEST_DATABASE_URL may be anywhere")
def test_while_there_is_none_it_is_said_that_the_database_is_read_only(
    postgres: str, standby: databases.Server, tmp_path: Path
):
    table = Table(tmp_path, database_url=postgres)
    with table.app.app_context():
        let_go()
        engine = db.engine
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {urlsplit(postgres).path[1:]} SET default_transaction_read_only = on")
        try:
            with pytest.raises(Unavailable) as refused:
                try_write()
        finally:
            with psycopg.connect(postgres, autocommit=True) as connection:
                connection.execute("SET default_transaction_read_only = off")
                connection.execute(f"ALTER DATABASE {urlsplit(postgres).path[1:]} RESET default_transaction_read_only")
        assert refused.value.why == "it is read-only"
        assert engine.pool.checkedout() == 0  # type: ignore[attr-defined]
        assert machine.storage_trouble() is None
        let_go()
