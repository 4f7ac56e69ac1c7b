"""Deadlines of a game: one for each phase, a reminder, a bot's move for a late player, and undoing that."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from server import worker
from server.application.operator import remedies
from server.models import Deadline, Event, Move, Outgoing, Seat, session
from server.vocabulary.errors import Problem
from tests.injected import START
from tests.kept import again
from tests.positions import position
from tests.statements import failing
from tests.table import Person, Playing, Table

TWO_DAYS = timedelta(days=2)


def armed(game: Playing) -> list[tuple[str, str, datetime]]:
    """Return the timers of a game as (kind, side, time), the earliest first."""
    with game.table.app.app_context():
        query = select(Deadline).where(Deadline.game_id == game.id, Deadline.state == "armed").order_by(Deadline.due_at)
        return [(row.kind, row.side, row.due_at) for row in session.scalars(query)]


def row_of(game: Playing, kind: str = "timeout") -> Deadline:
    """The newest row of its kind, as it is in the database."""
    with game.table.app.app_context():
        query = select(Deadline).where(Deadline.game_id == game.id, Deadline.kind == kind)
        return session.scalars(query.order_by(Deadline.round.desc(), Deadline.side, Deadline.serial.desc())).first()


def told(game: Playing, kind: str) -> list[str]:
    """Return the recipients of mails of this kind in the order of the seats, one entry for each mail."""
    with game.table.app.app_context():
        query = select(Outgoing.player_id).where(Outgoing.game_id == game.id, Outgoing.kind == kind)
        written = list(session.scalars(query))
    return [person.name for person in game.people for _ in range(written.count(person.id))]


def committed(game: Playing) -> list[tuple[str, str]]:
    """Pawn and by whom, for each move of the game."""
    with game.table.app.app_context():
        query = select(Move).where(Move.game_id == game.id).order_by(Move.turn)
        return [(move.pawn, move.by) for move in session.scalars(query)]


def events(game: Playing, kind: str) -> list[dict[str, Any]]:
    """The data of each event of this kind."""
    with game.table.app.app_context():
        query = select(Event).where(Event.game_id == game.id, Event.kind == kind).order_by(Event.number)
        return [event.data for event in session.scalars(query)]


def misses(game: Playing) -> list[int]:
    """Return how often the server moved for each seat."""
    with game.table.app.app_context():
        return list(session.scalars(select(Seat.misses).where(Seat.game_id == game.id).order_by(Seat.number)))


def look(table: Table) -> None:
    """The worker looks what is due and what came by mail. It sends nothing; that takes the most time by far."""
    with table.app.app_context():
        worker.fire_and_read()


def let_time_run_out(game: Playing) -> None:
    """Turn the clock to the deadline under way, and let the worker look."""
    game.table.clock.time = next(due_at for kind, _, due_at in armed(game) if kind != "reminder")
    look(game.table)


def ahead(game: Playing, person: Person, notation: str | None = None) -> str:
    """Send a move ahead."""
    notation = notation or game.legal(person)[0]
    assert game.move(person, notation).status_code == 202
    return notation


@pytest.fixture
def hunt(table: Table) -> Playing:
    """A game of six in the detectives' half of the first round."""
    return again(table, _hunt, "the detectives are late")


def _hunt(table: Table) -> Playing:
    game = table.dealt(6)
    game.move(game.people[0])
    return game


@pytest.fixture
def caught(table: Table) -> Playing:
    """Mr. X stands in the open on 116, was hidden on 86 before, and red sleeps beside him on 118."""
    return again(table, _caught, "caught by the server")


def _caught(table: Table) -> Playing:
    game = table.game(table.people(2), position=position(104, red=134, log_used=1))
    for person, move in zip(game.people * 2, ("taxi 86", "taxi 118", "bus 116"), strict=False):
        assert game.move(person, move).status_code == 201
    return game


def _ended(table: Table) -> Playing:
    """Return a game that Mr. X has lost as he was late twice."""
    game = table.dealt(6)
    let_time_run_out(game)
    let_time_run_out(game)
    return game


