"""The types of setting values: addresses, relays, mailboxes, rates; and the addresses of this server itself."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class SettingError(Exception):
    """A setting that cannot be used; the message is one sentence for the operator."""


def without_tag(address: str) -> str:
    """Return the address without the tag that follows a plus sign in its local part."""
    return re.sub(r"\+[^@]*(?=@)", "", address)


class Admission(StrEnum):
    """The people who may become players: everybody, those with an invitation or the code of a game, or nobody new."""

    EVERYBODY = "everybody"
    INVITED = "invited"
    NOBODY = "nobody"


@dataclass(frozen=True)
class Listen:
    """An address to listen on; `protocol` is `http`, `smtp` or `lmtp`."""

    protocol: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.protocol}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Return True if only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def local(self) -> "Listen":
        """Return the address to reach it from this machine: the loopback if it listens on all addresses."""
        loopback = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 not listened on
        return Listen(self.protocol, loopback.get(self.host, self.host), self.port)


@dataclass(frozen=True)
class Rate:
    """A rate limit: `most` in every `window`, written `600/PT1M`."""

    most: int
    window: timedelta


@dataclass(frozen=True)
class Relay:
    """The relay that mail is handed to, from `SMTP_URL`; TLS from the first byte for `smtps`."""

    host: str
    port: int
    user: str | None
    password: str | None = field(repr=False)
    tls: bool
    starttls: bool


@dataclass(frozen=True)
class Mailbox:
    """A mailbox that is read by IMAP, from `IMAP_URL`; TLS from the first byte for `imaps`."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    folder: str
    tls: bool
    starttls: bool

    @property
    def name(self) -> str:
        """Return a name that identifies the mailbox, without its password."""
        return f"{self.user}@{self.host}/{self.folder}"


_PRIVATE = [ipaddress.ip_network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")]
_METADATA = ipaddress.ip_network("fd00:ec2::/32")  # where a machine of a cloud asks for its secrets


def is_private(host: str) -> bool:
    """Return True if `host` is an address of a private network, such as one at home."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address in net for net in _PRIVATE) and address not in _METADATA


def is_loopback(host: str) -> bool:
    """Return True if `host` is this machine: nobody else can reach it, and nobody can listen on the way."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


OPERATORS = ("postmaster", "abuse")  # before the @ of addresses at which the operator is written to
_TOKEN = "[a-z2-7]{16,32}"  # noqa: S105 what one looks like


def is_own(address: str, forms: Iterable[str], domain: str) -> bool:
    """Return True if mail to `address`, with or without a tag behind a plus sign, comes to this server.

    Args:
        forms: the play address, and the forms of those with a token; `name <address>` counts as the address.
        domain: the domain of the server's mail, which has the addresses of the operator.
    """
    whole = address.strip().lower()
    found = without_tag(whole)
    if found in {f"{name}@{domain.lower()}" for name in OPERATORS} | set(OPERATORS):
        return True
    return any(_pattern(form).fullmatch(one) for form in forms for one in (whole, found))


def _pattern(form: str) -> re.Pattern[str]:
    """Return the pattern of a form. A tag counts as none; a token that is all of a name has to look like one."""
    bare = without_tag((form.partition(" <")[2].removesuffix(">") or form).lower())
    anything = _TOKEN if bare.startswith("{token}@") else ".*"
    return re.compile(re.escape(bare).replace(re.escape("{token}"), anything))
