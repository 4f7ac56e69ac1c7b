"""In which language a mail is answered: the player's; a stranger's by their words. What others read stays English."""

from typing import Any

import pytest
from sqlalchemy import select

from server.mail import inbox
from server.mail.trust.results import Authentication
from server.models import Base, Outgoing, Player, session, transaction
from server.vocabulary.translation import current
from tests import scenes
from tests.mail.commands import test_strangers as strangers
from tests.mail.commands.test_joining import write
from tests.scenes import hunt, pairs, text_of
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser

STRANGERS = (
    ("Hallo, ich würde gern bei euch mitspielen", "de"), ("Liste bitte", "de"), ("LIST", "en"), ("PLAY", "en"),
    ("I would like to play", "en"), ("bonjour, je voudrais jouer avec vous", "en"), ("ja", "en"), ("12345", "en"),
    ("etc", "en"), ("war", "en"), ("I'm in", "en"), ("im in", "en"), ("tag", "en"), ("hilfe", "de"),
    ("Mitspielen", "de"),
)  # fmt: skip


@pytest.fixture
def ben(table: Table) -> Person:
    game: Playing = hunt(table)
    return game.people[1]


def reply(person: Person, text: str) -> str:
    person.reply(text)
    person.table.tick()
    return " ".join(text_of(person.mails[-1]).split())


def language(person: Person) -> str:
    said: str = person.get("/me/preferences").json["language"]
    return said


def make_german(table: Table, *people: Person) -> None:
    with table.app.app_context(), transaction():
        for person in people:
            session.get_one(Player, person.id).language = "de"


@pytest.mark.parametrize("lines", ["LOG\nSET language de", "SET language de\nLOG", "bus 102\nLOG\nSET language de"])
def test_an_answer_that_changes_the_language_is_in_the_new_one_from_its_first_line(ben: Person, lines: str):
    told = reply(ben, lines)
    assert ("Fahrtentafel von Mr. X" in told, "travel log" in told, "You " in told) == (True, False, False), told


@pytest.mark.parametrize("asked", ["RESIGN", "DRAW"])
def test_what_is_withdrawn_is_told_in_the_new_language_too(table: Table, asked: str):
    *others, last = pairs(table).people
    for person in others:
        reply(person, "DRAW")
    reply(last, asked)
    told = reply(last, "SET language de\nLOG")
    assert ("Die Frage, ob du" in told, "The question" in told) == (True, False), told


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("surfacing=99", "Die Option surfacing nennt Feld 99, aber die Fahrtentafel hat nur 24 Felder;"),
        (
            "mr_x_supply=unlimited mr_x_tickets=underground:4",
            "Die Option mr_x_tickets gibt Mr. X 4 Taxi-Tickets, aber",
        ),
        ("pawns=all_two", 'Die Option players geht von 3 bis 6, aber pawns "all_two" ist für 2 bis 2 Personen.'),
        ("black=0 mr_x_tickets=taxi:0,bus:0,underground:0", "Mr. X hat kein Ticket für seinen ersten Zug;"),
        ("start_cards=13,999", "Die Startkarte 999 ist keine Station des Spielplans london."),
        ("start_cards=13,26", "Es gibt zu wenige Startkarten für"),
        ("colour=red", "Die Option 'colour' gibt es nicht; es gibt board, players,"),
    ],
)
def test_new_tells_a_german_in_german_which_option_is_refused_and_why(table: Table, option: str, why: str):
    ada = table.person("Ada")
    with table.app.app_context(), transaction():
        session.get_one(Player, ada.id).language = "de"
    write(ada, f"NEU 4 {option}")
    table.tick()
    assert why in " ".join(text_of(ada.mails[-1]).split())


def test_the_answer_to_a_mail_that_is_refused_is_in_the_language_that_stays(ben: Person):
    told = reply(ben, "SET language de\ntaxi 199")
    assert (language(ben), "Frist" in told) == ("en", False)
    assert "Nothing was done" in told


