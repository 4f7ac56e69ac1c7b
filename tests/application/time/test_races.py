"""Deadlines against movers and against each other: many at once, and nothing twice, lost or early."""

import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from multiprocessing.synchronize import Barrier
from multiprocessing.synchronize import Event as Signal
from pathlib import Path
from typing import Any, NoReturn

import psycopg
import pytest
from flask import Flask
from sqlalchemy import func, select, update

from server import worker
from server.application.game.deciding import Decided
from server.application.play.absences import take_vacation
from server.house_rules import notices
from server.models import Absence, Deadline, Event, Game, Incoming, Move, Outgoing, Seat, session, transaction
from server.settings import Settings
from tests import databases
from tests.crowd import at_once, under_fire
from tests.databases import let_go
from tests.injected import START, Clock, application
from tests.many import copy_game
from tests.profiles import IS_CAMPAIGN
from tests.table import Playing, Table

DAYS = 3
KILLS = 6 if IS_CAMPAIGN else 3
# Games in which many workers fire at once; a campaign of its own has 2,000.
STORM = {"sqlite": 150, "postgresql": 80} if IS_CAMPAIGN else {"sqlite": 25, "postgresql": 25}
HIS, THEIRS = (110, 50) if IS_CAMPAIGN else (20, 10)  # games in Mr. X's half, and in the detectives'
LATER = 10 if IS_CAMPAIGN else 5  # games not due yet
WORKERS = 8 if IS_CAMPAIGN else 5  # who fire in a storm
SWEEPERS = 4 if IS_CAMPAIGN else 3  # who want days of one player


@pytest.fixture
def table(database: str, tmp_path: Path) -> Iterator[Table]:
    """An application on each kind of database."""
    made = Table(tmp_path, database_url=database, sandbox="1", min_turn="PT1S")
    yield made
    with made.app.app_context():
        let_go()


def copies(game: Playing, n: int) -> list[str]:
    """The game `n` times more: quicker than playing it as often."""
    with game.table.app.app_context():
        return copy_game(game.id, n)


def sweep(start: Barrier, url: str, var: Path) -> None:
    """Do what a worker does at a tick, three days after the start."""
    app = late_application(url, var)
    start.wait()
    fire_all(app)


def sweep_by_itself(begun: Signal, url: str, var: Path) -> None:
    """The same, as soon as it can."""
    app = late_application(url, var)
    begun.set()
    fire_all(app)


def fire_all(app: Flask) -> None:
    with app.app_context():
        worker.fire_due()
        let_go()


def move_by_itself(begun: Signal, url: str, var: Path, token: str, games: list[str], wanted: dict[str, Any]) -> None:
    """Send the same move in each game."""
    app = late_application(url, var)
    begun.set()
    assert set(send_moves(app, token, games, wanted)) <= {201, 409}
    with app.app_context():
        let_go()


def move(start: Barrier, url: str, var: Path, token: str, games: list[str], wanted: dict[str, Any], seed: int) -> None:
    """Send the same move in each game, in an order of one's own."""
    app = late_application(url, var)
    random.Random(seed).shuffle(games)
    start.wait()
    assert set(send_moves(app, token, games, wanted)) <= {201, 409}
    with app.app_context():
        let_go()


def send_moves(app: Flask, token: str, games: list[str], wanted: dict[str, Any]) -> list[int]:
    """Submit the move to each game, and return the answers."""
    client = app.test_client()
    headers = {"Authorization": f"Bearer {token}"}
    return [client.post(f"/api/v1/games/{game}/moves", json=wanted, headers=headers).status_code for game in games]


def sweep_and_be_killed(start: Barrier, url: str, var: Path) -> None:
    """Fire, and be gone when everything is written and nothing committed."""

    def killed(*_args: object) -> NoReturn:
        session.flush()
        os._exit(9)

    notices.post_late = killed
    sweep(start, url, var)


