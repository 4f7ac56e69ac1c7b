"""Pawns, tickets, numbers and lists in words, in the language of the reader."""

from collections.abc import Iterable, Sequence
from functools import reduce

from server.vocabulary.translation import ENGLISH, current, gettext, ngettext, pgettext, pgettext_noop

# Each is extracted for the catalogues here, with its context: the role that it has in a sentence.
_PAWNS = {
    "mr_x": pgettext_noop("pawn", "Mr. X"),
    "red": pgettext_noop("pawn", "Red"),
    "yellow": pgettext_noop("pawn", "Yellow"),
    "green": pgettext_noop("pawn", "Green"),
    "blue": pgettext_noop("pawn", "Blue"),
    "purple": pgettext_noop("pawn", "Purple"),
}
_LETTERS = {
    "mr_x": pgettext_noop("letter of a pawn", "X"),
    "red": pgettext_noop("letter of a pawn", "R"),
    "yellow": pgettext_noop("letter of a pawn", "Y"),
    "green": pgettext_noop("letter of a pawn", "G"),
    "blue": pgettext_noop("letter of a pawn", "B"),
    "purple": pgettext_noop("letter of a pawn", "P"),
}
_TAKEN = {
    "taxi": pgettext_noop("took", "a taxi"),
    "bus": pgettext_noop("took", "a bus"),
    "underground": pgettext_noop("took", "the underground"),
    "black": pgettext_noop("took", "a black ticket"),
}
_WITH = {
    "taxi": pgettext_noop("with", "a taxi"),
    "bus": pgettext_noop("with", "a bus"),
    "underground": pgettext_noop("with", "the underground"),
    "black": pgettext_noop("with", "a black ticket"),
}
_SERVICES = {  # for which a black ticket is paid
    "taxi": pgettext_noop("for", "a taxi"),
    "bus": pgettext_noop("for", "a bus"),
    "underground": pgettext_noop("for", "the underground"),
    "ferry": pgettext_noop("for", "the ferry"),
}
_BY = {
    "taxi": pgettext_noop("by", "taxi"),
    "bus": pgettext_noop("by", "bus"),
    "underground": pgettext_noop("by", "underground"),
    "black": pgettext_noop("by", "black ticket"),
    "ferry": pgettext_noop("by", "ferry"),
}
_LINES = {
    "taxi": pgettext_noop("line", "taxi"),
    "bus": pgettext_noop("line", "bus"),
    "underground": pgettext_noop("line", "underground"),
    "black": pgettext_noop("line", "black ticket"),
    "ferry": pgettext_noop("line", "ferry"),
}
_CARDS = {
    "taxi": pgettext_noop("card", "taxi ticket"),
    "bus": pgettext_noop("card", "bus ticket"),
    "underground": pgettext_noop("card", "underground ticket"),
    "black": pgettext_noop("card", "black ticket"),
    "double": pgettext_noop("card", "double move"),
}
_TYPED = {
    "mr_x": pgettext_noop("typed", "mr_x"),
    "red": pgettext_noop("typed", "red"),
    "yellow": pgettext_noop("typed", "yellow"),
    "green": pgettext_noop("typed", "green"),
    "blue": pgettext_noop("typed", "blue"),
    "purple": pgettext_noop("typed", "purple"),
    "taxi": pgettext_noop("typed", "taxi"),
    "bus": pgettext_noop("typed", "bus"),
    "underground": pgettext_noop("typed", "underground"),
    "black": pgettext_noop("typed", "black"),
    "double": pgettext_noop("typed", "double"),
    "surface": pgettext_noop("typed", "surface"),
    "NN": pgettext_noop("typed", "NN"),
    "or": pgettext_noop("typed", "or"),
    "else": pgettext_noop("typed", "else"),
}
_NUMBERS = (
    pgettext_noop("number", "no"),
    pgettext_noop("number", "one"),
    pgettext_noop("number", "two"),
    pgettext_noop("number", "three"),
    pgettext_noop("number", "four"),
    pgettext_noop("number", "five"),
    pgettext_noop("number", "six"),
    pgettext_noop("number", "seven"),
    pgettext_noop("number", "eight"),
    pgettext_noop("number", "nine"),
    pgettext_noop("number", "ten"),
    pgettext_noop("number", "eleven"),
    pgettext_noop("number", "twelve"),
)


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
    return " ".join(pgettext("typed", _TYPED[word]) if word in _TYPED else word for word in notation.split())


def line(ticket: str) -> str:
    """Return what a pawn goes by, behind the word "by": `taxi`, or `black ticket`."""
    return pgettext("by", _BY[ticket])


def line_name(ticket: str) -> str:
    """Return the name of a line where it stands by itself, as in `taxi to 46`."""
    return pgettext("line", _LINES[ticket])


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
