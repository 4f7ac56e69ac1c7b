"""PostgreSQL: the whole program on it, and what only shows where several connections write at once."""

import copy
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import select

from server import worker
from server.app.heart import Heart
from server.application.game import outbox_rows, reply_addresses, situations
from server.application.game.access import locked, locked_visible, renew_versions
from server.application.mail import digest_queue, mail_choices
from server.application.operator import alerts
from server.application.people.accounts import abuse_reports
from server.application.people.accounts.preferences import change_preferences
from server.application.people.accounts.sign_up import request_code
from server.application.time import deadlines, outages
from server.house_rules import before_start, invitations, notices, timers
from server.mail import outbox
from server.mail.commands import dispatch
from server.models import (
    AbuseReport,
    Deadline,
    Event,
    Game,
    Incoming,
    Outgoing,
    Player,
    ReplyToken,
    session,
    transaction,
)
from server.vocabulary.errors import Problem
from tests.databases import let_go
from tests.letters import Postbox
from tests.table import Person, Playing, Table

PauseIn = Callable[[Any, str], "Pause"]
LONG = 20  # seconds after which a test that waits for something has failed


class Pause:
    """Stops whoever comes to it first, until he is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.go_on = threading.Event()

    def __call__(self) -> None:
        if not self.reached.is_set():
            self.reached.set()
            assert self.go_on.wait(LONG)


@pytest.fixture
def pause_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], Pause]:
    """Puts a pause before a function of a module."""

    def put(place: Any, name: str) -> Pause:
        pause, function = Pause(), getattr(place, name)

        def paused(*args: Any, **kwargs: Any) -> Any:
            pause()
            return function(*args, **kwargs)

        monkeypatch.setattr(place, name, paused)
        return pause

    return put


class Thread(threading.Thread):
    """A thread whose result, or error, is that of `join`."""

    def __init__(self, table: Table, work: Callable[[], Any]) -> None:
        super().__init__()
        self.table, self.work = table, work
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            with self.table.app.app_context():
                self.result = self.work()
        except BaseException as error:  # noqa: BLE001 told to who joins
            self.error = error

    def outcome(self) -> Any:
        self.join(LONG)
        if self.error is not None:
            raise self.error
        return self.result


def one_after_the_other(table: Table, pause: Pause, first: Callable[[], Any], second: Callable[[], Any]) -> list[Any]:
    """`first` stops in the pause, `second` runs until it waits for a lock of the first, then both go on."""
    one, other = Thread(table, first), Thread(table, second)
    one.start()
    assert pause.reached.wait(LONG)
    other.start()
    wait_until_blocked(table)
    pause.go_on.set()
    return [one.outcome(), other.outcome()]


def wait_until_blocked(table: Table) -> None:
    """Wait until some connection waits for another one's lock."""
    url = table.app.extensions["blackticket"].settings.database_url.replace("+psycopg", "")
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND wait_event_type = 'Lock' AND clock_timestamp() - query_start < interval '20 seconds'"
    )
    with psycopg.connect(url, autocommit=True) as connection:
        deadline = connection.execute("SELECT clock_timestamp() + interval '20 seconds'").fetchone()[0]
        while connection.execute(query).fetchone()[0] == 0:
            assert connection.execute("SELECT clock_timestamp()").fetchone()[0] < deadline, "nobody ever waited"


