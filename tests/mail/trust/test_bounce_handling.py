"""Bounces, spam complaints and List-Unsubscribe, and their consequences."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from server import worker
from server.application.game import reply_addresses
from server.application.health import health
from server.application.mail import envelopes
from server.mail.trust.bounce_reports import is_lasting
from server.models import Address, Outgoing, session
from server.runtime.address_marks import address_mark
from server.vocabulary.errors import Problem
from tests.positions import position
from tests.scenes import hunt, text_of, write
from tests.table import Person, Playing, Table

AT = "2026-11-22T18:00:00Z"
REPORT = """From: MAILER-DAEMON@mx.example.com
To: somebody@example.org
Subject: Undelivered Mail Returned to Sender
Message-ID: <{number}@mx.example.com>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="d"

--d
Content-Type: text/plain

Sorry.
--d
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.com

Final-Recipient: rfc822; somebody@example.org
Action: {action}
Status: {status}

--d
Content-Type: text/rfc822-headers

Message-ID: {message_id}

--d--
"""


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def report(
    person: Person, status: str = "5.1.1", action: str = "failed", to: str | None = None, about: str | None = None
) -> None:
    """A machine reports about the newest mail to somebody; read at once."""
    message_id = about or person.mails[-1]["Message-ID"]
    raw = REPORT.format(number=person.table.count(), action=action, status=status, message_id=message_id)
    person.table.deliver(raw.encode(), "", to or envelope_sender(person))
    person.table.tick()


def envelope_sender(person: Person) -> str:
    """The address to which reports about somebody's newest mail go."""
    with person.table.app.app_context():
        return reply_addresses.bounce_address(id_of(person.mails[-1]))


def id_of(mail: Any) -> str:
    return mail["Message-ID"].strip("<>").partition("@")[0]


def bounces(game: Playing) -> list[bool]:
    """Of each seat, as a spectator sees it."""
    return [seat["bounces"] for seat in game.view(game.people[3])["seats"]]


def events(game: Playing) -> list[tuple[str, Any]]:
    """Return the notices about mails that do not arrive."""
    told = game.people[3].get(f"{game.path}/events").json["events"]
    return [(event["kind"], event["data"]) for event in told if event["kind"] in ("bounced", "reached")]


def became(person: Person) -> str:
    """Return the state of a player's newest mail."""
    told = person.get("/me/deliveries").json["deliveries"]
    return next(delivery["state"] for delivery in told if delivery["id"] == id_of(person.mails[-1]))


# Reports ----------------------------------------------------------------------------------------------


def test_a_mail_that_will_never_arrive_shows_at_the_seat_in_the_log_and_to_its_player(hunted: Playing):
    cleo = hunted.people[2]
    report(cleo)
    assert bounces(hunted) == [False, False, True, False, False, False]
    assert events(hunted) == [("bounced", {"pawns": ["red"]})]
    assert "cleo@" not in json.dumps(hunted.people[3].get(f"{hunted.path}/events").json)
    assert became(cleo) == "bounced"
    assert cleo.get("/me/addresses").json["addresses"][0]["bounced_at"] == "2026-11-22T18:00:00Z"


def test_who_mistypes_the_address_of_a_guest_hears_that_the_invitation_came_back(hunted: Playing):
    ada, table = hunted.people[0], hunted.table
    seats = [{"role": "mr_x"}, {"role": "detective", "invite": "nobdy@example.org"}]
    ada.post("/games", {"edition": "condensed", "seats": seats})
    table.tick()
    (invitation,) = table.post.of("nobdy@example.org")
    with table.app.app_context():
        to = reply_addresses.bounce_address(id_of(invitation))
    report(ada, to=to, about=invitation["Message-ID"])
    table.tick()
    told = " ".join(text_of(ada.mails[-1]).split())
    assert 'there is no mailbox of the address "nobdy@example.org"' in told
    assert "Purple, Red, Green and Yellow are still to be taken" in told


