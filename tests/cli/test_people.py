"""`blackticket abuse`, `network`, and `game end` for a game that has not begun."""

from server.application.people.accounts import abuse_reports
from server.models import Player, session
from tests.cli.test_operator import Run, facts, refused, run  # noqa: F401 a fixture
from tests.table import Table


def test_a_report_is_listed_and_settled(run: Run, table: Table):  # noqa: F811
    ada, ben = table.people(2)
    game = ada.post("/games", {"edition": "condensed", "players": 3}).json["id"]
    ada.post(f"/games/{game}/seats", {"seat": 1})
    assert run("abuse", "list").stdout == "No report waits.\n"
    with table.app.app_context():
        abuse_reports.report_name(game, session.get_one(Player, ben.id), 1)
    (report,) = facts(run, "abuse", "list")
    assert (report["kind"], report["about"], report["reporter"]) == ("name", "Ada", "Ben")
    assert f"Ben on the name Ada ({ada.id}), game {game}, {report['at']}\n" in run("abuse", "list").stdout
    assert ada.request("PATCH", "/me", json={"name": "Good Soul"}).status_code == 200
    assert f"the name Ada ({ada.id}, called Good Soul now), game" in run("abuse", "list").stdout
    assert "is settled" in run("abuse", "settle", report["id"]).stdout
    assert facts(run, "abuse", "list") == []
    assert "no such report" in refused(run, "abuse", "settle", report["id"])


def test_a_network_is_blocked_listed_and_unblocked(run: Run):  # noqa: F811
    assert run("network", "list").stdout == "No network is blocked.\n"
    made = facts(run, "network", "block", "203.0.113.9/24", "--for", "P30D")
    assert made["network"] == "203.0.113.0/24"
    assert facts(run, "network", "list") == [made]
    assert "203.0.113.0/24 is not blocked any more" in run("network", "unblock", "203.0.113.0/24").stdout
    assert "is not blocked" in refused(run, "network", "unblock", "203.0.113.0/24")
    assert "cannot be blocked" in refused(run, "network", "block", "127.0.0.1")


def test_game_end_closes_a_game_that_has_not_begun(run: Run, table: Table):  # noqa: F811
    game = table.person("Ada").post("/games", {"edition": "condensed", "players": 3}).json["id"]
    ended = facts(run, "game", "end", game, "--reason", "a mistake")
    assert (ended["status"], ended["final_at"]) == ("over", None)
    assert "nothing to be ended" in refused(run, "game", "end", game, "--reason", "once more")