class TestArming:
    """A half of a round has one deadline, and a reminder before it."""

    def test_mr_x_has_his_whole_time_from_the_start(self, game: Playing):
        assert armed(game) == [
            ("reminder", "mr_x", START + timedelta(hours=36)),
            ("timeout", "mr_x", START + TWO_DAYS),
        ]

    def test_an_open_game_has_none(self, table: Table):
        ada = table.person("Ada")
        made = ada.post("/games", {"edition": "condensed"}).json
        assert armed(Playing(table, made["id"], [ada])) == []

    def test_all_detectives_have_one_together_from_when_mr_x_has_moved(self, table: Table, game: Playing):
        table.clock.turn(hours=5)
        game.move(game.people[0])
        assert armed(game) == [
            ("reminder", "detectives", START + timedelta(hours=5 + 36)),
            ("timeout", "detectives", START + timedelta(hours=5) + TWO_DAYS),
        ]
        assert game.view()["due_at"] == "2026-11-24T23:00:00Z"

    def test_it_stays_as_it_is_when_a_detective_moves(self, table: Table, hunt: Playing):
        before = armed(hunt)
        table.clock.turn(hours=20)
        hunt.move(hunt.people[1])
        assert armed(hunt) == before

    def test_each_half_gives_its_side_the_time_it_was_promised(self, table: Table):
        game = table.game(table.people(2), edition="condensed", clock={"mr_x": "PT3H", "detectives": "P5D"})
        seen = []
        for _ in range(4):
            seen += [(side, due_at - table.clock.time) for kind, side, due_at in armed(game) if kind == "timeout"]
            table.clock.turn(hours=1)
            side = game.view()["to_move"]
            while game.view()["to_move"] and (game.view()["to_move"] == ["mr_x"]) == (side == ["mr_x"]):
                game.move(game.mover())
        assert seen == [("mr_x", timedelta(hours=3)), ("detectives", timedelta(days=5))] * 2

    def test_none_is_left_when_play_has_ended_the_game(self, caught: Playing):
        caught.move(caught.people[1], "taxi 116")
        assert caught.view()["status"] == "over"
        assert armed(caught) == []
        assert row_of(caught).state == "cancelled"

    def test_a_start_that_fails_halfway_starts_nothing(self, table: Table):
        ada, ben = people = table.people(2)
        seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective"}]
        game = Playing(table, ada.post("/games", {"edition": "condensed", "seats": seats}).json["id"], people)
        assert ben.post(f"{game.path}/seats").status_code == 201
        with failing(table, "INSERT INTO outbox"):
            assert ada.post(f"{game.path}/start").status_code == 500
        assert game.view()["status"] == "open"
        assert (armed(game), events(game, "started")) == ([], [])
        assert ada.post(f"{game.path}/start").status_code == 200
        assert len(armed(game)) == 2


class TestReminder:
    """Players who have still to move are reminded once."""

    def test_it_comes_at_three_quarters_of_the_time_and_not_before(self, table: Table, game: Playing):
        table.clock.turn(hours=36, seconds=-1)
        look(table)
        assert told(game, "reminder") == []
        table.clock.turn(seconds=1)
        look(table)
        assert told(game, "reminder") == ["Ada"]

    def test_who_has_told_his_move_by_mail_in_time_is_not_reminded(self, table: Table, game: Playing):
        table.tick()
        game.people[0].reply(game.legal(game.people[0])[0])
        table.clock.turn(hours=36)
        look(table)
        assert told(game, "reminder") == []


class TestLateDetectives:
    """The house moves their pawns, and the game goes on."""

    def test_the_house_moves_each_pawn_by_a_commit_of_its_own_in_the_order_of_play(self, hunt: Playing):
        let_time_run_out(hunt)
        late = [("purple", "house"), ("red", "house"), ("green", "house"), ("yellow", "house"), ("blue", "house")]
        assert committed(hunt) == [("mr_x", "player"), *late]
        assert [(event["pawn"], event["by"]) for event in events(hunt, "moved")][1:] == late
        view = hunt.view()
        assert (view["turn"], view["round"], view["to_move"]) == (7, 2, ["mr_x"])


class TestCaptureByTheHouse:
    """Nobody meant it, so it is provisional, and shows no more than it must."""

    def test_it_ends_the_game_provisionally_for_a_day(self, table: Table, caught: Playing):
        let_time_run_out(caught)
        fired_at = table.clock.time
        assert committed(caught)[-1] == ("red", "house")
        outcome = caught.view(caught.people[1])["outcome"]
        assert outcome == {
            "winner": "detectives",
            "reason": "captured",
            "final": False,
            "final_at": f"{fired_at + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}",
        }
        assert armed(caught) == [("final", "detectives", fired_at + timedelta(days=1))]

    def test_everybody_is_told_once_that_it_is_final(self, table: Table, caught: Playing):
        let_time_run_out(caught)
        for _ in range(3):
            table.clock.turn(days=1)
            look(table)
        assert told(caught, "final") == ["Ada", "Ben"]
        assert len(events(caught, "final")) == 1


