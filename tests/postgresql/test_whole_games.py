"""A whole game on PostgreSQL, and the addresses by which it is named."""

import os
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from blackticket.standalone import verifier
from server.application.health import machine
from server.cli import main
from server.mail import outbox
from server.mail.transport.smtp_client import SendingFailure
from server.migrations import upgrade
from server.models import (
    Incoming,
    Move,
    Outgoing,
    session,
)
from server.settings import Settings
from tests.databases import Server, let_go
from tests.injected import application, for_command
from tests.letters import Postbox
from tests.scenes import has_run
from tests.table import Person, Playing, Table


class TestAddresses:
    """Ways to name the database in the settings."""

    @pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg"])
    def test_both_ways_to_write_the_scheme_name_the_same_driver(self, tmp_path: Path, scheme: str):
        settings = Settings.from_environ({"BLACKTICKET_DATABASE_URL": f"{scheme}://ada@db/tickets"}, tmp_path)
        assert settings.database_url == "postgresql+psycopg://ada@db/tickets"

    @pytest.mark.skipif("TEST_DATABASE_URL" in os.environ, reason="that database may be anywhere")
    def test_a_database_behind_a_unix_socket_works(self, postgres: str, table: Table):
        assert "host=/" in urlsplit(postgres).query
        assert table.person("Ada").get("/me").status_code == 200

    def test_what_is_wrong_with_an_address_is_said_without_its_password(self, tmp_path: Path):
        with pytest.raises(Exception, match="is no database") as caught:
            Settings.from_environ({"BLACKTICKET_DATABASE_URL": "mysql://ada:hush@db/tickets"}, tmp_path)
        assert "hush" not in str(caught.value)

    def test_the_doctor_finds_it(self, table: Table, postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.chdir(tmp_path)
        has_run(table)
        said = CliRunner().invoke(main, ["doctor"], obj=for_command(table.app))
        assert "database: PostgreSQL" in said.output
        assert said.exit_code == 0

    @pytest.mark.skipif("TEST_DATABASE_URL" in os.environ, reason="the settings of that server are its own")
    def test_settings_with_which_a_power_cut_loses_moves_are_named(self, tmp_path: Path):
        with closing(Server("fsync = off\nfull_page_writes = off\nsynchronous_commit = off")) as server:
            environ = {"BLACKTICKET_DATABASE_URL": server.url}
            with application(Settings.from_environ(environ, tmp_path)).app_context():
                upgrade()
                (sentence,) = [each for each in machine.warnings().values() if "power cut" in each]
                let_go()
        assert sentence == (
            "A power cut would lose moves: set fsync, full_page_writes, synchronous_commit to on in PostgreSQL."
        )


class Hiccup(Postbox):
    """A relay that takes all but the first."""

    failed = False

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        if not self.failed:
            self.failed = True
            raise SendingFailure("the relay cannot be reached (it does not answer)", lasting=False)
        super().send(message, sender, recipient)


class TestWholeGame:
    """The same code as on the embedded database."""

    def test_a_game_by_rest_and_mail_comes_to_its_end(self, table: Table, tmp_path: Path):
        """Ada, Cleo and Eve play by REST, the others by mail; Dan sleeps through one deadline."""
        people = table.people(6)
        game = table.game(people, edition="milton-bradley-1985", options={"log_windows": 3})
        by_mail = {"Ben", "Dan", "Finn"}
        asleep = True
        while True:
            table.tick()
            if game.view()["status"] == "over":
                break
            mover = game.mover()
            wanted = quiet_move(game, mover)
            if mover.name == "Dan" and asleep:
                asleep = False
                table.clock.turn(days=2)
            elif mover.name in by_mail:
                mover.reply(wanted)
            else:
                assert game.move(mover, wanted).status_code == 201
        view = game.view(people[1])
        assert (view["outcome"]["winner"], view["outcome"]["reason"]) == ("mr_x", "log_full")
        assert [entry["station"] for entry in view["log"]].count(None) == 0
        with table.app.app_context():
            by = session.scalars(select(Move.by).where(Move.game_id == game.id).order_by(Move.turn)).all()
            states = set(session.scalars(select(Outgoing.state).where(Outgoing.game_id == game.id)))
        assert by.count("house") == 3, "Dan, Eve and Finn were late"
        assert len(by) == 18
        assert states <= {"sent", "superseded", "gathered"}
        assert all(any("game is over" in mail["Subject"] for mail in person.mails) for person in people)
        transcript = tmp_path / "transcript.json"
        transcript.write_bytes(people[1].get(f"{game.path}/transcript").data)
        assert verifier.examine([str(transcript)])[0] == 0

    def test_what_a_forced_end_sealed_opens_a_day_later(self, table: Table, duel: Playing):
        for days in (2, 2, 1):
            assert "mr_x" not in duel.view(duel.people[1])["starts"]
            table.clock.turn(days=days)
            table.tick()
        assert duel.view(duel.people[1])["starts"]["mr_x"] > 0

    def test_a_game_is_taken_up_by_another_process(self, table: Table, duel: Playing, postgres: str, tmp_path: Path):
        duel.move(duel.people[0])
        other = Table(tmp_path, database_url=postgres, sandbox="1", min_turn="PT1S")
        assert other.client.get(
            f"/api/v1{duel.path}", headers={"Authorization": f"Bearer {duel.people[1].token}"}
        ).json == duel.view(duel.people[1])
        with other.app.app_context():
            let_go()

    def test_mails_are_chosen_put_back_tried_again_and_settled(self, postgres: str, tmp_path: Path):
        table = Table(tmp_path, database_url=postgres, sandbox="1", min_turn="PT1S", mail_limit="100/P1D")
        duel = table.game(table.people(2), edition="condensed")
        duel.move(duel.people[0])
        relay = Hiccup()
        with table.app.app_context():
            while outbox.send_waiting(relay):
                pass
            waiting = session.scalars(select(Outgoing.attempts).where(Outgoing.state == "pending")).all()
            assert sorted(waiting) == [0, 1], "the first, and the other to the same player"
            table.clock.turn(minutes=1)
            while outbox.send_waiting(relay):
                pass
            assert set(session.scalars(select(Outgoing.state))) == {"sent", "superseded"}
            let_go()

    @pytest.mark.parametrize("path", ["/games/%00", "/games?label=%00", "/games?after=%00"])
    def test_a_zero_byte_in_an_address_is_answered_as_anything_else_that_is_not_there(self, table: Table, path: str):
        assert table.person("Ada").get(path).status_code in (200, 404, 422)

    def test_a_zero_byte_in_a_token_lets_nobody_in(self, table: Table):
        answer = table.client.get("/api/v1/me", headers={"Authorization": "Bearer bt_\0"})
        assert answer.status_code == 401

    @pytest.mark.parametrize(
        "body",
        [
            {"edition": "condensed", "label": "a\0b"},
            {"edition": "cond\0ensed"},
            {"edition": "condensed", "seats": [{"role": "mr_x", "player": "\0"}, {"role": "detective"}]},
        ],
    )
    def test_a_zero_byte_in_a_body_is_a_wrong_form(self, table: Table, body: dict[str, Any]):
        assert table.person("Ada").post("/games", body).status_code == 422

    def test_a_zero_byte_in_a_code_opens_nothing(self, table: Table, duel: Playing):
        answer = table.person("Gus").post(f"{duel.path}/seats", {"code": "\0"})
        assert answer.status_code in (404, 409, 422)

    def test_a_mail_with_zero_bytes_is_read_and_answered(self, table: Table, duel: Playing):
        table.tick()
        ada = duel.people[0]
        to = ada.mails[-1]["Reply-To"].addresses[0].addr_spec
        raw = f"From: {ada.address}\r\nTo: {to}\r\nMessage-ID: <\0@x>\r\nSubject: \0\r\n\r\nHELP \0\r\n\0\r\n"
        table.deliver(raw.encode(), ada.address, to)
        table.tick()
        with table.app.app_context():
            assert session.scalars(select(Incoming.state)).all() == ["done"]


def quiet_move(game: Playing, mover: Person) -> str:
    """A move that catches nobody."""
    hidden = game.view(game.people[0])["pawns"]["mr_x"]["station"]
    return next(move for move in game.legal(mover) if int(move.split()[-1]) != hidden and "double" not in move)
