"""Mails that come late, from elsewhere, or in a form that cannot be read."""

from sqlalchemy import select

from server.mail import inbox
from server.models import Outgoing, session
from tests.databases import stored
from tests.mail.commands.test_dispatch import answer, flat, history, verdict
from tests.positions import position
from tests.scenes import (
    mail_only_to,
    write,
)
from tests.table import Playing, Table


def test_the_answer_to_an_old_token_carries_one_that_is_good(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    mail_only_to(hunted.table, "Ben")
    hunted.table.clock.turn(hours=49)
    hunted.table.tick()
    hunted.move(hunted.people[0], "taxi 101")
    hunted.table.tick()
    said = answer(ben, "bus 102", to=turn)
    assert "You can go from" in said
    assert "Understood and played" in answer(ben, hunted.legal(ben)[0])


def test_a_mail_whose_sender_is_not_exactly_the_player_does_nothing(hunted: Playing):
    to = hunted.people[1].mails[-1]["Reply-To"].addresses[0].addr_spec
    for number, (sender, became) in enumerate((
        ("Ben <ben@example.org>, eve@example.org", "other-sender"),
        ('"ben@example.org" <mallory@evil.example>', "unknown-sender"),
        ("Ben", "other-sender"),
    )):  # fmt: skip
        raw = f"From: {sender}\r\nMessage-ID: <q{number}@q>\r\n\r\nbus 102\r\n".encode()
        hunted.table.clock.turn(minutes=1)
        hunted.table.deliver(raw, "x@y.example", to)
        hunted.table.tick()
        assert verdict(hunted.table) == became, sender
    assert len(history(hunted)) == 1


def test_the_case_of_an_address_does_not_matter(hunted: Playing):
    assert "Understood and played" in answer(hunted.people[1], "bus 102", sender="BEN@Example.ORG")


def test_a_reply_address_dies_when_the_seat_changes_hands(table: Table):
    ada, ben, cleo = table.people(3)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}, {"role": "detective"}]
    made = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats}).json["id"]
    table.tick()
    invitation = ben.mails[-1]
    assert "You have taken the seat of Purple and Red." in answer(ben, "YES", to=invitation)
    assert "You have left the game" in answer(ben, "LEAVE", to=invitation)
    cleo.post(f"/games/{made}/seats", {"seat": 2})
    before = len(table.post.sent)
    ben.reply("LEAVE", to=invitation)
    cleo.reply("LEAVE", to=invitation)
    table.tick()
    assert [seat["player"] for seat in ada.get(f"/games/{made}").json["seats"]] == [ada.id, cleo.id, None]
    told = {recipient: flat(mail) for recipient, mail in table.post.sent[before:]}
    assert "You play in no game at the moment" in told[ben.address]
    assert "its seat has changed hands" in told[cleo.address]


def test_mail_to_an_address_that_was_never_printed_is_kept_and_answered_by_nothing(hunted: Playing):
    before = len(hunted.table.post.sent)
    write(hunted.people[1], "bus 102", to="turn+aaaaaaaaaaaaaaaa@localhost")
    hunted.table.tick()
    assert verdict(hunted.table) == "unknown-address"
    assert len(hunted.table.post.sent) == before


def test_a_mail_that_cannot_be_read_is_answered_with_why(hunted: Playing):
    ben = hunted.people[1]
    to = ben.mails[-1]["Reply-To"].addresses[0].addr_spec
    for number, (raw, told) in enumerate((
        ("Content-Type: text/plain; charset=utf-7\r\n\r\nbus 102", "The letters of your mail cannot be read"),
        ("Content-Type: multipart/encrypted; boundary=x\r\n\r\n--x\r\n\r\nbus 102\r\n--x--", "Your mail is encrypted"),
        ("garbage\r\n\r\nbus 102", "Your mail arrived in a form that cannot be read for certain"),
        ("\r\n" + "x" * 1_100_000, "Your mail is too large to be read"),
        ("\r\n", "no move or command"),
    )):  # fmt: skip
        head = f"From: {ben.address}\r\nMessage-ID: <bad{number}@mail>\r\nSubject: x\r\n"
        before = len(ben.mails)
        hunted.table.clock.turn(minutes=61)  # equal answers are one an hour
        hunted.table.deliver(f"{head}{raw}\r\n".encode(), ben.address, to)
        hunted.table.tick()
        (mail,) = ben.mails[before:]
        assert told in flat(mail)
    assert len(history(hunted)) == 1


def test_answers_lie_sealed_until_they_are_sent(hunted: Playing):
    hunted.people[0].reply("LOG")
    with hunted.table.app.app_context():
        inbox.process_waiting()
        (row,) = session.scalars(select(Outgoing).where(Outgoing.kind == "answer"))
        assert any("black ticket for a bus to 100" in block["text"] for block in row.details["blocks"])
        session.remove()
    assert b"for a bus to 100" not in stored(hunted.table.app)


def test_the_form_of_a_double_move_is_told_to_who_tries_one_or_asks_for_the_choices(table: Table):
    people = table.people(4)
    table.game(people, position=position(111, purple=15, red=41, green=29))
    table.tick()
    for text in ("double taxi 15", "2x taxi 15", "Doppelzug"):
        said = answer(people[0], text)
        assert 'such as "double taxi NN bus NN", with any two tickets that you have' in said, text
    assert "A double move may use any two tickets that you have." in answer(people[0], "LEGAL")


def test_somebody_who_sends_the_example_as_it_is_reads_what_nn_stands_for(hunted: Playing):
    assert "NN stands for the number of a station." in answer(hunted.people[1], "purple taxi NN")
    assert "NN stands" not in answer(hunted.people[1], "purple taxi")


def test_what_cannot_follow_a_command_or_has_to_is_told_with_the_choices(hunted: Playing):
    extend = 'EXTEND is a command, but something has to follow it. "EXTEND 2 days" asks the others for more time.'
    for text, told in (
        ("RULES 1850", 'RULES is a command, but "1850" cannot follow it.'),
        ("PLAY chess", "The editions are"),
        ("HOST pink", "The detectives are Purple, Red, Green, Yellow and Blue."),
        ("COVER pink", "The detectives are"),
        ("EXTEND", extend),
    ):
        said = answer(hunted.people[1], text)
        assert told in said, text
        assert "found no move or command" not in said, text
        assert "Nothing was done." in said, text
