"""A look at a game: of one moment, without secrets, and with few statements."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from threading import Thread

import pytest
from flask import render_template_string
from sqlalchemy import event

from server.application.game.look import look
from server.application.game.situations import load
from server.house_rules.situation import Situation
from server.models import Player, db, session, transaction
from tests.statements import statements
from tests.table import Person, Playing, Table
from tests.test_statements import name_of


@contextmanager
def meanwhile(table: Table, before: str, act: Callable[[], object]) -> Iterator[None]:
    """Let something be done in another thread, once, before the first statement of this name."""
    todo = [act]

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if todo and name_of(statement) == before:
            other = Thread(target=todo.pop())
            other.start()
            other.join()

    with table.app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert not todo


def test_a_game_that_changes_while_it_is_read_is_read_anew(game: Playing):
    ada, ben, *_ = game.people
    before = ben.get(game.path).json
    game.move(game.mover())  # so that the view is not the one in the cache
    with meanwhile(game.table, "SELECT seats", lambda: ada.post(f"{game.path}/draw")):
        view = ben.get(game.path).json
    newest = ben.get(f"{game.path}/events").json["events"][-1]
    assert (newest["kind"], view["draw"]) == ("draw", [1])
    assert view["seal"]["event"] == newest["number"] > before["seal"]["event"], "an offer of a draw without its event"


def test_no_template_and_no_log_line_can_tell_what_is_sealed(game: Playing, caplog: pytest.LogCaptureFixture):
    """The template and the log line do find it in the situation that decisions use, of which no reader gets one."""
    template = "{% for name in names %}{{ game | attr(name) }} {% endfor %}"
    with game.table.app.app_context(), transaction():
        situation = load(game.id)
        assert situation.log_secrets is not None
        names = [*(each.name for each in fields(Situation)), *(f"_{each.name}" for each in fields(Situation))]
        sealed = (situation.log_secrets["key"], "engine.game.Game object")
        assert all(secret in render_template_string(template, game=situation, names=names) for secret in sealed)
        for reader in (None, *game.people):
            seen = look(game.id, reader and session.get_one(Player, reader.id))
            printed = render_template_string(template, game=seen, names=[*names, *dir(seen)])
            assert not any(secret in printed for secret in sealed)
            logging.getLogger("server").warning("%r %s %s", seen, seen.seats, situation)
    assert not any(secret in caplog.text for secret in sealed)
    assert situation.seats[0].nonce not in caplog.text


def queued_by(person: Person, game: Playing) -> str:
    """Let Mr. X move, and the person queue a move behind the detectives before them; return its notation."""
    game.move(game.mover())
    notation = game.legal(person)[0]
    body = {"turn": game.view()["turn"], "notation": notation}
    assert person.post(f"{game.path}/moves", body).status_code == 202
    return notation


def test_mr_x_and_spectators_do_not_find_the_detectives_queue(game: Playing):
    him, *_, last = game.people
    ahead = queued_by(last, game)
    found = {}
    with game.table.app.app_context():
        for name, reader in (("him", him), ("them", last), ("nobody", None)):
            seen = look(game.id, reader and session.get_one(Player, reader.id))
            found[name] = [str(queued.notation) for queued in seen.queue]
    assert found == {"him": [], "them": [ahead], "nobody": []}


def test_a_look_takes_two_statements_and_one_more_for_what_is_rare(game: Playing):
    assert statements_of_look(game) == ["SELECT games", "SELECT seats"]
    queued_by(game.people[-1], game)
    assert statements_of_look(game) == ["SELECT games", "SELECT moves_ahead", "SELECT seats"]


def statements_of_look(game: Playing) -> list[str]:
    with game.table.app.app_context():
        player = session.get_one(Player, game.people[1].id)
        with statements(game.table) as sent:
            look(game.id, player)
    return list(map(name_of, sent))
