"""The form of a new game, and the seats of a game that has not started."""

import re
from typing import Any

import pytest

from server.clock import WEEKDAYS
from server.house_rules.dealing import WAYS
from server.wording.seats import SEATING
from tests.table import Person, Table
from tests.web.game.test_page import Browser

USUAL = {"edition": "condensed", "players": "3", "seat": "mr_x", "others": "open"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Table, Person, Browser]:
    table = Table(tmp_path_factory.mktemp("new"))
    ada, *_ = table.people(2)
    return table, ada, Browser(table, ada)


def opened(shared: tuple[Table, Person, Browser], **form: str) -> dict[str, object]:
    """Open a game by the form, and return it as REST shows it."""
    _, ada, browser = shared
    answer = browser.post("/games", USUAL | form)
    assert answer.status_code == 303, re.findall(r'class="wrong"[^>]*>([^<]*)', answer.text)
    return ada.get(answer.headers["Location"]).json


def test_seats_are_filled_one_by_one(shared: tuple[Table, Person, Browser]):
    game = opened(shared, seat="detective", bot_1="fugitive", who_3="kim@example.org")
    seats = [(seat["state"], seat["bot"], seat["invite"]) for seat in game["seats"]]  # type: ignore[attr-defined]
    assert seats == [("taken", "fugitive", None), ("taken", None, None), ("invited", None, "kim@example.org")]


def test_options_that_are_changed_are_those_of_the_game(shared: tuple[Table, Person, Browser]):
    form = {
        "cut_off": "True",
        "surfacing": "3, 9",
        "max_rounds": "none",
        "mr_x_tickets.double": "1",
        "black": "per_pawn",
    }
    options = opened(shared, **form)["options"]
    names = ("cut_off", "surfacing", "max_rounds", "mr_x_tickets")
    tickets = {"taxi": 4, "bus": 3, "underground": 3, "double": 1}
    assert [options[name] for name in names] == [True, [3, 9], None, tickets]  # type: ignore[index]


def test_a_clock_of_one_s_own_with_days_off_and_grace(shared: tuple[Table, Person, Browser]):
    form = {"clock": "own", "kind": "per_move", "mr_x": "36", "mr_x_unit": "H", "detectives": "1",
            "detectives_unit": "D", "off_sat": "on", "off_sun": "on", "grace": "12", "cover": "on",
            "mr_x_late": "vote"}  # fmt: skip
    clock = opened(shared, **form)["clock"]
    wanted = {"kind": "per_move", "mr_x": "PT36H", "detectives": "P1D", "days_off": ["sat", "sun"], "grace": "PT12H",
              "cover": True, "mr_x_late": "vote", "zone": "Europe/London"}  # fmt: skip
    assert wanted.items() <= clock.items()  # type: ignore[attr-defined]


def test_show_says_how_long_a_round_takes_and_opens_nothing(shared: tuple[Table, Person, Browser]):
    _, ada, browser = shared
    for form, words in (
        ({}, "a round takes 4 days, and the whole game takes at most 88 days"),
        ({"clock": "each"}, "a round takes 4 days, and the whole game takes at most 88 days"),
        ({"clock": "one_day", "off_sat": "on", "off_sun": "on"}, "a round takes about 3 days"),
        ({"clock": "own", "kind": "per_phase", "mr_x": "1", "detectives": "3"}, "a round takes 4 days"),
        ({"clock": "bank"}, "If everybody takes their whole time, the whole game takes at most"),
        ({"clock": "none"}, "as long as the players like"),
        ({"detectives_late": "easy"}, "The server moves the pawns of late detectives as easy bots do"),
        ({"max_rounds": "10"}, "the whole game takes at most 40 days"),
    ):
        before = len(ada.get("/games?mine=true").json["games"])
        page = browser.post("/games", USUAL | form | {"show": "yes"})
        summary = page.text.partition('id="summary"')[2].partition("</div>")[0]
        assert (page.status_code, words in summary) == (200, True), summary
        assert len(ada.get("/games?mine=true").json["games"]) == before, form


