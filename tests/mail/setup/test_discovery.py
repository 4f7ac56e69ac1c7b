"""Servers of a mailbox are found by what its domain says, else under the usual names, and only over TLS."""

import imaplib
import smtplib
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from functools import partial
from typing import ClassVar

import dns.flags
import dns.message
import dns.rcode
import dns.resolver
import dns.rrset
import pytest
from aiosmtpd.handlers import Sink
from aiosmtpd.smtp import AuthResult

from server.mail.setup.discovery import Lookup, Server, candidates, first_that_answers, probe, read_server, srv
from server.mail.transport.imap import MailboxFailure
from server.runtime.faults import unreachable
from tests.relays import relaying


def nothing(_service: str) -> list[tuple[str, int]]:
    return []


def test_what_a_domain_says_comes_before_the_usual_names():
    said = {"_imaps._tcp.example.org": [("in.mail.example", 1993)], "_imap._tcp.example.org": [("old.example", 143)]}
    found = list(candidates("imap", "example.org", lambda service: said.get(service, [])))
    assert [str(server) for server in found[:3]] == [
        "imaps://in.mail.example:1993", "imap://old.example:143", "imaps://imap.example.org:993",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("imap", ["imaps://imap.a.example:993", "imaps://mail.a.example:993", "imaps://a.example:993",
                  "imap://imap.a.example:143", "imap://mail.a.example:143", "imap://a.example:143"]),
        ("smtp", ["smtps://smtp.a.example:465", "smtps://mail.a.example:465", "smtps://a.example:465",
                  "smtp+starttls://smtp.a.example:587", "smtp+starttls://mail.a.example:587",
                  "smtp+starttls://a.example:587"]),
    ],
)  # fmt: skip
def test_the_usual_names_are_tried_with_tls_from_the_first_byte_first(kind: str, names: list[str]):
    found = list(candidates(kind, "a.example", nothing))
    assert [str(server) for server in found] == names
    assert all(server.starttls or server.scheme.endswith("s") for server in found), "never in the clear"


class Zone(socketserver.BaseRequestHandler):
    """Answers questions as a name server does; the name says what becomes of one."""

    RECORDS: ClassVar = {
        "_imaps._tcp.example.org.": ["10 1 3 c.example.", "5 0 2 b.example.", "5 9 1993 a.example.", "0 0 0 ."],
        "_imap._tcp.example.org.": ["0 0 0 ."],
        "_submissions._tcp.example.org.": ["0 1 465 Mail.Example.ORG."],
    }
    # What a name that is asked for in these domains meets; all others do not exist.
    TROUBLE: ClassVar = {"empty.": dns.rcode.NOERROR, "ill.": dns.rcode.SERVFAIL, "shut.": dns.rcode.REFUSED}

    def handle(self) -> None:
        data, socket = self.request
        answer = dns.message.make_response(dns.message.from_wire(data))
        question = answer.question[0]
        name = question.name.to_text()
        answer.flags |= dns.flags.RA
        if name == "_imaps._tcp.alias.":
            told = dns.rrset.from_text(name, 60, "IN", "CNAME", "_submissions._tcp.example.org.")
            answer.answer.append(told)
            name = told[0].target.to_text()
        if name == "_imaps._tcp.silent.":
            return
        if name == "_imaps._tcp.garbled.":
            socket.sendto(data[:2] + b"\xff" * 40, self.client_address)
            return
        if name in self.RECORDS and question.rdtype == dns.rdatatype.SRV:
            answer.answer.append(dns.rrset.from_text(name, 60, "IN", "SRV", *self.RECORDS[name]))
        else:
            answer.set_rcode(self.TROUBLE.get(name.rpartition("_tcp.")[2], dns.rcode.NXDOMAIN))
        socket.sendto(answer.to_wire(), self.client_address)


@pytest.fixture(scope="module")
def name_server() -> Iterator[int]:
    """The port of a name server on this machine, which is asked by UDP."""
    with socketserver.UDPServer(("127.0.0.1", 0), Zone) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture
def ask(name_server: int) -> Lookup:
    """Questions go to that server instead of the one that this machine is set to."""
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = ["127.0.0.1"], name_server
    return partial(srv, resolver=resolver, patience=0.2)


def test_records_come_in_their_order_and_a_dot_says_that_there_is_no_such_service(ask: Lookup):
    assert ask("_imaps._tcp.example.org") == [("a.example", 1993), ("b.example", 2), ("c.example", 3)]
    assert ask("_imap._tcp.example.org") == []
    assert ask("_imaps._tcp.alias") == [("Mail.Example.ORG", 465)]


