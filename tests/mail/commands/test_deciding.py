"""A command decides, and writes afterwards: to decide alone, as for a mail of several lines, changes nothing."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from sqlalchemy import event, select, update

from server.application.game.deciding import Decided
from server.application.game.look import look_at_any
from server.language import grammar
from server.mail.commands.ending import AgreeToDraw, Resign
from server.mail.commands.handlers import HANDLERS, DoCommand
from server.mail.commands.joining import GoPublic
from server.mail.commands.reply import Question, UnclearError
from server.mail.commands.request import Request
from server.mail.reading.message import Kind, Reading
from server.models import Incoming, Player, db, session, transaction
from server.vocabulary.errors import Problem
from tests.refusals.cases import LINES
from tests.scenes import hunt
from tests.table import Person, Playing, Table

QUESTIONS: tuple[Question, ...] = (
    Resign(),
    AgreeToDraw(),
    GoPublic(((2, "kim@example.org"),), True),
    DoCommand("PAUSE"),
)
WRITES = {
    "away", "block", "cancel", "cover", "draw", "extend", "host", "invite", "join", "leave", "new", "pause",
    "play", "rematch", "say", "say_all", "set", "set_mail", "start", "stop", "yes",
}  # fmt: skip


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


@contextmanager
def writing(table: Table) -> Iterator[list[str]]:
    """Note the statements that write."""
    written: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE")):
            written.append(statement)

    with table.app.app_context():
        engine = db.engine
        event.listen(engine, "before_cursor_execute", note)
        try:
            yield written
        finally:
            event.remove(engine, "before_cursor_execute", note)


def request_of(person: Person, game_id: str, line: str) -> Request:
    """A mail of that one line about a game, of which its author is known."""
    player = session.get_one(Player, person.id)
    game = look_at_any(game_id, player)
    reading = Reading(Kind.HUMAN, (f"{person.name.lower()}@example.org",), lines=(line,))
    return Request(Incoming(id="mail"), reading, None, game, game.seat_of_player(player.id), player, is_authentic=True)


def kinds_of_games(table: Table, hunted: Playing) -> Iterator[tuple[Person, str]]:
    """Players of a game that runs, of open ones, with and without a free seat, and of one that is over."""
    ada, ben = hunted.people[:2]
    yield from ((ada, hunted.id), (ben, hunted.id))
    two = {"edition": "condensed", "seats": [{"role": "mr_x", "player": ada.id}, {"role": "detective"}]}
    full, free = (ada.post("/games", two).json for _ in range(2))
    ben.post(f"/games/{full['id']}/seats", {"code": full["code"]})
    yield from ((ada, full["id"]), (ben, full["id"]), (ada, free["id"]))
    over = table.game([ada, ben], edition="condensed")
    ben.post(f"{over.path}/resign")
    yield ben, over.id


def test_no_command_writes_while_it_decides(table: Table, hunted: Playing):
    code = hunted.people[2].post("/games", {"edition": "condensed", "players": 2}).json["code"]
    decided, games = set(), list(kinds_of_games(table, hunted))
    lines = [line.replace("{code}", code) for each in LINES.values() for line in each]
    commands = [(line, command) for line in lines if (command := grammar.parse_line(line)) and command.name in HANDLERS]
    with writing(table) as written:
        for person, game_id in games:
            for line, command in commands:
                with transaction(), suppress(Problem, UnclearError):
                    outcome = HANDLERS[command.name](request_of(person, game_id, line), command)
                    decided |= {command.name} if isinstance(outcome, Decided) else set()
                assert written == [], (command.name, line)
            for question in QUESTIONS:
                with transaction(), suppress(Problem, UnclearError):
                    outcome = question.yes(request_of(person, game_id, "YES"))
                    decided |= {"yes"} if isinstance(outcome, Decided) else set()
                assert written == [], question
    assert WRITES - decided == set(), "they write"


def test_what_is_refused_while_it_is_written_undoes_the_whole_transaction(table: Table):
    ada = table.person("Ada")

    def write() -> None:
        session.execute(update(Player).values(zone="Asia/Tokyo"))
        raise Problem("form", "Too late.")

    with table.app.app_context():
        with pytest.raises(RuntimeError, match="refused"), transaction():
            Decided(write).write()
        assert session.scalar(select(Player.zone).where(Player.id == ada.id)) == "Europe/London"
