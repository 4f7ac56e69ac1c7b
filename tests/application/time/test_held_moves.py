"""Held moves and the worker: what came in time counts, nothing is played while a NO could not arrive, and all once."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server import worker
from server.application.game.situations import act
from server.application.mail import imap_progress
from server.application.time import deadlines, heartbeat
from server.house_rules.holding import play_held, put_on_hold, stop_held
from server.house_rules.submission import RequestedMove
from server.models import Event, HeldMove, Move, Outage, Player, session, transaction
from server.runtime import now, runtime
from server.vocabulary.errors import Problem
from tests.application.time.ticking import Ticking
from tests.databases import let_go
from tests.injected import START, application
from tests.scenes import hunt
from tests.statements import failing
from tests.table import Person, Playing, Table

MOVE = "purple taxi 115"
QUARTER = timedelta(minutes=15)


@pytest.fixture
def held(table: Table) -> Playing:
    """A hunt in which Ben holds a move until a quarter past six."""
    game = hunt(table)
    hold(game, game.people[1], MOVE)
    return game


def hold(game: Playing, person: Person, *notations: str) -> str:
    """Hold moves of somebody; return the name of the hold."""
    with game.table.app.app_context():
        requested = [RequestedMove(notation) for notation in notations]
        made = act(game.id, session.get_one(Player, person.id), put_on_hold, requested, QUARTER)
        return made.answer[0].hold


def wait(game: Playing, **time: float) -> None:
    game.table.clock.turn(**time)
    game.table.tick()


def history(game: Playing) -> list[str]:
    made: list[str] = game.view()["history"][1:]
    return made


def plays_at(game: Playing) -> list[Any]:
    with game.table.app.app_context():
        return list(session.scalars(select(HeldMove.plays_at)))


# What came in time -------------------------------------------------------------------------------


def test_a_no_that_came_in_time_and_is_not_read_yet_counts(held: Playing):
    held.table.clock.turn(minutes=15)
    held.people[1].reply("NO")
    held.table.clock.turn(minutes=5)
    held.table.tick()
    assert history(held) == []


def test_a_no_that_came_too_late_does_not(held: Playing):
    held.table.clock.turn(minutes=15, seconds=1)
    held.people[1].reply("NO")
    held.table.tick()
    assert history(held) == [MOVE]


def test_it_is_not_played_before_its_time(held: Playing):
    wait(held, minutes=14, seconds=59)
    assert history(held) == []
    wait(held, seconds=1)
    assert history(held) == [MOVE]


def test_an_order_is_held_and_played_as_one(table: Table):
    game = hunt(table)
    with game.table.app.app_context():
        requested = RequestedMove("purple taxi 115", otherwise=("purple taxi 116",))
        act(game.id, session.get_one(Player, game.people[1].id), put_on_hold, [requested], QUARTER)
    wait(game, minutes=15)
    assert history(game) == [MOVE]


# While a NO could not arrive ---------------------------------------------------------------------


def test_nothing_is_played_while_the_mailbox_is_not_read(tmp_path: Path):
    table = Table(tmp_path, sandbox="1", min_turn="PT1S", imap_url="imaps://host:secret@mail.example.org")
    game = hunt(table)
    hold(game, game.people[1], MOVE)
    read(table)
    wait(game, minutes=20)
    assert history(game) == []
    read(table)
    wait(game, seconds=5)
    assert history(game) == [MOVE]


def read(table: Table) -> None:
    """Note that the mailbox was read now."""
    with table.app.app_context():
        box = runtime().settings.imap_url
        assert box is not None
        imap_progress.was_read(box.name, 1, 1, now())


def test_nothing_is_played_while_the_relay_takes_no_mail(held: Playing):
    with held.table.app.app_context():
        heartbeat.begin(heartbeat.NO_RELAY)
    held.table.clock.turn(minutes=20)
    with held.table.app.app_context():
        assert deadlines.due_holds(now()) == []
        heartbeat.end(heartbeat.NO_RELAY)
        assert [game for game, _ in deadlines.due_holds(now())] == [held.id]


def test_an_outage_of_the_server_is_given_back(table: Table):
    game = hunt(table)
    ticking = Ticking(table)
    ticking.retry_from_database()
    hold(game, game.people[1], MOVE)
    ticking.pass_time(timedelta(hours=2))
    ticking.tick()
    assert history(game) == []
    assert plays_at(game) == [START + QUARTER + timedelta(hours=2)]
    ticking.run(ticking.now + QUARTER)
    assert history(game) == [MOVE]


def test_a_game_without_a_clock_gets_the_time_back_and_no_new_version(table: Table):
    game = table.game(table.people(2), edition="condensed", clock={"kind": "none"})
    game.move(game.people[0])
    ben = game.people[1]
    ticking = Ticking(table)
    ticking.retry_from_database()
    hold(game, ben, game.legal(ben)[0])
    tag = ben.get(game.path).headers["ETag"]
    ticking.pass_time(timedelta(hours=2))
    ticking.tick()
    assert plays_at(game) == [START + QUARTER + timedelta(hours=2)]
    assert ben.get(game.path).headers["ETag"] == tag
    with table.app.app_context():
        assert "outage" not in session.scalars(select(Event.kind)).all()


def test_after_a_restore_it_waits_until_the_operator_releases_the_mail(held: Playing):
    with held.table.app.app_context(), transaction():
        session.add(Outage(cause="restore", begin=START, end=None, state="waiting"))
    wait(held, hours=1)
    assert history(held) == []
    with held.table.app.app_context(), transaction():
        outage = session.scalars(select(Outage)).one()
        outage.end, outage.state = now(), "granted"
    wait(held, seconds=5)
    assert history(held) == []
    wait(held, minutes=15)
    assert history(held) == [MOVE]


# Whatever happens --------------------------------------------------------------------------------


def test_a_worker_that_is_killed_while_it_plays_has_played_nothing_and_the_next_one_does(held: Playing):
    held.table.clock.turn(minutes=15)
    with held.table.app.app_context(), failing(held.table, "INSERT INTO moves "):
        worker.fire_due()
    assert history(held) == []
    wait(held, minutes=3)
    assert history(held) == [MOVE]
    with held.table.app.app_context():
        assert len(session.scalars(select(Move).where(Move.pawn == "purple")).all()) == 1


def test_another_process_plays_what_the_one_that_held_it_left_behind(held: Playing):
    held.table.clock.turn(minutes=15)
    with held.table.app.app_context():
        settings = runtime().settings
    other = application(settings, clock=held.table.clock)
    with other.app_context():
        worker.fire_due()
        let_go()
    assert history(held) == [MOVE]


def test_a_clock_that_is_set_back_plays_nothing_early_and_a_no_still_counts(held: Playing):
    held.table.clock.turn(hours=-3)
    held.table.tick()
    wait(held, minutes=20)
    assert history(held) == []
    wait(held, hours=2, minutes=55)
    assert history(held) == [MOVE]


@pytest.mark.parametrize("hold_for", ["PT2H", "PT15M"])
def test_a_hold_longer_than_the_phase_ends_with_the_deadline(tmp_path: Path, hold_for: str):
    table = Table(tmp_path, sandbox="1", min_turn="PT1S", hold=hold_for)
    game = table.game(table.people(6), clock={"mr_x": "PT1H", "detectives": "PT1H"})
    game.move(game.people[0])
    ben = game.people[1]
    ben.request("PATCH", "/me/preferences", json={"hold": "always"})
    table.tick()
    table.clock.turn(minutes=57)
    move = game.legal(ben)[0]
    ben.reply(move)
    table.tick()
    assert plays_at(game) == [START + timedelta(hours=1)]
    wait(game, minutes=3)
    assert [(move.pawn, move.by) for move in moves_of(game)][:2] == [("mr_x", "player"), ("purple", "player")]
    assert [seat["misses"] for seat in game.view()["seats"]] == [0, 0, 1, 1, 1, 1]


def moves_of(game: Playing) -> list[Move]:
    with game.table.app.app_context():
        return list(session.scalars(select(Move).where(Move.game_id == game.id).order_by(Move.turn)))


# Races -------------------------------------------------------------------------------------------


@pytest.fixture
def racing(tmp_path: Path, database: str) -> Iterator[Playing]:
    table = Table(tmp_path, sandbox="1", min_turn="PT1S", database_url=database)
    yield table.game(table.people(6), clock={"mr_x": "PT5H", "detectives": "PT5H"})
    with table.app.app_context():
        let_go()


@pytest.mark.parametrize("at_deadline", [False, True], ids=["hold", "deadline"])
def test_of_its_time_a_yes_a_no_a_move_by_rest_and_a_deadline_one_decides(racing: Playing, at_deadline: bool):
    game, table = racing, racing.table
    game.move(game.people[0])
    ben = game.people[1]
    mine, other = game.legal(ben)[:2]
    if at_deadline:
        table.clock.turn(hours=4, minutes=50)
    name = hold(game, ben, mine)
    turn = game.turn
    table.clock.turn(minutes=10 if at_deadline else 15)
    start = threading.Barrier(5)
    done: list[str] = []

    def fires() -> None:
        worker.fire_due()

    def says(command: Callable[..., Any], word: str) -> None:
        try:
            act(game.id, session.get_one(Player, ben.id), command, name)
            done.append(word)
        except Problem:
            pass

    def moves() -> None:
        headers = {"Authorization": f"Bearer {ben.token}"}
        body = {"turn": turn, "notation": other}
        if table.app.test_client().post(f"/api/v1{game.path}/moves", json=body, headers=headers).status_code == 201:
            done.append("rest")

    def beginning(work: Callable[[], None]) -> Callable[[], None]:
        def begin() -> None:
            with table.app.app_context():
                start.wait()
                work()
                let_go()

        return begin

    works = (fires, fires, lambda: says(play_held, "yes"), lambda: says(stop_held, "no"), moves)
    threads = [threading.Thread(target=beginning(work)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with table.app.app_context():
        worker.fire_due()
        made = [(move.notation, move.by) for move in moves_of(game) if move.pawn == mine.split()[0]]
        assert session.scalars(select(HeldMove)).all() == []
        let_go()
    assert len(made) <= 1
    assert sorted(done) in ([], ["no"], ["no", "rest"], ["rest"], ["yes"])
    if "no" not in done:
        assert made == [(other if "rest" in done else mine, "player")]
