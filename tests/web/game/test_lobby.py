"""The page of a game that has not started, for its host: the link, invitations, bots for the rest, name and end."""

import re
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.models import Invitation, session
from tests.rows import for_each
from tests.table import Person, Table
from tests.web.game.test_invitation import OPEN, names_at, opened, sits_down
from tests.web.game.test_page import Browser

KIM = "kim@example.org"


@pytest.fixture
def ada(table: Table) -> Person:
    return table.people(1)[0]


def page_of(table: Table, person: Person, game: dict[str, Any]) -> str:
    return Browser(table, person).get(f"/games/{game['id']}").text


def main_buttons(page: str) -> list[str]:
    """Return the words of the controls that stand out, as what is to be done next."""
    return re.findall(r'<(?:button|a)[^>]*class="[^"]*\bmain\b[^"]*"[^>]*>([^<]*)<', page)


def invite(table: Table, host: Person, game: dict[str, Any], who: str, words: str = "", seat: int = 2) -> Any:
    return Browser(table, host).post(f"/games/{game['id']}/seats/{seat}", {"who": who, "words": words})


def newest(table: Table, address: str) -> EmailMessage:
    table.tick()
    return table.post.of(address)[-1]


def flat(text: str) -> str:
    return " ".join(text.split())


# What is to be done next ---------------------------------------------------------------------------------------------


def test_the_main_button_is_what_the_host_has_to_do_next(table: Table, ada: Person):
    game = opened(ada)
    assert main_buttons(page_of(table, ada, game)) == ["Copy the link"]
    invite(table, ada, game, KIM, seat=2)
    assert "1 of 3 seats is open. One player whom you invited has not answered yet." in page_of(table, ada, game)
    invite(table, ada, game, "lou@example.org", seat=3)
    page = page_of(table, ada, game)
    assert "No seat is open. 2 players whom you invited have not answered yet." in page
    assert "Condensed: Three people." in page
    assert main_buttons(page) == [], "nothing: the others have to answer"
    for seat in (2, 3):
        Browser(table, ada).post(f"/games/{game['id']}/seats/{seat}/clear")
        sits_down(table, game, f"Guest at {seat}")
    assert main_buttons(page_of(table, ada, game)) == ["Start the game"]


def lead(page: str) -> str:
    return flat(re.findall(r'<p class="lead">(.*?)</p>', page, re.DOTALL)[0])


def test_who_has_a_seat_reads_first_which_one_and_who_starts_the_game(table: Table, ada: Person):
    game = opened(ada)
    path = f"/games/{game['id']}"
    ben = sits_down(table, game, "Ben")
    assert lead(ben.get(path).text) == "You play Purple and Red. This game has not started. The host starts it."
    assert lead(page_of(table, ada, game)).startswith("You play Mr. X. This game has not started. 1 of 3 seats")
    sits_down(table, game, "Cleo")
    assert lead(ben.get(path).text).endswith("This game has not started. All seats are taken; the host starts it.")
    drawn = opened(ada, seating="lot")
    assert lead(sits_down(table, drawn, "Dan").get(f"/games/{drawn['id']}").text).startswith("You have a seat. ")


def test_without_a_script_the_link_is_text_that_can_be_selected(table: Table, ada: Person):
    game = opened(ada)
    page = page_of(table, ada, game)
    assert re.findall(r'<code class="link" id="link">([^<]+)</code>', page) == [f"http://localhost{game['join']}"]


@pytest.mark.parametrize(("public", "is_told"), [("", True), ("https://play.example.org", False)])
def test_a_link_that_leads_to_the_servers_own_machine_says_that_no_other_device_can_open_it(
    tmp_path: Path, public: str, is_told: bool
):
    table = Table(tmp_path, sandbox="1", public_url=public)
    ada = table.person("Ada")
    page = page_of(table, ada, opened(ada))
    assert ("This link works on this machine alone." in page) == is_told


@pytest.mark.parametrize(
    ("host", "is_told"), [("192.168.1.20:8000", False), ("pi.local:8000", False), ("127.0.0.1:8000", True)]
)
def test_without_a_public_url_a_link_has_the_address_that_the_hosts_browser_uses(
    table: Table, ada: Person, host: str, is_told: bool
):
    game = opened(ada)
    page = Browser(table, ada, host).get(f"/games/{game['id']}").text
    assert f'id="link">http://{host}{game["join"]}</code>' in page
    assert ("This link works on this machine alone." in page) == is_told


