"""Check what DNS says about the server's own domain: SPF, DKIM, DMARC, MX and PTR.

Receivers judge the server's mail by these records. Each sentence says what is wrong and which record to write.
"""

import base64
import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from server.application.game import reply_addresses
from server.mail.trust.alignment import domain_of, registered
from server.mail.trust.mail import Ask, limited
from server.runtime import now, runtime
from server.settings import Settings, is_loopback
from server.vocabulary.dns import Unanswered

LONGEST_STRING = 255


def warnings() -> list[str]:
    """Return a sentence on each record that is missing or wrong, within the time limit of the look-ups for one mail."""
    settings = runtime().settings
    if settings.smtp_url is None or settings.mail_domain == Settings.mail_domain:
        return []
    ask = limited(runtime().dns.for_mail_from(settings.mail_domain, now(), runtime().monotonic))
    found: list[str] = []
    try:
        found.extend(_check(settings, ask))
    except Unanswered:
        found.append(
            f"The name service does not answer, so not all records of {settings.mail_domain} were checked: see "
            "/etc/resolv.conf, and try again."
        )
    return found


def _check(settings: Settings, ask: Ask) -> Iterator[str]:
    """Yield a sentence on each record that is missing or wrong."""
    yield from _dkim(settings, ask)
    yield from _dmarc(settings.mail_domain, ask)
    if _has_own_mail_server(settings):
        yield from _mail_server(settings, ask)
    else:
        domain = domain_of(reply_addresses.bare(settings.bounce_address))
        yield from _spf_record(domain, "the record that your relay's provider names", ask)


def _mail_server(settings: Settings, ask: Ask) -> Iterator[str]:
    """Yield what is wrong with MX, SPF and PTR, which name the hosts of the operator's mail server."""
    sender = reply_addresses.bare(settings.bounce_address)
    hosts = []
    for name in _mail_servers(settings.mail_domain, ask):
        hosts.append(host := _Host(name, (*ask(name, "A"), *ask(name, "AAAA"))))
        if not host.addresses:
            yield f"The mail server {name} of {settings.mail_domain} has no address in DNS: add an A record."
    if not hosts:
        yield (
            f"{settings.mail_domain} has no MX record, so others cannot write to it: add "
            f'"{settings.mail_domain}. MX 10" with the name of your mail server.'
        )
    yield from _spf_record(domain_of(sender), '"v=spf1 mx -all"', ask)
    for host in hosts:
        for address in host.addresses:
            yield from _ptr(host.name, address, ask)


@dataclass(frozen=True)
class _Host:
    """A mail server and its addresses."""

    name: str
    addresses: tuple[str, ...]


def _has_own_mail_server(settings: Settings) -> bool:
    """Return True if the operator runs the mail server: mail comes in by the listener and goes out by a host here."""
    assert settings.smtp_url is not None
    comes_in = settings.mail_listen and settings.imap_url is None
    return bool(comes_in) and (is_loopback(settings.smtp_url.host) or _is_private(settings.smtp_url.host))


def _is_private(host: str) -> bool:
    """Return True if a host can be reached only from here: a private address, or a name that DNS does not know."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(".internal")


def _mail_servers(domain: str, ask: Ask) -> list[str]:
    """Return the preferred mail servers of a domain; a domain without an MX record has none."""
    found = ask(domain, "MX")
    best = min((preference for preference, _ in found), default=0)
    return [host for preference, host in found if preference == best and host]


def _spf_record(domain: str, record: str, ask: Ask) -> Iterator[str]:
    found = [text for text in ask(domain) if text.lower().split(b" ")[0] == b"v=spf1"]
    if not found:
        yield f"{domain} has no SPF record, so receivers may refuse its mail: add a TXT record, {record}."
    elif len(found) > 1:
        yield f"{domain} has {len(found)} SPF records, so receivers heed none: keep one of them."


def _dmarc(domain: str, ask: Ask) -> Iterator[str]:
    names = {f"_dmarc.{name}" for name in (domain, registered(domain))}
    if not any(text.startswith(b"v=DMARC1") for name in sorted(names) for text in ask(name)):
        yield (
            f"{domain} has no DMARC record, so receivers trust it less: add "
            f"{_record(f'_dmarc.{domain}', 'v=DMARC1; p=quarantine; adkim=s; aspf=s')}"
        )


def _dkim(settings: Settings, ask: Ask) -> Iterator[str]:
    """Yield what is wrong with the record of DKIM_KEY. Without that setting another server signs, with its own key."""
    if settings.dkim_key is None:
        return
    name, ours = f"{settings.dkim_selector}._domainkey.{settings.mail_domain}", _public_key(settings.dkim_key)
    found = [_key_in(text) for text in ask(name)]
    mending = _record(name, f"v=DKIM1; k=rsa; p={ours}")
    if not any(found):
        yield f"{name} has no DKIM key, so signatures do not hold: add {mending}"
    elif ours not in found:
        yield f"The DKIM key at {name} is not that of DKIM_KEY, so signatures do not hold: change it to {mending}"


def _record(name: str, text: str) -> str:
    """Return a TXT record as a zone file has it, in strings of at most 255 characters each (RFC 1035, 3.3)."""
    strings = " ".join(f'"{text[start : start + LONGEST_STRING]}"' for start in range(0, len(text), LONGEST_STRING))
    return f"{name}. TXT {strings}"


def _key_in(record: bytes) -> str:
    tags = dict(tag.partition("=")[::2] for tag in record.decode("ascii", "replace").replace(" ", "").split(";"))
    return tags.get("p", "")


def _public_key(pem: str) -> str:
    key = load_pem_private_key(pem.encode(), None).public_key()
    return base64.b64encode(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()


def _ptr(name: str, address: str, ask: Ask) -> Iterator[str]:
    """Yield a sentence if an address does not lead to a name that leads back to it."""
    address_of = ipaddress.ip_address(address)
    kind = "AAAA" if address_of.version == 6 else "A"
    names = ask(address_of.reverse_pointer, "PTR")
    if not names:
        yield f"{address} has no PTR record, so receivers may refuse its mail: have your provider set it to {name}."
    elif not any(address_of in map(ipaddress.ip_address, ask(each, kind)) for each in names):
        yield (
            f"The PTR record of {address} names {names[0]}, which does not lead back to it: have your provider set it "
            f"to {name}."
        )
