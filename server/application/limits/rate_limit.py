"""Limit how often a caller may ask: so many requests in a fixed window of time, counted by each process for itself."""

from dataclasses import dataclass

from server.runtime import now, runtime
from server.settings import Rate
from server.vocabulary.errors import Problem
from server.vocabulary.translation import gettext, gettext_noop

FROM_YOU = gettext_noop("from you")
FROM_NETWORK = gettext_noop("from your network")
_SMALL_IN_ONE = 10  # small requests that count as one; the counts are of small ones


@dataclass(frozen=True)
class Standing:
    """The requests that a caller has left: `remaining` of `rate`, for `seconds` more. `kind` is player or address.

    `remaining` is -1 if the last request was one too many.
    """

    kind: str
    rate: Rate
    remaining: int
    seconds: int


def count(kind: str, name: str, *, is_small: bool = False) -> Standing | None:
    """Count one request of a caller; return their standing after it, or None if there is no limit.

    Of those that are small, such as the questions of a page whether there is news, ten count as one.
    """
    rate = runtime().settings.rate_limit
    if rate is None:
        return None
    window, seconds = _window(rate)
    number = runtime().request_counts.add(f"{kind} {name}", window, 1 if is_small else _SMALL_IN_ONE)
    return Standing(kind, rate, max(-1, (rate.most * _SMALL_IN_ONE - number) // _SMALL_IN_ONE), seconds)


def check(standing: Standing | None, sender: str = "") -> None:
    """Raise `Problem` too-many if the last request was one too many; `sender` as `FROM_YOU`."""
    if standing is not None and standing.remaining < 0:
        own = gettext("with your tokens" if standing.kind == "player" else "from your address without a valid token")
        values = {"most": standing.rate.most, "by": gettext(sender) or own, "seconds": standing.seconds}
        sentence = gettext("More than {most} requests came {by} within a short time; go on in {seconds} s.", **values)
        raise Problem("too-many", sentence, retry_after=standing.seconds)


def is_spent(kind: str, name: str) -> bool:
    """Return whether a caller has no request left in this window."""
    rate = runtime().settings.rate_limit
    if rate is None:
        return False
    number = runtime().request_counts.number(f"{kind} {name}", _window(rate)[0])
    return number + _SMALL_IN_ONE > rate.most * _SMALL_IN_ONE


def _window(rate: Rate) -> tuple[int, int]:
    """Return the number of the window that it is now, and how many seconds of it are left."""
    length = int(rate.window.total_seconds())
    seconds = int(now().timestamp())
    return seconds // length, length - seconds % length
