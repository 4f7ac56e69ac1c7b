"""The charsets that a mail may use.

They are an allow-list: Python has codecs that are no charsets (rot13, zlib, idna, unicode_escape), and UTF-7 hides line
breaks and commands in apparent ASCII.
"""

import re

# Names are compared without case, underscores and blanks. As in browsers, some stand for a larger charset: Latin-1 for
# Windows-1252, GB 2312 for GB 18030, Shift JIS for Windows-31J.
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
# Refused by name: hidden commands look like any text.
_REFUSED = frozenset({"utf-7", "unicode-1-1-utf-7", "x-unicode-2-0-utf-7", "utf7", "utf-7-imap"})


def decode(data: bytes, charset: str | None) -> str | None:
    """Return `data` as text; None if `charset` is refused.

    Without a charset, or with an unknown one, the bytes are read as UTF-8 or else as Windows-1252. Bytes that cannot be
    decoded become U+FFFD.
    """
    name = (charset or "").strip().strip("\"'").lower().replace("_", "-").replace(" ", "")[:40]
    if name in _REFUSED:
        return None
    codec = _codec(name)
    if codec is None or codec == "ascii":
        return _guess(data)
    if codec == "utf-16":
        codec = _wide(data)
    # UTF-16 without a NUL has no letter of ASCII and no line end: the name of the charset is wrong.
    if codec.startswith("utf-16") and b"\0" not in data:
        return _guess(data)
    return data.decode(codec, "replace")


def _wide(data: bytes) -> str:
    """Return the codec of UTF-16 text: by its byte order mark, or else by the places of the zeros."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return "utf-16-be" if data[::2].count(0) > data[1::2].count(0) else "utf-16-le"


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
