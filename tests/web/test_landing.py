"""The first page and the list of public games."""

import re

import pytest

from server.engine import Edition
from server.models import Game, Seat, session, transaction
from server.web import landing
from tests.table import Person, Table
from tests.web.game.test_page import Browser
from tests.web.me.test_games import open_game


def test_all_public_games_with_an_open_seat_are_listed_page_by_page(table: Table):
    (ada,) = table.people(1)
    seats = ({"role": "mr_x"}, {"role": "detective"})
    made = [open_game(ada, *seats, visibility="public") for _ in range(landing.PAGE + 1)]
    hidden = open_game(ada, *seats, visibility="private")
    browser, found = Browser(table), []
    page, path = browser.get("/").text, "/public-games"
    assert sum(game in page for game in made) == landing.MOST
    assert f'href="{path}"' in page
    while path:
        page = browser.get(path).text
        here = re.findall(r'<span class="as-written"><a href="/games/(\w+)"', page)
        assert len(here) <= landing.PAGE
        found += here
        path = next(iter(re.findall(r'rel="next" href="([^"]+)"', page)), "")
    assert found == sorted(made)
    assert hidden not in found


def finished(table: Table, people: list[Person], visibility: str = "public") -> str:
    """A game that Mr. X gave up; return its id."""
    game = table.game(people, edition="condensed")
    assert people[0].post(f"{game.path}/resign").status_code == 200
    with table.app.app_context(), transaction():
        session.get_one(Game, game.id).visibility = visibility
    table.clock.turn(minutes=1)
    return game.id