def summary(page: str) -> list[str]:
    return re.findall(r"<p[^>]*>([^<]*)</p>", page.partition('id="summary"')[2].partition("</div>")[0])


def test_show_says_at_once_that_an_edition_is_not_for_so_many_people(shared: tuple[Table, Person, Browser]):
    for players in ("3", "4"):
        page = shared[2].post("/games", {"edition": "ravensburger-2013", "players": players, "show": "yes"})
        assert len(summary(page.text)) == 1, page.text
        assert summary(page.text)[0].startswith(f"This game is for 5 to 6 people, Mr. X included, not {players}.")
        at_field = page.text.partition('id="refused-players"')[2].partition("</label>")[0]
        assert f"not {players}." in at_field


def black_tickets(page: str) -> str:
    """Return what a form says of the option `black`, if it is left as it is: the value of the edition."""
    return re.findall(r'name="black"[^>]*placeholder="([^"]*)"', page)[0]


def test_the_form_has_the_values_of_the_edition_that_is_chosen_or_that_the_address_names(
    shared: tuple[Table, Person, Browser],
):
    _, _, browser = shared
    for edition, title, black in (
        ("ravensburger-2000", "Ravensburger 2000", "one for each detective"),
        ("milton-bradley-1985", "Milton Bradley 1985", "5"),
    ):
        chosen = browser.post("/games", {"edition": edition, "show": "yes"}).text
        named = browser.get(f"/games?edition={edition}").text
        for page in (chosen, named):
            assert black_tickets(page) == black
            assert f"What you do not change stays as in {title}." in page
            assert f'name="edition" value="{edition}" checked' in page
        assert f'href="/games?edition={edition}"' in browser.get(f"/how-to-play/{edition}").text
    wrong = browser.get("/games?edition=chess")
    assert (wrong.status_code, 'id="wrong-edition"' in wrong.text) == (422, True)


def test_show_says_how_the_players_share_the_detectives(shared: tuple[Table, Person, Browser]):
    for edition, players, words in (
        ("condensed", "4", "4 people."),
        ("condensed", "3", "3 people: Mr. X, and 2 players with 2 detectives each."),
        ("condensed", "2", "2 people: Mr. X, and a player with 4 detectives."),
        ("milton-bradley-1985", "3", "3 people: Mr. X, and 2 players with 2 or 3 detectives each."),
    ):
        page = shared[2].post("/games", {"edition": edition, "players": players, "show": "yes"})
        assert summary(page.text)[0].endswith(f" for {words}"), summary(page.text)


def test_a_refused_form_has_the_sentence_at_the_field_and_all_that_was_typed(shared: tuple[Table, Person, Browser]):
    for form, field in (
        ({"players": "9"}, "players"),
        ({"edition": "chess"}, "edition"),
        ({"black": "many", "surfacing": "3 7"}, "black"),
        ({"clock": "own", "kind": "per_phase", "mr_x": "soon"}, "clock"),
        ({"who_2": "Nobody I know"}, "seats"),
        ({"who_2": "kim@example.org", "who_3": "kim@example.org"}, "seats"),
        ({"seating": "by age"}, "seating"),
    ):
        answer = shared[2].post("/games", USUAL | form)
        assert answer.status_code == 422, form
        assert f'id="wrong-{field}"' in answer.text, form
        typed = {**USUAL, **form}
        for name in ("who_2", "who_3", "black", "surfacing", "mr_x"):
            if name in typed:
                assert re.search(rf'name="{name}"[^>]* value="{typed[name]}"', answer.text), name


