"""What settings are made of: addresses, relays, mailboxes, rates."""

import ipaddress
import re
from dataclasses import dataclass, field
from datetime import timedelta

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class SettingError(Exception):
    """A setting that cannot be used; the message is one sentence for the operator."""


def without_tag(address: str) -> str:
    """Return the address without what stands behind a plus sign in its local part."""
    return re.sub(r"\+[^@]*(?=@)", "", address)


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
        """Whether nobody but this machine can reach it."""
        return is_loopback(self.host)


@dataclass(frozen=True)
class Rate:
    """How much of something there may be: `most` in every `window`, written `600/PT1M`."""

    most: int
    window: timedelta


@dataclass(frozen=True)
class Relay:
    """Where mail is handed over, from `SMTP_URL`; TLS from the first byte for `smtps`."""

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
        """What tells it from others, without its password."""
        return f"{self.user}@{self.host}/{self.folder}"


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine: nobody else can reach it, and nobody listens on the way."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
