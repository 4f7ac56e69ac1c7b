"""The quotas: what strangers have used up of each `SharedLimit` of `server.vocabulary.limits`.

They share it by the networks or domains they come from, see `served_at`. The table holds keyed hashes and numbers.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from sqlalchemy import ColumnElement, case, delete, select, text, update

from server.models import Base, Quota, add_to, execute, rows, session, table_of
from server.runtime import networks, now, runtime
from server.vocabulary.limits import COUNTED, SharedLimit

# Fair shares of what strangers may use up: when one of them is served, and who makes room.
#
# A stranger is known by a branch of a tree: a wide one, such as a provider, and a narrow one in it, such as a customer.
# Nobody waits while there is plenty for all. When there is not, a branch that has had less than its fair share goes on;
# one that has had more waits. So those who take the most pay, and no total refuses everybody.


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


WIDE_4, WIDE_6 = 16, 32  # bits of a wide network; `networks.network` has those of a narrow one


def lock_table(table: type[Base]) -> None:
    """Lock the table, so that only one process counts its rows at a time; SQLite has one writer anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text(f"LOCK TABLE {table.__tablename__} IN EXCLUSIVE MODE"))


def of_network(network: str) -> Branch:
    """Return the branch of a network, as `networks.network` names it."""
    narrow = ip_network(network)
    wide = narrow.supernet(new_prefix=WIDE_4 if narrow.version == 4 else WIDE_6)
    return Branch(_mark(f"network {wide}"), _mark(f"network {narrow}"))


def of_domain(address: str) -> Branch:
    """Return the branch of the domain of a mail address; that of an empty envelope sender is one of its own."""
    domain = address.rpartition("@")[2].strip("<> .").lower()
    return Branch(_mark(f"provider {'.'.join(domain.split('.')[-2:])}"), _mark(f"domain {domain}"))


def of_mail(peer: str | None, sender: str) -> Branch:
    """Return the branch of a mail: the network of the peer, or the domain of the envelope sender.

    Behind a relay, at a provider and in a mailbox the peer is the same for everybody, or not known.
    """
    sees_peers = runtime().settings.authserv_id is None
    if peer and sees_peers and ip_address(peer).is_global:
        return of_network(networks.network(peer))
    return of_domain(sender)


def of_answer(mail_id: str) -> Branch:
    """Return the branch of mails to the address of one mail of ours, such as bounces: one among all of them."""
    return Branch(_mark("answer"), _mark(f"answer {mail_id}"))


def of_seat(game_id: str, seat: int) -> Branch:
    """Return the branch of mails to the reply addresses of a seat."""
    return Branch(_mark(f"game {game_id}"), _mark(f"seat {game_id} {seat}"))


def of_address(mark: str) -> Branch:
    """Return the branch of what is asked about the mail address with this mark."""
    return Branch(_mark("address"), _mark(f"address {mark}"))


def next_time(limit: SharedLimit, branch: Branch, amount: int = 1, whose: str = "") -> datetime | None:
    """Return None if a stranger may use up `amount` more of what there is for `whose`, or when they may."""
    again, *_ = _look(limit, _keys(branch, whose), amount, now())
    return again


def use_up(
    limit: SharedLimit,
    branch: Branch,
    amount: int = 1,
    whose: str = "",
    *,
    at: datetime | None = None,
    in_any_case: bool = False,
) -> datetime | None:
    """Use up `amount`, in the transaction under way, and return None; or return when to try again.

    Args:
        at: the time that it counts for, if that is not now; `refund` takes the same one.
        in_any_case: use it up even if it is more than the stranger may.
    """
    at, keys = at or now(), _keys(branch, whose)
    again, usage = _look(limit, keys, amount, at)
    if again is not None and not in_any_case:
        return again
    new = (not usage.wide.amount, not usage.narrow.amount, False)
    row = {"purpose": limit.what, "begin": limit.begin(at), "amount": amount, "newest": at}
    _add([row | {"branch": key, "branches": int(is_new)} for key, is_new in zip(keys, new, strict=True)])
    return None


def record_use(limit: SharedLimit, branch: Branch, amount: int) -> None:
    """Note that a wide branch has used up `amount`, whatever it may."""
    row = {"purpose": limit.what, "begin": limit.begin(now()), "branch": branch.wide, "amount": amount}
    _add([row | {"branches": 0, "newest": now()}])


def refund(limit: SharedLimit, branch: Branch, amount: int, at: datetime) -> None:
    """Refund an `amount` that was used up at a time; a branch that has nothing left does not count as one any more."""
    begin, keys = limit.begin(at), _keys(branch, "")
    usage = _usage(limit, begin, keys)
    fewer = (0 < usage.wide.amount <= amount, 0 < usage.narrow.amount <= amount, False)
    left = case((Quota.amount > amount, Quota.amount - amount), else_=0)
    for key, is_gone in sorted(zip(keys, fewer, strict=True)):
        of_key = update(Quota).where(*_within(limit, begin, [key]))
        execute(of_key.values(amount=left, branches=Quota.branches - int(is_gone)))
    execute(delete(Quota).where(*_within(limit, begin, branch), Quota.amount == 0))


def forget_old() -> None:
    """Delete the counts of windows that are over."""
    for limit in COUNTED:
        execute(delete(Quota).where(Quota.purpose == limit.what, Quota.begin < limit.begin(now()) - limit.window))


def _mark(words: str) -> str:
    return runtime().keyring.fingerprint(b"quota\0" + words.encode(errors="replace"))


def _keys(branch: Branch, whose: str) -> tuple[str, str, str]:
    """Return the names of the rows of all strangers, of the wide branch and of the narrow one."""
    if not whose:
        return "", branch.wide, branch.narrow
    everybody, wide, narrow = (_mark(f"of {whose} {part}") for part in ("", *branch))
    return everybody, wide, narrow


def _look(limit: SharedLimit, keys: tuple[str, str, str], amount: int, at: datetime) -> tuple[datetime | None, Usage]:
    """Return what `next_time` does, seen from a time, and what was used up by then; lock the rows of that."""
    begin = limit.begin(at)
    usage = _usage(limit, begin, keys)
    again = served_at(usage, amount, limit, at, begin + limit.window)
    return again if again > at else None, usage


def _usage(limit: SharedLimit, begin: datetime, keys: tuple[str, str, str]) -> Usage:
    query = select(Quota.branch, Quota.amount, Quota.branches, Quota.newest).where(*_within(limit, begin, keys))
    counts = rows(query.order_by(Quota.branch).with_for_update())  # so that no two processes wait for each other
    used = {row.branch: Used(row.amount, row.branches, row.newest) for row in counts}
    return Usage(*(used.get(key, Used()) for key in keys))


def _within(limit: SharedLimit, begin: datetime, keys: Collection[str]) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on the rows of these names, of the window that began then."""
    return Quota.purpose == limit.what, Quota.begin == begin, Quota.branch.in_(keys)


def _add(added: list[dict[str, object]]) -> None:
    add_to(table_of(Quota), added, "amount", "branches")
