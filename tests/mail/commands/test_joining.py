"""The life of a game around its moves by mail alone: invited, YES, play, talk, leave; NEW, JOIN, INVITE, REMATCH."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from email.message import EmailMessage
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import ORMExecuteState

from server.application.people.players import name_like
from server.mail.commands import joining
from server.mail.examination import examine
from server.mail.reading.headers import name_before
from server.mail.trust.results import Authentication
from server.models import Player, session, transaction
from tests.kept import again
from tests.scenes import chase, dealing, text_of, write
from tests.table import Person, Playing, Table

ANNA = "anna@example.org"


def letters(table: Table, address: str) -> list[Any]:
    return table.post.of(address)


def answer(table: Table, text: str, to: Any, sender: str = f"Anna Lee <{ANNA}>") -> None:
    """An answer to a mail by who need not be a player; it is read at once."""
    mail = EmailMessage()
    mail["From"], mail["To"] = sender, to["Reply-To"]
    mail["Subject"], mail["Message-ID"] = f"Re: {to['Subject']}", f"<{table.count()}@mail.example.org>"
    mail.set_content(text)
    table.deliver(mail.as_bytes(), ANNA, to["Reply-To"].addresses[0].addr_spec)
    table.tick()


def flat(mail: Any) -> str:
    return " ".join(text_of(mail).split())


def replied(person: Person, text: str, to: Any = None, **headers: str) -> str:
    """What the newest mail to a player says after an answer of theirs to `to`, by default to the newest before."""
    person.reply(text, to, **headers)
    person.table.tick()
    return flat(person.mails[-1])


def invited(table: Table) -> tuple[Person, str]:
    """A host who is Mr. X, and the path of his game for two, to which Anna is invited."""
    game = again(table, _inviting_anna)
    return game.people[0], game.path


def _inviting_anna(table: Table) -> Playing:
    ada = table.person("Ada")
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "invite": ANNA}]
    made = ada.post("/games", {"edition": "condensed", "seats": seats})
    assert made.status_code == 201, made.json
    table.tick()
    return Playing(table, made.json["id"], [ada])


def test_a_stranger_lives_through_a_game_by_mail_alone(table: Table):
    ada, path = invited(table)
    (invitation,) = letters(table, ANNA)
    assert invitation["Subject"].endswith('"Ada" invites you to a game of Scotland Yard by mail')
    answer(table, "YES", invitation)
    assert 'You are a player here now, called "Anna Lee".' in flat(letters(table, ANNA)[-1])
    assert ada.get(path).json["seats"][1]["state"] == "taken"
    with dealing(table, 103, 26, 29, 34, 50):
        ada.reply("START")
        table.tick()
    assert "you are Purple, Red, Green and Yellow" in letters(table, ANNA)[-1]["Subject"]
    ada.reply("taxi 86")
    table.tick()
    answer(table, "purple taxi 15\nSAY ALL Good evening", letters(table, ANNA)[-1])
    assert 'Understood and played: "purple taxi 15".' in flat(letters(table, ANNA)[-1])
    assert "Good evening" in flat(ada.mails[-1])
    answer(table, "RESIGN", letters(table, ANNA)[-1])
    answer(table, "YES", letters(table, ANNA)[-1])
    assert ada.get(path).json["outcome"]["reason"] == "resigned"
    answer(table, "REMATCH", next(m for m in reversed(letters(table, ANNA)) if "over" in m["Subject"]))
    assert "There is a rematch" in flat(letters(table, ANNA)[-1])
    assert ada.mails[-1]["Subject"].endswith("a seat as Purple, Red, Green and Yellow is reserved for you")
    answer(table, "LEAVE", letters(table, ANNA)[-1])
    assert "You have left the game" in flat(letters(table, ANNA)[-1])


# Invited as a stranger


def test_an_answer_from_another_address_seats_nobody_and_is_told_to_the_invited_one(table: Table):
    ada, path = invited(table)
    (invitation,) = letters(table, ANNA)
    answer(table, "YES", invitation, sender="Mallory <mallory@evil.example>")
    assert "not from this address of yours" in flat(letters(table, ANNA)[-1])
    assert letters(table, "mallory@evil.example") == []
    assert ada.get(path).json["seats"][1]["state"] == "invited"


def test_what_is_no_answer_is_explained_and_yes_is_good_after_it(table: Table):
    ada, path = invited(table)
    (invitation,) = letters(table, ANNA)
    for text in ("What is this?", "taxi 46", "YES\nNEW 4", "hm"):
        answer(table, text, invitation)
    assert len(letters(table, ANNA)) == 1 + 4
    assert "answer YES" in flat(letters(table, ANNA)[-1])
    answer(table, "yes!", letters(table, ANNA)[-1])
    assert ada.get(path).json["seats"][1]["state"] == "taken"


def test_what_is_no_clear_answer_to_an_invitation_leaves_it_open(table: Table):
    """All forms of answers, and of taking one back, are in `tests/language/test_retractions.py`."""
    ada, path = invited(table)
    invitation = letters(table, ANNA)[0]
    texts = ("Who else is playing?", "Yes, but not before Friday", "YES\n\nno wait, sorry, ignore that", "NO\nYES")
    for number, text in enumerate(texts, 2):
        answer(table, text, invitation)
        assert ada.get(path).json["seats"][1]["state"] == "invited", text
        assert len(letters(table, ANNA)) == number, text


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Yes, count me in.\n\nAnna", "taken"),
        ("Not this time", "open"),
        ("NO\n\nSorry, maybe next time!", "open"),
        ("YES\n\nThanks! See you tonight", "taken"),
    ],
)
def test_an_invitation_is_accepted_and_declined_in_ones_own_words(table: Table, text: str, state: str):
    ada, path = invited(table)
    answer(table, text, letters(table, ANNA)[0])
    assert ada.get(path).json["seats"][1]["state"] == state
    assert len(letters(table, ANNA)) == 2


@pytest.mark.parametrize(("text", "is_invited_again"), [("NO", True), ("STOP", False)])
def test_a_stranger_declines_and_with_stop_for_ever(table: Table, text: str, is_invited_again: bool):
    ada, path = invited(table)
    (invitation,) = letters(table, ANNA)
    answer(table, text, invitation)
    assert "You have declined the invitation" in flat(letters(table, ANNA)[-1])
    assert "the seat is open again" in ada.mails[-1]["Subject"]
    answer(table, "YES", invitation)
    assert "is no longer valid" in flat(letters(table, ANNA)[-1])
    got = len(letters(table, ANNA))
    again = ada.request("PUT", f"{path}/seats/2", json={"invite": ANNA}).json["seats"][1]
    table.tick()
    assert (again["state"], again["invite"]) == ("invited", ANNA), "the host sees no difference"
    assert len(letters(table, ANNA)) - got == is_invited_again


@pytest.mark.parametrize(
    ("sender", "name"),
    [
        ("Anna Lee <a@b.org>", "Anna Lee"), ('"Anna Lee" <a@b.org>', "Anna Lee"), ("a@b.org", "a"), ("<a@b.org>", "a"),
        ("=?utf-8?q?Anna_L=C3=A9e?= <a@b.org>", "Anna Lée"), ('"a@b.org" <a@b.org>', "a"), ('"=?" <a@b.org>', "a"),
        (f"{'Anna ' * 20}<a@b.org>", "Anna Anna Anna Anna Anna Anna Anna Anna"), ("", "a"),
    ],
)  # fmt: skip
def test_a_new_player_is_called_as_in_his_from_or_as_his_address_begins(sender: str, name: str):
    assert name_like(name_before(sender), otherwise=name_like("a")) == name


def test_an_old_name_that_is_a_link_is_not_written_to_strangers(table: Table):
    ada = table.person("Gwen")
    with table.app.app_context(), transaction():
        session.get_one(Player, ada.id).name = "Win at spam.example/now"  # from before links were refused
    seats = [{"role": "mr_x"}, {"role": "detective", "invite": ANNA}]
    assert ada.post("/games", {"edition": "condensed", "seats": seats}).status_code == 201
    table.tick()
    assert "spam.example" not in letters(table, ANNA)[0].as_string()


# NEW


def opened(person: Person) -> dict[str, Any]:
    """The newest game that this person hosts."""
    games = person.get("/games?mine=true").json["games"]
    newest = max(games, key=lambda game: game["created_at"])
    return person.get(f"/games/{newest['id']}").json


def test_new_opens_the_game_that_is_described(table: Table):
    ada = table.person("Ada")
    for text, edition, seats, more in (
        ("NEW", "ravensburger-2000", ["Ada"] + ["open"] * 5, {"seating": "lot", "visibility": "private"}),
        ("NEW ravensburger-2013 5", "ravensburger-2013", ["Ada"] + ["open"] * 4, {}),
        ("new condensed, 3 players as detective", "condensed", ["open", "Ada", "open"], {"seating": "chosen"}),
        ("New milton-bradley 4 as Mr. X, private", "milton-bradley-1985", ["Ada"] + ["open"] * 3,
         {"visibility": "private", "seating": "chosen"}),
        ("NEW players=3 by rotation", "ravensburger-2000", ["Ada", "open", "open"], {"seating": "rotation"}),
        ("NEW condensed with fugitive and constable", "condensed", ["fugitive", "Ada", "constable"], {}),
        ("NEW 3 as detective with constable", "ravensburger-2000", ["open", "Ada", "constable"], {}),
        ("NEW condensed 2 cut_off=true team_talk=open", "condensed", ["Ada", "open"], {}),
        ("NEW condensed 2 detectives_late=easy mr_x_late=vote", "condensed", ["Ada", "open"], {}),
    ):  # fmt: skip
        table.clock.turn(minutes=1)
        write(ada, text)
        table.tick()
        assert "your game is open" in ada.mails[-1]["Subject"], text
        game = opened(ada)
        found = [seat["bot"] or ("Ada" if seat["player"] == ada.id else seat["state"]) for seat in game["seats"]]
        assert (game["edition"], found) == (edition, seats), text
        assert game | more == game, text
        assert game["options"].get("cut_off", False) == ("cut_off" in text)
        late = ("easy", "vote") if "late" in text else ("deduction", "forfeit")
        assert (game["clock"]["detectives_late"], game["clock"]["mr_x_late"]) == late


def test_new_that_fills_every_seat_says_so_and_start_begins_it(table: Table):
    ada, _ben = table.people(2)
    write(ada, "NEW condensed 3 with fugitive, constable")
    table.tick()
    said = flat(ada.mails[-1])
    assert "Every seat is taken. Answer this mail with the word START" in said
    assert "JOIN" not in said
    before = len(ada.mails)
    ada.reply("START")
    for _ in range(2):
        table.tick()
    assert opened(ada)["status"] == "running"
    first = ada.mails[before:][0]
    assert "The hunt begins" in first["Subject"] or "your move by" in first["Subject"], "it is the answer to START"
    assert not any("the game has begun" in mail["Subject"] for mail in ada.mails[before:])
    ada.reply("NEW condensed 2 with ben@example.org")
    table.tick()
    told = "Every seat is taken or reserved. When all have accepted you get a mail"
    assert any(told in flat(mail) for mail in ada.mails[-2:]), "the bots of the game before may have moved meanwhile"


def test_new_and_an_invitation_name_the_edition_and_what_the_host_has_changed(table: Table):
    ada, ben = table.people(2)
    write(ada, "NEW 1985 3 deduction=off cut_off=true")
    table.tick()
    ada.reply("INVITE ben@example.org")
    table.tick()
    (answer, *_), (invitation,) = ada.mails, ben.mails
    for mail in (answer, invitation):
        told = flat(mail)
        assert "The rules are those of the edition Milton Bradley 1985, changed in this: - " in told
        assert "Where Mr. X can be you find out yourselves." in told
        assert "Mr. X cannot pass over a detective's station by bus or underground." in told


@pytest.mark.parametrize(
    ("line", "edition"),
    [
        ("PLAY 1985", "milton-bradley-1985"),
        ("PLAY 2000", "ravensburger-2000"),
        ("PLAY Ravensburger", "ravensburger-2000"),
    ],
)
def test_play_takes_the_year_or_the_maker_of_an_edition(table: Table, line: str, edition: str):
    ada = table.person("Ada")
    write(ada, line)
    table.tick()
    (game,) = ada.get("/games?mine=true").json["games"]
    assert (game["edition"], game["status"]) == (edition, "running")


@pytest.mark.parametrize(
    ("option", "name", "value"),
    [
        ("surfacing=3,8,13", "surfacing", [3, 8, 13]),
        ("surfacing=5", "surfacing", [5]),
        ("start_cards=13,26,29,34,50,53", "start_cards", [13, 26, 29, 34, 50, 53]),
        ("detective_tickets=taxi:9,bus:7", "detective_tickets", {"taxi": 9, "bus": 7, "underground": 4}),
        ("mr_x_tickets=double:1", "mr_x_tickets", {"taxi": 4, "bus": 3, "underground": 3, "double": 1}),
    ],
)
def test_new_takes_options_whose_values_are_lists(table: Table, option: str, name: str, value: object):
    ada = table.person("Ada")
    write(ada, f"NEW 4 private {option}")
    table.tick()
    assert opened(ada)["options"][name] == value


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("surfacing=99", "The option surfacing names window 99, but the log has only 24 windows"),
        ("detective_tickets=tram:7", "The option detective_tickets cannot be"),
        ("colour=red", "There is no option 'colour'; the options are board, players,"),
    ],
)
def test_new_says_which_option_is_refused_and_why(table: Table, option: str, why: str):
    ada = table.person("Ada")
    write(ada, f"NEW 4 {option}")
    table.tick()
    assert why in " ".join(text_of(ada.mails[-1]).split())


def test_new_says_what_is_wrong_and_opens_nothing(table: Table):
    ada = table.person("Ada")
    for text, why in (
        ("NEW london-1999", "There is no edition 'london-1999'"),
        ("NEW 9", "3 to 6"),
        ("NEW condensed 2 with ben@example.org, cleo@example.org", "names 3 players for a game of 2"),
        ("NEW 3 as mr_x with fugitive", "no further seat for fugitive"),
        ("NEW 4 with Nobody", "Nobody of those you have met"),
        ("NEW 4 fast=true", "fast"),
        ("NEW 4 detectives_late=good", "detectives_late: deduction or easy"),
    ):
        write(ada, text)
        table.tick()
        said = flat(ada.mails[-1])
        assert why in said
        assert "Nothing was done." in said
    assert ada.get("/games?mine=true").json["games"] == []


def test_at_the_play_address_new_invites_nobody_before_it_is_confirmed(table: Table):
    ada, ben = table.people(2)
    write(ada, "NEW 4 public with anna@example.org and Ben@example.org")
    table.tick()
    assert "nobody is invited and the game is in no list yet" in flat(ada.mails[-1])
    assert (letters(table, ANNA), ben.mails) == ([], [])
    assert 'Invited: "anna@example.org" and "Ben@example.org".' in replied(ada, "YES")
    assert len(letters(table, ANNA)) == len(ben.mails) == 1
    assert [seat["state"] for seat in opened(ada)["seats"]] == ["taken", "invited", "invited", "open"]


def test_a_new_game_for_addresses_with_nothing_between_them_is_opened_and_not_asked_about(table: Table):
    ada, ben = table.people(2)
    write(ada, f"NEW 3 with anna@example.org {ben.address}")
    table.tick()
    assert "nobody is invited yet" in flat(ada.mails[-1])
    replied(ada, "YES")
    assert [seat["state"] for seat in opened(ada)["seats"]] == ["taken", "invited", "invited"]


def test_a_game_opened_at_the_play_address_is_seen_by_nobody_else_before_it_is_confirmed(table: Table):
    ada, ben = table.people(2)
    write(ada, "NEW condensed 3 public")
    table.tick()
    assert "the game is in no list yet: YES lets everybody see it" in flat(ada.mails[-1])
    game = opened(ada)
    assert ben.get(f"/games/{game['id']}").status_code == 404
    assert "Everybody here can see the game now" in replied(ada, "YES")
    assert ben.get(f"/games/{game['id']}").json["visibility"] == "public"


def test_who_signs_his_mail_opens_a_public_game_and_invites_at_once(table: Table, monkeypatch: pytest.MonkeyPatch):
    ada, ben = table.people(2)
    monkeypatch.setattr(examine, "authenticate", lambda *_: Authentication(dmarc="pass"))
    write(ada, "NEW condensed 2 public with ben@example.org")
    table.tick()
    assert (opened(ada)["visibility"], len(ben.mails)) == ("public", 1)
    assert "forged" not in flat(ada.mails[-1])


def test_so_many_games_a_day_are_opened_in_a_name_that_may_be_forged(table: Table, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(joining, "UNPROVEN_GAMES", replace(joining.UNPROVEN_GAMES, most=2))
    ada = table.person("Ada")
    for number in (1, 2, 2):
        table.clock.turn(minutes=1)
        write(ada, "NEW condensed 2")
        table.tick()
        assert len(ada.get("/games?mine=true").json["games"]) == number
    assert "games of yours were opened within a day" in flat(ada.mails[-1])
    ada.reply("NEW condensed 2")
    table.tick()
    assert len(ada.get("/games?mine=true").json["games"]) == 3


def test_in_an_answer_new_invites_at_once_by_name_too_and_the_other_game_is_told_of(table: Table):
    game = table.dealt(3)
    table.tick()
    ada, ben, _ = game.people
    ada.reply("NEW condensed 2 with ben")
    table.tick()
    assert "no move was found" in ada.mails[-1]["Subject"], "a name begins with a capital"
    said = replied(ada, "NEW condensed 2 with Ben")
    assert 'Invited: "Ben".' in said
    assert "You are also Mr. X in" in said
    assert "You are invited" in ben.mails[-1]["Subject"]


def test_what_stands_before_new_is_told_behind_it_with_the_name_of_its_game(table: Table):
    game = chase(table)
    table.tick()
    ada = game.people[0]
    said = replied(ada, "taxi 112\nSAY ALL here I come\n\nNEW condensed 2")
    opened, _, before = said.partition("Foggy Thames: your move is played. ")
    assert "your game is open" in ada.mails[-1]["Subject"]
    assert "You have opened a game of two players" in opened
    assert "112" not in opened
    assert 'Understood and played: "taxi 112". Foggy Thames: your message is passed on. Said to all: "here I' in before


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("RESIGN\nNEW condensed 2", "RESIGN"), ("taxi 112\nPLAY", "A move that waits for your word"),
        ("STATUS\nNEW condensed 2", "STATUS"), ("taxi 112\nJOIN {code}", "A move that waits for your word"),
    ],
)  # fmt: skip
def test_what_needs_an_answer_about_this_game_stands_in_no_mail_with_a_way_into_another(
    table: Table, text: str, what: str
):
    game = chase(table)
    ada, gus = game.people[0], table.person("Gus")
    code = gus.post("/games", {"edition": "condensed", "players": 2}).json["code"]
    ada.request("PATCH", "/me/preferences", json={"hold": "always"})
    table.tick()
    said = replied(ada, text.format(code=code))
    assert f"{what} has to be answered in a mail about this game, and your mail leads to another" in said
    ada.reply("YES")
    table.tick()
    assert game.view()["turn"] == 1
    assert game.view()["status"] == "running"
    assert len(ada.get("/games?mine=true").json["games"]) == 1


def test_a_line_behind_new_is_about_the_new_game_and_refused_alone(table: Table):
    ada = chase(table).people[0]
    table.tick()
    assert "You have opened a game of two players" in replied(ada, "NEW condensed 2\nRESIGN")
    assert len(ada.get("/games?mine=true").json["games"]) == 2


def test_a_yes_that_is_asked_for_again_opens_no_other_game(table: Table):
    game = chase(table)
    ada = game.people[0]
    table.tick()
    turn = ada.mails[-1]
    ada.reply("RESIGN", turn)
    table.tick()
    said = replied(ada, "YES\nNEW condensed 2", turn, **{"In-Reply-To": turn["Message-ID"]})
    assert "YES has to be answered in a mail about this game" in said
    assert len(ada.get("/games?mine=true").json["games"]) == 1


def test_the_settings_at_the_end_of_a_mail_are_told_though_a_game_was_opened_between(table: Table):
    ada = chase(table).people[0]
    table.tick()
    said = replied(ada, "SET zone Europe/Paris\nNEW condensed 2\nSET zone Europe/Berlin")
    assert 'Your time zone is "Europe/Berlin"' in said
    assert "Paris" not in said
    assert "Foggy Thames: your settings" not in said


def test_what_is_about_no_game_names_none_and_the_travel_log_names_its_own(table: Table):
    ada = chase(table).people[0]
    table.tick()
    said = replied(ada, "SET name Ada B\nBLOCK Cleo\nLOG\nNEW condensed 2")
    assert said.count("Foggy Thames: ") == 1
    assert "Foggy Thames: the travel log" in said


def test_a_yes_to_an_invitation_beside_other_lines_leaves_no_game(table: Table):
    ada, ben = table.people(2)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}]
    made = ada.post("/games", {"edition": "condensed", "seats": seats}).json
    table.tick()
    said = replied(ben, "SET name Benny\nRULES\nYES")
    assert "You have taken the seat" in said
    assert f"{made['name']}: " not in said


def test_the_code_of_a_game_that_runs_is_refused_as_that_games(table: Table):
    game = chase(table)
    zoe = table.person("Zoe")
    write(zoe, "PLAY as Mr. X")
    table.tick()
    code = game.people[0].get(game.path).json["code"]
    said = replied(zoe, f"JOIN {code}")
    assert "No seat of Foggy Thames was taken. This game has started, and its seats are given" in said


@pytest.mark.parametrize("line", ["RESIGN", "DRAW"])
def test_nothing_below_a_way_into_another_game_asks_for_a_yes(table: Table, line: str):
    game = chase(table)
    ben = game.people[1]
    table.tick()
    ben.reply(f"PLAY\n{line}")
    table.tick()
    answers = [flat(mail) for mail in ben.mails]
    assert any(f'Not done: "{line}". Send {line} in an answer to a mail about that game.' in text for text in answers)
    ben.reply("YES")
    table.tick()
    assert any("There is no open question" in flat(mail) for mail in ben.mails)
    assert game.view()["seats"][1]["player"] == ben.id


@pytest.mark.parametrize("has_game", [False, True])
def test_one_mail_leads_into_one_game(table: Table, has_game: bool):
    ada, ben = table.people(2)
    if has_game:
        table.game([ada, ben], edition="condensed")
    write(ada, "NEW condensed 2 with ben@example.org\nNEW 3")
    table.tick()
    assert any("Your mail leads to more than one other game" in flat(mail) for mail in ada.mails)
    assert len(ada.get("/games?mine=true").json["games"]) == int(has_game)


# JOIN, INVITE, START


def test_join_takes_a_seat_by_its_code_and_start_begins_without_a_seat_of_the_host(table: Table):
    ada, ben, cleo = table.people(3)
    made = ada.post("/games", {"edition": "condensed", "players": 2, "visibility": "private"}).json
    write(ada, "START")
    table.tick()
    assert "The game cannot start" in flat(ada.mails[-1])
    write(ben, f"JOIN {made['code']} as mr_x")
    write(cleo, f"join {made['code'].upper()}")
    write(cleo, "JOIN abcdefghijklmnop")
    table.tick()
    assert "You have taken the seat of Mr. X." in flat(ben.mails[0])
    assert any("There is no game with that code" in flat(mail) for mail in cleo.mails)
    assert [seat["player"] for seat in ada.get(f"/games/{made['id']}").json["seats"]] == [ben.id, cleo.id]
    assert "Everybody is here" in ada.mails[-1]["Subject"]
    ada.reply("START")
    table.tick()
    assert ada.get(f"/games/{made['id']}").json["status"] == "running"
    assert "The hunt begins" in ada.mails[-1]["Subject"]


def test_who_joins_a_game_by_an_answer_about_another_locks_both_in_one_order(table: Table):
    ada, ben = table.people(2)
    for host in (ada, ben):
        write(host, "NEW condensed 3 as mr_x")
    table.tick()
    games = {host: opened(host) for host in (ada, ben)}
    for host, other in ((ada, ben), (ben, ada)):
        with locking() as locked:
            host.reply(f"JOIN {games[other]['code']}")
            table.tick()
        first = locked[0].compile(dialect=postgresql.dialect())
        assert str(first).endswith("ORDER BY games.id FOR UPDATE")
        assert [set(ids) for ids in first.params.values()] == [{game["id"] for game in games.values()}]
        assert "You have taken the seat of" in flat(host.mails[-1])


@contextmanager
def locking() -> Iterator[list[Any]]:
    """Each statement that locks rows."""
    locked: list[Any] = []

    def note(state: ORMExecuteState) -> None:
        text = str(state.statement.compile(dialect=postgresql.dialect())) if state.is_select else ""
        if "FROM games" in text and "FOR UPDATE" in text:
            locked.append(state.statement)

    event.listen(session.session_factory, "do_orm_execute", note)
    yield locked
    event.remove(session.session_factory, "do_orm_execute", note)


def test_invite_keeps_the_first_open_seat_and_only_for_the_host(table: Table):
    ada, ben, cleo = table.people(3)
    write(ada, "NEW 3 as detective")
    table.tick()
    game = opened(ada)
    said = replied(ada, "INVITE cleo@example.org")
    assert 'Invited: "cleo@example.org".' in said
    assert 'Mr. X is reserved for "cleo@example.org"' in said
    ada.reply("INVITE constable")
    table.tick()
    assert "Every seat that fits is taken" in replied(ada, "INVITE ben@example.org")
    cleo.reply("YES")
    table.tick()
    assert [seat["state"] for seat in ada.get(f"/games/{game['id']}").json["seats"]] == ["taken"] * 3
    assert "Only the host invites players." in replied(cleo, "INVITE ben@example.org")
    assert ben.mails == []


def test_leave_at_the_play_address_is_answered_with_an_address_that_carries_proof(table: Table):
    ada, ben = table.people(2)
    write(ada, "NEW condensed 2")
    table.tick()
    write(ben, f"JOIN {opened(ada)['code']}")
    table.tick()
    write(ben, "LEAVE")
    table.tick()
    assert opened(ada)["seats"][1]["state"] == "taken"
    ben.reply("LEAVE")
    table.tick()
    assert opened(ada)["seats"][1]["state"] == "open"
    assert re.search(r"Player two: the seat is open again", ada.mails[-1]["Subject"])
