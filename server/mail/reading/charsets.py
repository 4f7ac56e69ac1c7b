"""The charsets a mail may be written in.

An allow-list: Python knows codecs that are no charsets of mail (rot13, zlib, idna, unicode_escape),
and UTF-7 hides line breaks and commands in what looks like plain ASCII.
"""

import re

# Names are compared without case, underscores and blanks. Some mean more than they say, as in
# browsers: Latin-1 is written as Windows-1252, GB 2312 as GB 18030, Shift JIS as Windows-31J.
_CODECS = {
    "us-ascii": "ascii",
    "ascii": "ascii",
    "ansi-x3.4-1968": "ascii",
    "utf8": "utf-8",
    "utf-8": "utf-8",
    "unicode-1-1-utf-8": "utf-8",
    "utf-16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-9": "cp1254",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "macintosh": "mac-roman",
    "x-mac-roman": "mac-roman",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "cp936": "gb18030",
    "big5": "cp950",
    "big5-hkscs": "big5hkscs",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "cp932": "cp932",
    "euc-jp": "euc-jp",
    "iso-2022-jp": "iso2022-jp-ext",
    "iso-2022-jp-1": "iso2022-jp-ext",
    "iso-2022-jp-2": "iso2022-jp-2",
    "iso-2022-jp-3": "iso2022-jp-3",
    "euc-kr": "cp949",
    "ks-c-5601-1987": "cp949",
    "iso-2022-kr": "iso2022-kr",
}
_FAMILIES = (
    (re.compile(r"iso-?8859-(1[013456]|[2-8])"), "iso8859-"),
    (re.compile(r"(?:windows|cp|x-cp)-?(125[0-8]|874|850|852|866|437|949|950)"), "cp"),
)
# Refused by name: what they hide cannot be told from text.
_REFUSED = frozenset({"utf-7", "unicode-1-1-utf-7", "x-unicode-2-0-utf-7", "utf7", "utf-7-imap"})


def decode(data: bytes, charset: str | None) -> str | None:
    """Return `data` as text; None if `charset` is one no mail may use.

    Without a charset, and in one nobody knows, the bytes are read as UTF-8 or else as
    Windows-1252. What cannot be decoded becomes U+FFFD.
    """
    name = _canonical(charset)
    if name in _REFUSED:
        return None
    codec = _codec(name)
    if codec is None or codec == "ascii":
        return _guess(data)
    if codec == "utf-16":
        codec = _wide(data)
    # Without a NUL it has not one letter of ASCII, nor a line end: it only says that it is UTF-16.
    if codec.startswith("utf-16") and b"\0" not in data:
        return _guess(data)
    return data.decode(codec, "replace")


def _wide(data: bytes) -> str:
    """Return which UTF-16 it is: by its mark, and without one by where the zeros stand."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return "utf-16-be" if data[::2].count(0) > data[1::2].count(0) else "utf-16-le"


def _canonical(charset: str | None) -> str:
    return (charset or "").strip().strip("\"'").lower().replace("_", "-").replace(" ", "")[:40]


def _codec(name: str) -> str | None:
    if name in _CODECS:
        return _CODECS[name]
    for pattern, prefix in _FAMILIES:
        if match := pattern.fullmatch(name):
            return prefix + match[1]
    return None


def _guess(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
