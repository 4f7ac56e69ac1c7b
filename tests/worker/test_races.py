"""Deadlines against movers and against each other: many at once, and nothing twice, lost or early."""

import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, NoReturn

import pytest
from conftest import START, Clock, Playing, Table
from crowd import at_once
from databases import let_go
from flask import Flask
from sqlalchemy import func, insert, select

from server import worker
from server.app import create_app
from server.application import notices
from server.models import Base, Deadline, Event, Game, Move, Outgoing, Seat, session, transaction
from server.runtime import runtime
from server.settings import Settings

DAYS = 3
HIS, THEIRS, LATER = 130, 90, 20  # games in Mr. X's half, in the detectives', and not due yet


@pytest.fixture
def table(database: str, tmp_path: Path) -> Iterator[Table]:
    """An application on each kind of database."""
    made = Table(tmp_path, database_url=database, sandbox="1", min_turn="PT1S")
    yield made
    with made.app.app_context():
        let_go()


def copies(game: Playing, n: int) -> list[str]:
    """The game `n` times more: quicker than playing it as often."""
    models: tuple[type[Base], ...] = (Game, Seat, Event, Move, Deadline)
    made = []
    with game.table.app.app_context(), transaction():
        for _ in range(n):
            made.append(runtime().new_id())
            for model in models:
                rows: Any = model.__table__
                of_game = rows.c.id if model is Game else rows.c.game_id
                found = session.execute(select(rows).where(of_game == game.id)).mappings().all()
                if found:
                    session.execute(insert(rows), [renewed(model, dict(row), made[-1]) for row in found])
    return made


def renewed(model: type[Base], row: dict[str, Any], game_id: str) -> dict[str, Any]:
    """The row as one of the game `game_id`."""
    if model is Game:
        return row | {"id": game_id, "code": runtime().new_id()}
    return row | {"game_id": game_id} | ({"id": runtime().new_id()} if model is Deadline else {})


def sweep(start: Barrier, url: str, var: Path) -> None:
    """What a worker does at a tick, three days after the start."""
    app = late_application(url, var)
    with app.app_context():
        start.wait()
        worker.fire_due()
        let_go()


def move(start: Barrier, url: str, var: Path, token: str, games: list[tuple[str, int]], seed: int) -> None:
    """Send the first legal move for the given turn of each game, in an order of one's own."""
    app = late_application(url, var)
    client = app.test_client()
    random.Random(seed).shuffle(games)
    start.wait()
    for game_id, turn in games:
        status = send_move(client, token, game_id, turn)
        if status not in (None, 201, 409):
            raise AssertionError(f"a move was answered with {status}")
    with app.app_context():
        let_go()


def send_move(client: Any, token: str, game_id: str, turn: int) -> int | None:
    headers = {"Authorization": f"Bearer {token}"}
    legal = client.get(f"/api/v1/games/{game_id}/legal-moves", headers=headers).json
    if not legal["moves"]:
        return None
    wanted = {"turn": turn, "notation": legal["moves"][0]["notation"]}
    return client.post(f"/api/v1/games/{game_id}/moves", json=wanted, headers=headers).status_code


def sweep_and_be_killed(start: Barrier, url: str, var: Path) -> None:
    """Fire, and be gone when everything is written and nothing committed."""

    def killed(*_args: object) -> NoReturn:
        session.flush()
        os._exit(9)

    notices.late = killed
    sweep(start, url, var)


def late_application(url: str, var: Path) -> Flask:
    clock = Clock()
    clock.turn(days=DAYS)
    return create_app(Settings.from_environ({"BLACKTICKET_DATABASE_URL": url}, var), clock=clock)


def count_by_game(query: Any) -> Counter[int]:
    """How many games have how many of what the query selects by game."""
    return Counter(Counter(session.scalars(query)).values())


