"""How often a caller may ask. Counted in the database for all processes at once, and mostly spent from memory.

Time is cut into windows, and ten of them are an epoch. With a caller's first request in an epoch a process takes a
twentieth of his rate for itself, in every window of the epoch; where that is not enough it takes as much again for one
window. Together they never take more than the rate, so never more is let through; and who asks seldom costs one
write in an epoch.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError, OperationalError

from server.application.errors import Problem
from server.models import Allowance, session, transaction
from server.runtime import now, runtime
from server.settings import Rate

WINDOWS = 10  # of an epoch
PARTS = 20  # of a rate


@dataclass(frozen=True)
class Standing:
    """How a caller stands: `remaining` requests of `rate`, for `seconds` more. `kind` is player or address."""

    kind: str
    rate: Rate
    remaining: int
    seconds: int


def spend(kind: str, name: str) -> Standing | None:
    """Count one request of a caller; how he stands then, with less than nothing left if it was one too many.

    None where there is no limit.
    """
    rate = runtime().settings.rate_limit
    if rate is None:
        return None
    at = _At.now(rate)
    left = _spend(f"{kind} {name}", at, rate)
    return Standing(kind, rate, left, at.seconds_left)


def check(standing: Standing | None) -> None:
    """`Problem` too-many when the last request was one too many."""
    if standing is not None and standing.remaining < 0:
        who = "with your tokens" if standing.kind == "player" else "from your address without a valid token"
        raise Problem(
            "too-many",
            f"More than {standing.rate.most} requests came {who} within a short time; go on in {standing.seconds} s.",
            retry_after=standing.seconds,
        )


def is_spent(kind: str, name: str) -> bool:
    """Whether a caller has nothing left, as far as this process knows."""
    rate = runtime().settings.rate_limit
    return rate is not None and runtime().shares.is_spent(f"{kind} {name}", _At.now(rate).window)


def forget_old() -> None:
    """What was taken in epochs that are over."""
    rate = runtime().settings.rate_limit
    if rate is not None:
        with transaction():
            session.execute(delete(Allowance).where(Allowance.epoch_at <= now() - WINDOWS * rate.window))


@dataclass(frozen=True)
class _At:
    """The window and the epoch it is in, by their numbers, and how many seconds it lasts yet."""

    window: int
    epoch: int
    seconds_left: int

    @staticmethod
    def now(rate: Rate) -> "_At":
        length = int(rate.window.total_seconds())
        seconds = int(now().timestamp())
        window = seconds // length
        return _At(window, window // WINDOWS, (window + 1) * length - seconds)


def _spend(caller: str, at: _At, rate: Rate) -> int:
    shares = runtime().shares
    for _ in range(3):  # another thread may have spent what this one took
        left = shares.spend(caller, at.window, at.epoch, rate.most)
        if left is not None:
            return left
        if shares.is_spent(caller, at.window):
            break
        try:
            _take(caller, at, rate)
        except OperationalError:
            return 0  # who cannot be counted is let through: the database says soon enough what is wrong
    return -1


def _take(caller: str, at: _At, rate: Rate) -> None:
    with suppress(IntegrityError), transaction():  # two that count a new caller at once: the next try finds a row
        row = _row(caller, at, rate)
        free = rate.most - row.standing - row.taken
        share = max(0, min(free, max(1, rate.most // PARTS)))
        standing = not runtime().shares.has_standing(caller, at.epoch)
        if standing:
            row.standing += share
        else:
            row.taken += share
        session.flush()
        runtime().shares.add(caller, at.window, at.epoch, share, free - share, standing=standing)


def _row(caller: str, at: _At, rate: Rate) -> Allowance:
    """What was taken for the caller, with what is over forgotten."""
    length = int(rate.window.total_seconds())
    window, epoch = (datetime.fromtimestamp(n * length, UTC) for n in (at.window, at.epoch * WINDOWS))
    subject = runtime().keyring.fingerprint(b"rate\0" + caller.encode())
    row = session.get(Allowance, subject, with_for_update=True)
    if row is None:
        row = Allowance(subject=subject, window_at=window, epoch_at=epoch, taken=0, standing=0)
        session.add(row)
    if row.epoch_at != epoch:
        row.epoch_at, row.standing = epoch, 0
    if row.window_at != window:
        row.window_at, row.taken = window, 0
    return row
