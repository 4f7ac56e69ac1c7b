"""Wrap the lines of a mail as mail programs do, and tell which of the pieces the server would obey."""

import re
from bisect import bisect_right
from functools import cache

from server.language import grammar
from tests.profiles import IS_CAMPAIGN


def commands_in(text: str) -> set[str]:
    """Return the lines that the server would obey of a mail, as it is and however a mail program re-wraps it."""
    found = {line for line in text.splitlines() if _is_command(line)}
    for paragraph in text.split("\n\n"):
        lines = paragraph.splitlines()
        for piece in {*lines, " ".join(paragraph.split()), " ".join(map(str.strip, lines))}:
            found |= _commands_in_piece(piece)
    return found


@cache
def _commands_in_piece(piece: str) -> set[str]:
    return {line for line in wraps(piece) if _is_command(line)}


@cache
def _is_command(line: str) -> bool:
    """Return what the grammar says of a line: half of those that wrapping gives come of another width too."""
    return grammar.is_command_line(line)


# Outside a campaign only even widths are tried. Every word that can begin the second line still begins it; some ends of
# lines, and some later lines, are left out.
WIDTHS = range(56, 101, 1 if IS_CAMPAIGN else 2)


def wraps(piece: str) -> set[str]:
    """Return each line that comes of wrapping a line at one of the widths that mail programs use."""
    words = [word.span() for word in re.finditer(r"[^\t\n\v\f\r ]+", piece)]
    ends = [end for _, end in words]
    found = set()
    for width in WIDTHS:
        first = 0
        while first < len(words):
            begin = words[first][0] if first else 0
            after = max(first + 1, bisect_right(ends, begin + width))
            found.add((begin, ends[after - 1]))
            first = after
    return {piece[begin:end] for begin, end in found}
