"""The operator sees envelopes and a spectator's view; more only by breaking the glass, in public."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from sqlalchemy import select

from server.application.health import health
from server.application.mail import envelopes
from server.cli import main
from server.models import Event, Incoming, Outgoing, ReplyToken, session, transaction
from server.models.types import Encrypted
from server.settings import Settings
from tests import databases
from tests.injected import for_command
from tests.kept import again
from tests.positions import position
from tests.rows import for_each
from tests.scenes import has_run, readdress, text_of
from tests.statements import committing, failing
from tests.table import Playing, Table

KEY = "the key of this test, which is long enough"
REASON = "a complaint about the log"
# Stations of Mr. X that nothing else in the game is numbered by: where he began, went by REST, and went by mail.
SECRET = re.compile(r"\b(196|184|169)\b")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs a command in the folder where the game is."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, app: Flask | None = None, **settings: str) -> Result:
        environ = databases.environ(tmp_path / "var") | {"BLACKTICKET_SECRET_KEY": KEY}
        environ |= {f"BLACKTICKET_{name}": value for name, value in settings.items()}
        return CliRunner(env=environ).invoke(main, arguments, prog_name="blackticket", obj=for_command(app))

    return run


@pytest.fixture
def played(tmp_path: Path) -> Playing:
    """Mr. X has gone from 196 by 184 to 169, green has sent a move ahead, and mails wait on both ways."""
    return again(Table(tmp_path / "var", sandbox="1", secret_key=KEY), _played)


def _played(table: Table) -> Playing:
    ada, ben, cleo = people = table.people(3)
    game = table.game(people, position=position(196, red=1, green=2))
    game.move(ada, "taxi 184")
    game.move(cleo, "taxi 20")
    game.move(ben, "taxi 8")
    table.tick()
    ada.reply("taxi 169")
    table.tick()
    game.move(cleo, "taxi 2")
    ada.reply("STATUS")
    return game


def refused(result: Result) -> str:
    """The sentence on stderr of a command that failed as expected, and printed nothing else."""
    assert (result.exit_code, result.stdout) == (1, "")
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("\n") == 1
    return result.stderr.removesuffix("\n")


def unsealed(game: Playing) -> list[dict[str, Any]]:
    """The data of the events that tell of it."""
    with game.table.app.app_context():
        query = select(Event).where(Event.game_id == game.id, Event.kind == "unsealed").order_by(Event.number)
        return [event.data for event in session.scalars(query)]


def mails(game: Playing, kind: str = "unsealed") -> int:
    with game.table.app.app_context():
        return session.query(Outgoing).filter_by(game_id=game.id, kind=kind).count()


def rows(game: Playing, table: Any, *where: Any) -> list[Any]:
    with game.table.app.app_context():
        found = session.scalars(select(table).where(*where)).all()
        session.expunge_all()
        return list(found)


# Breaking the glass -----------------------------------------------------------------------------


def test_the_operator_sees_the_record_as_mr_x_does(run, played: Playing):
    found = json.loads(run("game", "unseal", played.id, "--reason", REASON, "--json").stdout)
    assert found == {"record": played.people[0].get(f"{played.path}/record").json}
    assert found["record"]["moves"][0][0] == "taxi 184"


def test_the_record_is_shown_as_a_table(run, played: Playing):
    shown = run("game", "unseal", played.id, "--reason", REASON).stdout
    assert "     2  taxi             169" in shown
    assert " 1. taxi 184; red taxi 8; green taxi 20" in shown


def test_it_is_a_public_event_with_its_reason(run, played: Playing):
    run("game", "unseal", played.id, "--reason", REASON)
    assert unsealed(played) == [{"reason": REASON, "looked_at": "the game"}]
    assert REASON in played.people[1].get(f"{played.path}/transcript").text


def test_every_player_is_told_by_mail(run, played: Playing):
    run("game", "unseal", played.id, "--reason", REASON)
    played.table.tick()
    for person in played.people:
        (mail,) = [mail for mail in person.mails if "has looked into the sealed game" in mail["Subject"]]
        assert f'"{REASON}"' in text_of(mail)
        assert not SECRET.search(text_of(mail))


def test_a_provisional_result_is_still_sealed(run, played: Playing):
    for _ in range(3):
        played.table.clock.turn(days=2)
        played.table.tick()
    assert played.view()["outcome"]["final"] is False
    found = run("game", "unseal", played.id, "--reason", REASON)
    assert "out_of_time" in found.stdout
    assert SECRET.search(found.stdout)
    assert len(unsealed(played)) == 1


class TestOneMail:
    """With --mail the content of one mail of the game is shown, and no more."""

    def test_one_that_came_in(self, run, played: Playing):
        (row, *_) = rows(played, Incoming, Incoming.state == "done")
        found = json.loads(run("game", "unseal", played.id, "--reason", REASON, "--mail", row.id, "--json").stdout)
        assert found == {"mail": row.id, "content": row.raw.decode()}
        assert "taxi 169" in found["content"]

    def test_one_that_waits_to_be_sent(self, run, played: Playing):
        (row, *_) = rows(played, Outgoing, Outgoing.kind == "turn")
        with played.table.app.app_context(), transaction():
            kept = session.get_one(Outgoing, row.id)
            kept.state, kept.message = "pending", b"Subject: a turn\r\n\r\nYou stand at 169.\r\n"
        assert "You stand at 169." in run("game", "unseal", played.id, "--reason", REASON, "--mail", row.id).stdout

    def test_the_event_does_not_tell_which(self, run, played: Playing):
        (row, *_) = rows(played, Incoming, Incoming.state == "done")
        run("game", "unseal", played.id, "--reason", REASON, "--mail", row.id)
        assert unsealed(played) == [{"reason": REASON, "looked_at": "a mail"}]

    def test_what_a_terminal_would_obey_is_written_out(self, run, played: Playing):
        (row, *_) = rows(played, Incoming, Incoming.state == "done")
        with played.table.app.app_context(), transaction():
            session.get_one(Incoming, row.id).raw = b"\x1b]0;owned\x07 \xff taxi 169\n"
        shown = run("game", "unseal", played.id, "--reason", REASON, "--mail", row.id).stdout
        assert shown == "\\x1b]0;owned\\x07 \\xff taxi 169\n\n"

    def test_one_of_another_game_or_of_none_is_not_found(self, run, played: Playing):
        other = played.table.game(played.people)
        (row, *_) = rows(played, Incoming, Incoming.state == "done")
        for game, mail in ((other.id, row.id), (played.id, "nothing")):
            sentence = refused(run("game", "unseal", game, "--reason", REASON, "--mail", mail))
            assert sentence.startswith(f"There is no mail {mail} of this game")
        assert unsealed(played) == unsealed(other) == []

    def test_one_that_was_sent_is_not_kept(self, run, played: Playing):
        (row, *_) = rows(played, Outgoing, Outgoing.state == "sent", Outgoing.game_id == played.id)
        assert "is not kept" in refused(run("game", "unseal", played.id, "--reason", REASON, "--mail", row.id))
        assert (unsealed(played), mails(played)) == ([], 0)


class TestRefusals:
    """Then nothing is written and nothing is shown."""

    @for_each(
        "reason",
        ["", "  ", "a storm\ntaxi 46", "a storm\rX-Header: y", "=?UTF-8?Q?=0A?=", "Cleo asked"],
    )
    def test_a_reason_is_one_line_of_words_without_a_name(self, run, played: Playing, reason: str):
        assert refused(run("game", "unseal", played.id, "--reason", reason, "--json")).startswith("A reason ")
        assert (unsealed(played), mails(played)) == ([], 0)

    def test_a_final_game_is_open_already(self, run, played: Playing):
        for days in (2, 2, 2, 1):
            played.table.clock.turn(days=days)
            played.table.tick()
        assert played.view()["outcome"]["final"] is True
        assert "is open already" in refused(run("game", "unseal", played.id, "--reason", REASON))
        assert (unsealed(played), mails(played)) == ([], 0)

    def test_nothing_is_shown_when_it_cannot_be_told(self, run, played: Playing):
        with failing(played.table, "INSERT INTO outbox"):
            result = run("game", "unseal", played.id, "--reason", REASON, app=played.table.app)
        assert isinstance(result.exception, RuntimeError)
        assert result.output == ""
        assert unsealed(played) == []

    def test_nothing_is_shown_when_the_commit_fails(self, run, played: Playing):
        def fail() -> None:
            raise RuntimeError("the disk is full")

        with committing(played.table, fail):
            result = run("game", "unseal", played.id, "--reason", REASON, app=played.table.app)
        assert isinstance(result.exception, RuntimeError)
        assert result.output == ""
        assert unsealed(played) == []


# Without breaking it ------------------------------------------------------------------------------


def looks(game: Playing) -> list[tuple[str, ...]]:
    """Every command that shows the operator something of games, mails or players, and some that fail."""
    return [
        *((*words, *flags) for flags in ((), ("--json",)) for words in (
            ("game", "show", game.id), ("game", "list"), ("game", "replay", game.id), ("doctor",), ("player", "list"),
            ("outbox", "list"), ("inbox", "list"), ("outbox", "list", "--game", game.id),
            ("inbox", "list", "--game", game.id),
        )),
        ("game", "replay", game.id, "--step"),
        ("game", "replay", game.id, "--ply", "2"),
        ("game", "replay", game.id, "--ply", "99"),
        ("game", "reinstate", game.id, "--reason", REASON),
        ("game", "substitute", game.id, "9", game.people[1].id, "--reason", REASON),
        ("game", "substitute", game.id, "1", game.people[1].id, "--reason", REASON),
        ("game", "unseal", game.id, "--reason", ""),
        ("game", "unseal", game.id, "--reason", REASON, "--mail", "nothing"),
    ]  # fmt: skip


def test_no_command_shows_a_station_of_mr_x_or_anything_of_a_mail(run, played: Playing):
    """Nor that of an open question: a move of Mr. X's that was nearly understood is kept with its reply address."""
    with played.table.app.app_context(), transaction():
        for token in session.scalars(select(ReplyToken)):
            token.question = {"moves": ["taxi 184"]}
    subjects = {mail["Subject"] for _, mail in played.table.post.sent}
    tokens = {mail["Reply-To"].addresses[0].username.partition("+")[2] for _, mail in played.table.post.sent}
    assert len(tokens - {""}) > 4
    for command in looks(played):
        result = run(*command)
        shown = result.output
        assert shown, command
        assert result.exit_code in (0, 1, 2), (command, result.exception)
        assert not SECRET.search(shown), (command, shown)
        assert not [text for text in (*subjects, *tokens - {""}) if text in shown], command
        assert not re.search(r"green taxi 2\b", shown), "what was sent ahead is the team's"


