"""Rows that only a running game needs leave 30 days after its end; the game itself stays."""

import random

import pytest
from sqlalchemy import func, select, text

from server import worker
from server.application.time import neglected_games
from server.models import Deadline, Event, Game, Outgoing, ReplyToken, session
from tests.positions import position
from tests.table import Playing, Table

MOST_KEPT = 60_000  # bytes
MANY_TURNS = 20
LEAVING = (Deadline, Outgoing, ReplyToken)


@pytest.fixture
def over(table: Table) -> Playing:
    """A game that the detectives could not go on with, and the mails about it sent."""
    game = table.dealt(2, position=position(104, red=(117, {})))
    table.tick()
    return game


def counted(table: Table, game: Playing) -> list[int]:
    with table.app.app_context():
        return [
            session.scalar(select(func.count()).select_from(kind).where(kind.game_id == game.id)) or 0
            for kind in LEAVING
        ]


def tidy(table: Table) -> None:
    with table.app.app_context():
        worker.tidy_up()


def test_rows_of_a_game_stay_for_thirty_days_after_its_end(table: Table, over: Playing):
    before = counted(table, over)
    assert before[1] > 0
    table.clock.turn(hours=24 * 29)
    tidy(table)
    assert counted(table, over) == before


def test_after_that_its_mails_timers_and_reply_addresses_are_gone_and_its_events_stay(table: Table, over: Playing):
    table.clock.turn(hours=24 * 31)
    tidy(table)
    assert counted(table, over) == [0, 0, 0]
    with table.app.app_context():
        assert session.scalar(select(func.count()).select_from(Event).where(Event.game_id == over.id))
    assert over.people[0].get(f"/games/{over.id}").status_code == 200


def test_a_game_that_runs_keeps_its_rows(table: Table):
    game = table.dealt(2, position=position(104, red=117))
    table.tick()
    before = counted(table, game)
    table.clock.turn(hours=24 * 31)
    tidy(table)
    assert counted(table, game) == before


def test_a_batch_goes_on_after_the_last_one(table: Table, over: Playing):
    table.clock.turn(hours=1)
    other = table.game(over.people, position=position(104, red=(117, {})))
    table.clock.turn(hours=24 * 31)
    with table.app.app_context():
        assert [neglected_games.forget_leftovers(limit=1) for _ in range(3)] == [1, 1, 0]
        assert session.scalar(select(func.count()).select_from(Game)) == 2
    assert counted(table, over)[1:] == [0, 0]
    assert counted(table, other)[2] == 0


@pytest.mark.sqlite("measures its file")
def test_a_whole_game_keeps_less_than_sixty_kilobytes(table: Table):
    people = table.people(5)
    empty = used(table)
    game, rng = table.game(people), random.Random(1)
    while (view := game.view())["status"] == "running":
        for person in game.people:
            if moves := person.get(f"/games/{game.id}/legal-moves").json["moves"]:
                made = {"turn": view["turn"], "notation": rng.choice(moves)["notation"]}
                assert person.post(f"/games/{game.id}/moves", made).status_code == 201
                break
        table.tick()
    assert view["turn"] > MANY_TURNS
    table.clock.turn(hours=24 * 31)
    table.tick()
    tidy(table)
    assert used(table) - empty < MOST_KEPT


def used(table: Table) -> int:
    """Return the bytes of the database's file that hold something."""
    with table.app.app_context():
        size, pages, free = (
            session.scalar(text(f"PRAGMA {name}")) for name in ("page_size", "page_count", "freelist_count")
        )
        return int(size * (pages - free))