class TestLateMrX:
    """He gets one more turn in a game; then the detectives have won, provisionally."""

    def test_the_first_time_he_gets_his_whole_time_once_more(self, table: Table, game: Playing):
        let_time_run_out(game)
        assert armed(game) == [
            ("reminder", "mr_x", START + TWO_DAYS + timedelta(hours=36)),
            ("timeout", "mr_x", START + 2 * TWO_DAYS),
        ]
        view = game.view()
        assert (view["status"], view["turn"], view["due_at"]) == ("running", 1, "2026-11-26T18:00:00Z")

    def test_that_is_told_to_everybody_and_is_a_public_event(self, table: Table, game: Playing):
        let_time_run_out(game)
        table.tick()
        assert told(game, "granted") == ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"]
        assert events(game, "granted") == [{"due_at": "2026-11-26T18:00:00Z"}]
        assert "until Thu 26 Nov 18:00" in game.people[3].mails[-1]["Subject"]

    def test_the_second_time_the_detectives_win_provisionally(self, table: Table, game: Playing):
        let_time_run_out(game)
        let_time_run_out(game)
        assert game.view()["outcome"] == {
            "winner": "detectives",
            "reason": "out_of_time",
            "final": False,
            "final_at": "2026-11-27T18:00:00Z",
        }
        assert armed(game) == [("final", "mr_x", table.clock.time + timedelta(days=1))]
        assert told(game, "ended") == ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"]


class TestReinstate:
    """The operator takes a game up again that lateness ended, while that is provisional."""

    @pytest.fixture
    def ended(self, table: Table) -> Playing:
        return again(table, _ended, "ended by lateness")

    def test_the_game_goes_on_with_the_whole_time(self, table: Table, ended: Playing):
        table.clock.turn(hours=3)
        reinstate(ended)
        assert (ended.view()["status"], ended.view()["outcome"]) == ("running", None)
        assert armed(ended) == [
            ("reminder", "mr_x", table.clock.time + timedelta(hours=36)),
            ("timeout", "mr_x", table.clock.time + TWO_DAYS),
        ]
        assert ended.move(ended.people[0]).status_code == 201

    def test_it_does_not_become_final_afterwards(self, table: Table, ended: Playing):
        reinstate(ended)
        table.clock.turn(hours=25)
        look(table)
        assert ended.view()["status"] == "running"
        assert (events(ended, "final"), row_of(ended, "final").state) == ([], "cancelled")

    def test_everybody_is_told_and_the_reason_is_public(self, table: Table, ended: Playing):
        reinstate(ended)
        assert told(ended, "reinstated") == ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"]
        assert events(ended, "reinstated") == [{"reason": "his mail server was down"}]

    def test_it_can_be_ended_and_taken_up_again_once_more(self, table: Table, ended: Playing):
        for _ in range(2):
            reinstate(ended)
            let_time_run_out(ended)
            assert ended.view()["status"] == "running", "he gets one more turn again"
            let_time_run_out(ended)
            assert ended.view()["outcome"]["reason"] == "out_of_time"

    def test_a_running_game_cannot_be_taken_up(self, game: Playing):
        refused(game)

    def test_a_final_result_cannot_be_undone(self, table: Table, ended: Playing):
        table.clock.turn(days=1)
        look(table)
        refused(ended)
        assert ended.view()["outcome"]["final"] is True

    def test_what_was_played_cannot_be_undone(self, caught: Playing):
        let_time_run_out(caught)
        refused(caught)


def reinstate(game: Playing) -> None:
    with game.table.app.app_context():
        remedies.reinstate(game.id, "his mail server was down")


def refused(game: Playing) -> None:
    before = armed(game)
    with pytest.raises(Problem) as caught:
        reinstate(game)
    assert caught.value.code == "game-not-running"
    assert armed(game) == before


class TestMailInTime:
    """The time when a mail arrived counts, not the time when it was read."""

    @pytest.mark.parametrize("seconds", [-1, 0])  # in the same instant is in time
    def test_a_mail_that_came_in_time_counts_though_nobody_has_read_it(self, table: Table, game: Playing, seconds: int):
        table.tick()
        table.clock.turn(days=2, seconds=seconds)
        game.people[0].reply(game.legal(game.people[0])[0])
        table.clock.turn(hours=1)
        with table.app.app_context():
            worker.fire_due()
        assert committed(game) == [("mr_x", "player")]
        assert told(game, "granted") == []

    def test_a_detective_whose_mail_came_in_time_is_not_moved_by_the_house(self, table: Table, hunt: Playing):
        table.tick()
        table.clock.turn(days=2, seconds=-1)
        hunt.people[2].reply(hunt.legal(hunt.people[2])[0])
        table.clock.turn(hours=1)
        look(table)
        assert committed(hunt)[1:4] == [("purple", "house"), ("red", "ahead"), ("green", "house")]

    def test_a_mail_of_mr_x_that_came_too_late_uses_the_turn_he_was_granted(self, table: Table, game: Playing):
        table.tick()
        table.clock.turn(days=2, seconds=1)
        game.people[0].reply(game.legal(game.people[0])[0])
        look(table)
        assert told(game, "granted") == ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"]
        assert committed(game) == [("mr_x", "player")]

    def test_of_several_mails_none_that_came_in_time_is_missed(self, table: Table, game: Playing):
        table.tick()
        for text in ("What a game!", "Is it my turn?", game.legal(game.people[0])[0]):
            game.people[0].reply(text)
        table.clock.turn(days=3)
        with table.app.app_context():
            worker.fire_due()
        assert committed(game) == [("mr_x", "player")]
