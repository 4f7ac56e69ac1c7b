"""Moves by a form: double moves in two steps, surfacing for tickets, queued moves that are taken back one by one."""

import re

from server.web.game.answers import TOO_LATE
from tests.positions import position
from tests.scenes import CHASE, chase, hunt, pairs
from tests.table import Playing, Table
from tests.web.game.test_page import Browser, choices


def test_the_second_halves_of_a_double_move_are_offered_after_the_first_and_nothing_is_played_yet(table: Table):
    game = chase(table)
    before = game.view(game.people[0])
    browser = Browser(table, game.people[0])
    page = browser.post(f"/games/{game.id}/moves/double", {"turn": before["turn"], "move": "bus 100"})
    offered = choices(page.text)
    assert page.status_code == 200
    assert offered
    assert all(notation.startswith("double bus 100 ") for notation in offered)
    assert game.view(game.people[0]) == before
    at = before["pawns"]["mr_x"]["station"]
    assert f"You stand on {at}. After the first leg, by bus to 100, you can go on by taxi to" in page.text
    assert f"You are at {at}." in page.text, "the caption of the board says the same"
    browser.post(f"/games/{game.id}/moves", {"turn": before["turn"], "move": "double bus 100 taxi 101"})
    assert [entry["ticket"] for entry in game.view()["log"]] == ["bus", "taxi"]


def test_a_double_move_that_cannot_begin_so_shows_the_game_with_the_reason(table: Table):
    game = hunt(table)
    for person, move, sentence in (
        (0, "taxi 101", "No double move begins with taxi to 101."),
        (1, "purple taxi 126", "No double move begins with taxi to 126."),
        (0, "", "Choose a move first."),
        (0, "by foot", "is no ticket"),
    ):
        form = {"turn": game.view()["turn"], "move": move}
        answer = Browser(table, game.people[person]).post(f"/games/{game.id}/moves/double", form)
        assert (answer.status_code, sentence in answer.text) == (422, True), move


def test_a_double_move_that_begins_on_the_page_of_an_earlier_turn_is_a_conflict_and_the_page_says_so(table: Table):
    game = chase(table)
    stale = game.view()["turn"] - 1
    browser = Browser(table, game.people[0])
    answer = browser.post(f"/games/{game.id}/moves/double", {"turn": stale, "move": "bus 100"})
    assert (answer.status_code, TOO_LATE in answer.text) == (409, True)
    assert not [each for each in choices(answer.text) if each.startswith("double")]


def test_a_move_from_a_page_before_the_pawns_last_is_not_made_and_the_page_shows_the_game_as_it_is(table: Table):
    game = hunt(table)
    ben = Browser(table, game.people[1])
    path, stale = f"/games/{game.id}", game.view()["turn"]
    now = next(each for each in choices(ben.get(path).text) if each.startswith("purple"))
    ben.post(f"{path}/moves", {"turn": stale, "move": now})
    before = game.view()
    answer = ben.post(f"{path}/moves", {"turn": stale, "move": now})
    assert (answer.status_code, TOO_LATE in answer.text) == (409, True)
    assert f"Turn {stale}" not in answer.text
    assert game.view() == before


def test_a_move_sent_ahead_from_a_page_that_had_not_heard_of_the_move_before_it_is_played_once(table: Table):
    game = hunt(table)
    cleo, path, shown = Browser(table, game.people[2]), f"/games/{game.id}", game.view()["turn"]
    game.move(game.people[1], "purple taxi 126")
    assert cleo.post(f"{path}/moves", {"turn": shown, "move": "red taxi 66"}).status_code == 303
    after = game.view()
    assert (after["pawns"]["red"]["station"], after["to_move"]) == (66, ["green"])
    again = cleo.post(f"{path}/moves", {"turn": shown, "move": "red taxi 66"})
    assert (again.status_code, TOO_LATE in again.text) == (409, True)
    assert f'name="turn" value="{after["turn"]}"' not in again.text, "Red has no choice any more"
    assert game.view() == after


def test_a_move_sent_ahead_from_a_page_of_an_earlier_turn_waits_if_its_own_has_not_come(table: Table):
    game = hunt(table)
    dan, path, shown = Browser(table, game.people[3]), f"/games/{game.id}", game.view()["turn"]
    game.move(game.people[1], "purple taxi 126")
    move = next(each for each in choices(dan.get(path).text) if each.startswith("green"))
    assert dan.post(f"{path}/moves", {"turn": shown, "move": move}).status_code == 303
    assert (game.view()["to_move"], queued(dan, game)) == (["red"], ["green"])


