"""The header of a mail, read so that nothing in it can raise anything but a `BrokenAddressesError`.

The standard library parses it by its tolerant policy (`compat32`), as the default one crashes on real mail. Addresses
are read here: they decide who may move, and must not be guessed.
"""

import re
from collections.abc import Mapping, Sequence
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from types import MappingProxyType

from server.mail.reading.charsets import decode

Headers = Mapping[str, tuple[str, ...]]
"""Lower-case field name to its values in order of appearance, unfolded, not yet decoded."""

Fields = Sequence[tuple[str, str]]
"""Lower-case field names and their values, in order of appearance, unfolded."""

LONGEST_FIELD = 8_000  # characters of one field that are looked at

_FOLD = re.compile(r"[\r\n]+[ \t]?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
_ATOM = r"[^\x00-\x20\s<>()\[\]\\,;:\"@]+"
_ADDRESS = re.compile(rf'(?:{_ATOM}|"[^"\\\x00-\x1f]+")@{_ATOM}')


class BrokenAddressesError(ValueError):
    """Raised for an address field that two mail programs would read differently."""


def parse_headers(head: bytes) -> Headers:
    """Return the fields of the header block `head`."""
    return fields(BytesHeaderParser(policy=compat32).parsebytes(head))


def fields_in_order(head: bytes) -> Fields:
    """Return the fields of the header block `head` as they stand, the top one first."""
    message = BytesHeaderParser(policy=compat32).parsebytes(head)
    return [(name.lower(), _unfold(str(value))) for name, value in message.raw_items()]


def fields(message: Message) -> Headers:
    """Return the fields of a parsed message."""
    found: dict[str, list[str]] = {}
    for name, value in message.raw_items():
        found.setdefault(name.lower(), []).append(_unfold(str(value)))
    return MappingProxyType({name: tuple(values) for name, values in found.items()})


def first(headers: Headers, name: str) -> str:
    """Return the first value of the field `name` (lower case), stripped; empty if it is missing."""
    return headers.get(name, ("",))[0].strip()


def decoded(value: str) -> str:
    """Return `value` with its encoded words decoded, on one line, without control characters.

    A word in a charset that mails may not use is read as its bytes; a value with a word that cannot be decoded
    stays as it is written.
    """
    try:
        chunks = decode_header(value[:LONGEST_FIELD])
    except (HeaderParseError, ValueError):
        chunks = [(value[:LONGEST_FIELD], None)]
    text = "".join(_chunk(part, charset) for part, charset in chunks)
    return " ".join(_CONTROL.sub(" ", text).split())


def addresses(value: str) -> tuple[str, ...]:
    """Return the addresses of an address field, as written and in order, without the names.

    Encoded words are not decoded: an address hidden in one is no address. Empty members are
    allowed ("a@example.net,"); BrokenAddressesError is raised for angle brackets in angle
    brackets, a group without a name, a NUL, and anything cut off in the middle.
    """
    if "\0" in value:
        raise BrokenAddressesError
    reader = _AddressReader()
    for character in value[:LONGEST_FIELD]:
        reader.feed(character)
    return reader.finish()


def name_before(value: str) -> str:
    """Return the name before the first address of `value`, decoded; empty without one."""
    name, bracket, _ = value[:LONGEST_FIELD].partition("<")
    return decoded(name).strip().strip('"').strip() if bracket else ""


class _AddressReader:
    """One pass over an address field: quoted strings, comments, angle brackets, groups."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.plain = ""  # the text outside of brackets, quoted strings included
        self.angle: str | None = None  # the inside of <...> when there was one
        self.comments = 0
        self.quoted = self.escaped = self.inside = False

    def feed(self, character: str) -> None:
        if self.escaped:
            self.escaped = False
            self._keep(character)
        elif character == "\\" and (self.quoted or self.comments):
            self.escaped = True
        elif self.quoted or (character == '"' and not self.comments):
            self._quote(character)
        elif self.comments or character == "(":
            self.comments += {"(": 1, ")": -1}.get(character, 0)
        elif self.inside or character in "<>":
            self._bracket(character)
        elif character in ",;:":
            self._separate(character)
        else:
            self._keep(character)

    def finish(self) -> tuple[str, ...]:
        if self.quoted or self.comments or self.inside:
            raise BrokenAddressesError
        self._member()
        return tuple(self.found)

    def _keep(self, character: str) -> None:
        if self.comments:
            return
        if self.inside and self.angle is not None:
            self.angle += character
        else:
            self.plain += character

    def _quote(self, character: str) -> None:
        if character == '"':
            self.quoted = not self.quoted
        self._keep(character)

    def _bracket(self, character: str) -> None:
        if character == "<":
            if self.inside or self.angle is not None:
                raise BrokenAddressesError
            self.inside, self.angle = True, ""
        elif character == ">":
            if not self.inside:
                raise BrokenAddressesError
            self.inside = False
        else:
            self._keep(character)

    def _separate(self, character: str) -> None:
        if character == ":":
            if not self.plain.strip():
                raise BrokenAddressesError
            self.plain = ""
        else:
            self._member()

    def _member(self) -> None:
        candidate = (self.plain if self.angle is None else self.angle).strip()
        if _ADDRESS.fullmatch(candidate):
            self.found.append(candidate)
        self.plain, self.angle = "", None


def _unfold(value: str) -> str:
    return readable(_FOLD.sub(" ", value))


def readable(value: str) -> str:
    """Return `value` with raw 8-bit bytes, which the parser keeps as surrogates, read as UTF-8."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _chunk(part: str | bytes, charset: str | None) -> str:
    if isinstance(part, str):
        return part
    text = decode(part, charset)
    return part.decode("latin-1") if text is None else text
