"""Whether a mail comes from whom its From names: DKIM, SPF and DMARC, and what the server in front found of them.

In an answer only what speaks against the sender counts: a mail of which nobody says anything is as good as one that
passes, as the reply address is the proof and this a second look. At the play address it is all there is. Nothing is
asked about domains but that of the From.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, NamedTuple

from server.dns import Unanswered
from server.mail.reading.headers import BrokenAddressesError, Fields, addresses, fields_in_order
from server.mail.reading.mime import MAX_SIZE, check_header, header_block

Ask = Callable[..., list[Any]]
"""From a name and a kind of record (TXT unless told) to what the name service says; raises Unanswered."""

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

MOST_SIGNATURES = 5  # of one domain that are looked at
LONGEST_SIGNATURE = 4_000  # bytes; the library takes time that grows with the square of it
MOST_NAMES = 100  # of the fields that a signature covers; the library looks for each in all of them
LONGEST_KEY = 1_200  # bytes of a record with a key: RSA of 4096 bits takes 750, and checking one of 64 KB hours
LONGEST_RECORD = 4_000  # bytes of any other
MOST_RECORDS = 20
ONCE = ("from", "to", "cc", "subject", "date", "message-id")  # fields of which no mail may have two
COVERED = frozenset({"from", "to", "subject", "message-id"})  # by a signature that is to prove a command
AGAINST = ("fail", "permerror", "policy")  # of DKIM
STRICT = ("quarantine", "reject")  # what a domain asks for its mail that does not pass DMARC


@dataclass(frozen=True)
class Findings:
    """What was found, in the words of RFC 8601, with `none` where there was nothing to look at."""

    dkim: str = "none"
    spf: str = "none"
    dmarc: str = "none"
    by: str = "us"  # or upstream
    is_unproven: bool = False  # whatever was found, it could be said of the same mail sent again by anybody

    @property
    def failing(self) -> bool:
        """Whether the mail is not to be obeyed."""
        return self.dmarc == "fail" or (self.dmarc != "pass" and self.dkim in AGAINST)

    @property
    def passing(self) -> bool:
        """Whether it surely comes from the domain in its From. Of a signature only we know that it is that domain's."""
        is_pass = self.dmarc == "pass" or (self.dmarc == "none" and self.dkim == "pass" and self.by == "us")
        return is_pass and not self.is_unproven

    def __str__(self) -> str:
        """As the operator is told; empty where nothing was found."""
        found = {"dkim": self.dkim, "spf": self.spf, "dmarc": self.dmarc}
        words = [f"{name}={result}" for name, result in found.items() if result != "none"]
        return " ".join([*words, f"by={self.by}", *["unproven"] * self.is_unproven]) if words else ""


class Handover(NamedTuple):
    """The handover of a mail: MAIL FROM, the peer where it is known, the address it was for, and the time."""

    sender: str
    peer: str | None
    recipient: str
    at: int | None = None  # seconds since 1970


def check(raw: bytes, author: str, handover: Handover, authserv_id: str | None, ask: Ask) -> Findings:
    """Return what is found of the mail `raw`, whose From is `author`.

    Nothing is found of a mail that nobody reads for commands, because it is too large or its header is broken.
    """
    if len(raw) > MAX_SIZE or check_header(raw) is not None:
        return Findings()
    mail = _Mail(raw, fields_in_order(header_block(raw)), domain_of(author), handover)
    found = _by_upstream(mail, authserv_id) if authserv_id else None
    if found is None:
        found = _by_us(mail, _tamely(ask), looks_at_peer=authserv_id is None)
    return replace(found, is_unproven=True) if mail.is_doubled else found


def domain_of(address: str) -> str:
    """The domain of an address, as DNS has it."""
    domain = address.rpartition("@")[2].lower().rstrip(".")
    try:
        return domain if domain.isascii() else domain.encode("idna").decode()
    except UnicodeError:
        return domain


def aligned(domain: str, other: str, *, strict: bool = False) -> bool:
    """Whether both belong to one owner, as far as names tell; `strict`: whether they are the same."""
    return domain == other or (not strict and bool(other) and _owned(domain) == _owned(other))


def _owned(domain: str) -> str | None:
    """Return the name that the owner of `domain` has registered; the domain itself where anybody registers below it."""
    domain = domain.lower().rstrip(".")
    return _suffixes().privatesuffix(domain) or domain or None


@cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 its list is long

    return PublicSuffixList()


# What we find -----------------------------------------------------------------------------------