def late_application(url: str, var: Path) -> Flask:
    clock = Clock()
    clock.turn(days=DAYS)
    environ = {"BLACKTICKET_DATABASE_URL": url, "BLACKTICKET_RATE_LIMIT": ""}  # one mover, and no minute passes
    return application(Settings.from_environ(environ, var), clock=clock)


def due_at(games: list[str], time: datetime) -> None:
    """Move everything that is armed in the games to one moment."""
    armed = (Deadline.game_id.in_(games), Deadline.state == "armed")
    with transaction():
        session.execute(update(Deadline).where(*armed).values(due_at=time, try_at=time))
        session.execute(update(Game).where(Game.id.in_(games)).values(due_at=time))


def by_game(query: Any) -> Counter[int]:
    """Return how many games have each number of the rows that the query selects by game."""
    return Counter(Counter(session.scalars(query)).values())


@dataclass
class Race:
    """Two sweepers and four movers have been at many games at once; this is what they left behind.

    In `his` games it was Mr. X's half, in `theirs` the detectives', and a move was sent twice in each. The deadline
    of `later` ones comes a second after the others.
    """

    url: str
    his: list[str]
    theirs: list[str]
    later: list[str]
    pawns: int
    exit_codes: list[int | None]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def race(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Race]:
    """The race, run once on each kind of database; its tests are in the context of an application on it."""
    var = tmp_path_factory.mktemp("race")
    url = f"sqlite:///{var / 'blackticket.db'}" if request.param == "sqlite" else databases.pool.of(var)
    table = Table(var, database_url=url, sandbox="1", min_turn="PT1S")
    run = run_race(table, url, var)
    with table.app.app_context():
        yield run
        let_go()


def run_race(table: Table, url: str, var: Path) -> Race:
    ada, ben = table.people(2)
    model = table.game([ada, ben], edition="condensed")
    his_move = {"turn": 1, "notation": model.legal(ada)[0]}
    his = copies(model, HIS)
    model.move(ada)
    their_move = {"turn": 2, "notation": model.legal(ben)[0]}
    theirs = [model.id, *copies(model, THEIRS - 1)]
    later = copies(model, LATER)
    with table.app.app_context():
        # All together, so that none is spared by its place in the queue.
        due_at([*his, *theirs], START + timedelta(days=DAYS))
        due_at(later, START + timedelta(days=DAYS, seconds=1))
        let_go()
    exit_codes = at_once(
        *[(sweep, (url, var))] * 2,
        *[(move, (url, var, ada.token, his, his_move, seed)) for seed in (1, 2)],
        *[(move, (url, var, ben.token, theirs, their_move, seed)) for seed in (3, 4)],
    )
    table.check_games()
    return Race(url, his, theirs, later, len(model.view(ben)["you"]["pawns"]), exit_codes)


def timeouts(state: str, side: str, games: list[str]) -> list[str]:
    """The games, once for each of their timeouts of this state and side."""
    query = select(Deadline.game_id).where(Deadline.kind == "timeout", Deadline.state == state, Deadline.side == side)
    return sorted(session.scalars(query.where(Deadline.game_id.in_(games))))


