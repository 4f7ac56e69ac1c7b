"""Servers of a mailbox are found by what its domain says, else under the usual names, and only over TLS."""

from collections.abc import Iterator
from typing import Any

import dns.resolver
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Sink
from aiosmtpd.smtp import AuthResult
from real_servers import free_port

from server.mail import discovery
from server.mail.discovery import Server, asked, candidates, first_that_answers, read_server, srv
from server.mail.imap import Failure


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


class Record:
    def __init__(self, priority: int, weight: int, port: int, target: str) -> None:
        self.priority, self.weight, self.port, self.target = priority, weight, port, target


def test_records_come_in_their_order_and_a_dot_says_that_there_is_no_such_service(monkeypatch: pytest.MonkeyPatch):
    records = [Record(10, 1, 3, "c."), Record(5, 0, 2, "b."), Record(5, 9, 1, "a."), Record(0, 0, 0, ".")]
    monkeypatch.setattr(dns.resolver, "resolve", lambda *_args, **_kwargs: records)
    assert srv("_imaps._tcp.example.org") == [("a", 1), ("b", 2), ("c", 3)]


@pytest.mark.parametrize("error", [dns.resolver.NXDOMAIN, dns.resolver.NoAnswer, dns.resolver.LifetimeTimeout])
def test_a_domain_that_says_nothing_is_no_error(monkeypatch: pytest.MonkeyPatch, error: type[Exception]):
    def resolve(*_args: Any, **_kwargs: Any) -> None:
        raise error

    monkeypatch.setattr(dns.resolver, "resolve", resolve)
    assert srv("_imaps._tcp.example.org") == []


def test_the_first_that_answers_is_taken_and_if_none_does_each_is_told(monkeypatch: pytest.MonkeyPatch):
    def ask(kind: str, server: Server) -> Server:
        if server.host != "b.example":
            raise Failure(f"{kind} is silent")
        return server

    monkeypatch.setattr(discovery, "asked", ask)
    servers = [Server("imaps", host, 993) for host in ("a.example", "b.example", "c.example")]
    assert first_that_answers("imap", iter(servers)) == servers[1]
    with pytest.raises(Failure) as error:
        first_that_answers("imap", iter([servers[0], servers[2]]))
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
def relay() -> Iterator[Controller]:
    controller = Controller(
        Sink(), hostname="127.0.0.1", port=free_port(), auth_require_tls=False,
        authenticator=lambda *_: AuthResult(success=True), data_size_limit=5000,
    )  # fmt: skip
    controller.start()
    yield controller
    controller.stop()


def test_a_relay_tells_what_it_can_do(relay: Controller):
    assert asked("smtp", Server("smtp", "127.0.0.1", relay.port)).advertised == ("AUTH", "SIZE")


@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls"])
def test_a_relay_without_tls_is_none_where_tls_is_asked_for(relay: Controller, scheme: str):
    with pytest.raises(Failure, match="cannot be reached"):
        asked("smtp", Server(scheme, "127.0.0.1", relay.port))


def test_a_host_that_is_not_there_is_told_so():
    with pytest.raises(Failure, match=r"cannot be reached \(ConnectionRefusedError\)"):
        asked("imap", Server("imap", "127.0.0.1", 1))
