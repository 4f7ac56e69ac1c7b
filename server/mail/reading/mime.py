"""Read the lines of text from the bytes of a mail.

Every limit is checked on the bytes before the parser or a decoder sees them: nested parts, long parameters and the like
take time that grows faster than the mail.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import CloseBoundaryNotFoundDefect, InvalidBase64LengthDefect, InvalidBase64PaddingDefect
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from enum import StrEnum

from server.mail.reading.charsets import decode
from server.mail.reading.html import html_lines

MAX_SIZE = 1_000_000  # bytes; of a larger mail only so much is read
MAX_HEADER = 64_000  # bytes
MAX_HEADER_LINES = 2_000
MAX_LINES = 25_000  # of the raw mail; a megabyte of base64 has 14,000
MAX_BOUNDARIES = 60  # places that announce a multipart
MAX_EMBEDDED = 40  # places that announce a message inside the message
MAX_PARTS = 500
MAX_DEPTH = 10
MAX_CONTENT_FIELD = 4_000  # bytes of one Content-... field
MAX_TEXT_LINES = 2_000  # what lies further down was quoted long ago
MAX_TEXT = 200_000  # characters


class Problem(StrEnum):
    """The reason that a mail is not read for commands."""

    TOO_LARGE = "too-large"
    HEADERS_TOO_LARGE = "headers-too-large"
    TOO_MANY_LINES = "too-many-lines"
    TOO_MUCH_TEXT = "too-much-text"  # more than a person writes
    TOO_MANY_PARTS = "too-many-parts"
    TOO_DEEP = "too-deep"
    BROKEN = "broken"  # programs would read it differently, or it was cut off
    BAD_CHARSET = "bad-charset"
    ENCRYPTED = "encrypted"
    NO_SENDER = "no-sender"
    SEVERAL_SENDERS = "several-senders"


class UnreadableMailError(Exception):
    """Raised with the Problem that keeps a mail from being read."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.value)
        self.problem = problem


@dataclass(frozen=True)
class Text:
    """The text of a mail: its lines, and whether a calendar wrote it instead of a person."""

    lines: tuple[str, ...] = ()
    calendar_reply: bool = False


def header_block(raw: bytes) -> bytes:
    """Return the header of a mail, at most MAX_HEADER bytes of it."""
    start = raw[:MAX_HEADER]
    end = _HEADER_END.search(start)
    return start[: end.start()] if end else start


def check_header(raw: bytes) -> Problem | None:
    """Return the problem with the form of the header, None if there is none."""
    head = header_block(raw)
    if len(head) == MAX_HEADER or head.count(b"\n") > MAX_HEADER_LINES:
        return Problem.HEADERS_TOO_LARGE
    # At a line that is no field a parser takes the fields below it for text.
    lines = head.replace(b"\r\n", b"\n").split(b"\n")
    if b"\r" in b"".join(lines) or not all(map(_FIELD_LINE.match, lines[1:])):
        return Problem.BROKEN
    return None


def text_of(raw: bytes) -> Text:
    """Return the text of the mail `raw`, with quotes and signature.

    It is the plain text if that has content, else the HTML; attachments, and mails inside the mail, are passed over.
    Raises UnreadableMailError.
    """
    if b"\r\n" in raw and _END_OF_DATA.search(raw):
        raise UnreadableMailError(Problem.BROKEN)
    raw = _NEWLINE.sub(b"\n", raw)
    message = parsed(raw)
    if any(map(_is_calendar_reply, _walk(message, MAX_DEPTH))):
        return Text(calendar_reply=True)
    leaf = _best(message)
    if leaf is not None and _was_cut_off(message, leaf, raw):
        raise UnreadableMailError(Problem.BROKEN)
    return Text(tuple(_lines_of(leaf)) if leaf is not None else ())


def without_end(begin: bytes) -> bytes:
    """Return the parts of a mail that are whole in its beginning, as a mail.

    Raises:
        UnreadableMailError: if not even the first is.
    """
    boundary = parsed(header_block(begin)).get_boundary()
    line = b"--" + (boundary or "").encode(errors="replace")
    first, last = begin.find(b"\n" + line), begin.rfind(b"\n" + line)
    if not boundary or not 0 <= first < last:
        raise UnreadableMailError(Problem.TOO_LARGE)
    return begin[: last + 1] + line + b"--\r\n"


