"""The board on the page of a game: what is lit, what is said in words, and looking back."""

import re
import xml.etree.ElementTree as ET

import pytest

from server.engine import Board
from tests.positions import position
from tests.scenes import chase, hunt, second_round
from tests.table import Playing, Table
from tests.web.game.test_page import Browser

LONDON = Board.named("london")
PICTURES = {"/boards/london.svg", "/boards/london-stations.svg", "/art.svg"}
AT = '<span class="unseen">at </span>'


def page_of(game: Playing, person: int | None, query: str = "") -> str:
    browser = Browser(game.table, None if person is None else game.people[person])
    return browser.get(f"/games/{game.id}{query}").text


def lit(page: str) -> dict[str, str]:
    """Return the name of each lit station, by the id of the choice it leads to."""
    return dict(re.findall(r'<a href="#([\w-]+)" data-station="\d+"><title>([^<]+)</title>', page))


def drawn(page: str) -> str:
    start = page.index('<svg class="map"')
    return page[start : page.index("\n</svg>", start) + 7]  # within it are others


def halos(page: str) -> list[int]:
    """Return the stations that have a halo, as places where Mr. X can be."""
    places = re.search(r'class="place" d="([^"]+)"', page)
    at = {tuple(map(str, point)): station for station, point in LONDON.stations.items()}
    return sorted(at[x, y] for x, y in re.findall(r"M(\d+) (\d+)", places[1])) if places else []


def test_the_stations_that_a_pawn_can_reach_are_lit_and_lead_to_their_choices(table: Table):
    page = page_of(hunt(table), 1)
    names = lit(page)
    assert "taxi or bus to" in " ".join(names.values())
    inputs = dict(re.findall(r'value="([^"]+)" id="([\w-]+)"', page))
    assert set(names) <= set(inputs.values())
    stations = [name.rsplit(" ", 1)[1] for name in names.values()]
    assert {notation.rsplit(" ", 1)[1] for notation in inputs} == set(stations)
    assert len(stations) == len(set(stations))


def test_an_address_on_the_page_names_no_station(table: Table):
    page = page_of(chase(table), 0)
    assert len(lit(page)) > 3
    assert all(re.fullmatch(r"move-\d+-\d+", target) for target in lit(page))


def test_a_choice_says_what_is_paid_and_what_is_left(table: Table):
    page = page_of(hunt(table), 1)
    assert re.search(r'data-says="taxi to \d+; seven taxi tickets left"', page)
    assert "by taxi to (you have eight taxi tickets)" in page


def test_the_board_in_words_says_where_one_stands_and_can_go(table: Table):
    page = page_of(hunt(table), 2)
    assert re.search(
        r"You stand with Red on 67, and can go by taxi to 51, 66, 68 or 84 \(eight taxi tickets left\)", page
    )


def test_nothing_is_lit_for_people_who_watch(table: Table):
    page = page_of(hunt(table), None)
    assert lit(page) == {}
    assert 'role="img"' in drawn(page)


