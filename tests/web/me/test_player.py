"""Settings, mail, addresses, vacation, programs, blocks and the account, each by the forms of its page."""

import json
import re
from pathlib import Path

import pytest
from werkzeug.datastructures import MultiDict

from server.api.players import STATES as STATES_OF_REST
from server.models import Game, session
from server.vocabulary.preferences import PREFERENCES
from server.web.me.programs import SCOPES
from server.wording.deliveries import STATES
from tests.table import Person, Table
from tests.web.game.test_page import Browser
from tests.web.test_signing_in import code_for


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Table, Person, Browser]:
    """A table at which Ada is signed in; the tests change different things."""
    table = Table(tmp_path_factory.mktemp("me"), sandbox="1", public_url="http://localhost")
    ada, *_ = table.people(2)
    return table, ada, Browser(table, ada)


def accepted(browser: Browser, path: str, form: dict[str, str], then: str | None = None) -> str:
    """Send a form, and return the page that says it was done."""
    answer = browser.post(path, form)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{then or path}?done=yes")
    page = browser.get(answer.headers["Location"]).text
    assert 'role="status">Done.' in page
    return page


def refused(browser: Browser, path: str, form: dict[str, str], sentence: str) -> str:
    """Send a form that is wrong, and return its page, which has the sentence at a field and all that was typed."""
    answer = browser.post(path, form)
    assert answer.status_code in (409, 422, 429), sentence
    assert (
        sentence in re.findall(r'<span class="wrong" role="alert"[^>]*>([^<]*)', answer.text.replace("&#39;", "'"))[0]
    )
    assert all(f'"{value}"' in answer.text for value in form.values() if len(value) > 9), f"kept: {form}"
    return answer.text


def test_settings_are_those_of_rest(shared: tuple[Table, Person, Browser]):
    _, ada, browser = shared
    form = {"zone": "Europe/Paris", "night": "off", "night_from": "23:00", "night_to": "07:00"}
    # Of each preference with choices another than a new player has; but the pages stay English.
    others = {
        row.name: next(value for value in row.values if value != row.default) for row in PREFERENCES if row.choices
    } | {"language": "en"}
    accepted(browser, "/me/settings", form | others)
    wanted = {"zone": "Europe/Paris", "night": "23:00-07:00", "mail": "usual"}
    assert ada.get("/me/preferences").json == wanted | others
    accepted(browser, "/me/settings", form | {"night_from": "", "night_to": ""})
    assert ada.get("/me/preferences").json["night"] == "off"


def test_a_wrong_form_is_shown_again_with_the_sentence_at_the_field(shared: tuple[Table, Person, Browser]):
    for path, form, sentence in (
        ("/me/settings", {"zone": "Mars/Olympus"}, "is no time zone"),
        ("/me/settings", {"night_from": "07:00", "night_to": ""}, "Fill in both times of your night, or neither"),
        ("/me/name", {"name": ""}, "A name has"),
        ("/me/name", {"name": "Scotland Yard"}, "could be taken for"),
        ("/me/name", {"name": "x."}, "could be taken for"),
        ("/me/mail", {"mail": "gathered"}, "choose one of usual, moves, daily 18:00, reminders or off"),
        ("/me/mail", {"mail": "daily", "at": ""}, "Choose the time of day"),
        ("/me/addresses", {"email": "not an address"}, "is no mail address"),
        ("/me/addresses/confirm", {"code": "wrong"}, "code"),
        ("/me/vacation", {"first": "tomorrow"}, "Choose the first and the last day"),
        ("/me/vacation", {"first": "2026-12-24", "last": "2026-12-20"}, "would end"),
        ("/me/blocks", {"who": "Nobody at all"}, "Nobody whom"),
        ("/me/tokens", {"name": "robot number one"}, "Choose what the program may do"),
        ("/me/tokens", {"name": "robot for ever", "scope_read": "on", "life": "klingon"}, "Choose one of these."),
        ("/me/webhooks", {"url": "http://127.0.0.1:1/"}, "url"),
        ("/me/delete", {"name": "Somebody else"}, "That is not your name"),
    ):
        refused(shared[2], path, form, sentence)


def test_how_much_mail_is_chosen_for_all_games_and_for_one(table: Table):
    ada, ben = table.people(2)
    game = ada.post("/games", {"edition": "condensed", "players": 2, "visibility": "public"}).json["id"]
    browser = Browser(table, ada)
    assert "Two" not in accepted(browser, "/me/mail", {"mail": "daily", "at": "08:30"})
    assert ada.get("/me/preferences").json["mail"] == "daily 08:30"
    accepted(browser, f"/games/{game}/mail", {"mail": "daily 09:30"}, "/me/mail")
    assert ada.get(f"/games/{game}/preferences").json["mail"] == "daily 09:30"
    accepted(browser, "/me/mail", {"game": game, "mail": "daily", "at": "07:45"})
    assert ada.get(f"/games/{game}/preferences").json["mail"] == "daily 07:45"
    answer = browser.post("/me/mail", {"game": game, "mail": "daily", "at": "25"})
    assert (answer.status_code, 'aria-describedby="wrong-game"' in answer.text) == (422, True)
    assert ada.get("/me/preferences").json["mail"] == "daily 08:30", "the choice for all games stays"
    assert Browser(table, ben).post(f"/games/{game}/mail", {"mail": "off"}).status_code == 403
    accepted(browser, "/me/mail", {"mail": "stop"})
    assert ada.get(f"/games/{game}/preferences").json == {"mail": "inherit", "applies": "off"}


