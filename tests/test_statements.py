"""The statements of what happens most often are those that statements.md names, and no more."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import request_finished
from sqlalchemy import event
from sqlalchemy.orm import Session

from server.application.time.outages import Watch
from server.mail import outbox
from server.models import session
from tests.statements import statements
from tests.table import Playing, Table

PAGE = Path(__file__).with_name("statements.md")
MOST = (9, 12, 12, 3, 1, 9, 1)  # of each column together


@pytest.mark.sqlite("on PostgreSQL a commit notifies, and the look of a worker tries a lock")
def test_the_page_names_every_statement(table: Table):
    with request_finished.muted():  # tests compare each view with a fresh one
        found = list(_found(table))
    written = lines_of_page()
    right = lines(found, {line.split("`")[1]: line.split(" | ")[1] for line in written if "`" in line})
    assert written == right, "\n".join(["The table in statements.md should be:", *right])
    too_many = [counted.total() for counted, most in zip(found, MOST, strict=True) if counted.total() > most]
    assert not too_many


def test_a_move_is_made_without_the_session(table: Table):
    """The session costs a move as much as all it reads."""
    game = table.game(table.people(6), edition="ravensburger-2000")
    used: list[object] = []

    def note(*used_now: object) -> None:
        used.append(used_now)

    for _ in range(7):  # one whole round, and the first move of the next
        body = {"turn": game.view()["turn"], "notation": game.legal(mover := game.mover())[0]}
        event.listen(Session, "after_begin", note)
        try:
            assert mover.post(f"{game.path}/moves", body).status_code == 201
        finally:
            event.remove(Session, "after_begin", note)
    assert not used


def lines_of_page() -> list[str]:
    lines = PAGE.read_text().splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("| statement | what for |"))
    table = itertools.takewhile(lambda line: line.startswith("|"), lines[begin:])
    return list(table)[2:]


def lines(found: list[Counter[str]], what_for: dict[str, str]) -> list[str]:
    """The rows of the table in the order of the page, those that it lacks at the end."""
    names = {name for counted in found for name in counted}
    order = [name for name in what_for if name in names] + sorted(names - set(what_for))
    rows = [(f"`{name}`", what_for.get(name, "?"), *(counted[name] or "" for counted in found)) for name in order]
    rows.append(("together", "", *(counted.total() for counted in found)))
    return ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def _found(table: Table) -> Iterator[Counter[str]]:
    """The statements of each column, in a game of six that has gone on for two rounds."""
    game = table.game(table.people(6), edition="ravensburger-2000")
    for _ in range(2 * 6 + 1):
        game.move(game.mover())
    yield of_move(game)
    for _ in range(3):
        game.move(game.mover())
    table.tick()
    yield of_move(game)
    with counting(table) as counted, table.app.app_context():
        assert outbox.send_waiting(table.post) == 1
    assert counted["BEGIN"] == 2
    assert counted.total() - counted["BEGIN"] - counted["COMMIT"] <= 8
    yield counted
    assert game.view()["to_move"] == ["mr_x"]
    detective = game.people[1]
    detective.get(game.path)
    game.move(game.mover())
    with counting(table) as counted:
        view = detective.get(game.path)
    yield counted
    with counting(table) as counted:
        assert detective.get(game.path, headers={"If-None-Match": view.headers["ETag"]}).status_code == 304
    yield counted
    watch, looks = Watch(), []
    for number in range(8):
        table.tick()
        table.clock.turn(seconds=5)
        if number == 4:
            looks.clear()  # those were the first
        with counting(table) as counted, table.app.app_context():
            watch.look()
            session.remove()
        looks.append(counted)
    yield max(looks, key=Counter.total)  # every other one notes more
    with counting(table) as counted:
        table.tick()
    yield counted


def of_move(game: Playing) -> Counter[str]:
    mover = game.mover()
    body = {"turn": game.view()["turn"], "notation": game.legal(mover)[0]}
    with counting(game.table) as counted:
        assert mover.post(f"{game.path}/moves", body).status_code == 201
    return counted


@contextmanager
def counting(table: Table) -> Iterator[Counter[str]]:
    """Count the statements that the database gets within the block, by their names."""
    counted: Counter[str] = Counter()
    with statements(table) as sent:
        yield counted
    counted.update(map(name_of, sent))
    counted.update(["COMMIT"] * counted["BEGIN"])  # the driver sends it, and tells no listener


def name_of(statement: str) -> str:
    """The verb and the table: `SELECT games`, `INSERT outbox`, `BEGIN`; `SELECT EXISTS` without a table."""
    flat = re.sub(r"\s+", " ", statement)
    while (shorter := re.sub(r"\([^()]*\)", "", flat)) != flat:
        flat = shorter
    verb = flat.split()[0]
    table = re.search(r"(?:FROM|INTO|UPDATE) (\w+)", flat)
    return f"{verb} {table[1]}" if table else verb if verb == "BEGIN" else f"{verb} EXISTS"
