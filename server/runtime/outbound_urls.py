"""The URLs to which this server may send a webhook, and the addresses that their hosts may have.

A player who names a URL makes this server connect to it. The server connects only to public addresses and over TLS, so
that nobody can use it to reach what only this machine or its network can reach. The operator may name exceptions.
"""

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from server.settings.kinds import is_private
from server.vocabulary.translation import gettext, gettext_noop

Address = IPv4Address | IPv6Address
Resolver = Callable[[str], list[str]]
"""A function that returns all addresses of a host as text; it raises OSError if the name service does not answer."""

NO_ADDRESS = gettext_noop("its host has no public address")
LONGEST_URL = 2000
LONGEST_WAIT = 5.0  # seconds for the name service
MOST_LOOK_UPS = 32  # that may wait for the name service at once
LOCALHOST = {"localhost": ["127.0.0.1", "::1"]}  # never looked up

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# Some programs read a last label that begins with a digit as a number, and then the whole name as an IPv4 address.
_NAME = re.compile(rf"(?:{_LABEL}\.)+[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?")
_NAMES_OF_OURS = re.compile(r"(?:.*\.)?(?:localhost|local|internal|intranet|lan|home\.arpa)")
# The part of IPv6 that is assigned, and the networks in it that lead elsewhere: 6to4, and 2001::/23 with Teredo.
_GLOBAL_6 = IPv6Network("2000::/3")
_NOT_GLOBAL_6 = [IPv6Network(net) for net in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]
_WITH_IPV4_INSIDE = [IPv6Network(net) for net in ("::ffff:0:0/96", "64:ff9b::/96")]  # mapped, and NAT64
_NOT_GLOBAL_4 = [ip_network(net) for net in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
)]  # fmt: skip


class UrlRefused(Exception):
    """A URL that this server does not call; the text says what would be right, and nothing that a look-up found."""


class Unresolved(UrlRefused):
    """A URL whose host the name service said nothing about, not even that there is none."""


@dataclass(frozen=True)
class OutboundUrl:
    """A URL in its one normal form: `host` is a name or an address, `path` has the query with it.

    is_private: the operator lets a player reach this host, which is in a private network
    """

    scheme: str
    host: str
    port: int
    path: str
    is_private: bool = False

    @property
    def is_plain(self) -> bool:
        """Return True if it is without TLS, and so on this machine or in a private network."""
        return self.scheme == "http"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == 443 else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"


