"""Pawns, tickets, numbers and lists in words."""

from collections.abc import Sequence

TICKET_NAMES = {"taxi": "a taxi", "bus": "a bus", "underground": "the underground", "black": "a black ticket"}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def pawn_name(pawn: str) -> str:
    """Return `Red`, or `Mr. X`."""
    return "Mr. X" if pawn == "mr_x" else pawn.capitalize()


def pawn_names(pawns: Sequence[str]) -> str:
    """Return `Red and Green`."""
    return join([pawn_name(pawn) for pawn in pawns])


def line(ticket: str) -> str:
    """Return what a pawn goes by: `taxi`, or `black ticket`."""
    return "black ticket" if ticket == "black" else ticket


def card(kind: str) -> str:
    """Return one ticket or card of a kind: `taxi ticket`, `black ticket`, or `double move`."""
    return "double move" if kind == "double" else f"{kind} ticket"


def number(n: int | None) -> str:
    """Return a number up to twelve as a word, a larger one in digits; `any number of` for None, which is no limit."""
    if n is None:
        return "any number of"
    return _NUMBERS[n] if 0 <= n < len(_NUMBERS) else str(n)


def join(words: Sequence[str], last: str = "and") -> str:
    """Return `a`, `a and b`, or `a, b and c`; `words` holds one at least."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def count(n: int | None, noun: str) -> str:
    """Return `one ticket`, `two tickets`, or `any number of tickets`."""
    return f"{number(n)} {noun}{'s' * (n != 1)}"


def percent(share: float) -> str:
    """Return a share as `41 %`; what is nearly nothing or nearly all as `under 1 %` or `over 99 %`."""
    if share < 0.01:
        return "under 1 %"
    return f"{round(100 * share)} %" if share < 0.995 or share >= 1 else "over 99 %"