def test_deliveries_say_what_was_mailed_and_what_became_of_it(table: Table):
    ada, ben = table.people(2)
    ada.post(
        "/games", {"edition": "condensed", "seats": [{"role": "mr_x"}, {"role": "detective", "invite": ben.address}]}
    )
    table.tick()
    page = Browser(table, ben).get("/me/deliveries").text
    assert re.search(r"an invitation, in <a [^>]*>\w+ \w+</a></span>\s*<p>sent <small>Sun 22 Nov 18:00", page)


def test_every_state_of_mail_has_words():
    assert set(STATES) == set(STATES_OF_REST)


def test_an_address_is_added_made_the_main_one_and_the_old_one_removed(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table, ada)
    old = ada.address
    browser.post("/me/addresses", {"email": "new@example.org"})
    accepted(browser, "/me/addresses/confirm", {"code": code_for(table, "new@example.org")}, "/me/addresses")
    for act in ("main", "remove"):
        (path,) = re.findall(rf'action="(/me/addresses/\w+/{act})"', browser.get("/me/addresses").text)
        page = accepted(browser, path, {}, "/me/addresses")
    assert (old in page, "new@example.org <b>main</b>" in page) == (False, True)


def test_vacation_is_taken_seen_and_ended(shared: tuple[Table, Person, Browser]):
    browser = shared[2]
    page = accepted(browser, "/me/vacation", {"first": "2026-12-24", "last": "2026-12-26"})
    assert "24 December to 26 December 2026" in page
    assert "<b>18</b> of them are left" in page
    (path,) = re.findall(r'action="(/me/vacation/\w+/end)"', page)
    assert "You have taken none" in accepted(browser, path, {}, "/me/vacation")


def test_a_token_is_shown_once_works_and_is_revoked(shared: tuple[Table, Person, Browser]):
    table, _, browser = shared
    made = browser.post("/me/tokens", {"name": "robot", "scope_read": "on", "life": "30"})
    assert (made.status_code, made.headers["Cache-Control"]) == (200, "no-store")
    (secret,) = re.findall(r"<code>(bt_\w+)</code>", made.text)
    asked = {"Authorization": f"Bearer {secret}"}
    assert table.client.get("/api/v1/me", headers=asked).status_code == 200
    page = browser.get("/me/programs").text
    assert secret not in page
    (path,) = re.findall(r'<li><span>robot.*?action="(/me/tokens/\w+/revoke)"', page, re.DOTALL)
    accepted(browser, path, {}, "/me/programs")
    assert table.client.get("/api/v1/me", headers=asked).status_code == 401


def test_a_token_may_do_everything_that_is_ticked(shared: tuple[Table, Person, Browser]):
    table, _, browser = shared
    boxes = re.findall(r'type="checkbox" name="(\w+)" value="(\w+)"', browser.get("/me/programs").text)
    made = browser.post("/me/tokens", MultiDict([("name", "helper"), *boxes]))
    (secret,) = re.findall(r"<code>(bt_\w+)</code>", made.text)
    listed = table.client.get("/api/v1/me/tokens", headers={"Authorization": f"Bearer {secret}"}).json["tokens"]
    assert [set(token["scopes"]) for token in listed if token["name"] == "helper"] == [set(SCOPES)]


def test_the_address_of_a_calendar_is_shown_once_and_works(shared: tuple[Table, Person, Browser]):
    table, _, browser = shared
    (path,) = re.findall(r"<code>http://localhost(/api/v1/calendars/\w+)</code>", browser.post("/me/calendar").text)
    assert table.client.get(path).text.startswith("BEGIN:VCALENDAR")


def test_a_webhook_is_added_tested_switched_off_and_removed(tmp_path: Path):
    table = Table(tmp_path)
    table.app.extensions["blackticket"].resolve = lambda _host: ["93.184.216.34"]
    (ada,) = table.people(1)
    browser = Browser(table, ada)
    assert "<code>whsec_" in browser.post("/me/webhooks", {"url": "https://ada.example.org/"}).text
    (path,) = re.findall(r"/me/webhooks/\w+", browser.get("/me/programs").text)
    assert "a test" in accepted(browser, path, {"do": "test"})
    assert "Switch it on" in accepted(browser, path, {"do": "off"})
    assert "<code>whsec_" in browser.post(path, {"do": "secret"}).text
    accepted(browser, path, {"do": "remove"}, "/me/programs")
    assert browser.get(path).status_code == 404