def test_a_move_sent_ahead_whose_station_was_taken_meanwhile_is_refused_with_that_reason(table: Table):
    game = hunt(table)
    cleo, path, shown = Browser(table, game.people[2]), f"/games/{game.id}", game.view()["turn"]
    game.move(game.people[1], "purple bus 102")
    before = game.view()
    answer = cleo.post(f"{path}/moves", {"turn": shown, "move": "red bus 102"})
    assert (answer.status_code, "Another detective stands on 102" in answer.text) == (422, True)
    assert game.view() == before


def test_a_move_sent_ahead_in_an_earlier_round_is_not_made(table: Table):
    game = hunt(table)
    cleo, path, shown = Browser(table, game.people[2]), f"/games/{game.id}", game.view()["turn"]
    move = next(each for each in choices(cleo.get(path).text) if each.startswith("red"))
    for person in game.people[1:]:
        game.move(person)
    for goes_on in (lambda: None, lambda: game.move(game.people[0]), lambda: game.move(game.people[1])):
        goes_on()
        before = game.view()
        answer = cleo.post(f"{path}/moves", {"turn": shown, "move": move})
        assert (answer.status_code, TOO_LATE in answer.text) == (409, True), before["to_move"]
        assert game.view() == before


def test_a_move_or_the_first_leg_of_a_double_move_after_the_end_shows_how_the_game_ended(table: Table):
    game = hunt(table)
    path, turn = f"/games/{game.id}", game.view()["turn"]
    game.people[0].post(f"{path}/resign")
    for place in ("moves", "moves/double"):
        answer = Browser(table, game.people[1]).post(f"{path}/{place}", {"turn": turn, "move": "purple taxi 126"})
        assert (answer.status_code, "This game is over; there is nothing to " in answer.text) == (409, True), place
        assert "The detectives have won" in answer.text


def test_a_form_that_holds_two_moves_plays_neither(table: Table):
    game = chase(table)
    before = game.view()
    browser = Browser(table, game.people[0])
    for path in ("/moves", "/moves/double"):
        form = {"turn": before["turn"], "move": ["bus 100", "taxi 101"]}
        answer = browser.post(f"/games/{game.id}{path}", form)
        assert answer.status_code == 422
        assert "The field &#39;move&#39; is sent more than once, so nothing was done." in answer.text
    assert game.view() == before


def test_mr_x_shows_himself_and_takes_a_ticket_from_each_detective(table: Table):
    game = table.game(table.people(6), position=CHASE, options={"voluntary_surfacing": True})
    browser = Browser(table, game.people[0])
    page = browser.get(f"/games/{game.id}").text
    assert "Show yourself after this move" in page
    taken = {f"take-{pawn}": "taxi" for pawn in re.findall(r'name="take-(\w+)"', page)}
    form = {"turn": game.view()["turn"], "move": "bus 100", "surface": "1"}
    assert len(taken) == 5
    assert browser.post(f"/games/{game.id}/moves", form | {"take-red": "taxi"}).status_code == 422
    assert browser.post(f"/games/{game.id}/moves", form | taken).status_code == 303
    view = game.view()
    assert view["pawns"]["mr_x"]["last_seen"] == {"window": 9, "station": 100}
    assert view["pawns"]["red"]["tickets"]["taxi"] == 7


def test_tickets_are_only_offered_where_the_edition_has_that(table: Table):
    game = chase(table)
    assert "Show yourself" not in Browser(table, game.people[0]).get(f"/games/{game.id}").text


def test_each_queued_move_can_be_taken_back_by_itself(table: Table):
    game = pairs(table)
    browser, path = Browser(table, game.people[2]), f"/games/{game.id}"
    for pawn in ("green", "yellow"):
        move = next(each for each in choices(browser.get(path).text) if each.startswith(pawn))
        browser.post(f"{path}/moves", {"turn": game.view()["turn"], "move": move})
    assert queued(browser, game) == ["green", "yellow"]
    browser.post(f"{path}/ahead", {"pawn": "purple"})
    browser.post(f"{path}/ahead", {"pawn": "green"})
    assert queued(browser, game) == ["yellow"]


def queued(browser: Browser, game: Playing) -> list[str]:
    return re.findall(r'name="pawn" value="(\w+)"', browser.get(f"/games/{game.id}").text)


def test_the_page_says_who_is_awaited_until_when_and_why_then(table: Table):
    game = hunt(table)
    for person, mine in ((1, True), (None, False)):
        page = Browser(table, None if person is None else game.people[person]).get(f"/games/{game.id}").text
        assert "Purple (Ben): due" in page
        assert re.search(r": due <time .*?>\w+ \d+ \w+, \d\d:\d\d (in London|UTC)</time>\.", page)
        assert "Why then?" in page
        assert ("in London" in page) is mine, "in the reader's own zone"


