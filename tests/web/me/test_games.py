"""My games: the order, what each shows, invitations, and the archive."""

import re

import pytest

from server.application.lists import listing
from tests.scenes import hunt
from tests.statements import statements
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser


def sections(page: str) -> dict[str, str]:
    """Return the text of each section of the page, by its heading."""
    parts = re.split(r"<h2>([^<]+)</h2>", page)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def open_game(host: Person, *seats: dict[str, str], **wanted: str) -> str:
    body = {"edition": "condensed", "seats": list(seats), **wanted}
    return str(host.post("/games", body).json["id"])


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def test_a_game_shows_whose_turn_it_is_until_when_and_what_happened_last(hunted: Playing):
    ada, ben, *_ = hunted.people
    hers, his = (sections(Browser(hunted.table, person).get("/me").text) for person in (ada, ben))
    assert (
        'It is your turn, due <b><time datetime="2026-11-24T18:00:00Z">Tuesday 24 November, 18:00' in his["Your turn"]
    )
    assert "Mr. X took a black ticket." in his["Your turn"]
    assert "Your turn" not in hers
    assert "To move: Ben (Purple)" in hers["Running"]
    assert "Tuesday 24 November, 18:00" in hers["Running"]
    assert "100" not in re.sub(r"/games/\w+", "", his["Your turn"] + hers["Running"])  # where he is


def test_a_game_in_which_others_move_first_says_that_a_move_can_be_sent_ahead(hunted: Playing):
    browser = Browser(hunted.table, hunted.people[2])
    card = sections(browser.get("/me").text)["Your turn"]
    assert "Ben (Purple) moves first. You can send your move ahead, due <b><time" in card
    assert "you can send your move ahead" in browser.get("/").text


def test_a_title_begins_with_a_small_letter_and_a_name_in_it_is_as_it_is_written(table: Table):
    browser = Browser(table, table.person("Anna"))
    assert "<title>Black Ticket: your games, Anna</title>" in browser.get("/me").text
    assert "<title>Black Ticket: what was mailed to you</title>" in browser.get("/me/deliveries").text


def test_times_are_in_the_zone_of_the_reader(hunted: Playing):
    browser = Browser(hunted.table, hunted.people[1])
    browser.post("/me/zone", {"zone": "Asia/Tokyo"})
    assert "Wednesday 25 November, 03:00 in Tokyo" in browser.get("/me").text


def test_the_game_that_has_waited_longest_is_first(table: Table):
    ada, ben = table.people(2)
    seats = ({"role": "mr_x", "player": ada.id}, {"role": "detective", "bot": "constable"})
    ids = []
    for _ in range(3):
        ids.append(open_game(ada, *seats))
        ada.post(f"/games/{ids[-1]}/start")
        table.clock.turn(hours=1)
    listed = re.findall(r'href="/games/(\w+)"', sections(Browser(table, ada).get("/me").text)["Your turn"])
    assert listed == ids
    assert not re.search(r'href="/games/\w+"', Browser(table, ben).get("/me").text)


def test_an_invitation_is_accepted_or_declined_under_my_games(table: Table):
    ada, ben = table.people(2)
    game = open_game(ada, {"role": "mr_x", "player": ada.id}, {"role": "detective", "invite": ben.address})
    guest = Browser(table, ben)
    page = sections(guest.get("/me").text)["Invitations"]
    assert "Ada invites you to play Purple, Red, Green and Yellow." in page
    assert guest.post(f"/games/{game}/leave").headers["Location"] == "/me?done=yes"
    assert "Invitations" not in sections(guest.get("/me").text)
    Browser(table, ada).post(f"/games/{game}/seats/2", {"who": ben.address})
    assert guest.post(f"/games/{game}/seats").status_code == 303
    assert "waits for the host to start it" in sections(guest.get("/me").text)["Not started"]
    assert "ready: you can start it" in Browser(table, ada).get("/me").text


def test_finished_games_are_in_the_archive_the_newest_first_and_in_pages(table: Table):
    (ada,) = table.people(1)
    ids = []
    for _ in range(listing.A_PAGE + 1):
        ids.append(open_game(ada, {"role": "mr_x", "player": ada.id}, {"role": "detective", "bot": "constable"}))
        ada.post(f"/games/{ids[-1]}/start")
        ada.post(f"/games/{ids[-1]}/resign")
        table.clock.turn(hours=1)
    browser = Browser(table, ada)
    first, second = (browser.get(f"/me/archive?page={number}").text for number in (1, 2))
    assert [re.findall(r'href="/games/(\w+)"', page) for page in (first, second)] == [ids[:0:-1], ids[:1]]
    assert "The detectives have won" in first
    assert ("Older games" in first, "Older games" in second, "Newer games" in second) == (True, False, True)
    assert ids[0] not in browser.get("/me").text


def test_more_games_do_not_mean_more_statements(table: Table):
    ada, ben = table.people(2)
    browser = Browser(table, ada)
    counts = []
    for number in (1, 2):
        for _ in range(number):
            game = open_game(ada, {"role": "mr_x", "player": ada.id}, {"role": "detective", "bot": "constable"})
            ada.post(f"/games/{game}/start")
            over = open_game(ada, {"role": "mr_x", "player": ada.id}, {"role": "detective", "bot": "constable"})
            ada.post(f"/games/{over}/start")
            ada.post(f"/games/{over}/resign")
            open_game(ada, {"role": "mr_x", "player": ada.id}, {"role": "detective"})
            open_game(ben, {"role": "mr_x", "player": ben.id}, {"role": "detective", "invite": ada.address})
        table.tick()
        for path in ("/me", "/me/archive", "/me/mail", "/me/deliveries"):
            browser.get(path)  # what is cached is
            with statements(table) as sent:
                assert browser.get(path).status_code == 200
            counts.append(len(sent))
    assert counts[:4] == counts[4:]