class TestLocks:
    """Two at once: the second waits for the first, and then sees what it did."""

    def test_of_two_moves_for_one_turn_the_second_is_told_that_the_game_has_moved_on(
        self, table: Table, duel: Playing, pause_in: PauseIn
    ):
        ada = duel.people[0]
        one, other = duel.legal(ada)[:2]
        first, second = one_after_the_other(
            table,
            pause_in(notices, "post_turns"),
            lambda: submit(ada, duel, one),
            lambda: submit(ada, duel, other),
        )
        assert (first.status_code, second.status_code, second.json["type"]) == (201, 409, "stale-turn")
        assert duel.view(ada)["history"] == [one]

    def test_a_move_with_a_key_is_told_so_too_though_it_looked_at_the_game_before(
        self, table: Table, duel: Playing, pause_in: PauseIn
    ):
        ada = duel.people[0]
        one, other = duel.legal(ada)[:2]
        first, second = one_after_the_other(
            table,
            pause_in(notices, "post_turns"),
            lambda: submit(ada, duel, one),
            lambda: submit(ada, duel, other, key="k1"),
        )
        assert (first.status_code, second.status_code, second.json["type"]) == (201, 409, "stale-turn")

    def test_who_locks_a_game_that_he_has_looked_at_sees_it_as_it_is_by_then(self, table: Table, duel: Playing):
        with table.app.app_context(), transaction():
            ada = session.get_one(Player, duel.people[0].id)
            game = session.get_one(Game, duel.id)
            assert game.turn == 1
            other = Thread(table, lambda: duel.move(duel.people[0]))
            other.start()
            assert other.outcome().status_code == 201
            locked_visible(duel.id, ada)
            assert game.turn == 2

    def test_of_two_requests_with_one_key_the_second_waits_for_the_answer_of_the_first(
        self, table: Table, duel: Playing, pause_in: PauseIn
    ):
        ada = duel.people[0]
        wanted = duel.legal(ada)[0]
        first, second = one_after_the_other(
            table,
            pause_in(notices, "post_turns"),
            lambda: submit(ada, duel, wanted, key="k1"),
            lambda: submit(ada, duel, wanted, key="k1"),
        )
        assert (first.status_code, second.status_code, second.data) == (201, 201, first.data)

    def test_a_request_with_a_key_goes_on_when_the_one_before_it_was_refused(
        self, table: Table, duel: Playing, pause_in: PauseIn
    ):
        ada = duel.people[0]
        wanted = duel.legal(ada)[0]
        first, second = one_after_the_other(
            table,
            pause_in(situations, "load_visible"),
            lambda: submit(ada, duel, "taxi 999", key="k1"),
            lambda: submit(ada, duel, wanted, key="k1"),
        )
        assert (first.status_code, second.status_code) == (422, 201)

    def test_one_seat_is_taken_by_one_player(self, table: Table, pause_in: PauseIn):
        ada, ben, cleo = table.people(3)
        path = ada.post("/games", {"edition": "condensed", "players": 2}).json["id"]
        ada.post(f"/games/{path}/seats", {"seat": 1})
        first, second = one_after_the_other(
            table,
            pause_in(before_start, "_tell_if_complete"),
            lambda: ben.post(f"/games/{path}/seats", {"seat": 2}),
            lambda: cleo.post(f"/games/{path}/seats", {"seat": 2}),
        )
        assert (first.status_code, second.status_code, second.json["type"]) == (201, 409, "seat-taken")

    def test_the_code_of_an_invitation_makes_one_player_and_two_who_play_again_meet_in_one_game(
        self, table: Table, pause_in: PauseIn
    ):
        ada = table.person("Ada")
        seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "invite": "anna@example.org"}]
        wanted = {"edition": "condensed", "seats": seats, "seating": "rotation"}
        path = f"/games/{ada.post('/games', wanted).json['id']}"
        table.tick()
        body = {"code": table.post.of("anna@example.org")[0].get_content().partition('code is "')[2][:16]}
        confirm = lambda: table.app.test_client().post("/api/v1/players/confirm", json=body)  # noqa: E731
        made, refused = one_after_the_other(table, pause_in(before_start, "_tell_if_complete"), confirm, confirm)
        assert (made.status_code, refused.status_code, refused.json["type"]) == (201, 422, "bad-code")
        anna = copy.copy(ada)
        anna.id, anna.token = made.json["id"], made.json["token"]
        assert ada.post(f"{path}/start").status_code == 200
        ada.post(f"{path}/resign")
        asked = [lambda person=person: person.post(f"{path}/rematch").json for person in (ada, anna)]
        first, second = one_after_the_other(table, pause_in(invitations, "keep_for"), *asked)
        assert first["id"] == second["id"]
        assert {seat["state"] for seat in second["seats"]} == {"taken"}

    def test_a_deadline_that_falls_due_while_a_move_is_made_does_not_fire(
        self, table: Table, duel: Playing, pause_in: PauseIn
    ):
        """The mover has the game's row and wants the deadline's; who fires must not hold that and want the game's."""
        ada = duel.people[0]
        table.clock.turn(days=2)
        timeout = due_timeout(table)
        _, fired = one_after_the_other(
            table,
            pause_in(timers, "cancel_all"),
            lambda: submit(ada, duel, duel.legal(ada)[0]),
            lambda: deadlines.fire(timeout),
        )
        assert fired is False
        assert duel.view()["turn"] == 2

    def test_a_move_that_comes_while_the_deadline_fires_finds_what_that_did(
        self, table: Table, duel: Playing, pause_in: PauseIn
    ):
        ada, ben = duel.people
        duel.move(ada)
        table.clock.turn(days=2)
        timeout, wanted = due_timeout(table), duel.legal(ben)[0]
        fired, answer = one_after_the_other(
            table,
            pause_in(notices, "post_late"),
            lambda: deadlines.fire(timeout),
            lambda: submit(ben, duel, wanted, turn=2),
        )
        assert fired is True
        assert (answer.status_code, answer.json["type"]) == (409, "stale-turn")

    def test_of_two_that_fire_one_deadline_the_second_finds_it_fired(
        self, table: Table, duel: Playing, pause_in: PauseIn
    ):
        table.clock.turn(days=2)
        timeout = due_timeout(table)
        fired = one_after_the_other(
            table,
            pause_in(notices, "post_granted"),
            lambda: deadlines.fire(timeout),
            lambda: deadlines.fire(timeout),
        )
        assert fired == [True, False]

    def test_a_mail_in_time_that_another_worker_is_reading_counts(self, table: Table, duel: Playing, pause_in: PauseIn):
        table.tick()
        duel.people[0].reply(duel.legal(duel.people[0])[0])
        table.clock.turn(days=2)
        one_after_the_other(table, pause_in(dispatch, "obey"), worker.read_mail, worker.fire_due)
        assert duel.view()["turn"] == 2
        with table.app.app_context():
            assert session.scalars(select(Outgoing.id).where(Outgoing.kind == "granted")).all() == []

    def test_the_operator_is_told_once_by_workers_that_look_at_once(
        self, postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pause_in: PauseIn
    ):
        table = Table(tmp_path, database_url=postgres, operator_email="operator@yard.example")
        monkeypatch.setattr(alerts, "CAUSES", {"fire": lambda: "It burns."})
        one_after_the_other(table, pause_in(outbox_rows, "post"), alerts.tell, alerts.tell)
        with table.app.app_context():
            assert len(session.scalars(select(Outgoing.id).where(Outgoing.kind == "alert")).all()) == 1
            let_go()

    def test_two_senders_may_print_the_same_reply_addresses_at_once(self, table: Table, duel: Playing):
        """Each of them has both addresses in its batch, in another order."""
        tokens = [reply_addresses.PrintedToken(token, duel.id, 1, 1, "n") for token in ("a", "b")]
        pause = Pause()

        def remember(printed: list[reply_addresses.PrintedToken]) -> None:
            with transaction():
                reply_addresses.store(printed)
                pause()

        one_after_the_other(table, pause, lambda: remember(tokens), lambda: remember(tokens[::-1]))
        with table.app.app_context():
            assert len(session.scalars(select(ReplyToken).where(ReplyToken.nonce == "n")).all()) == 2

    def test_two_clicks_report_an_invitation_once(self, table: Table, duel: Playing):
        ada, ben, *_ = duel.people
        seats = [{"role": "mr_x"}, {"role": "detective", "player": ben.id}]
        ada.post("/games", {"edition": "condensed", "seats": seats})
        with table.app.app_context():
            mail_id = session.scalars(select(Outgoing.id).where(Outgoing.kind == "invitation")).all()[-1]
        pause = Pause()

        def click() -> None:
            with transaction():
                abuse_reports.report_mailed_invitation(mail_id)
                pause()

        one_after_the_other(table, pause, click, click)
        with table.app.app_context():
            assert len(session.scalars(select(AbuseReport.id)).all()) == 1

    def test_a_choice_by_mail_and_one_by_rest_do_not_wait_for_each_other(
        self, table: Table, duel: Playing, pause_in: PauseIn
    ):
        """Both need the player and his game."""
        table.tick()
        ben = duel.people[1]
        ben.reply("SET mail daily 18:00 here")
        one_after_the_other(
            table,
            pause_in(mail_choices, "choose"),
            worker.read_mail,
            lambda: change_preferences(ben.id, zone="Europe/Berlin"),
        )
        with table.app.app_context():
            assert session.execute(select(Incoming.state, Incoming.attempts)).all() == [("done", 0)]

    def test_what_two_senders_hold_back_for_one_player_comes_in_one_mail(
        self, table: Table, duel: Playing, pause_in: PauseIn
    ):
        again = table.game(duel.people, edition="condensed")
        table.tick()
        wanted = {"mail": "daily 18:00"}
        assert duel.people[1].request("PATCH", "/me/preferences", json=wanted).status_code == 200
        for game in (duel, again):
            game.move(duel.people[0])

        def send() -> None:
            outbox.send_waiting(Postbox(), limit=1)

        one_after_the_other(table, pause_in(digest_queue, "_schedule"), send, send)
        with table.app.app_context():
            kinds = select(Outgoing.kind).where(Outgoing.state.in_(("pending", "held"))).order_by(Outgoing.kind)
            assert session.scalars(kinds).all() == ["digest", "turn", "turn"]

    def test_who_needs_all_games_of_a_player_takes_them_in_their_order(self, table: Table, duel: Playing):
        more = [table.game(duel.people, edition="condensed").id for _ in range(3)]
        first, *others = sorted([duel.id, *more])
        pause = Pause()

        def take_all() -> None:
            with transaction():
                locked(first)
                pause()
                for game_id in others:
                    locked(game_id)

        def renew() -> None:
            with transaction():
                renew_versions(session.get_one(Player, duel.people[1].id))

        one_after_the_other(table, pause, take_all, renew)


