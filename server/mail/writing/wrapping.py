"""Wrap the text of mails, so that no line ends in a command."""

import re
from itertools import accumulate, takewhile

from server.mail.language.grammar import is_command_line

WIDTH = 76
LONGEST_MOVE = 6  # words of one, without showing oneself


def wrap(text: str) -> str:
    """Return paragraphs at `WIDTH` columns; a line that begins with a dash stays an item of a list.

    A mail program that shows or quotes the mail in fewer columns breaks each line once more. No line ends in a command,
    such as the number of a station, or what falls out of it would be one.
    """
    lines: list[str] = []
    for line in tidy(text).split("\n"):
        lines += _filled(line.split(), *((" - ", "   ") if line.startswith(" - ") else ("", "")))
    return "\n".join(lines) + "\n"


def tidy(text: str) -> str:
    """Return paragraphs with one blank line between them, whatever the conditions of a template left."""
    return re.sub(r"\n{3,}", "\n\n", text.strip())


def _filled(words: list[str], first: str, then: str) -> list[str]:
    """Return words in lines, the first with the indent `first` and the others with `then`."""
    lines = []
    indent, words = first, words[1:] if first else words
    left = len(" ".join(words))
    while len(indent) + left > WIDTH:
        fitting = _fitting(words, WIDTH - len(indent))
        end = next((n for n in range(fitting, 0, -1) if not _ends_in_command(words[:n])), fitting)
        line = " ".join(words[:end])
        lines.append(indent + line)
        indent, words, left = then, words[end:], left - len(line) - 1
    return [*lines, (indent + " ".join(words)).rstrip()]


def _fitting(words: list[str], room: int) -> int:
    """Return how many of the words fit in a line; one at least."""
    ends = accumulate(len(word) + 1 for word in words)
    return max(1, sum(1 for _ in takewhile(lambda end: end - 1 <= room, ends)))


def _ends_in_command(words: list[str]) -> bool:
    """Return True if the last of these words would be a command on a line of their own."""
    return any(is_command_line(" ".join(words[-n:])) for n in range(1, min(len(words), LONGEST_MOVE) + 1))
