"""Codes that guests ask for: whom they draw on, whose wrong digits count, and what an answer tells of an address."""

import re

import pytest

from server.application.limits import quotas
from server.application.people import codes
from server.models import transaction
from server.runtime import networks
from server.vocabulary import limits
from tests.statements import statements
from tests.table import Person, Table
from tests.web.game.test_invitation import opened, sits_down
from tests.web.game.test_page import Browser
from tests.web.me.test_guest import guest
from tests.web.test_signing_in import ask_from

MOST = limits.CODES.most
OWN_PATH = "/me/addresses/confirm"


@pytest.fixture
def ada(table: Table) -> Person:
    return table.people(1)[0]


def mailed(table: Table, address: str) -> str:
    """Return the digits of the newest mail to an address."""
    table.tick()
    return re.findall(r'the digits are "(\d{6})"', table.post.of(address)[-1].get_content())[0]


def mistype(browser: Browser, digits: str, times: int = codes.MOST_TRIES) -> None:
    for number in range(times):
        wrong = f"{(int(digits) + number + 1) % 10**6:06}"
        assert browser.post(OWN_PATH, {"code": wrong}).status_code == 422


def use_up_network(table: Table) -> None:
    with table.app.app_context(), transaction():
        network = quotas.of_network(networks.network("127.0.0.1"))
        while quotas.use_up(limits.CODES, network) is None:
            pass


# How much mail ----------------------------------------------------------------------------------------------------


def test_practice_guests_of_one_network_have_mails_to_strangers_as_those_who_sign_in(table: Table):
    answers = []
    for number in range(20):
        browser = guest(table)
        answers += [
            browser.post("/me/addresses", {"email": f"stranger{number}-{each}@example.org"}).status_code
            for each in range(10)
        ]
    assert (answers.count(303), answers.count(429)) == (MOST, 200 - MOST)
    table.tick()
    assert len(table.post.sent) == MOST
    refused = browser.post("/me/addresses", {"email": "last@example.org"})
    assert ("from your network" in refused.text, 'name="code"' in refused.text) == (True, True)
    assert ask_from(table, 7, "elsewhere@example.org").status_code == 303, "others go on"


def test_signing_in_and_guests_of_one_network_draw_on_one_share(table: Table):
    use_up_network(table)
    assert guest(table).post("/me/addresses", {"email": "anna@example.org"}).status_code == 429
    assert Browser(table).post("/sign-in", {"email": "anna@example.org"}).status_code == 429


def test_above_the_share_the_answer_is_the_same_for_an_address_that_is_known(table: Table, ada: Person):
    use_up_network(table)
    browser = guest(table)
    answers = [browser.post("/me/addresses", {"email": email}) for email in (ada.address, "nobody@example.org")]
    texts = {re.sub(r'value="[^"]*@example.org"', "", answer.text) for answer in answers}
    assert ({answer.status_code for answer in answers}, len(texts)) == ({429}, 1)
    table.tick()
    assert table.post.sent == []


def test_at_the_table_of_a_host_with_an_address_each_seat_has_two_mails_whatever_the_network_had(
    table: Table, ada: Person
):
    use_up_network(table)
    game = opened(ada)
    anna, ben = (sits_down(table, game, name) for name in ("Anna", "Ben"))
    for browser in (anna, ben):
        answers = [browser.post("/me/addresses", {"email": f"{n}@school.example"}).status_code for n in range(3)]
        assert answers == [303, 303, 429]
    Browser(table, ada).post(f"/games/{game['id']}/seats/2/clear")
    code = ada.get(f"/games/{game['id']}").json["code"]
    cleo = sits_down(table, game | {"join": f"/join/{code}"}, "Cleo")
    assert cleo.post("/me/addresses", {"email": "cleo@school.example"}).status_code == 429, "the seat has had its mails"
    table.clock.turn(days=1)
    assert cleo.post("/me/addresses", {"email": "cleo@school.example"}).status_code == 303, "of the network"


