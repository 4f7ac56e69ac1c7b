"""Encode a mail as bytes: its header fields, its text, the same as HTML, and its attachments.

The header is not left to the standard library, which breaks a long URL into encoded words, and decodes what looks like
an encoded word in a player's name, perhaps to a line break.
"""

import base64
import quopri
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email.header import Header, decode_header, make_header
from typing import NamedTuple
from urllib.parse import quote

from server.mail.reading.headers import BrokenAddressesError, addresses

LONGEST_LINE = 998  # bytes of a line, by RFC 5322
WIDTH = 76  # columns after which a header field goes on in another line, if it has a blank there
ADDRESSES = ("From", "To", "Reply-To")


class UnsafeMail(Exception):
    """Raised for a mail that cannot be encoded faithfully. The text quotes nothing of it."""


@dataclass(frozen=True)
class Attachment:
    """A file of a mail; with a `cid` it is a picture in the HTML, for which `alt` has the words."""

    name: str
    kind: str  # such as image/png
    content: bytes
    cid: str | None = None
    alt: str = ""


@dataclass(frozen=True)
class Draft:
    """The content of a mail. `id` tells its parts from those of other mails; `fields` are in their order."""

    id: str
    fields: Sequence[tuple[str, str]]
    text: str
    html: str | None = None
    attachments: Sequence[Attachment] = field(default=())


def mailbox(name: str, address: str) -> str:
    """Return `name <address>` as it stands in a header field, or the address alone."""
    return f"{_phrase(name)} <{address}>" if name else address


def encode(draft: Draft) -> bytes:
    """Return the bytes of a mail; raise `UnsafeMail` if they do not read back as the draft."""
    kind, *others = (body := _body(draft)).fields
    fields = [(name, _encoded(value)) for name, value in draft.fields]
    of_body = [kind, ("MIME-Version", "1.0"), *others]
    finished = b"".join(_folded(name, value) for name, value in fields) + _bytes(_Part(of_body, body.content))
    _check(finished, [*fields, *of_body], draft)
    return finished


# The header ------------------------------------------------------------------------------------


def _phrase(name: str) -> str:
    if not name.isprintable():
        raise UnsafeMail("a name that is more than one line of letters")
    if not name.isascii() or "=?" in name:
        return " ".join(Header(name, "utf-8", maxlinelen=70).encode().split())
    if re.fullmatch(r"[\w !#$%&'*+/=?^`{|}~-]+", name):
        return name
    return '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'


def _encoded(value: str) -> str:
    """Return a value as it is sent; one in ASCII, such as an address with its name, is sent as it is."""
    if not value.isprintable():
        raise UnsafeMail("a header field that is more than one line of letters")
    return value if value.isascii() else " ".join(Header(value, "utf-8", maxlinelen=70).encode().split())


def _folded(name: str, value: str) -> bytes:
    """Return a field in lines broken at blanks only; a subject stays on one line, as some programs expect."""
    if len(name) + len(": ") + len(value) <= WIDTH:  # as most are
        return f"{name}: {value}\r\n".encode("ascii")
    lines = [f"{name}:"]
    for word in value.split(" "):
        stays = lines[-1] == f"{name}:" or (name == "Subject" and not word.startswith("=?"))
        if len(lines[-1]) + 1 + len(word) > WIDTH and not stays:
            lines.append("")
        lines[-1] += f" {word}"
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


# The body --------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """A part of a mail: its header fields, and its content in lines as they are sent."""

    fields: list[tuple[str, str]]
    content: bytes


def _bytes(part: _Part) -> bytes:
    return "".join(f"{name}: {value}\r\n" for name, value in part.fields).encode("ascii") + b"\r\n" + part.content


def _body(draft: Draft) -> _Part:
    """Return the parts in the order that mail programs expect: text, then HTML with its pictures, then files."""
    body = _text(draft.text, "plain")
    if draft.html is not None:
        pictures = [_file(file) for file in draft.attachments if file.cid]
        html = _text(draft.html, "html")
        related = _multipart("related", draft.id, html, *pictures) if pictures else html
        body = _multipart("alternative", draft.id, body, related)
    files = [_file(file) for file in draft.attachments if file.cid is None]
    return _multipart("mixed", draft.id, body, *files) if files else body


