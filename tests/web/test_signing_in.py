"""Sign in with a code by mail, and practise as a guest."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server import worker
from server.application.people.accounts import guests
from server.models import BrowserSession, Game, Move, Player, session
from server.vocabulary import limits
from tests.scenes import text_of
from tests.table import Table
from tests.web.game.test_page import Browser, choices


def code_for(table: Table, address: str) -> str:
    table.tick()
    found = re.search(r'the (?:code is|digits are) "(\w+)"', text_of(table.post.of(address)[-1]))
    assert found is not None
    return found[1]


def ask(table: Table, browser: Browser, address: str) -> str:
    answer = browser.post("/sign-in", {"email": address, "next": "/games"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/sign-in/code?next=/games")
    return code_for(table, address)


def test_no_mail_names_the_address_under_which_a_browser_asked_for_it(table: Table):
    (ada,) = table.people(1)
    assert Browser(table, host="evil.example").post("/sign-in", {"email": ada.address}).status_code == 303
    game = ada.post("/games", {"edition": "condensed", "players": 2}).json["id"]
    invited = Browser(table, ada, "evil.example").post(f"/games/{game}/seats/2", {"who": "kim@example.org"})
    assert invited.status_code == 303
    table.tick()
    sent = [table.post.of(ada.address)[-1], table.post.of("kim@example.org")[-1]]
    assert not [mail for mail in sent if "evil.example" in mail.as_string() + text_of(mail)]


def test_a_player_signs_in_with_a_code_and_the_link_alone_does_nothing(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table)
    assert browser.get("/me").headers["Location"] == "/sign-in?next=/me"
    code = ask(table, browser, ada.address)
    assert "Sign in with this browser" in browser.get(f"/sign-in/code/{code}").text
    assert "They lie in its folder, in <code>var/mail</code>." in browser.get("/sign-in/code").text
    assert browser.get("/me").status_code == 303
    answer = browser.post(f"/sign-in/code/{code}", {"next": "/games"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/games")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    page = browser.get("/me/account").text
    assert ada.name in page
    assert "Firefox on Linux, this browser" in page


def test_a_code_is_taken_with_the_marks_and_blanks_around_it(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table)
    code = ask(table, browser, ada.address)
    for typed in (f'"{code}"', f" “{code}” ", f"' {code} '", f'"{code}".', f"«\u00a0{code}\u00a0»"):
        led = browser.post("/sign-in/code", {"code": typed})
        assert (led.status_code, f"/sign-in/code/{code}" in led.headers.get("Location", "")) == (303, True), typed
    for typed in ("12-34", '""', ""):
        assert browser.post("/sign-in/code", {"code": typed}).status_code == 422, typed


def test_a_code_is_good_once_and_for_fifteen_minutes(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table)
    code = ask(table, browser, ada.address)
    assert browser.post(f"/sign-in/code/{code}").status_code == 303
    assert browser.post(f"/sign-in/code/{code}").status_code == 422
    late = ask(table, browser, ada.address)
    table.clock.turn(minutes=16)
    assert "good for 15 minutes, and once" in Browser(table).post(f"/sign-in/code/{late}").text


def test_a_code_to_sign_in_with_makes_no_account_over_rest(table: Table):
    code = ask(table, Browser(table), "gwen@example.org")
    assert table.client.post("/api/v1/players/confirm", json={"code": code}).json["type"] == "bad-code"


def test_somebody_new_chooses_a_name_and_is_a_player(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table)
    code = ask(table, browser, "gwen@example.org")
    assert "Your name" in browser.get(f"/sign-in/code/{code}").text
    taken = browser.post(f"/sign-in/code/{code}", {"name": ada.name})
    assert (taken.status_code, 'role="alert"' in taken.text) == (409, True)
    assert browser.post(f"/sign-in/code/{code}", {"name": "Gwen"}).status_code == 303
    assert "Your games, Gwen" in browser.get("/me").text


def test_nobody_sees_whether_an_address_is_a_player_s(table: Table):
    (ada,) = table.people(1)
    answers = [Browser(table).post("/sign-in", {"email": email}) for email in (ada.address, "nobody@example.org")]
    assert len({(answer.status_code, answer.text, answer.headers["Location"]) for answer in answers}) == 1
    table.tick()
    first, second = (text_of(table.post.of(email)[-1]) for email in (ada.address, "nobody@example.org"))
    assert re.sub(r'"\w{16}"', "", first) == re.sub(r'"\w{16}"', "", second)


def test_another_browser_is_signed_out_from_afar(table: Table):
    (ada,) = table.people(1)
    here, there = Browser(table, ada), Browser(table, ada)
    (path,) = re.findall(r'action="(/me/browsers/\w+)"', here.get("/me/account").text)
    assert here.post(path).status_code == 303
    assert (here.get("/me").status_code, there.get("/me").status_code) == (200, 303)
    here.post("/sign-out")
    assert here.get("/me").status_code == 303


def test_a_browser_is_remembered_for_ninety_days_after_it_was_used_last(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table, ada)
    for _ in range(3):
        table.clock.turn(days=60)
        assert browser.get("/me").status_code == 200
    table.clock.turn(days=91)
    assert browser.get("/me").status_code == 303


def test_the_way_back_leads_to_no_other_site(table: Table):
    (ada,) = table.people(1)
    code = ask(table, Browser(table), ada.address)
    for place in ("https://example.net", "//example.net", "/\\example.net"):
        page = Browser(table).get(f"/sign-in/code/{code}?next={place}")
        assert 'name="next" value="/me"' in page.text


def test_the_link_in_the_mail_leads_back_to_the_page_that_was_wanted_in_the_same_browser_only(table: Table):
    (ada,) = table.people(1)
    browser, code = Browser(table), ""
    for _ in range(2):  # the second code is for the other browser
        browser.post("/sign-in", {"email": ada.address, "next": "/games/abc"})
        code = code or code_for(table, ada.address)
    other = code_for(table, ada.address)
    assert 'name="next" value="/games/abc"' in browser.get(f"/sign-in/code/{code}").text
    assert 'name="next" value="/me"' in Browser(table).get(f"/sign-in/code/{other}").text
    assert browser.post(f"/sign-in/code/{code}", {"next": "/games/abc"}).headers["Location"] == "/games/abc"
    assert 'name="next" value="/me"' in browser.get(f"/sign-in/code/{other}").text, "it is forgotten"


# Guests -----------------------------------------------------------------------------------------


def test_a_guest_plays_from_the_first_page_without_an_address(table: Table):
    browser = Browser(table)
    assert "Play now" in browser.get("/").text
    path = browser.post("/practice", {"role": "mr_x"}).headers["Location"]
    page = browser.get(path).text
    assert "It is your turn, Mr. X." in page
    answer = browser.post(f"{path}/moves", {"turn": "1", "move": choices(page)[0]})
    assert answer.status_code == 303
    table.clock.turn(seconds=10)
    table.tick()
    assert not table.post.sent


def test_the_first_page_leads_a_guest_back_to_the_game(table: Table):
    browser = Browser(table)
    path = browser.post("/practice", {"role": "mr_x"}).headers["Location"]
    assert path not in Browser(table).get("/").text
    assert f'href="{path}">Go on: ' in browser.get("/").text
    assert ": it is your turn" in browser.get("/").text
    browser.post(f"{path}/resign")
    assert path not in browser.get("/").text


def test_what_a_guest_has_to_do_stands_above_the_advice_to_keep_the_games(table: Table):
    browser = Browser(table)
    browser.post("/practice", {"role": "mr_x"})
    page = browser.get("/me").text
    assert page.index("It is your turn") < page.index("Keep your games")


def test_a_guest_who_resigns_has_the_replay_at_once(table: Table):
    browser = Browser(table)
    path = browser.post("/practice", {"role": "mr_x"}).headers["Location"]
    browser.post(f"{path}/resign")
    assert browser.get(f"{path}/replay").status_code == 200


def test_a_guest_has_five_games_that_run_and_the_page_that_refuses_one_more_says_what_helps(table: Table):
    browser = Browser(table)
    answers = [browser.post("/practice") for _ in range(guests.MOST_GAMES + 1)]
    assert [answer.status_code for answer in answers] == [303] * guests.MOST_GAMES + [409]
    page = answers[-1].text
    assert 'action="/me/addresses"' in page
    for answer in answers[:-1]:
        assert f'href="{answer.headers["Location"]}/resign"' in page
    browser.post(f"{answers[0].headers['Location']}/resign")
    assert browser.post("/practice").status_code == 303


def test_of_the_games_of_a_guest_that_are_over_the_last_ones_are_kept_and_none_counts(table: Table):
    browser, paths = Browser(table), []
    for _ in range(guests.MOST_OVER + 2):
        answer = browser.post("/practice")
        assert answer.status_code == 303
        paths.append(answer.headers["Location"])
        browser.post(f"{paths[-1]}/resign")
        table.clock.turn(minutes=1)
    assert [browser.get(path).status_code for path in paths] == [404] + [200] * (guests.MOST_OVER + 1)


def test_somebody_new_whose_network_is_full_finds_a_field_for_an_address(table: Table):
    for _ in range(limits.GUESTS.most):
        assert Browser(table).post("/practice").status_code == 303
    refused = Browser(table).post("/practice")
    assert (refused.status_code, 'action="/sign-in"' in refused.text) == (409, True)
    assert "<h1>No room for another guest</h1>" in refused.text
    assert '<input type="hidden" name="next" value="/">' in refused.text, "there is the button to practise"
    assert "Set-Cookie" not in refused.headers


def test_a_guest_who_never_moved_makes_room_for_another_of_the_network(table: Table, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guests, "GUESTS", replace(limits.GUESTS, most=5))
    browsers = [Browser(table) for _ in range(guests.GUESTS.most)]
    paths = [browser.post("/practice", {"role": "mr_x"}).headers["Location"] for browser in browsers]
    for browser, path in zip(browsers[1:], paths[1:], strict=True):
        move = choices(browser.get(path).text)[0]
        assert browser.post(f"{path}/moves", {"turn": "1", "move": move}).status_code == 303
    newcomer = Browser(table)
    assert newcomer.post("/practice").status_code == 409, "the first has only just come"
    table.clock.turn(minutes=15)
    path = newcomer.post("/practice", {"role": "mr_x"}).headers["Location"]
    assert browsers[0].get(paths[0]).status_code == 404
    newcomer.post(f"{path}/moves", {"turn": "1", "move": choices(newcomer.get(path).text)[0]})
    table.clock.turn(minutes=15)
    assert Browser(table).post("/practice").status_code == 409, "all five play"


def test_a_guest_who_adds_an_address_keeps_the_games(table: Table):
    browser = Browser(table)
    path = browser.post("/practice", {"role": "mr_x"}).headers["Location"]
    assert browser.get("/games").status_code == 403
    browser.post("/me/addresses", {"email": "gwen@example.org"})
    assert browser.post("/me/addresses/confirm", {"code": code_for(table, "gwen@example.org")}).status_code == 303
    assert "Keep your games" not in browser.get("/me").text
    table.clock.turn(days=30)
    with table.app.app_context():
        worker.tidy_up()
    assert Browser(table).get(path).status_code == 404
    assert browser.get(path).status_code == 200
    assert browser.get("/games").status_code == 200


def test_a_guest_who_needs_an_address_comes_back_to_what_they_wanted(table: Table):
    browser = Browser(table)
    browser.post("/practice")
    (then,) = re.findall(r'name="next" value="([^"]*)"', browser.get("/games").text)
    asked = browser.post("/me/addresses", {"email": "gwen@example.org", "next": then})
    page = browser.get(asked.headers["Location"]).text
    assert page.count(f'name="next" value="{then}"') == 2, "the code, and another address"
    wrong = browser.post("/me/addresses/confirm", {"code": "wrong", "next": then}).text
    assert f'name="next" value="{then}"' in wrong
    code = code_for(table, "gwen@example.org")
    assert browser.post("/me/addresses/confirm", {"code": code, "next": then}).headers["Location"] == "/games"


def test_an_address_leads_to_no_other_site_and_without_a_way_back_to_a_new_game(table: Table):
    browser, other = Browser(table), Browser(table)
    for guest, form, address in (
        (browser, {"next": "https://evil.example/"}, "gwen@example.org"), (other, {}, "hal@example.org"),
    ):  # fmt: skip
        guest.post("/practice")
        guest.post("/me/addresses", {"email": address})
        answer = guest.post("/me/addresses/confirm", {"code": code_for(table, address)} | form)
        form["location"] = answer.headers["Location"]
    assert form["location"] == "/me/addresses?done=yes"
    assert 'class="button main" href="/games"' in other.get(form["location"]).text
    assert "evil" not in browser.get("/me/addresses?next=https://evil.example/").text


def test_a_guest_chooses_a_name_with_the_address_and_has_it_from_the_code_on(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table)
    browser.post("/practice")
    refused = browser.post("/me/addresses", {"email": "gwen@example.org", "name": "ADA"})
    assert (refused.status_code, 'id="wrong-name"' in refused.text) == (409, True)
    assert 'value="gwen@example.org"' in refused.text
    browser.post("/me/addresses", {"email": "gwen@example.org", "name": "Gwen"})
    assert "Your games, Guest" in browser.get("/me").text
    assert ada.request("PATCH", "/me", json={"name": "Gwen"}).status_code == 200, "somebody is faster"
    browser.post("/me/addresses/confirm", {"code": code_for(table, "gwen@example.org")})
    assert "Your games, Gwen 2" in browser.get("/me").text


@pytest.mark.parametrize(
    ("settings", "words"),
    [({}, "in <code>var/mail</code>"), ({"dev_mail": "yes", "sandbox": "yes"}, "development mailbox</a>")],
)
def test_both_pages_that_ask_for_a_code_say_where_the_mail_is(tmp_path: Path, settings: dict[str, str], words: str):
    table = Table(tmp_path, **settings)
    (ada,) = table.people(1)
    assert words in Browser(table).get("/sign-in/code").text
    assert words in Browser(table, ada).get("/me/addresses?asked=code").text


def test_a_guest_who_stays_away_is_deleted_with_the_games(table: Table):
    ada, *_ = table.people(1)
    for role in ("mr_x", "detective"):
        Browser(table).post("/practice", {"role": role})
    table.clock.turn(seconds=5)
    table.tick()
    table.clock.turn(seconds=(guests.IDLE + timedelta(days=1)).total_seconds())
    with table.app.app_context():
        worker.tidy_up()
        assert [player.id for player in session.scalars(select(Player))] == [ada.id]
        assert [session.query(model).count() for model in (Game, Move, BrowserSession)] == [0, 0, 0]


def test_an_invited_reader_who_signs_in_first_comes_back_with_the_code(table: Table):
    (ada,) = table.people(1)
    game = ada.post("/games", {"edition": "condensed", "players": 2, "visibility": "private"}).json
    path = f"/join/{game['code']}"
    browser = Browser(table)
    (to,) = re.findall(r'href="(/sign-in[^"]+)"', browser.get(path).text)
    form = browser.get(to).text
    assert f'name="next" value="{path}"' in form


def test_the_page_of_a_code_says_whose_it_is(table: Table):
    (ada,) = table.people(1)
    code = ask(table, Browser(table), ada.address)
    assert ada.address in Browser(table).get(f"/sign-in/code/{code}").text


def test_nobody_locks_another_out_by_asking_for_codes(table: Table):
    """A code that a stranger asked for goes to the owner, and is good in the owner's browser."""
    (ada,) = table.people(1)
    answers = [ask_from(table, network, ada.address).status_code for network in range(7) for _ in range(6)]
    assert answers == ([303] * 5 + [429]) * 6 + [429] * 6
    browser = Browser(table)
    refused = browser.post("/sign-in", {"email": ada.address})
    assert (refused.status_code, 'name="code"' in refused.text) == (429, True)
    assert "A code was mailed to this address a few minutes ago." in refused.text
    assert browser.post(f"/sign-in/code/{code_for(table, ada.address)}").status_code == 303
    table.clock.turn(minutes=10)
    ask_from(table, 8, ada.address)
    assert ask_from(table, 9, ada.address).status_code == 429, "one in ten minutes"
    assert Browser(table).post(f"/sign-in/code/{code_for(table, ada.address)}").status_code == 303


