"""An outage moves reminders and votes too, and a mailbox may be unread; the operator can confirm it."""

from datetime import datetime
from pathlib import Path

import pytest

from server.application.game.situations import act
from server.application.health import health
from server.application.play import talk
from server.application.time import outages
from server.house_rules.votes import put_to_vote
from server.models import Game, Player, session
from server.vocabulary.errors import Problem
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
    penalties,
    why_held,
)
from tests.application.time.ticking import Ticking
from tests.injected import START
from tests.scenes import text_of
from tests.table import Playing, Table


class TestWhatMoves:
    """All that is open to somebody until its time is up."""

    def test_reminders_votes_kept_seats_and_provisional_results_move_too(self, game: Playing, time: Ticking):
        ada, ben = game.people
        time.idle(due(game) + HALF - 15 * MINUTE)  # the house has moved, and Mr. X was reminded
        over = game.table.game([ada, ben], edition="condensed")
        over.contest()
        assert over.people[0].post(f"{over.path}/resign").status_code == 200
        kept = ada.post("/games", {"edition": "condensed", "seats": [{"role": "mr_x"}, {"role": "detective",
                        "player": ben.id}]}).json["id"]  # fmt: skip
        fresh = game.table.game([ada, ben], edition="condensed")
        fresh.move(ada)
        with game.table.app.app_context():
            act(fresh.id, session.get_one(Player, ben.id), put_to_vote, "pause")
            session.remove()
        time.tick()
        before = armed(game.table)
        assert {kind for kind, *_ in before.values()} == {"timeout", "reminder", "vote", "invitation", "final"}
        time.pass_time(3 * HOUR)
        time.restart()
        after = armed(game.table)
        timeouts = {game_id for kind, game_id, _ in before.values() if kind == "timeout"}
        assert {game_id for kind, game_id, _ in after.values() if kind == "timeout"} == timeouts
        moved = {at - before[name][2] for name, (kind, _, at) in after.items() if kind != "timeout"}
        assert len(moved) == 1
        assert 3 * HOUR <= moved.pop() <= 3 * HOUR + SLACK
        told = [over.view()["outcome"]["final_at"], ada.get(f"/games/{fresh.id}/votes").json["votes"][0]["closes_at"]]
        rows = {kind: at for kind, _, at in after.values()}
        assert told == [f"{rows[kind]:%Y-%m-%dT%H:%M:%SZ}" for kind in ("final", "vote")]
        assert ada.get(f"/games/{kept}/events").json["events"][-1]["kind"] == "outage"

    def test_the_deadline_and_the_mails_tell_it(self, game: Playing, time: Ticking):
        time.pass_time(2 * HOUR)
        time.restart()
        steps = game.people[1].get(f"{game.path}/deadline").json["steps"]
        assert any(step.startswith("2 hours") and step.endswith("more, as the server was out") for step in steps)
        game.table.post.sent.clear()
        for _ in range(4):
            game.move(game.mover())
        game.table.tick()
        assert "The deadline moved by 2 hours" in text_of(game.people[0].mails[-1]).replace("\n", " ")

    def test_grace_moves_too(self, table: Table):
        clock = {"mr_x": "PT6H", "detectives": "PT6H", "grace": "PT2H"}
        game = table.dealt(2, edition="condensed", clock=clock)
        time = Ticking(table)
        time.retry_from_database()
        time.idle(due(game))
        time.run(time.now + 10 * SECOND)
        assert len(events(game, "late")) == 1
        before = due(game)
        time.pass_time(5 * HOUR)
        time.restart()
        assert 5 * HOUR <= due(game) - before <= 5 * HOUR + SLACK
        assert events(game, "granted") == []

    def test_the_time_of_an_outage_is_not_taken_from_a_bank(self, table: Table):
        clock = {"kind": "bank", "bank": "P1D", "increment": "PT1S", "cap": "P1D"}
        game = table.dealt(2, edition="condensed", clock=clock)
        time = Ticking(table)
        time.retry_from_database()
        time.pass_time(5 * HOUR)
        time.restart()
        game.move(game.people[0])
        with table.app.app_context():
            assert session.get_one(Game, game.id).seats[0].bank >= (DAY - SLACK).total_seconds()

    def test_the_house_moves_all_the_same_as_that_hurts_nobody(self, game: Playing, time: Ticking):
        ada = game.people[0]
        made = ada.post("/games", {"edition": "condensed", "seats": [{"role": "mr_x"}, {"role": "detective",
                        "bot": "constable"}]}).json  # fmt: skip
        practice = Playing(game.table, made["id"], [ada])
        assert ada.post(f"{practice.path}/seats", {"role": "mr_x"}).status_code == 201
        assert ada.post(f"{practice.path}/start").status_code == 200
        time.relay.is_out = True
        practice.move(ada)
        time.pass_time(40 * HOUR)
        for _ in range(5):
            time.pass_time(5 * SECOND)
            time.tick()
        assert practice.view()["to_move"] == ["mr_x"]


