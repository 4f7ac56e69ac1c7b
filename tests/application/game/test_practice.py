"""Practice games: what the bots' moves were for, and hints; by REST, mail and page, and in no other game."""

import re
from pathlib import Path
from typing import Any

import pytest

from server.application.game.look import look_at_any
from server.application.game.state import rebuild
from server.bots.belief import belief
from server.models import session
from tests.positions import position
from tests.table import Person, Table
from tests.web.game.test_page import Browser

CONSTABLE, FUGITIVE = {"role": "detective", "bot": "constable", "level": "good"}, {"role": "mr_x", "bot": "fugitive"}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path, sandbox="yes")


def begun(who: Person, *seats: dict[str, str], **wanted: Any) -> str:
    """Return the path of a game that has begun, with these seats."""
    opened = who.post("/games", {"edition": "ravensburger-2000", "seats": [*seats], "visibility": "public", **wanted})
    assert opened.status_code == 201, opened.json
    path = f"/games/{opened.json['id']}"
    assert who.post(f"{path}/start").status_code == 200
    return path


def bots_move(table: Table) -> None:
    for _ in range(8):
        table.clock.turn(seconds=5)
        table.tick()


def as_mr_x(who: Person, **wanted: Any) -> str:
    return begun(who, {"role": "mr_x", "player": who.id}, CONSTABLE, CONSTABLE, **wanted)


def as_detective(who: Person, **wanted: Any) -> str:
    return begun(who, FUGITIVE, {"role": "detective", "player": who.id}, CONSTABLE, **wanted)


def reasons(who: Person, path: str) -> dict[str, str]:
    """Return the reasons in the events of a game, by the moves."""
    events = who.get(f"{path}/events").json["events"]
    return {each["data"]["notation"]: each["why"] for each in events if "why" in each}


def move_first(who: Person, path: str) -> None:
    """Make the first move that one may."""
    view = who.get(path).json
    move = who.get(f"{path}/legal-moves").json["moves"][0]["notation"]
    assert who.post(f"{path}/moves", {"turn": view["turn"], "notation": move}).status_code == 201


def test_each_move_of_a_bot_detective_has_a_reason_on_the_page_and_in_the_events(table: Table):
    (ada,) = table.people(1)
    path = as_mr_x(ada, edition="ravensburger-2000")
    assert reasons(ada, path) == {}
    move_first(ada, path)
    bots_move(table)
    told = reasons(ada, path)
    moved = [move for move in ada.get(path).json["history"] if not move.startswith(("taxi", "bus", "under", "black"))]
    assert list(told) == moved
    assert len(moved) == 4
    page = Browser(table, ada).get(path).text
    (folded,) = re.findall(r'(?s)<details class="why">.*?</details>', page)
    for move, why in told.items():
        pawn, _, station = move.split()
        assert f"<p>{pawn.capitalize()} to {station}: {why[0].lower()}{why[1:]}</p>" in folded


def test_a_bot_mr_x_and_the_person_have_none(table: Table):
    (ada,) = table.people(1)
    path = as_detective(ada)
    bots_move(table)
    own = ada.get(path).json["you"]["pawns"]
    for _ in own:
        move_first(ada, path)
    bots_move(table)
    told = reasons(ada, path)
    assert told
    assert not {move.split()[0] for move in told} & {"mr_x", *own, "taxi", "bus", "underground", "black", "double"}


def test_there_are_none_in_a_game_of_two_people_nor_for_those_who_watch_it(table: Table):
    ada, ben, cleo = table.people(3)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "invite": ben.address}, CONSTABLE]
    opened = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats, "visibility": "public"}).json["id"]
    path = f"/games/{opened}"
    assert ben.post(f"{path}/seats", {"seat": 2}).status_code == 201
    ada.post(f"{path}/start")
    move_first(ada, path)
    bots_move(table)
    for _ in ben.get(path).json["you"]["pawns"]:
        move_first(ben, path)
    bots_move(table)
    assert {"by": "bot"}.items() <= ada.get(f"{path}/events").json["events"][-1]["data"].items()
    for who in (ada, ben, cleo):
        assert reasons(who, path) == {}
        assert 'class="why"' not in Browser(table, who).get(path).text
        refused = who.get(f"{path}/hint")
        assert (refused.status_code, refused.json["type"]) == (403, "forbidden")
        assert "Show a hint" not in Browser(table, who).get(path).text
        assert Browser(table, who).get(f"{path}?hint=yes").status_code == 403


