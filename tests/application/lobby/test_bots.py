"""Players of the house hold seats like anybody: they think for a moment, move, and see what their seat sees."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server import bots as house
from server import worker
from server.application.time import deadlines
from server.bots import following, mixing
from server.models import Deadline, Move, session
from server.runtime import runtime
from tests.letters import opened
from tests.table import Playing, Table


def against_the_house(table: Table, role: str = "mr_x", bots: int = 3, **wanted: Any) -> Playing:
    """A running game of Ada's in that role; all other seats are the house's."""
    ada = table.person("Ada")
    mine = {"role": role, "player": ada.id}
    others = [{"role": "detective", "bot": "constable"}] * bots
    seats = [mine, *others] if role == "mr_x" else [{"role": "mr_x", "bot": "fugitive"}, mine, *others[1:]]
    made = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats, **wanted})
    assert made.status_code == 201, made.json
    game = Playing(table, made.json["id"], [ada])
    assert ada.post(f"{game.path}/start").status_code == 200
    return game


def think(table: Table) -> None:
    """Give a bot the time that it thinks about one move."""
    table.clock.turn(seconds=2)
    table.tick()


def until_it_is_my_turn(game: Playing) -> None:
    for _ in range(8):
        if game.legal(game.people[0]) or game.view()["status"] == "over":
            return
        think(game.table)
    raise AssertionError("the house does not move")


@pytest.mark.parametrize("role", ["mr_x", "detective"])
def test_one_person_plays_a_whole_game_against_the_house(table: Table, role: str):
    game = against_the_house(table, role, options={"log_windows": 4})
    while game.view()["status"] == "running":
        until_it_is_my_turn(game)
        if game.view()["status"] == "running":
            assert game.move(game.people[0]).status_code in (201, 202)
    outcome = game.view()["outcome"]
    assert (outcome["reason"] in ("captured", "log_full"), outcome["final"]) == (True, True)


def test_the_house_takes_its_time_and_always_the_same(table: Table):
    ada, ben = table.people(2)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "bot": "constable"}, {"role": "detective"}]
    made = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats, "visibility": "public"})
    game = Playing(table, made.json["id"], [ada, ben])
    assert ben.post(f"{game.path}/seats").status_code == 201
    assert ada.post(f"{game.path}/start").status_code == 200
    game.move(ada)
    table.clock.turn(seconds=1)
    table.tick()
    assert len(game.view()["history"]) == 1
    table.clock.turn(seconds=1)
    table.tick()
    assert len(game.view()["history"]) == 2


def entered(folder: Path, milliseconds: int) -> dict[str, Any]:
    """Return all that two bots leave behind who move on a machine where so much time passes between two steps."""
    table = Table(folder, sandbox="1")
    ada, ben = table.people(2)
    mr_x, detective, bot = ({"role": "mr_x", "player": ada.id}, {"role": "detective"},
                            {"role": "detective", "bot": "constable", "level": "good"})  # fmt: skip
    seats, clock = [mr_x, bot, bot, detective], {"kind": "per_move"}  # the bots' moves begin Ben's turn
    made = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats, "clock": clock})
    game = Playing(table, made.json["id"], [ada, ben])
    assert ben.post(f"{game.path}/seats").status_code == 201
    assert ada.post(f"{game.path}/start").status_code == 200
    game.move(ada)
    table.clock.turn(seconds=2)

    def pass_time() -> datetime:
        table.clock.turn(milliseconds=milliseconds)
        return table.clock.time

    parts = table.app.extensions["blackticket"]
    parts.clock = pass_time
    with table.app.app_context():
        worker.fire_due()
    table.clock.turn(seconds=2)
    with table.app.app_context():
        worker.fire_due()
    parts.clock = table.clock
    table.tick()
    with table.app.app_context():
        moves = [tuple(row) for row in session.execute(select(Move.turn, Move.notation, Move.made_at))]
        timers = {(row.kind, row.began_at, row.due_at) for row in session.scalars(select(Deadline))}
    assert len(moves) == 3
    assert "your turn" in ben.mails[-1]["Subject"]
    events = ben.get(f"{game.path}/events").json["events"]
    mails = [str(opened(letter.raw)["Date"]) + letter.mail.get_body().get_content() for letter in table.post.sent]
    return {"moves": moves, "timers": timers, "events": events, "mails": mails, "view": ben.get(game.path).json}


def test_when_a_move_was_entered_does_not_tell_how_long_the_bot_thought(tmp_path: Path):
    quick, slow = (entered(tmp_path / str(step), step) for step in (1, 150))
    assert slow == quick


def test_a_bot_that_could_not_move_for_an_hour_takes_nothing_from_the_next_player(table: Table):
    """The time of the next turn begins when the move was made, to ten seconds."""
    game = against_the_house(table, "detective", clock={"kind": "per_phase", "detectives": "PT2H"})
    table.clock.turn(hours=1, seconds=7)
    now = table.clock.time
    table.tick()
    due = datetime.fromisoformat(game.view()["due_at"])
    assert now - timedelta(seconds=10) < due - timedelta(hours=2) <= now


def test_a_reader_of_all_events_misses_no_move_that_counts_from_before_they_read(table: Table):
    game = against_the_house(table, "detective")
    ada = game.people[0]
    table.clock.turn(seconds=9)
    ada.post("/games", {"edition": "condensed", "players": 2})  # an event of a moment ago
    read = ada.get("/me/events").json
    assert read["events"][-1]["kind"] == "opened"
    table.tick()
    (moved,) = ada.get(f"/me/events?after={read['next']}").json["events"]
    assert (moved["kind"], moved["game"], moved["at"] < read["events"][-1]["at"]) == ("moved", game.id, True)


def test_all_bots_answer_the_one_person_at_once_and_the_worker_is_woken(table: Table):
    game = against_the_house(table, "detective")
    with table.app.app_context():
        worker.fire_due()
        wake_up = runtime().wake_ups.inbox
        wake_up.clear()
        while game.view()["to_move"] == ["purple"] and game.view()["round"] == 1:
            game.move(game.people[0])
        assert wake_up.is_set()
        worker.fire_due()
    view = game.view()
    assert (view["round"], view["to_move"]) == (2, ["purple"])


def test_a_constable_is_shown_what_a_detective_is_shown(table: Table, monkeypatch: pytest.MonkeyPatch):
    shown = []
    choose = house.choose

    def look(name: str, view: Any, *rest: Any) -> Any:
        shown.append((name, view))
        return choose(name, view, *rest)

    monkeypatch.setattr(house, "choose", look)
    game = against_the_house(table)
    move = next(notation for notation in game.legal(game.people[0]) if "double" not in notation)
    game.move(game.people[0], move)
    think(table)
    name, view = shown[0]
    assert name == "constable"
    assert view["history"] == [f"{move.split()[0]} ?"]
    assert "mr_x" not in view["starts"]


# Levels and seeds -----------------------------------------------------------------------------------------


def test_a_bot_has_a_level_and_is_fair_without_one(table: Table):
    seats = [{"role": "detective", "bot": "constable"}, {"role": "detective", "bot": "constable", "level": "good"}]
    ada = table.person("Ada")
    made = ada.post("/games", {"edition": "ravensburger-2000", "seats": [{"role": "mr_x"}, *seats]}).json
    assert [seat["level"] for seat in made["seats"]] == [None, "fair", "good"]
    put = ada.request("PUT", f"/games/{made['id']}/seats/1", json={"bot": "fugitive", "level": "easy"}).json
    assert (put["seats"][0]["bot"], put["seats"][0]["level"]) == ("fugitive", "easy")


@pytest.mark.parametrize(
    ("seat", "why"),
    [
        ({"bot": "constable", "level": "hard"}, "level: Must be one of: easy, fair, good."),
        ({"level": "good"}, "level: only a bot has one."),
        ({"invite": "ben@example.org", "level": "good"}, "level: only a bot has one."),
    ],
)
def test_a_level_that_there_is_not_is_refused(table: Table, seat: dict[str, str], why: str):
    seats = [{"role": "mr_x"}, {"role": "detective"}, {"role": "detective", **seat}]
    answer = table.person("Ada").post("/games", {"edition": "ravensburger-2000", "seats": seats})
    assert answer.status_code == 422
    assert why in answer.json["detail"]


def test_a_bot_plays_at_its_level(table: Table, monkeypatch: pytest.MonkeyPatch):
    asked = []

    def look(name: str, view: Any, moves: Any, rng: Any, level: str) -> Any:
        asked.append((name, level))
        return moves[0]

    monkeypatch.setattr(house, "choose", look)
    seats = [{"role": "detective", "bot": "constable", "level": level} for level in ("easy", "good")]
    ada = table.person("Ada")
    wanted = {"edition": "ravensburger-2000", "seats": [{"role": "mr_x", "player": ada.id}, *seats]}
    made = ada.post("/games", wanted)
    playing = Playing(table, made.json["id"], [ada])
    assert ada.post(f"{playing.path}/start").status_code == 200
    playing.move(ada)
    until_it_is_my_turn(playing)
    assert set(asked) == {("constable", "easy"), ("constable", "good")}


def seeded(table: Table, who: Any, seed: str, role: str = "detective") -> Playing:
    """A practice game with a seed, which has begun, and in which Mr. X and the first detectives have moved."""
    others = [{"role": "detective", "bot": "constable", "level": "good"}] * 2
    mine = {"role": role, "player": who.id}
    mr_x = {"role": "mr_x", "bot": "fugitive", "level": "good"}
    seats = [mr_x, *others, mine] if role == "detective" else [mine, *others]
    made = who.post("/games", {"edition": "milton-bradley-1985", "seats": seats, "seed": seed})
    assert made.status_code == 201, made.json
    game = Playing(table, made.json["id"], [who])
    assert who.post(f"{game.path}/start").status_code == 200
    table.tick()
    return game


def test_games_with_one_seed_are_dealt_alike_and_bots_draw_alike_in_them(table: Table):
    ada, ben = table.people(2)
    first, again, other = (seeded(table, who, seed) for who, seed in ((ada, "7"), (ben, "7"), (ada, "8")))
    assert len(first.view()["history"]) > 1
    for fact in ("starts", "history"):
        assert first.view()[fact] == again.view()[fact]
    assert first.view()["starts"] != other.view()["starts"]


def test_a_seed_is_for_a_game_against_bots_alone(table: Table):
    """Otherwise its host could play the deal before the others do."""
    ada = table.person("Ada")
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective"}, {"role": "detective", "bot": "constable"}]
    refused = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats, "seed": "7"})
    assert refused.status_code == 422
    assert "seed: only a game of one player against bots has one" in refused.json["detail"]


def test_a_seed_counts_for_nothing_once_somebody_has_joined(table: Table):
    ada, ben = table.people(2)
    starts = []
    for _ in range(2):
        seats = [{"role": "mr_x", "player": ada.id}] + [{"role": "detective", "bot": "constable"}] * 2
        made = ada.post("/games", {"edition": "milton-bradley-1985", "seats": seats, "seed": "7"}).json
        path = f"/games/{made['id']}"
        assert ada.request("DELETE", f"{path}/seats/3").status_code == 200
        assert ben.post(f"{path}/seats", {"code": made["code"]}).status_code == 201
        assert ada.post(f"{path}/start").status_code == 200
        starts.append(ada.get(path).json["starts"])
    assert starts[0] != starts[1]


@pytest.mark.parametrize("role", ["mr_x", "detective"])
def test_what_a_bot_chooses_is_worked_out_before_the_game_is_locked(table: Table, role: str):
    """In the transaction everything that follows from public facts is there already."""
    game = against_the_house(table, role)
    if role == "mr_x":
        game.move(game.people[0])
    with table.app.app_context():
        row = session.query(Deadline).filter(Deadline.kind == "move", Deadline.state == "armed").one()
        deadlines.think_ahead(row.id)
        worked_out = [kept.cache_info().misses for kept in (mixing._choices, following._moved)]
        assert deadlines.fire(row.id)
        assert [kept.cache_info().misses for kept in (mixing._choices, following._moved)] == worked_out
    assert len(game.view()["history"]) == 1 + (role == "mr_x")


def test_a_late_detectives_pawns_are_moved_by_the_deduction_alone(table: Table, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(house, "choose", None)
    game = table.dealt(4)
    game.play_round()
    game.move(game.people[0])
    views = game.view()
    table.clock.turn(days=3)
    table.tick()
    for _ in range(3):
        table.clock.turn(days=3)
        table.tick()
    assert len(game.view()["history"]) > len(views["history"])


def test_thinking_ahead_of_a_game_that_has_gone_on_changes_nothing(table: Table):
    game = against_the_house(table, "detective")
    with table.app.app_context():
        row = session.query(Deadline).filter(Deadline.kind == "move", Deadline.state == "armed").one()
        assert deadlines.fire(row.id)
        deadlines.think_ahead(row.id)
        deadlines.think_ahead("nothing")
        assert not deadlines.fire(row.id)
    assert len(game.view()["history"]) == 1
