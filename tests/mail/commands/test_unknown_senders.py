"""Mails in a game whose sender is forged, or is not the player: nothing is done before the player has said yes."""

from typing import Any
from unittest.mock import Mock

import pytest
from sqlalchemy import select

from server.mail.commands import unknown_senders
from server.mail.examination.supervisor import ReadingFailed, TooCostly
from server.models import Incoming, ReplyToken, session
from tests.mail.trust.signing import Names, mail, signed
from tests.scenes import hunt, text_of
from tests.table import Playing, Table


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def newest(table: Table) -> Incoming:
    with table.app.app_context():
        row = session.scalars(select(Incoming).order_by(Incoming.received_at.desc(), Incoming.id)).first()
        assert row is not None
        session.expunge_all()
        return row


def events(game: Playing) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = game.people[0].get(f"{game.path}/events").json["events"]
    return found


def history(game: Playing) -> list[str]:
    told: list[str] = game.view(game.people[1])["history"]
    return told


def flat(mail: Any) -> str:
    return " ".join(text_of(mail).split())


def test_a_forged_mail_is_not_obeyed_and_the_player_is_told_once(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    for _ in range(3):
        ben.reply("bus 102", to=turn, DKIM_Signature="v=1; a=rsa-sha256; d=example.org; s=x; l=1; h=from")
        hunted.table.tick()
        hunted.table.clock.turn(seconds=1)
    assert history(hunted) == ["black ?"]
    assert "and its sender seems to be forged" in flat(ben.mails[-1])
    assert [mail["Auto-Submitted"] for mail in ben.mails].count("auto-replied") == 1
    assert (newest(hunted.table).verdict, newest(hunted.table).checked) == ("forged", "dkim=policy by=us")


def test_what_was_found_of_a_sender_is_told_to_the_operator(hunted: Playing):
    from server.application.mail import envelopes

    ben = hunted.people[1]
    ben.reply("STATUS", DKIM_Signature="v=1; a=rsa-sha256; d=example.org; s=x; l=1; h=from")
    hunted.table.clock.turn(seconds=1)
    ben.reply("STATUS")
    hunted.table.tick()
    with hunted.table.app.app_context():
        assert [row["checked"] for row in envelopes.incoming()] == ["dkim=policy by=us", None]


def test_a_slow_name_service_does_not_hold_up_the_inbox(hunted: Playing):
    names = Names()
    names.told["s._domainkey.example.org", "TXT"] = ["silent"]
    hunted.table.app.extensions["blackticket"].dns.lookup = names
    for person in hunted.people[1:]:
        to = person.mails[-1]["Reply-To"].addresses[0].addr_spec
        hunted.table.deliver(signed(mail("STATUS", person.address, to=to)), person.address, to)
    hunted.table.tick()
    assert names.asked == [("s._domainkey.example.org", "TXT")]
    assert newest(hunted.table).checked == "dkim=temperror by=us"
    assert newest(hunted.table).verdict != "forged"


def test_the_player_is_asked_about_an_address_that_is_nobodys_and_yes_adds_it_and_plays_the_move(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    for _ in range(2):
        ben.reply("Hello!\nbus 102", to=turn, sender="Ben <ben@phone.example>")
        hunted.table.tick()
    (question,) = [mail for mail in ben.mails if "was it you?" in mail["Subject"]]
    assert 'Was it you, from "ben@phone.example"?' in flat(question)
    assert 'It says "bus 102".' in flat(question)
    assert not hunted.table.post.of("ben@phone.example")
    assert history(hunted) == ["black ?"]
    ben.reply("YES", to=question)
    hunted.table.tick()
    assert 'You can now play from "ben@phone.example" too. Understood and played' in flat(ben.mails[-1])
    assert history(hunted) == ["black ?", "purple bus 102"]
    addresses = ben.get("/me/addresses").json["addresses"]
    assert [address["email"] for address in addresses] == ["ben@example.org", "ben@phone.example"]
    hunted.table.clock.turn(seconds=1)
    ben.reply("STATUS", sender="ben@phone.example")
    hunted.table.tick()
    assert newest(hunted.table).verdict == "obeyed"


def test_of_other_words_than_a_move_the_first_is_quoted_without_its_comma(hunted: Playing):
    hunted.people[1].reply("Yes, please", sender="ben@phone.example")
    hunted.table.tick()
    assert 'It says "Yes".' in flat(hunted.people[1].mails[-1])


@pytest.mark.parametrize("word", ["YES", "NO"])
def test_an_answer_from_a_new_address_is_none_to_the_question_who_wrote_it(hunted: Playing, word: str):
    ben = hunted.people[1]
    ben.reply(word, sender="ben@phone.example")
    hunted.table.tick()
    ben.reply("YES", to=ben.mails[-1])
    hunted.table.tick()
    answer = flat(ben.mails[-1])
    assert f'You can now play from "ben@phone.example" too. The {word} of that mail answered nothing.' in answer
    assert "nothing was done" not in answer
    assert "Was it you" not in answer
    addresses = ben.get("/me/addresses").json["addresses"]
    assert [address["email"] for address in addresses] == ["ben@example.org", "ben@phone.example"]
    with hunted.table.app.app_context():
        assert not session.scalars(select(ReplyToken).where(ReplyToken.question.is_not(None))).all()


def test_no_drops_it(hunted: Playing):
    ben = hunted.people[1]
    ben.reply("bus 102", sender="ben@phone.example")
    hunted.table.tick()
    question = ben.mails[-1]
    for word in ("NO", "YES"):
        ben.reply(word, to=question)
        hunted.table.tick()
        hunted.table.clock.turn(seconds=1)
    assert "There is no open question" in flat(ben.mails[-1])
    assert history(hunted) == ["black ?"]
    assert len(ben.get("/me/addresses").json["addresses"]) == 1


def test_a_yes_about_a_mail_that_cannot_be_read_is_answered(hunted: Playing, monkeypatch: pytest.MonkeyPatch):
    ben = hunted.people[1]
    ben.reply("bus 102", sender="ben@phone.example")
    hunted.table.tick()
    question = ben.mails[-1]
    for trouble in (TooCostly(), ReadingFailed("hangs")):
        failing = Mock(**{"read.side_effect": trouble})
        monkeypatch.setattr(unknown_senders, "examiner", lambda failing=failing: failing)
        ben.reply("YES", to=question)
        hunted.table.tick()
        hunted.table.clock.turn(seconds=1)
        assert "cannot be read" in flat(ben.mails[-1])


def test_a_second_answer_to_that_question_is_none_to_a_vote(hunted: Playing):
    ben, cleo = hunted.people[1:3]
    ben.reply("bus 102", sender="ben@phone.example")
    hunted.table.tick()
    question = ben.mails[-1]
    assert cleo.post(f"{hunted.path}/votes", {"kind": "pause"}).status_code == 201
    hunted.table.tick()
    for _ in range(2):
        ben.reply("NO", to=question)
        hunted.table.tick()
    assert "You were asked this in another mail than the one that you have answered with NO" in flat(ben.mails[-1])
    assert "asks to pause the game" in flat(ben.mails[-1])
    (vote,) = cleo.get(f"{hunted.path}/votes").json["votes"]
    assert vote["state"] == "open"


def test_a_yes_to_something_else_is_none_to_that_question(hunted: Playing):
    """A stranger with the reply address must not have a player's YES taken as the answer to the stranger's question."""
    ben = hunted.people[1]
    ben.reply("I'd go by bus to 102")
    hunted.table.tick()
    asked = ben.mails[-1]
    assert "did you mean" in asked["Subject"]
    ben.reply("taxi 126", to=asked, sender="mallory@evil.example")
    hunted.table.tick()
    ben.reply("YES", to=asked)
    hunted.table.tick()
    assert history(hunted) == ["black ?", "purple bus 102"]
    assert len(ben.get("/me/addresses").json["addresses"]) == 1


def test_only_the_player_himself_answers_that_question(hunted: Playing):
    ben, cleo = hunted.people[1:3]
    ben.reply("bus 102", sender="mallory@evil.example")
    hunted.table.tick()
    question = ben.mails[-1]
    for sender in ("mallory@evil.example", cleo.address):
        ben.reply("YES", to=question, sender=sender)
        hunted.table.tick()
    assert len(ben.get("/me/addresses").json["addresses"]) == 1
    assert history(hunted) == ["black ?"]


def test_what_counts_no_more_when_yes_comes_is_not_done_but_the_address_is_added(hunted: Playing):
    ben = hunted.people[1]
    ben.reply("bus 102", sender="ben@phone.example")
    hunted.table.tick()
    question = ben.mails[-1]
    hunted.table.clock.turn(hours=49)
    hunted.table.tick()
    hunted.move(hunted.people[0])
    ben.reply("YES", to=question)
    hunted.table.tick()
    told = next(flat(mail) for mail in reversed(ben.mails) if mail["Auto-Submitted"] == "auto-replied")
    assert "But nothing was done of what that mail says: Your mail answers a mail about an earlier round" in told
    assert len(ben.get("/me/addresses").json["addresses"]) == 2


def test_an_address_that_has_become_somebodys_is_not_added(hunted: Playing):
    ben = hunted.people[1]
    ben.reply("bus 102", sender="gus@example.org")
    hunted.table.tick()
    question = ben.mails[-1]
    hunted.table.person("Gus")
    ben.reply("YES", to=question)
    hunted.table.tick()
    assert "belongs to a player already" in flat(ben.mails[-1])
    assert history(hunted) == ["black ?"]


def test_one_question_for_a_sender_and_a_go_and_not_too_many(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    for n in range(6):
        ben.reply("bus 102", to=turn, sender=f"mallory{n // 2}@evil.example" if n < 4 else f"eve{n}@evil.example")
        hunted.table.tick()
    assert len([mail for mail in ben.mails if "was it you?" in mail["Subject"]]) == 3


def test_a_player_whose_own_mistakes_are_answered_no_more_is_asked_all_the_same(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    for _ in range(3):
        ben.reply("taxi 1", to=turn)
    ben.reply("bus 102", to=turn, sender="ben@phone.example")
    hunted.table.tick()
    ben.reply("YES", to=next(mail for mail in ben.mails if "was it you?" in mail["Subject"]))
    hunted.table.tick()
    assert history(hunted) == ["black ?", "purple bus 102"]


def test_a_mail_of_another_player_is_an_incident_in_the_game_and_names_nobody(hunted: Playing):
    ben, cleo = hunted.people[1:3]
    turn = cleo.mails[-1]
    before = len(events(hunted))
    for _ in range(2):
        cleo.reply("taxi 84", to=turn, sender=ben.address)
        hunted.table.tick()
    (noted,) = events(hunted)[before:]
    assert (noted["kind"], noted["data"]) == ("intruded", {"seat": 3, "pawns": ["red"]})
    assert "from the address of another player" in flat(cleo.mails[-1])
    assert ben.address not in flat(cleo.mails[-1])
    assert not [mail for mail in ben.mails if mail["Auto-Submitted"] == "auto-replied"]
    assert hunted.view(cleo)["ahead"] == []


def test_a_line_with_a_pin_is_told_that_there_is_none_instead_of_being_skipped(hunted: Playing):
    ben = hunted.people[1]
    ben.reply("pin 0000\nbus 102")
    hunted.table.tick()
    assert "this server has none" in flat(ben.mails[-1])
    assert history(hunted) == ["black ?"]


def test_a_mail_of_a_forged_sender_is_done_nowhere(hunted: Playing):
    ben = hunted.people[1]
    forged = {"DKIM_Signature": "v=1; a=rsa-sha256; d=example.org; s=x; l=1; h=from"}
    before = len(ben.mails)
    raw = f"DKIM-Signature: {forged['DKIM_Signature']}\r\nFrom: {ben.address}\r\nTo: play@localhost\r\n\r\nSTATUS\r\n"
    hunted.table.deliver(raw.encode(), ben.address, "play@localhost")
    hunted.table.tick()
    assert (newest(hunted.table).verdict, len(ben.mails)) == ("forged", before)


def test_a_move_in_answer_to_that_question_is_a_move(hunted: Playing):
    ben = hunted.people[1]
    ben.reply("LEGAL", sender="ben@phone.example")
    hunted.table.tick()
    question = ben.mails[-1]
    ben.reply("YES", to=question)
    hunted.table.tick()
    ben.reply("bus 102", to=question)
    hunted.table.tick()
    assert history(hunted) == ["black ?", "purple bus 102"]
