"""Where a webhook may go: the form of its URL, and the addresses that its host may have.

Whoever names a URL makes this server speak to it. It speaks to public addresses over TLS and to nothing else, so that
nobody reaches through it what only this machine or its network can.
"""

import contextlib
import re
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address
Resolver = Callable[[str], list[str]]
"""Gives all addresses of a host as text; OSError when there is none."""

LONGEST_URL = 2000
LONGEST_WAIT = 5.0  # seconds for the name service
MOST_LOOK_UPS = 32  # that may hang in it at once
LOCALHOST = {"localhost": ["127.0.0.1", "::1"]}  # which is never asked for

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# A last label with a digit in front would be read as a number by some, and then the whole as an IPv4 address.
_NAME = re.compile(rf"(?:{_LABEL}\.)+[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?")
_NAMES_OF_OURS = re.compile(r"(?:.*\.)?(?:localhost|local|internal|intranet|lan|home\.arpa)")
# The part of IPv6 that is given out, and what of it leads elsewhere: 6to4, and 2001::/23 with Teredo.
_GLOBAL_6 = IPv6Network("2000::/3")
_NOT_GLOBAL_6 = [IPv6Network(net) for net in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]
_WITH_IPV4_INSIDE = [IPv6Network(net) for net in ("::ffff:0:0/96", "64:ff9b::/96")]  # mapped, and NAT64
_NOT_GLOBAL_4 = [ip_network(net) for net in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
)]  # fmt: skip


class UrlRefused(Exception):
    """A target that is not spoken to; the text says what would be right, and nothing of what was found there."""


@dataclass(frozen=True)
class OutboundUrl:
    """A URL in its one normal form: `host` is a name or an address, `path` has the query with it."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def is_plain(self) -> bool:
        """Whether it is without TLS, and so on this very machine."""
        return self.scheme == "http"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == 443 else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"


def parse(url: str, *, loopback: bool = False) -> OutboundUrl:
    """The target of `url`; `UrlRefused` when it has another form than is spoken to.

    `loopback`: http to this very machine is taken as well, for trying out.
    """
    if len(url) > LONGEST_URL or not re.fullmatch(r"[!-~]+", url) or re.search(r'["<>\\^`{|}]', url):
        raise UrlRefused(f"a URL has at most {LONGEST_URL} characters of ASCII, without spaces; hosts as xn--…")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UrlRefused("it is no URL; write one such as https://example.org/hook") from None
    if parts.scheme != "https" and not (loopback and parts.scheme == "http"):
        raise UrlRefused("it must begin with https://")
    if "@" in parts.netloc or "#" in url:
        raise UrlRefused("it holds no user, password or fragment")
    host = _host(parts.netloc)
    if parts.scheme == "http" and not _is_loopback(host):
        raise UrlRefused("it must begin with https:// unless it is on this machine")
    if port is None:
        port = 443 if parts.scheme == "https" else 80
    if port != 443 and port < 1024:
        raise UrlRefused("the port is 443, or 1024 and above")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return OutboundUrl(parts.scheme, host, port, path)


def addresses(target: OutboundUrl, resolve: Resolver) -> list[Address]:
    """The addresses that may be connected to, all of which were looked at; `UrlRefused` if only one is not public.

    Whoever connects does so to one of these and asks for no address again.
    """
    try:
        found = [ip_address(text) for text in _literal(target.host) or resolve(target.host)]
    except (OSError, ValueError):
        found = []
    allowed = _is_this_machine if target.is_plain else is_public
    if not found or not all(map(allowed, found)):
        # The same for a name that is not there: names of an inner network are nobody's business.
        raise UrlRefused("its host has no public address")
    return found


def is_public(address: Address) -> bool:
    """Whether an address is one of the open net, and not one that leads back into this machine or its network."""
    if isinstance(address, IPv6Address):
        if any(address in net for net in _WITH_IPV4_INSIDE):
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        return address.scope_id is None and address in _GLOBAL_6 and not any(address in net for net in _NOT_GLOBAL_6)
    return not any(address in net for net in _NOT_GLOBAL_4)


def resolve(host: str) -> list[str]:
    """All addresses of `host` by the name service of this machine, waited for a while and no longer.

    A look-up cannot be broken off, so it is left to a thread of its own.
    """
    found: list[str] = []
    done = threading.Event()

    def look_up() -> None:
        try:
            with contextlib.suppress(OSError, UnicodeError):
                found.extend(_look_up(host))
            done.set()
        finally:
            _look_ups.release()

    if not _look_ups.acquire(blocking=False):
        raise OSError("too many look-ups hang")
    threading.Thread(target=look_up, name="look-up", daemon=True).start()
    if not done.wait(LONGEST_WAIT):
        raise OSError("the name service does not answer")
    return list(found)


_look_ups = threading.BoundedSemaphore(MOST_LOOK_UPS)


def _look_up(host: str) -> list[str]:
    # With a dot at its end a name is whole: no search domain of this machine is tried.
    whole = f"{host}." if _NAME.fullmatch(host) else host
    told = socket.getaddrinfo(whole, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in told))


def _host(netloc: str) -> str:
    """The host as it is asked for: a name of two labels or more in lower case, or an address in its one usual form."""
    text = re.sub(r":\d*$", "", netloc).lower().removesuffix(".")
    with contextlib.suppress(ValueError):
        address = ip_address(text[1:-1] if text.startswith("[") and text.endswith("]") else text)
        if isinstance(address, IPv6Address) == text.startswith("[") and "%" not in text:
            return str(address)
    if text in LOCALHOST:
        return text
    if len(text) > 253 or not _NAME.fullmatch(text) or _NAMES_OF_OURS.fullmatch(text):
        raise UrlRefused("its host is no public name or address; write one such as hooks.example.org")
    return text


def _literal(host: str) -> list[str]:
    """The addresses of what needs no look-up."""
    with contextlib.suppress(ValueError):
        return [str(ip_address(host))]
    return LOCALHOST.get(host, [])


def _is_loopback(host: str) -> bool:
    return any(ip_address(text).is_loopback for text in _literal(host))


def _is_this_machine(address: Address) -> bool:
    return address.is_loopback
