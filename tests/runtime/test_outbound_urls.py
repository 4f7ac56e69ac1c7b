"""A webhook leads to a public address over TLS, and to nothing behind this server, however it is written."""

import threading
from ipaddress import ip_address
from typing import Any

import pytest

from server.runtime import outbound_urls
from server.runtime.outbound_urls import OutboundUrl, UrlRefused, addresses, is_public, parse

PUBLIC = "93.184.216.34"


def no_one(host: str) -> list[str]:
    raise AssertionError(f"{host} was looked up")


def leads_to(*found: str) -> Any:
    return lambda _host: list(found)


# The form

REFUSED = [
    # an IPv4 address written as a number, in parts, in another base, or with figures left out
    "https://2130706433/", "https://0x7f000001/", "https://017700000001/", "https://0177.0.0.1/", "https://0x7f.1/",
    "https://0x7f.0.0.1/", "https://127.1/", "https://127.0.1/", "https://127.0.0.01/", "https://93.184.216.034/",
    "https://1.2.3.4.5/", "https://hooks.example.1/", "https://0/", "https://example.0x7f/",
    # the same behind letters that programs take for others: full stops and figures of other scripts, a soft hyphen
    "https://127。0。0。1/", "https://127．0．0．1/", "https://①②⑦.⓪.⓪.①/", "https://ｅxample.org/",
    "https://exa­mple.org/", "https://example。org/", "https://bücher.example/",
    # names of this machine and of inner networks
    "https://app.localhost/", "https://printer.local/", "https://db.internal/", "https://router.home.arpa/",
    "https://intranet/", "https://hooks/", "https://metadata.google.internal/",
    # whoever reads it otherwise than we do would go somewhere else
    "https://example.org@127.0.0.1/", "https://user:password@example.org/", "https://example.org:443@evil.example/",
    "https://example.org\\@127.0.0.1/", "https://example.org#@127.0.0.1/", "https://example.org/#here",
    "https://127.0.0.1%2f.example.org/", "https://exam%70le.org/", "https://[::1%25eth0]/", "https://[fe80::1%eth0]/",
    "https://[::1].example.org/", "https://[v1.x]/", "https://example.org:443:80/", "https://example.org /",
    "https://example.org/\r\nHost: inner", "https://exam\tple.org/", " https://example.org/", "https://example.org/ü",
    # not https
    "http://example.org/", "ftp://example.org/", "file:///etc/passwd", "gopher://127.0.0.1:11211/_stats",
    "javascript:alert(1)", "//example.org/", "example.org/hook", "", "https:///hook", "https:example.org", "https://",
    # ports of other services
    "https://example.org:22/", "https://example.org:25/", "https://example.org:80/", "https://example.org:0/",
    "https://example.org:65536/", "https://example.org:-1/", "https://example.org:4x3/", "https://example.org:1023/",
    # too long, or no name
    f"https://{'a' * 64}.org/", "https://" + "a." * 126 + "org/", f"https://example.org/{'a' * 2000}",
    "https://-a.example.org/", "https://a-.example.org/", "https://a..example.org/", "https://.example.org/",
    "https://a_b.example.org/", "https://*.example.org/",
]  # fmt: skip


@pytest.mark.parametrize("url", REFUSED)
@pytest.mark.parametrize("loopback", [False, True])
def test_a_url_that_could_lead_elsewhere_is_refused_before_anything_is_looked_up(url: str, loopback: bool):
    with pytest.raises(UrlRefused) as refused:
        parse(url, loopback=loopback)
    assert "127" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("https://hooks.example.org", "https://hooks.example.org/"),
        ("HTTPS://Hooks.Example.ORG:443/A?b=C", "https://hooks.example.org/A?b=C"),
        ("https://hooks.example.org.:8443/x", "https://hooks.example.org:8443/x"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://example.org?key=a%20b", "https://example.org/?key=a%20b"),
        (f"https://{PUBLIC}:1024/", f"https://{PUBLIC}:1024/"),
        ("https://[2606:2800:0220::0001]/", "https://[2606:2800:220::1]/"),
    ],
)
def test_a_url_has_one_normal_form(url: str, normal: str):
    assert str(parse(url)) == normal
    assert parse(normal) == parse(url)


# The addresses

