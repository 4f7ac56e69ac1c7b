"""Wrap the text of mails, so that no line ends in a command."""

import re

from server.language.grammar import is_command_line
from server.runtime.lru import LRUCache

WIDTH = 76
FOLD = "\f"  # in the text of a mail: what follows stands below the picture of the board, and smaller
LONGEST_MOVE = 6  # words of one, without showing oneself


def wrap(text: str, known: LRUCache[str, bool] | None = None) -> str:
    """Return paragraphs at `WIDTH` columns; a line that begins with a dash stays an item of a list.

    `known` caches which ends of lines are commands, for the lines that mails have in common.

    A mail program that shows or quotes the mail in fewer columns breaks each line once more. No line ends in a command,
    such as the number of a station, or what falls out of it would be one.
    """
    lines: list[str] = []
    for line in tidy(text.replace(FOLD, "\n\n")).split("\n"):
        item = line.startswith(" - ")
        words = line.split()[item:]
        lines += _filled(" ".join(words), *((" - ", "   ") if item else ("", "")), known)
    return "\n".join(lines) + "\n"


def tidy(text: str) -> str:
    """Return paragraphs with one blank line between them, whatever the conditions of a template left."""
    return re.sub(r"\n{3,}", "\n\n", text.strip())


def _filled(text: str, first: str, then: str, known: LRUCache[str, bool] | None) -> list[str]:
    """Return text in lines, the first with the indent `first` and the others with `then`."""
    lines = []
    indent = first
    while len(indent) + len(text) > WIDTH:
        end = _end_of_line(text, WIDTH - len(indent), known)
        lines.append(indent + text[:end])
        indent, text = then, text[end + 1 :]
    return [*lines, (indent + text).rstrip()] if text or not lines else lines


def _end_of_line(text: str, room: int, known: LRUCache[str, bool] | None) -> int:
    """Return where a line ends that begins with `text`; beyond the room only if its first word is longer."""
    last = text.rfind(" ", 0, room + 1)
    if last < 0:
        return len(text.partition(" ")[0])
    end = last
    while end > 0 and _ends_in_command(" ".join(text[:end].rsplit(" ", LONGEST_MOVE)[-LONGEST_MOVE:]), known):
        end = text.rfind(" ", 0, end)
    return end if end > 0 else last


def _ends_in_command(end: str, known: LRUCache[str, bool] | None) -> bool:
    """Return True if the last words of a line would be a command on a line of their own; `end` has all that may be.

    Ends that differ in numbers alone are checked once, and so is what several have in common.
    """
    if not end:
        return False
    end = with_other_numbers(end)
    found = known.get(end) if known is not None else None
    if found is None:
        found = _ends_in_command(end.partition(" ")[2], known) or is_command_line(end)
        if known is not None:
            known.put(end, found)
    return found


def with_other_numbers(end: str) -> str:
    """Return the end of a line with other stations and tickets, as all of them read alike.

    The first number of two or three digits becomes 11, the next 12, and so on; all tickets, such as 10/8/4, are 1/1/1.
    """
    others: dict[str, str] = {}
    end = _STATION.sub(lambda number: others.setdefault(number[0], str(11 + len(others))), end)
    return _TICKETS.sub("1/1/1", end)


_STATION = re.compile(r"(?<![^ (])(?:[1-9][0-9]|1[0-9][0-9])(?=[,.;:)]*(?: |$))")
_TICKETS = re.compile(r"(?<![^ (])[0-9]{1,2}(?:/[0-9]{1,2}){2}(?=[,.;:)]*(?: |$))")