def test_a_field_that_was_refused_says_in_plain_words_what_to_write(shared: tuple[Table, Person, Browser]):
    own = {"clock": "own", "kind": "per_phase", "mr_x": "2", "detectives": "2"}
    for form, sentence in (
        ({"mr_x": "0"}, "The time for a turn is from 10 minutes to 365 days."),
        ({"detectives": "999"}, "The time for a turn is from 10 minutes to 365 days."),
        ({"grace": "999"}, "The grace is at most 336 hours."),
        ({f"off_{day}": "on" for day in WEEKDAYS}, "Leave at least one day of the week on which time passes."),
        ({"kind": "schedule", "at": ""}, "Choose the time of day until which the players have."),
        ({"surfacing": "3, x"}, "Write moves that the travel log has room for, such as 3, 8, 13; or none."),
        ({"surfacing": "99"}, "Write moves that the travel log has room for, such as 3, 8, 13; or none."),
        ({"max_rounds": "many"}, "Write a whole number from 1 to 1000; or none."),
        ({"log_windows": "0"}, "Write a whole number from 1 to 1000"),
        ({"black": "-3"}, "Write a whole number; "),
        ({"detective_tickets.taxi": "-1"}, "Write whole numbers, or leave fields empty"),
        ({"mr_x_supply": "unlimited", "mr_x_tickets.taxi": "9"}, "Leave Mr. X a ticket for his first move, and the"),
        ({"seating": "by age"}, "Choose one of these."),
    ):
        answer = shared[2].post("/games", USUAL | own | form)
        told = re.findall(r'class="wrong"[^>]* id="wrong-\w+">([^<]*)<', answer.text)
        assert (answer.status_code, [each.startswith(sentence) for each in told]) == (422, [True]), told


def test_every_way_of_seating_is_explained():
    assert set(SEATING) == set(WAYS)


# Cards ------------------------------------------------------------------------------------------


