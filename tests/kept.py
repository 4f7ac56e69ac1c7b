"""Tables as they stood, taken up again by any number of tests."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from server.models import db, session
from server.vocabulary.translation import current
from tests import databases
from tests.injected import Rngs

if TYPE_CHECKING:
    from tests.table import Playing, Table


class _Kept:
    """A table as it stood, to be taken up again by any number of tests: making another takes long."""

    def __init__(self, build: Callable[["Table"], "Playing"], like: "Table") -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.table = type(like)(Path(self.folder.name), **like.settings)
        self.game = build(self.table)
        self.table.check_games()  # now: on PostgreSQL the database is another table's afterwards
        self.table.unchecked.remove(self.table)
        _let_go(self.table)
        if databases.IS_POSTGRESQL:
            folder = Path(self.folder.name)
            self.rows = databases.taken(databases.pool.of(folder))
            databases.pool.give_back(folder)

    def put(self, table: "Table") -> "Playing":
        """Lay everything out on `table`, which must be empty."""
        _let_go(table)
        ours, theirs = table.runtime, self.table.runtime
        for file in filter(Path.is_file, theirs.settings.var.iterdir()):
            shutil.copy(file, ours.settings.var / file.name)
        if databases.IS_POSTGRESQL:
            databases.put_back(databases.pool.of(ours.settings.var), self.rows)
        else:
            table.laid = theirs.settings.var / "blackticket.db"
        ours.keyring, ours.rng = theirs.keyring, Rngs(theirs.rng.seed + 1)  # no id comes twice
        table.clock.time, table.post.sent[:] = self.table.clock.time, self.table.post.sent
        table._count = self.table._count
        people = []
        for kept in self.game.people:
            person = object.__new__(type(kept))
            person.__dict__ |= kept.__dict__ | {"table": table}
            people.append(person)
        return type(self.game)(table, self.game.id, people)


_kept: dict[tuple[str, ...], _Kept] = {}


def again(table: "Table", build: Callable[["Table"], "Playing"], title: str = "") -> "Playing":
    """The game that `build` makes, on `table`, which must be empty; it is made once for tables with these settings.

    Its name and module, or the `title`, and the language that is spoken, tell it from others.
    """
    settings = tuple(f"{setting} {value}" for setting, value in sorted(table.settings.items()))
    name = (title or f"{build.__module__} {build.__qualname__}", current(), *settings)
    if name not in _kept:
        _kept[name] = _Kept(build, table)
    return _kept[name].put(table)


def _let_go(table: "Table") -> None:
    """No connection to the database is left open."""
    with table.app.app_context():
        session.remove()
        db.engine.dispose()
