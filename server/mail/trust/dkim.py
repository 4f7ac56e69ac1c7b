"""DKIM (RFC 6376): whether signatures hold, whose they are, and whether they prove a command."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from server.mail.trust.alignment import is_aligned
from server.mail.trust.mail import Ask, Mail
from server.mail.trust.results import AGAINST
from server.vocabulary.dns import Unanswered

MOST_SIGNATURES = 5  # of one domain that are looked at
LONGEST_SIGNATURE = 4_000  # bytes; the library takes time that grows with the square of it
MOST_NAMES = 100  # of the fields that a signature covers; the library looks for each in all of them
LONGEST_KEY = 1_200  # bytes of a record with a key: RSA of 4096 bits takes 750, and checking one of 64 KB hours
COVERED = frozenset({"from", "to", "subject", "message-id"})  # by a signature that is to prove a command


class Signature(NamedTuple):
    """A signature of a mail: its place among them from the top, and its tags."""

    place: int
    tags: dict[str, str]

    @property
    def names(self) -> list[str]:
        """Return the names of the fields that it covers."""
        return [name.strip().lower() for name in self.tags.get("h", "").split(":")]

    def covers(self, mail: Mail) -> bool:
        """Return True if it covers all that makes the mail the command it is, here and now.

        Without the To it could be sent on to another reply address, and without a Message-ID be sent twice.
        """
        signed = frozenset(self.names)
        return signed >= COVERED and mail.has_message_id and bool(mail.addressed_fields & signed)


class SignatureResult(NamedTuple):
    """The result of the best signature of a mail, and whether that is proof."""

    result: str = "none"
    is_proof: bool = False


def aligned_signatures(mail: Mail) -> Iterator[Signature]:
    """Return the signatures of domains that belong to the owner of the From's."""
    values = [value for name, value in mail.fields if name == "dkim-signature"]
    looked_at = 0
    for place, value in enumerate(values):
        tags = _tags(value) if len(value) <= LONGEST_SIGNATURE else {}
        signer = tags.get("d", "").lower()
        if looked_at < MOST_SIGNATURES and signer and is_aligned(mail.domain, signer):
            looked_at += 1
            yield Signature(place, tags)


def best_signature(mail: Mail, ask: Ask) -> SignatureResult:
    """Verify the aligned signatures of a mail, and return the best result; of equal ones one that covers the mail."""
    checked = [(_verified(mail, each, ask), each.covers(mail)) for each in aligned_signatures(mail)]
    checked.sort(key=lambda each: not each[1])
    for wanted in ("pass", "temperror", *AGAINST):
        for result, covers in checked:
            if result == wanted:
                return SignatureResult(result, result == "pass" and covers)
    return SignatureResult()


def _tags(value: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in value.split(";")]
    return {name.strip(): text.strip() for name, equals, text in pairs if equals}


def _verified(mail: Mail, signature: Signature, ask: Ask) -> str:
    """Return the result of one signature, in the words of RFC 8601.

    "policy" is one that holds, of a mail that is not what was signed: with a field on top or more of a body, later than
    it may be, or at another address than it was written to.
    """
    tags = signature.tags
    # SHA-1 proves nothing, and other algorithms are unknown here.
    if tags.get("a") != "rsa-sha256" or len(signature.names) > MOST_NAMES:
        return "none"
    if "l" in tags or _is_late(tags, mail.handover.at):  # with a length, anybody may have written the rest
        return "policy"
    result = _checked(mail.raw, signature, ask)
    return "policy" if result == "pass" and (mail.has_doubled_field or not mail.addressed_fields) else result


def _checked(raw: bytes, signature: Signature, ask: Ask) -> str:
    """Return whether a signature holds, in the same words."""
    import dkim  # noqa: PLC0415 heavy, and most mails are not signed

    def key(name: bytes, **_: object) -> bytes | None:
        record = next(iter(ask(name.decode(), "TXT")), None)
        if record is not None and len(record) > LONGEST_KEY:
            raise dkim.KeyFormatError
        return record

    try:
        if "from" not in signature.names:
            raise dkim.ParameterError
        return "pass" if dkim.DKIM(_collapsed(raw, signature.tags)).verify(signature.place, dnsfunc=key) else "fail"
    except Unanswered:
        return "temperror"
    except dkim.ValidationError:
        return "fail"
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 anything else that the library raises is the signature's fault
        return "permerror"


def _is_late(tags: dict[str, str], at: int | None) -> bool:
    until = tags.get("x", "")
    return at is not None and until.isascii() and until.isdecimal() and int(until[:20]) < at


def _collapsed(raw: bytes, tags: dict[str, str]) -> bytes:
    """Return the mail with its blanks as `relaxed` leaves them, if it was signed so.

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
