"""Moves ahead: once Mr. X has moved, every detective may send his; it is kept for its turn and for the team's eyes."""

from typing import Any

import pytest
from sqlalchemy import select

from server.application.game import timer_rows
from server.application.game.situations import act
from server.house_rules import queue
from server.house_rules.submission import RequestedMove, place_all
from server.models import Game, Outgoing, Player, QueuedMove, session, transaction
from tests.kept import again
from tests.positions import position
from tests.table import Person, Playing, Table


def begun(table: Table, edition: str = "ravensburger-2000", **place: Any) -> tuple[Playing, list[Person]]:
    """Mr. X at 104 has moved; purple at 117, red at 1 and green at 46 are to reply."""
    options = place.pop("options", {})
    stations: dict[str, Any] = {"purple": 117, "red": 1, "green": 46} | place

    def build(table: Table) -> Playing:
        game = table.game(table.people(4), edition, options=options, position=position(104, **stations))
        assert game.move(game.people[0], "taxi 86").status_code == 201
        return game

    game = again(table, build, f"moves ahead in {edition} {options} from {stations}")
    return game, game.people


def ahead_of(game: Playing, person: Person) -> list[str]:
    return [kept["notation"] for kept in game.view(person)["ahead"]]


def returned(game: Playing, person: Person) -> list[dict[str, Any]]:
    """Return the details of a player's outbox rows of one kind."""
    with game.table.app.app_context():
        rows = session.query(Outgoing).filter_by(kind="returned", player_id=person.id, game_id=game.id)
        return [row.details for row in rows]


def test_a_move_of_a_later_pawn_is_kept(table: Table):
    game, (_, ben, cleo, _dan) = begun(table)
    answer = game.move(cleo, "taxi 8")
    assert answer.status_code == 202
    assert answer.json["ahead"] == [{"pawn": "red", "notation": "red taxi 8"}]
    assert (answer.json["turn"], answer.json["to_move"]) == (2, ["purple"]), "nothing has moved"
    assert cleo.get(f"{game.path}/ahead").json == {"moves": [{"pawn": "red", "notation": "red taxi 8"}]}
    assert ben.get(f"{game.path}/ahead").json == {"moves": []}


def test_kept_moves_are_played_in_order_of_play_when_their_turn_comes(table: Table):
    game, (_, ben, cleo, dan) = begun(table)
    assert game.move(dan, "bus 78").status_code == 202
    assert game.move(cleo, "taxi 8").status_code == 202
    assert game.view()["history"] == ["taxi 86"]
    played = game.move(ben, "taxi 88")
    assert played.status_code == 201
    assert played.json["history"][1:] == ["purple taxi 88", "red taxi 8", "green bus 78"]
    assert (played.json["turn"], played.json["to_move"], played.json["ahead"]) == (5, ["mr_x"], [])


def test_a_refused_newer_move_leaves_the_older(table: Table):
    game, (_, _ben, cleo, _dan) = begun(table)
    game.move(cleo, "taxi 8")
    assert game.move(cleo, "taxi 199").status_code == 422
    assert ahead_of(game, cleo) == ["red taxi 8"]


def test_a_move_ahead_can_be_taken_back(table: Table):
    game, (_, ben, cleo, dan) = begun(table)
    game.move(cleo, "taxi 8")
    game.move(dan, "bus 78")
    assert cleo.request("DELETE", f"{game.path}/ahead").json == {"moves": []}
    assert ahead_of(game, ben) == ["green bus 78"], "the others' stay"
    assert game.move(ben, "taxi 88").json["to_move"] == ["red"]


def test_taking_nothing_back_is_no_error(table: Table):
    game, (ada, ben, *_) = begun(table)
    assert [person.request("DELETE", f"{game.path}/ahead").status_code for person in (ada, ben)] == [200, 200]
    assert table.person("Gus").request("DELETE", f"{game.path}/ahead").status_code == 403


def test_only_the_team_sees_what_is_kept(table: Table):
    game, (ada, ben, cleo, dan) = begun(table)
    gus = table.person("Gus")
    outlets = ["", "/legal-moves", "/log", "/record", "/deadline"]
    asked = [("GET", f"{game.path}{outlet}") for outlet in outlets] + [("GET", "/games"), ("GET", "/me/waiting")]

    def seen(person: Person) -> list[tuple[bytes, list[tuple[str, str]]]]:
        answers = [person.request(*ask) for ask in asked]
        # The date is that of the wall clock.
        return [(answer.data, [header for header in answer.headers if header[0] != "Date"]) for answer in answers]

    before = {person.name: seen(person) for person in (ada, gus)}
    assert game.move(cleo, "taxi 8").status_code == 202
    table.clock.turn(minutes=1)
    assert game.move(dan, "bus 78").status_code == 202
    assert {person.name: seen(person) for person in (ada, gus)} == before, "not even by ETag"
    assert ahead_of(game, ben) == ["red taxi 8", "green bus 78"]
    table.tick()
    assert not any("red taxi 8" in mail.get_content() for mail in ada.mails)


def test_sending_ahead_gives_mr_x_no_error_another_than_before(table: Table):
    game, (ada, _ben, cleo, _dan) = begun(table)
    body = {"turn": 2, "notation": "taxi 69"}
    before = ada.post(f"{game.path}/moves", body)
    game.move(cleo, "taxi 8")
    after = ada.post(f"{game.path}/moves", body)
    assert before.json["type"] == "not-your-turn"
    assert (before.data, list(before.headers)) == (after.data, list(after.headers))