def test_who_has_become_the_host_since_hears_of_it_without_the_address(hunted: Playing):
    (ada, ben), table = hunted.people[:2], hunted.table
    seats = [{"role": "mr_x"}, {"role": "detective", "invite": "nobdy@example.org"}]
    made = ada.post("/games", {"edition": "condensed", "visibility": "public", "seats": seats}).json["id"]
    assert ben.post(f"/games/{made}/seats", {"seat": 1}).status_code == 201
    assert ada.post(f"/games/{made}/host", {"seat": 1}).status_code == 200
    table.tick()
    (invitation,) = table.post.of("nobdy@example.org")
    with table.app.app_context():
        to = reply_addresses.bounce_address(id_of(invitation))
    report(ben, to=to, about=invitation["Message-ID"])
    told = " ".join(text_of(ben.mails[-1]).split())
    assert "came back: there is no mailbox of its address." in told
    assert "nobdy@" not in told


def test_a_host_hears_that_no_mail_reaches_a_player_as_if_he_had_mistyped_the_address(hunted: Playing):
    ada, ben = hunted.people[:2]
    report(ben)
    states, told = invited(ada, "ben@example.org")
    assert states == ["open", "open"]
    assert 'there is no mailbox of the address "ben@example.org"' in told
    states, told = invited(ada, "Ben")
    assert states == ["open", "invited"]
    assert "No mail reaches the player who is invited to the seat" in told


def test_who_wants_no_mail_is_invited_all_the_same_and_the_host_hears_nothing(hunted: Playing):
    ada, ben = hunted.people[:2]
    ben.request("PATCH", "/me/preferences", json={"mail": "off"})
    before = len(ada.mails)
    assert invited(ada, "ben@example.org")[0] == ["open", "invited"]
    assert len(ada.mails) == before


def invited(host: Person, whom: str) -> tuple[list[str], str]:
    """Invite a player to the second seat; return the seats, and the host's newest mail."""
    made = host.post(
        "/games", {"edition": "condensed", "seats": [{"role": "mr_x"}, {"role": "detective", "invite": whom}]}
    )
    host.table.tick()
    seats = host.get(f"/games/{made.json['id']}").json["seats"]
    return [seat["state"] for seat in seats], " ".join(text_of(host.mails[-1]).split())


def test_nothing_more_is_sent_to_an_address_that_bounces_until_a_mail_comes_from_it(hunted: Playing):
    ben, cleo = hunted.people[1:3]
    report(cleo)
    before = len(cleo.mails)
    ben.reply("SAY Where are you?")
    hunted.table.tick()
    told = [
        delivery["state"] for delivery in cleo.get("/me/deliveries").json["deliveries"] if delivery["kind"] == "talk"
    ]
    assert (len(cleo.mails), told) == (before, ["suppressed"])
    write(cleo, "STATUS")
    hunted.table.tick()
    assert len(cleo.mails) == before + 1
    assert (bounces(hunted)[2], [kind for kind, _ in events(hunted)]) == (False, ["bounced", "reached"])


def test_its_owner_can_show_by_a_code_that_mail_arrives_again(hunted: Playing):
    cleo = hunted.people[2]
    report(cleo)
    assert cleo.post("/me/addresses", {"email": cleo.address}).status_code == 202
    hunted.table.tick()
    code = cleo.mails[-1].get_content().partition('code is "')[2][:16]
    answer = cleo.post("/me/addresses/confirm", {"code": code})
    assert (answer.status_code, answer.json["bounced_at"], answer.json["primary"]) == (201, None, True)
    assert bounces(hunted)[2] is False


def test_an_address_that_works_is_not_confirmed_again(hunted: Playing):
    cleo = hunted.people[2]
    assert cleo.post("/me/addresses", {"email": cleo.address}).status_code == 409


def test_the_others_are_told_in_their_next_mails(hunted: Playing):
    dan = hunted.people[3]
    report(hunted.people[2])
    for detective in hunted.people[1:]:
        hunted.move(detective)
    hunted.move(hunted.people[0])
    hunted.table.tick()
    assert hunted.view(dan)["round"] == 2
    assert "Mails to Cleo (Red) do not arrive any more." in " ".join(dan.mails[-1].get_content().split())


