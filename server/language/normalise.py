"""Normalise lines that keyboards and mail programs spell in many ways."""

import re
import unicodedata

LONGEST = 2_000  # characters of a line that are read

_QUOTES = str.maketrans("‘’‚‛′“”„‟″«»×", "'" * 5 + '"' * 7 + "x")
_DASHES = re.compile(r"[‐‑‒–—−⁃]")
_BULLET = re.compile(r"(?:[-*•·◦▪]|[1-9][.)](?= [a-zA-Z]))\s+(?=\S)")
_EMPHASIS = re.compile(r"([*_]{1,2})(?=[^\s*_])(.*[^\s*_])\1")
_BRACKETS = re.compile(r"\[([^\[\]]+)\]|<([^<>]+)>|`+([^`]+)`+")
# These are not the same as the digit in them: a footnote at the end of a line is no part of the station.
_KEPT = ("<super>", "<sub>", "<fraction>", "<circle>")


def plain(line: str) -> str:
    """Return `line` in plain characters, on one line, with single blanks and none around it.

    Full-width letters and the digits of all scripts become ASCII, curly quotes and dashes straight
    ones; characters without width go.
    """
    text = line[:LONGEST]
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_plain_character, text))
    if not text.isascii():
        text = _DASHES.sub("-", text).translate(_QUOTES)
    return " ".join(text.split())


def quotable(line: str) -> str:
    """Return `line` as `plain` does, for quoting: without the character that turns text round on the screen."""
    return plain(line).replace("\N{RIGHT-TO-LEFT OVERRIDE}", "")


def bare(line: str) -> str:
    """Return `plain(line)` without bullet, emphasis, little pictures and punctuation around it."""
    text = _without_pictures(plain(line))
    text = _BULLET.sub("", text, count=1) if _BULLET.match(text) else text
    for found in (_EMPHASIS.fullmatch, _BRACKETS.fullmatch):
        if match := found(text):
            text = match[match.lastindex or 0]
    return text.rstrip(" .,;:!")


def may_run_on(before: str, line: str) -> bool:
    """Return True if a mail program may have wrapped `line` off the line `before`."""
    length = len(before.rstrip())
    if not 0 < length <= _WIDEST:
        return False
    first = plain(line).split(" ")[0]
    return bool(first) and length + 1 + len(first) > _NARROWEST


# Mail programs wrap text somewhere between these columns.
_NARROWEST, _WIDEST = 64, 80


def _without_pictures(text: str) -> str:
    """Return `text` without emoji at its ends."""
    if text.isascii():
        return text
    kept = [i for i, character in enumerate(text) if not (_is_picture(character) or character == " ")]
    return text[kept[0] : kept[-1] + 1] if kept else ""


def _is_picture(character: str) -> bool:
    return character > "\u2190" and unicodedata.category(character) in ("So", "Sk", "Mn")


def _plain_character(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() else " "
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category.startswith("Z") or category == "Cc":
        return " "
    if category == "Cf":  # except where it shows "64" as "46": the line is no command
        return "" if character != "\u202e" else character
    if unicodedata.decomposition(character).startswith(_KEPT):
        return character
    return unicodedata.normalize("NFKC", character)