class TestManyProcesses:
    """Many due deadlines against movers."""

    def test_nothing_failed_and_nobody_was_in_a_deadlock(self, race: Race):
        assert race.exit_codes == [0] * 6
        assert session.scalars(select(Deadline.attempts).distinct()).all() == [0]

    def test_nothing_that_was_due_is_left(self, race: Race):
        overdue = (Deadline.state == "armed", Deadline.due_at <= START + timedelta(days=DAYS))
        assert session.scalars(select(Deadline.id).where(*overdue)).all() == []

    def test_mr_x_has_moved_once_though_he_sent_it_twice(self, race: Race):
        assert by_game(select(Move.game_id).where(Move.game_id.in_(race.his))) == {1: HIS}

    def test_mr_x_was_granted_one_more_turn_once_where_his_deadline_came_before_his_move(self, race: Race):
        fired = timeouts("fired", "mr_x", race.his)
        granted = select(Event.game_id).where(Event.kind == "granted", Event.game_id.in_(race.his))
        assert sorted(session.scalars(granted)) == fired
        assert sorted(session.scalars(select(Game.id).where(Game.mr_x_misses == 1))) == fired
        assert len(set(fired)) == len(fired)

    def test_every_detective_has_moved_once_whoever_moved_him(self, race: Race):
        assert by_game(select(Move.game_id).where(Move.game_id.in_(race.theirs))) == {1 + race.pawns: THEIRS}

    def test_the_house_came_once_to_each_game_in_which_somebody_was_late(self, race: Race):
        assert timeouts("fired", "detectives", race.theirs) == sorted(race.theirs)
        assert session.scalars(select(Seat.misses).where(Seat.number == 2).distinct()).all() in ([0, 1], [1, 0])

    def test_who_was_late_was_told_once(self, race: Race):
        late = session.scalars(select(Outgoing.game_id).where(Outgoing.kind == "late"))
        assert sorted(late) == sorted(race.theirs)

    def test_nothing_came_early(self, race: Race):
        assert timeouts("armed", "detectives", race.later) == sorted(race.later)
        assert by_game(select(Move.game_id).where(Move.game_id.in_(race.later))) == {1: LATER}

    def test_every_game_has_one_deadline_to_come(self, race: Race):
        armed = select(Deadline.game_id).where(Deadline.kind == "timeout", Deadline.state == "armed")
        assert by_game(armed) == {1: HIS + THEIRS + LATER}

    def test_the_events_of_each_game_are_numbered_without_a_gap(self, race: Race):
        gaps = select(func.max(Event.number) - func.count(), Event.game_id).group_by(Event.game_id)
        assert set(session.scalars(gaps)) == {0}


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


@dataclass
class Storm:
    """Many workers and a mover were at many games at once, and again and again one of them was killed."""

    games: list[str]
    later: list[str]
    kills: int


def storm(table: Table, url: str, var: Path, size: int, kills: int, seed: int = 1, workers: int = 8) -> Storm:
    """In `size` games Mr. X's time is up; in each fifth he moves at that moment."""
    ada, ben = table.people(2)
    model = table.game([ada, ben], edition="condensed")
    wanted = {"turn": 1, "notation": model.legal(ada)[0]}
    games = [model.id, *copies(model, size - 1)]
    later = copies(model, LATER)
    with table.app.app_context():
        due_at(games, START + timedelta(days=DAYS))
        due_at(later, START + timedelta(days=DAYS, seconds=1))
        let_go()
    mover = (move_by_itself, (url, var, ada.token, games[::-5], wanted))
    jobs = [*[(sweep_by_itself, (url, var))] * workers, mover]
    return Storm(games, later, under_fire(jobs, kills, seed))


def check(storm: Storm) -> None:
    """Each fired once or was moved in time, never early, and none is lost."""
    overdue = (Deadline.state == "armed", Deadline.due_at <= START + timedelta(days=DAYS))
    assert session.scalars(select(Deadline.id).where(*overdue)).all() == []
    assert session.scalars(select(Deadline.attempts).distinct()).all() == [0]
    fired = timeouts("fired", "mr_x", storm.games)
    assert len(set(fired)) == len(fired)
    granted = select(Event.game_id).where(Event.kind == "granted")
    assert sorted(session.scalars(granted)) == fired
    moved = set(session.scalars(select(Move.game_id)))
    # Who moved with the turn that he was granted did both.
    assert set(fired) | moved == set(storm.games)
    assert set(timeouts("cancelled", "mr_x", storm.games)) - set(fired) <= moved
    assert by_game(select(Move.game_id)) in ({1: len(moved)}, {})
    assert timeouts("armed", "mr_x", storm.later) == sorted(storm.later)
    armed = select(Deadline.game_id).where(Deadline.kind == "timeout", Deadline.state == "armed")
    assert by_game(armed) == {1: len(storm.games) + len(storm.later)}
    gaps = select(func.max(Event.number) - func.count(), Event.game_id).group_by(Event.game_id)
    assert set(session.scalars(gaps)) == {0}