@pytest.mark.parametrize(
    ("status", "action", "expected"),
    [
        ("4.4.7", "failed", (None, True, "pending")),
        ("5.2.2", "failed", (None, True, "pending")),
        ("5.7.1", "failed", (None, True, "bounced")),
        ("4.4.1", "delayed", (None, False, "sent")),
        ("2.0.0", "delivered", (None, False, "sent")),
        ("5.1.10", "failed", (AT, True, "bounced")),
        ("5.0.0", "failed", (AT, True, "bounced")),
    ],
)
def test_what_may_pass_is_told_from_what_lasts(
    hunted: Playing, status: str, action: str, expected: tuple[str | None, bool, str]
):
    cleo = hunted.people[2]
    report(cleo, status, action)
    assert (given_up_at(cleo), bounces(hunted)[2], became(cleo)) == expected


def given_up_at(person: Person) -> str | None:
    """Return since when nothing is sent to a player."""
    at: str | None = person.get("/me/addresses").json["addresses"][0]["bounced_at"]
    return at


def test_a_mail_from_a_full_mailbox_goes_again_as_it_was_and_shows_at_the_seat_until_one_arrives(hunted: Playing):
    cleo, table = hunted.people[2], hunted.table
    first = cleo.mails[-1]
    report(cleo, "5.2.2")
    assert bounces(hunted)[2] is True
    table.clock.turn(minutes=1)
    table.tick()
    assert len([mail for mail in cleo.mails if mail.as_bytes() == first.as_bytes()]) == 2
    report(cleo, "5.2.2")
    table.clock.turn(seconds=45)
    table.tick()
    assert became(cleo) == "pending", "the second pause is longer"
    table.clock.turn(hours=2)
    table.tick()
    assert (became(cleo), len([mail for mail in cleo.mails if mail["Message-ID"] == first["Message-ID"]])) == (
        "sent",
        3,
    )
    table.clock.turn(hours=1, minutes=1)
    tidy(table)
    assert (bounces(hunted)[2], [kind for kind, _ in events(hunted)]) == (False, ["bounced", "reached"])


def comes_again(person: Person) -> bool:
    """The newest mail to somebody comes back from a full mailbox; return True if it goes again, with the same news."""
    returned = person.mails[-1]
    report(person, "5.2.2")
    person.table.clock.turn(minutes=1)
    person.table.tick()
    news = text_of(returned).split("\n\n")[1].split("\n")[0]
    sent = [text_of(mail) for mail in person.mails if mail["Message-ID"] == returned["Message-ID"]]
    return len(sent) == len([text for text in sent if news in text]) == 2


def test_talk_goes_again_alone_and_in_the_mail_that_told_it(hunted: Playing):
    ben, cleo, dan = hunted.people[1:4]
    ben.reply("SAY Where are you?")
    hunted.table.tick()
    assert "Where are you?" in text_of(cleo.mails[-1])
    assert comes_again(cleo)
    for detective in hunted.people[1:]:
        hunted.move(detective)
    hunted.move(hunted.people[0])
    ben.post(f"{hunted.path}/messages", {"text": "Near the river.", "to": "all"})
    hunted.table.tick()
    assert "Near the river." in text_of(dan.mails[-1])
    assert "your move" in dan.mails[-1]["Subject"]
    assert comes_again(dan)


def test_a_vote_and_the_end_of_a_game_go_again(table: Table):
    people = table.people(3)
    game = table.game(people, position=position(104, red=116, green=34))
    ada, ben, cleo = people
    table.tick()
    ben.post(f"{game.path}/votes", {"kind": "pause", "length": "P2D"})
    table.tick()
    assert "asks all players to pause" in " ".join(text_of(cleo.mails[-1]).split())
    assert comes_again(cleo)
    assert game.move(ada, "taxi 86").status_code == game.move(ben, "bus 86").status_code == 201
    table.tick()
    assert "The game is over" in cleo.mails[-1]["Subject"]
    assert comes_again(cleo)


def test_that_a_game_is_complete_and_an_invitation_by_name_go_again(hunted: Playing):
    ada, ben = hunted.people[:2]
    seats = [{"role": "mr_x", "invite": "Ada"}, {"role": "detective", "invite": "Ben"}]
    made = ada.post("/games", {"edition": "condensed", "seats": seats})
    hunted.table.tick()
    assert "You are invited" in ben.mails[-1]["Subject"]
    assert comes_again(ben)
    report(ben, "5.2.2")
    assert ben.post(f"/games/{made.json['id']}/seats", {"seat": 2}).status_code == 201
    hunted.table.tick()
    assert "the game can start" in ada.mails[-1]["Subject"]
    assert comes_again(ada)
    hunted.table.clock.turn(hours=1)
    hunted.table.tick()
    assert became(ben) == "superseded", "who has the seat is not invited to it any more"