def parsed(raw: bytes) -> Message:
    """Return the mail `raw`, parsed; raise UnreadableMailError if it cannot be, or that would take too long."""
    _check_limits(raw)
    try:
        return BytesParser(policy=compat32).parsebytes(raw)
    except (RecursionError, ValueError, LookupError):
        raise UnreadableMailError(Problem.BROKEN) from None


def contents(raw: bytes) -> list[bytes] | None:
    """Return the decoded content of each part of the mail `raw`; None if it cannot be read."""
    try:
        decoded = [leaf.get_payload(decode=True) for leaf in parsed(raw).walk() if not leaf.is_multipart()]
    except (UnreadableMailError, RecursionError, ValueError, LookupError, AttributeError):
        return None
    return [content if isinstance(content, bytes) else b"" for content in decoded]


_HEADER_END = re.compile(rb"\r?\n\r?\n|\r\r")
_FIELD_LINE = re.compile(rb"[!-9;-~]+:|[ \t]|$")
_NEWLINE = re.compile(rb"\r\n?")
# A dot on a line of its own, which ends the mail for servers that take a bare LF for a line end: the rest was meant to
# arrive as another mail.
_END_OF_DATA = re.compile(rb"(?<!\r)\n\.\r?\n|\n\.\n")
_CUT_BASE64 = (InvalidBase64LengthDefect, InvalidBase64PaddingDefect)
_COMMENT = re.compile(r"\([^()]*\)")
_METHOD = re.compile(r"^METHOD:(\w+)", re.MULTILINE | re.IGNORECASE)
_CONTENT_FIELD = re.compile(rb"^content-[a-z-]+:.*(?:\n[ \t].*)*", re.IGNORECASE | re.MULTILINE)


def _check_limits(raw: bytes) -> None:
    lower = raw.lower()
    counts = (
        (raw.count(b"\n"), MAX_LINES, Problem.TOO_MANY_LINES),
        (lower.count(b"boundary"), MAX_BOUNDARIES, Problem.TOO_DEEP),
        (lower.count(b"message/"), MAX_EMBEDDED, Problem.TOO_DEEP),
        (raw.count(b"\n--"), MAX_PARTS, Problem.TOO_MANY_PARTS),
    )
    for count, limit, problem in counts:
        if count > limit:
            raise UnreadableMailError(problem)
    if any(len(found[0]) > MAX_CONTENT_FIELD for found in _CONTENT_FIELD.finditer(raw)):
        raise UnreadableMailError(Problem.BROKEN)


def _walk(part: Message, depth: int) -> Iterator[Message]:
    """Yield the parts that may hold the sender's text; raise if they are nested too deep."""
    if depth < 0:
        raise UnreadableMailError(Problem.TOO_DEEP)
    _settle_fields(part)
    yield part
    for child in _children(part):
        yield from _walk(child, depth - 1)


def _settle_fields(part: Message) -> None:
    """Check the fields that say how to read a part, and remove comments from the encoding.

    Raise if one occurs twice with different values: some programs read a part by the first, and some by the last.
    """
    for name in ("content-type", "content-transfer-encoding", "content-disposition"):
        values = {" ".join(str(value).split()) for value in part.get_all(name, ())}
        if len(values) > 1:
            raise UnreadableMailError(Problem.BROKEN)
    encoding = part.get("content-transfer-encoding")
    if encoding is not None:
        part.replace_header("content-transfer-encoding", _COMMENT.sub("", str(encoding)).strip())


def _children(part: Message) -> list[Message]:
    if part.get_content_maintype() != "multipart":
        return []
    if part.get_content_subtype() == "encrypted":
        raise UnreadableMailError(Problem.ENCRYPTED)
    children = part.get_payload()
    if not isinstance(children, list):  # no boundary, or one that never comes
        raise UnreadableMailError(Problem.BROKEN)
    found = [child for child in children if isinstance(child, Message)]
    return found[:1] if part.get_content_subtype() == "signed" else found


def _best(part: Message) -> Message | None:
    """Return the first text with content; among alternatives, the plain one.

    Apple Mail cuts a text in pieces where a picture stands in it; these are one text.
    """
    if part.get_content_maintype() != "multipart":
        return part if _has_text(part) else None
    children = _children(part)
    found = [leaf for leaf in map(_best, children) if leaf is not None]
    if part.get_content_subtype() == "mixed" and str(part.get_boundary()).startswith("Apple-Mail"):
        return _joined(found)
    if part.get_content_subtype() == "alternative":
        found.sort(key=lambda leaf: leaf.get_content_subtype() != "plain")
    return found[0] if found else None