def submit(person: Person, game: Playing, notation: str, *, turn: int = 1, key: str | None = None) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return person.post(f"{game.path}/moves", {"turn": turn, "notation": notation}, headers=headers)


def due_timeout(table: Table) -> str:
    """The one timeout that is due."""
    with table.app.app_context():
        query = select(Deadline.id).where(Deadline.kind == "timeout", Deadline.state == "armed")
        return session.scalars(query.where(Deadline.due_at <= table.clock.time)).one()


def test_somebody_signs_up_plays_and_leaves(table: Table):
    table.client.post("/api/v1/players", json={"name": "Gwen", "email": "gwen@example.org"})
    table.tick()
    code = table.post.of("gwen@example.org")[0].get_content().partition('code is "')[2][:16]
    token = table.client.post("/api/v1/players/confirm", json={"code": code}).json["token"]  # type: ignore[index]
    headers = {"Authorization": f"Bearer {token}"}
    made = table.client.post("/api/v1/games", json={"edition": "condensed"}, headers=headers).json
    gone = table.client.delete("/api/v1/me", json={"name": "Gwen"}, headers=headers)
    assert gone.status_code == 204
    with table.app.app_context():
        event = session.scalars(select(Event).where(Event.game_id == made["id"])).one()  # type: ignore[index]
        assert event.data == {"host": "a former player"}