def _text(text: str, kind: str) -> _Part:
    """Return a part of text; short lines of ASCII stay as they are, so that the source of the mail can be read."""
    is_plain = text.isascii() and "\r" not in text and max(map(len, text.split("\n"))) <= LONGEST_LINE
    encoding = "7bit" if is_plain else "quoted-printable"
    fields = [("Content-Type", f'text/{kind}; charset="utf-8"'), ("Content-Transfer-Encoding", encoding)]
    return _Part(fields, _sent(text.encode() if is_plain else quopri.encodestring(_lines(text))))


def _lines(text: str) -> bytes:
    return "\n".join(re.split("\r\n|\r|\n", text)).encode()


def _sent(lines: bytes) -> bytes:
    return lines.replace(b"\n", b"\r\n")


def _file(file: Attachment) -> _Part:
    name = f'filename="{file.name}"' if file.name.isascii() else f"filename*=utf-8''{quote(file.name)}"
    fields = [
        ("Content-Type", file.kind),
        ("Content-Transfer-Encoding", "base64"),
        ("Content-Disposition", f"{'inline' if file.cid else 'attachment'}; {name}"),
        *([("Content-ID", f"<{file.cid}>")] if file.cid else []),
    ]
    return _Part(fields, _sent(base64.encodebytes(file.content)))


def _multipart(kind: str, mail_id: str, *parts: _Part) -> _Part:
    boundary = f"=_{mail_id}.{kind}"
    between = f"--{boundary}".encode()
    content = b"".join(between + b"\r\n" + _bytes(part) + b"\r\n" for part in parts)
    return _Part([("Content-Type", f'multipart/{kind}; boundary="{boundary}"')], content + between + b"--\r\n")


# The check -------------------------------------------------------------------------------------


def _check(finished: bytes, fields: Sequence[tuple[str, str]], draft: Draft) -> None:
    lines = finished.split(b"\r\n")
    is_mixed = {finished.count(end) for end in (b"\r", b"\n")} != {len(lines) - 1}
    if is_mixed or max(map(len, lines)) > LONGEST_LINE:
        raise UnsafeMail("a line that is too long, or ends in the middle")
    read = list(_fields_of(finished.partition(b"\r\n\r\n")[0].decode("ascii")))
    if read != fields and [*map(_with_single_blanks, read)] != [*map(_with_single_blanks, fields)]:
        raise UnsafeMail("the header of the finished mail is not the one that was set")
    for name, value in draft.fields:
        if name in ADDRESSES and not _is_one_address(value):
            raise UnsafeMail(f"{name} of the finished mail is not one address")
        if name == "Subject" and _decoded(dict(read)[name]) != value:
            raise UnsafeMail("the subject of the finished mail is not the one that was set")


def _fields_of(header: str) -> Iterator[tuple[str, str]]:
    """Return the fields of a header as a reader finds them, with their lines put together."""
    for lines in _BETWEEN_FIELDS.split(header):
        name, _, value = lines.partition(":")
        yield name, value.replace("\r\n", "").strip(" ")


_BETWEEN_FIELDS = re.compile(r"\r\n(?! )")


def _with_single_blanks(field: tuple[str, str]) -> tuple[str, str]:
    return field[0], " ".join(field[1].split())


def _decoded(value: str) -> str:
    return str(make_header(decode_header(value))) if "=?" in value else value


def _is_one_address(value: str) -> bool:
    if _PLAIN_ADDRESS.fullmatch(value):  # as nearly all are; to read one takes ten times as long
        return True
    try:
        return len(addresses(value)) == 1
    except BrokenAddressesError:
        return False


_PLAIN_ADDRESS = re.compile(r"[A-Za-z0-9 ]*<[a-z0-9+._-]+@(?:[a-z0-9-]+\.)*[a-z]+>")