def test_with_the_wrong_key_commands_fail_without_telling(run, played: Playing):
    for command in looks(played):
        shown = run(*command, SECRET_KEY=KEY + "!").output
        assert not SECRET.search(shown), command


class TestLists:
    """Mails by their envelopes, Mr. X's no more and no less than anybody's."""

    def test_the_outbox_does_not_tell_whether_a_mail_of_his_was_obeyed(self, run, played: Playing):
        played.people[0].reply("underground 1")
        played.table.tick()
        with played.table.app.app_context():
            assert session.scalar(select(Outgoing.id).where(Outgoing.kind == "advice")) is not None
        told = {row["kind"] for row in json.loads(run("outbox", "list", "--json").stdout)}
        assert "answer" in told
        assert "advice" not in told

    def test_the_outbox_shows_envelope_kind_state_and_times(self, run, played: Playing):
        listed = json.loads(run("outbox", "list", "--json").stdout)
        names = ["id", "game", "to", "kind", "state", "attempts", "error", "created_at", "not_before", "sent_at"]
        assert {tuple(row) for row in listed} == {tuple(names)}
        turns = [row for row in listed if row["kind"] == "turn" and row["to"] == "ada@example.org"]
        assert {(row["game"], row["attempts"], row["error"]) for row in turns} == {(played.id, 0, None)}
        assert turns[0]["created_at"] == "2026-11-22T18:00:00Z"

    def test_the_inbox_shows_who_wrote_and_when_and_not_what_became_of_it(self, run, played: Playing):
        played.table.tick()
        listed = json.loads(run("inbox", "list", "--json").stdout)
        assert [(row["from"], row["state"], row["game"]) for row in listed] == [
            ("ada@example.org", "done", played.id)
        ] * 2
        assert {tuple(row) for row in listed} == {
            ("id", "game", "from", "source", "state", "reason", "checked", "attempts", "received_at")
        }

    def test_a_mail_of_mr_x_s_that_was_refused_looks_like_one_that_was_obeyed(self, run, played: Playing):
        played.people[0].reply("taxi 1")
        played.table.tick()
        obeyed, _, wrong = json.loads(run("inbox", "list", "--json").stdout)
        assert {name for name in obeyed if obeyed[name] != wrong[name]} == {"id"}

    def test_the_lists_open_no_sealed_column(self):
        columns = {**envelopes.SENT, **envelopes.RECEIVED}
        assert [name for name, column in columns.items() if isinstance(column.type, Encrypted)] == []

    def test_one_game_may_be_asked_for(self, run, played: Playing):
        other = played.table.game(played.people)
        for box in ("inbox", "outbox"):
            listed = json.loads(run(box, "list", "--game", played.id, "--json").stdout)
            assert {row["game"] for row in listed} == {played.id}
        assert json.loads(run("inbox", "list", "--game", other.id, "--json").stdout) == []
        assert refused(run("inbox", "list", "--game", "nothing")) == "There is no game nothing."

    def test_for_a_person_it_is_a_table(self, run, played: Playing):
        head, first, *_ = run("outbox", "list", "--game", played.id).stdout.splitlines()
        assert head.split() == [
            "id", "game", "to", "kind", "state", "attempts", "error", "created_at", "not_before", "sent_at",
        ]  # fmt: skip
        assert len(first.split()) == 10

    def test_an_empty_list_says_so(self, run, tmp_path: Path):
        assert run("inbox", "list").stdout == "No such mail has come in.\n"
        assert run("outbox", "list", "--json").stdout == "[]\n"

    def test_a_sender_cannot_write_to_the_terminal(self, run, played: Playing):
        played.table.deliver(b"Subject: x\n\nx", "eve\x1b[2J@example.org", "play@localhost")
        assert "eve\\x1b[2j@example.org" in run("inbox", "list").stdout


