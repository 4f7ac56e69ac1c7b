"""The pages behind the links of question mails: opening one does nothing, and its one button answers the mail."""

import re
from collections.abc import Callable
from urllib.parse import unquote

import pytest

from server.vocabulary.labels import LABELS, MOVES, PASSED_ON, name_of, named
from tests.mail.commands.test_dispatch import answer, at_play
from tests.scenes import hunt, text_of
from tests.table import SITE, Person, Playing, Table
from tests.web.game.test_page import Browser


@pytest.fixture
def hunted(public_table: Table) -> Playing:
    return hunt(public_table)


def links(person: Person) -> dict[str, str]:
    """The paths of the pages that the newest mail of somebody links to, by their labels."""
    text = re.sub(r":\n +", ": ", text_of(person.mails[-1]))
    return dict(re.findall(rf'^ - "([^"\n]+)": {SITE}(/answer/\w+/[\w-]+)$', text, re.MULTILINE))


def press(game: Playing, person: Person, label: str) -> str:
    """Somebody opens every link of their newest mail, as a scanner does, and presses the button of one; the answer."""
    pages = links(person)
    number = len(person.mails)
    for path in pages.values():
        assert Browser(game.table).get(path).status_code == 200
        game.table.client.head(path)
    game.table.tick()
    assert len(person.mails) == number, "following a link does nothing"
    led = Browser(game.table).post(pages[label])
    assert "Your answer is sent" in Browser(game.table).get(led.headers["Location"]).text
    game.table.tick()
    return " ".join(text_of(person.mails[-1]).split())


def vote(game: Playing) -> None:
    game.people[0].post(f"{game.path}/votes", {"kind": "extend", "length": "P1D"})
    game.table.tick()


def draw(game: Playing) -> None:
    game.people[0].post(f"{game.path}/draw")
    game.table.tick()


def mailed(text: str) -> Callable[[Playing], None]:
    def asks(game: Playing) -> None:
        answer(game.people[1], text)

    return asks


def elsewhere(game: Playing) -> None:
    game.people[1].reply("bus 102", sender="ben@phone.example")
    game.table.tick()


def held(game: Playing) -> None:
    game.people[1].request("PATCH", "/me/preferences", json={"hold": "always"})
    answer(game.people[1], "taxi 115")


# What asks, and what each label does.
PRESSED = [
    (vote, "Agree", "You have voted to give the detectives 1 day more."),
    (vote, "Decline", "You have voted not to give the detectives 1 day more."),
    (draw, "Agree", "You agree to the draw that Ada (Mr. X) offered."),
    (draw, "Play on", "All right, nothing of that was done."),
    (held, "Play now", 'Understood and played: "purple taxi 115".'),
    (held, "Don't", 'Not set: "purple taxi 115".'),
    (elsewhere, "That was me", "You can now play from"),
    (elsewhere, "Not me", "All right, nothing of that was done."),
    (mailed("RESIGN"), "Resign", "You have given the game up."),
    (mailed("RESIGN"), "Keep my seat", "You keep your seat"),
    (mailed("I think I take bus 102 please?"), "Play now", 'Understood and played: "purple bus 102".'),
    (mailed("Ricevo troppe mail"), "Do it", "how much mail comes"),
    (mailed("taxi 115\nbus 102"), "purple taxi 115", 'Understood and played: "purple taxi 115".'),
    (mailed("taxi 115\nbus 102"), "purple bus 102", 'Understood and played: "purple bus 102".'),
    (mailed("taxi 115\n\nor do I take the bus to 102?"), "purple bus 102", 'Understood and played: "purple bus 102".'),
    (mailed("115 or 102"), "purple bus 102", 'Understood and played: "purple bus 102".'),
]


@pytest.mark.parametrize(("asks", "label", "done"), PRESSED)
def test_a_press_answers_the_question_of_its_mail(
    hunted: Playing, asks: Callable[[Playing], None], label: str, done: str
):
    ben = hunted.people[1]
    asks(hunted)
    assert done in press(hunted, ben, label) or done in ben.mails[-1]["Subject"]