def test_who_tries_codes_spoils_none(table: Table):
    (ada,) = table.people(1)
    code = ask(table, Browser(table), ada.address)
    for number in range(50):
        assert Browser(table).post(f"/sign-in/code/wrong{number}").status_code == 422
    assert Browser(table).post(f"/sign-in/code/{code}").status_code == 303


def test_a_network_that_has_asked_too_often_still_gets_the_codes_of_players_and_the_answer_tells_nothing(table: Table):
    (ada,) = table.people(1)
    for number in range(limits.CODES.most):
        assert ask_from(table, 1, f"nobody{number}@example.org").status_code == 303
    answers = [ask_from(table, 1, address) for address in (ada.address, "gwen@example.org", ada.address)]
    assert {answer.status_code for answer in answers} == {429}
    assert len({answer.text for answer in answers}) == 1
    table.tick()
    assert (len(table.post.of(ada.address)), len(table.post.of("gwen@example.org"))) == (1, 0)
    assert Browser(table).post(f"/sign-in/code/{code_for(table, ada.address)}").status_code == 303


def test_codes_to_sign_in_with_do_not_use_up_those_for_adding_an_address(table: Table):
    for _ in range(4):
        ask_from(table, 1, "gwen@example.org")
    guest = Browser(table)
    guest.post("/practice")
    assert guest.post("/me/addresses", {"email": "gwen@example.org"}).status_code == 303
    assert guest.post("/me/addresses/confirm", {"code": code_for(table, "gwen@example.org")}).status_code == 303