def test_of_many_who_sign_up_at_once_with_one_address_three_get_a_mail(table: Table):
    def sign_up() -> None:
        with suppress(Problem):
            request_code("Gwen", "gwen@example.org")

    threads = [Thread(table, sign_up) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.outcome()
    table.tick()
    assert len(table.post.of("gwen@example.org")) == 3


# Cleaning up ------------------------------------------------------------------------------------------


def test_tables_whose_rows_cannot_change_in_place_are_cleaned_up_early(table: Table, postgres: str):
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("SELECT pg_stat_reset()")
    people = table.people(3)
    game = table.game(people)
    for _ in range(9):
        table.clock.turn(seconds=5)
        assert game.move(game.mover()).status_code == 201
        table.tick()
        Heart(table.app).beat()
        with table.app.app_context():
            outages.Watch().look()
    people[1].reply("STATUS")
    table.tick()
    with table.app.app_context():
        let_go()
    in_place, cleaned_early = changed_in_place(postgres)
    assert {"pulses", "processes"} <= in_place
    assert not in_place & {"deadlines", "games", "inbox", "outbox"}
    assert cleaned_early == {"deadlines", "games", "inbox", "outbox", "webhook_deliveries"}


def changed_in_place(url: str) -> tuple[set[str], set[str]]:
    """Return the tables of which most changes were made in place, and those that are cleaned up early.

    Connections tell what they changed when they end.
    """
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    is_early = "coalesce('autovacuum_vacuum_scale_factor=0.02' = ANY (reloptions), false)"
    query = (
        f"SELECT s.relname, n_tup_upd, n_tup_hot_upd, {is_early} FROM pg_stat_user_tables s JOIN pg_class c "
        "ON c.oid = s.relid"
    )
    with psycopg.connect(url, autocommit=True) as connection:
        end = time.monotonic() + LONG
        while connection.execute(others).fetchone() != (0,):
            assert time.monotonic() < end, "somebody is still connected"
        told = connection.execute(query).fetchall()
    assert {"deadlines", "games", "inbox", "outbox"} <= {name for name, changed, _, _ in told if changed}
    return (
        {name for name, changed, hot, _ in told if changed and hot > changed / 2},
        {name for name, _, _, early in told if early},
    )
