"""What the database does for something, counted and not timed: steps of SQLite's machine, or pages of PostgreSQL."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from psycopg.pq import TransactionStatus
from sqlalchemy import Engine, event

STEPS = 10  # of SQLite's machine between two counts; each statement goes on counting where it stopped
DEEPER = 3  # levels of an index that a large table may have more than a small one
# Operations of its machine that read or delete a whole table in one step.
_WHOLE = {"Count", "Clear"}
_whole: dict[str, bool] = {}


class Cost(Counter[str]):
    """The steps or pages that each statement took.

    Of PostgreSQL `spread` is how many pages more these may be in a larger table, for as many rows: each look into an
    index goes up to `DEEPER` levels deeper, as in a table of a million rows, and each row may lie on a page of its own.
    """

    spread = 0

    def most(self) -> list[tuple[int, str]]:
        """Return the statements that took most, with what they took."""
        return [(amount, " ".join(statement.split())[:1500]) for statement, amount in self.most_common(3)]


@contextmanager
def counted(engine: Engine) -> Iterator[Cost]:
    """Yield the cost of all that the application asks of its database within the block."""
    cost = Cost()
    before = _before_on_sqlite(cost) if engine.dialect.name == "sqlite" else _before_on_postgresql(cost)
    event.listen(engine, "before_cursor_execute", before)
    try:
        yield cost
    finally:
        event.remove(engine, "before_cursor_execute", before)


def _before_on_sqlite(cost: Cost) -> Any:
    def before(connection: Any, _cursor: object, statement: str, given: Any, _context: object, _many: bool) -> None:
        raw = connection.connection.dbapi_connection
        raw.set_progress_handler(None, 0)
        if statement not in _whole:
            steps = raw.execute(f"EXPLAIN {statement}", given[0] if isinstance(given, list) else given).fetchall()
            _whole[statement] = any(step[1] in _WHOLE for step in steps)
        assert not _whole[statement], f"reads a whole table in one step: {statement}"

        def step() -> None:
            cost[statement] += STEPS

        raw.set_progress_handler(step, STEPS)

    return before


def _before_on_postgresql(cost: Cost) -> Any:
    def before(connection: Any, _cursor: object, statement: str, given: Any, _context: object, _many: bool) -> None:
        is_commit = "; COMMIT" in statement  # behind the rows of what streams are told of
        if is_commit or not statement.lstrip().startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")):
            return
        raw = connection.connection.dbapi_connection
        begin, end = ("BEGIN", "ROLLBACK")
        if raw.info.transaction_status != TransactionStatus.IDLE:
            begin, end = "SAVEPOINT growth", "ROLLBACK TO growth; RELEASE growth"
        for values in given if isinstance(given, list) else [given]:
            raw.execute(begin)
            # Else it reads a small table from end to end, or once for many rows, which says nothing of a large one.
            for way in ("seqscan", "hashjoin", "mergejoin", "material"):
                raw.execute(f"SET LOCAL enable_{way} = off")
            explained = raw.execute(
                f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {statement}", values
            ).fetchone()[0]
            raw.execute(end)
            plan = (json.loads(explained) if isinstance(explained, str) else explained)[0]["Plan"]
            cost[statement] += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
            cost.spread += _spread(plan)

    return before


def _spread(plan: dict[str, Any]) -> int:
    loops = plan["Actual Loops"]
    rows = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0) if "Relation Name" in plan else 0
    # In one loop an index is searched for each of many values, which lie on one page of it in a small table.
    values = max(plan["Actual Rows"], 1) if "= ANY" in plan.get("Index Cond", "") else 1
    looks = values * loops if "Index Name" in plan else 0
    return int(rows * loops + DEEPER * looks) + sum(_spread(part) for part in plan.get("Plans", ()))