def test_there_are_none_where_players_work_out_for_themselves_where_he_can_be(table: Table):
    (ada,) = table.people(1)
    path = as_detective(ada, options={"deduction": False})
    bots_move(table)
    for _ in ada.get(path).json["you"]["pawns"]:
        move_first(ada, path)
    bots_move(table)
    assert {"by": "bot"}.items() <= ada.get(f"{path}/events").json["events"][-1]["data"].items()
    assert reasons(ada, path) == {}
    assert ada.get(f"{path}/hint").json["type"] == "forbidden"


def test_a_hint_is_the_learnt_belief_after_his_last_move_and_the_same_all_round(table: Table):
    (ada,) = table.people(1)
    path = as_detective(ada)
    bots_move(table)
    first = ada.get(f"{path}/hint").json
    with table.app.app_context():
        state = rebuild(look_at_any(path.removeprefix("/games/")))
        chances = belief(state.view("spectator"))
        session.remove()
    assert first["round"] == 1
    assert {each["station"]: each["chance"] for each in first["stations"]} == {
        station: round(chance, 4) for station, chance in chances.items()
    }
    assert sum(each["chance"] for each in first["stations"]) == pytest.approx(1, abs=0.01)
    likely = [each["chance"] for each in first["stations"]]
    assert likely == sorted(likely, reverse=True)
    move_first(ada, path)
    assert ada.get(f"{path}/hint").json == first, "in the same round it stays"
    bots_move(table)
    while ada.get(path).json["round"] == 1:
        move_first(ada, path)
        bots_move(table)
    after = ada.get(f"{path}/hint").json
    assert after["round"] == 2
    assert after != first


def test_a_hint_is_refused_to_mr_x_to_others_and_when_the_game_does_not_run(table: Table):
    ada, ben = table.people(2)
    path = as_detective(ada)
    assert ben.get(f"{path}/hint").json["type"] == "forbidden"
    assert table.client.get(f"/api/v1{path}/hint").status_code == 401
    as_x = as_mr_x(ada)
    assert ada.get(f"{as_x}/hint").json["type"] == "forbidden"
    opened = ada.post("/games", {"edition": "condensed", "players": 2}).json["id"]
    assert ada.get(f"/games/{opened}/hint").json["type"] == "game-not-running"
    ada.post(f"{path}/resign")
    over = ada.get(f"{path}/hint")
    assert (over.status_code, over.json["type"]) == (409, "game-not-running")


def hints(table: Table, who: Person, path: str) -> list[str]:
    """Return the hint by REST, on the page and by mail, as text."""
    who.reply("HINT", to=who.mails[-1])
    table.tick()
    page = Browser(table, who).get(f"{path}?hint=yes").text
    parts = re.findall(r'(?s)<section class="hint".*?</section>|<g class="heat".*?</g>', page)
    assert len(parts) > 1
    return [who.get(f"{path}/hint").text, who.mails[-1].get_body().get_content(), *parts]


def test_a_hint_is_the_same_by_rest_mail_and_page_wherever_mr_x_is(tmp_path: Path):
    told = []
    for station in (46, 128):
        table = Table(tmp_path / str(station), sandbox="yes")
        (ada,) = table.people(1)
        at = position(station, to_move="red", log_used=4, last_seen=(3, 100), red=13, green=29)
        path = as_detective(ada, position=at)
        table.tick()
        told.append([re.sub(r"/games/\w+", "/games/x", each) for each in hints(table, ada, path)])
    assert told[0] == told[1]
    (rest, mail, *_, page) = told[0]
    assert "Mr. X is as likely on each of 197 stations (under 1 %)." in " ".join(mail.split())
    assert "Mr. X is as likely on each of 197 stations (under 1 %)." in page
    assert '"chance"' in rest


def test_reasons_are_the_same_wherever_mr_x_is(tmp_path: Path):
    told = []
    for station, end in ((46, 1), (67, 82)):
        table = Table(tmp_path / str(station), sandbox="yes")
        (ada,) = table.people(1)
        at = position(station, log_used=4, last_seen=(3, 100), red=13, green=29)
        path = as_mr_x(ada, position=at, seed="the same")
        view = ada.get(path).json
        assert ada.post(f"{path}/moves", {"turn": view["turn"], "notation": f"bus {end}"}).status_code == 201
        bots_move(table)
        page = re.findall(r'(?s)<details class="why">.*?</details>', Browser(table, ada).get(path).text)
        told.append((reasons(ada, path), page))
    assert told[0] == told[1]
    assert len(told[0][0]) == 2