def test_a_player_without_a_game_who_changes_the_language_is_answered_in_the_new_one(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    strangers.shown_as(monkeypatch, Authentication(dkim="pass"))
    jo = table.person("Jo")
    scenes.write(jo, "MAP\nSET language de")
    table.tick()
    told = text_of(jo.mails[-1])
    assert ("Spielplan" in told, "The board" in told) == (True, False), told


@pytest.mark.parametrize("said", ["de", "Deutsch", "deutsch", "DE", "German", "german"])
def test_the_answer_to_a_new_language_is_in_it(ben: Person, said: str):
    assert "Deine Mails und Seiten sind auf Deutsch." in reply(ben, f"SET language {said}")
    assert language(ben) == "de"
    told = reply(ben, "SET language English")
    assert (language(ben), "Deutsch" in told.split("SET language")[0]) == ("en", False)


def test_the_languages_are_listed_to_who_names_none_of_them(ben: Person):
    told = reply(ben, "SET language klingon")
    assert "Choose en (English) or de (Deutsch)." in told
    assert language(ben) == "en"
    assert "changes a setting: zone, name, language," in reply(ben, "HELP ALL")


def test_a_stranger_is_answered_in_the_language_of_their_words(table: Table, monkeypatch: pytest.MonkeyPatch):
    strangers.shown_as(monkeypatch, strangers.PASSED)
    for number, (said, expected) in enumerate(STRANGERS):
        assert language_of_answer(table, f"jo{number}@else{number}.example", said) == expected, said
    assert current() == "en"


def language_of_answer(table: Table, email: str, said: str) -> str:
    head = f"From: Jo <{email}>\nTo: play@localhost\nMessage-ID: <{table.count()}@x>\nSubject: x\n"
    raw = f"{head}Content-Type: text/plain; charset=utf-8\n\n{said}\n".encode()
    table.deliver(raw, email, "play@localhost")
    with table.app.app_context():
        inbox.process_waiting()
        details = [row.details or {} for row in session.scalars(select(Outgoing))]
        session.remove()
    (answer,) = [each for each in details if each.get("to") == email]
    language: str = answer.get("language", "en")
    return language


def test_a_german_stranger_becomes_a_german_player_and_hears_in_both_languages_how_to_change_that(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    strangers.shown_as(monkeypatch, strangers.PASSED)
    (offer,) = strangers.send(table, "Guten Tag, ich möchte gerne mitspielen")
    (welcome, *_) = strangers.send(table, "ANMELDEN", to=offer)
    with table.app.app_context():
        (player,) = session.scalars(select(Player)).all()
        assert player.language == "de"
        session.remove()
    told = " ".join(text_of(welcome).split())
    assert "Deine Mails kommen auf Deutsch" in told
    assert 'For English, answer with the line "SET language en".' in told


def test_an_english_stranger_hears_nothing_of_languages(table: Table, monkeypatch: pytest.MonkeyPatch):
    strangers.shown_as(monkeypatch, strangers.PASSED)
    (offer,) = strangers.send(table, "SIGNUP")
    (welcome, *_) = strangers.send(table, "YES", to=offer)
    assert "SET language" not in text_of(welcome)


@pytest.mark.parametrize(
    ("said", "expected"),
    [("JA", "de"), ("ok", "de"), ("Ja, sehr gern!", "de"), ("YES", "en"), ("I'd love to, thanks!", "en")],
)
def test_a_guest_is_answered_in_the_language_of_the_invitation_unless_their_words_are_of_another(
    table: Table, said: str, expected: str
):
    told = invited_by_a_german(table, said)
    assert ("Du bist jetzt hier dabei" in told, "You are a player here now" in told) == (
        expected == "de",
        expected == "en",
    )
    assert ('For English, answer with the line "SET language en".' in told) == (expected == "de")
    with table.app.app_context():
        assert session.scalars(select(Player.language).where(Player.email == ANNA)).one() == expected
        session.remove()


def test_a_guest_who_comes_too_late_is_told_so_in_the_language_of_the_invitation(table: Table):
    assert "Die Einladung, auf die du geantwortet hast, gilt nicht mehr" in invited_by_a_german(
        table, "JA", is_withdrawn=True
    )


ANNA = "anna@example.org"


def invited_by_a_german(table: Table, said: str, *, is_withdrawn: bool = False) -> str:
    """Return what Anna reads when she answers the invitation of a German host, perhaps after it is withdrawn."""
    ada, path, _ = strangers.invitation(table, {"role": "detective"})
    make_german(table, ada)
    if is_withdrawn:
        ada.request("DELETE", f"{path}/seats/2")
    strangers.send(table, said, to=table.post.of(ANNA)[0], sender=ANNA)
    return " ".join(text_of(table.post.of(ANNA)[-1]).split())


UNFINISHED = (
    ("ABWESEND", "„ABWESEND 24.12. bis 2.1.“ nimmt Urlaub"), ("SAG", "„SAG hallo“ spricht zu deiner Seite"),
    ("vertreten", "Die Detektive sind Lila, Rot"), ("PROBIERE", "„PROBIERE taxi 46“"),
    ("VERLÄNGERN", "„VERLÄNGERN 2 Tage“"),
    ("BLOCKIEREN", "„BLOCKIEREN Ben“"), ("EINSTELLEN", "ändert eine Einstellung"), ("GASTGEBER", "„GASTGEBER rot“"),
    ("AWAY", "ABWESEND ist ein Befehl"),
)  # fmt: skip


def test_a_german_mail_with_a_value_that_is_not_offered_gets_a_german_sentence(table: Table, ben: Person):
    make_german(table, ben)
    for line, sentence in (
        ("NEU 4 cut_off=vielleicht", "Die Option cut_off kann nicht 'vielleicht' sein; richtig ist true oder false."),
        ("NEU 4 mr_x_late=vielleicht", "Wähle forfeit oder vote."),
        ("NEU 4 blocked=vielleicht", 'richtig ist "retry" oder "out".'),
    ):
        assert sentence in reply(ben, line), line


def test_a_german_command_that_lacks_something_is_answered_with_what_is_missing(table: Table, ben: Person):
    make_german(table, ben)
    for word, expected in UNFINISHED:
        told = reply(ben, word)
        assert "ist ein Befehl, aber dahinter muss noch etwas stehen." in told, word
        assert expected in told, word
        table.clock.turn(minutes=20)
    assert "VERTRETEN ist ein Befehl, aber „pink“ kann nicht dahinter stehen" in reply(ben, "VERTRETEN pink")


def test_settings_are_told_and_refused_in_the_words_in_which_a_german_types_them(table: Table, ben: Person):
    make_german(table, ben)
    for said, expected in (
        ("EINSTELLEN Quatsch", "EINSTELLEN ist ein Befehl"), ("EINSTELLEN Quatsch", "Sprache, Warten, Bild"),
        ("EINSTELLEN Mail täglich 18:00 hier", "„täglich 18:00“ gewählt; die Zeile „EINSTELLEN Mail Standard hier“"),
        ("EINSTELLEN Mail täglich 25:00", "„täglich 25:00“ kann nicht hinter „EINSTELLEN Mail“ stehen"),
        ("EINSTELLEN Bild blau", "Wähle eins davon: an oder eigenes oder aus."),
        ("NEU 3 quatsch", "ravensburger-2000, Kurzregeln und"),
        ("STOP", "„EINSTELLEN Mail normal“"),
    ):  # fmt: skip
        assert expected in reply(ben, said), said
        table.clock.turn(minutes=20)


def test_a_german_answer_to_what_a_stranger_wrote_is_read_and_quoted_as_a_yes(table: Table, ben: Person):
    make_german(table, ben)
    for text in ("JA, bitte schön", "Ja, bitteschön"):
        ben.reply(text, sender=f"{text[:2].lower()}{len(text)}@phone.example")
        table.tick()
        told = " ".join(text_of(ben.mails[-1]).split())
        assert f"„{text[:2]}“" in told, told


# What others read ----------------------------------------------------------------------------------


TOLD = ("events", "deadlines", "motions", "ballots", "moves", "moves_ahead", "absences", "games", "seats", "messages")


def rows_that_others_read(table: Table) -> dict[str, list[tuple[Any, ...]]]:
    with table.app.app_context():
        tables = {name: Base.metadata.tables[name] for name in TOLD}
        rows = {name: sorted(map(tuple, session.execute(select(of)).all()), key=repr) for name, of in tables.items()}
        session.remove()
    return rows


def played_by_mail(game: Playing) -> None:
    table, (_, ben, cleo) = game.table, game.people
    for person, text in (
        (ben, "EXTEND 2 days"), (cleo, "YES"), (ben, "PAUSE 3 days"), (cleo, "NO"), (ben, "AWAY 1 Dec to 3 Dec"),
        (ben, "AWAY off"), (ben, "lila taxi 15"), (ben, "purple taxi 15"), (cleo, "SAY hello"), (cleo, "COVER red"),
        (ben, "DRAW"), (ben, "RESIGN"), (ben, "YES"), (cleo, "RESIGN"), (cleo, "YES"),
    ):  # fmt: skip
        person.reply(text)
        table.tick()


def played_on_pages(game: Playing) -> None:
    table, (_, ben, cleo) = game.table, game.people
    browser, other = Browser(table, ben), Browser(table, cleo)
    path = f"/games/{game.id}"
    browser.post(f"{path}/votes", {"kind": "extend", "number": "1", "unit": "days"})
    browser.post(f"{path}/moves", {"turn": game.turn, "move": "purple taxi 15"})
    browser.post(f"{path}/talk", {"text": "hello", "to": "all"})
    other.post(f"{path}/resign", {"confirm": "yes"})
    table.clock.turn(days=9)
    table.tick()


@pytest.mark.parametrize("play", [played_by_mail, played_on_pages])
def test_what_german_players_do_leaves_the_rows_that_english_ones_leave(
    play: Any, tmp_path_factory: pytest.TempPathFactory
):
    found = []
    for is_german in (False, True):
        game = pairs(Table(tmp_path_factory.mktemp("rows")))
        if is_german:
            make_german(game.table, *game.people)
        play(game)
        found.append(rows_that_others_read(game.table))
    english, german = found
    for name in TOLD:
        assert english[name] == german[name], name
    assert len(english["events"]) > 8
    assert english["motions"]