def test_workers_that_are_killed_again_and_again_fire_each_deadline_once(table: Table, database: str, tmp_path: Path):
    run = storm(table, database, tmp_path, size=STORM[database.partition(":")[0]], kills=KILLS, workers=WORKERS)
    with table.app.app_context():
        check(run)
        let_go()
    assert run.kills > 0


def test_two_games_that_want_days_of_one_player_in_the_same_instant_take_them_once(
    table: Table, database: str, tmp_path: Path
):
    """He has three days left, and three are taken for both games together."""
    ada, ben = table.people(2)
    model = table.game([ada, ben], edition="condensed")
    games = [model.id, *copies(model, 5)]
    assert ada.request("PATCH", "/me/preferences", json={"vacation": "on"}).status_code == 200
    with table.app.app_context():
        due_at(games, START + timedelta(days=DAYS))
        let_go()
    assert at_once(*[(sweep, (database, tmp_path))] * SWEEPERS) == [0] * SWEEPERS
    with table.app.app_context():
        taken = session.scalars(select(Absence).where(Absence.player_id == ada.id)).all()
        assert [absence.end - absence.begin for absence in taken] == [timedelta(days=3)]
        assert session.scalars(select(Deadline.attempts).distinct()).all() == [0]
        let_go()


def test_two_who_go_away_from_the_same_games_one_of_them_by_mail_do_not_wait_for_each_other_for_ever(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The mail is an answer in the game that the other comes to last, and he comes when the mail has got that far."""
    table = Table(tmp_path, database_url=postgres, sandbox="1", min_turn="PT1S")
    ada, ben = table.people(2)
    mails = {}
    for _ in range(3):
        game = table.game([ada, ben], edition="condensed")
        table.tick()
        mails[game.id] = ada.mails[-1]
    ada.reply("AWAY 1 Dec", to=mails[max(mails)])
    answers = []

    def asks() -> None:
        answers.append(ben.post("/me/absences", {"from": "2026-12-02", "to": "2026-12-02"}).status_code)

    other, decide = threading.Thread(target=asks), take_vacation.decide

    def meanwhile(player_id: str, *days: Any) -> Decided[Absence]:
        if player_id == ada.id:
            other.start()
            while not somebody_waits(postgres):
                pass
        return decide(player_id, *days)

    monkeypatch.setattr(take_vacation, "decide", meanwhile)
    with table.app.app_context():
        worker.read_mail()
        other.join()
        assert answers == [201]
        assert session.execute(select(Incoming.verdict, Incoming.attempts)).all() == [("obeyed", 0)]
        let_go()


def somebody_waits(url: str) -> bool:
    """Return True if a connection waits for a lock in this database."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with psycopg.connect(url) as connection:
        return bool(connection.execute(query).fetchone() != (0,))


def test_threads_of_one_process_fire_once_too(table: Table):
    ada, ben = table.people(2)
    model = table.game([ada, ben], edition="condensed")
    games = [model.id, *copies(model, 24 if IS_CAMPAIGN else 9)]
    table.clock.turn(days=DAYS)
    start = threading.Barrier(4)
    wanted = {"turn": 1, "notation": model.legal(ada)[0]}
    answers: list[int] = []

    def fire() -> None:
        with table.app.app_context():
            start.wait()
            worker.fire_due()

    def submit() -> None:
        start.wait()
        answers.extend(send_moves(table.app, ada.token, games, wanted))

    threads = [threading.Thread(target=work) for work in (fire, fire, submit, submit)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(answers) == {201: len(games), 409: len(games)}
    with table.app.app_context():
        assert by_game(select(Move.game_id)) == {1: len(games)}
        granted = session.scalars(select(Event.game_id).where(Event.kind == "granted")).all()
        fired = select(Deadline.game_id).where(Deadline.kind == "timeout", Deadline.state == "fired")
        assert sorted(granted) == sorted(session.scalars(fired))
        assert session.scalars(select(Deadline.attempts).distinct()).all() == [0]
