"""Each thing that is due fires once, whatever fails, and another worker goes on where one ended."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select

from server import worker
from server.application.time import deadlines
from server.models import Deadline, Game, session, transaction
from tests.application.time.scheduling import schedule
from tests.application.time.test_deadlines import (
    TWO_DAYS,
    _hunt,
    armed,
    committed,
    events,
    let_time_run_out,
    look,
    row_of,
    told,
)
from tests.injected import START
from tests.kept import again
from tests.statements import before, failing
from tests.table import Playing, Table


@pytest.fixture
def hunt(table: Table) -> Playing:
    """A game of six in the detectives' half of the first round."""
    return again(table, _hunt, "the detectives are late")


def fire(game: Playing, kind: str = "timeout") -> bool:
    """Fire the newest row of its kind."""
    row = row_of(game, kind)
    with game.table.app.app_context():
        return deadlines.fire(row.id)


class TestFiring:
    """Once, not early, whatever fails."""

    def test_a_row_fires_once(self, table: Table, hunt: Playing):
        table.clock.turn(days=2)
        assert fire(hunt) is True
        before = hunt.view()
        assert row_of(hunt, "timeout").state == "armed", "that of the next half"
        with table.app.app_context():
            rows = session.scalars(
                select(Deadline.id).where(Deadline.game_id == hunt.id, Deadline.state == "fired")
            ).all()
            assert [deadlines.fire(row) for row in rows] == [False]
        assert hunt.view() == before

    def test_a_row_that_was_cancelled_does_not_fire(self, table: Table, hunt: Playing):
        row = row_of(hunt)
        for person in hunt.people[1:]:
            hunt.move(person)
        table.clock.turn(days=2)
        with table.app.app_context():
            assert deadlines.fire(row.id) is False
        assert {by for _, by in committed(hunt)} == {"player"}

    def test_a_row_does_not_fire_early(self, table: Table, game: Playing):
        table.clock.turn(days=2, seconds=-1)
        assert fire(game) is False
        assert row_of(game).state == "armed"

    def test_a_clock_that_goes_back_fires_nothing_early(self, table: Table, game: Playing):
        table.clock.turn(days=2)
        with table.app.app_context():
            listed = deadlines.due(table.clock.time)
            table.clock.turn(hours=-1)
            assert [deadlines.fire(id_) for id_, *_ in listed if id_ == row_of(game).id] == [False]
        assert row_of(game).state == "armed"
        table.clock.turn(hours=1)
        look(table)
        assert told(game, "granted") != []

    def test_a_crash_in_the_middle_leaves_everything_as_it_was(self, table: Table, hunt: Playing):
        before, mails = hunt.view(), told(hunt, "late") + told(hunt, "turn")
        table.clock.turn(days=2)
        with failing(table, "INSERT INTO outbox"):  # the house has moved all pawns by then
            look(table)
        assert hunt.view() == before | {"due_at": before["due_at"]}
        assert committed(hunt) == [("mr_x", "player")]
        assert told(hunt, "late") + told(hunt, "turn") == mails
        row = row_of(hunt)
        assert (row.state, row.attempts, row.due_at) == ("armed", 1, START + TWO_DAYS)

    def test_what_this_machine_lacks_is_not_counted_against_a_row(self, table: Table, hunt: Playing):
        table.clock.turn(days=2)
        with failing(table, "INSERT INTO outbox", error=MemoryError()):
            for _ in range(10):
                look(table)
                table.clock.turn(minutes=1)
        row = row_of(hunt)
        assert (row.state, row.attempts) == ("armed", 0)
        look(table)
        assert told(hunt, "late") != []

    def test_a_row_that_failed_fires_later(self, table: Table, hunt: Playing):
        table.clock.turn(days=2)
        with failing(table, "INSERT INTO outbox"):
            look(table)
        table.clock.turn(seconds=47)
        look(table)
        assert len(committed(hunt)) == 1
        table.clock.turn(seconds=25)
        look(table)
        assert len(committed(hunt)) == 6
        assert told(hunt, "late") == ["Ben", "Cleo", "Dan", "Eve", "Finn"]

    def test_a_row_that_keeps_failing_is_tried_ever_more_rarely_and_never_given_up(self, table: Table, hunt: Playing):
        pauses = []
        table.clock.turn(days=2)
        with failing(table, "INSERT INTO moves"):
            for _ in range(9):
                look(table)
                pauses.append(row_of(hunt).try_at - table.clock.time)
                table.clock.time = row_of(hunt).try_at
        # Not to the second, so that games that failed together are not tried again together.
        expected = [timedelta(minutes=minutes) for minutes in (1, 2, 4, 8, 16, 32, 60, 60, 60)]
        assert all(0.8 * at <= pause <= 1.2 * at for pause, at in zip(pauses, expected, strict=True))
        assert pauses[0] != expected[0]
        look(table)
        assert len(committed(hunt)) == 6

    def test_a_game_that_fails_does_not_hold_up_the_others(self, table: Table, hunt: Playing):
        others = [table.game(hunt.people) for _ in range(2)]
        for other in others:
            other.move(other.people[0])
        table.clock.turn(days=2)
        with failing(table, "INSERT INTO moves", hunt.id):
            look(table)
        assert [len(committed(game)) for game in (hunt, *others)] == [1, 6, 6]
        assert row_of(hunt).state == "armed"

    def test_one_sweep_fires_all_that_is_due_however_much_that_is(self, table: Table, game: Playing):
        games = [game, *(table.game(game.people) for _ in range(3))]
        with table.app.app_context(), transaction():
            for number in range(150):  # more than are read at once
                schedule(session.get_one(Game, game.id), "reminder", START, serial=100 + number)
        table.clock.turn(days=2)
        with table.app.app_context():
            worker.fire_due()
        assert [len(events(game, "granted")) for game in games] == [1, 1, 1, 1]

    def test_a_sweep_in_which_a_row_is_due_again_before_the_end_ends_all_the_same(self, table: Table, hunt: Playing):
        def fail_slowly(_values: str) -> None:
            table.clock.turn(hours=2)
            raise RuntimeError

        table.clock.turn(days=2)
        with before(table, "INSERT INTO moves", fail_slowly):
            look(table)
        assert row_of(hunt).state == "armed"

    def test_the_oldest_is_fired_first(self, table: Table):
        people = table.people(2)
        games = []
        for _ in range(3):
            games.append(table.game(people, edition="condensed"))
            table.clock.turn(minutes=1)
        table.clock.turn(days=3)
        with table.app.app_context():
            timeouts = {row_of(game).id: game.id for game in games}
            order = [timeouts[id_] for id_, *_ in deadlines.due(table.clock.time) if id_ in timeouts]
        assert order == [game.id for game in games]