class TestFirstSeconds:
    """Before it is known for how long a relay is out nobody is late either."""

    @pytest.fixture
    def before(self, game: Playing, time: Ticking) -> datetime:
        """The deadline; ten seconds before it the relay is lost, which a mail shows."""
        before = due(game)
        time.idle(before - 10 * SECOND)
        time.relay.is_out = True
        with time.table.app.app_context():
            talk.write(game.id, session.get_one(Player, game.people[0].id), "all", "Is anybody there?")
            session.remove()
        return before

    def test_a_deadline_then_moves_when_it_lasts(self, game: Playing, time: Ticking, before: datetime):
        time.run(before + 2 * MINUTE)
        time.relay.is_out = False
        while not events(game, "outage"):
            time.run(time.now + SECOND)
        assert (penalties(game), due(game) > before + 2 * MINUTE) == ([], True)

    def test_it_fires_a_little_later_when_that_was_short(self, game: Playing, time: Ticking, before: datetime):
        time.run(before + 20 * SECOND)
        assert penalties(game) == []
        time.relay.is_out = False
        time.run(time.now + MINUTE)
        assert (penalties(game) != [], events(game, "outage")) == (True, [])


class TestMailboxes:
    """A timeout is late enough to include everybody who moved in time."""

    def test_a_timeout_waits_until_the_mailbox_was_read_beyond_it(self, game: Playing, time: Ticking):
        time.idle(due(game) - 15 * SECOND)
        time.mailbox_is_out = True
        time.run(due(game) + 10 * SECOND)
        assert (penalties(game), events(game, "outage")) == ([], []), "it was not read for some seconds only"
        time.mailbox_is_out = False
        time.tick()
        assert penalties(game) != []

    def test_a_mailbox_that_was_never_read_holds_everything(self, game: Playing):
        time = Ticking(game.table)
        time.mailbox_is_out = True
        time.run(START + MINUTE)
        time.pass_time(7 * HOUR)
        time.tick()
        assert penalties(game) == []
        assert "a mailbox is not read" in str(why_held(game))

    def test_a_move_made_while_the_timeout_is_held_counts(self, game: Playing, time: Ticking):
        time.mailbox_is_out = True
        time.run(time.now + MINUTE)
        time.pass_time(2 * HOUR)
        assert game.move(game.people[1]).status_code == 201


class TestTheOperator:
    """The operator has to confirm an outage of more than a day, and sees how things stand."""

    def test_he_may_give_nothing_back(self, game: Playing, time: Ticking):
        before = due(game)
        time.pass_time(3 * DAY)
        time.restart()
        confirm(game, granted=False)
        assert (due(game), events(game, "outage")) == (before, [])
        time.tick()
        assert penalties(game) != []

    def test_he_is_not_asked_where_nothing_is_open(self, table: Table):
        time = Ticking(table)
        time.retry_from_database()
        time.pass_time(3 * DAY)
        time.restart()
        with table.app.app_context():
            assert outages.why_held(time.now) is None
            with pytest.raises(Problem, match="No outage waits"):
                outages.confirm(granted=True)

    def test_readyz_doctor_and_the_watchdog_tell(self, game: Playing, time: Ticking):
        with game.table.app.app_context():
            assert health.troubles() == []
        time.pass_time(3 * DAY)
        time.restart()
        with game.table.app.app_context():
            report, (trouble,) = health.report(), health.troubles()
        assert trouble.startswith("No deadline fires. The server was out since 2026-11-2")
        assert trouble in report["troubles"]
        assert report["outages"][0]["state"] == "waiting"
        ready = game.table.client.get("/readyz")
        assert ready.status_code == 200
        assert ready.json["deadlines_held"] in trouble
        assert ready.json["last_tick"] == f"{time.now:%Y-%m-%dT%H:%M:%SZ}"
        assert ready.json["oldest_overdue_deadline"] is not None
        assert {"oldest_unsent_mail", "dead_letters", "mailboxes"} <= ready.json.keys()

    def test_readyz_says_whether_a_worker_ticks_and_answers_for_this_process_alone(self, table: Table):
        time = Ticking(table)
        time.runtime.began = 0
        time.pass_time(15 * SECOND)
        assert ticks(table), "one may be about to start"
        time.pass_time(SECOND)
        assert not ticks(table), "no worker has ever run"
        time.run(time.now + MINUTE)
        assert ticks(table)
        time.pass_time(15 * SECOND)
        assert ticks(table)
        time.pass_time(SECOND)
        assert not ticks(table)
        time.tick()
        assert ticks(table)
        time.set_clock(-2 * HOUR)
        assert not ticks(table), "a worker that ticks says so again at once"
        time.tick()
        assert ticks(table)

    def test_a_fast_ticker_may_be_silent_for_ten_seconds(self, tmp_path: Path):
        table = Table(tmp_path, tick_seconds="0.05")
        time = Ticking(table)
        time.tick()
        time.pass_time(10 * SECOND)
        assert ticks(table)
        time.pass_time(SECOND)
        assert not ticks(table)


def ticks(table: Table) -> bool:
    """Return whether /readyz says that a worker ticks. A balancer leaves out no process for that."""
    answer = table.client.get("/readyz")
    assert (answer.status_code, answer.json["status"]) == (200, "ready")
    return {"ticks": True, "does not tick": False}[answer.json["worker"]]