# Words ---------------------------------------------------------------------------------------------------------------


def test_the_words_of_the_host_stand_in_the_mail_and_on_the_pages_and_end_with_the_invitation(
    table: Table, ada: Person
):
    ben, game = table.person("Ben"), opened(ada)
    words = "Are you in? We play slowly."
    assert invite(table, ada, game, KIM, words, seat=2).status_code == 303
    assert invite(table, ada, game, ben.address, words, seat=3).status_code == 303
    for address in (KIM, ben.address):
        assert f"Ada writes to you: {words}" in flat(newest(table, address).get_content()).replace('"', "")
    assert page_of(table, ada, game).count(words) == 2
    assert f"Ada writes to you:</figcaption><blockquote>{words}" in page_of(table, ben, game)
    Browser(table, ada).post(f"/games/{game['id']}/seats/3/clear")
    assert words not in page_of(table, ben, game)
    with table.app.app_context():
        assert {row.words for row in session.scalars(select(Invitation))} == {words, ""}


@for_each(
    "words, reason",
    [
        ("write to ben@example.org", "cannot contain"),
        ("look at https://evil.example/", "a link"),
        ("look at evil.example", "a link"),
        ("look at evil\N{FULLWIDTH FULL STOP}example", "a link"),
        ("look at 192.0.2.1", "a link"),
        ("<a href=x>here</a>", "cannot contain"),
        ("two\nlines", "one line"),
        ("turned \N{RIGHT-TO-LEFT OVERRIDE} round", "invisible characters"),
        ("x" * 201, "1 to 200 characters"),
        ("x" * 10_000, "1 to 200 characters"),
    ],
)
def test_words_with_an_address_a_link_or_of_several_lines_are_refused_at_the_form(
    table: Table, ada: Person, words: str, reason: str
):
    game = opened(ada)

    answer = invite(table, ada, game, KIM, words)
    assert (answer.status_code, reason in answer.text) == (422, True), answer.text
    assert 'id="wrong-2"' in answer.text
    assert ada.get(f"/games/{game['id']}").json["seats"][1]["state"] == "open"


def test_words_that_read_like_a_command_are_none(table: Table, ada: Person):
    game = opened(ada)
    invite(table, ada, game, KIM, "NO")
    mail = newest(table, KIM)
    quoted = "".join(f"> {line}\n" for line in mail.get_content().splitlines())
    unquoted = mail.get_content()
    head = f"From: Kim <{KIM}>\nTo: {mail['Reply-To'] or mail['From']}\nSubject: Re\n\n"
    raw = f"{head}YES\n\nOn Monday Black Ticket wrote:\n"
    recipient = str(mail["Reply-To"] or mail["From"]).rpartition("<")[2].rstrip(">")
    table.deliver((raw + quoted + unquoted).encode(), KIM, recipient)
    table.tick()
    assert names_at(table, game)[:2] == ["Ada", "Kim"]


def test_of_invitations_with_words_there_are_five_a_day_and_withdrawn_ones_count(table: Table, ada: Person):
    game = opened(ada)
    for number in range(5):
        assert invite(table, ada, game, f"guest{number}@example.org", "Come!").status_code == 303
        Browser(table, ada).post(f"/games/{game['id']}/seats/2/clear")
    refused = invite(table, ada, game, KIM, "Come!")
    assert (refused.status_code, "with words of your own for today" in refused.text) == (429, True)
    assert invite(table, ada, game, KIM).status_code == 303, "without words there may be more"
    Browser(table, ada).post(f"/games/{game['id']}/seats/2/clear")
    table.clock.turn(days=1, seconds=1)
    assert invite(table, ada, game, KIM, "Come!").status_code == 303


def test_words_come_over_rest_too(table: Table, ada: Person):
    game = opened(ada)
    path = f"/games/{game['id']}/seats/2"
    assert ada.request("PUT", path, json={"invite": KIM, "words": "see evil.example"}).status_code == 422
    assert ada.request("PUT", path, json={"invite": KIM, "words": "Come!"}).status_code == 200
    assert '"Come!"' in newest(table, KIM).get_content()


# Remind and withdraw -------------------------------------------------------------------------------------------------