class TestRestart:
    """Everything that is to happen stands in the database."""

    def test_a_restart_over_a_deadline_loses_and_doubles_nothing(self, table: Table, hunt: Playing):
        for _ in range(2):
            again = restarted(table)
            again.clock.time = START + timedelta(days=3)
            look(again)
            look(again)
        assert [by for _, by in committed(hunt)] == ["player"] + ["house"] * 5
        assert told(hunt, "late") == ["Ben", "Cleo", "Dan", "Eve", "Finn"]
        assert [kind for kind, *_ in armed(hunt)] == ["reminder", "timeout"]

    def test_after_a_long_standstill_each_half_still_gets_its_time(self, table: Table, game: Playing):
        """Deadlines are not made up for: what was due a week ago fires now, and the next begins now."""
        table.clock.turn(days=9)
        look(table)
        assert armed(game)[1] == ("timeout", "mr_x", table.clock.time + TWO_DAYS)
        assert game.view()["status"] == "running"

    def test_a_mail_that_came_in_time_counts_after_a_restart(self, table: Table, game: Playing):
        table.tick()
        table.clock.turn(days=1)
        game.people[0].reply(game.legal(game.people[0])[0])
        again = restarted(table)
        again.clock.time = START + timedelta(days=4)
        look(again)
        assert committed(game) == [("mr_x", "player")]
        assert told(game, "granted") == []


def restarted(table: Table) -> Table:
    """Another process on the same database."""
    seed = 100 + table.count()  # or it would make the same ids again
    return Table(table.app.extensions["blackticket"].settings.var, seed, sandbox="1", min_turn="PT1S")


def test_a_game_is_never_left_without_a_deadline(table: Table):
    """After any acts in any order, a running game has one timeout scheduled, and a provisional one its end."""
    game = table.game(table.people(3), edition="condensed")
    dice: list[Callable[[], object]] = [
        lambda: game.move(game.mover()),
        lambda: let_time_run_out(game),
        lambda: game.move(game.people[2]),
        lambda: look(table),
    ]
    for n in range(60):
        if game.view()["status"] != "running":
            break
        dice[(n * 7 + n // 5) % len(dice)]()
        kinds = [kind for kind, *_ in armed(game)]
        with table.app.app_context():
            row = session.get_one(Game, game.id)
            expected = {"running": 1, "over": 0}[row.status]
            assert kinds.count("timeout") == expected
            assert kinds.count("final") == (row.status == "over" and not row.final)
            assert (row.due_at is not None) == (row.status == "running")
