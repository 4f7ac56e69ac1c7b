"""A copy of the database without the key tells nothing of Mr. X."""

import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from server.models import Base, Game, Incoming, Move, Outgoing, QueuedMove, session, transaction
from server.models.types import Encrypted
from server.runtime.keyring import Keyring, WrongKey
from tests import databases
from tests.positions import position
from tests.statements import failing
from tests.table import Playing, Table

# Stations that nothing else in the game is numbered by.
START, FIRST, SECOND = 196, 184, 169


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Playing:
    """Mr. X has gone from 196 by 184 to 169, by REST under a key and by mail; green has sent a move ahead."""
    table = Table(tmp_path_factory.mktemp("rest"), sandbox="1")
    ada, ben, cleo = table.people(3)
    game = table.game([ada, ben, cleo], position=position(START, red=1, green=2))
    body = {"turn": 1, "notation": f"taxi {FIRST}"}
    assert ada.post(f"{game.path}/moves", body, headers={"Idempotency-Key": "k"}).status_code == 201
    assert game.move(cleo, "taxi 20").status_code == 202
    table.tick()
    game.move(ben, "taxi 8")
    table.tick()
    ada.reply(f"taxi {SECOND}")
    table.tick()
    assert game.view(ada)["pawns"]["mr_x"]["station"] == SECOND
    assert game.move(cleo, "bus 199").status_code == 422
    assert game.move(cleo, "taxi 2").status_code == 202
    return game


def rows(game: Playing) -> Iterator[tuple[str, str, Any]]:
    """Every value of every table, as it lies in the database."""
    for name, found in databases.rows(game.table.app).items():
        for row in found:
            yield from ((name, column, value) for column, value in row.items())


def test_no_table_tells_where_mr_x_is_or_was(played: Playing):
    secret = re.compile(rf"\b({START}|{FIRST}|{SECOND})\b")
    values = list(rows(played))
    assert {name for name, *_ in values} >= {"games", "moves", "events", "answered", "inbox", "outbox", "moves_ahead"}
    for name, column, value in values:
        if not isinstance(value, bytes) and (name, column) != ("news", "number"):  # goes on from test to test
            assert not secret.search(str(value)), (name, column, value)


def test_what_is_not_sealed_is_no_bytes_at_all(played: Playing):
    sealed = {(name, column.name) for name, table in Base.metadata.tables.items() for column in table.c
              if isinstance(column.type, Encrypted)}  # fmt: skip
    assert {(name, column) for name, column, value in rows(played) if isinstance(value, bytes)} <= sealed


@pytest.mark.sqlite("its files")
def test_the_files_hold_no_move_of_mr_x(played: Playing):
    folder = played.table.app.extensions["blackticket"].settings.var
    plain = [f"taxi {FIRST}".encode(), f"taxi {SECOND}".encode(), b'"station":%d' % START, b'"station": %d' % START]
    found = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".db" for path in found)
    for path in found:
        data = path.read_bytes()
        assert not [text for text in plain if text in data], path


def test_a_move_ahead_is_sealed_as_mr_x_may_not_see_it_either(played: Playing):
    assert not [value for name, column, value in rows(played) if name == "moves_ahead" and value == "green taxi 2"]
    with played.table.app.app_context():
        assert session.query(QueuedMove).one().notation == "green taxi 2"


def test_sealed_columns_open_with_the_key(played: Playing):
    with played.table.app.app_context():
        moves = session.scalars(select(Move.notation).order_by(Move.turn)).all()
        assert moves == [f"taxi {FIRST}", "red taxi 8", "green taxi 20", f"taxi {SECOND}"]
        assert session.query(Game).one().position["mr_x"]["station"] == START
        assert f"taxi {SECOND}".encode() in session.query(Incoming).one().raw


def test_every_move_is_sealed_at_the_same_length(played: Playing):
    with played.table.app.app_context():
        lengths = session.connection().exec_driver_sql("SELECT DISTINCT length(notation) FROM moves").scalars().all()
    assert len(lengths) == 1


def test_a_sealed_value_does_not_open_in_another_column(played: Playing):
    with played.table.app.app_context(), transaction():
        session.connection().exec_driver_sql(
            "UPDATE games SET mr_x_start = (SELECT notation FROM moves WHERE turn = 1)"
        )
        session.expire_all()
        with pytest.raises(WrongKey):
            session.scalar(select(Game.mr_x_start))
        session.rollback()


def test_a_mail_that_was_sent_leaves_no_bytes_behind(played: Playing):
    with played.table.app.app_context():
        states = {(row.state, row.message is None, row.details is None) for row in session.query(Outgoing)}
    assert ("sent", True, True) in states
    assert not [state for state in states if state[0] == "sent" and state[1:] != (True, True)]


def test_the_text_of_a_database_error_holds_no_parameters(played: Playing):
    with played.table.app.app_context():
        game_id = session.scalar(select(Game.id))
        move = Move(
            game_id=game_id, turn=1, pawn="mr_x", notation="taxi 184", by="player", made_at=played.table.clock()
        )
        with pytest.raises(IntegrityError) as clash, transaction():
            session.add(move)
    assert "184" not in str(clash.value)
    assert game_id not in str(clash.value)
    assert "parameters hidden" in str(clash.value)


def test_a_fault_is_logged_without_its_text(table: Table, caplog: pytest.LogCaptureFixture):
    game = table.game(table.people(2), position=position(START, red=1))
    trouble = RuntimeError(f"Mr. X is at {SECOND}")
    with caplog.at_level(logging.DEBUG), failing(table, "SELECT seats", error=trouble):
        answer = game.people[0].get(f"{game.path}/deadline")
    assert (answer.status_code, answer.json["type"]) == (500, "internal")
    # Not within the number of the fault, or an address in memory.
    assert not re.search(rf"(?<![0-9a-f]){SECOND}(?![0-9a-f])", answer.text + caplog.text)
    number = re.search(r"number ([0-9a-f]{12})", answer.json["detail"])
    assert number is not None
    assert number[1] in caplog.text, "the operator finds what the player was told"


def test_a_dump_lets_nobody_in(played: Playing):
    token = played.people[0].token
    assert not [value for *_, value in rows(played) if token in str(value)]


@pytest.mark.sqlite("a setting of it")
def test_what_is_deleted_is_overwritten(played: Playing):
    with played.table.app.app_context():
        assert session.connection().exec_driver_sql("PRAGMA secure_delete").scalar() == 1


def test_another_key_opens_nothing(played: Playing):
    runtime = played.table.app.extensions["blackticket"]
    ours, runtime.keyring = runtime.keyring, Keyring("another key of more than 32 letters")
    with played.table.app.app_context(), pytest.raises(WrongKey, match="SECRET_KEY"):
        session.scalars(select(Move.notation)).all()
    runtime.keyring = ours