def test_an_answer_does_not_go_again_as_nothing_of_it_is_kept(hunted: Playing):
    ben = hunted.people[1]
    write(ben, "STATUS")
    hunted.table.tick()
    assert not comes_again(ben)
    assert became(ben) == "bounced"


def tidy(table: Table) -> None:
    with table.app.app_context():
        worker.tidy_up()


def test_a_mail_that_is_out_of_date_by_then_does_not_go_again(hunted: Playing):
    cleo = hunted.people[2]
    report(cleo, "5.2.2")
    returned = cleo.mails[-1]["Message-ID"]
    for detective in hunted.people[1:]:
        hunted.move(detective)
    hunted.move(hunted.people[0])
    hunted.table.clock.turn(minutes=5)
    hunted.table.tick()
    assert [mail["Message-ID"] for mail in cleo.mails].count(returned) == 1
    assert cleo.mails[-1]["Message-ID"] != returned, "the mail of the new round"


def test_mails_that_came_back_for_days_end_the_mail_to_the_address(hunted: Playing):
    cleo = hunted.people[2]
    report(cleo, "4.2.2")
    hunted.table.clock.turn(days=4, hours=23)
    hunted.table.tick()
    report(cleo, "4.2.2")
    assert given_up_at(cleo) is None
    hunted.table.clock.turn(hours=5)
    hunted.table.tick()
    report(cleo, "4.2.2")
    assert given_up_at(cleo) is not None


def test_a_word_from_the_address_shows_that_mail_arrives(hunted: Playing):
    cleo = hunted.people[2]
    report(cleo, "4.2.2")
    write(cleo, "STATUS")
    hunted.table.tick()
    assert bounces(hunted)[2] is False


def test_the_seat_of_an_invitation_to_a_full_mailbox_is_free_again_and_the_host_reads_why(hunted: Playing):
    ada, table = hunted.people[0], hunted.table
    seats = [{"role": "mr_x"}, {"role": "detective", "invite": "nobdy@example.org"}]
    made = ada.post("/games", {"edition": "condensed", "seats": seats}).json["id"]
    table.tick()
    (invitation,) = table.post.of("nobdy@example.org")
    report(ada, to="play@localhost", status="5.2.2", about=invitation["Message-ID"])
    assert [seat["state"] for seat in ada.get(f"/games/{made}").json["seats"]] == ["open", "open"]
    assert 'the mailbox of the address "nobdy@example.org" is full' in " ".join(text_of(ada.mails[-1]).split())
    table.clock.turn(hours=5)
    table.tick()
    assert len(table.post.of("nobdy@example.org")) == 1, "nobody is invited there any more"


def test_doctor_says_that_mailboxes_are_full(hunted: Playing):
    report(hunted.people[2], "5.2.2")
    with hunted.table.app.app_context():
        (told,) = [each for each in health.overview()["warnings"] if "full mailbox" in each]
    assert "1, since 2026-11-22T18:00:00Z" in told


def test_the_operator_sends_a_turn_mail_again_that_came_back(hunted: Playing):
    cleo, table = hunted.people[2], hunted.table
    report(cleo, "5.7.1")
    returned = cleo.mails[-1]
    with table.app.app_context():
        envelopes.send_again(id_of(returned))
    table.tick()
    assert [mail["Message-ID"] for mail in cleo.mails].count(returned["Message-ID"]) == 2
    with table.app.app_context(), pytest.raises(Problem, match="can be written again"):
        envelopes.send_again(id_of(returned))


def test_where_reports_come_to_the_one_address_there_is_the_id_of_our_mail_tells_which_it_is_about(hunted: Playing):
    report(hunted.people[2], to="play@localhost")
    assert bounces(hunted)[2] is True


