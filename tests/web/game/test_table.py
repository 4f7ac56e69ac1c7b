"""Talk, votes and seats on the page of a game, and who gets them."""

import re
from typing import Any

import pytest

from server.models import FormerHolder, Game, session, transaction
from tests.scenes import hunt, pairs
from tests.table import Person, Playing, Table
from tests.web.game.test_invitation import OPEN, opened, sits_down
from tests.web.game.test_page import Browser

FORMS = {
    "talk": {"to": "all", "text": "Hello"},
    "talk/muted": {"muted": "yes"},
    "votes": {"kind": "pause"},
    "draw": {"agrees": "yes"},
    "cover": {"seat": ""},
    "resign": {},
    "rematch": {},
    "host": {"seat": "2"},
}


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def actions(browser: Browser, game: Playing) -> set[str]:
    """Return the forms of the table that the page of the game offers."""
    found = re.findall(rf'(?:action|href)="/games/{game.id}/([\w/]+)"', browser.get(f"/games/{game.id}").text)
    return set(found) & FORMS.keys()


def test_the_team_talks_and_mr_x_reads_only_what_is_for_all(hunted: Playing):
    ada, ben, cleo, *_ = (Browser(hunted.table, person) for person in hunted.people)
    path = f"/games/{hunted.id}"
    assert ben.post(f"{path}/talk", {"to": "team", "text": "I cover <b>100</b>"}).status_code == 303
    assert ada.post(f"{path}/talk", {"to": "all", "text": "Good luck"}).status_code == 303
    assert "I cover &lt;b&gt;100&lt;/b&gt;" in cleo.get(path).text
    assert "I cover" not in ada.get(path).text
    assert "Good luck" in ben.get(path).text
    assert "Send to the team" not in ada.get(path).text
    refused = ada.post(f"{path}/talk", {"to": "team", "text": "Where are you?"})
    assert (refused.status_code, "Mr. X has no team" in refused.text) == (422, True)
    assert "Where are you?" in refused.text, "what was written is still there"


def test_a_message_is_signed_with_the_name_and_the_pawn_of_who_wrote_it(hunted: Playing):
    ben, cleo = (Browser(hunted.table, hunted.people[number]) for number in (1, 2))
    path = f"/games/{hunted.id}"
    ben.post(f"{path}/talk", {"to": "team", "text": "He is at the river"})
    assert "<b>Ben (Purple)</b>" in cleo.get(path).text
    assert "<b>You</b>" in ben.get(path).text
    hunted.people[1].post(f"{hunted.path}/resign")
    assert "<b>Ben (Purple)</b>" in cleo.get(path).text, "it was Ben, though a bot is Purple now"


def test_a_message_whose_form_is_sent_twice_is_said_once(hunted: Playing):
    ben, path = Browser(hunted.table, hunted.people[1]), f"/games/{hunted.id}"

    def read() -> str:
        return re.findall(r'name="after" value="(\d+)"', ben.get(path).text)[0]

    form = {"to": "team", "text": "I cover 100", "after": read()}
    assert [ben.post(f"{path}/talk", form).status_code for _ in range(2)] == [303, 303]
    assert ben.get(path).text.count("I cover 100") == 1
    ben.post(f"{path}/talk", form | {"after": read()})
    assert ben.get(path).text.count("I cover 100") == 2, "said again on purpose"


def test_many_messages_are_shown_when_they_are_asked_for(hunted: Playing):
    ben, path = Browser(hunted.table, hunted.people[1]), f"/games/{hunted.id}"
    for number in range(22):
        ben.post(f"{path}/talk", {"to": "all", "text": f"message {number}."})
    page = ben.get(path).text
    assert ("message 1." in page, "message 2." in page, "2 earlier" in page) == (False, True, True)
    assert "message 0." in ben.get(f"{path}?talk=all").text