def test_the_page_of_an_answer_says_beside_its_button_what_is_asked(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    page = Browser(hunted.table).get(links(ben)["Resign"]).text
    assert "You give the game up, and cannot take it back." in page
    pages = [Browser(hunted.table).get(links(ben)["Resign"].replace("resign", name_of(each))) for each in LABELS]
    said = [re.findall("<p><b>(.*?)</b>", each.text) for each in pages]
    assert len({sentence for (sentence,) in said}) == len(LABELS)


@pytest.mark.parametrize("label", ["Sit down", "Decline"])
def test_an_invitation_is_answered_by_a_press_of_its_reader_with_an_account_or_without(public_table: Table, label: str):
    ada, ben = public_table.person("Ada"), public_table.person("Ben")
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}]
    seats += [{"role": "detective", "invite": "gil@example.org"}]
    path = f"/games/{ada.post('/games', {'edition': 'ravensburger-2000', 'seats': seats}).json['id']}"
    public_table.tick()
    gil = public_table.post.of("gil@example.org")[-1]
    for mail in (ben.mails[-1], gil):
        found = dict(re.findall(rf'- "([^"\n]+)":\s+{SITE}(/answer/\w+/[\w-]+)', text_of(mail)))
        Browser(public_table).get(found[label])
        assert "taken" not in [seat["state"] for seat in ada.get(path).json["seats"][1:]] or mail is gil
        Browser(public_table).post(found[label])
        public_table.tick()
    states = [seat["state"] for seat in ada.get(path).json["seats"]]
    assert states == ["taken", *([{"Sit down": "taken", "Decline": "open"}[label]] * 2)]


@pytest.mark.parametrize("path", ["/answer/aaaa/agree", "/answer/{0}x/agree", "/answer/{0}/bet"])
def test_an_address_that_was_never_printed_leads_nowhere(hunted: Playing, path: str):
    vote(hunted)
    token = links(hunted.people[1])["Agree"].split("/")[2]
    assert Browser(hunted.table).get(path.format(token)).status_code == 404


def test_the_html_of_a_mail_writes_each_answer_too(hunted: Playing):
    vote(hunted)
    html = hunted.people[1].mails[-1].get_body(("html",)).get_content()
    assert re.findall(r'href="mailto:[^"]+body=(\w+)"[^>]*>by mail', html) == ["YES", "NO"]
    assert re.findall(r'href="http[^"]+/answer/[^"]+"[^>]*>([^<]+)<', html) == ["Agree", "Decline"]


def test_without_pages_the_text_writes_the_answer(table: Table):
    zoe = table.person("Zoe")
    ((_, opened),) = at_play(zoe, "NEW condensed 3 with cleo@example.org")
    address = opened["Reply-To"].addresses[0].addr_spec
    text = re.sub(r":\n +", ": ", text_of(opened))
    assert re.findall(r"mailto:(\S+)\?body=(\w+)", unquote(text)) == [(address, "YES"), (address, "NO")]
    assert "/answer/" not in opened.get_body(("html",)).get_content()


def test_each_label_has_a_page_of_its_own_and_writes_one_word():
    assert {named(name_of(label)): word for label, word in LABELS.items()} == LABELS
    others = [*MOVES, *PASSED_ON.values()]
    assert [named(name_of(label)) for label in others] == others
    assert set(LABELS.values()) == {"YES", "NO"}


def test_the_page_of_a_move_shows_no_station_and_asks_nothing_any_more_once_it_is_answered(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115\nbus 102")
    path = links(ben)["purple taxi 115"]
    assert not re.search("115|taxi", Browser(hunted.table).get(path).text + path)
    answer(ben, "bus 102")
    assert Browser(hunted.table).get(path).status_code == 404
