"""The clock of a game: which ones there are, and the moments they give."""

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from blackticket.standalone import verifier
from server import worker
from server.models import Event, Game, Outgoing, session, transaction
from tests.kept import again
from tests.positions import position
from tests.scenes import text_of
from tests.table import Playing, Table


def forfeit(game: Playing) -> None:
    """Mr. X lets his time run out twice."""
    for _ in range(2):
        game.table.clock.turn(days=2)
        look(game.table)


def look(table: Table) -> None:
    with table.app.app_context():
        worker.fire_and_read()


def kinds(game: Playing, table: type[Event] | type[Outgoing]) -> list[str]:
    """The kinds of what came after the grant."""
    with game.table.app.app_context():
        found = session.scalars(select(table.kind).where(table.game_id == game.id, table.kind.in_(("ended", "final"))))
        return list(found)


def final_at(game: Playing) -> Any:
    return game.view(game.people[1])["outcome"]["final_at"]


def test_a_forfeit_is_provisional_for_as_long_as_the_clock_says(table: Table):
    game = table.game(table.people(2), edition="condensed", clock={"provisional": "PT6H"})
    forfeit(game)
    assert final_at(game) == "2026-11-27T00:00:00Z"
    table.clock.turn(hours=6, seconds=-1)
    look(table)
    assert game.view()["outcome"]["final"] is False
    table.clock.turn(seconds=1)
    look(table)
    assert game.view()["outcome"]["final"] is True


def test_the_mail_of_the_end_says_until_when_it_is_provisional(table: Table):
    game = table.game(table.people(2), edition="condensed", clock={"provisional": "PT6H"})
    forfeit(game)
    table.tick()
    text = " ".join(text_of(game.people[1].mails[-1]).split())
    assert "The result is provisional until Friday 27 November, 00:00 in London" in text


def test_a_game_of_before_there_was_a_choice_has_its_day(table: Table):
    game = table.dealt(2, edition="condensed")
    with table.app.app_context(), transaction():
        row = session.get_one(Game, game.id)
        row.clock = {name: value for name, value in row.clock.items() if name != "provisional"}
    forfeit(game)
    assert final_at(game) == "2026-11-27T18:00:00Z"
    table.tick()
    assert "until Friday 27 November, 18:00" in " ".join(text_of(game.people[1].mails[-1]).split())


def _over(table: Table) -> Playing:
    game = table.game(table.people(2), edition="condensed", clock={"provisional": "PT0S"})
    forfeit(game)
    return game


class TestFinalAtOnce:
    """With no time for it nothing is provisional: the end opens everything, and one mail says so."""

    @pytest.fixture
    def over(self, table: Table) -> Playing:
        return again(table, _over, "final at once")

    def test_a_forfeit_is_final_and_the_log_is_open(self, over: Playing):
        view = over.view(over.people[1])
        assert view["outcome"] == {
            "winner": "detectives", "reason": "out_of_time", "final": True, "final_at": None,
        }  # fmt: skip
        assert "mr_x" in view["starts"]

    def test_one_event_says_it_and_opens_the_seal(self, over: Playing):
        assert kinds(over, Event) == ["ended"]
        transcript = over.people[1].get(f"{over.path}/transcript").json
        assert "opening" in transcript["events"][-1]["data"]

    def test_a_capture_by_the_house_is_final_as_well(self, table: Table):
        game = caught_by_the_house(table, "PT0S")
        outcome = game.view(game.people[1])["outcome"]
        assert (outcome["reason"], outcome["final"]) == ("captured", True)
        assert [entry["station"] for entry in game.view(game.people[1])["log"]] == [91, 105]

    def test_the_verifier_takes_such_an_end_for_what_it_is(self, table: Table, tmp_path: Path):
        game = caught_by_the_house(table, "PT0S")
        transcript = tmp_path / "transcript.json"
        transcript.write_text(game.people[1].get(f"{game.path}/transcript").text)
        status, facts, _ = verifier.examine([str(transcript)])
        assert (status, facts["opened"]) == (0, True)


def caught_by_the_house(table: Table, length: str) -> Playing:
    """Mr. X went unseen from 72 by 91 to 105; red sleeps on 106, from where the only way that is free leads to him."""
    game = table.game(
        table.people(3), clock={"provisional": length}, options={"surfacing": [9]},
        position=position(72, purple=(107, {"taxi": 0, "bus": 0, "underground": 0}), red=(105, {"taxi": 9})),
    )  # fmt: skip
    ada, _, cleo = game.people
    for person, move in ((ada, "taxi 91"), (cleo, "red taxi 106"), (ada, "taxi 105")):
        assert game.move(person, move).status_code == 201
    table.clock.turn(days=2)
    look(table)
    return game


def test_a_capture_by_the_house_shows_its_station_and_no_other_until_it_is_final(table: Table):
    game = caught_by_the_house(table, "PT6H")
    view = game.view(game.people[1])
    assert (view["outcome"]["reason"], view["outcome"]["final"]) == ("captured", False)
    assert view["pawns"]["mr_x"]["station"] == 105
    assert [entry["station"] for entry in view["log"]][:-1] == [None]
    assert "mr_x" not in view["starts"]
    table.tick()
    seen = [str(view["log"] + view["history"]), game.people[1].get(f"{game.path}/record").json["moves"]]
    seen += [event["data"] for event in game.people[1].get(f"{game.path}/transcript").json["events"]]
    seen.append(text_of(game.people[1].mails[-1]))
    assert not [text for text in seen if re.search(r"\b(72|91)\b", str(text))]
    table.clock.turn(hours=6)
    look(table)
    assert [entry["station"] for entry in game.view(game.people[1])["log"]] == [91, 105]