INNER = [
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
    "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "2001:2::1", "2001:10::1", "3fff::1", "100::1", "fc00::1",
    "fd12:3456::1", "fe80::1", "fe80::1%eth0", "2606:2800:220::1%eth0", "fec0::1", "ff02::1", "5f00::1",
    "fd00:ec2::254",
]  # fmt: skip


@pytest.mark.parametrize("address", INNER)
def test_an_address_that_leads_inwards_is_not_public_in_whatever_form_it_comes(address: str):
    assert not is_public(ip_address(address))
    with pytest.raises(UrlRefused):
        addresses(parse("https://hooks.example.org/"), leads_to(address))
    if "%" not in address:
        literal = f"[{address}]" if ":" in address else address
        with pytest.raises(UrlRefused):
            addresses(parse(f"https://{literal}/"), no_one)


@pytest.mark.parametrize(
    "address",
    [PUBLIC, "8.8.8.8", "100.63.255.255", "172.32.0.1", "2606:2800:220::1", "2001:4860:4860::8888",
     "::ffff:93.184.216.34", "64:ff9b::5db8:d822"],
)  # fmt: skip
def test_an_address_of_the_open_net_is_public(address: str):
    assert is_public(ip_address(address))
    assert addresses(parse("https://hooks.example.org/"), leads_to(address)) == [ip_address(address)]


def test_one_inner_address_among_public_ones_is_enough_to_refuse_them_all():
    with pytest.raises(UrlRefused):
        addresses(parse("https://hooks.example.org/"), leads_to(PUBLIC, "10.0.0.1"))


def test_a_host_that_is_not_there_and_one_that_is_within_are_refused_in_the_same_words():
    def missing(_host: str) -> list[str]:
        raise OSError("no such host")

    told = set()
    for resolve in (missing, leads_to(), leads_to("10.0.0.1"), leads_to("nonsense")):
        with pytest.raises(UrlRefused) as refused:
            addresses(parse("https://hooks.example.org/"), resolve)
        told.add(str(refused.value))
    assert told == {"its host has no public address"}


# This machine, for trying out


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://127.0.0.1:9000/hook", ["127.0.0.1"]),
        ("http://127.8.9.1:9000/", ["127.8.9.1"]),
        ("http://[::1]:9000/", ["::1"]),
        ("http://LOCALHOST:9000/", ["127.0.0.1", "::1"]),
    ],
)
def test_a_server_that_is_tried_out_may_write_to_this_machine_and_asks_nobody_where_that_is(url: str, found: list[str]):
    target = parse(url, loopback=True)
    assert [str(address) for address in addresses(target, no_one)] == found
    with pytest.raises(UrlRefused):
        parse(url)


@pytest.mark.parametrize("url", ["http://10.0.0.1:9000/", "http://127.0.0.1/", "http://hooks.example.org:9000/",
                                 "http://[::ffff:127.0.0.1]:9000/", "http://0.0.0.0:9000/"])  # fmt: skip
def test_even_then_it_writes_without_tls_to_no_other(url: str):
    with pytest.raises(UrlRefused):
        parse(url, loopback=True)


@pytest.mark.parametrize("url", ["https://127.0.0.1:9000/", "https://localhost:9000/"])
def test_with_tls_this_machine_is_as_far_as_any_inner_network(url: str):
    with pytest.raises(UrlRefused):
        addresses(parse(url, loopback=True), no_one)


# The name service


def test_a_name_is_looked_up_as_a_whole_and_in_no_search_domain():
    asked: list[str] = []

    def answer(host: str, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        return [(0, 0, 0, "", (address, 0)) for address in (PUBLIC, "2606:2800:220::1", PUBLIC)]

    assert outbound_urls.resolve("hooks.example.org", answer) == [PUBLIC, "2606:2800:220::1"]
    assert asked == ["hooks.example.org."]


def test_a_name_service_that_hangs_is_waited_for_a_while_and_no_longer():
    hangs, room = threading.Event(), threading.BoundedSemaphore(1)

    def answer(*_: Any, **__: Any) -> list[Any]:
        hangs.wait(20)
        return []

    try:
        for words in ("does not answer", "too many"):
            with pytest.raises(OSError, match=words):
                outbound_urls.resolve("hooks.example.org", answer, 0.0, room)
    finally:
        hangs.set()
        assert room.acquire(timeout=20), "a look-up that comes back makes room for another"


def test_a_target_is_written_as_it_is_read():
    assert parse("https://hooks.example.org:8443/a?b") == OutboundUrl("https", "hooks.example.org", 8443, "/a?b")