@pytest.mark.parametrize("domain", ["nowhere", "empty", "ill", "shut", "silent", "garbled", "a..b", f"{'x' * 70}.org"])
def test_a_domain_that_says_nothing_or_cannot_be_asked_is_no_error(ask: Lookup, domain: str):
    assert ask(f"_imaps._tcp.{domain}") == []


def test_the_servers_that_setup_tries_are_those_that_the_domain_names(ask: Lookup):
    servers = [str(server) for server in candidates("imap", "example.org", ask)]
    assert servers[:4] == ["imaps://a.example:1993", "imaps://b.example:2", "imaps://c.example:3",
                           "imaps://imap.example.org:993"]  # fmt: skip
    assert str(next(candidates("smtp", "example.org", ask))) == "smtps://Mail.Example.ORG:465"
    assert str(next(candidates("smtp", "nowhere", ask))) == "smtps://smtp.nowhere:465"


def test_the_first_that_answers_is_taken_and_if_none_does_each_is_told():
    def ask(kind: str, server: Server) -> Server:
        if server.host != "b.example":
            raise MailboxFailure(f"{kind} is silent")
        return server

    servers = [Server("imaps", host, 993) for host in ("a.example", "b.example", "c.example")]
    assert first_that_answers("imap", iter(servers), ask) == servers[1]
    with pytest.raises(MailboxFailure) as error:
        first_that_answers("imap", iter([servers[0], servers[2]]), ask)
    assert str(error.value) == "imaps://a.example:993: imap is silent; imaps://c.example:993: imap is silent"


@pytest.mark.parametrize(
    ("kind", "text", "server"),
    [
        ("imap", "imaps://mx.example.org", Server("imaps", "mx.example.org", 993)),
        ("imap", "imap://[::1]:1143", Server("imap", "::1", 1143)),
        ("smtp", "smtp+starttls://mx", Server("smtp+starttls", "mx", 587)),
        ("smtp", "smtp://127.0.0.1", Server("smtp", "127.0.0.1", 25)),
    ],
)
def test_a_server_may_be_named(kind: str, text: str, server: Server):
    assert read_server(kind, text) == server
    assert read_server(kind, server.url()) == server


@pytest.mark.parametrize(
    ("kind", "text"),
    [("imap", "mx.example.org"), ("imap", "smtps://mx"), ("smtp", "imaps://mx"), ("smtp", "smtp://mx.example.org"),
     ("imap", "imaps://ada:pw@mx"), ("imap", "imaps://mx:port"), ("imap", "imaps://"), ("smtp", "smtpx://mx")],
)  # fmt: skip
def test_a_server_that_cannot_be_one_or_would_hear_the_password_in_the_clear_is_refused(kind: str, text: str):
    with pytest.raises(ValueError, match=r"is no server; write it like (imaps|smtps)://mail\.example\.org"):
        read_server(kind, text)


@pytest.fixture(scope="module")
def relay() -> Iterator[int]:
    """The port of a relay."""
    accept = lambda *_: AuthResult(success=True)  # noqa: E731
    with relaying(Sink(), auth_require_tls=False, authenticator=accept, data_size_limit=5000) as port:
        yield port


def test_a_relay_tells_what_it_can_do(relay: int):
    assert probe("smtp", Server("smtp", "127.0.0.1", relay)).advertised == ("AUTH", "SIZE")


@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls"])
def test_a_relay_without_tls_is_none_where_tls_is_asked_for(relay: int, scheme: str):
    with pytest.raises(MailboxFailure, match="cannot be reached"):
        probe("smtp", Server(scheme, "127.0.0.1", relay))


def test_a_host_that_is_not_there_is_told_so():
    with pytest.raises(MailboxFailure, match=r"cannot be reached \(nobody listens at that port\)"):
        probe("imap", Server("imap", "127.0.0.1", 1))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(), "there is no host of that name"),
        (ConnectionRefusedError(), "nobody listens at that port"),
        (ConnectionResetError(), "it hangs up"),
        (TimeoutError(), "it does not answer"),
        (ssl.SSLCertVerificationError(), "its certificate cannot be trusted"),
        (ssl.SSLError(), "it does not speak TLS there"),
        (smtplib.SMTPServerDisconnected(), "it hangs up"),
        (imaplib.IMAP4.abort(), "it hangs up, or is no server of that kind"),
        (OSError(), "OSError"),
    ],
)
def test_why_a_server_cannot_be_reached_is_told_in_words(error: Exception, words: str):
    assert unreachable(error) == words