class _Mail(NamedTuple):
    """A mail as far as signatures are about it: its bytes, its fields, the domain of its From, and how it came."""

    raw: bytes
    fields: Fields
    domain: str
    handover: Handover

    @property
    def is_doubled(self) -> bool:
        """Return True if a field that may stand once stands twice: signatures cover the lower, we read the upper."""
        names = Counter(name for name, _ in self.fields)
        return any(names[name] > 1 for name in ONCE)

    @property
    def addressed(self) -> frozenset[str]:
        """Those of the fields To and Cc that name the address at which the mail arrived."""
        ours = _comparable(self.handover.recipient)
        return frozenset(
            name for name, value in self.fields if name in ("to", "cc") and ours in map(_comparable, _addresses(value))
        )

    def is_covered(self, tags: dict[str, str]) -> bool:
        """Say whether a signature with these tags covers all that makes the mail the command it is, here and now.

        Without the To it could be sent on to another reply address, and without a Message-ID be sent twice.
        """
        signed = frozenset(_signed_names(tags))
        is_known_again = any(name == "message-id" for name, _ in self.fields)
        return signed >= COVERED and is_known_again and bool(self.addressed & signed)


def _by_us(mail: _Mail, ask: Ask, *, looks_at_peer: bool) -> Findings:
    domain, handover = mail.domain, mail.handover
    peer = handover.peer if looks_at_peer and handover.peer and ip_address(handover.peer).is_global else None
    signatures = _signatures(mail)
    if not signatures and peer is None:
        return Findings()  # nothing that could be told from any other mail
    dkim, signer, proves = _best_signature(mail, ask) if signatures else ("none", "", False)
    if proves and signer == domain:
        return Findings(dkim)
    spf = _spf(peer, handover.sender, domain, ask) if peer and not proves else "none"
    if dkim in AGAINST and spf != "pass":
        return Findings(dkim, spf)
    dmarc = "none"
    if dkim != "pass" or signer != domain:
        dmarc = _dmarc(domain, dkim, signer, spf, domain_of(handover.sender), ask)
    return Findings(dkim, spf, dmarc, is_unproven=dkim == "pass" and not proves and spf != "pass")


def _signatures(mail: _Mail) -> list[str]:
    return [value for name, value in mail.fields if name == "dkim-signature"]


def _best_signature(mail: _Mail, ask: Ask) -> tuple[str, str, bool]:
    """Return the best result of the signatures that are the domain's own, who signed so, and whether that is proof."""
    found = [
        (_verified(mail, number, tags, ask), signer, mail.is_covered(tags))
        for number, tags, signer in _own(_signatures(mail), mail.domain)
    ]  # fmt: skip
    found.sort(key=lambda each: not each[2])
    for result in ("pass", "temperror", *AGAINST):
        if best := next((each for each in found if each[0] == result), None):
            return best[0], best[1], best[0] == "pass" and best[2]
    return "none", "", False


def _own(signatures: Sequence[str], domain: str) -> Iterator[tuple[int, dict[str, str], str]]:
    """Return the place, the tags and the domain of each signature that is aligned with `domain`."""
    looked_at = 0
    for number, value in enumerate(signatures):
        tags = _tags(value) if len(value) <= LONGEST_SIGNATURE else {}
        signer = tags.get("d", "").lower()
        if looked_at < MOST_SIGNATURES and signer and aligned(domain, signer):
            looked_at += 1
            yield number, tags, signer


def _tags(value: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in value.split(";")]
    return {name.strip(): text.strip() for name, equals, text in pairs if equals}


def _signed_names(tags: dict[str, str]) -> list[str]:
    return [name.strip().lower() for name in tags.get("h", "").split(":")]


def _verified(mail: _Mail, number: int, tags: dict[str, str], ask: Ask) -> str:
    """Return the result of one signature, in the words of RFC 8601.

    "policy" is one that holds, of a mail that is not what was signed: with a field on top or more of a body, later than
    it may be, or at another address than it was written to.
    """
    if (
        tags.get("a") != "rsa-sha256" or len(_signed_names(tags)) > MOST_NAMES
    ):  # SHA-1 proves nothing, and of others we know nothing
        return "none"
    if "l" in tags or _is_late(tags, mail.handover.at):  # of the first anybody may have written the rest
        return "policy"
    result = _held(mail.raw, number, tags, ask)
    return "policy" if result == "pass" and (mail.is_doubled or not mail.addressed) else result


def _held(raw: bytes, number: int, tags: dict[str, str], ask: Ask) -> str:
    """Return whether a signature holds, in the same words."""
    import dkim  # noqa: PLC0415 heavy, and most mails are not signed

    def key(name: bytes, **_: Any) -> bytes | None:
        found = next(iter(ask(name.decode(), "TXT")), None)
        if found is not None and len(found) > LONGEST_KEY:
            raise dkim.KeyFormatError
        return found

    try:
        if "from" not in _signed_names(tags):
            raise dkim.ParameterError
        return "pass" if dkim.DKIM(_tamed(raw, tags)).verify(number, dnsfunc=key) else "fail"
    except Unanswered:
        return "temperror"
    except dkim.ValidationError:
        return "fail"
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 whatever else it trips over is the signature's fault
        return "permerror"


