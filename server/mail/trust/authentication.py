"""Sender authentication: whether a mail comes from the domain in its From.

The mail server in front states its results in Authentication-Results, under the name in AUTHSERV_ID. Where it states
nothing, this server verifies the DKIM signatures of the From's domain. In an answer only what speaks against the sender
counts: a mail of which nobody says anything is as good as one that passes, as the reply address is the proof and this a
second look. At the play address it is all there is.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from server.mail.reading.headers import Fields, fields_in_order
from server.mail.reading.mime import MAX_SIZE, check_header, header_block
from server.mail.trust.alignment import domain_of, is_aligned
from server.mail.trust.dkim import aligned_signatures, best_signature
from server.mail.trust.mail import Ask, Handover, Mail, limited
from server.mail.trust.results import AGAINST, Authentication


def authenticate(raw: bytes, author: str, handover: Handover, authserv_id: str | None, ask: Ask) -> Authentication:
    """Return the results for the mail `raw`, whose From is `author`.

    There are none for a mail that is not read for commands, because it is too large or its header is broken.
    `authserv_id` is the name of the mail server in front, None without one.
    """
    if len(raw) > MAX_SIZE or check_header(raw) is not None:
        return Authentication()
    mail = Mail(raw, fields_in_order(header_block(raw)), domain_of(author), handover)
    result = by_upstream(mail, authserv_id) if authserv_id else None
    if result is None:
        result = _by_us(mail, limited(ask))
    is_passed = authserv_id is not None and has_passed(mail, authserv_id)
    is_unproven = result.is_unproven or mail.has_doubled_field
    return replace(result, is_unproven=is_unproven, is_passed_upstream=is_passed)


def _by_us(mail: Mail, ask: Ask) -> Authentication:
    dkim, is_proof = best_signature(mail, ask)
    return Authentication(dkim, is_unproven=dkim == "pass" and not is_proof)


class _Result(NamedTuple):
    """One `method=result` of a field, with its properties and its comments."""

    method: str
    result: str
    properties: dict[str, str]
    comments: str


def by_upstream(mail: Mail, authserv_id: str) -> Authentication | None:
    """Return what `stated` says, where a signature proves no more for having been checked there.

    Unless the server in front says that SPF passed for the domain, its pass rests on the signatures of the domain; it
    does not say on which, so all of them have to cover the mail.
    """
    result = stated(mail.fields, authserv_id, mail.domain)
    signatures = list(aligned_signatures(mail))
    rests_on_signatures = result and "pass" in (result.dkim, result.dmarc) and (signatures or result.dkim == "pass")
    if result is None or result.is_failing or not rests_on_signatures or _spf_passed(mail, authserv_id):
        return result
    if not mail.addressed_fields or mail.has_doubled_field:
        return Authentication("policy", result.spf, by=result.by)
    return replace(result, is_unproven=not all(signature.covers(mail) for signature in signatures))


def has_passed(mail: Mail, authserv_id: str) -> bool:
    """Return True if the server in front names an aligned domain, above the first Received, that passed by any method.

    SPF alone settles nothing about a command, and says at least that its owner may be answered.
    """
    above = _results(mail.fields[: _first_received(mail.fields)])
    ours = [result for name, result in above if name == authserv_id.lower() and result.result == "pass"]
    return any(
        is_aligned(mail.domain, domain_of(result.properties.get(name, "")))
        for result in ours
        for name in _NAMES_OF_DOMAINS.get(result.method, ())
    )


def stated(fields: Fields, authserv_id: str, domain: str) -> Authentication | None:
    """Return what the server in front states of a From in `domain`; None where that settles nothing.

    A pass counts only above the first Received, where only the server that handed us the mail could put it; what speaks
    against the sender counts wherever it stands, as nobody forges that. A pass up there in any other name was written
    to be taken for it.
    """
    first = _first_received(fields)
    above, below = _results(fields[:first]), _results(fields[first:])
    ours = _settled([result for name, result in above if name == authserv_id.lower()], domain)
    if ours is not None:
        return ours
    pretended = _settled([result for name, result in above if name != authserv_id.lower()], domain)
    if pretended is not None and not pretended.is_failing:
        return Authentication(dmarc="fail", by="upstream")
    other = _settled([result for name, result in below if name == authserv_id.lower()], domain)
    return other if other is not None and other.is_failing else None


def _spf_passed(mail: Mail, authserv_id: str) -> bool:
    """Return True if the server in front says, above the first Received, that the domain handed the mail over."""
    return any(
        (name, result.method, result.result) == (authserv_id.lower(), "spf", "pass")
        and is_aligned(mail.domain, domain_of(result.properties.get("smtp.mailfrom", "")))
        for name, result in _results(mail.fields[: _first_received(mail.fields)])
    )


def _first_received(fields: Fields) -> int:
    return next((place for place, (name, _) in enumerate(fields) if name == "received"), len(fields))


def _results(fields: Fields) -> list[tuple[str, _Result]]:
    """Return each result with the name of the server that states it, in lower case."""
    return [pair for name, value in fields if name == "authentication-results" for pair in _parsed(value)]


def _settled(results: Sequence[_Result], domain: str) -> Authentication | None:
    dmarc = [_lenient(result) for result in results if result.method == "dmarc" and _is_about(result, domain)]
    dkim = [result.result for result in results if result.method == "dkim" and _is_own(result, domain)]
    spf = next((result.result for result in results if result.method == "spf"), "none")
    best = next((word for word in ("pass", *AGAINST) if word in dkim), "none")
    worst = next((word for word in ("fail", "pass") if word in dmarc), "none")
    if best == worst == "none":
        return None
    return Authentication(best, spf, worst, by="upstream")


def _lenient(result: _Result) -> str:
    """Return the result of DMARC; `none` for a failure that the domain asks nobody to act on."""
    says = f"{result.comments} {' '.join(f'{name}={value}' for name, value in result.properties.items())}"
    is_lax = _LAX.search(says)
    return "none" if result.result == "fail" and is_lax else result.result


def _is_about(result: _Result, domain: str) -> bool:
    named = result.properties.get("header.from")
    return named is None or domain_of(named) == domain


def _is_own(result: _Result, domain: str) -> bool:
    """Return True if a result of DKIM is that of a signature of the domain's own."""
    named = result.properties.get("header.d") or result.properties.get("header.i")
    return named is None or is_aligned(domain, domain_of(named))


