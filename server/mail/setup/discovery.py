"""Find the servers of a mailbox: those its domain names in DNS (RFC 6186, RFC 8314), else those with usual names.

No provider is known here by name. A server counts when it answers over TLS with a certificate for its name.
"""

import smtplib
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

import dns.exception
import dns.resolver
from imap_tools import BaseMailBox

from server.mail.transport.imap import MailboxFailure, connect, explained
from server.runtime.faults import unreachable
from server.settings import Mailbox, Relay, is_loopback

PATIENCE = 8.0  # seconds for each server that is tried
PORTS = {"imaps": 993, "imap": 143, "smtps": 465, "smtp+starttls": 587, "smtp": 25}
# The services that a domain can name, the better one first, each with its scheme in our settings.
SERVICES = {
    "imap": (("_imaps._tcp", "imaps"), ("_imap._tcp", "imap")),
    "smtp": (("_submissions._tcp", "smtps"), ("_submission._tcp", "smtp+starttls")),
}
USUAL_NAMES = {"imap": ("imap.", "mail.", ""), "smtp": ("smtp.", "mail.", "")}
SHOWN = ("IDLE", "MOVE", "UIDPLUS", "STARTTLS", "AUTH", "SIZE")  # capabilities that matter here

Lookup = Callable[[str], Sequence[tuple[str, int]]]
"""From the name of a service to (host, port), the preferred first; empty when the domain names none."""


@dataclass(frozen=True)
class Server:
    """A mail server: `scheme` is that of IMAP_URL or SMTP_URL; `advertised` are its capabilities."""

    scheme: str
    host: str
    port: int
    advertised: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.url()

    def url(self, login: str = "") -> str:
        """Return its URL, with `user:password@` before the host as `login`."""
        return f"{self.scheme}://{login}{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def starttls(self) -> bool:
        """True if TLS starts on a connection in the clear; on this machine none is needed."""
        return self.scheme == "smtp+starttls" or (self.scheme == "imap" and not is_loopback(self.host))

    def mailbox(self, user: str, password: str) -> Mailbox:
        """Return the INBOX of a user on it."""
        tls = self.scheme == "imaps"
        return Mailbox(self.host, self.port, user, password, "INBOX", tls=tls, starttls=self.starttls)

    def relay(self, user: str | None, password: str | None) -> Relay:
        return Relay(self.host, self.port, user, password, tls=self.scheme == "smtps", starttls=self.starttls)


Probe = Callable[[str, Server], Server]
"""From a kind, imap or smtp, and a server to it with its capabilities; raises `MailboxFailure`, see `probe`."""


def srv(name: str, resolver: dns.resolver.Resolver | None = None, patience: float = PATIENCE) -> list[tuple[str, int]]:
    """Return the SRV records of `name` in their order, without those that say that there is no service.

    The resolver is that of this machine if None.
    """
    try:
        answer = (resolver or dns.resolver.get_default_resolver()).resolve(name, "SRV", lifetime=patience)
    except dns.exception.DNSException:
        return []
    records = sorted(answer, key=lambda record: (record.priority, -record.weight))
    return [(host, record.port) for record in records if (host := str(record.target).rstrip("."))]


def candidates(kind: str, domain: str, lookup: Lookup = srv) -> Iterator[Server]:
    """Return the servers of `kind` (imap or smtp) that a domain may have, the likeliest first."""
    for service, scheme in SERVICES[kind]:
        for host, port in lookup(f"{service}.{domain}"):
            yield Server(scheme, host, port)
    for _, scheme in SERVICES[kind]:
        for prefix in USUAL_NAMES[kind]:
            yield Server(scheme, prefix + domain, PORTS[scheme])


def first_that_answers(kind: str, servers: Iterator[Server], ask: Probe | None = None) -> Server:
    """Return the first server that answers; raise `MailboxFailure` with the reasons if none does."""
    tried: dict[str, str] = {}
    for server in servers:
        try:
            return (ask or probe)(kind, server)
        except MailboxFailure as failure:
            tried[str(server)] = str(failure)
    raise MailboxFailure("; ".join(f"{name}: {why}" for name, why in tried.items()))


def probe(kind: str, server: Server) -> Server:
    """Return the server with its capabilities; raise `MailboxFailure` if it does not answer as it should."""
    words = _ask_imap(server) if kind == "imap" else _ask_smtp(server)
    return Server(server.scheme, server.host, server.port, tuple(word for word in SHOWN if word in words))


def read_server(kind: str, text: str) -> Server:
    """Return the server that an option names; raise `ValueError` with an example if it names none."""
    example = f"{next(scheme for _, scheme in SERVICES[kind])}://mail.example.org"
    with suppress(ValueError):
        url = urlsplit(text)
        fits = url.scheme.startswith(kind) and url.scheme in PORTS and not url.username
        # No password is sent in the clear, except on this machine.
        if fits and url.hostname and (url.scheme != "smtp" or is_loopback(url.hostname)):
            return Server(url.scheme, url.hostname, url.port or PORTS[url.scheme])
    raise ValueError(f"{text!r} is no server; write it like {example}, without a user")


def _ask_imap(server: Server) -> set[str]:
    box = server.mailbox("", "")
    with explained(box):
        client: BaseMailBox = connect(box, PATIENCE)
        words = {word.partition("=")[0] for word in client.client.capabilities}
        client.client.logout()
    return words


def _ask_smtp(server: Server) -> set[str]:
    try:
        with _hello(server) as client:
            return {word.upper() for word in client.esmtp_features}
    except ssl.SSLCertVerificationError:
        raise MailboxFailure(f"its certificate is not one for {server.host} that can be trusted") from None
    except (OSError, smtplib.SMTPException) as error:
        raise MailboxFailure(f"it cannot be reached ({unreachable(error)})") from None


def _hello(server: Server) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if server.scheme == "smtps":
        client: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=PATIENCE, context=context)
    else:
        client = smtplib.SMTP(server.host, server.port, timeout=PATIENCE)
    try:
        if server.starttls:
            client.starttls(context=context)
        client.ehlo()
    except BaseException:
        client.close()
        raise
    return client
