"""Seats when a game begins: as chosen, by lot, or by turns."""

from collections import Counter
from pathlib import Path

import pytest

from server.application.game.situations import carry_out, load
from server.house_rules.dealing import move_to_seats
from server.models import Game, Player, session, transaction
from tests.table import Person, Playing, Table

EDITION = "ravensburger-2000"


def holders(person: Person, path: str) -> list[str | None]:
    return [seat["player"] or seat["bot"] for seat in person.get(path).json["seats"]]


def started(people: list[Person], way: str, **more: object) -> list[str]:
    """The names of who sits where after the start, in the order of seats; before it they sat in their own."""
    game = people[0].table.game(people, seating=way, **more)
    names = {person.id: person.name for person in people}
    return [names[holder] for holder in holders(people[0], game.path) if holder in names]


def test_by_lot_everybody_gets_one_seat_and_each_of_them_is_mr_x_now_and_then(table: Table):
    people = table.people(3)
    drawn = [started(people, "lot") for _ in range(8)]
    assert {tuple(sorted(names)) for names in drawn} == {("Ada", "Ben", "Cleo")}
    assert len(Counter(names[0] for names in drawn)) == 3


def test_the_draw_has_dice_of_its_own(tmp_path: Path):
    """The same start cards are dealt, be there a draw or not."""
    starts = []
    for way in ("chosen", "lot"):
        table = Table(tmp_path / way, seed=5)
        people = table.people(3)
        game = table.game(people, seating=way)
        starts.append({pawn: at for pawn, at in game.view(people[0])["starts"].items() if pawn != "mr_x"})
    assert starts[0] == starts[1]


def test_players_of_the_house_keep_their_seats(table: Table):
    ada, ben = table.people(2)
    seats = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective", "player": ada.id},
             {"role": "detective", "bot": "constable"}, {"role": "detective"}]  # fmt: skip
    for way in ("lot", "rotation"):
        made = ada.post("/games", {"edition": EDITION, "seats": seats, "seating": way}).json
        path = f"/games/{made['id']}"
        ben.post(f"{path}/seats")
        assert ada.post(f"{path}/start").status_code == 200
        found = holders(ada, path)
        assert (found[0], found[2], {found[1], found[3]}) == ("fugitive", "constable", {ada.id, ben.id})


def test_in_a_rotation_mr_x_is_who_was_not_for_the_longest_time(table: Table):
    people = table.people(3)
    was = []
    for _ in range(5):
        was.append(started(people, "rotation")[0])
        table.clock.turn(days=1)
    assert was == ["Ada", "Ben", "Cleo", "Ada", "Ben"]


def test_games_with_others_do_not_count_in_a_rotation(table: Table):
    ada, ben, cleo, dan = table.people(4)
    started([ada, dan], "chosen", edition="condensed")
    assert started([ada, ben, cleo], "rotation")[0] == "Ada"


def test_everybody_learns_from_his_mail_who_is_who_and_old_addresses_are_dead(table: Table):
    people = table.people(3)
    made = people[0].post("/games", {"edition": EDITION, "players": 3, "seating": "lot"}).json
    path = f"/games/{made['id']}"
    for person in people:
        person.post(f"{path}/seats")
    people[1].post(f"{path}/messages", {"to": "all", "text": "Good evening"})
    table.tick()
    assert "Player one" in people[0].mails[-1].get_content()
    before = people[0].mails[-1]
    people[0].post(f"{path}/start")
    table.tick()
    view = Playing(table, made["id"], people).view(people[0])
    assert view["seating"] == "lot"
    names = {person.id: person.name for person in people}
    for person in people:
        text = " ".join(person.mails[-1].get_content().split())
        for seat in view["seats"]:
            pawns = " and ".join(pawn.capitalize() if pawn != "mr_x" else "Mr. X" for pawn in seat["pawns"])
            assert f'{pawns} {"are" if len(seat["pawns"]) > 1 else "is"} played by "{names[seat["player"]]}"' in text
    kinds = [event["kind"] for event in people[0].get(f"{path}/events").json["events"]]
    assert kinds == ["opened", "joined", "joined", "joined", "seated", "started"]
    said = people[0].get(f"{path}/messages").json["messages"][0]
    assert view["seats"][said["from"]["seat"] - 1]["player"] == people[1].id, "what was said is still his"
    people[0].reply("STATUS", to=before)
    table.tick()
    if view["seats"][0]["player"] != people[0].id:
        assert "has changed hands" in " ".join(people[0].mails[-1].get_content().split())


@pytest.mark.parametrize("way", ["lot", "rotation"])
def test_where_mr_x_is_settled_at_the_start_no_team_talks_before_it(table: Table, way: str):
    """So nobody who has heard a team becomes Mr. X."""
    ada, ben = table.people(2)
    made = ada.post("/games", {"edition": "condensed", "players": 2, "seating": way}).json
    path = f"/games/{made['id']}"
    for person in (ada, ben):
        person.post(f"{path}/seats")
    refused = ben.post(f"{path}/messages", {"to": "team", "text": "hello"})
    assert (refused.status_code, refused.json["type"]) == (422, "form")
    ada.post(f"{path}/start")
    detective = ben if holders(ada, path)[1] == ben.id else ada
    assert detective.post(f"{path}/messages", {"to": "team", "text": "hello"}).status_code == 201


def test_nobody_has_two_seats_for_a_moment_either(table: Table):
    """The database would refuse it."""
    people = table.people(4)
    game = table.game(people)
    with table.app.app_context(), transaction():
        before = [seat.holder for seat in load(game.id).seats]
        after = [*before[1:], before[0]]
        carry_out(load(game.id), lambda draft: move_to_seats(draft, draft.game.seats, after))
        assert [seat.player_id for seat in session.get_one(Game, game.id).seats] == [holder.id for holder in after]
        assert session.query(Player).count() == 4
