"""For whom a mail in a mailbox is, by its header, also where tokens are printed in names."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.application.health import health
from server.mail.reading.headers import parse_headers
from server.mail.transport import imap_reader
from server.mail.transport.imap_reader import recipients_of, sender_of
from tests.mail.transport.test_imap_reader import URL, Host
from tests.scenes import hunt
from tests.table import Table


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(hunt(Table(tmp_path, sandbox="1", min_turn="PT1S", imap_url=URL)))


def test_where_tokens_are_printed_in_names_they_are_found_there(tmp_path: Path):
    form = {"reply_address": "Yard {token} <host@example.com>", "play_address": "host@example.com"}
    host = Host(hunt(Table(tmp_path, sandbox="1", min_turn="PT1S", imap_url=URL, **form)))
    token = re.findall("[a-z2-7]{16}", host.game.people[1].mails[1]["Reply-To"])[0]
    for number, name in enumerate((f"Yard {token}", f"my game, {token.upper()}", "Yard aaaaaaaaaaaaaaaa", "")):
        to = f'"{name}" <Host@example.com>'
        host.server.arrives(
            f"From: ben@example.org\nTo: {to}\nMessage-ID: <{number}@x>\n\nbus 102\n".encode().replace(
                b"ben@", b"aunt@" if not name else b"ben@"
            )
        )
    host.read()
    mine = f"Yard {token} <host@example.com>"
    assert sorted(row.recipient for row in host.rows()) == ["Host@example.com", mine, mine]
    host.table.tick()
    assert host.history() == ["black ?", "purple bus 102"]
    printed = host.game.people[1].mails[-1]["Reply-To"].addresses[0]
    assert (printed.display_name, printed.addr_spec) == (f"Yard {token}", "host@example.com")


def test_there_a_question_is_asked_and_answered_as_elsewhere(tmp_path: Path):
    form = {"reply_address": "Yard {token} <host@example.com>", "play_address": "host@example.com"}
    host = Host(hunt(Table(tmp_path, sandbox="1", min_turn="PT1S", imap_url=URL, **form)))
    ben = host.game.people[1]

    def arrives(sender: str, to: Any, text: str) -> None:
        number = host.table.count()
        host.server.arrives(f"From: {sender}\nTo: {to}\nMessage-ID: <{number}@x>\n\n{text}\n".encode())
        host.read()
        host.table.tick()

    arrives("ben@phone.example", ben.mails[1]["Reply-To"], "bus 102")
    arrives("ben@example.org", ben.mails[-1]["Reply-To"], "YES")
    assert host.history() == ["black ?", "purple bus 102"]
    arrives("ben@example.org", "host@example.com", "NEW condensed 2 with lou@example.org")
    arrives("ben@example.org", ben.mails[-1]["Reply-To"], "YES")
    assert len(host.table.post.of("lou@example.org")) == 1


def test_where_a_mail_program_leaves_the_name_out_an_answer_is_known_by_what_it_follows(tmp_path: Path):
    form = {"reply_address": "Yard {token} <host@example.com>", "play_address": "host@example.com"}
    host = Host(hunt(Table(tmp_path, sandbox="1", min_turn="PT1S", imap_url=URL, **form)))
    cleo, ben = host.game.people[2], host.game.people[1]

    def arrives(sender: str, text: str, field: str, follows: str) -> str:
        number = host.table.count()
        head = f"From: {sender}\nTo: host@example.com\nMessage-ID: <{number}@x>\n{field}: {follows}"
        host.server.arrives(f"{head}\n\n{text}\n".encode())
        host.read()
        host.table.tick()
        return host.rows()[-1].recipient

    turn = ben.mails[1]
    mine = str(turn["Reply-To"].addresses[0])
    arrives("cleo@example.org", "bus 102", "In-Reply-To", turn["Message-ID"])
    arrives("aunt@example.org", "bus 102", "In-Reply-To", turn["Message-ID"])
    arrives("ben@example.org", "bus 102", "In-Reply-To", cleo.mails[-1]["Message-ID"])
    arrives("ben@example.org", "bus 102", "In-Reply-To", "<aaaaaaaaaaaaaaaa@localhost>")
    assert {row.recipient for row in host.rows()} == {"host@example.com"}
    assert (host.history(), "please answer this mail" in ben.mails[-1]["Subject"]) == (["black ?"], True)
    assert arrives("ben@example.org", "SAY hello", "References", f"<0@x> {turn['Message-ID']} <1@x>") == mine
    assert arrives("ben@example.org", "bus 102", "In-Reply-To", ben.mails[-1]["Message-ID"]) == mine
    assert host.history() == ["black ?", "purple bus 102"]


def test_there_a_yes_is_to_the_question_that_it_follows_and_to_no_other(tmp_path: Path):
    form = {"reply_address": "Yard {token} <host@example.com>", "play_address": "host@example.com"}
    host = Host(hunt(Table(tmp_path, sandbox="1", min_turn="PT1S", imap_url=URL, **form)))
    ben = host.game.people[1]

    def arrives(sender: str, to: str, text: str, follows: Any) -> None:
        head = f"From: {sender}\nTo: {to}\nMessage-ID: <{host.table.count()}@x>\nIn-Reply-To: {follows['Message-ID']}"
        host.server.arrives(f"{head}\n\n{text}\n".encode())
        host.read()
        host.table.tick()

    turn = ben.mails[1]
    arrives("ben@example.org", "host@example.com", "RESIGN", turn)
    arrives("ben@phone.example", str(turn["Reply-To"]), "bus 102", turn)
    asked = ben.mails[-1]
    host.game.people[2].post(f"{host.game.path}/votes", {"kind": "extend", "length": "P1D"})
    host.table.tick()
    arrives("ben@example.org", "host@example.com", "YES", asked)
    assert host.history() == ["black ?", "purple bus 102"]
    arrives("ben@example.org", "host@example.com", "YES", next(m for m in ben.mails if "a vote" in m["Subject"]))
    assert host.game.people[2].get(f"{host.game.path}/votes").json["votes"][0]["for"] == [2, 3]
    assert host.game.view(ben)["seats"][1]["player"] == ben.id, "nothing of that was a YES to RESIGN"
    arrives("ben@example.org", "host@example.com", "RESIGN", turn)
    arrives("ben@example.org", "host@example.com", "YES", ben.mails[-1])
    assert host.game.view(ben)["seats"][1]["player"] is None


def test_who_could_read_mr_xs_mail_in_such_a_mailbox_is_warned_of(tmp_path: Path):
    Table(tmp_path).person("Ada")  # before the settings name her address
    table = Table(tmp_path, imap_url=URL, reply_address="Yard {token} <ada@example.org>", play_address="x@y.example")
    with table.app.app_context():
        assert [said for said in health.report()["warnings"] if "which is a mailbox of this server" in said]


@pytest.mark.parametrize(
    ("head", "sender"),
    [
        (b"Return-Path: <ben@example.org>\nFrom: a@b.example\n", "ben@example.org"),
        (b"Return-Path: <>\nFrom: a@b.example\n", ""),
        (b"From: Ann <a@b.example>\n", "a@b.example"),
        (b"From: <<>>\n", "unknown"),
        (b"", "unknown"),
    ],
)
def test_the_sender_is_the_envelopes_where_it_is_known(head: bytes, sender: str):
    assert sender_of(parse_headers(head)) == sender


@given(head=st.binary(max_size=300))
def test_any_header_is_read_without_harm(head: bytes, head_table: Table):
    with head_table.app.app_context():
        recipients_of(parse_headers(b"To: " + head))


@pytest.fixture(scope="module")
def head_table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(tmp_path_factory.mktemp("heads"), imap_url=URL)


def test_a_mailbox_is_looked_at_before_servers_hang_up_on_who_waits():
    assert timedelta(seconds=2 * imap_reader.POLL) < timedelta(minutes=29)