def test_an_invitation_says_since_when_it_waits_and_reminds_once_a_day(table: Table, ada: Person):
    game = opened(ada)
    invite(table, ada, game, KIM, "Come!")
    first = newest(table, KIM).get_content()
    remind = f"/games/{game['id']}/seats/2/remind"
    assert remind not in page_of(table, ada, game)
    early = Browser(table, ada).post(remind)
    assert (early.status_code, "You have written to them within a day" in early.text) == (429, True)
    table.clock.turn(days=1, seconds=1)
    assert remind in page_of(table, ada, game)
    assert Browser(table, ada).post(remind).status_code == 303
    mail = newest(table, KIM)
    assert "A reminder: " in str(mail["Subject"])
    assert '"Come!"' in mail.get_content()
    assert len(table.post.of(KIM)) == 2
    assert ", reminded on " in page_of(table, ada, game)
    assert Browser(table, ada).post(remind).status_code == 429
    old, new = (re.findall(r'the code is "(\w+)"', text)[0] for text in (first, mail.get_content()))
    sign_up = "/api/v1/players/confirm"
    assert table.client.post(sign_up, json={"code": old}).status_code == 422, "the newest mail has the code"
    assert table.client.post(sign_up, json={"code": new, "name": "Kim"}).status_code == 201
    assert names_at(table, game)[:2] == ["Ada", "Kim"]


def test_reminders_count_for_the_address_as_invitations_do(table: Table, ada: Person):
    games = [opened(ada) for _ in range(4)]
    for game in games[:3]:
        assert invite(table, ada, game, KIM).status_code == 303
    table.clock.turn(days=1, seconds=1)
    for game in games[:3]:
        assert Browser(table, ada).post(f"/games/{game['id']}/seats/2/remind").status_code == 303
    refused = invite(table, ada, games[3], KIM)
    assert (refused.status_code, "invited this address often enough" in refused.text) == (429, True)


def test_a_host_whom_the_guest_has_blocked_reminds_in_vain_and_sees_no_difference(table: Table, ada: Person):
    answers = []
    for name in ("Ben", "Cleo"):
        person = table.person(name)
        if name == "Ben":
            Browser(table, person).post("/me/blocks", {"who": ada.address})
        game = opened(ada)
        invite(table, ada, game, person.address)
        table.tick()
        table.clock.turn(days=1, seconds=1)
        before = len(table.post.of(person.address))
        answers.append(Browser(table, ada).post(f"/games/{game['id']}/seats/2/remind").status_code)
        table.tick()
        assert len(table.post.of(person.address)) == before + (name == "Cleo")
        assert ", reminded on " in page_of(table, ada, game)
    assert answers == [303, 303]


def test_nobody_but_the_host_reminds_and_only_whom_they_invited(table: Table, ada: Person):
    ben, game = (
        table.person("Ben"),
        opened(ada, seats=[{"role": "mr_x"}, {"role": "detective", "invite": KIM}, OPEN[2]]),
    )
    Browser(table, ben).post(game["join"])
    table.clock.turn(days=2)
    for number, status in ((1, 403), (3, 403), (9, 422)):
        assert Browser(table, ada).post(f"/games/{game['id']}/seats/{number}/remind").status_code == status
    assert Browser(table, ben).post(f"/games/{game['id']}/seats/2/remind").status_code == 403
    ada.post(f"/games/{game['id']}/host", {"seat": 3})
    refused = Browser(table, ben).post(f"/games/{game['id']}/seats/2/remind")
    assert (refused.status_code, "whom you invited" in refused.text) == (403, True)


# Bots for the rest ---------------------------------------------------------------------------------------------------


def test_bots_fill_the_rest_and_the_game_starts_at_once(table: Table, ada: Person):
    game = opened(ada)
    invite(table, ada, game, KIM)
    page = page_of(table, ada, game)
    assert "Let bots fill the rest and start" in page
    assert "Whoever has not answered yet loses the seat to a bot" in page
    answer = Browser(table, ada).post(f"/games/{game['id']}/start", {"level": "fair"})
    assert answer.status_code == 303
    view = ada.get(f"/games/{game['id']}").json
    assert view["status"] == "running"
    assert [(seat["bot"], seat["level"]) for seat in view["seats"][1:]] == [("constable", "fair")] * 2


