"""The server stores each decision as it was made: once, and so that a load returns the same situation."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest
from sqlalchemy import inspect

from server import models
from server.application.game.situations import carry_out, load, sources, write
from server.house_rules import vacation
from server.house_rules.draft import Draft, decide
from server.house_rules.situation import Situation
from server.house_rules.submission import RequestedMove, place
from server.models import Player, session, transaction
from server.vocabulary.errors import Problem
from tests.house_rules.commands import CLOCKS, COMMANDS, hand_on
from tests.house_rules.situations import as_loaded, plain
from tests.profiles import IS_CAMPAIGN
from tests.refusals.dumps import differences, public
from tests.statements import statements
from tests.table import Playing, Table

COMMANDS_OF_A_GAME = 40 if IS_CAMPAIGN else 20
DRAWN = tuple(command for command in COMMANDS if command is not hand_on)  # a newcomer is a row of players


def written(sent: list[str]) -> Counter[tuple[str, ...]]:
    """Return how often each table was inserted into, changed or deleted from."""
    words = (statement.replace('"', "").split() for statement in sent)
    changes = {"INSERT": 3, "UPDATE": 2, "DELETE": 3}
    return Counter((each[0], each[changes[each[0]] - 1]) for each in words if each[0] in changes)


def same(decided: Situation, loaded: Situation) -> bool:
    """Return whether a situation is stored as it was decided, but for what a load does not keep."""
    one, other = (plain(in_order(game)) for game in (decided, loaded))
    return one == other


def in_order(game: Situation) -> Situation:
    """Return the situation as a load returns it, with its outages and timers in one order."""
    return replace(as_loaded(game), webhooks=sorted(game.webhooks))


def carried_out(game: Playing, command: Callable[[Draft], Any]) -> list[str]:
    """Carry out a command on the stored game, and compare it with a load; return the statements that wrote it.

    Objects of the session that were read before show the game afterwards as it was stored.
    """
    with game.table.app.app_context():
        with transaction():
            row = session.get_one(models.Game, game.id)
            shown(row)
            with statements(game.table) as sent:
                after = carry_out(load(game.id), command).after
            known = shown(row)
        with transaction():
            assert same(after, load(game.id))
            assert known == shown(row)
        session.remove()
    return sent


def shown(row: models.Game) -> list[dict[str, Any]]:
    """Return all columns of the session's objects of a game and its seats."""
    return [
        {column.key: getattr(each, column.key) for column in inspect(type(each)).column_attrs}
        for each in (row, *row.seats)
    ]


@pytest.mark.parametrize("number", range(10))
def test_what_was_decided_is_what_a_load_returns(table: Table, number: int):
    clock = CLOCKS[number]
    game = table.game(table.people(4), clock=clock)
    rng = Random(number)
    for _ in range(COMMANDS_OF_A_GAME):
        table.clock.turn(hours=rng.choice([0, 1, 5, 30]))
        with table.app.app_context():
            with transaction():
                situation = load(game.id)
            command = rng.choice(DRAWN)(situation, table.clock.time, rng)
            session.remove()
        if command is None:
            continue
        try:
            sent = carried_out(game, command)
        except Problem:
            continue
        assert all(count == 1 for count in written(sent).values()), written(sent)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.campaign) for seed in (1, 2))])
def test_a_refusal_writes_nothing(table: Table, seed: int):
    game = table.dealt(3)
    before, rng = public(table), Random(seed)
    for _ in range(30):
        with table.app.app_context():
            with transaction():
                situation = load(game.id)
            command = rng.choice(DRAWN)(situation, table.clock.time, rng)
            with pytest.raises((Problem, Refused)), transaction():
                carry_out(load(game.id), partial(refuse_after, command))
            session.remove()
    assert differences(before, public(table)) == []


class Refused(Exception):
    """A refusal after everything was done."""


def refuse_after(command: Callable[[Draft], Any] | None, draft: Draft) -> None:
    """Carry out a command on the draft, and refuse it then."""
    if command is not None:
        command(draft)
    raise Refused


def test_a_game_that_was_changed_meanwhile_is_not_written_over(table: Table):
    game = table.dealt(3)
    with table.app.app_context():
        with transaction():
            stale = load(game.id)
        session.remove()
    notation = game.legal(game.people[0])[0]
    assert game.move(game.people[0]).status_code == 201
    before = public(table)
    with table.app.app_context():
        decision = decide(stale, partial(place_as, game.people[0].id, notation), sources())
        with pytest.raises(RuntimeError, match="changed by another transaction"), transaction():
            write(decision)
        session.remove()
    assert differences(before, public(table)) == []


def place_as(player_id: str, notation: str, draft: Draft) -> Any:
    """Send a move."""
    return place(draft, player_id, RequestedMove(notation))


def test_days_that_are_spent_and_deadlines_that_wait_are_stored(table: Table):
    game = table.dealt(3)
    ada = game.people[0]
    assert ada.request("PATCH", "/me/preferences", json={"vacation": "on", "night": "17:00-02:00"}).status_code == 200
    with table.app.app_context():
        assert session.get_one(Player, ada.id).spends_vacation
        session.remove()
    carried_out(game, partial(vacation.wait_for_player, player_id=ada.id))


@pytest.mark.parametrize(("phase_begins", "most"), [(False, 12), (True, 14)])
def test_a_move_takes_so_many_statements(table: Table, phase_begins: bool, most: int):
    """Reading, deciding and writing, with BEGIN and COMMIT."""
    game = table.game(table.people(3), edition="ravensburger-2000")
    if not phase_begins:
        game.move(game.people[0])
    mover = game.mover()
    notation = game.legal(mover)[0]
    sent = carried_out(game, partial(place_as, mover.id, notation))
    assert len(sent) + 2 <= most, sent
