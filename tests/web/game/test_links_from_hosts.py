"""New links that a host makes for guests: they open no seat that has seen a secret of the other side."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from server.application.lobby.seats import substitute
from server.application.people.accounts import guests
from server.models import Game, Player, Seat, session, transaction
from server.vocabulary.errors import Problem
from tests.table import Person, Table
from tests.web.game.test_invitation import asked_for_address, opened, sits_down
from tests.web.game.test_page import Browser

SEATS = [{"role": "mr_x"}, {"role": "detective"}, {"role": "detective"}]
CLOCK = {"kind": "per_phase", "mr_x": "PT1H", "detectives": "PT1H"}


@pytest.fixture
def site(tmp_path: Path) -> Table:
    """A server that knows its own address, so that mails have links."""
    return Table(tmp_path, public_url="http://localhost", min_turn="PT1S")


@pytest.fixture
def host(site: Table) -> Person:
    return site.people(1)[0]


def hunting(host: Person, **more: Any) -> dict[str, Any]:
    """Open a game whose host is a detective, in which guests may take any seat."""
    one, other, another = SEATS
    body = {"edition": "condensed", "seats": [one, other | {"player": host.id}, another], "guests": {"seats": "any"}}
    answer = host.post("/games", body | {"clock": CLOCK, "visibility": "private"} | more)
    assert answer.status_code == 201, answer.text
    return answer.json | {"join": f"/join/{answer.json['code']}"}


def begin(site: Table, host: Person, game: dict[str, Any]) -> None:
    assert Browser(site, host).post(f"/games/{game['id']}/start").status_code == 303


def path_of_link(game: dict[str, Any], seat: int) -> str:
    return f"/games/{game['id']}/seats/{seat}/link"


def link_for(table: Table, host: Person, game: dict[str, Any], seat: int) -> str:
    """Make a link for a guest as the host, by the button on the page of the game."""
    path = path_of_link(game, seat)
    browser = Browser(table, host)
    assert path in browser.get(f"/games/{game['id']}").text
    return re.findall(r"/continue/\w+", browser.post(path).text)[0]


def against_bot(host: Person, more: Sequence[Any] = (), **settings: Any) -> dict[str, Any]:
    """Open a game in which a bot is Mr. X and the host a detective; seat 2 is open."""
    seats = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective"}, {"role": "detective", "player": host.id}]
    answer = host.post(
        "/games", {"edition": "condensed", "seats": [*seats, *more], "visibility": "private", **settings}
    )
    assert answer.status_code == 201, answer.text
    return answer.json | {"join": f"/join/{answer.json['code']}"}


def seated(site: Table, host: Person, **more: Any) -> tuple[dict[str, Any], Browser, Browser]:
    """Begin a game of guests: Xaver is Mr. X, the host and Anna are detectives."""
    game = hunting(host, **more)
    mr_x, anna = sits_down(site, game, "Xaver", role="mr_x"), sits_down(site, game, "Anna", role="detective")
    begin(site, host, game)
    return game, mr_x, anna


def test_no_host_gets_a_link_to_the_seat_of_mr_x(site: Table, host: Person):
    game, mr_x, anna = seated(site, host)
    browser = Browser(site, host)
    warns = ["no host makes a link for him" in who.get(f"/games/{game['id']}").text for who in (mr_x, anna)]
    assert warns == [True, False]
    assert path_of_link(game, 1) not in browser.get(f"/games/{game['id']}").text
    refused = browser.post(path_of_link(game, 1))
    assert (refused.status_code, "/continue/" in refused.text) == (403, False)
    assert "in his own browser, or by his own address" in refused.text
    assert mr_x.get("/me").status_code == 200
    assert link_for(site, host, game, 3)


def test_a_host_who_is_mr_x_gets_no_link_to_a_detective_s_seat(site: Table, host: Person):
    game = opened(host, seats=SEATS[:2])
    sits_down(site, game, "Anna")
    begin(site, host, game)
    browser = Browser(site, host)
    assert path_of_link(game, 2) not in browser.get(f"/games/{game['id']}").text
    refused = browser.post(path_of_link(game, 2))
    assert (refused.status_code, "you are Mr. X" in refused.text) == (403, True)


def test_a_link_is_not_good_any_more_once_mr_x_is_the_host(site: Table, host: Person):
    zoe = site.person("Zoe")
    mr_x, own, open_seat = SEATS
    seats = [mr_x | {"player": zoe.id}, own | {"player": host.id}, open_seat]
    game = host.post("/games", {"edition": "condensed", "seats": seats, "visibility": "private"}).json
    game["join"] = f"/join/{game['code']}"
    zoe.post(f"/games/{game['id']}/seats", {"seat": 1})
    anna = sits_down(site, game, "Anna")
    begin(site, host, game)
    link = link_for(site, host, game, 3)
    assert host.post(f"/games/{game['id']}/host", {"seat": 1}).status_code == 200
    refused = Browser(site).post(link)
    assert (refused.status_code, "you are Mr. X" in refused.text) == (403, True)
    assert anna.get("/me").status_code == 200


@pytest.mark.parametrize("begins", ["before the link is used", "after it"])
def test_a_link_opens_no_seat_of_mr_x_in_another_game_of_the_host(site: Table, host: Person, begins: str):
    game, _, anna = seated(site, host)
    link, other = link_for(site, host, game, 3), hunting(host)
    assert anna.post(other["join"], {"role": "mr_x"}).status_code == 303
    sits_down(site, other, "Ben", role="detective")
    if begins == "before the link is used":
        begin(site, host, other)
    thief = Browser(site)
    refused = thief.post(link)
    assert (refused.status_code, "in other games too" in refused.text) == (403, True)
    assert Browser(site, host).post(path_of_link(game, 3)).status_code == 403
    assert thief.get("/me").status_code == 303
    assert anna.get("/me").status_code == 200


def test_nothing_that_was_asked_for_with_an_earlier_link_opens_the_seat_later(site: Table, host: Person):
    game, _, _ = seated(site, host)
    thief, anna = Browser(site), Browser(site)
    assert thief.post(link_for(site, host, game, 3)).status_code == 303
    digits, code = asked_for_address(site, thief, "thief@example.org")
    own = re.findall(r"/continue/\w+", thief.post("/me/device").text)[0]
    assert anna.post(link_for(site, host, game, 3)).status_code == 303
    assert thief.get("/me").status_code == 303
    assert Browser(site).post(f"/address/{code}").status_code == 422
    assert Browser(site).post(own).status_code == 422
    assert thief.post("/me/addresses/confirm", {"code": digits}).status_code == 303
    assert "Anna" in anna.get("/me").text


def test_the_edges_share_one_door(site: Table, host: Person):
    game, _, _ = seated(site, host)
    with site.app.app_context():
        player = session.get_one(Player, host.id)
        for seat, code in ((1, "forbidden"), (2, "form"), (9, "form")):
            with pytest.raises(Problem) as caught:
                guests.link_from_host(game["id"], player, seat)
            assert caught.value.code == code
        assert guests.link_from_host(game["id"], player, 3)[0] == "Anna"


def test_a_host_who_may_have_read_the_team_s_talk_never_becomes_mr_x(site: Table, host: Person):
    game = host.post("/games", {"edition": "condensed", "seats": SEATS, "guests": {"seats": "any"}}).json
    game["join"] = f"/join/{game['code']}"
    sits_down(site, game, "Xaver", role="mr_x")
    for name in ("Anna", "Ben"):
        sits_down(site, game, name, role="detective")
    begin(site, host, game)
    assert Browser(site).post(link_for(site, host, game, 2)).status_code == 303
    with site.app.app_context(), pytest.raises(Problem, match="was a detective"):
        substitute(game["id"], 1, session.get_one(Player, host.id), "he is gone")


def test_nobody_takes_over_the_seat_of_mr_x(site: Table, host: Person):
    game, _, _ = seated(site, host)
    newcomer = site.person("Zoe")
    with site.app.app_context(), transaction():
        session.get_one(Seat, (game["id"], 1)).is_offered = True
    for wanted in ({"seat": 1}, {"role": "mr_x"}, {}):
        refused = newcomer.post(f"/games/{game['id']}/seats", {"code": game["code"], **wanted})
        assert (refused.status_code, refused.json["type"]) == (409, "game-not-open")


def test_where_mr_x_is_a_guest_who_does_not_come_back_all_others_end_the_game_in_a_draw(site: Table, host: Person):
    game, _, anna = seated(site, host)
    assert anna.post(f"/games/{game['id']}/draw", {"agrees": "yes"}).status_code == 303
    assert Browser(site, host).post(f"/games/{game['id']}/draw", {"agrees": "yes"}).status_code == 303
    assert host.get(f"/games/{game['id']}").json["status"] == "running", "Mr. X is asked while he is not late"
    site.clock.turn(hours=1, minutes=1)
    site.tick()
    after = host.get(f"/games/{game['id']}").json
    assert (after["status"], after["outcome"]["winner"], after["outcome"]["reason"]) == ("over", "draw", "agreed")


def test_a_late_guest_who_is_mr_x_need_not_agree_to_a_draw(site: Table, host: Person):
    game, _, anna = seated(site, host)
    site.clock.turn(hours=1, minutes=1)
    site.tick()
    assert anna.post(f"/games/{game['id']}/draw", {"agrees": "yes"}).status_code == 303
    page = Browser(site, host).get(f"/games/{game['id']}").text
    assert "End the game in a draw" in page
    assert Browser(site, host).post(f"/games/{game['id']}/draw", {"agrees": "yes"}).status_code == 303
    assert host.get(f"/games/{game['id']}").json["status"] == "over"


# Using one -----------------------------------------------------------------------------------------------------


def test_the_host_hands_a_guest_a_new_link_and_everybody_reads_it_when_it_is_used(site: Table, host: Person):
    game = against_bot(host, [{"role": "detective"}])
    lost, ben = (sits_down(site, game, name) for name in ("Anna", "Ben"))
    begin(site, host, game)
    link, phone = link_for(site, host, game, 2), Browser(site)
    assert "everybody at the table reads" in phone.get(link).text
    told = "goes on in another browser, by a link that the host made."
    assert told not in ben.get(f"/games/{game['id']}").text, "to look does nothing"
    assert "Anna, guest, you" in lost.get(f"/games/{game['id']}").text or lost.get("/me").status_code == 200
    assert phone.post(link).status_code == 303
    assert phone.get("/me").status_code == 200
    assert lost.get("/me").status_code == 303, "the old session is over"
    for browser in (ben, phone, Browser(site, host)):
        assert f"The player of Purple {told}" in browser.get(f"/games/{game['id']}").text
    assert Browser(site).post(link).status_code == 422, "good once"
    events = host.get(f"/games/{game['id']}/events").json["events"]
    assert [event["data"]["seat"] for event in events if event["kind"] == "regained"] == [2]


def test_a_link_of_the_host_is_for_guests_of_a_running_game_alone(site: Table, host: Person):
    zoe, game = site.person("Zoe"), against_bot(host, [{"role": "detective"}])
    anna = sits_down(site, game, "Anna")
    zoe.post(f"/games/{game['id']}/seats", {"code": game["code"]})
    browser = Browser(site, host)
    path = f"/games/{game['id']}/seats"
    early = browser.post(f"{path}/2/link")
    assert (early.status_code, "Before the start, clear the seat" in early.text) == (409, True)
    assert browser.post(f"/games/{game['id']}/start").status_code == 303
    for number in (1, 3, 4, 9):
        assert browser.post(f"{path}/{number}/link").status_code == 422
    assert f"{path}/4/link" not in browser.get(f"/games/{game['id']}").text
    for other in (Browser(site, zoe), anna):
        assert other.post(f"{path}/2/link").status_code == 403
    assert Browser(site, site.person("Kim")).post(f"{path}/2/link").status_code == 404


def test_no_host_s_link_opens_the_seats_at_the_tables_of_others(site: Table, host: Person):
    zoe = site.person("Zoe")
    game, other = against_bot(host), opened(zoe)
    anna = sits_down(site, game, "Anna")
    begin(site, host, game)
    link = link_for(site, host, game, 2)
    assert anna.post(other["join"]).status_code == 303
    refused = Browser(site).post(link)
    assert (refused.status_code, "in other games too" in refused.text) == (403, True)
    assert anna.get("/me").status_code == 200, "still signed in"
    late = Browser(site, host).post(f"/games/{game['id']}/seats/2/link")
    assert (late.status_code, "in other games too" in late.text) == (403, True)


def test_a_link_that_the_host_made_is_not_good_any_more_for_somebody_with_an_address(site: Table, host: Person):
    game = against_bot(host)
    anna = sits_down(site, game, "Anna")
    begin(site, host, game)
    link = link_for(site, host, game, 2)
    digits, _ = asked_for_address(site, anna, "anna@example.org")
    assert anna.post("/me/addresses/confirm", {"code": digits}).status_code == 303
    assert Browser(site).post(link).status_code == 422


# The link of the game ---------------------------------------------------------------------------------------------


def test_whom_the_host_removes_does_not_come_back_by_the_link_they_had(site: Table, host: Person):
    game = opened(host)
    rascal, ben = sits_down(site, game, "Rascal"), sits_down(site, game, "Ben")
    browser = Browser(site, host)
    assert browser.post(f"/games/{game['id']}/seats/2/clear").status_code == 303
    for who in (rascal, Browser(site)):
        assert who.get(game["join"]).status_code == 404
        assert who.post(game["join"], {"name": "Rascal"}).status_code == 404
    assert rascal.get(f"/games/{game['id']}").status_code == 404
    (new,) = set(re.findall(r"/join/\w+", browser.get(f"/games/{game['id']}").text))
    assert new != game["join"]
    assert ben.get(f"/games/{game['id']}").status_code == 200
    sits_down(site, game | {"join": new}, "Cleo")


def test_a_host_makes_a_new_link_and_the_old_one_opens_nothing(site: Table, host: Person):
    game = opened(host)
    anna = sits_down(site, game, "Anna")
    browser, path = Browser(site, host), f"/games/{game['id']}/code"
    assert path in browser.get(f"/games/{game['id']}").text
    assert anna.post(path).status_code == 403
    assert Browser(site).post(path).status_code == 303, "to sign in"
    assert host.get(f"/games/{game['id']}").json["code"] == game["code"]
    assert browser.post(path).status_code == 303
    new = host.get(f"/games/{game['id']}").json["code"]
    assert new != game["code"]
    zoe = site.person("Zoe")
    assert zoe.post(f"/games/{game['id']}/seats", {"code": game["code"]}).status_code == 404
    assert Browser(site, zoe).get(game["join"]).status_code == 404
    assert zoe.post(f"/games/{game['id']}/seats", {"code": new}).status_code == 201
    with site.app.app_context():
        assert session.get_one(Game, game["id"]).code == new


def test_the_link_of_a_game_that_runs_can_be_made_new_and_that_of_one_that_is_over_cannot(site: Table, host: Person):
    game, *_ = seated(site, host)
    assert Browser(site, host).post(f"/games/{game['id']}/code").status_code == 303
    assert Browser(site).get(game["join"]).status_code == 404
    closed = opened(host)
    assert Browser(site, host).post(f"/games/{closed['id']}/close").status_code == 303
    assert Browser(site, host).post(f"/games/{closed['id']}/code").status_code == 409