def test_due_deadlines_against_movers_fire_once_and_none_is_lost_or_early(
    table: Table, database: str, tmp_path: Path
):
    ada, ben = table.people(2)
    model = table.game([ada, ben], edition="condensed", clock={"detectives": "P1D"})
    his = copies(model, HIS)
    model.move(ada)
    pawns = len(model.view(ben)["you"]["pawns"])
    theirs = copies(model, THEIRS)
    table.clock.turn(days=DAYS - 1, seconds=1)
    not_due = table.game([ada, ben], edition="condensed")
    not_due.move(ada)
    later = [not_due.id, *copies(not_due, LATER - 1)]
    with table.app.app_context(), transaction():
        for row in session.scalars(select(Deadline).where(Deadline.game_id == model.id)):
            row.state = "cancelled"
        for row in session.scalars(select(Deadline).where(Deadline.game_id.in_(later), Deadline.state == "armed")):
            row.due_at = row.try_at = START.replace(second=1, day=START.day + DAYS)
    with table.app.app_context():
        let_go()

    his_moves = (database, tmp_path, ada.token, [(game, 1) for game in his])
    their_moves = (database, tmp_path, ben.token, [(game, 2) for game in theirs])
    crowd = at_once(
        *[(sweep, (database, tmp_path))] * 2,
        *[(move, (*his_moves, seed)) for seed in (1, 2)],
        *[(move, (*their_moves, seed)) for seed in (3, 4)],
    )
    assert crowd == [0] * 6

    table.clock.time = START.replace(day=START.day + DAYS)
    with table.app.app_context():
        armed = Deadline.state == "armed"
        timeouts = select(Deadline.game_id).where(Deadline.kind == "timeout")
        assert session.scalars(select(Deadline.attempts).distinct()).all() == [0], "none failed, none was in a deadlock"
        assert session.scalars(select(Deadline.id).where(armed, Deadline.due_at <= table.clock.time)).all() == []
        # Mr. X has moved once; where his deadline came first he was granted one more turn, once.
        assert count_by_game(select(Move.game_id).where(Move.game_id.in_(his))) == {1: HIS}
        granted = set(session.scalars(select(Event.game_id).where(Event.kind == "granted")))
        fired = session.scalars(timeouts.where(Deadline.state == "fired", Deadline.side == "mr_x")).all()
        assert sorted(fired) == sorted(granted)
        missed = session.scalars(select(Game.id).where(Game.mr_x_misses == 1)).all()
        assert (set(missed), set(session.scalars(select(Game.mr_x_misses)))) == (granted, {0, 1} if granted else {0})
        # Each detective has moved once; in each game the house moved those that were left, in one go.
        assert count_by_game(select(Move.game_id).where(Move.game_id.in_(theirs))) == {1 + pawns: THEIRS}
        fired = session.scalars(timeouts.where(Deadline.state == "fired", Deadline.side == "detectives")).all()
        assert sorted(fired) == sorted(theirs)
        late = session.scalars(select(Outgoing.game_id).where(Outgoing.kind == "late")).all()
        assert sorted(late) == sorted(theirs)
        # What is due in a second has not been touched.
        assert session.scalars(select(Deadline.state).where(Deadline.game_id.in_(later)).distinct()).all() != []
        assert count_by_game(timeouts.where(Deadline.game_id.in_(later), armed)) == {1: LATER}
        assert count_by_game(select(Move.game_id).where(Move.game_id.in_(later))) == {1: LATER}
        # Everybody has exactly one timeout to come.
        assert count_by_game(timeouts.where(armed, Deadline.game_id != model.id)) == {1: HIS + THEIRS + LATER}
        # The events of each game are numbered without a gap.
        numbers = select(func.max(Event.number) - func.count(), Event.game_id).group_by(Event.game_id)
        assert set(session.scalars(numbers)) == {0}


def test_a_process_that_is_killed_while_it_fires_leaves_the_deadline_to_the_next(
    table: Table, database: str, tmp_path: Path
):
    ada, ben = table.people(2)
    game = table.game([ada, ben], edition="condensed", clock={"detectives": "P1D"})
    game.move(ada)
    pawns = len(game.view(ben)["you"]["pawns"])
    with table.app.app_context():
        let_go()
    assert at_once((sweep_and_be_killed, (database, tmp_path))) == [9]
    with table.app.app_context():
        assert session.scalar(select(func.count()).select_from(Move)) == 1
        let_go()
    assert at_once((sweep, (database, tmp_path))) == [0]
    with table.app.app_context():
        assert session.scalars(select(Move.by).order_by(Move.turn)).all() == ["player"] + ["house"] * pawns
        assert session.scalars(select(Outgoing.player_id).where(Outgoing.kind == "late")).all() == [ben.id]


def test_threads_of_one_process_fire_once_too(table: Table):
    ada, ben = table.people(2)
    model = table.game([ada, ben], edition="condensed")
    games = [model.id, *copies(model, 24)]
    table.clock.turn(days=DAYS)
    start = threading.Barrier(4)
    failed: list[str] = []

    def fire() -> None:
        with table.app.app_context():
            start.wait()
            worker.fire_due()

    def submit() -> None:
        client = table.app.test_client()
        start.wait()
        failed.extend(str(s) for g in games if (s := send_move(client, ada.token, g, 1)) not in (None, 201, 409))

    threads = [threading.Thread(target=work) for work in (fire, fire, submit, submit)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with table.app.app_context():
        assert count_by_game(select(Move.game_id)) == {1: len(games)}
        granted = session.scalars(select(Event.game_id).where(Event.kind == "granted")).all()
        fired = select(Deadline.game_id).where(Deadline.kind == "timeout", Deadline.state == "fired")
        assert sorted(granted) == sorted(session.scalars(fired))
        assert session.scalars(select(Deadline.attempts).distinct()).all() == [0]