def _is_late(tags: dict[str, str], at: int | None) -> bool:
    until = tags.get("x", "")
    return at is not None and until.isascii() and until.isdecimal() and int(until[:20]) < at


def _tamely(ask: Ask) -> Ask:
    """Return `ask` without what nobody needs: libraries take long over records of any length."""

    def tamed(name: str, kind: str = "TXT") -> list[Any]:
        found = ask(name, kind)[:MOST_RECORDS]
        return [record for record in found if not isinstance(record, bytes) or len(record) <= LONGEST_RECORD]

    return tamed


def _addresses(value: str) -> tuple[str, ...]:
    try:
        return addresses(value)
    except BrokenAddressesError:
        return ()


def _comparable(address: str) -> tuple[str, str]:
    return address.rpartition("@")[0].lower(), domain_of(address)


def _tamed(raw: bytes, tags: dict[str, str]) -> bytes:
    """The mail with its blanks as `relaxed` would leave them, where it is to be signed so.

    The library takes time that grows with the square of a run of blanks.
    """
    raw = _LINE_END.sub(b"\r\n", raw)
    if not tags.get("c", "").lower().endswith("/relaxed"):
        return raw
    head, empty, body = raw.partition(b"\r\n\r\n")
    body = _BLANKS.sub(b" ", body)
    return head + empty + body.replace(b" \r\n", b"\r\n")


_LINE_END = re.compile(rb"\r?\n")
_BLANKS = re.compile(rb"[ \t]+")


def _spf(peer: str, sender: str, domain: str, ask: Ask) -> str:
    """Whether `peer` may hand over mail of MAIL FROM, asked only where that belongs to the From's domain."""
    import spf  # type: ignore[import-untyped]  # noqa: PLC0415

    if not aligned(domain, domain_of(sender)):
        return "none"
    query = spf.query(i=peer, s=sender, h=domain_of(sender))
    query.dns = lambda name, kind, *_, **__: _for_spf(ask, str(name), kind)
    try:
        return str(query.check()[0])
    except Unanswered:
        return "temperror"
    except Exception:  # noqa: BLE001 as above
        return "permerror"


def _for_spf(ask: Ask, name: str, kind: str) -> list[object]:
    """Records in the form in which the SPF library has them."""
    found = ask(name, kind)
    return [(record,) for record in found] if kind == "TXT" else list(found)


def _dmarc(domain: str, dkim: str, signer: str, spf: str, sender: str, ask: Ask) -> str:
    """`pass` and `fail` as far as they can be told; `none` also where the domain asks nobody to refuse its mail."""
    try:
        policy = _policy(domain, ask)
    except Unanswered:
        return "temperror"
    strict_dkim, strict_spf = policy.get("adkim") == "s", policy.get("aspf") == "s"
    by_dkim = dkim == "pass" and aligned(domain, signer, strict=strict_dkim)
    by_spf = spf == "pass" and aligned(domain, sender, strict=strict_spf)
    if by_dkim or by_spf:
        return "pass"
    if "temperror" in (dkim, spf):
        return "temperror"
    return "fail" if policy.get("p") in STRICT else "none"


def _policy(domain: str, ask: Ask) -> dict[str, str]:
    """The DMARC record of the domain, or what its organisation's says of those below it; empty without."""
    from authheaders import dmarc_lookup  # type: ignore[import-untyped]  # noqa: PLC0415

    def record(name: str) -> str | None:
        found = [text.decode("ascii", "replace") for text in ask(name) if text.startswith(b"v=DMARC1")]
        return found[0] if len(found) == 1 else None

    organisation = _owned(domain) or domain
    try:
        own: dict[str, str] = dmarc_lookup.lookup_receiver_record(domain, record)
        if own or organisation == domain:
            return own
        above: dict[str, str] = dmarc_lookup.lookup_receiver_record(organisation, record)
    except dmarc_lookup.DMARCException:
        return {}
    return above | {"p": above["sp"]} if "sp" in above else above


# What the server in front found -----------------------------------------------------------------


class _Result(NamedTuple):
    """One `method=result` of a field: what it is about, and what its comments say."""

    method: str
    result: str
    properties: dict[str, str]
    comments: str