def ask_from(table: Table, network: int, address: str) -> Any:
    """Ask for a code from somewhere else."""
    return table.app.test_client().post(
        "/sign-in", data={"email": address}, headers={"Sec-Fetch-Site": "same-origin", "Accept": "text/html"},
        environ_base={"REMOTE_ADDR": f"203.0.{network}.9"},
    )  # fmt: skip


def test_a_wrong_code_leaves_the_field_for_the_right_one(table: Table):
    (ada,) = table.people(1)
    for answer in (
        Browser(table).get("/sign-in/code/wrong"),
        Browser(table, ada).post("/me/addresses/confirm", {"code": "wrong"}),
    ):
        assert (answer.status_code, 'name="code"' in answer.text, 'role="alert"' in answer.text) == (422, True, True)


def test_a_form_of_a_game_that_is_sent_signed_out_leads_back_to_the_game_after_signing_in(table: Table):
    (ada,) = table.people(1)
    game = ada.post("/games", {"edition": "condensed", "players": 2, "visibility": "private"}).json
    path = f"/games/{game['id']}"
    for form, sent, then in (
        ("moves", {"move": "taxi 46"}, path),
        ("talk", {"text": "Hello"}, path),
        ("votes/1", {"for": "yes"}, path),
        ("resign", {}, path),
    ):
        browser = Browser(table)
        to = browser.post(f"{path}/{form}", sent).headers["Location"]
        assert f'name="next" value="{then}"' in browser.get(to).text, form