def test_a_vote_is_asked_for_answered_and_carried(hunted: Playing):
    _, ben, cleo, dan, *_ = (Browser(hunted.table, person) for person in hunted.people)
    path = f"/games/{hunted.id}"
    assert ben.post(f"{path}/votes", {"kind": "extend", "number": "2", "unit": "days"}).status_code == 303
    page = cleo.get(path).text
    assert "asks all players to give the detectives 2 days more" in page
    [vote] = re.findall(rf"{path}/votes/(\w+)", page)
    assert cleo.post(f"{path}/votes/{vote}", {"for": "no"}).status_code == 303
    assert "Vote against it" not in cleo.get(path).text
    due_at = hunted.view()["due_at"]
    cleo.post(f"{path}/votes/{vote}", {"for": "yes"})
    for person in hunted.people[3:]:
        Browser(hunted.table, person).post(f"{path}/votes/{vote}", {"for": "yes"})
    assert hunted.view()["due_at"] > due_at
    late = dan.post(f"{path}/votes/{vote}", {"for": "yes"})
    assert (late.status_code, "That vote is closed" in late.text) == (409, True)


def test_a_vote_that_is_open_stands_above_the_board_with_its_buttons_until_one_has_voted(hunted: Playing):
    ben, cleo = (Browser(hunted.table, person) for person in hunted.people[1:3])
    path = f"/games/{hunted.id}"

    def above(browser: Browser) -> str:
        return browser.get(path).text.partition('<figure class="board')[0]

    assert "asks to" not in above(cleo)
    ben.post(f"{path}/votes", {"kind": "extend", "number": "2", "unit": "days"})
    asked = above(cleo)
    assert "<b>Purple (Ben)</b> asks to give the detectives 2 days more." in asked
    assert re.findall(r'name="for" value="(\w+)"', asked) == ["yes", "no"]
    assert "Your vote is missing" in cleo.get(path).text
    assert "asks to" not in above(ben), "who asks is for it"
    for person in hunted.people[2:]:
        browser = Browser(hunted.table, person)
        for vote in re.findall(rf"{path}/votes/(\w+)", browser.get(path).text):
            browser.post(f"{path}/votes/{vote}", {"for": "yes"})
    assert "asks to" not in above(cleo), "it is decided"


def test_a_proposal_that_makes_no_sense_is_refused_in_place(hunted: Playing):
    for form, sentence in (
        ({"kind": "resume"}, "nothing to resume"),
        ({"kind": "extend", "number": "soon", "unit": "days"}, "Write for how many days or hours"),
        (
            {"kind": "extend", "number": "8", "unit": "days"},
            ">Choose more than zero and at most 7 days.",
        ),
        ({"kind": "clock", "clock": "P9D"}, "Choose one of the clocks."),
        ({"kind": "tea"}, "kind:"),
    ):
        answer = Browser(hunted.table, hunted.people[1]).post(f"/games/{hunted.id}/votes", form)
        assert answer.status_code == 422, form
        assert sentence in answer.text, form


def test_only_what_would_be_accepted_is_offered(hunted: Playing):
    mr_x, ben = (Browser(hunted.table, hunted.people[number]) for number in (0, 1))
    assert actions(mr_x, hunted) == {"talk", "talk/muted", "votes", "draw", "resign", "host"}
    assert actions(ben, hunted) == {"talk", "talk/muted", "votes", "draw", "cover", "resign"}
    assert "Ask to go on now" not in ben.get(f"/games/{hunted.id}").text, "the game is not paused"
    hunted.contest()
    hunted.people[0].post(f"/games/{hunted.id}/resign")
    assert actions(ben, hunted) == {"talk", "talk/muted"}


def test_everything_that_is_offered_is_accepted(hunted: Playing):
    for name in sorted(FORMS.keys() - {"resign", "rematch"}):
        person = hunted.people[0 if name == "host" else 1]
        assert Browser(hunted.table, person).post(f"/games/{hunted.id}/{name}", FORMS[name]).status_code == 303, name


def test_a_detective_says_at_the_board_which_station_they_take_and_the_team_alone_hears_it(table: Table):
    game = pairs(table)
    ada, ben, cleo = game.people
    browser = Browser(table, ben)
    page = browser.get(f"/games/{game.id}").text
    assert re.search(r'<button[^>]* name="take" value="Purple" formaction="/games/\w+/talk">', page)
    for _ in range(2):  # pressed twice
        answer = browser.post(f"/games/{game.id}/talk", {"take": "Purple", "move": "purple taxi 46", "after": "0"})
        assert answer.status_code == 303
    (said,) = cleo.get(f"{game.path}/messages").json["messages"]
    assert (said["to"], said["text"], said["from"]["seat"]) == ("team", "I take 46 with Purple", 2)
    assert ada.get(f"{game.path}/messages").json["messages"] == []