def _by_upstream(mail: _Mail, authserv_id: str) -> Findings | None:
    """Return what `upstream` says, weighed as what we find: a signature proves no more for having been checked there.

    Where the server in front does not say that SPF passed for the domain, its pass rests on the signatures of the
    domain; it does not say on which, so all of them have to cover the mail.
    """
    found = upstream(mail.fields, authserv_id, mail.domain)
    own = [tags for _, tags, _ in _own(_signatures(mail), mail.domain)]
    rests_on_signatures = found is not None and "pass" in (found.dkim, found.dmarc) and (own or found.dkim == "pass")
    if found is None or found.failing or not rests_on_signatures or _spf_passed(mail, authserv_id):
        return found
    if not mail.addressed or mail.is_doubled:
        return Findings("policy", found.spf, by=found.by)
    return replace(found, is_unproven=not all(map(mail.is_covered, own)))


def _spf_passed(mail: _Mail, authserv_id: str) -> bool:
    """Say whether the server in front, above the first Received, found that the domain itself handed the mail over."""
    above = next((place for place, (name, _) in enumerate(mail.fields) if name == "received"), len(mail.fields))
    return any(
        (name, result.method, result.result) == (authserv_id.lower(), "spf", "pass")
        and aligned(mail.domain, domain_of(result.properties.get("smtp.mailfrom", "")))
        for name, result in _results(mail.fields[:above])
    )


def upstream(fields: Fields, authserv_id: str, domain: str) -> Findings | None:
    """What Authentication-Results of the server in front say of a From in `domain`; None where that settles nothing.

    A pass counts only above the first Received, where nobody could have put it but who handed the mail to us; what
    speaks against the sender counts wherever it stands, as nobody forges that. A pass up there in any other name was
    written to be taken for it.
    """
    first = next((place for place, (name, _) in enumerate(fields) if name == "received"), len(fields))
    above, below = _results(fields[:first]), _results(fields[first:])
    ours = _settled([result for name, result in above if name == authserv_id.lower()], domain)
    if ours is not None:
        return ours
    pretended = _settled([result for name, result in above if name != authserv_id.lower()], domain)
    if pretended is not None and not pretended.failing:
        return Findings(dmarc="fail", by="upstream")
    other = _settled([result for name, result in below if name == authserv_id.lower()], domain)
    return other if other is not None and other.failing else None


def _results(fields: Fields) -> list[tuple[str, _Result]]:
    """Each result with the name of who found it, in lower case."""
    return [pair for name, value in fields if name == "authentication-results" for pair in _parsed(value)]


def _settled(results: Sequence[_Result], domain: str) -> Findings | None:
    dmarc = [_lenient(result) for result in results if result.method == "dmarc" and _is_about(result, domain)]
    dkim = [result.result for result in results if result.method == "dkim" and _is_of(result, domain)]
    spf = next((result.result for result in results if result.method == "spf"), "none")
    best = next((word for word in ("pass", *AGAINST) if word in dkim), "none")
    worst = next((word for word in ("fail", "pass") if word in dmarc), "none")
    if best == worst == "none":
        return None
    return Findings(best, spf, worst, by="upstream")


def _lenient(result: _Result) -> str:
    """The result of DMARC; a failure that the domain asks nobody to act on is none."""
    says = f"{result.comments} {' '.join(f'{name}={value}' for name, value in result.properties.items())}"
    is_lax = _LAX.search(says)
    return "none" if result.result == "fail" and is_lax else result.result


def _is_about(result: _Result, domain: str) -> bool:
    named = result.properties.get("header.from")
    return named is None or domain_of(named) == domain


def _is_of(result: _Result, domain: str) -> bool:
    """Whether a DKIM result is of a signature of the domain's own."""
    named = result.properties.get("header.d") or result.properties.get("header.i")
    return named is None or aligned(domain, domain_of(named))


_LAX = re.compile(r"\b(?:p|policy[\w.]*|action)\s*=\s*none\b", re.IGNORECASE)
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_TOKENS = re.compile(rf'{_QUOTED}|\\.|[();]|[^()";\\]+|"')
_METHOD = re.compile(r"\s*([a-z0-9-]+)\s*(?:/\s*\d+\s*)?=\s*([a-z]+)", re.IGNORECASE)
_PROPERTY = re.compile(rf"(?<![\w.-])([a-z]+(?:\.[a-z0-9_-]+)?)\s*=\s*({_QUOTED}|[^\s;\"]+)", re.IGNORECASE)


def _parsed(value: str) -> Iterator[tuple[str, _Result]]:
    """The results of one field, see RFC 8601; what several servers write against it is read all the same."""
    (name, _), *statements = _statements(value)
    words = name.replace('"', " ").split()
    for text, comments in statements:
        method = _METHOD.match(text)
        if method and words:
            pairs = _PROPERTY.findall(text, method.end())
            properties = {key.lower(): found.strip('"') for key, found in pairs}
            yield words[0].lower(), _Result(method[1].lower(), method[2].lower(), properties, comments)


def _statements(value: str) -> list[tuple[str, str]]:
    """The parts between semicolons, each with the comments that stood in it."""
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
