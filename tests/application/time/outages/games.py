"""Games half an hour before a deadline, and what became of them."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select

from server.application.time import outages
from server.models import Deadline, Event, Move, Outgoing, session
from tests.application.time.ticking import Ticking
from tests.kept import again
from tests.table import Playing, Table

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
HALF = 6 * HOUR  # what each side has
SLACK = 20 * SECOND  # how exactly it is known until when all was well


def hunting(table: Table) -> Playing:
    game = table.game(table.people(2), edition="condensed", clock={"mr_x": "PT6H", "detectives": "PT6H"})
    game.move(game.people[0])
    return game


def well(table: Table) -> Playing:
    """Return that game half an hour before its deadline, after a time without an outage."""
    game = again(table, hunting)
    ticking = Ticking(table)
    ticking.retry_from_database()
    ticking.idle(due(game) - 90 * MINUTE)
    ticking.idle(due(game) - 30 * MINUTE)
    ticking.run(ticking.now + 10 * SECOND)
    return game


def due(game: Playing) -> datetime:
    """The deadline under way; there is always exactly one."""
    with game.table.app.app_context():
        armed = (Deadline.game_id == game.id, Deadline.kind == "timeout", Deadline.state == "armed")
        return session.scalars(select(Deadline.due_at).where(*armed)).one()


def events(game: Playing, *kinds: str) -> list[dict[str, Any]]:
    with game.table.app.app_context():
        mine = (Event.game_id == game.id, Event.kind.in_(kinds))
        return list(session.scalars(select(Event.data).where(*mine).order_by(Event.number)))


def penalties(game: Playing) -> list[Any]:
    """Return everything that happened to players because they were late."""
    with game.table.app.app_context():
        by_house = session.scalars(select(Move.turn).where(Move.game_id == game.id, Move.by == "house")).all()
    return [*by_house, *events(game, "late", "granted", "ended", "postponed")]


def reminders(game: Playing) -> int:
    with game.table.app.app_context():
        mine = (Outgoing.game_id == game.id, Outgoing.kind == "reminder")
        return session.scalar(select(func.count()).select_from(Outgoing).where(*mine)) or 0


def why_held(game: Playing) -> str | None:
    with game.table.app.app_context():
        return outages.why_held(game.table.clock.time)


def confirm(game: Playing, *, granted: bool = True) -> None:
    with game.table.app.app_context():
        outages.confirm(granted=granted)
        session.remove()


def armed(table: Table) -> dict[Any, tuple[str, str, datetime]]:
    """Kind, game and time of each armed row; a timeout gets another row when it moves."""
    with table.app.app_context():
        rows = session.scalars(select(Deadline).where(Deadline.state == "armed")).all()
        return {row.id: (row.kind, row.game_id, row.due_at) for row in rows if row.kind != "move"}
