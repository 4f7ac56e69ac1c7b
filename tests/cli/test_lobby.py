"""`game new`, `invite`, `join`, `leave`, `start`, `rematch`: the operator does for players what they can do."""

import json
import re
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli import main
from tests.injected import for_command
from tests.rows import for_each
from tests.table import Person, Table
from tests.web.game.test_invitation import sits_down
from tests.web.game.test_page import Browser


@pytest.fixture(autouse=True)
def ada(table: Table) -> Person:
    """Ada, and Ben and Cleo too."""
    return table.people(3)[0]


def run(table: Table, *arguments: str) -> Result:
    """A `game` command on the application of the test."""
    return CliRunner().invoke(main, ("game", *arguments), prog_name="blackticket", obj=for_command(table.app))


def facts(table: Table, *arguments: str) -> dict[str, Any]:
    result = run(table, *arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def seats(game: dict[str, Any]) -> list[str]:
    return [seat["bot"] or seat["state"] for seat in game["seats"]]


def test_a_game_is_opened_filled_played_and_played_again(table: Table):
    wanted = ("--edition", "condensed", "--as", "mr_x", "--invite", "ben@example.org", "--invite", "constable")
    more = ("--option", "cut_off=true", "--label", "league", "--visibility", "private", "--seating", "chosen")
    game = facts(table, "new", "ada@example.org", "--players", "4", *wanted, *more)
    assert seats(game) == ["taken", "invited", "constable", "open"]
    assert (game["options"]["cut_off"], game["label"], len(game["code"])) == (True, "league", 16)
    table.tick()
    assert table.post.of("ben@example.org")[0]["Subject"].endswith("is reserved for you")
    path = game["id"]
    assert seats(facts(table, "join", path, "ben@example.org")) == ["taken", "taken", "constable", "open"]
    assert seats(facts(table, "leave", path, "ada@example.org", "--seat", "2"))[1] == "open"
    assert seats(facts(table, "invite", path, "anna@example.org", "--seat", "4"))[3] == "invited"
    assert "anna@" not in json.dumps(facts(table, "show", path)), "the operator sees what a spectator sees"
    assert seats(facts(table, "leave", path, "ada@example.org", "--seat", "4"))[3] == "open"
    assert "seat 2 (Purple) and seat 4 (Green) are open" in run(table, "start", path).stderr
    for seat in ("2", "4"):
        facts(table, "invite", path, "constable", "--seat", seat)
    assert facts(table, "start", path)["status"] == "running"
    assert "This game is not over" in run(table, "rematch", path, "ada@example.org").stderr


def test_who_opens_a_game_is_given_the_link_to_take_a_seat(table: Table):
    opened = run(table, "new", "ada@example.org", "--edition", "condensed", "--as", "mr_x", "--players", "3")
    (path,) = re.findall(r"http://127\.0\.0\.1:\d+(/join/\w+)\n", opened.stdout)
    page = Browser(table, table.person("Zoe")).get(path)
    assert (page.status_code, "Take" in page.text) == (200, True)
    facts_ = facts(table, "new", "ada@example.org", "--edition", "condensed", "--as", "mr_x")
    assert facts_["link"].endswith(f"/join/{facts_['code']}")


def test_a_game_is_named_and_its_guests_are_ruled_when_it_is_opened_and_later(table: Table):
    rules = ("--guests", "any", "--guests", "talk=false")
    game = facts(table, "new", "ada@example.org", "--edition", "1985", "--name", "Friday night", *rules)
    assert (game["name"], game["edition"]) == ("Friday night", "milton-bradley-1985")
    assert (game["guests"]["seats"], game["guests"]["talk"], game["guests"]["stay"]) == ("any", False, "P7D")
    changed = facts(table, "change", game["id"], "--name", "Sunday", "--public", "--guests", "stay=P3D")
    assert (changed["name"], changed["visibility"], changed["guests"]["stay"]) == ("Sunday", "public", "P3D")


def test_a_host_is_reminded_for_a_game_is_closed_and_a_link_is_made(table: Table, ada: Person):
    game = facts(table, "new", "ada@example.org", "--edition", "condensed", "--invite", "kim@example.org")
    table.clock.turn(days=1, seconds=1)
    run(table, "remind", game["id"], "1")
    table.tick()
    assert len(table.post.of("kim@example.org")) == 2
    assert "no guest sits on seat 1" in run(table, "link", game["id"], "1").stderr
    assert "is closed" in run(table, "close", game["id"]).stdout
    assert facts(table, "show", game["id"])["status"] == "over"


def test_a_link_for_a_guest_opens_their_seat_in_another_browser(table: Table, ada: Person):
    game = facts(table, "new", "ada@example.org", "--edition", "condensed", "--players", "2")
    facts(table, "join", game["id"], "ben@example.org", "--as", "mr_x")
    sits_down(table, game | {"join": f"/join/{game['code']}"}, "Dora")
    facts(table, "start", game["id"])
    made = facts(table, "link", game["id"], "2")
    assert made["name"] == "Dora"
    assert Browser(table).post(made["link"][made["link"].index("/continue/") :]).status_code == 303


def test_practice_takes_words_for_an_edition_and_options(table: Table):
    wanted = ("--edition", "1985", "--option", "max_rounds=20", "--players", "3")
    game = facts(table, "practice", "ada@example.org", *wanted)
    assert (game["edition"], game["options"]["max_rounds"]) == ("milton-bradley-1985", 20)


def test_a_rematch_is_opened_for_a_player(table: Table, ada: Person):
    game = facts(table, "new", "ada@example.org", "--edition", "condensed", "--as", "mr_x", "--invite", "constable")
    facts(table, "start", game["id"])
    assert ada.post(f"/games/{game['id']}/resign").status_code == 200
    again = facts(table, "rematch", game["id"], "ada@example.org")
    assert seats(again) == ["taken", "constable"]
    assert "The rematch is" in run(table, "rematch", game["id"], "ada@example.org").stdout


@for_each(
    "arguments, why",
    [
        (("new", "nobody@example.org"), "There is no player"),
        (("new", "ada@example.org", "--edition", "none"), "edition"),
        (("new", "ada@example.org", "--invite", "Eve"), "Nobody of those you have met"),
        (("new", "ada@example.org", "--clock", "{"), "--clock: that is not JSON."),
        (("new", "ada@example.org", "--option", "fast=1"), "fast"),
        (("new", "ada@example.org", "--as", "mr_x", "--invite", "fugitive"), "no further seat for fugitive"),
        (("invite", "aaaa", "constable"), "There is no game aaaa"),
        (("start", "aaaa"), "There is no game aaaa"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(table: Table, arguments: tuple[str, ...], why: str):
    result = run(table, *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert why in result.stderr
    assert facts(table, "list") == []