# Six digits ----------------------------------------------------------------------------------------------------------


def test_wrong_digits_of_others_leave_those_of_an_asker_good(table: Table):
    anna = guest(table)
    assert anna.post("/me/addresses", {"email": "anna@example.org"}).status_code == 303
    digits = mailed(table, "anna@example.org")
    for _ in range(5):
        stranger = guest(table)
        assert stranger.post("/me/addresses", {"email": "anna@example.org"}).status_code == 303
        mistype(stranger, mailed(table, "anna@example.org"))
    assert anna.post(OWN_PATH, {"code": digits}).status_code == 303


def test_the_address_of_an_account_takes_five_tries_a_day_of_whoever_asks(table: Table, ada: Person):
    last = guest(table)
    assert last.post("/me/addresses", {"email": ada.address}).status_code == 303
    digits = mailed(table, ada.address)
    stranger = guest(table)
    assert stranger.post("/me/addresses", {"email": ada.address}).status_code == 303
    mistype(stranger, mailed(table, ada.address))
    name = re.findall(r"Guest \d+", stranger.get("/me").text)[0]
    assert stranger.post("/me/delete", {"name": name}).status_code == 303, "which brings no try back"
    wrong = last.post(OWN_PATH, {"code": digits})
    assert (wrong.status_code, "its link works in every browser" in wrong.text) == (422, True)
    table.clock.turn(days=1)
    assert last.post("/me/addresses", {"email": ada.address}).status_code == 303
    assert last.post(OWN_PATH, {"code": mailed(table, ada.address)}).status_code == 303


def test_wrong_digits_are_answered_in_the_same_words_and_by_the_same_work_for_every_address(table: Table, ada: Person):
    answers, work = set(), []
    for round_, address in ((0, "first@example.org"), (1, ada.address), (2, "nobody@example.org")):
        browser = guest(table)
        assert browser.post("/me/addresses", {"email": address}).status_code == 303
        digits = mailed(table, address)
        for number in range(codes.MOST_TRIES + 2):
            wrong = f"{(int(digits) + number + 1) % 10**6:06}"
            with statements(table) as sent:
                answer = browser.post(OWN_PATH, {"code": wrong})
            if round_:
                answers.add((answer.status_code, re.sub(r"Guest \d+", "", answer.text)))
                work.append(sent)
    assert len(answers) == 1
    half = len(work) // 2
    assert work[:half] == work[half:]


# The same work for every address ---------------------------------------------------------------------------------


def test_above_the_share_signing_in_does_the_same_work_for_every_address(table: Table, ada: Person):
    use_up_network(table)
    zoe = table.person("Zoe")
    work = {}
    for address in ("first@example.org", ada.address, "nobody@example.org", zoe.address, ada.address):
        with statements(table) as sent:
            assert Browser(table).post("/sign-in", {"email": address}).status_code == 429
        work[len(work), address] = sent
    _, known, unknown, other, just_mailed = work.values()
    assert known == unknown == other == just_mailed
    assert sum(each.startswith("INSERT INTO outbox") for each in unknown) == 1
    table.tick()
    assert {letter.recipient for letter in table.post.sent} == {ada.address, zoe.address}
    assert len(table.post.sent) == 2
    table.clock.turn(minutes=10)
    later = {}
    for address in ("again@example.org", ada.address, "still-nobody@example.org"):
        with statements(table) as sent:
            assert Browser(table).post("/sign-in", {"email": address}).status_code == 429
        later[address] = sent
    assert later[ada.address] == later["still-nobody@example.org"]
    table.tick()
    assert len(table.post.of(ada.address)) == 2


def test_asking_for_an_address_is_the_same_work_whether_it_is_known(table: Table, ada: Person):
    work = []
    for address in ("first@example.org", ada.address, "nobody@example.org"):
        browser = guest(table)
        with statements(table) as sent:
            assert browser.post("/me/addresses", {"email": address}).status_code == 303
        work.append(sent)
    assert work[1] == work[2]
