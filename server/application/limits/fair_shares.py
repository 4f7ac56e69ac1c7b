"""Fair shares of what strangers may use up: when one of them is served, and who makes room.

A stranger is known by a branch of a tree: a wide one, such as a provider, and a narrow one in it, such as a customer.
Nobody waits while there is plenty for all. When there is not, a branch that has had less than its fair share goes on;
one that has had more waits. So those who take the most pay, and no total refuses everybody.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from server.vocabulary.limits import SharedLimit


class Branch(NamedTuple):
    """The place a stranger comes from: keyed hashes of a wide network and of a narrow one in it, or of two domains."""

    wide: str
    narrow: str


class Used(NamedTuple):
    """The amount that a part of the tree has used up, the number of branches in it that did, and when one last did."""

    amount: int = 0
    branches: int = 0
    newest: datetime | None = None


class Usage(NamedTuple):
    """The use of all strangers together, and of the wide and the narrow branch of the one who asks for more."""

    all: Used = Used()
    wide: Used = Used()
    narrow: Used = Used()


def served_at(usage: Usage, amount: int, limit: SharedLimit, at: datetime, end: datetime) -> datetime:
    """Return when the branch may use up `amount` more: `at`, which is now, or later; `end` is that of the window."""
    if usage.narrow.amount + amount > limit.most:
        return end
    if usage.all.amount + amount <= limit.plenty or _is_in_share(usage, amount, limit):
        return at
    if limit.pace is None or usage.wide.newest is None:
        return end
    return min(end, max(at, usage.wide.newest + limit.pace * usage.all.branches))


def share(limit: SharedLimit, branches: int) -> int:
    """Return the fair share of a wide branch, one of `branches`."""
    return max(limit.least, limit.plenty // max(1, branches))


def _is_in_share(usage: Usage, amount: int, limit: SharedLimit) -> bool:
    """Return True if the wide branch stays within its fair share, or the narrow one within its share of that."""
    own = share(limit, usage.all.branches + (not usage.wide.amount))
    if usage.wide.amount + amount <= own:
        return True
    return usage.narrow.amount + amount <= own // (usage.wide.branches + (not usage.narrow.amount))


def who_pays(
    held: Mapping[Branch, int], newcomer: Branch, limit: SharedLimit, can_pay: Collection[Branch]
) -> Branch | None:
    """Return the narrow branch that makes room for a newcomer; None if there is room, or nobody has more than they do.

    It is the largest in the largest wide branch, if that is over its share. A newcomer whose own wide branch has had
    its share gets room from a larger one beside them.

    Args:
        held: the amounts that are held now, and not used up within a window.
        can_pay: the branches that have something which may go.
    """
    wide = _of_wide(held)
    if sum(wide.values()) < limit.plenty:
        return None
    own = share(limit, len(wide.keys() | {newcomer.wide}))
    payers = {branch.wide for branch in can_pay}
    largest = max(payers, key=lambda one: (wide[one], one), default=newcomer.wide)
    if wide[largest] <= own:
        largest = newcomer.wide
        if wide[largest] < own:
            return None
    least = held.get(newcomer, 0) if largest == newcomer.wide else 0
    there = [branch for branch in can_pay if branch.wide == largest and held[branch] > least]
    return max(there, key=lambda branch: (held[branch], branch), default=None)


def usage_of(held: Mapping[Branch, int], branch: Branch) -> Usage:
    """Return the usage of a branch where amounts are held now."""
    wide = _of_wide(held)
    narrow = sum(1 for other in held if other.wide == branch.wide)
    return Usage(Used(sum(wide.values()), len(wide)), Used(wide[branch.wide], narrow), Used(held.get(branch, 0)))


def _of_wide(held: Mapping[Branch, int]) -> Counter[str]:
    wide: Counter[str] = Counter()
    for branch, amount in held.items():
        wide[branch.wide] += amount
    return wide