def test_public_games_whose_result_is_final_are_listed_with_the_newest_first_page_by_page(table: Table):
    people = table.people(landing.PAGE // 2 + 2)
    pairs = [[host, people[0]] for host in people[1:]]
    made = [finished(table, pair) for pair in pairs for _ in range(2)]
    finished(table, pairs[0], visibility="private")
    provisional = table.game(pairs[0], edition="condensed")
    provisional.contest()
    pairs[0][0].post(f"{provisional.path}/resign")
    browser, found, path = Browser(table), [], "/public-games"
    while path:
        page = browser.get(path).text
        here = re.findall(r'<a href="/games/(\w+)/replay"', page)
        assert len(here) <= landing.PAGE
        found += here
        path = next(iter(re.findall(r'rel="next" href="([^"]+)"', page)), "")
    assert found == made[::-1]


def test_one_host_does_not_fill_the_list(table: Table):
    people = table.people(2)
    made = [finished(table, people) for _ in range(4)]
    page = Browser(table).get("/public-games").text
    assert re.findall(r'<a href="/games/(\w+)/replay"', page) == made[:1:-1]


def test_behind_what_is_no_public_game_nothing_is_listed(table: Table):
    people = table.people(2)
    hidden = finished(table, people, visibility="private")
    finished(table, people)
    for behind in ("aaaa", hidden, "%00", "'"):
        page = Browser(table).get(f"/public-games?finished={behind}")
        assert (page.status_code, "There are no more." in page.text) == (200, True), behind


def test_programs_list_public_games_that_are_over(table: Table):
    people = table.people(2)
    made = sorted(finished(table, people) for _ in range(2))
    finished(table, people, visibility="private")
    listed = people[0].get("/games?visibility=public&status=over&limit=1")
    following = people[0].get(f"/games?visibility=public&status=over&after={listed.json['games'][0]['id']}")
    assert [game["id"] for answer in (listed, following) for game in answer.json["games"]] == made
    assert people[0].get("/games?visibility=all").status_code == 422


def test_where_all_games_are_on_the_first_page_nothing_leads_to_more(table: Table):
    (ada,) = table.people(1)
    made = [open_game(ada, {"role": "mr_x"}, {"role": "detective"}, visibility="public") for _ in range(landing.MOST)]
    page = Browser(table).get("/").text
    assert all(game in page for game in made)
    assert "/public-games" not in page


def test_operators_and_authors_of_bots_have_a_link_each(table: Table):
    page = Browser(table).get("/").text
    for guide in ("operating", "bots"):
        assert f'href="/docs/{guide}"' in page
        assert table.client.get(f"/docs/{guide}").status_code == 200


@pytest.mark.parametrize(("form", "level"), [({}, "easy"), ({"level": "easy"}, "easy"), ({"level": "good"}, "good")])
def test_practice_is_against_bots_of_the_chosen_level(table: Table, form: dict[str, str], level: str):
    page = Browser(table).get("/").text
    assert re.search(r'<select name="level"><option>easy</option><option>fair</option><option>good</option>', page)
    begun = Browser(table).post("/practice", {"role": "mr_x", **form})
    assert begun.status_code == 303
    with table.app.app_context():
        assert {seat.level for seat in session.query(Seat) if seat.bot} == {level}


@pytest.mark.parametrize("edition", Edition.names())
def test_practice_as_the_whole_team_is_by_the_rules_of_every_edition(table: Table, edition: str):
    browser = Browser(table)
    page = browser.get(f"/how-to-play/{edition}").text
    assert f'name="edition" value="{edition}"' in page
    assert 'name="role" value="team"' in page
    begun = browser.post("/practice", {"role": "team", "edition": edition})
    assert begun.status_code == 303
    with table.app.app_context():
        team = session.query(Seat).filter_by(number=2).one()
        assert (team.bot, len(team.pawns)) == (None, 4 if edition == "condensed" else 5)
        assert session.get_one(Game, team.game_id).edition == edition
    again = browser.post(f"{begun.headers['Location']}/resign", {"sure": "yes"})
    assert again.status_code == 303
    over = browser.get(begun.headers["Location"]).text
    assert 'name="role" value="team">Play again' in over
    assert f'name="edition" value="{edition}"' in over


def test_a_player_chooses_the_edition_in_which_to_practise(table: Table):
    page = Browser(table, table.person("Ada")).get("/me").text
    assert '<option value="ravensburger-2000" selected>Ravensburger 2000</option>' in page
    assert "The whole team" in page


def test_an_edition_that_there_is_not_is_a_sentence(table: Table):
    refused = Browser(table).post("/practice", {"role": "team", "edition": "chess"})
    assert refused.status_code == 422
    assert "There is no edition" in refused.text


def test_a_role_that_there_is_not_is_a_sentence_and_no_game_begins(table: Table):
    browser = Browser(table, table.person("Ada"))
    refused = browser.post("/practice", {"role": "{who}"})
    assert (refused.status_code, "Choose one of these." in refused.text) == (422, True)
    with table.app.app_context():
        assert session.query(Game).count() == 0


def test_a_level_that_there_is_not_is_a_sentence(table: Table):
    refused = Browser(table).post("/practice", {"role": "mr_x", "level": "hard"})
    assert refused.status_code == 422
    assert "one of easy, fair, good" in refused.text


def test_who_is_invited_finds_that_on_the_first_page_and_accepts_there(table: Table):
    ada, ben = table.people(2)
    game = open_game(ada, {"role": "mr_x"}, {"role": "detective", "player": ben.id})
    browser = Browser(table, ben)
    page = browser.get("/").text
    assert "Ada invites you to play" in page
    assert f'action="/games/{game}/seats"' in page
    assert "invites you" not in Browser(table, ada).get("/").text
    assert browser.post(f"/games/{game}/seats").status_code == 303
    assert "invites you" not in browser.get("/").text


def test_a_game_to_sit_down_in_says_its_pace_seats_and_edition_and_has_a_way_in(table: Table):
    (ada,) = table.people(1)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective"}, {"role": "detective"}]
    for clock, guests in (
        ({"kind": "per_phase", "mr_x": "P1D", "detectives": "P1D"}, "detectives"),
        ({"kind": "none"}, "none"),
    ):
        wanted = {"edition": "condensed", "seats": seats, "visibility": "public", "clock": clock}
        assert ada.post("/games", wanted | {"guests": {"seats": guests}}).status_code == 201
    for path in ("/", "/public-games"):
        page = Browser(table).get(path).text
        told = re.findall(r"<p><small>(Condensed;[^<]*)</small>", page)
        assert sorted(told) == [
            "Condensed; a round takes 2 days at most; 2 of 3 seats open, also without an address",
            "Condensed; no deadlines; 2 of 3 seats open",
        ]
    (way, _) = re.findall(r'href="(/games/\w+/seats)"', page)
    assert "invites you to a game" in Browser(table).client.get(way, follow_redirects=True).text
