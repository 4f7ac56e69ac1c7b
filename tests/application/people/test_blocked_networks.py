"""Blocked networks: no page, no answer of the API and no mail in, until the block ends; never this machine."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from aiosmtpd.smtp import Envelope

from server.application.people import blocked_networks
from server.mail.transport.smtp_server import Handler
from server.models import session
from server.vocabulary.errors import Problem
from tests.table import Table
from tests.web.game.test_page import BROWSER, HERE

INSIDE, OUTSIDE = "203.0.113.7", "203.0.114.7"


def block(table: Table, network: str = "203.0.113.0/24", length: str = "P7D", own: str = "") -> str:
    with table.app.app_context():
        return str(blocked_networks.block(network, length, own)["network"])


def answers(table: Table, address: str) -> set[int]:
    """The statuses that a client at an address gets for pages and requests, signed in or not."""
    at = {"REMOTE_ADDR": address}
    ada = {"Authorization": f"Bearer {table.token}"}  # type: ignore[attr-defined]
    return {
        answer.status_code
        for answer in (
            table.client.get("/", headers=BROWSER, environ_base=at),
            table.client.get("/sign-in", headers=BROWSER, environ_base=at),
            table.client.post("/practice", headers=BROWSER | HERE, environ_base=at),
            table.client.post("/api/v1/players", json={"name": "Jo", "email": "jo@else.example"}, environ_base=at),
            table.client.get("/api/v1/me", headers=ada, environ_base=at),
        )
    }


@pytest.fixture
def table(table: Table) -> Table:
    table.token = table.person("Ada").token  # type: ignore[attr-defined]
    return table


def test_a_blocked_network_gets_one_sentence_for_every_page_and_request(table: Table):
    block(table)
    assert answers(table, INSIDE) == {403}
    assert answers(table, OUTSIDE) == {200, 202, 303}
    refused = table.client.get("/api/v1/me", environ_base={"REMOTE_ADDR": INSIDE}).json
    assert (refused["type"], refused["detail"]) == ("not-admitted", blocked_networks.REFUSED)


def test_the_block_ends_with_its_time_or_when_the_operator_ends_it(table: Table):
    block(table, length="P1D")
    table.clock.turn(hours=25)
    assert 403 not in answers(table, INSIDE)
    block(table)
    assert answers(table, INSIDE) == {403}
    with table.app.app_context():
        blocked_networks.unblock("203.0.113.99/24")
        assert blocked_networks.blocked() == []
    assert 403 not in answers(table, INSIDE)


def test_another_process_has_read_the_list_within_half_a_minute(table: Table):
    assert 403 not in answers(table, INSIDE)
    kept = table.app.extensions["blackticket"].blocked_networks
    block(table)
    table.app.extensions["blackticket"].blocked_networks = kept  # as it is in a process that did not block it
    table.clock.turn(seconds=31)
    assert answers(table, INSIDE) == {403}


def test_an_ended_block_is_deleted(table: Table):
    block(table, length="P1D")
    table.clock.turn(hours=25)
    with table.app.app_context():
        blocked_networks.forget_old()
        assert session.query(blocked_networks.BlockedNetwork).count() == 0


@pytest.mark.parametrize(
    ("written", "network"),
    [
        ("203.0.113.7", "203.0.113.7/32"),
        (" 203.0.113.7/24 ", "203.0.113.0/24"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8:1:2::/48", "2001:db8:1::/48"),
        ("::ffff:203.0.113.7", "203.0.113.7/32"),
    ],
)
def test_an_address_stands_for_its_network(table: Table, written: str, network: str):
    assert block(table, written) == network


@pytest.mark.parametrize(
    ("written", "length", "sentence"),
    [
        ("127.0.0.0/8", "P1D", "cannot be blocked"),
        ("::1", "P1D", "cannot be blocked"),
        ("10.1.2.3", "P1D", "cannot be blocked"),
        ("::ffff:127.0.0.1", "P1D", "cannot be blocked"),
        ("0.0.0.0/0", "P1D", "too large a part of the world"),
        ("2001::/16", "P1D", "too large a part of the world"),
        ("192.0.2.7/24", "P1D", "shut yourself out"),
        ("example.org", "P1D", "is no network"),
        ("203.0.113.0/24", "P2Y", "How long"),
        ("203.0.113.0/24", "P366D", "365 days at most"),
        ("203.0.113.0/24", "P0D", "365 days at most"),
    ],
)
def test_what_cannot_be_blocked_is_refused(tmp_path: Any, written: str, length: str, sentence: str):
    table = Table(tmp_path / "var", trusted_proxies="10.0.0.0/8")
    with pytest.raises(Problem, match=sentence):
        block(table, written, length, own="192.0.2.99")
    with table.app.app_context():
        assert blocked_networks.blocked() == []


def test_a_blocked_network_hands_in_no_mail(table: Table):
    block(table)
    handler = Handler(table.app, "smtp")

    def answer(peer: str) -> str:
        session_: Any = SimpleNamespace(peer=(peer, 25))
        return asyncio.run(handler.handle_MAIL(None, session_, Envelope(), "jo@else.example", []))  # type: ignore[arg-type]

    assert [answer(peer)[:3] for peer in (INSIDE, OUTSIDE, "127.0.0.1")] == ["554", "250", "250"]