def fields(page: str) -> dict[str, str]:
    """Return what a browser would send of the form of a page: what is typed, checked and selected."""
    form = page.partition('id="new-game"')[2].partition("</form>")[0]
    sent = dict(re.findall(r'<input type="radio" name="([^"]+)" value="([^"]*)" checked>', form))
    sent |= dict(re.findall(r'<input type="checkbox" name="([^"]+)" value="([^"]*)" checked>', form))
    for tag in re.findall(r"<input (?!type=\"(?:radio|checkbox))[^>]*>", form):
        (name, value) = (re.findall(rf'{each}="([^"]*)"', tag) for each in (" name", " value"))
        sent[name[0]] = value[0] if value else ""
    for name, options in re.findall(r'<select name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        offered = re.findall(r"<option([^>]*)>([^<]*)", options)
        given, words = next((each for each in offered if each[0].endswith(" selected")), offered[0])
        sent[name] = next(iter(re.findall('value="([^"]*)"', given)), words)
    return {name: value for name, value in sent.items() if value}


def started(shared: tuple[Table, Person, Browser], card: str) -> dict[str, Any]:
    """Choose a card, press Start, and return the game as REST shows it."""
    _, ada, browser = shared
    answer = browser.post("/games", fields(browser.get(f"/games?card={card}").text))
    assert answer.status_code == 303, re.findall(r'class="wrong"[^>]*>([^<]*)', answer.text)
    found: dict[str, Any] = ada.get(answer.headers["Location"]).json
    return found


def test_a_card_and_start_make_the_game_that_the_card_names(shared: tuple[Table, Person, Browser]):
    mine = {card: started(shared, card) for card in ("club", "mine")}
    assert {card: (game["edition"], len(game["seats"]), game["status"]) for card, game in mine.items()} == {
        "club": ("ravensburger-2000", 6, "open"),
        "mine": ("condensed", 2, "open"),
    }
    assert [mine[card]["you"]["seat"] for card in mine] == [2, 2]
    times = {card: (game["clock"]["kind"], game["clock"].get("mr_x")) for card, game in mine.items()}
    assert times == {"club": ("per_phase", "P3D"), "mine": ("per_phase", "P1D")}
    assert mine["club"]["clock"]["days_off"] == ["sat", "sun"]
    assert [game["seating"] for game in mine.values()] == ["rotation", "chosen"]


def test_a_friend_without_an_account_can_take_the_last_seat_of_the_card_for_two(shared: tuple[Table, Person, Browser]):
    game = started(shared, "mine")
    assert Browser(shared[0]).post(f"/join/{game['code']}", {"name": "Anna"}).status_code == 303


def test_the_rules_are_folded_until_something_is_changed_and_have_the_values_of_the_card_s_edition(
    shared: tuple[Table, Person, Browser],
):
    page = shared[2].get("/games?card=mine").text
    assert '<details class="changes"><summary>Change the rules</summary>' in page
    assert "What you do not change stays as in Condensed." in page
    changed = shared[2].post("/games", fields(page) | {"show": "yes", "max_rounds": "10"}).text
    assert '<details class="changes" open>' in changed
    assert 'card=mine" aria-current="true"' in changed
    assert "at most 20 days" in " ".join(summary(changed))


def test_the_form_says_what_a_clock_of_minutes_means_and_that_seats_are_drawn(shared: tuple[Table, Person, Browser]):
    fast = {"clock": "own", "kind": "per_phase", "mr_x": "10", "mr_x_unit": "M", "detectives": "10"}
    wanted = fields(shared[2].get("/games?card=club").text) | fast | {"detectives_unit": "M", "seating": "lot"}
    told = " ".join(summary(shared[2].post("/games", wanted | {"show": "yes"}).text))
    assert "Nights, days off and vacation do not stop so fast a clock." in told
    assert "The seats are drawn when the game starts. The other seats stay open" in told
    assert "You are a detective" not in told
    assert "If Mr. X is late twice, he has lost." in told


def test_a_card_that_there_is_not_is_the_usual_one(shared: tuple[Table, Person, Browser]):
    assert 'card=club" aria-current="true"' in shared[2].get("/games?card=chess").text


def test_a_name_and_the_rules_for_guests_are_on_the_form(shared: tuple[Table, Person, Browser]):
    game = opened(shared, name="Friday night", guests="none")
    assert (game["name"], game["guests"]["seats"]) == ("Friday night", "none")  # type: ignore[index]
    for form, field in (({"name": "evil.example"}, "name"), ({"name": "Mr. X"}, "name"), ({"guests": "all"}, "guests")):
        answer = shared[2].post("/games", USUAL | form)
        assert (answer.status_code, f'id="wrong-{field}"' in answer.text) == (422, True), form


# Before the start ------------------------------------------------------------------------------


def test_how_late_pawns_are_moved_stands_on_the_page_and_in_the_rules_of_the_game(
    shared: tuple[Table, Person, Browser],
):
    _, ada, browser = shared
    words = "The server moves the pawns of late detectives as easy bots do"
    for form, is_said in (({"detectives_late": "easy"}, True), ({"detectives_late": "deduction"}, False), ({}, False)):
        path = browser.post("/games", USUAL | form).headers["Location"]
        assert [words in browser.get(page).text for page in (path, f"{path}/rules")] == [is_said, is_said], form
        chosen = ada.get(path).json["clock"]["detectives_late"]
        assert chosen == form.get("detectives_late", "deduction")
    refused = browser.post("/games", USUAL | {"detectives_late": "good"})
    assert (refused.status_code, "detectives_late: deduction or easy." in refused.text) == (422, True)


def test_a_game_in_which_seats_are_drawn_says_so(shared: tuple[Table, Person, Browser]):
    _, _, browser = shared
    drawn = browser.post("/games", USUAL | {"seating": "lot"}).headers["Location"]
    chosen = browser.post("/games", USUAL).headers["Location"]
    assert ["The seats are drawn when the game starts." in browser.get(path).text for path in (drawn, chosen)] == [
        True,
        False,
    ]


def test_the_host_invites_withdraws_and_puts_a_bot_there(shared: tuple[Table, Person, Browser]):
    table, ada, browser = shared
    path = browser.post("/games", USUAL).headers["Location"]
    wrong = browser.post(f"{path}/seats/2", {"who": "Nobody I know"})
    assert (wrong.status_code, 'id="wrong-2"' in wrong.text, 'value="Nobody I know"' in wrong.text) == (422, True, True)
    assert browser.post(f"{path}/seats/2", {"who": "kim@example.org"}).status_code == 303
    late = browser.post(f"{path}/seats/2", {"who": "ann@example.org"})
    assert (late.status_code, late.text.count('role="alert"')) == (409, 1), "though the form of that seat is gone"
    assert "invited: kim@example.org" in browser.get(path).text
    assert "kim@example.org" not in Browser(table, table.person("Zoe")).get(path).text
    browser.post(f"{path}/seats/2/clear")
    for seat in (2, 3):
        browser.post(f"{path}/seats/{seat}", {"bot": "constable"})
    assert "All seats are taken: you can start it." in browser.get(path).text
    assert browser.post(f"{path}/start").status_code == 303
    assert ada.get(path).json["status"] == "running"


def test_the_host_is_told_who_can_take_a_seat_with_the_link(shared: tuple[Table, Person, Browser]):
    _, _, browser = shared
    path = browser.post("/games", USUAL | {"players": "2"}).headers["Location"]
    everybody, invited = "Everybody who gets this link from you can take a seat", "only those whom you invited can take"
    assert [words in browser.get(path).text for words in (everybody, invited)] == [True, False]
    browser.post(f"{path}/seats/2", {"who": "kim@example.org"})
    assert [words in browser.get(path).text for words in (everybody, invited)] == [False, True]
    browser.post(f"{path}/seats/2/clear")
    browser.post(f"{path}/seats/2", {"bot": "constable"})
    assert [words in browser.get(path).text for words in (everybody, invited)] == [False, False]


def test_the_host_lists_the_game_and_hands_it_over(table: Table):
    ada, ben = table.people(2)
    host, other = Browser(table, ada), Browser(table, ben)
    path = host.post("/games", USUAL).headers["Location"]
    assert other.get(path).status_code == 404
    assert host.post(f"{path}/publish").status_code == 303
    assert other.post(f"{path}/seats").status_code == 303
    assert other.post(f"{path}/start").status_code == 403
    answer = host.post(f"{path}/host", {"seat": ""})
    assert (answer.status_code, "Choose a player." in answer.text) == (422, True)
    assert host.post(f"{path}/host", {"seat": "2"}).status_code == 303
    assert host.post(f"{path}/start").status_code == 403
    assert "Leave the game" in other.get(path).text


def test_a_code_that_is_typed_leads_to_its_game(table: Table):
    ada, ben = table.people(2)
    path = Browser(table, ada).post("/games", USUAL).headers["Location"]
    code = ada.get(path).json["code"]
    guest = Browser(table, ben)
    assert guest.post("/join", {"code": f" {code.upper()} "}).headers["Location"] == f"/join/{code}"
    assert guest.post("/join", {"code": f'"{code}"'}).headers["Location"] == f"/join/{code}"
    wrong = guest.post("/join", {"code": "nothing-like-it"})
    assert (wrong.status_code, 'value="nothing-like-it"' in wrong.text) == (404, True)


def test_nobody_but_the_host_changes_who_sits_where(table: Table):
    ada, ben = table.people(2)
    path = Browser(table, ada).post("/games", USUAL | {"visibility": "public"}).headers["Location"]
    other = Browser(table, ben)
    for part in ("seats/2", "seats/1/clear", "publish", "host", "start"):
        assert other.post(f"{path}/{part}", {"bot": "constable", "seat": "2"}).status_code == 403, part
    assert "Invite" not in other.get(path).text