def test_the_drawing_is_well_formed_and_loads_the_board_once_and_for_good(table: Table):
    game = hunt(table)
    picture = drawn(page_of(game, 1))
    ET.fromstring(re.sub("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', picture, count=1))
    addresses = re.findall(r'<image href="([^"#]+)', picture)
    assert {address.partition("?")[0] for address in addresses} == PICTURES
    assert len(set(addresses)) == len(PICTURES), "pawns and tickets are parts of one picture"
    for address in set(addresses):
        answer = table.client.get(address)
        assert answer.mimetype == "image/svg+xml"
        assert "immutable" in answer.headers["Cache-Control"]
        assert "immutable" not in table.client.get(address.partition("?")[0]).headers["Cache-Control"]
    assert table.client.get("/boards/paris.svg").status_code == 404


def test_the_title_of_the_page_and_its_addresses_never_name_where_mr_x_is(table: Table):
    game = hunt(table)
    page = page_of(game, 0)
    assert "You are at 100." in page
    assert "100" not in re.findall("<title>(.*?)</title>", page)[0]
    addresses = re.findall(r'(?:href|src|action|formaction)="([^"]*)"', page)
    assert not [address for address in addresses if re.search(r"\b100\b", address)]


def test_mr_x_is_told_what_the_others_know(table: Table):
    game = hunt(table)
    page = page_of(game, 0)
    assert halos(page) == halos(page_of(game, None))
    assert re.search(r"The others know that you are on (one of )?\d+", page)
    assert "the others think you can be there" in page
    assert "Mr. X can be there" in page_of(game, 1)


# The travel log ---------------------------------------------------------------------------------


def test_in_his_own_log_the_stations_that_only_he_knows_are_marked(table: Table):
    his, theirs = (page_of(hunt(table), person) for person in (0, 1))
    assert f"<i>{AT}100</i>" in his
    assert ", which only you know" in his
    assert ", which only you know" not in theirs
    assert "<i>" not in theirs
    assert f"{AT}100" not in theirs


def test_the_travel_log_shows_where_mr_x_will_show_himself(table: Table):
    page = page_of(second_round(table, "ravensburger-2000", 3), 1)
    assert re.search(r'class="surfaces"><small>3</small>', page)


# Looking back -----------------------------------------------------------------------------------


@pytest.fixture
def moved(table: Table) -> Playing:
    """A game of three of two rounds, and Mr. X's third move, after which he is seen."""

    def play(game: Playing) -> Playing:
        game.play_round()
        game.move(game.people[0])
        return game

    return play(second_round(table, "ravensburger-2000", 3))


def test_one_can_look_back_where_mr_x_could_have_been(moved: Playing):
    table = moved.table
    now = page_of(moved, 1)
    assert 'name="window" min="1" max="3"' in now
    for window in (1, 2):
        then = page_of(moved, 1, f"?window={window}")
        assert f"After move {window} of the travel log Mr. X could be on" in then
        assert len(halos(then)) > 1
        assert lit(then) == {}
    seen = moved.view()["pawns"]["mr_x"]["station"]
    assert halos(page_of(moved, 1, "?window=3")) == [seen]
    assert table.client.get(f"/games/{moved.id}?window=99").status_code == 200


def test_a_look_back_shows_everybody_the_same_and_mr_x_no_more(moved: Playing):
    pages = [page_of(moved, person, "?window=2") for person in (0, 1, 2, None)]
    assert len({re.sub('aria-label="The board[^"]*"', "", drawn(page)) for page in pages}) == 1


def test_a_look_back_at_the_last_move_shows_what_is_known_now(table: Table):
    game = hunt(table)
    assert halos(page_of(game, 1, "?window=9")) == halos(page_of(game, 1))


def test_a_game_that_hides_where_mr_x_can_be_has_no_look_back(table: Table):
    game = table.game(table.people(3), options={"deduction": False})
    game.move(game.people[0])
    assert 'name="window"' not in page_of(game, 1)
    page = page_of(game, 1, "?window=1")
    assert halos(page) == []
    assert "could be on" not in page


def test_any_station_and_the_ways_between_two_are_told_in_words_and_no_address_names_them(table: Table):
    game = hunt(table)
    cleo, path = Browser(table, game.people[2]), f"/games/{game.id}/stations"
    assert f'href="{path}"' in cleo.get(f"/games/{game.id}").text
    page = cleo.get(path).text
    assert "Station 67 is linked by taxi to 51, 66, 68 and 84" in page, "where Red stands"
    assert "Mr. X was last seen at 111, on move 8: Red is" in page
    assert 'method="post"' in page
    one = cleo.post(path, {"station": "46", "other": ""}).text
    assert ("Station 46 is linked by taxi" in one, "moves from" in one) == (True, False)
    two = cleo.post(path, {"station": "46", "other": "91"}).text
    assert re.search(r"It takes \w+ moves from 46 to 91: by ", two)
    assert 'value="91"' in two
    same = cleo.post(path, {"station": "46", "other": "46"}).text
    assert (same.count("Station 46 is linked"), "name two different ones" in same) == (1, True)


def test_a_station_that_is_not_on_the_board_is_told_with_the_numbers_there_are(table: Table):
    game = hunt(table)
    for wrong in ({"station": "0"}, {"station": "46", "other": "200"}, {"station": "x"}, {}):
        answer = Browser(table, game.people[2]).post(f"/games/{game.id}/stations", wrong)
        assert (answer.status_code, "A station is a number from 1 to 199." in answer.text) == (422, True), wrong


def test_mr_x_and_those_who_watch_ask_about_stations_too(table: Table):
    game = hunt(table)
    for person in (game.people[0], None):
        page = Browser(table, person).post(f"/games/{game.id}/stations", {"station": "100"}).text
        told, around, rest = page.partition("Around you")
        assert "Station 100 is linked" in told
        assert (bool(around), "Station 100 is linked" in rest) == (person is not None, person is not None)
        assert "last seen" not in page
        assert ("On it: Mr. X" in told) is (person is not None)


def test_the_last_sighting_is_offered_once_he_was_seen(table: Table):
    game = table.game(table.people(2), position=position(104, red=117), options={"surfacing": [2]})
    browser = Browser(table, game.people[1])
    for mover, move in ((0, "taxi 116"), (1, "red taxi 129"), (0, "taxi 104")):
        assert 'data-zoom="sighting"' not in browser.get(f"/games/{game.id}").text
        game.move(game.people[mover], move)
    assert 'data-zoom="sighting"' in browser.get(f"/games/{game.id}").text