# A seat that changes hands -------------------------------------------------------------------------


def test_a_seat_is_handed_on_by_id_or_address(run, played: Playing):
    gus, hal = played.table.person("Gus"), played.table.person("Hal")
    told = run("game", "substitute", played.id, "2", gus.id, "--reason", REASON).stdout
    assert told == f"Seat 2 of {played.view()['name']} is Gus's from now on.\n"
    run("game", "substitute", played.id, "3", "HAL@example.org", "--reason", REASON)
    assert [taken["player"] for taken in played.view()["seats"]] == [played.people[0].id, gus.id, hal.id]


def test_a_player_that_there_is_not_is_named(run, played: Playing):
    sentence = refused(run("game", "substitute", played.id, "2", "nobody", "--reason", REASON))
    assert sentence == "There is no player nobody; `blackticket player list` shows ids and addresses."


# Whose mailbox it is -------------------------------------------------------------------------------


def is_mailbox(address: str, folder: Path, settings: dict[str, str]) -> bool:
    """Return whether an address is a mailbox of a server with these settings."""
    known = {"mail_domain": "play.example.org", "operator_email": "me@home.example", "authserv_id": "mx.example.org"}
    given = {"smtp_url": "smtp://127.0.0.1:1"} | known | settings
    environ = {f"BLACKTICKET_{name.upper()}": value for name, value in given.items()}
    return health.mailboxes_of(Settings.from_environ(environ, folder))(address)


