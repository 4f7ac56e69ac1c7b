"""Try again: a practice game that begins with the first moves of a game that is over."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from blackticket.standalone import verifier
from server import engine
from server.application.game.look import look_at_any
from server.application.game.state import rebuild
from server.application.people.accounts import guests
from server.models import Game, session, transaction
from tests.positions import position
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser

OPTIONS: dict[str, dict[str, Any]] = {
    "milton-bradley-1985": {"cut_off": True, "voluntary_surfacing": True},
    "ravensburger-2000": {"cut_off": True},
    "condensed": {},
    "ravensburger-2013": {"deduction": False},
}


def given_up(table: Table, edition: str, players: int, moves: int, **wanted: Any) -> Playing:
    """A game that Mr. X gave up after so many moves, of which each was drawn."""
    game = table.game(table.people(players), edition, **wanted)
    drawn = random.Random(edition)
    for _ in range(moves):
        mover = game.mover()
        (pawn, *_), legal = game.view()["to_move"], game.legal(mover)
        own = legal if pawn == "mr_x" else [notation for notation in legal if notation.startswith(pawn)]
        assert game.move(mover, drawn.choice(own)).status_code == 201
    assert game.people[0].post(f"{game.path}/resign").status_code == 200
    return game


def again(game: Playing, person: Person, ply: int, side: str, **wanted: Any) -> Playing:
    made = person.post(f"{game.path}/again", {"ply": ply, "side": side, **wanted})
    assert made.status_code == 201, made.json
    assert made.headers["Location"].endswith(f"/api/v1/games/{made.json['id']}")
    return Playing(game.table, made.json["id"], [person])


def refused(game: Playing, person: Person, ply: int, side: str = "mr_x") -> tuple[int, str]:
    answer = person.post(f"{game.path}/again", {"ply": ply, "side": side})
    return answer.status_code, answer.json["detail"]


def stands(game: Playing, viewer: str, moves: int | None = None) -> dict[str, Any]:
    """All that a viewer knows of the board of a game after so many moves."""
    with game.table.app.app_context():
        state = rebuild(look_at_any(game.id), moves).copy()
        view: dict[str, Any] = {**state.view(viewer)}
        for name in ("options", "players", "seats"):
            view.pop(name, None)
        for pawn in view["pawns"].values():
            pawn.pop("seat", None)
        del view["to_move"]
        return view | {"deduced": engine.deduce(state.view(viewer))}


def choices(game: Playing, moves: int | None = None) -> set[str]:
    """All moves that may come then."""
    with game.table.app.app_context():
        return set(map(str, rebuild(look_at_any(game.id), moves).copy().legal_moves()))


def verified(game: Playing, folder: Path) -> int:
    path = folder / f"{game.id}.json"
    path.write_text(json.dumps(game.people[0].get(f"{game.path}/transcript").json))
    return verifier.examine([str(path)])[0]


def play_a_round_and_resign(game: Playing) -> None:
    (person,) = game.people
    first = view = game.view()
    while view["status"] == "running" and view["round"] <= first["round"] + 1:
        if legal := game.legal(person):
            assert game.move(person, legal[0]).status_code == 201
        else:
            game.table.tick()
            assert game.view()["turn"] > view["turn"], "bots move at once"
        view = game.view()
    if view["status"] == "running":
        assert person.post(f"{game.path}/resign").status_code == 200
    assert game.view()["outcome"]["final"]


@pytest.mark.parametrize(
    ("edition", "players", "moves"),
    [("milton-bradley-1985", 3, 20), ("milton-bradley-1985", 6, 15), ("ravensburger-2000", 4, 14),
     ("condensed", 2, 13), ("ravensburger-2013", 5, 12)],
)  # fmt: skip
def test_all_is_as_it_was_at_that_moment_on_both_sides(
    table: Table, edition: str, players: int, moves: int, tmp_path: Path
):
    game = given_up(table, edition, players, moves, options=OPTIONS[edition])
    ben = game.people[1]
    for ply in (0, 1, moves // 2, moves):
        for side, role in (("mr_x", "mr_x"), ("detectives", "purple")):
            new = again(game, ben, ply, side)
            for viewer in ("spectator", "mr_x", "purple"):
                assert stands(new, viewer) == stands(game, viewer, ply), (ply, side, viewer)
            # In the edition of 1985 a player moves all own pawns in any order.
            assert choices(new) >= choices(game, ply) if side == "detectives" else choices(new) == choices(game, ply)
            seats = new.view(ben)["seats"]
            (own,) = [seat for seat in seats if seat["player"] == ben.id]
            assert own["pawns"][0] == role
            assert side == "mr_x" or len(seats) == 2
            assert all(seat["bot"] for seat in seats if seat is not own)
    play_a_round_and_resign(new)
    assert verified(new, tmp_path) == 0


def test_the_new_game_has_a_seal_of_its_own_and_a_deck_that_opens(table: Table, tmp_path: Path):
    game = given_up(table, "ravensburger-2000", 4, 9)
    new = again(game, game.people[0], 9, "mr_x")
    ours, theirs = (each.people[0].get(f"{each.path}/transcript").json for each in (new, game))
    assert {ours["head"], ours["header"]["start"], ours["header"]["deck"]}.isdisjoint(
        {theirs["head"], theirs["header"]["start"], theirs["header"]["deck"]}
    )
    assert ours["header"]["starts"] == theirs["header"]["starts"]
    assert new.people[0].post(f"{new.path}/resign").status_code == 200
    assert verified(new, tmp_path) == 0
    (opened,) = [event["data"]["opening"] for event in transcript(new)["events"] if "opening" in event["data"]]
    (before,) = [event["data"]["opening"] for event in transcript(game)["events"] if "opening" in event["data"]]
    assert opened["key"] != before["key"]
    assert opened["deck"] != before["deck"]
    assert opened["stations"] == before["stations"]


def transcript(game: Playing) -> dict[str, Any]:
    found: dict[str, Any] = game.people[0].get(f"{game.path}/transcript").json
    return found


def test_nothing_that_came_later_is_in_the_new_game(table: Table):
    game = given_up(table, "ravensburger-2000", 4, 12)
    ben = game.people[1]
    new = again(game, ben, 5, "detectives")
    with table.app.app_context():
        assert [str(move) for move in rebuild(look_at_any(new.id)).history] == [
            str(move) for move in rebuild(look_at_any(game.id)).history[:5]
        ]
    assert new.view(ben)["pawns"]["mr_x"]["station"] is None
    assert ben.get(f"{new.path}/record").json["moves"] == projected(ben, game, 5)


def projected(person: Person, game: Playing, moves: int) -> list[list[str]]:
    """The first moves of a game that is over, as everybody saw them then."""
    with game.table.app.app_context():
        return rebuild(look_at_any(game.id), moves).copy().record_json("spectator")["moves"]


def test_nobody_gets_a_mail_for_the_moves_of_then_but_for_the_turn_that_comes(table: Table):
    game = given_up(table, "ravensburger-2000", 4, 9)
    table.tick()
    before = [len(person.mails) for person in game.people]
    game.people[1].request("PATCH", "/me/preferences", json={"moves": True})
    new = again(game, game.people[1], 8, "detectives")
    for _ in range(6):
        table.tick()
    got = [person.mails[number:] for person, number in zip(game.people, before, strict=True)]
    assert [len(mails) for mails in got] == [0, 1, 0, 0]
    assert new.view()["name"] in got[1][0]["Subject"]
    assert "Purple, Red and Green" in got[1][0].get_body().get_content()


def test_a_moment_after_the_end_is_refused_with_those_that_there_are(table: Table):
    game = given_up(table, "ravensburger-2000", 4, 6)
    assert refused(game, game.people[1], 7) == (
        422,
        "ply: a number of moves from 0 to 6; then the game was over.",
    )
    assert refused(game, game.people[1], 100_000)[0] == 422
    assert refused(game, game.people[1], -1)[0] == 422


def test_the_moment_at_which_mr_x_was_caught_is_none_to_go_on_from(tmp_path: Path):
    table = Table(tmp_path, sandbox="1")
    game = table.game(table.people(3), position=position(116, red=103, blue=14))
    for notation in (
        "taxi 104", "red taxi 85", "blue taxi 15", "taxi 86", "red taxi 103", "blue taxi 14", "black 104",
        "red taxi 86", "blue taxi 15", "taxi 116", "red bus 116",
    ):  # fmt: skip
        assert game.move(game.mover(), notation).status_code == 201
    assert game.view()["outcome"]["reason"] == "captured"
    assert refused(game, game.people[1], 11)[1] == "ply: a number of moves from 0 to 10; then the game was over."
    for side in ("mr_x", "detectives"):
        new = again(game, game.people[1], 10, side)
        assert stands(new, "spectator") == stands(game, "spectator", 10)
        play_a_round_and_resign(new)
        assert verified(new, tmp_path) == 0


def test_a_game_that_was_over_when_it_began_has_no_moment(tmp_path: Path):
    table = Table(tmp_path, sandbox="1")
    stuck = position(116, red=(103, {"taxi": 0, "bus": 0, "underground": 0}))
    game = table.game(table.people(2), position=stuck)
    assert game.view()["outcome"]["reason"] == "detectives_stranded"
    assert "there is no moment to go on from" in refused(game, game.people[1], 0)[1]


def test_a_game_whose_result_is_not_final_is_refused_as_its_replay_is(table: Table):
    game = table.game(table.people(4))
    game.play_round()
    replay = game.people[1].get(f"{game.path}/seats/2/view")
    assert refused(game, game.people[1], 1) == (404, replay.json["detail"])
    game.contest()
    assert game.people[0].post(f"{game.path}/resign").status_code == 200
    assert refused(game, game.people[1], 1)[0] == 404
    table.clock.turn(days=2)
    table.tick()
    again(game, game.people[1], 1, "mr_x")


def test_a_private_game_is_for_those_alone_who_see_its_replay(table: Table):
    game = given_up(table, "ravensburger-2000", 4, 6)
    with table.app.app_context(), transaction():
        session.get_one(Game, game.id).visibility = "private"
    eve = table.person("Eve")
    assert refused(game, eve, 1)[0] == 404
    for person in game.people[:2]:
        assert person.request("PUT", f"{game.path}/replay", json={"shows": "pawn"}).status_code == 200
    assert refused(game, eve, 1)[0] == 404, "the link is that of a page"
    led = Browser(table, eve).post(f"/games/{game.id}/again", {"ply": "1", "side": "mr_x"})
    new = Playing(table, led.headers["Location"].rpartition("/")[2], [eve])
    assert stands(new, "spectator") == stands(game, "spectator", 1)
    assert not any(person.name in json.dumps(transcript(new)) for person in game.people)


def test_it_needs_nobody_of_those_who_played(table: Table):
    game = given_up(table, "ravensburger-2000", 4, 6)
    eve = table.person("Eve")
    for person in game.people:
        assert person.request("DELETE", "/me", json={"name": person.name}).status_code == 204
    new = again(game, eve, 6, "detectives")
    assert stands(new, "spectator") == stands(game, "spectator", 6)


def test_bots_are_as_good_as_they_were_unless_another_level_is_named(table: Table):
    ada = table.person("Ada")
    seats = [{"role": "mr_x", "player": ada.id}, *[{"role": "detective", "bot": "constable", "level": "good"}] * 3]
    made = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats})
    game = Playing(table, made.json["id"], [ada])
    assert ada.post(f"{game.path}/start").status_code == 200
    assert ada.post(f"{game.path}/resign").status_code == 200

    def levels(**wanted: Any) -> set[str]:
        return {seat["level"] for seat in again(game, ada, 0, "detectives", **wanted).view()["seats"] if seat["bot"]}

    assert levels() == {"good"}
    assert levels(level="fair") == {"fair"}


def test_there_are_as_many_of_these_as_of_other_practice_games(table: Table, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guests, "MOST_RUNNING", 2)
    game = given_up(table, "ravensburger-2000", 4, 6)
    for _ in range(2):
        again(game, game.people[1], 1, "mr_x")
    assert refused(game, game.people[1], 1)[0] == 409


def test_a_moment_that_one_player_with_all_pawns_could_not_have_reached_is_refused_for_the_detectives(tmp_path: Path):
    """Where play goes round by person a pawn is passed over that one person could have moved after the others."""
    table = Table(tmp_path, sandbox="1")
    five = {"taxi": 5}
    hemmed_in = position(199, red=(8, five), green=(1, five), blue=(18, five), purple=(19, five))
    game = table.game(table.people(5), "milton-bradley-1985", position=hemmed_in)
    for notation in ("taxi 188", "green taxi 9", "blue taxi 31", "purple taxi 32", "taxi 199"):
        assert game.move(game.mover(), notation).status_code == 201, notation
    assert game.people[0].post(f"{game.path}/resign").status_code == 200
    assert refused(game, game.people[1], 5, "detectives")[1] == (
        "side: mr_x alone, as a pawn had no turn here that it would have had."
    )
    again(game, game.people[1], 4, "detectives")
    again(game, game.people[1], 5, "mr_x")
