"""A reply address belongs to one seat and one go, is printed the same again, and dies with its seat."""

import re
from pathlib import Path
from typing import Any

from server.application.game import reply_addresses
from server.models import ReplyToken, session
from tests.databases import stored
from tests.rows import for_each
from tests.scenes import KEY, chase_announced, text_of
from tests.table import Playing, Table


def reply_to(mail: Any) -> str:
    address: str = mail["Reply-To"].addresses[0].addr_spec
    return address


def find(table: Table, address: str) -> ReplyToken | None:
    with table.app.app_context():
        return reply_addresses.find(address)


def test_a_reply_address_is_a_long_token_in_small_letters_and_digits(game: Playing):
    game.table.tick()
    assert re.fullmatch(r"turn\+[a-z2-7]{16}@localhost", reply_to(game.people[0].mails[-1]))


def test_everybody_has_an_address_of_his_own_and_another_in_every_round(game: Playing):
    for _ in range(2):
        game.move(game.people[0])
        game.table.tick()
        while game.view()["to_move"] != ["mr_x"]:
            game.move(game.mover())
    turns = [mail for _, mail in game.table.post.sent if "Purple, your move" in mail["Subject"]]
    assert len({reply_to(mail) for mail in turns}) == len(turns) == 2


def test_a_reminder_prints_the_same_address_again(table: Table):
    game = chase_announced(table)
    table.clock.turn(hours=40)
    table.tick()
    turn, reminder = game.people[0].mails
    assert "a reminder" in reminder["Subject"]
    assert reply_to(reminder) == reply_to(turn)


def test_the_address_changes_when_the_seat_changes_hands(table: Table):
    ada, ben, cleo = table.people(3)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}, {"role": "detective"}]
    made = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats}).json["id"]
    table.tick()
    ben.reply("NO")
    table.tick()
    assert cleo.post(f"/games/{made}/seats", {"seat": 2}).status_code == 201
    cleo.reply("STATUS", to=ben.mails[0])
    table.tick()
    named = re.findall(r"turn\+\w+@localhost", cleo.mails[-1].get_content())
    assert len(named) == 1
    assert named[0] != reply_to(ben.mails[0])
    assert find(table, named[0]).nonce != find(table, reply_to(ben.mails[0])).nonce


def test_the_same_server_prints_the_same_token_and_another_one_does_not(tmp_path: Path):
    printed = []
    for folder, key in (("a", KEY), ("b", KEY), ("c", f"another {KEY}")):
        table = Table(tmp_path / folder, secret_key=key)
        game = table.dealt(3)
        table.tick()
        printed.append(reply_to(game.people[0].mails[-1]))
    assert printed[0] == printed[1] != printed[2]


def test_a_reminder_tells_of_another_game_the_whole_address_be_the_token_in_it_or_in_the_name(tmp_path: Path):
    table = Table(tmp_path, reply_address="Yard {token} <us@example.org>", play_address="us@example.org")
    people = table.people(2)
    for _ in range(2):
        table.game(people, "condensed")
    table.tick()
    printed = {str(mail["Reply-To"].addresses[0]) for mail in people[0].mails}
    table.clock.turn(hours=40)
    table.tick()
    reminder = people[0].mails[-1]
    (other,) = printed - {str(reminder["Reply-To"].addresses[0])}
    assert f"at the address {other}." in " ".join(text_of(reminder).split())


def test_only_the_hash_of_a_token_is_in_the_database(game: Playing):
    game.table.tick()
    token = reply_to(game.people[0].mails[-1]).removeprefix("turn+").removesuffix("@localhost")
    assert token.encode() not in stored(game.table.app)


def test_an_address_is_found_in_any_case(game: Playing):
    game.table.tick()
    address = reply_to(game.people[0].mails[-1])
    assert find(game.table, address.upper()) is not None
    assert find(game.table, f" {address} ") is not None


@for_each(
    "address",
    [
        "turn+aaaaaaaaaaaaaaaa@localhost", "turn+@localhost", "turn@localhost", "play@localhost", "",
        "turn+aaaaaaaaaaaaaaaa@localhost.evil.example", "xturn+aaaaaaaaaaaaaaaa@localhost",
        f"turn+{'a' * 500}@localhost", "turn+aaaaaaaaaaaaaaa\n@localhost", f"turn+{'ａ' * 16}@localhost",
    ],
)  # fmt: skip
def test_what_was_never_printed_is_not_found(game: Playing, address: str):
    assert find(game.table, address) is None


def test_the_form_of_the_address_is_the_hosts_choice(tmp_path: Path):
    form = {
        "reply_address": "{token}@turns.{domain}",
        "mail_domain": "play.example.org",
        "play_address": "desk@{domain}",
    }
    table = Table(tmp_path, **form)
    game = table.dealt(3)
    table.tick()
    mail = game.people[0].mails[-1]
    assert re.fullmatch(r"[a-z2-7]{16}@turns\.play\.example\.org", reply_to(mail))
    assert mail["From"].addresses[0].addr_spec == "desk@play.example.org"
    with table.app.app_context():
        assert reply_addresses.find(reply_to(mail)) is not None
        assert reply_addresses.is_play("DESK@play.example.org")
        assert not reply_addresses.is_play("desk@play.example.com")
        assert session.query(ReplyToken).count() == 3