@pytest.mark.parametrize(
    ("address", "settings"),
    [
        ("play@play.example.org", {}),
        ("play+ada@play.example.org", {}),
        ("turn@play.example.org", {}),
        ("turn+k7m2q6xw4dlrt3pa@play.example.org", {}),
        ("ada@example.net", {"reply_address": "Ada+{token}@example.net"}),
        ("ada+games@example.net", {"reply_address": "ada+{token}@example.net"}),
        ("ada@example.net", {"play_address": "ada+play@example.net"}),
        ("ada@play.example.org", {"reply_address": "{token}@play.example.org"}),
        ("t-ada@play.example.org", {"reply_address": "t-{token}@{domain}"}),
    ],
)
def test_an_address_is_a_mailbox_of_the_server(tmp_path: Path, address: str, settings: dict[str, str]):
    assert is_mailbox(address, tmp_path, settings)


@pytest.mark.parametrize(
    ("address", "settings"),
    [
        ("ada@play.example.org", {}),
        ("ada@example.net", {}),
        ("turn@example.net", {}),
        ("returns@play.example.org", {}),
        ("turn@play.example.org.example.net", {}),
        ("turn@playxexample.org", {}),
        ("ada@example.net", {"reply_address": "{token}@play.example.org"}),
    ],
)
def test_another_address_is_no_mailbox_of_the_server(tmp_path: Path, address: str, settings: dict[str, str]):
    assert not is_mailbox(address, tmp_path, settings)


def test_the_doctor_prints_a_warning_as_a_sentence(run, played: Playing):
    has_run(played.table)
    readdress(played.table, played.people[1].id, "play@localhost")
    shown = run("doctor").stdout
    assert shown.splitlines()[-1].startswith(
        "Fault: addresses: Ben has the address play@localhost, which is a mailbox of this server"
    )
    assert "faults" not in shown
    assert len(json.loads(run("doctor", "--json").stdout)["faults"]) == 1