def test_bots_alone_do_not_play_and_nothing_is_half_done(table: Table, ada: Person):
    made = ada.post("/games", {"edition": "condensed", "seats": OPEN, "visibility": "private"}).json
    assert "Let bots fill" not in page_of(table, ada, made)
    for level, status in (("fair", 409), ("superb", 422)):
        assert Browser(table, ada).post(f"/games/{made['id']}/start", {"level": level}).status_code == status
    assert [seat["state"] for seat in ada.get(f"/games/{made['id']}").json["seats"]] == ["open"] * 3


# The name ------------------------------------------------------------------------------------------------------------


def test_the_host_names_the_game_at_the_opening_and_later(table: Table, ada: Person):
    ben, game = table.person("Ben"), opened(ada, name="Friday night")
    assert game["name"] == "Friday night"
    assert Browser(table, ada).post(f"/games/{game['id']}/name", {"name": "Saturday night"}).status_code == 303
    assert "<h1>Saturday night</h1>" in page_of(table, ada, game)
    Browser(table, ben).post(game["join"])
    assert Browser(table, ben).post(f"/games/{game['id']}/name", {"name": "Mine"}).status_code == 403
    Browser(table, ada).post(f"/games/{game['id']}/start", {"level": "easy"})
    assert Browser(table, ada).post(f"/games/{game['id']}/name", {"name": "Too late"}).status_code == 409
    assert ada.get(f"/games/{game['id']}").json["name"] == "Saturday night"


@for_each(
    "name, status",
    [
        ("", 422),
        ("x" * 41, 422),
        ("<b>bold</b>", 422),
        ("evil.example", 422),
        ("\N{ZERO WIDTH SPACE}", 422),
        ("Black Ticket", 409),
        ("Agent Mr. X", 409),
        ("Where is Mr. X", 422),
    ],
)
def test_the_name_of_a_game_is_checked_as_those_of_players_are(table: Table, ada: Person, name: str, status: int):
    game = opened(ada)

    assert Browser(table, ada).post(f"/games/{game['id']}/name", {"name": name}).status_code == status
    answer = ada.post("/games", {"edition": "condensed", "name": name})
    assert answer.status_code == (status if name else 422), answer.text
    assert ada.get(f"/games/{game['id']}").json["name"] == game["name"]


# The end -------------------------------------------------------------------------------------------------------------


def test_the_host_closes_the_game_and_its_people_get_a_mail(table: Table, ada: Person):
    ben, game = table.person("Ben"), opened(ada)
    Browser(table, ben).post(game["join"])
    invite(table, ada, game, KIM, "Come!", seat=3)
    assert Browser(table, ben).post(f"/games/{game['id']}/close").status_code == 403
    assert Browser(table, ada).post(f"/games/{game['id']}/close").status_code == 303
    assert f"The host has closed {game['name']}, which had not begun." in flat(newest(table, ben.address).get_content())
    assert all("closed" not in mail.get_content() for mail in table.post.of(ada.address))
    assert ada.get(f"/games/{game['id']}").json["status"] == "over"
    assert "This game is closed. It did not begin." in page_of(table, ben, game)
    late = Browser(table).get(game["join"]).text
    assert "This game was closed before it began." in late
    assert "This game is over." not in late
    assert "Ada invited you to a game of Scotland Yard" in late
    assert Browser(table, ada).post(f"/games/{game['id']}/close").status_code == 409


# A host without a seat -----------------------------------------------------------------------------------------------


def test_a_host_without_a_seat_sees_and_hears_what_goes_on(table: Table, ada: Person):
    ben = table.person("Ben")
    made = ada.post("/games", {"edition": "condensed", "seats": OPEN[:2], "visibility": "private"}).json
    game = made | {"join": f"/join/{made['code']}"}
    ben.post(f"/games/{game['id']}/seats", {"role": "mr_x", "code": game["code"]})
    ben.post(f"/games/{game['id']}/messages", {"to": "all", "text": "When do we begin?"})
    assert "When do we begin?" in page_of(table, ada, game)
    text = newest(table, ada.address).get_content()
    assert "When do we begin?" in text
    assert "SAY" not in text, "the host has no seat to speak from"
    Browser(table, ada).post(f"/games/{game['id']}/talk/muted", {"muted": "yes"})
    before = len(table.post.of(ada.address))
    ben.post(f"/games/{game['id']}/messages", {"to": "all", "text": "Hello?"})
    table.tick()
    assert len(table.post.of(ada.address)) == before
    assert "Mail them to me again" in page_of(table, ada, game)