def test_with_one_pawn_a_detective_says_only_where_to(hunted: Playing):
    ben = Browser(hunted.table, hunted.people[1])
    ben.post(f"/games/{hunted.id}/talk", {"take": "", "move": "taxi 46"})
    assert [said["text"] for said in hunted.people[1].get(f"{hunted.path}/messages").json["messages"]] == ["I take 46"]


def test_quick_words_are_refused_as_other_words_are(hunted: Playing):
    path = f"/games/{hunted.id}/talk"
    mr_x, ben = (Browser(hunted.table, hunted.people[number]) for number in (0, 1))
    refused = mr_x.post(path, {"take": "", "move": "taxi 46"})
    assert (refused.status_code, "Mr. X has no team" in refused.text) == (422, True)
    assert "Choose a station first." in ben.post(path, {"take": ""}).text
    for number in range(50):
        ben.post(path, {"to": "all", "text": f"word {number}"})
    refused = ben.post(path, {"take": "", "move": "taxi 46"})
    assert (refused.status_code, "50 messages" in refused.text) == (429, True)


def test_mr_x_and_a_detective_without_teammates_have_no_quick_words(table: Table):
    people = table.people(3)
    game, alone = table.game(people), table.game(people[:2], edition="condensed")
    page = Browser(table, people[0]).get(f"/games/{game.id}").text
    assert 'name="move"' in page
    assert 'name="take"' not in page
    alone.move(people[0])
    page = Browser(table, people[1]).get(f"/games/{alone.id}").text
    assert 'name="move"' in page
    assert 'name="take"' not in page


def test_watchers_and_visitors_are_offered_nothing_and_do_nothing(hunted: Playing):
    watcher, anybody = Browser(hunted.table, hunted.table.person("Zoe")), Browser(hunted.table)
    before = hunted.view()
    for name, form in FORMS.items():
        assert watcher.post(f"/games/{hunted.id}/{name}", form).status_code == 403, name
        answer = anybody.post(f"/games/{hunted.id}/{name}", form)
        assert (answer.status_code, "/sign-in" in answer.headers["Location"]) == (303, True), name
    assert actions(watcher, hunted) == actions(anybody, hunted) == set()
    assert hunted.view() == before


def test_a_private_table_is_missing_for_strangers(hunted: Playing):
    with hunted.table.app.app_context(), transaction():
        session.get_one(Game, hunted.id).visibility = "private"
    stranger = Browser(hunted.table, hunted.table.person("Zoe"))
    for name, form in FORMS.items():
        assert stranger.post(f"/games/{hunted.id}/{name}", form).status_code == 404, name


def test_a_draw_is_offered_and_withdrawn(hunted: Playing):
    ben, cleo = (Browser(hunted.table, hunted.people[number]) for number in (1, 2))
    path = f"/games/{hunted.id}"
    ben.post(f"{path}/draw", {"agrees": "yes"})
    assert "Withdraw your offer" in ben.get(path).text
    assert "Agree to a draw" in cleo.get(path).text
    ben.post(f"{path}/draw", {"agrees": "no"})
    assert "Offer a draw" in cleo.get(path).text


def test_resigning_asks_first_and_a_bot_plays_on(hunted: Playing):
    ben, path = Browser(hunted.table, hunted.people[1]), f"/games/{hunted.id}/resign"
    assert "a bot takes your seat" in ben.get(path).text
    assert hunted.view()["seats"][1]["player"] == hunted.people[1].id
    assert ben.post(path).status_code == 303
    assert hunted.view()["seats"][1]["bot"] == "constable"