def in_words(*order: str) -> str:
    """Return what the page says of an order for Green that waits."""
    rides = [f"by {ticket} to {station}" for _, ticket, station in map(str.split, order)]
    return f"<span>Green goes {', or else '.join(rides)}, when it is Green&#39;s turn.</span>"


def test_second_choices_wait_with_the_move_and_the_first_that_is_legal_is_played(table: Table):
    game = pairs(table)
    ben, cleo = (Browser(table, person) for person in game.people[1:])
    path, turn = f"/games/{game.id}", game.view()["turn"]
    for label, name in (("Second", "else-1"), ("Third", "else-2")):
        assert f'<label>{label} choice <select name="{name}">' in cleo.get(path).text
    assert 'name="else-1"' not in Browser(table, game.people[0]).get(path).text
    purple = ben.get(path).text.partition('class="choose" data-pawn="red"')[0]
    assert ("Move Purple" in purple, 'name="else-1"' in purple) == (True, False), "its turn is now"
    first, second, third, *_ = [each for each in choices(cleo.get(path).text) if each.startswith("green")]
    form = {"turn": turn, "move": first, "else-1": "", "else-2": second}
    assert cleo.post(f"{path}/moves", form).status_code == 303
    assert in_words(first, second) in cleo.get(path).text
    assert cleo.post(f"{path}/moves", form | {"else-1": third}).status_code == 303
    assert in_words(first, third, second) in cleo.get(path).text, "it replaces the order before"
    assert cleo.post(f"{path}/moves", form | {"else-1": "by foot"}).status_code == 422
    other = next(each for each in choices(cleo.get(path).text) if each.startswith("yellow"))
    refused = cleo.post(f"{path}/moves", form | {"else-1": other})
    assert (refused.status_code, "has to be for the same pawn" in refused.text) == (422, True)
    assert in_words(first, third, second) in cleo.get(path).text, "the order before stays"
    offered = next(each for each in choices(ben.get(path).text) if each.startswith("purple"))
    form = {"turn": turn, "move": "purple taxi 1", "else-1": offered}
    assert ben.post(f"{path}/moves", form).status_code == 303
    assert f"purple taxi {game.view()['pawns']['purple']['station']}" == offered, "the first was not possible"


NO_WAY_ON = "At 91 only taxis stop: you could not move again."


def last_ride(table: Table) -> Playing:
    """A game of three in which Purple stands on 90 with one taxi ticket and no other that fits on 91."""
    purple = (90, {"taxi": 1, "bus": 2, "underground": 1})
    return table.game(table.people(3), position=position(1, to_move="purple", purple=purple, red=50))


def test_a_move_after_which_the_pawn_could_not_move_again_is_told_as_that_before_it_is_made(table: Table):
    game = last_ride(table)
    page = Browser(table, game.people[1]).get(f"/games/{game.id}").text
    warned = re.findall(r'value="([^"]+)"[^>]* data-then="([^"]+)"', page)
    assert warned == [("purple taxi 91", NO_WAY_ON)]
    assert f"<title>taxi to 91. {NO_WAY_ON}</title>" in page, "at the station"
    assert f'<p class="last-ride">{NO_WAY_ON}</p>' in page, "and in the list"
    assert "could not move again" not in Browser(table, game.people[2]).get(f"/games/{game.id}").text


def test_whose_pawn_can_move_no_more_reads_that_the_game_goes_on_and_at_the_end_since_when(table: Table):
    game = last_ride(table)
    for person, move in ((1, "purple taxi 91"), (2, "red taxi 37"), (0, "taxi 8"), (2, "red taxi 50")):
        assert game.move(game.people[person], move).status_code == 201
    browser = Browser(table, game.people[1])
    assert "You cannot move any more; the game goes on without you." in browser.get(f"/games/{game.id}").text
    game.contest()
    game.people[0].post(f"{game.path}/resign")
    page = browser.get(f"/games/{game.id}").text
    assert "You could not move any more after round 1, and the game went on without you." in page
    assert "replay?ply" not in page, "the result is provisional"
    table.clock.turn(days=2)
    table.tick()
    assert f'href="/games/{game.id}/replay?ply=1">Watch it from there' in browser.get(f"/games/{game.id}").text
    assert "without you" not in Browser(table, game.people[2]).get(f"/games/{game.id}").text