def test_a_move_ahead_that_is_no_longer_legal_comes_back(table: Table):
    game, (_, ben, cleo, _dan) = begun(table, purple=18)
    assert game.move(cleo, "red taxi 8").status_code == 202
    view = game.move(ben, "purple taxi 8").json
    assert (view["to_move"], view["ahead"]) == (["red"], [])
    ((back,),) = [details["moves"] for details in returned(game, cleo)]
    assert back == {"notation": "red taxi 8", "turn": 3}
    table.tick()
    assert "Another detective stands on 8" in cleo.mails[-1].get_content()


def test_what_cannot_become_legal_is_refused_at_once(table: Table):
    game, (_, _ben, cleo, dan) = begun(table, red=(1, {"taxi": 3}))
    spent = game.move(cleo, "bus 46")
    assert (spent.status_code, spent.json["type"], spent.json["reason"]) == (422, "illegal", "no-ticket")
    assert game.move(dan, "taxi 200").json["reason"] == "no-such-station"
    assert game.move(dan, "black 45").json["reason"] == "mr-x-only"
    double = {"turn": 2, "double": [{"ticket": "taxi", "to": 45}, {"ticket": "taxi", "to": 46}]}
    assert dan.post(f"{game.path}/moves", double).json["reason"] == "mr-x-only"
    assert [move["notation"] for move in spent.json["legal"]] == ["red taxi 8", "red taxi 9"]


def test_nothing_is_kept_before_mr_x_has_moved(table: Table):
    game = table.game(table.people(4), position=position(104, purple=117, red=1, green=46))
    early = game.people[2].post(f"{game.path}/moves", {"turn": 1, "notation": "red taxi 8"})
    assert (early.status_code, early.json["type"]) == (409, "not-your-turn")
    assert "Mr. X" in early.json["detail"]


def test_who_has_moved_may_not_send_another_move_in_the_round(table: Table):
    game, (_, ben, _cleo, _dan) = begun(table)
    game.move(ben, "taxi 88")
    again = ben.post(f"{game.path}/moves", {"turn": 3, "notation": "purple taxi 117"})
    assert (again.status_code, again.json["type"]) == (409, "not-your-turn")
    assert again.json["detail"] == "Purple has already moved in this round."


def test_nothing_kept_lasts_beyond_its_round(table: Table):
    # Red at 2 has two ways; green stands on one, and purple takes the other: red is passed over.
    game, (ada, ben, cleo, dan) = begun(table, purple=11, red=2, green=20)
    assert game.move(cleo, "red taxi 10").status_code == 202
    view = game.move(ben, "purple taxi 10").json
    assert (view["to_move"], view["ahead"]) == (["green"], [])
    game.move(dan, "green taxi 33")
    game.move(ada, "taxi 69")
    assert ahead_of(game, cleo) == []
    assert cleo.get("/me/waiting").json["games"], "he is waited for, as nothing of his is kept"


def test_legal_moves_leave_out_a_pawn_whose_move_is_queued(table: Table):
    game, (_, _ben, cleo, _dan) = begun(table, red=(1, {"taxi": 3}))
    assert game.move(cleo, "taxi 8").status_code == 202
    assert game.legal(cleo) == []
    assert game.move(cleo, "taxi 9").status_code == 202, "another move still replaces it"
    assert cleo.request("DELETE", f"{game.path}/ahead").status_code == 200
    assert game.legal(cleo) == ["red taxi 8", "red taxi 9"]


# Order of play


def test_whoever_writes_several_times_at_once_always_knows_what_is_kept(table: Table):
    game, (_, ben, cleo, dan) = begun(table)

    def known(row: Game) -> list[str]:
        kept = [ahead.notation for ahead in timer_rows.queue_of(row.id)]
        query = select(QueuedMove.notation).where(QueuedMove.game_id == row.id).order_by(QueuedMove.kept_at)
        assert kept == list(session.scalars(query)), "what is known is what is written"
        return kept

    with table.app.app_context(), transaction():
        row = session.get_one(Game, game.id)

        def send(person: Person, notation: str) -> list[str]:
            act(row.id, session.get_one(Player, person.id), place_all, [RequestedMove(notation)])
            return known(row)

        assert send(dan, "bus 78") == ["green bus 78"]
        assert send(dan, "taxi 47") == ["green taxi 47"]
        assert send(ben, "taxi 88") == ["green taxi 47"]
        assert act(row.id, session.get_one(Player, dan.id), queue.take_back).answer == 1
        assert known(row) == []
        assert send(dan, "bus 78") == ["green bus 78"]
        assert send(cleo, "taxi 8") == []


def test_of_several_pawns_each_may_be_sent_ahead(table: Table):
    game = table.game(table.people(3), "milton-bradley-1985")
    ada, ben, cleo = game.people
    game.move(ada)
    for pawn in ("green", "red"):
        move = next(move for move in game.legal(cleo) if move.startswith(pawn))
        assert game.move(cleo, move).status_code == 202
    assert len(cleo.get(f"{game.path}/ahead").json["moves"]) == 2
    for pawn in ("purple", "yellow", "blue"):
        game.move(ben, next(move for move in game.legal(ben) if move.startswith(pawn)))
    assert game.view()["to_move"] == ["mr_x"], "both were played"


def seats_of_two(table: Table) -> Playing:
    """Four people of the 1985 edition: seat 2 holds purple and yellow, seat 3 red and green, seat 4 blue."""
    game = table.game(table.people(4), "milton-bradley-1985")
    game.move(game.people[0])
    return game


@pytest.mark.parametrize("named", [{"pawn": "yellow"}, {}])
def test_pawn_and_notation_that_disagree_are_refused(table: Table, named: dict[str, str]):
    game = seats_of_two(table)
    ben = game.people[1]
    purple = next(move for move in game.legal(ben) if move.startswith("purple"))
    answer = ben.post(f"{game.path}/moves", {"turn": 2, "notation": purple, **named})
    assert answer.status_code == (422 if named else 201)