def test_who_resigns_in_a_private_game_is_told_before_and_after_that_they_see_it_no_more(hunted: Playing):
    with hunted.table.app.app_context(), transaction():
        session.get_one(Game, hunted.id).visibility = "private"
    ben, path = Browser(hunted.table, hunted.people[1]), f"/games/{hunted.id}"
    assert "The game is private, so you will not see it any more" in ben.get(f"{path}/resign").text
    led = ben.post(f"{path}/resign").headers["Location"]
    landed = ben.get(led).text
    assert f"You have left {hunted.view()['name']}, and a bot has taken your seat." in landed
    assert "The game is private, so you do not see it any more" in landed
    hidden, missing = ben.get(path), ben.get("/games/aaaaaaaaaaaaaaaa")
    assert (hidden.status_code, hidden.data) == (missing.status_code, missing.data)
    assert ("You are signed in as Ben." in hidden.text, "sign in</a>" in hidden.text) == (True, False)
    assert "sign in</a>" in Browser(hunted.table).get(path).text


def test_who_resigns_in_a_public_game_is_told_so_and_can_watch_it(hunted: Playing):
    ben, path = Browser(hunted.table, hunted.people[1]), f"/games/{hunted.id}"
    assert "You can watch it, as everybody can." in ben.get(f"{path}/resign").text
    landed = ben.get(ben.post(f"{path}/resign").headers["Location"]).text
    assert ("You have left" in landed, f'href="{path}"' in landed) == (True, True)


def test_mr_x_who_resigns_is_led_to_the_game_that_is_over(hunted: Playing):
    ada, path = Browser(hunted.table, hunted.people[0]), f"/games/{hunted.id}"
    assert ada.post(f"{path}/resign").headers["Location"] == path


def test_nobody_else_learns_the_name_of_a_game_from_the_page_after_resigning(hunted: Playing):
    for person in (*hunted.people, hunted.table.person("Zoe")):
        assert "You have resigned" not in Browser(hunted.table, person).get(f"/me?resigned={hunted.id}").text
    with hunted.table.app.app_context(), transaction():
        session.add(FormerHolder(game_id=hunted.id, player_id=hunted.people[2].id, role="mr_x"))
    assert "You have resigned" not in Browser(hunted.table, hunted.people[2]).get(f"/me?resigned={hunted.id}").text


def test_a_rematch_is_opened_by_one_and_joined_by_the_others(table: Table):
    game = table.game(table.people(3))
    game.people[0].post(f"/games/{game.id}/resign")
    ben, cleo = (Browser(table, game.people[number]) for number in (1, 2))
    page = ben.get(f"/games/{game.id}").text
    assert "Rematch</button>" in page
    path = ben.post(f"/games/{game.id}/rematch").headers["Location"]
    lobby = ben.get(path).text
    assert "Waiting for Cleo and Ada." in lobby
    assert not re.search("have not answered|reserved until", lobby)
    assert f'href="{path}"' in ben.get(f"/games/{game.id}").text
    page = cleo.get(f"/games/{game.id}").text
    assert "Rematch</button>" in page
    assert "A rematch is wanted by Ben." in page
    assert cleo.post(f"/games/{game.id}/rematch").headers["Location"] == path


def ended_with_guest(table: Table, **wanted: Any) -> tuple[Person, Browser, str]:
    """A game of a host, who was Mr. X, and of a guest; and its path."""
    (ada,) = table.people(1)
    game = opened(ada, OPEN[:2], **wanted)
    anna = sits_down(table, game, "Anna")
    path = f"/games/{game['id']}"
    ada.post(f"{path}/start")
    ada.post(f"{path}/resign")
    return ada, anna, path


def test_a_guest_gets_the_seat_of_mr_x_in_the_rematch_that_begins_when_all_have_pressed(table: Table):
    ada, anna, path = ended_with_guest(table)
    assert 'action="/practice"' not in anna.get(path).text
    following = Browser(table, ada).post(f"{path}/rematch").headers["Location"]
    assert "Rematch</button>" in anna.get(path).text
    assert anna.post(f"{path}/rematch").headers["Location"] == following
    assert "It is your turn, Mr. X" in anna.get(following).text


