"""Mail as somebody wants it: once a day, of every move, reminders only, or none; for all games or for one."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from server.application.mail import mail_choices
from server.mail import outbox
from server.mail.writing import digest
from server.models import Outgoing, session
from tests.kept import again
from tests.letters import opened
from tests.scenes import CHASE, chase_announced, quiet, text_of
from tests.standalone.mails import of_mailboxes
from tests.table import Person, Playing, Table

PREVIEW = 200  # characters of a mail that can be seen without opening it


@pytest.fixture
def game(table: Table) -> Playing:
    """Return a game in its middle, of which everybody has had the mails so far; Eve and Finn get no more."""
    return again(table, _begun)


def _begun(table: Table) -> Playing:
    game = chase_announced(table)
    quiet(table, "Eve", "Finn")
    table.clock.turn(minutes=1)  # so that what comes is newer
    return game


def wants(person: Person, mail: str, game: Playing | None = None) -> dict[str, str]:
    answer = person.request("PATCH", f"{game.path if game else '/me'}/preferences", json={"mail": mail})
    assert answer.status_code == 200, answer.json
    return answer.json


def says(person: Person, text: str, game: Playing) -> None:
    assert person.post(f"{game.path}/messages", {"to": "all", "text": text}).status_code == 201


def new_mails(table: Table, people: Iterable[Person]) -> list[int]:
    """Return the number of mails each of them gets by a round of the worker."""
    before = [len(person.mails) for person in people]
    table.tick()
    return [len(person.mails) - count for person, count in zip(people, before, strict=True)]


def words(mail: Any) -> str:
    return " ".join(text_of(mail).split())


def states(person: Person) -> dict[str, str]:
    """Return the state of the newest mail of each kind."""
    return {mail["kind"]: mail["state"] for mail in reversed(person.get("/me/deliveries").json["deliveries"])}


def pictures(mail: Any) -> list[str]:
    return [part["Content-ID"] for part in mail.walk() if part.get_content_type() == "image/png"]


def test_a_digest_of_one_game_shows_its_board_and_one_of_several_games_none(game: Playing):
    table, (ada, ben, cleo, *_) = game.table, game.people
    for person in (ben, cleo):
        wants(person, "daily 18:31")
    ben.request("PATCH", "/me/preferences", json={"picture": "off"})
    game.move(ada, "black 100")
    table.clock.turn(minutes=30)
    table.tick()
    assert (pictures(cleo.mails[-1]), pictures(ben.mails[-1])) == (["<surroundings>", "<board>"], [])
    html = cleo.mails[-1].get_body(("html",)).get_content()
    assert html.count("<img") == 2
    other = table.game(game.people, position=CHASE)
    for playing in (game, other):
        says(ada, "Here I am", playing)
    table.clock.turn(hours=24)
    table.tick()
    assert "the news of two games" in words(cleo.mails[-1])
    assert pictures(cleo.mails[-1]) == []


def test_who_wants_one_mail_a_day_gets_one_for_all_that_happened(game: Playing):
    table, (ada, ben, *_) = game.table, game.people
    wants(ben, "daily 18:31")
    game.move(ada, "black 100")
    assert new_mails(table, [ben]) == [0]
    table.clock.turn(minutes=20)
    says(ada, "Catch me", game)
    assert new_mails(table, [ben]) == [0]
    held = ben.get("/me/deliveries").json["deliveries"]
    assert {(mail["kind"], mail["state"], mail["not_before"]) for mail in held[:3]} == {
        ("digest", "pending", "2026-11-22T18:31:00Z"), ("turn", "held", "2026-11-22T18:31:00Z"),
        ("talk", "held", "2026-11-22T18:31:00Z"),
    }  # fmt: skip
    table.clock.turn(minutes=10)
    assert new_mails(table, [ben]) == [1]
    told = words(ben.mails[-1])
    assert told.index("Mr. X took a black ticket.") < told.index('"Catch me"') < told.index("Your move is due")
    deliveries = ben.get("/me/deliveries").json["deliveries"][:3]
    (sent,) = (mail for mail in deliveries if mail["kind"] == "digest")
    assert {(mail["state"], mail["told_in"]) for mail in deliveries} == {("sent", None), ("gathered", sent["id"])}


def test_of_several_games_each_has_its_own_address_and_the_mail_itself_moves_nothing(game: Playing):
    table, (ada, ben, cleo, *others) = game.table, game.people
    wants(ben, "daily 18:31")
    second = table.game([ada, cleo, ben, *others], position=CHASE)
    game.move(ada, "black 100")
    table.tick()
    table.clock.turn(minutes=1)  # so that the first is the more urgent one
    second.move(ada, "black 100")
    table.tick()
    table.clock.turn(minutes=29)
    assert new_mails(table, [ben]) == [1]
    mail = ben.mails[-1]
    addresses = re.findall(r"write to (\S+@localhost) and nowhere else", words(mail))
    assert (len(set(addresses)), mail["Reply-To"].addresses[0].addr_spec) == (2, "play@localhost")
    ben.reply("taxi 115", to=mail)
    table.tick()
    assert "Nothing was done" in words(ben.mails[-1])
    for address, move in zip(addresses, ("taxi 115", "taxi 51"), strict=True):
        del mail["Reply-To"]
        mail["Reply-To"] = address
        ben.reply(move, to=mail)
        table.tick()
    assert game.view()["pawns"]["purple"]["station"] == 115
    assert [kept["notation"] for kept in ben.get(f"{second.path}/ahead").json["moves"]] == ["red taxi 51"]


def test_the_seals_in_a_digest_are_each_of_their_game(game: Playing, tmp_path: Path):
    table, (ada, ben, cleo, *others) = game.table, game.people
    second = table.game([ada, cleo, ben, *others], position=CHASE)
    table.tick()
    wants(ben, "daily 18:31")
    for one in (game, second):
        one.move(ada, "black 100")
    table.tick()
    table.clock.turn(minutes=30)
    table.tick()
    told = [cleo.mails, ben.mails]
    status, facts, _ = of_mailboxes(tmp_path, *told)
    assert (status, facts["games"]) == (0, 2)
    forged = (
        ben.mails[-1]
        .as_bytes()
        .replace(b"event 9, after move 9: ", b"event 9, after move 9: aaaa bbbb cccc dddd eeee\n")
    )
    assert of_mailboxes(tmp_path, cleo.mails, [opened(forged)])[0] == 1


def test_what_is_overtaken_while_it_is_held_is_dropped_and_nothing_is_lost(game: Playing):
    table, (ada, ben, cleo, *others) = game.table, game.people
    wants(ada, "daily 04:02")
    game.move(ada, "black 100")
    for person in (ben, cleo, *others):
        game.move(person)
    table.tick()
    assert states(ada)["turn"] == "held"
    table.clock.turn(minutes=1)
    assert game.move(ada, "taxi 101").status_code == 201
    for person in (ben, cleo, *others):
        assert game.move(person).status_code == 201
    table.tick()
    assert states(ada)["turn"] == "held"
    table.clock.turn(hours=10)
    assert new_mails(table, [ada]) == [1]
    told = [mail["state"] for mail in ada.get("/me/deliveries").json["deliveries"] if mail["kind"] == "turn"][:2]
    assert told == ["gathered", "superseded"]
    assert len(re.findall(r"(?:Purple|Red|Green|Yellow|Blue) (?:went )?to \d+", words(ada.mails[-1]))) == 10


def test_a_mail_with_which_a_go_begins_waits_for_half_of_the_time_at_most(table: Table):
    game = again(table, _fast)
    table.tick()
    ada, ben, *_ = game.people
    wants(ben, "daily 17:00")
    game.move(ada, "black 100")
    table.tick()
    (turn,) = (mail for mail in ben.get("/me/deliveries").json["deliveries"] if mail["kind"] == "turn")
    assert (turn["state"], turn["not_before"]) == ("held", "2026-11-22T21:00:00Z")


def _fast(table: Table) -> Playing:
    clock = {"kind": "per_phase", "mr_x": "PT6H", "detectives": "PT6H"}
    return table.game(table.people(6), position=CHASE, clock=clock)


def test_a_reminder_is_not_held_back_and_takes_along_what_is(game: Playing):
    table, (ada, ben, *_) = game.table, game.people
    game.move(ada, "black 100")
    table.tick()
    wants(ben, "daily 18:30")
    table.clock.turn(hours=35)
    says(ada, "Catch me", game)
    assert new_mails(table, [ben]) == [0]
    table.clock.turn(hours=1)
    assert new_mails(table, [ben]) == [1]
    told = words(ben.mails[-1])
    assert told.index('"Catch me"') < told.index("This is a reminder: three quarters of your time has passed")


def test_reminders_only_are_reminders_only(game: Playing):
    table, (ada, ben, *_) = game.table, game.people
    wants(ben, "reminders")
    game.move(ada, "black 100")
    says(ada, "Catch me", game)
    assert new_mails(table, [ben]) == [0]
    assert (states(ben)["turn"], states(ben)["talk"]) == ("suppressed", "suppressed")
    table.clock.turn(hours=36)
    assert new_mails(table, [ben]) == [1]
    assert "a reminder: your move by" in ben.mails[-1]["Subject"]


def test_who_wants_every_move_gets_a_mail_for_each_move_of_others(game: Playing):
    table, (ada, ben, cleo, dan, *_) = game.table, game.people
    wants(ada, "moves")
    wants(dan, "moves", game)
    game.move(ada, "black 100")
    assert new_mails(table, [ada, ben, dan]) == [0, 1, 1]
    assert "your move" in dan.mails[-1]["Subject"]  # by the mail that he gets of it in any case
    game.move(ben, "taxi 115")
    assert new_mails(table, [ada, ben, dan]) == [1, 0, 1]
    assert ada.mails[-1]["Subject"].endswith("Round 1: Purple moved")
    assert "Purple went to 115 with a taxi." in words(dan.mails[-1])
    game.move(cleo)  # which makes it the go of Dan
    assert new_mails(table, [ada, ben, dan]) == [1, 0, 1]
    assert "your move" in dan.mails[-1]["Subject"]


def test_a_game_may_have_a_choice_of_its_own_until_it_is_as_all_others_again(game: Playing):
    table, (ada, ben, *_) = game.table, game.people
    assert wants(ben, "off") | {} == ben.get("/me/preferences").json
    assert wants(ben, "usual", game) == {"mail": "usual", "applies": "usual"}
    says(ada, "One", game)
    assert new_mails(table, [ben]) == [1]
    assert wants(ben, "inherit", game) == {"mail": "inherit", "applies": "off"}
    says(ada, "Two", game)
    assert new_mails(table, [ben]) == [0]


def test_what_is_held_comes_at_once_when_its_reader_wants_it_by_itself_again(game: Playing):
    table, (ada, ben, *_) = game.table, game.people
    wants(ben, "daily 17:00")
    game.move(ada, "black 100")
    says(ada, "Catch me", game)
    assert new_mails(table, [ben]) == [0]
    wants(ben, "usual")
    assert new_mails(table, [ben]) == [1]
    table.clock.turn(hours=24)
    assert new_mails(table, [ben]) == [0]


def test_what_is_held_is_dropped_when_its_reader_wants_nothing_any_more(game: Playing):
    table, (ada, ben, *_) = game.table, game.people
    wants(ben, "daily 17:00")
    says(ada, "Catch me", game)
    table.tick()
    wants(ben, "off", game)
    table.clock.turn(hours=24)
    assert new_mails(table, [ben]) == [0]
    assert states(ben)["talk"] == "suppressed"


def test_another_zone_moves_what_is_held_to_its_hour(game: Playing):
    table, (ada, ben, *_) = game.table, game.people
    wants(ben, "daily 17:00")
    says(ada, "Catch me", game)
    table.tick()
    ben.request("PATCH", "/me/preferences", json={"zone": "America/New_York"})
    table.clock.turn(hours=4)
    assert new_mails(table, [ben]) == [1]


def test_who_wanted_none_is_not_told_afterwards_what_he_did_not_want(game: Playing):
    table, (ada, ben, cleo, *_) = game.table, game.people
    wants(ben, "off")
    game.move(ada, "black 100")
    table.tick()
    wants(ben, "daily 18:31")
    game.move(ben, "taxi 115")
    game.move(cleo, "taxi 51")
    says(cleo, "Your turn", game)
    table.tick()
    table.clock.turn(minutes=30)
    assert new_mails(table, [ben]) == [1]
    told = words(ben.mails[-1]).split("The log allows")[0]
    assert "Red went to 51 with a taxi." in told
    assert "Mr. X moved" not in told


@pytest.mark.parametrize("mail", ["daily 18:31", "reminders", "off"])
def test_answers_come_whatever_was_chosen(game: Playing, mail: str):
    table, (_, ben, *_) = game.table, game.people
    wants(ben, mail)
    for line in ("STATUS", "HELP"):
        ben.reply(line, to=ben.mails[0])
        assert new_mails(table, [ben]) == [1], line
    table.client.post("/api/v1/players", json={"name": "Benno", "email": ben.address})
    assert new_mails(table, [ben]) == [1]


def test_a_player_without_a_seat_has_nothing_to_choose_of_a_game(game: Playing):
    gus = game.table.person("Gus")
    assert gus.get(f"{game.path}/preferences").status_code == 403
    assert gus.request("PATCH", f"{game.path}/preferences", json={"mail": "off"}).status_code == 403


def test_neither_subject_nor_first_lines_of_a_digest_name_a_station_to_mr_x(game: Playing):
    table, people = game.table, game.people
    wants(people[0], "daily 18:31")
    game.move(people[0], "black 100")
    for person in people[1:]:
        game.move(person)
    table.tick()
    table.clock.turn(minutes=30)
    assert new_mails(table, people[:1]) == [1]
    mail = people[0].mails[-1]
    assert not re.search(r"\b(?:100|111)\b", mail["Subject"] + text_of(mail)[:PREVIEW])
    assert "You can go from 100" in words(mail)


# Between writing and sending --------------------------------------------------------------------


def test_a_digest_that_was_written_before_its_reader_chose_otherwise_is_not_sent(
    game: Playing, monkeypatch: pytest.MonkeyPatch
):
    table, (ada, ben, *_) = game.table, game.people
    wants(ben, "daily 18:31")
    says(ada, "Catch me", game)
    table.tick()
    table.clock.turn(minutes=30)
    write = digest.compose_digest

    def composed(*args: Any) -> Any:
        written = write(*args)
        monkeypatch.setattr(digest, "compose_digest", write)
        with table.app.app_context():
            mail_choices.choose(ben.id, "usual")
        return written

    monkeypatch.setattr(digest, "compose_digest", composed)
    assert new_mails(table, [ben]) == [1]
    assert "writes to all" in ben.mails[-1]["Subject"]


def test_what_is_held_after_a_digest_was_written_comes_in_the_next(game: Playing, monkeypatch: pytest.MonkeyPatch):
    table, (ada, ben, *_) = game.table, game.people
    wants(ben, "daily 18:31")
    says(ada, "One", game)
    table.tick()
    table.clock.turn(minutes=30)
    write = digest.compose_digest

    def composed(*args: Any) -> Any:
        written = write(*args)
        monkeypatch.setattr(digest, "compose_digest", write)
        says(ada, "Two", game)
        return written

    monkeypatch.setattr(digest, "compose_digest", composed)
    table.tick()
    table.clock.turn(hours=24)
    table.tick()
    first, second = map(words, ben.mails[-2:])
    assert ['"One"' in first, '"Two"' in first, '"One"' in second, '"Two"' in second] == [True, False, False, True]


def test_a_digest_that_is_not_taken_is_tried_again_with_the_same_bytes(game: Playing):
    table, (ada, ben, *_) = game.table, game.people
    wants(ben, "daily 18:31")
    says(ada, "One", game)
    table.tick()
    table.clock.turn(minutes=30)
    with table.app.app_context():
        outbox.send_waiting(_Refusing())
        (row,) = session.query(Outgoing).filter_by(kind="digest", state="pending")
        kept = row.message
        session.remove()
    says(ada, "Two", game)
    table.clock.turn(minutes=10)
    table.tick()
    assert [letter.raw for letter in table.post.sent if letter.recipient == ben.address][-1] == kept


class _Refusing:
    def send(self, message: bytes, sender: str, recipient: str) -> None:
        raise ConnectionError

    def close(self) -> None:
        """Nothing is open."""