def parse(url: str, *, loopback: bool = False, private: Collection[tuple[str, int]] = frozenset()) -> OutboundUrl:
    """Return `url` in parts; `UrlRefused` if this server does not call URLs of that form.

    `loopback`: http to this machine is allowed too, for trying out. `private`: hosts and ports of private networks
    that may be called, with http too.
    """
    if len(url) > LONGEST_URL or not re.fullmatch(r"[!-~]+", url) or re.search(r'["<>\\^`{|}]', url):
        raise UrlRefused(
            gettext("a URL has at most {n} characters of ASCII, without spaces; hosts as xn--…", n=LONGEST_URL)
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UrlRefused(gettext("it is no URL; write one such as https://example.org/hook")) from None
    if port is None:
        port = 80 if parts.scheme == "http" else 443
    named = re.sub(r":\d*$", "", parts.netloc).lower().strip("[]")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if parts.scheme in ("http", "https") and (named, port) in private and "#" not in url:
        return OutboundUrl(parts.scheme, named, port, path, is_private=True)
    if parts.scheme != "https" and not (loopback and parts.scheme == "http"):
        raise UrlRefused(gettext("it must begin with https://"))
    if "@" in parts.netloc or "#" in url:
        raise UrlRefused(gettext("it holds no user, password or fragment"))
    host = _host(parts.netloc)
    if parts.scheme == "http" and not any(ip_address(text).is_loopback for text in _literal(host)):
        raise UrlRefused(gettext("it must begin with https:// unless it is on this machine"))
    if port != 443 and port < 1024:
        raise UrlRefused(gettext("the port is 443, or 1024 and above"))
    return OutboundUrl(parts.scheme, host, port, path)


def addresses(target: OutboundUrl, resolve: Resolver) -> list[Address]:
    """Return the addresses of a host, all of them checked; `UrlRefused` if a single one is not where it should be.

    The caller must connect to one of these and look up no address again.

    Raises:
        Unresolved: if the name service does not answer.
    """
    try:
        found = [ip_address(text) for text in _literal(target.host) or resolve(target.host)]
    except OSError:
        raise Unresolved(gettext(NO_ADDRESS)) from None
    except ValueError:
        found = []
    allowed = _is_this_machine if target.is_plain else is_public
    if not found or not all(is_private(str(each)) if target.is_private else allowed(each) for each in found):
        # The same for a name that is not there: names of an inner network are nobody's business.
        raise UrlRefused(gettext(NO_ADDRESS))
    return found


def is_public(address: Address) -> bool:
    """Return True if an address is on the public internet, and does not lead back into this machine or its network."""
    if isinstance(address, IPv6Address):
        if any(address in net for net in _WITH_IPV4_INSIDE):
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        return address.scope_id is None and address in _GLOBAL_6 and not any(address in net for net in _NOT_GLOBAL_6)
    return not any(address in net for net in _NOT_GLOBAL_4)


# Asks the name service, as `socket.getaddrinfo` does; the address is the first part of the last member.
Ask = Callable[..., Sequence[tuple[object, object, object, object, Sequence[object]]]]


def resolve(
    host: str,
    ask: Ask = socket.getaddrinfo,
    patience: float = LONGEST_WAIT,
    room: threading.BoundedSemaphore | None = None,
) -> list[str]:
    """Return all addresses of `host` from the name service of this machine.

    A look-up cannot be interrupted, so a thread runs it.

    Args:
        ask: asks the service, as `socket.getaddrinfo` does.
        patience: seconds for it to answer.
        room: has a place for each look-up; all of this process share one unless another is given.

    Raises:
        OSError: if the service does not answer in that time, or cannot be asked.
    """
    found: list[str] = []
    failures: list[OSError] = []
    done, places = threading.Event(), room or _look_ups

    def look_up() -> None:
        try:
            with contextlib.suppress(UnicodeError):
                found.extend(_look_up(host, ask))
        except OSError as error:
            failures.append(error)
        finally:
            done.set()
            places.release()

    if not places.acquire(blocking=False):
        raise OSError("too many look-ups hang")
    threading.Thread(target=look_up, name="look-up", daemon=True).start()
    if not done.wait(patience):
        raise OSError("the name service does not answer")
    for failure in failures:
        if not (isinstance(failure, socket.gaierror) and failure.errno in _NO_SUCH_HOST):
            raise failure
    return list(found)


# What the name service says of a host that it knows nothing of, or no address.
_NO_SUCH_HOST = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME), socket.EAI_FAIL}
_look_ups = threading.BoundedSemaphore(MOST_LOOK_UPS)


def _look_up(host: str, ask: Ask) -> list[str]:
    # A name with a dot at its end is complete: this machine's search domains are not tried.
    whole = f"{host}." if _NAME.fullmatch(host) else host
    told = ask(whole, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in told))


def _host(netloc: str) -> str:
    """Return the host in its one form: a name of two or more labels in lower case, or an address."""
    text = re.sub(r":\d*$", "", netloc).lower().removesuffix(".")
    with contextlib.suppress(ValueError):
        address = ip_address(text[1:-1] if text.startswith("[") and text.endswith("]") else text)
        if isinstance(address, IPv6Address) == text.startswith("[") and "%" not in text:
            return str(address)
    if text in LOCALHOST:
        return text
    if len(text) > 253 or not _NAME.fullmatch(text) or _NAMES_OF_OURS.fullmatch(text):
        raise UrlRefused(gettext("its host is no public name or address; write one such as hooks.example.org"))
    return text


def _literal(host: str) -> list[str]:
    """Return the addresses of a host that needs no look-up."""
    with contextlib.suppress(ValueError):
        return [str(ip_address(host))]
    return LOCALHOST.get(host, [])


def _is_this_machine(address: Address) -> bool:
    return address.is_loopback