_NAMES_OF_DOMAINS = {"spf": ("smtp.mailfrom",), "dkim": ("header.d", "header.i"), "dmarc": ("header.from",)}
_LAX = re.compile(r"\b(?:p|policy[\w.]*|action)\s*=\s*none\b", re.IGNORECASE)
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_TOKENS = re.compile(rf'{_QUOTED}|\\.|[();]|[^()";\\]+|"')
_METHOD = re.compile(r"\s*([a-z0-9-]+)\s*(?:/\s*\d+\s*)?=\s*([a-z]+)", re.IGNORECASE)
_PROPERTY = re.compile(rf"(?<![\w.-])([a-z]+(?:\.[a-z0-9_-]+)?)\s*=\s*({_QUOTED}|[^\s;\"]+)", re.IGNORECASE)


def _parsed(value: str) -> Iterator[tuple[str, _Result]]:
    """Return the results of one field, see RFC 8601; what several servers write against it is read all the same."""
    (name, _), *statements = _statements(value)
    words = name.replace('"', " ").split()
    for text, comments in statements:
        method = _METHOD.match(text)
        if method and words:
            pairs = _PROPERTY.findall(text, method.end())
            properties = {key.lower(): found.strip('"') for key, found in pairs}
            yield words[0].lower(), _Result(method[1].lower(), method[2].lower(), properties, comments)


def _statements(value: str) -> list[tuple[str, str]]:
    """Return the parts between semicolons, each with the comments that stood in it."""
    parts = [["", ""]]
    depth = 0
    for token in _TOKENS.findall(value):
        if token == ";" and not depth:  # noqa: S105 no secret
            parts.append(["", ""])
        elif token in ("(", ")"):
            depth = max(depth + {"(": 1, ")": -1}[token], 0)
            parts[-1][bool(depth)] += " "
        else:
            parts[-1][depth > 0] += token
    return [(text, comments) for text, comments in parts]