@pytest.mark.parametrize("token", ["a" * 32, None])
def test_nobody_can_cut_another_off_by_a_report_that_he_made_up(hunted: Playing, token: str | None):
    cleo, dan = hunted.people[2:4]
    with hunted.table.app.app_context():
        forged = id_of(cleo.mails[-1]) + reply_addresses.mark(reply_addresses.STOP, id_of(dan.mails[-1]))[16:]
        assert not reply_addresses.is_ours(f"turn+{token or forged}@localhost")
    report(cleo, to="play@localhost", about="<aaaaaaaaaaaaaaaa@localhost>")
    report(cleo, to=f"turn+{token or forged}@localhost", about="<aaaaaaaaaaaaaaaa@localhost>")
    assert bounces(hunted) == [False] * 6


def test_a_report_about_an_address_of_before_says_nothing_of_the_one_of_now(hunted: Playing):
    cleo = hunted.people[2]
    with hunted.table.app.app_context():
        session.query(Address).filter_by(player_id=cleo.id).one().email = "red@example.net"
        session.commit()
    report(cleo)
    assert (bounces(hunted)[2], became(cleo)) == (False, "bounced")


def test_a_mail_to_the_envelope_sender_that_is_no_report_does_nothing(hunted: Playing):
    cleo = hunted.people[2]
    write(cleo, "taxi 66", to=envelope_sender(cleo))
    hunted.table.tick()
    assert (bounces(hunted)[2], hunted.view(cleo)["ahead"]) == (False, [])


def test_mail_is_sent_with_an_address_of_its_own_on_the_envelope_where_the_domain_is_ours(hunted: Playing):
    with hunted.table.app.app_context():
        assert re.fullmatch(r"turn\+[a-z2-7]{32}@localhost", reply_addresses.bounce_address("a" * 16))


@pytest.mark.parametrize(
    ("settings", "sender"),
    [
        ({"imap_url": "imaps://me:secret@mail.example.org", "play_address": "me@example.org"}, "me@example.org"),
        ({"reply_address": "Us {token} <us@example.org>", "play_address": "us@example.org"}, "us@example.org"),
        ({"bounce_address": "bounce-{token}@{domain}", "mail_domain": "b.example"}, "bounce-TOKEN@b.example"),
        ({"bounce_address": "desk@b.example"}, "desk@b.example"),
    ],
)
def test_elsewhere_it_is_what_the_provider_lets_us_send_as(tmp_path: Path, settings: dict[str, str], sender: str):
    table = Table(tmp_path, **settings)
    with table.app.app_context():
        token = reply_addresses.mark(reply_addresses.BOUNCE, "a" * 16)
        assert reply_addresses.bounce_address("a" * 16).replace(token, "TOKEN") == sender
        assert reply_addresses.of_mail(f"bounce-{token}@b.example") == (
            (reply_addresses.BOUNCE, "a" * 16) if "TOKEN" in sender else None
        )


@pytest.mark.parametrize("status", ["5.1.1", "5.0.0", "5.4.4", "5.2.1", ""])
def test_a_status_that_lasts(status: str):
    assert is_lasting(status)


# No more mail ------------------------------------------------------------------------------------------


def test_who_presses_the_button_for_spam_gets_no_more_mail(hunted: Playing):
    cleo = hunted.people[2]
    raw = (
        "From: fbl@example.com\nSubject: report\nMIME-Version: 1.0\n"
        'Content-Type: multipart/report; report-type=feedback-report; boundary="b"\n\n--b\n'
        "Content-Type: message/feedback-report\n\nFeedback-Type: abuse\n\n--b\n"
        f"Content-Type: message/rfc822\n\nMessage-ID: {cleo.mails[-1]['Message-ID']}\n\n--b--\n"
    )
    hunted.table.deliver(raw.encode(), "", "play@localhost")
    hunted.table.tick()
    assert wants_mail(hunted) == [True, True, False, True, True, True]


def wants_mail(game: Playing) -> list[bool]:
    return [person.get("/me/preferences").json["mail"] != "off" for person in game.people]


def wants_mail_of(game: Playing) -> list[bool]:
    """The same of this game."""
    return [person.get(f"{game.path}/preferences").json["applies"] != "off" for person in game.people]


