"""Addresses of clients behind proxies, and behind pretended ones."""

from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from server.http.proxies import client_address
from server.runtime import networks
from tests.table import Table

TRUSTED = (ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("2001:db8:1::/48"))


@pytest.mark.parametrize(("peer", "forwarded", "client"), [
    ("192.0.2.1", "", "192.0.2.1"),
    ("192.0.2.1", "198.51.100.7", "192.0.2.1"),  # no proxy of ours says so
    ("127.0.0.1", "", "127.0.0.1"),
    ("127.0.0.1", "198.51.100.7", "198.51.100.7"),
    ("127.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),  # the first the client wrote itself
    ("127.0.0.1", "203.0.113.9, 198.51.100.7, 10.1.2.3", "198.51.100.7"),  # two proxies
    ("127.0.0.1", "10.1.2.3, 10.1.2.4", "10.1.2.3"),  # a client in the network of the proxies
    ("127.0.0.1", "198.51.100.7, nonsense", "127.0.0.1"),
    ("2001:db8:1::5", "2001:db8:2::1", "2001:db8:2::1"),
    ("fe80::1%eth0", "198.51.100.7", "fe80::1%eth0"),
    ("", "198.51.100.7", ""),
    ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
    ("::ffff:192.0.2.1", "198.51.100.7", "192.0.2.1"),
    ("127.0.0.1", "198.51.100.7, ::ffff:10.1.2.3", "198.51.100.7"),
    ("127.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"),
    ("127.0.0.1", "203.0.113.9, 198.51.100.7:61234, 10.1.2.3:99", "198.51.100.7"),  # with a port, as some proxies write
    ("127.0.0.1", "[2001:db8:2::1]:443", "2001:db8:2::1"),
    ("127.0.0.1", "[2001:db8:2::1]", "2001:db8:2::1"),
    ("127.0.0.1", "198.51.100.7:nonsense", "127.0.0.1"),
    ("127.0.0.1", "[]:80", "127.0.0.1"),
])  # fmt: skip
def test_the_client_is_the_last_that_is_no_trusted_proxy(peer: str, forwarded: str, client: str):
    assert client_address(peer, forwarded, TRUSTED) == client


def test_callers_behind_a_trusted_proxy_are_counted_one_by_one(tmp_path: Path):
    table = Table(tmp_path, rate_limit="2/PT1M", trusted_proxies="127.0.0.1")

    def ask(client: str, peer: str = "127.0.0.1") -> int:
        headers = {"X-Forwarded-For": client}
        return table.client.get("/api/v1/me", headers=headers, environ_base={"REMOTE_ADDR": peer}).status_code

    assert [ask("198.51.100.7") for _ in range(3)] == [401, 401, 429]
    assert ask("198.51.100.8") == 401
    assert [ask(f"198.51.100.{n}", peer="192.0.2.1") for n in range(10, 13)] == [401, 401, 429], "not from others"


@pytest.mark.parametrize(("host", "among", "is_so"), [
    ("::ffff:10.0.0.1", TRUSTED, True),
    ("10.0.0.1", TRUSTED, True),
    ("::ffff:11.0.0.1", TRUSTED, False),
    ("::ffff:127.0.0.5", networks.LOOPBACK, True),
    ("::1", networks.LOOPBACK, True),
    ("nonsense", TRUSTED, False),
])  # fmt: skip
def test_an_ipv4_address_that_is_written_as_ipv6_is_in_the_network_of_the_ipv4_one(host: str, among: Any, is_so: bool):
    assert networks.is_among(host, among) is is_so


@pytest.mark.parametrize(("host", "client", "network"), [
    ("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.0/24"),
    ("192.0.2.1", "192.0.2.1", "192.0.2.0/24"),
    ("2001:db8:1:2ff::5", "2001:db8:1:2ff::/64", "2001:db8:1:200::/56"),
    ("fe80::1%eth0", "fe80::/64", "fe80::/56"),
])  # fmt: skip
def test_a_client_and_its_network(host: str, client: str, network: str):
    assert (networks.client(host), networks.network(host)) == (client, network)
