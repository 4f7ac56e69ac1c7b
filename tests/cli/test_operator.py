"""Commands of the operator: players, tokens, addresses, mails, deadlines, and games by label."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.application.lists import reports
from server.cli import main
from server.models import Incoming, Outgoing, session, transaction
from tests.injected import for_command
from tests.scenes import hunt
from tests.table import Playing, Table

Run = Callable[..., Result]


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


@pytest.fixture
def run(table: Table) -> Run:
    """Runs a command on the application of the test."""

    def run(*arguments: str, **more: Any) -> Result:
        return CliRunner().invoke(main, arguments, prog_name="blackticket", obj=for_command(table.app), **more)

    return run


def facts(run: Run, *arguments: str, **more: Any) -> Any:
    result = run(*arguments, "--json", **more)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refused(run: Run, *arguments: str) -> str:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    return result.stderr


def test_the_operator_calls_a_player_something_else(table: Table, run: Run):
    ada = table.person("Ada")
    assert facts(run, "player", "rename", "ada@example.org", "Ada L.") == {"id": ada.id, "name": "Ada L."}
    assert "1 to 40 characters" in refused(run, "player", "rename", ada.id, " ")
    assert ada.get("/me").json["name"] == "Ada L."


def set_state(table: Table, kind: type[Incoming | Outgoing], state: str) -> str:
    """Give one row of a table a state; its id."""
    with table.app.app_context(), transaction():
        row = session.query(kind).first()
        row.state, row.attempts = state, 3
        return row.id


# Players


def test_a_player_is_shown_with_addresses_settings_tokens_and_games(run: Run, hunted: Playing):
    ben = hunted.people[1]
    shown = facts(run, "player", "show", ben.address)
    assert (shown["id"], shown["zone"], shown["mail"], shown["hold"]) == (ben.id, "Europe/London", "usual", "doubtful")
    assert [row["email"] for row in shown["addresses"]] == [ben.address]
    assert [sorted(token) for token in shown["tokens"]] == [["created_at", "expires_at", "id", "name", "scopes"]]
    assert [(row["id"], row["seat"]) for row in shown["games"]] == [(hunted.id, 2)]
    assert "games:\n  " in run("player", "show", ben.id).stdout


def test_players_are_imported_from_standard_input_and_from_a_file(run: Run, tmp_path):
    text = "name,email\nGwen,gwen@example.org\n"
    (made,) = facts(run, "player", "import", "-", input=text)
    assert made["token"].startswith("bt_")
    file = tmp_path / "list.csv"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert run("player", "import", str(file)).stdout.endswith("already.\n")
    file.write_bytes(b"Gwen,\xff")
    assert "is no text" in refused(run, "player", "import", str(file))
    assert "cannot be read" in refused(run, "player", "import", str(tmp_path / "none.csv"))


def test_an_address_that_the_operator_vouches_for_can_be_the_primary_one(run: Run, table: Table):
    ada, _ = table.people(2)
    assert facts(run, "player", "address", "add", ada.id, "ada@work.example")["primary"] is False
    assert facts(run, "player", "address", "add", ada.id, "ada@work.example", "--primary")["primary"] is True
    assert "belongs to a player already" in refused(run, "player", "address", "add", ada.id, "ben@example.org")
    assert "nobody's address any more" in run("player", "address", "remove", ada.address).stdout
    assert "the primary address" in refused(run, "player", "address", "remove", "ada@work.example")


# Mails


def test_a_dead_letter_is_sent_again(run: Run, hunted: Playing):
    mail_id = set_state(hunted.table, Outgoing, "dead")
    assert [row["id"] for row in facts(run, "outbox", "list", "--state", "dead")] == [mail_id]
    assert facts(run, "outbox", "retry", mail_id)["state"] == "pending"
    assert (facts(run, "outbox", "show", mail_id)["attempts"], "attempts: 0") == (0, "attempts: 0")
    sent = len(hunted.table.post.sent)
    hunted.table.tick()
    assert facts(run, "outbox", "show", mail_id)["state"] in ("sent", "superseded")
    assert len(hunted.table.post.sent) in (sent, sent + 1)
    assert "only a dead or a waiting one can be sent now" in refused(run, "outbox", "retry", mail_id)
    assert "There is no mail aaaa" in refused(run, "outbox", "retry", "aaaa")


def test_a_mail_that_was_set_aside_is_read_again_and_counts_as_of_when_it_came(run: Run, hunted: Playing):
    ben = hunted.people[1]
    ben.reply("taxi 115")
    mail_id = set_state(hunted.table, Incoming, "aside")
    hunted.table.tick()
    assert len(hunted.view()["history"]) == 1
    assert facts(run, "inbox", "retry", mail_id)["state"] == "new"
    hunted.table.tick()
    assert hunted.view()["history"][-1] == "purple taxi 115"
    assert "only what is set aside and kept" in refused(run, "inbox", "retry", mail_id)


# Deadlines and games


def test_deadlines_are_listed_the_next_first_and_those_that_are_due(run: Run, hunted: Playing):
    rows = facts(run, "deadline", "list")
    assert [(row["kind"], row["due_at"]) for row in rows] == [
        ("reminder", "2026-11-24T06:00:00Z"), ("timeout", "2026-11-24T18:00:00Z"),
    ]  # fmt: skip
    assert facts(run, "deadline", "list", "--due") == []
    hunted.table.clock.turn(hours=37)
    assert [row["kind"] for row in facts(run, "deadline", "list", "--due")] == ["reminder"]


def test_a_vote_is_among_the_deadlines_while_it_is_open(run: Run, hunted: Playing):
    def kinds() -> list[str]:
        return [row["kind"] for row in facts(run, "deadline", "list")]

    hunted.people[1].post(f"{hunted.path}/votes", {"kind": "pause"})
    motion = hunted.people[1].get(f"{hunted.path}/votes").json["votes"][0]["id"]
    assert "vote" in kinds()
    for person in hunted.people[2:5]:
        person.post(f"{hunted.path}/votes/{motion}", {"for": True})
    assert hunted.people[1].get(f"{hunted.path}/votes").json["votes"] == []
    assert "vote" not in kinds()


def test_a_deadline_is_extended_a_host_appointed_and_a_game_ended_and_taken_up(run: Run, hunted: Playing):
    why = ("--reason", "the relay was down")
    assert facts(run, "deadline", "extend", hunted.id, "P1D", *why)["due_at"] == "2026-11-25T18:00:00Z"
    for length, due_at in (("2 days", "2026-11-27T18:00:00Z"), ("12 hours", "2026-11-28T06:00:00Z")):
        assert facts(run, "deadline", "extend", hunted.id, length, *why)["due_at"] == due_at
    assert facts(run, "game", "host", hunted.id, "3", *why)["host"] == hunted.people[2].id
    assert facts(run, "game", "end", hunted.id, *why)["status"] == "over"
    assert facts(run, "game", "reinstate", hunted.id, *why)["status"] == "running"
    assert "not a duration" in refused(run, "deadline", "extend", hunted.id, "soon", *why)
    assert "names nobody" in refused(run, "game", "end", hunted.id, "--reason", "Cleo cheats")


def test_the_table_of_a_label_is_shown_as_text_json_and_csv(run: Run, table: Table):
    ada, ben = table.people(2)
    game = table.game([ada, ben], "condensed", label="cup")
    table.clock.turn(hours=50)
    table.tick()
    (found,) = facts(run, "game", "table", "cup")["games"]
    assert (found["game"], [seat["player_name"] for seat in found["waits_for"]]) == (game.id, ["Ada"])
    (row,) = csv.DictReader(io.StringIO(run("game", "table", "cup", "--csv", "games").stdout, newline=""))
    assert (row["mr_x"], row["detective_2"]) == ("Ada", "Ben")
    rows = csv.DictReader(io.StringIO(run("game", "table", "cup", "--csv", "players").stdout, newline=""))
    assert {row["player_name"]: row["missed"] for row in rows} == {"Ada": "1", "Ben": "0"}
    shown = run("game", "table", "cup").stdout
    assert game.view()["name"] in shown
    assert reports.RULES[0] in shown
    assert "not started" not in shown
    ada.post("/games", {"edition": "condensed", "label": "cup"})
    assert "not started" in run("game", "table", "cup").stdout
    assert "no game with this label" in run("game", "table", "league").stderr