def test_a_guest_opens_the_rematch_of_a_game_among_friends(table: Table):
    ada, anna, path = ended_with_guest(table)
    following = anna.post(f"{path}/rematch").headers["Location"]
    assert anna.post(f"{path}/rematch").headers["Location"] == following, "pressed twice"
    assert Browser(table, ada).post(f"{path}/rematch").headers["Location"] == following
    assert "It is your turn, Mr. X" in anna.get(following).text


def test_a_guest_opens_no_rematch_that_everybody_sees(table: Table):
    ada, anna, path = ended_with_guest(table, visibility="public", guests={"seats": "any"})
    assert "When another player wants a rematch, you can join it here." in anna.get(path).text
    refused = anna.post(f"{path}/rematch")
    assert (refused.status_code, "takes an address" in refused.text) == (403, True)
    Browser(table, ada).post(f"{path}/rematch")
    assert "Rematch</button>" in anna.get(path).text


def test_the_note_on_a_rematch_says_how_its_seats_are_given(table: Table):
    people = table.people(2)
    for seating, note in (("chosen", "one seat further"), ("lot", "The seats are drawn when the game starts.")):
        game = table.game(people, "condensed", seating=seating)
        by_seat = {seat["seat"]: seat["player"] for seat in game.view()["seats"]}
        mr_x = next(person for person in people if person.id == by_seat[1])
        mr_x.post(f"{game.path}/resign")
        page = Browser(table, people[0]).get(f"/games/{game.id}").text
        assert note in page.partition('id="rematch"')[2].partition("</p>")[0], seating


def test_who_hands_the_game_over_to_nobody_is_asked_to_choose(hunted: Playing):
    for seat in ("", "0", "you"):
        answer = Browser(hunted.table, hunted.people[0]).post(f"/games/{hunted.id}/host", {"seat": seat})
        assert (answer.status_code, "Choose a player." in answer.text) == (422, True), seat


def test_the_end_shows_those_who_played_who_wants_a_rematch_and_that_it_has_begun(table: Table):
    game = table.game(table.people(3))
    game.people[0].post(f"{game.path}/resign")
    ada, ben, cleo = (Browser(table, person) for person in game.people)
    path = f"/games/{game.id}"

    def note(browser: Browser) -> str:
        return browser.get(path).text.partition('id="rematch"')[2].partition("</p>")[0]

    assert "It begins when all have pressed." in note(ada)
    ben.post(f"{path}/rematch")
    cleo.post(f"{path}/rematch")
    assert "A rematch is wanted by Ben and Cleo." in note(ada)
    ada.post(f"{path}/rematch")
    everybody, is_played = (ada, ben, cleo), "The rematch is played by Ben, Cleo and Ada."
    assert all(is_played in note(browser) for browser in everybody), "in the order of their seats"
    following = ben.post(f"{path}/rematch").headers["Location"]
    game.people[1].post(f"{following}/resign")
    assert all("The rematch was played by Ben, Cleo and Ada." in note(browser) for browser in everybody)
    assert "rematch" not in Browser(table).get(path).text


def test_who_presses_when_the_rematch_has_begun_without_them_is_told_so(table: Table):
    game = table.game(table.people(3))
    game.people[0].post(f"{game.path}/resign")
    _, ben, cleo = (Browser(table, person) for person in game.people)
    following = ben.post(f"/games/{game.id}/rematch").headers["Location"]
    assert ben.post(f"{following}/start", {"level": "easy"}).status_code == 303
    assert "Rematch</button>" not in cleo.get(f"/games/{game.id}").text
    refused = cleo.post(f"/games/{game.id}/rematch")
    assert (refused.status_code, "no seat is left in it" in refused.text) == (409, True)


def test_nobody_presses_with_an_account_that_is_deleted(table: Table):
    game = table.game(table.people(3))
    game.people[0].post(f"{game.path}/resign")
    cleo = Browser(table, game.people[2])
    assert game.people[2].request("DELETE", "/me", json={"name": "Cleo"}).status_code == 204
    assert "/sign-in" in cleo.post(f"/games/{game.id}/rematch").headers["Location"]
    assert game.people[2].post(f"{game.path}/rematch").status_code == 401
    assert [seat["state"] for seat in game.people[0].post(f"{game.path}/rematch").json["seats"]].count("open") == 1