def test_somebody_is_blocked_by_an_address_and_unblocked(shared: tuple[Table, Person, Browser]):
    browser = shared[2]
    page = accepted(browser, "/me/blocks", {"who": "spam@example.org"})
    (path,) = re.findall(r'action="(/me/blocks/\w+/remove)"', page)
    assert "You have blocked nobody." in accepted(browser, path, {}, "/me/blocks")


def test_the_export_is_that_of_rest(shared: tuple[Table, Person, Browser]):
    _, ada, browser = shared
    ada.get("/me")  # the export tells on which day the token was used
    answer = browser.get("/me/export")
    assert "attachment" in answer.headers["Content-Disposition"]
    assert json.loads(answer.text) == ada.get("/me/export").json


def test_an_account_is_deleted_by_its_name_and_its_browsers_are_signed_out(table: Table):
    (ada,) = table.people(1)
    here, there = Browser(table, ada), Browser(table, ada)
    answer = here.post("/me/delete", {"name": "Ada"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/?deleted=yes")
    assert there.get("/me").headers["Location"] == "/sign-in?next=/me"
    assert ada.get("/me").status_code == 401


def test_who_still_plays_is_told_in_which_game_and_stays(table: Table):
    people = table.people(2)
    name = table.game(people, edition="condensed").view()["name"]
    browser = Browser(table, people[0])
    assert f"You still play in {name}, and nothing was deleted." in browser.post("/me/delete", {"name": "Ada"}).text
    assert browser.get("/me").status_code == 200


def test_a_game_against_bots_does_not_keep_an_account_and_ends_with_it(table: Table):
    (ada,) = table.people(1)
    for acts in ((), ("resign",)):
        browser = Browser(table, ada)
        path = browser.post("/practice", {"role": "mr_x"}).headers["Location"]
        for act in acts:
            browser.post(f"{path}/{act}")
    answer = browser.post("/me/delete", {"name": "Ada"})
    assert "Your account was deleted." in browser.get(answer.headers["Location"]).text
    with table.app.app_context():
        assert {(game.status, game.final) for game in session.query(Game)} == {("over", True)}


def test_a_guest_deletes_the_account_with_running_games(table: Table):
    browser = Browser(table)
    path = browser.post("/practice", {"role": "mr_x"}).headers["Location"]
    (name,) = re.findall(r"Your name \(([^)]+)\)", browser.get("/me/account").text)
    assert browser.post("/me/delete", {"name": name}).status_code == 303
    assert (browser.get("/me").status_code, browser.get(path).status_code) == (303, 404)


# Who may use which page ---------------------------------------------------------------------------

THINGS = {"session_id": "a" * 16, "address_id": "a" * 16, "absence_id": "a" * 16, "token_id": "a" * 16,
          "webhook_id": "a" * 16, "device_id": "a" * 16, "block_id": "a" * 16, "game_id": "a" * 16}  # fmt: skip
FOR_GUESTS = {"me", "archive", "settings", "change_settings", "rename", "use_zone", "addresses", "ask_for_address",
              "confirm_address", "make_primary", "remove_address", "vacation", "take_vacation", "end_vacation",
              "account", "link_device", "revoke_browser", "export", "delete_account", "unblock",
              "add_device", "remove_device", "table"}  # fmt: skip


def test_every_page_is_for_who_is_signed_in_and_what_needs_an_address_is_not_for_guests(table: Table):
    nobody, guest = Browser(table), Browser(table)
    guest.post("/practice", {"role": "mr_x"})
    asked = 0
    for rule in table.app.url_map.iter_rules():
        if not f"{rule.rule}/".startswith("/me/"):
            continue
        for method in {"GET", "POST"} & (rule.methods or set()):
            path = re.sub(r"<(\w+)>", lambda found: THINGS[found[1]], rule.rule)
            send = "get" if method == "GET" else "post"
            assert getattr(nobody, send)(path).headers.get("Location", "").startswith("/sign-in"), path
            name = rule.endpoint.removeprefix("pages.")
            assert (getattr(guest, send)(path).status_code == 403) == (name not in FOR_GUESTS), path
            asked += 1
    assert asked > 25


def test_what_is_another_player_s_is_not_there(table: Table):
    ada, ben = table.people(2)
    mine, his = Browser(table, ada), Browser(table, ben)
    table.app.extensions["blackticket"].resolve = lambda _host: ["93.184.216.34"]
    mine.post("/me/vacation", {"first": "2026-12-24", "last": "2026-12-26"})
    mine.post("/me/blocks", {"who": "spam@example.org"})
    mine.post("/me/webhooks", {"url": "https://ada.example.org/"})
    pages = "".join(mine.get(f"/me/{name}").text for name in ("vacation", "blocks", "programs", "addresses", "account"))
    paths = set(re.findall(r'"(/me/\w+/[a-z2-7]{16}(?:/\w+)?)"', pages))
    assert {path.split("/")[2] for path in paths} == {"vacation", "blocks", "webhooks", "tokens"}
    assert {his.post(path, {"do": "remove"}).status_code for path in paths} == {404}