def test_the_mail_that_list_unsubscribe_asks_for_ends_that_of_the_game_even_if_a_machine_writes_it(hunted: Playing):
    cleo, dan = hunted.people[2:4]
    for person, headers in ((cleo, {}), (dan, {"Auto-Submitted": "auto-generated"})):
        to, _, subject = re.search(r"<mailto:([^?>]+)\?subject=([^>]+)>", person.mails[-1]["List-Unsubscribe"]).group(
            1, 0, 2
        )
        before = len(person.mails)
        write(person, "", to=to, Subject=subject, **headers)
        hunted.table.tick()
        assert len(person.mails) == before
    assert wants_mail_of(hunted) == [True, True, False, False, True, True]
    assert wants_mail(hunted) == [True] * 6


def test_without_a_site_of_ours_there_is_no_link_and_no_click(hunted: Playing):
    mail = hunted.people[2].mails[-1]
    assert "http" not in mail["List-Unsubscribe"]
    assert mail["List-Unsubscribe-Post"] is None


def test_where_a_mailbox_has_one_address_the_subject_tells_whose_mail_ends(tmp_path: Path):
    table = Table(tmp_path, reply_address="Us {token} <us@example.org>", play_address="us@example.org")
    game = table.dealt(6)
    table.tick()
    ada = game.people[0]
    subject = re.search(r"\?subject=STOP%20([a-z2-7]{32})", ada.mails[-1]["List-Unsubscribe"])[1]
    write(ada, "", to="us@example.org", Subject=f"STOP {subject}")
    table.tick()
    assert wants_mail_of(game)[0] is False


def test_one_click_ends_the_mail_of_the_game_and_looking_at_the_page_does_not(tmp_path: Path):
    table = Table(tmp_path, public_url="https://play.example.org")
    game = table.dealt(6)
    table.tick()
    mail = game.people[0].mails[-1]
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = re.search(r"<https://play\.example\.org(/stop/[a-z2-7]{32})>", mail["List-Unsubscribe"])[1]
    for method in ("GET", "HEAD", "GET"):
        assert table.client.open(link, method=method).status_code == 200
    assert wants_mail_of(game)[0] is True
    answer = table.client.post(link, data={"List-Unsubscribe": "One-Click"})
    assert (answer.status_code, "No more mail of" in answer.text) == (200, True)
    assert (wants_mail_of(game), wants_mail(game)[0]) == ([False, *[True] * 5], True)


def test_the_page_ends_all_mail_too_and_takes_it_back_as_easily(tmp_path: Path):
    table = Table(tmp_path, public_url="https://play.example.org")
    game = table.dealt(6)
    table.tick()
    link = re.search(r"<https://play\.example\.org(/stop/[a-z2-7]{32})>", game.people[0].mails[-1]["List-Unsubscribe"])[
        1
    ]
    for button, said, of_the_game, at_all in (
        ({"List-Unsubscribe": "One-Click"}, "Send me mail again", False, True),
        ({"again": "1"}, "You get mail again", True, True),
        ({"all": "1"}, "No more mail is sent to you", False, False),
        ({"again": "1"}, "You get mail again", True, True),
    ):
        assert said in table.client.post(link, data=button).text
        assert ("Send me mail again" in table.client.get(link).text) is not of_the_game, "it is shown as it is"
        assert (wants_mail_of(game)[0], wants_mail(game)[0]) == (of_the_game, at_all)


@pytest.mark.parametrize("token", ["a" * 32, "a", "A" * 40])
def test_a_link_that_is_none_of_ours_leads_nowhere(table: Table, token: str):
    assert [table.client.open(f"/stop/{token}", method=method).status_code for method in ("GET", "POST")] == [404, 404]


def test_answers_and_mails_to_who_is_no_player_have_no_such_button(hunted: Playing):
    cleo = hunted.people[2]
    cleo.reply("STATUS")
    hunted.table.client.post("/api/v1/players", json={"name": "Ivy", "email": "ivy@example.org"})
    hunted.table.tick()
    (letter,) = hunted.table.post.of("ivy@example.org")
    assert [mail["List-Unsubscribe"] for mail in (cleo.mails[-1], letter)] == [None, None]


def test_what_was_sent_remembers_its_address_by_a_keyed_hash_only(hunted: Playing):
    with hunted.table.app.app_context():
        sent = session.query(Outgoing).filter_by(player_id=hunted.people[2].id, state="sent").all()
        assert {row.recipient for row in sent} == {address_mark("Cleo@example.org")}
