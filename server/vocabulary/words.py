"""Pawns, tickets, numbers and lists in words, in the language of the reader."""

from collections.abc import Iterable, Sequence
from functools import reduce

from server.vocabulary.translation import ENGLISH, current, gettext, ngettext, pgettext, pgettext_noop

# By the role that they have in a sentence, which is their context.
_PAWNS = pgettext_noop(
    "pawn", {"mr_x": "Mr. X", "red": "Red", "yellow": "Yellow", "green": "Green", "blue": "Blue", "purple": "Purple"}
)
_LETTERS = pgettext_noop(
    "letter of a pawn", {"mr_x": "X", "red": "R", "yellow": "Y", "green": "G", "blue": "B", "purple": "P"}
)
_TICKETS = pgettext_noop("ticket", {"taxi": "taxi", "bus": "bus", "underground": "underground", "black": "black"})
_TAKEN = pgettext_noop(
    "took", {"taxi": "a taxi", "bus": "a bus", "underground": "the underground", "black": "a black ticket"}
)
_WITH = pgettext_noop(
    "with", {"taxi": "a taxi", "bus": "a bus", "underground": "the underground", "black": "a black ticket"}
)
_SERVICES = pgettext_noop(
    "for", {"taxi": "a taxi", "bus": "a bus", "underground": "the underground", "ferry": "the ferry"}
)
_BY = pgettext_noop(
    "by", {"taxi": "taxi", "bus": "bus", "underground": "underground", "black": "black ticket", "ferry": "ferry"}
)
_LINES = pgettext_noop(
    "line", {"taxi": "taxi", "bus": "bus", "underground": "underground", "black": "black ticket", "ferry": "ferry"}
)
_CARDS = pgettext_noop(
    "card",
    {"taxi": "taxi ticket", "bus": "bus ticket", "underground": "underground ticket", "black": "black ticket",
     "double": "double move"},
)  # fmt: skip
_TYPED = pgettext_noop("typed", (
    "mr_x", "red", "yellow", "green", "blue", "purple", "taxi", "bus", "underground", "black", "double", "surface",
    "NN", "or", "else",
))  # fmt: skip
_NUMBERS = pgettext_noop("number", (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
))  # fmt: skip


def pawn_name(pawn: str) -> str:
    """Return `Red`, or `Mr. X`; nothing for no pawn."""
    return pgettext("pawn", _PAWNS[pawn]) if pawn else ""


def pawn_names(pawns: Sequence[str]) -> str:
    """Return `Red and Green`."""
    return join([pawn_name(pawn) for pawn in pawns])


def pawn_letter(pawn: str) -> str:
    """Return the letter that a pawn has on the board; no two pawns have the same."""
    return pgettext("letter of a pawn", _LETTERS[pawn])


def typed(notation: str) -> str:
    """Return a move as its reader would type it: `purple taxi 46`, or `lila taxi 46`."""
    return " ".join(pgettext("typed", word) if word in _TYPED else word for word in notation.split())


def line(ticket: str) -> str:
    """Return what a pawn goes by, behind the word "by": `taxi`, or `black ticket`."""
    return pgettext("by", _BY[ticket])


def line_name(ticket: str) -> str:
    """Return the name of a line without a word before it, as in `taxi to 46`."""
    return pgettext("line", _LINES[ticket])


def ticket_name(ticket: str) -> str:
    """Return the name of a ticket in a list of them: `taxi`, or `black`."""
    return pgettext("ticket", _TICKETS[ticket])


def taken(ticket: str) -> str:
    """Return a ticket that somebody took: `a taxi`, or `the underground`."""
    return pgettext("took", _TAKEN[ticket])


def used(ticket: str) -> str:
    """Return a ticket behind the word "with": `a taxi`, or `the underground`."""
    return pgettext("with", _WITH[ticket])


def service(transport: str) -> str:
    """Return what a black ticket was paid for, behind the word "for": `a taxi`, or `the ferry`."""
    return pgettext("for", _SERVICES[transport])


def card(kind: str) -> str:
    """Return one ticket or card of a kind: `taxi ticket`, `black ticket`, or `double move`."""
    return pgettext("card", _CARDS[kind])


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
    """Return `a`, `a or b`, or `a or b or c`; there is one at least."""
    return reduce(lambda first, last: join([first, last], "or"), words)


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
