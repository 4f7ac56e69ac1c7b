"""Nobody is late because of an outage: nothing fires, and the time is given back once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import func, select

from server.application.play import talk
from server.application.time import deadlines, outages
from server.house_rules import invitations
from server.house_rules.votes import OPEN_FOR
from server.models import Deadline, Event, Game, Outage, Outgoing, Player, session, transaction
from tests.application.time.outages.games import (
    DAY,
    HALF,
    HOUR,
    MINUTE,
    SECOND,
    SLACK,
    armed,
    confirm,
    due,
    events,
    hunting,
    penalties,
    reminders,
    why_held,
)
from tests.application.time.scheduling import schedule
from tests.application.time.ticking import Ticking
from tests.databases import let_go
from tests.many import copy_game
from tests.statements import before, failing
from tests.table import Playing, Table

STEADY = 70 * SECOND  # after so long it is known how far the clock was set
LENGTHS = (MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 23 * HOUR, 72 * HOUR)
# What is out for how long in every run: each of the three for two of a minute, two hours and three days.
FEW = {("server", MINUTE), ("server", 72 * HOUR), ("mailbox", 2 * HOUR), ("mailbox", 72 * HOUR), ("relay", MINUTE),
       ("relay", 2 * HOUR)}  # fmt: skip
OUTAGES = [
    pytest.param(what, length, marks=[pytest.mark.campaign] * ((what, length) not in FEW))
    for what in ("server", "mailbox", "relay") for length in LENGTHS
]  # fmt: skip


class Case(NamedTuple):
    """Return the components that are out."""

    name: str

    def begin(self, time: Ticking, length: timedelta) -> None:
        """It is out for `length`, and there again."""
        getattr(self, f"_{self.name}")(time, length)

    def _server(self, time: Ticking, length: timedelta) -> None:
        time.pass_time(length)
        time.restart()

    def _mailbox(self, time: Ticking, length: timedelta) -> None:
        time.mailbox_is_out = True
        self._lasts(time, length)
        time.mailbox_is_out = False
        time.run(time.now + 5 * SECOND)

    def _relay(self, time: Ticking, length: timedelta) -> None:
        time.relay.is_out = True
        with time.table.app.app_context():
            host = session.scalars(select(Player).where(Player.name == "Ada")).one()
            game_id = session.scalars(select(Game.id)).first()
            talk.write(game_id, host, "all", "Is anybody there?")
            session.remove()
        self._lasts(time, length)
        time.relay.is_out = False
        time.run(time.now + MINUTE)

    def _lasts(self, time: Ticking, length: timedelta) -> None:
        end = time.now + length
        time.run(min(end, time.now + 80 * SECOND))
        time.pass_time(max(end - time.now, timedelta(0)))
        time.tick()


def comes_through(game: Playing, time: Ticking, what: str, length: timedelta) -> None:
    """An outage over the deadline: nobody is late by it, once and exactly it is given back, and then time goes on."""
    before, begun = due(game), time.now
    Case(what).begin(time, length)
    if length > DAY:
        assert "blackticket deadline credit" in str(why_held(game))
        time.run(time.now + MINUTE)
        assert (events(game, "outage"), penalties(game)) == ([], [])
        length = time.now - begun  # until it is confirmed it goes on
        confirm(game)
    assert penalties(game) == []
    (told,) = events(game, "outage")
    assert told["cause"] == what
    noticed = length - 5 * SECOND  # a relay that is out is noticed by the first mail
    assert noticed <= due(game) - before <= length + MINUTE + 2 * SLACK
    assert told["due_at"] == f"{due(game):%Y-%m-%dT%H:%M:%SZ}"
    time.idle(due(game) - SECOND)
    assert penalties(game) == []
    time.run(time.now + 10 * SECOND)
    assert penalties(game) != []
    assert reminders(game) == 1


class TestNobodyIsPenalised:
    """A deadline that falls into an outage, or just behind it, moves by all of it."""

    @pytest.mark.parametrize(("what", "length"), OUTAGES, ids=str)
    def test_an_outage_over_a_deadline(self, game: Playing, time: Ticking, what: str, length: timedelta):
        comes_through(game, time, what, length)

    @pytest.mark.parametrize("length", [5 * SECOND, 15 * SECOND], ids=str)
    def test_a_few_ticks_are_no_outage(self, game: Playing, time: Ticking, length: timedelta):
        before = due(game)
        time.pass_time(length)
        time.restart()
        assert (due(game), events(game, "outage")) == (before, [])

    @pytest.mark.parametrize(
        ("steps", "moved", "is_held"),
        [
            pytest.param([2 * HOUR], 2 * HOUR, False, marks=pytest.mark.campaign),
            pytest.param([-2 * HOUR], timedelta(0), False, marks=pytest.mark.campaign),
            ([2 * HOUR, -2 * HOUR], 2 * HOUR, False),
            ([-2 * HOUR, 2 * HOUR], 2 * HOUR, False),
            pytest.param([40 * DAY], timedelta(0), True, marks=pytest.mark.campaign),
            pytest.param([-40 * DAY], timedelta(0), False, marks=pytest.mark.campaign),
            ([40 * DAY, -40 * DAY], timedelta(0), False),
            ([-40 * DAY, 40 * DAY], timedelta(0), True),
        ],
        ids=str,
    )
    def test_a_clock_that_is_set(
        self, game: Playing, time: Ticking, steps: list[timedelta], moved: timedelta, is_held: bool
    ):
        before, begun = due(game), time.seconds
        for step in steps:
            time.set_clock(step)
            time.tick()
            assert why_held(game) is None or penalties(game) == []
            time.run(time.now + STEADY)
        spent = timedelta(seconds=time.seconds - begun)
        assert penalties(game) == []
        assert (why_held(game) is not None) == is_held
        assert moved <= due(game) - before <= moved + spent + SLACK

    def test_a_clock_that_is_set_fires_nothing_before_it_is_steady(self, game: Playing, time: Ticking):
        """Nor before anybody has looked: the worker may be woken in between."""
        time.set_clock(2 * HOUR)
        with game.table.app.app_context():
            assert [row for row in deadlines.due(time.now) if row[1] == game.id] == []
        time.run(time.now + 40 * SECOND)
        assert (penalties(game), events(game, "outage")) == ([], [])
        time.run(time.now + 20 * SECOND)
        assert [event["cause"] for event in events(game, "outage")] == ["clock"]

    def test_a_clock_that_is_set_right_at_once_gives_nobody_more_than_that_took(self, game: Playing, time: Ticking):
        before = due(game)
        for step in (2 * HOUR, -2 * HOUR):
            time.set_clock(step)
            time.run(time.now + 20 * SECOND)
        time.run(time.now + 2 * MINUTE)
        assert (penalties(game), why_held(game)) == ([], None)
        assert due(game) - before <= 2 * MINUTE

    # That another process does it is tested with many games.
    @pytest.mark.parametrize("is_new_process", [False, pytest.param(True, marks=pytest.mark.campaign)])
    def test_what_began_while_the_clock_was_days_ahead_begins_anew_when_it_is_right(
        self, game: Playing, time: Ticking, is_new_process: bool
    ):
        time.set_clock(40 * DAY)
        time.run(time.now + STEADY)
        for _ in range(4):
            game.move(game.mover())
        time.run(time.now + SECOND)
        time.set_clock(-40 * DAY)
        if is_new_process:
            time.restart()
        time.run(time.now + STEADY)
        (told,) = events(game, "corrected")
        assert timedelta(0) <= due(game) - datetime.fromisoformat(told["due_at"]) <= MINUTE, "until it was steady"
        assert time.now + HALF - 2 * MINUTE <= due(game) <= time.now + HALF
        with game.table.app.app_context():
            number = session.scalars(select(Event.number).where(Event.kind == "corrected")).one()
            told_again = select(Outgoing.kind, Outgoing.player_id).where(Outgoing.event == number)
            assert session.execute(told_again).all() == [("turn", game.people[0].id)]
        time.run(time.now + STEADY)
        assert (len(events(game, "corrected")), penalties(game), why_held(game)) == (1, [], None)

    def test_votes_kept_seats_and_provisional_results_begin_anew_too(self, game: Playing, time: Ticking):
        ada, ben = game.people
        time.set_clock(40 * DAY)
        time.tick()
        over = game.table.game([ada, ben], edition="condensed")
        over.contest()
        assert ada.post(f"{over.path}/resign").status_code == 200
        ada.post("/games", {"edition": "condensed", "seats": [{"role": "mr_x"}, {"role": "detective",
                 "player": ben.id}]})  # fmt: skip
        assert ada.post(f"{game.path}/votes", {"kind": "pause"}).status_code == 201
        time.set_clock(-40 * DAY)
        time.run(time.now + 2 * MINUTE)
        lengths = {kind: at - time.now for kind, _, at in armed(game.table).values()}
        asked = {"vote": OPEN_FOR, "final": DAY, "invitation": invitations.LIFE}
        for kind, length in asked.items():
            assert length - 2 * MINUTE <= lengths[kind] <= length
        assert over.view()["outcome"]["final_at"] < "2026-11-25"

    def test_a_clock_that_was_hours_ahead_leaves_what_was_told(self, game: Playing, time: Ticking):
        time.set_clock(2 * HOUR)
        for _ in range(4):
            game.move(game.mover())
        before = due(game)
        time.set_clock(-2 * HOUR)
        time.run(time.now + 2 * MINUTE)
        assert (events(game, "corrected"), due(game) - before <= 2 * MINUTE) == ([], True)

    def test_a_mailbox_of_one_player_that_bounces_earns_no_time(self, game: Playing, time: Ticking):
        time.relay.bouncing = {person.address for person in game.people}
        before = due(game)
        with game.table.app.app_context(), transaction():
            for row in session.scalars(select(Outgoing)):
                row.state = "pending"
        time.run(time.now + 3 * MINUTE)
        assert (due(game), events(game, "outage")) == (before, [])


class TestGivenOnce:
    """The time is given back once, by any process that sees the outage."""

    def test_of_several_workers_only_the_absence_of_all_counts(self, game: Playing, time: Ticking):
        other, before = Ticking(game.table), due(game)
        other.run(time.now + 3 * MINUTE)
        time.seconds += 180
        time.tick()
        assert (due(game), events(game, "outage")) == (before, [])

    def test_workers_that_come_back_together_give_it_once(self, game: Playing, time: Ticking):
        before = due(game)
        time.pass_time(HOUR)
        with game.table.app.app_context():
            time.read_mailbox()
            for _ in range(3):
                outages.Watch().look()
                outages.give_back()
            noted = session.scalars(select(Outage)).one()
            assert outages._found(noted.begin, time.now + HOUR, "server") is None, "somebody was faster"
        assert HOUR <= due(game) - before <= HOUR + SLACK

    def test_what_is_out_at_the_same_time_is_given_once(self, game: Playing, time: Ticking):
        before = due(game)
        time.mailbox_is_out = time.relay.is_out = True
        time.run(time.now + 2 * MINUTE)
        time.pass_time(HOUR)
        time.restart()
        time.relay.is_out = False
        time.run(time.now + 2 * MINUTE)
        time.mailbox_is_out = False
        time.run(time.now + MINUTE)
        assert len(events(game, "outage")) == 1
        assert HOUR + 4 * MINUTE <= due(game) - before <= HOUR + 6 * MINUTE

    def test_a_game_that_fails_gets_it_later_and_nothing_fires_in_it_before(self, game: Playing, time: Ticking):
        other, before = game.table.game(game.people, edition="condensed"), due(game)
        with failing(game.table, "INSERT INTO events", game.id):
            time.pass_time(HOUR)
            time.restart()
            time.tick()
            assert (len(events(other, "outage")), due(game), penalties(game)) == (1, before, [])
        time.run(time.now + 3 * MINUTE)
        assert len(events(game, "outage")) == len(events(other, "outage")) == 1
        assert HOUR <= due(game) - before <= HOUR + SLACK
        assert penalties(game) == []

    def test_a_go_that_began_in_it_gets_no_more_than_it_lost(self, game: Playing, time: Ticking):
        time.mailbox_is_out = True
        time.run(time.now + 2 * MINUTE)
        time.pass_time(HOUR)
        for _ in range(4):
            game.move(game.mover())
        assert due(game) == time.now + HALF, "Mr. X's half, begun by REST meanwhile"
        time.pass_time(10 * MINUTE)
        time.mailbox_is_out = False
        time.tick()
        assert due(game) == time.now + HALF

    def test_two_outages_are_given_one_after_the_other(self, game: Playing, time: Ticking):
        before = due(game)
        for _ in range(2):
            time.pass_time(HOUR)
            time.restart()
            time.run(time.now + MINUTE)
        assert len(events(game, "outage")) == 2
        assert 2 * HOUR <= due(game) - before <= 2 * HOUR + 2 * SLACK

    def test_a_clock_of_another_worker_that_goes_wrong_gives_nobody_time(self, game: Playing, time: Ticking):
        """Two that never agree what time it is: the one that is ahead holds back, and none was out."""
        before = due(game)
        behind = outages.Watch()
        with game.table.app.app_context():
            for _ in range(60):
                time.pass_time(5 * SECOND)
                behind.look()
                game.table.clock.time += 10 * MINUTE
                time.watch.look()
                game.table.clock.time -= 10 * MINUTE
        assert (due(game), events(game, "outage")) == (before, [])


class TestManyGames:
    """While time is given back the server is not out, and nothing fires before."""

    COST = timedelta(seconds=15)  # of all games, or 1.5 ms each: longer than the silence that is allowed

    @pytest.fixture
    def table(self, tmp_path: Path) -> Table:
        return Table(tmp_path, sandbox="1", min_turn="PT1S", tick_seconds="1")

    @pytest.mark.timeout(3600)
    # To check each of a hundred thousand games at the end would take half an hour more.
    @pytest.mark.parametrize(
        "n",
        [
            30,
            pytest.param(300, marks=pytest.mark.campaign),
            pytest.param(5_000, marks=pytest.mark.campaign),
            pytest.param(100_000, marks=[pytest.mark.campaign, pytest.mark.breaks_games]),
        ],
    )
    def test_an_outage_ends_and_requests_are_answered_meanwhile(self, game: Playing, time: Ticking, n: int):
        ids = copies(game, n - 1)
        last = Playing(game.table, ids[-1], game.people)
        rest, answers = time.rest, set()
        rests = count()

        def be_slow(_values: str) -> None:
            time.pass_time(max(self.COST / n, timedelta(milliseconds=1.5)))

        def ask(worked: float) -> None:
            rest(worked)
            if next(rests) % (n // 1_000 + 1):
                return
            answers.add(game.people[0].get(last.path).status_code)
            if len(answers) == 1:
                answers.add(last.move(game.people[1]).status_code)

        time.rest = ask  # type: ignore[method-assign]
        time.pass_time(HOUR)
        with before(game.table, "INSERT INTO events", be_slow):
            for _ in range(5):
                time.tick()
                time.pass_time(SECOND)
        assert [row["state"] for row in reported(game.table)] == ["done"]
        assert told(game.table) == dict.fromkeys([game.id, *ids], 1)
        assert answers == {200, 201}
        assert penalties(game) == []

    @pytest.mark.breaks_games
    def test_no_timer_fires_before_its_game_is_credited(
        self, game: Playing, time: Ticking, monkeypatch: pytest.MonkeyPatch
    ):
        kinds = ["timeout", "reminder", "move", "vote", "invitation", "final"]
        with game.table.app.app_context():
            with transaction():
                for kind in kinds[1:]:
                    schedule(session.get_one(Game, game.id), kind, time.now, serial=99)
            time.pass_time(HOUR)
            time.watch.look()
            rows = session.execute(select(Deadline.id, Deadline.kind).where(Deadline.state == "armed")).all()
            assert sorted(row.kind for row in rows) == sorted(kinds)
            assert deadlines.due(time.now) == []
            monkeypatch.setattr(outages, "settled", lambda situation: situation)
            fired = [deadlines.fire(row.id) for row in rows]
            assert fired == [False] * len(kinds), "it is checked once more"
            session.remove()
        assert penalties(game) == []

    def test_a_worker_that_is_killed_while_it_gives_back_is_followed_by_another(self, game: Playing, time: Ticking):
        class Killed(BaseException):
            pass

        ids, given = copies(game, 30), count(1)

        def die(_values: str) -> None:
            if next(given) == 25:  # in the second transaction
                raise Killed

        time.pass_time(HOUR)
        with game.table.app.app_context():
            time.watch.look()
            with before(game.table, "INSERT INTO events", die), pytest.raises(Killed):
                outages.give_back()
            session.remove()
        assert 0 < len(told(game.table)) < 25
        time.restart()
        assert told(game.table) == dict.fromkeys([game.id, *ids], 1)

    def test_who_moves_before_his_game_is_credited_loses_nothing_of_his_bank(self, table: Table):
        clock = {"kind": "bank", "bank": "P1D", "increment": "PT1S", "cap": "P1D"}
        game = table.dealt(2, edition="condensed", clock=clock)
        time = Ticking(table)
        time.retry_from_database()
        time.pass_time(5 * HOUR)
        with table.app.app_context():
            time.watch.look()
            session.remove()
        game.move(game.people[0])
        time.tick()
        with table.app.app_context():
            assert session.get_one(Game, game.id).seats[0].bank >= (DAY - SLACK).total_seconds()

    def test_several_workers_share_the_work_and_give_each_game_its_time_once(self, database: str, tmp_path: Path):
        table = Table(tmp_path, sandbox="1", min_turn="PT1S", database_url=database)
        game = hunting(table)
        ids = copies(game, 12)
        time = Ticking(table)
        time.retry_from_database()
        time.pass_time(HOUR)
        with table.app.app_context():
            time.watch.look()
            session.remove()

        def work(_: int) -> None:
            with table.app.app_context():
                outages.give_back()
                session.remove()

        with ThreadPoolExecutor(3) as workers:
            list(workers.map(work, range(3)))
        time.tick()
        assert told(table) == dict.fromkeys([game.id, *ids], 1)
        assert [row["state"] for row in reported(table)] == ["done"]
        with table.app.app_context():
            let_go()

    def test_what_a_wrong_clock_began_is_corrected_by_whoever_comes_next(self, game: Playing, time: Ticking):
        """A worker that is killed after it has seen the clock set right leaves a note of it."""
        time.set_clock(40 * DAY)
        time.run(time.now + STEADY)
        for _ in range(4):
            game.move(game.mover())
        time.set_clock(-40 * DAY)
        with game.table.app.app_context():
            time.watch.look()
            session.remove()
        assert events(game, "corrected") == []
        time.restart()
        assert len(events(game, "corrected")) == 1


def copies(game: Playing, n: int) -> list[str]:
    with game.table.app.app_context():
        return copy_game(game.id, n)


def told(table: Table) -> dict[str, int]:
    """Return the number of outages each game was told of."""
    with table.app.app_context():
        count = select(Event.game_id, func.count().label("told")).where(Event.kind == "outage").group_by(Event.game_id)
        return {row.game_id: row.told for row in session.execute(count)}


def reported(table: Table) -> list[dict[str, Any]]:
    with table.app.app_context():
        return outages.report()
