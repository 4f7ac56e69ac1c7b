"""The coach of a first game: five lines on its page, made of what their reader sees."""

import re

from server.models import Game, session
from server.web.game import coach
from tests.table import Table
from tests.web.game.test_invitation import OPEN, opened, sits_down
from tests.web.game.test_page import Browser
from tests.worlds import beginnings


def practised(table: Table, browser: Browser, role: str = "detective") -> str:
    """Return the path of a practice game that has been begun."""
    path = browser.post("/practice", {"role": role}).headers["Location"]
    table.tick()
    return str(path)


def told(page: str) -> list[tuple[str, str]]:
    return re.findall(r'<li data-place="(\w+)">([^<]+)</li>', page)


def test_a_first_practice_game_has_five_lines_in_the_order_of_reading(table: Table):
    browser = Browser(table)
    page = browser.get(practised(table, browser)).text
    lines = told(page)
    assert [place for place, _ in lines] == ["pawn", "reach", "move", "log", "where"]
    station = re.findall(r"You are Purple, on (\d+)\.", lines[0][1])
    with table.app.app_context():
        game = session.query(Game).one()
        assert int(station[0]) == game.starts["purple"]
    assert "Purple has ten taxi tickets" in lines[2][1]
    assert "After moves 3, 8, 13 and 18 everybody sees where he is." in lines[3][1]
    assert '<details class="coach" data' in page, "without a script it is a line, which a touch opens"
    assert lines[2][1].startswith("Under “Move Purple” you make the move."), "it is true without a script, too"


def test_mr_x_is_told_where_he_is_and_what_the_others_see(table: Table):
    browser = Browser(table)
    lines = told(browser.get(practised(table, browser, "mr_x")).text)
    assert re.match(r"You are Mr\. X, on \d+\. Nobody else sees where you are\.", lines[0][1])
    assert "everybody sees where you are" in lines[3][1]


def test_it_is_gone_in_the_third_round(table: Table):
    browser = Browser(table)
    path = practised(table, browser)
    for number in (1, 2, 3):
        page = browser.get(path).text
        assert bool(told(page)) == (number < 3)
        turn, move = (re.findall(rf'name="{name}" value="([^"]+)"', page)[0] for name in ("turn", "move"))
        browser.post(f"{path}/moves", {"turn": turn, "move": move})
        table.tick()


def test_a_first_game_among_people_has_them_and_a_second_game_has_none(table: Table):
    ada, ben, cleo = table.people(3)
    path = f"/games/{table.game([ada, ben, cleo]).id}"
    his, hers = (told(Browser(table, person).get(path).text) for person in (ada, ben))
    assert "All the others hunt you." in his[0][1]
    assert "A black ticket hides which line you took; a double move is two moves." in his[2][1]
    assert "One player is Mr. X, and the other detectives are with you." in hers[0][1]
    assert "a halo is there" in hers[4][1]
    assert not any("Bots" in text for _, text in his + hers)
    assert told(Browser(table, ada).get(practised(table, Browser(table, ada))).text) == [], "she has played before"


def test_a_guest_among_people_has_them(table: Table):
    (ada,) = table.people(1)
    game = opened(ada, OPEN[:2])
    anna = sits_down(table, game, "Anna")
    ada.post(f"/games/{game['id']}/start")
    assert len(told(anna.get(f"/games/{game['id']}").text)) == 5


def test_a_game_that_still_waits_for_players_is_none_that_was_played(table: Table):
    (ada,) = table.people(1)
    ada.post("/games", {"edition": "condensed", "players": 2})
    browser = Browser(table, ada)
    assert len(told(browser.get(practised(table, browser)).text)) == 5


def test_nobody_else_reads_them(table: Table):
    ada, zoe = table.people(2)
    browser = Browser(table, ada)
    path = practised(table, browser)
    with table.app.app_context():
        session.query(Game).update({"visibility": "public"})
        session.commit()
    for person in (None, zoe):
        page = Browser(table, person).get(path)
        assert (page.status_code, told(page.text)) == (200, [])


def test_in_two_games_that_differ_in_where_mr_x_is_a_detective_reads_the_same():
    for pair in (beginnings.dealt(), beginnings.placed()):
        first, second = (
            [coach.lines(state.view(pawn), [pawn], is_against_bots=True) for pawn in state.pawns]
            for state in (pair.one, pair.other)
        )
        assert first == second
        his = [coach.lines(state.view("mr_x"), ["mr_x"], is_against_bots=True) for state in (pair.one, pair.other)]
        assert his[0] != his[1], "the pair differs"


def test_the_tour_leads_from_help_in_five_steps_to_a_game(table: Table):
    for path in ("/docs", "/"):
        assert 'href="/tour"' in table.client.get(path).text
    page = table.client.get("/tour").text
    assert re.findall(r"<h2>(\d)\.", page) == ["1", "2", "3", "4", "5"]
    assert page.count("<figure") == 5
    assert page.count("<figcaption>") == 5
    assert 'action="/practice"' in page


def test_help_leads_players_first_and_sets_apart_what_is_for_operators_and_programs(table: Table):
    page = table.client.get("/docs").text
    parts = {part[: part.index('"')]: part for part in page.split('<h2 id="')[1:]}
    assert list(parts) == ["players", "operators", "programmers"]
    assert page.index('href="/how-to-play"') < page.index('id="players"')
    for reader, guides in {
        "players": ("how-to-play", "browser", "mail"), "operators": ("operating", "settings", "commands"),
        "programmers": ("api", "bots", "reference"),
    }.items():  # fmt: skip
        assert all(f'href="/docs/{guide}"' in parts[reader] for guide in guides), reader