def test_the_first_page_speaks_of_signing_in_only_to_who_is_signed_out(table: Table):
    (ada,) = table.people(1)
    assert ["without signing in" in Browser(table, person).get("/").text for person in (None, ada)] == [True, False]


def test_a_guest_who_wants_to_start_a_game_with_people_is_asked_for_a_mail_address(table: Table):
    browser = Browser(table)
    browser.post("/practice")
    answer = browser.get("/games")
    assert (answer.status_code, 'action="/me/addresses"' in answer.text) == (403, True)
    assert "You are a guest in this browser" in answer.text
    assert 'href="/sign-in?next=/games"' in answer.text


def test_a_guest_is_told_in_the_first_round_how_to_move(table: Table):
    browser = Browser(table)
    path = browser.post("/practice", {"role": "mr_x"}).headers["Location"]
    page, how = browser.get(path).text, "Choose one, and press the button."
    assert how in page
    browser.post(f"{path}/moves", {"turn": "1", "move": choices(page)[0]})
    table.clock.turn(seconds=10)
    table.tick()
    page = browser.get(path).text
    assert ("It is your turn" in page, how in page) == (True, False)


@pytest.mark.parametrize(
    ("public_url", "prefix"), [("https://play.example.org", "__Host-"), ("http://play.example.org", "")]
)
def test_over_tls_a_cookie_is_of_this_host_alone(tmp_path: Path, public_url: str, prefix: str):
    table = Table(tmp_path, sandbox="1", public_url=public_url)
    (ada,) = table.people(1)
    browser = Browser(table)
    asked = browser.post("/sign-in", {"email": ada.address, "next": "/games"})
    signed_in = browser.post(f"/sign-in/code/{code_for(table, ada.address)}")
    signed_out = browser.post("/sign-out")
    cookies = [line for answer in (asked, signed_in, signed_out) for line in answer.headers.getlist("Set-Cookie")]
    names = [f"{prefix}blackticket_way", f"{prefix}blackticket", f"{prefix}blackticket_way", f"{prefix}blackticket"]
    assert [line.partition("=")[0] for line in cookies] == names
    assert signed_in.headers["Location"] == "/games"
    for line in cookies:
        assert "Path=/;" in f"{line};"
        assert "Domain" not in line
        assert ("Secure" in line) == bool(prefix)
    assert browser.get("/me").status_code == 303


def test_who_wants_to_start_a_game_reads_why_an_address_is_needed_and_that_friends_need_none(table: Table):
    browser = Browser(table)
    place = browser.get("/games").headers["Location"]
    assert "Your friends need none: you send them a link." in browser.get(place).text
    assert "Your friends need none" not in browser.get("/sign-in").text