def _joined(leaves: list[Message]) -> Message | None:
    """Return the first of `leaves` with the text of all that are written in the same way."""
    if len(leaves) < 2:
        return leaves[0] if leaves else None
    kind = leaves[0].get_content_type()
    whole = Message()
    whole.set_type(kind)
    whole.set_payload("\n".join(_content(leaf) for leaf in leaves if leaf.get_content_type() == kind), "utf-8")
    for name in ("format", "delsp"):
        if value := leaves[0].get_param(name):
            whole.set_param(name, str(value))
    return whole


def _was_cut_off(message: Message, leaf: Message, raw: bytes) -> bool:
    """Return True if `leaf` ends where the mail was cut in the middle of a line: "taxi 4" of 46."""
    if any(isinstance(defect, _CUT_BASE64) for defect in leaf.defects) and not _content(leaf).endswith("\n"):
        return True
    part, unclosed = message, False
    while children := _children(part):
        unclosed |= any(isinstance(defect, CloseBoundaryNotFoundDefect) for defect in part.defects)
        part = children[-1]
    return unclosed and part is leaf and not raw.endswith(b"\n")


def _has_text(leaf: Message) -> bool:
    kind = leaf.get_content_type()
    if kind in ("application/pkcs7-mime", "application/x-pkcs7-mime"):
        raise UnreadableMailError(Problem.ENCRYPTED)
    return (
        kind in ("text/plain", "text/html", "text/markdown")
        and leaf.get_content_disposition() != "attachment"
        and leaf.get_filename() is None
        and bool(_content(leaf).strip())
    )


def _is_calendar_reply(part: Message) -> bool:
    if part.get_content_type() not in ("text/calendar", "application/ics"):
        return False
    method = str(part.get_param("method", "")).lower()
    said = _METHOD.search(_content(part))
    return (said[1].lower() if said else method) in ("reply", "counter")


def _content(leaf: Message) -> str:
    payload = leaf.get_payload(decode=True)
    text = decode(payload, leaf.get_content_charset()) if isinstance(payload, bytes) else ""
    if text is None:
        raise UnreadableMailError(Problem.BAD_CHARSET)
    return text.replace("\x00", "")


def _lines_of(leaf: Message) -> list[str]:
    text = _content(leaf)
    if leaf.get_content_subtype() == "html":
        lines = html_lines(text)
    else:
        lines = _unsigned(text[:MAX_TEXT].splitlines()[:MAX_TEXT_LINES])
        if str(leaf.get_param("format", "")).lower() == "flowed":
            lines = _unflow(lines, delsp=str(leaf.get_param("delsp", "")).lower() == "yes")
    return lines[:MAX_TEXT_LINES]


def _unsigned(lines: list[str]) -> list[str]:
    """Return the text inside of a PGP signature that stands around it, see RFC 9580; any other as it is."""
    bare = [line.strip() for line in lines]
    if next(filter(None, bare), "") == "-----BEGIN PGP MESSAGE-----":
        raise UnreadableMailError(Problem.ENCRYPTED)
    if not {"-----BEGIN PGP SIGNED MESSAGE-----", "-----BEGIN PGP SIGNATURE-----"} <= set(bare):
        return lines
    start, end = bare.index("-----BEGIN PGP SIGNED MESSAGE-----"), bare.index("-----BEGIN PGP SIGNATURE-----")
    # The fields of the signature end at the first empty line.
    body = next((i for i in range(start, end) if not bare[i]), end)
    return [line.removeprefix("- ") for line in lines[body:end]]


def _unflow(lines: list[str], *, delsp: bool) -> list[str]:
    """Return the paragraphs of RFC 3676 text: lines that end in a blank go on in the next one."""
    paragraphs: list[tuple[int, list[str]]] = []
    flowing = False
    for line in lines:
        text = line.lstrip(">")
        depth = len(line) - len(text)
        text = text.removeprefix(" ")
        is_signature = text == "-- "
        if flowing and not is_signature and paragraphs[-1][0] == depth:
            paragraphs[-1][1].append(text)
        else:
            paragraphs.append((depth, [text]))
        flowing = text.endswith(" ") and not is_signature
        if flowing and delsp:
            paragraphs[-1][1][-1] = text[:-1]
    return [(">" * depth + " ") * bool(depth) + "".join(texts) for depth, texts in paragraphs]
