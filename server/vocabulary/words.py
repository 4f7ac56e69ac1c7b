"""Pawns, tickets, numbers and lists in words, in the language of the reader."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from server.vocabulary.preferences import BY_NAME
from server.vocabulary.translation import ENGLISH, current, gettext, ngettext, pgettext, pgettext_noop

_TYPED = pgettext_noop("typed", (
    "mr_x", "red", "yellow", "green", "blue", "purple", "taxi", "bus", "underground", "black", "double", "surface",
    "NN", "or", "else", "SET", "name", "usual", "moves", "daily", "reminders", "off", "on", "inherit", "here", "always",
    "doubtful", "own", "page", "condensed",
))  # fmt: skip
_NUMBERS = pgettext_noop("number", (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
))  # fmt: skip


def _by_role(role: str, words: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that translates one of these words, by their role in a sentence, which is their context."""
    return lambda code: pgettext(role, words[code])


pawn_letter = _by_role(
    "letter of a pawn", {"mr_x": "X", "red": "R", "yellow": "Y", "green": "G", "blue": "B", "purple": "P"}
)
"""The letter that a pawn has on the board; no two pawns have the same."""

_LINES = {"taxi": "taxi", "bus": "bus", "underground": "underground", "black": "black ticket", "ferry": "ferry"}
_TICKETS = {"taxi": "a taxi", "bus": "a bus", "underground": "the underground", "black": "a black ticket"}

line = _by_role("by", _LINES)
"""What a pawn goes by, behind the word "by": `taxi`, or `black ticket`."""

line_name = _by_role("line", _LINES)
"""The name of a line without a word before it, as in `taxi to 46`."""

ticket_name = _by_role(
    "ticket", {"taxi": "taxi", "bus": "bus", "underground": "underground", "black": "black", "double": "double"}
)
"""The name of a ticket or a card in a list of them: `taxi`, or `black`."""

taken = _by_role("took", _TICKETS)
"""A ticket that somebody took: `a taxi`, or `the underground`."""

logged = _by_role("in the log", _TICKETS)
"""A ticket in the travel log, where nobody is said to have taken it: `a taxi`, or `the underground`."""

used = _by_role("with", _TICKETS)
"""A ticket behind the word "with": `a taxi`, or `the underground`."""

service = _by_role("for", {"taxi": "a taxi", "bus": "a bus", "underground": "the underground", "ferry": "the ferry"})
"""What a black ticket was paid for, behind the word "for": `a taxi`, or `the ferry`."""

card = _by_role("card", {
    "taxi": "taxi ticket", "bus": "bus ticket", "underground": "underground ticket", "black": "black ticket",
    "double": "double move",
})  # fmt: skip
"""One ticket or card of a kind: `taxi ticket`, `black ticket`, or `double move`."""

_pawn = _by_role(
    "pawn", {"mr_x": "Mr. X", "red": "Red", "yellow": "Yellow", "green": "Green", "blue": "Blue", "purple": "Purple"}
)


def pawn_name(pawn: str) -> str:
    """Return `Red`, or `Mr. X`; nothing for no pawn."""
    return _pawn(pawn) if pawn else ""


def pawn_names(pawns: Sequence[str]) -> str:
    """Return `Red and Green`."""
    return join([pawn_name(pawn) for pawn in pawns])


def typed(notation: str) -> str:
    """Return a move, or what stands behind a command, as its reader would type it: `purple taxi 46`, `lila taxi 46`."""
    return " ".join(pgettext("typed", word) if word in _TYPED or word in BY_NAME else word for word in notation.split())


def cards(n: int | None, kind: str) -> str:
    """Return some tickets or cards of a kind: `one taxi ticket`, `two double moves`, `any number of bus tickets`."""
    match kind:
        case "taxi":
            return counted(n, "one taxi ticket", "{n} taxi tickets")
        case "bus":
            return counted(n, "one bus ticket", "{n} bus tickets")
        case "underground":
            return counted(n, "one underground ticket", "{n} underground tickets")
        case "black":
            return counted(n, "one black ticket", "{n} black tickets")
        case _:
            return counted(n, "one double move", "{n} double moves")


def number(n: int | None) -> str:
    """Return a number up to twelve as a word, a larger one in digits; `any number of` for None, which is no limit."""
    if n is None:
        return gettext("any number of")
    return pgettext("number", _NUMBERS[n]) if 0 <= n < len(_NUMBERS) else str(n)


def join(words: Sequence[str], last: str = "and") -> str:
    """Return `a`, `a and b`, or `a, b and c`; `words` holds one at least. `last` is "and" or "or"."""
    if len(words) == 1:
        return words[0]
    first = ", ".join(words[:-1])
    if last == "or":
        return pgettext("join", "{first} or {last}", first=first, last=words[-1])
    return pgettext("join", "{first} and {last}", first=first, last=words[-1])


def either(words: Iterable[str]) -> str:
    """Return `a`, `a or b`, or `a or b or c`; nothing for none."""
    return reduce(lambda first, last: join([first, last], "or"), list(words) or [""])


def counted(n: int | None, one: str, many: str) -> str:
    """Return some things in words; `counted(2, "one move", "{n} moves")` is `two moves`.

    The two forms are extracted for the catalogues. Without a limit it is `any number of moves`.
    """
    return ngettext(one, many, 2 if n is None else n, n=number(n))


def quoted(text: object) -> str:
    """Return what somebody wrote in quotation marks: `'Ada'`."""
    return repr(text) if current() == ENGLISH else in_marks(text)


def in_marks(words: object) -> str:
    """Return words in the quotation marks of the language."""
    return gettext('"{words}"', words=words)


def marks() -> tuple[str, str]:
    """Return the quotation marks of the language, the opening one and the closing one."""
    opening, _, closing = gettext('"{words}"').partition("{words}")
    return opening, closing


def percent(share: float) -> str:
    """Return a share as `41 %`; what is nearly nothing or nearly all as `under 1 %` or `over 99 %`."""
    if share < 0.01:
        return gettext("under 1 %")
    return f"{round(100 * share)} %" if share < 0.995 or share >= 1 else gettext("over 99 %")
