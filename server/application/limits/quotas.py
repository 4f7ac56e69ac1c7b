"""The quotas: how much somebody may have done within a time, for all purposes.

What is proven, such as an account, a code, or mail that is authentic, has limits of its own, which `check` counts and
which no stranger can touch. Strangers share what `QUOTAS` has for them by the networks or domains they come from, see
`server.application.limits.fair_shares`. The table holds keyed hashes and numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network

from sqlalchemy import bindparam, case, delete, select, text, update

from server.application.limits.fair_shares import (
    Branch,
    Limits,
    Usage,
    Used,
    served_at,
)
from server.models import Base, Quota, add_to, execute, rows, session, table_of
from server.runtime import networks, now, runtime
from server.vocabulary import daily_limits
from server.vocabulary.durations import DAY

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
WIDE_4, WIDE_6 = 16, 32  # bits of a wide network; `networks.network` has those of a narrow one


@dataclass(frozen=True)
class Kind:
    """Something of which strangers may use up so much within a window of time, one window after the other."""

    purpose: str
    limits: Limits
    window: timedelta = DAY

    def begin(self, at: datetime) -> datetime:
        """Return when the window began that `at` is in."""
        return at - (at - EPOCH) % self.window


# Codes by mail, for people who prove with them that an address is theirs.
CODES = Kind("codes", Limits(plenty=200, most=30, pace=timedelta(seconds=30)))
# Codes that guests ask for at the table of a host with an address: of each host, the seats of each game two.
TABLES = Kind("tables", Limits(plenty=200, most=2, least=0), 30 * DAY)
# Wrong digits that are looked at for one address of an account.
DIGITS = Kind("digits", Limits(plenty=10**9, most=5))
# Answers to mails that name a player in From and do not prove it, for each player.
CLAIMS = Kind("claims", Limits(plenty=10, most=10, least=3))
# Answers to people without an account, whose domain is proven.
STRANGERS = Kind("strangers", Limits(plenty=200, least=30))
# Mails to postmaster and abuse that are passed on to the operator.
POSTMASTER = Kind("postmaster", Limits(plenty=20, most=10))
# Bytes of mails to other addresses than reply addresses: those that wait, and those that are kept.
BYTES = Kind("bytes", Limits(plenty=8_000_000, least=0))
# Bytes of mails to the reply addresses of a seat, for each seat by itself.
SEAT_BYTES = Kind("seat-bytes", Limits(plenty=5_000_000, least=0))
# Milliseconds in which mails to other addresses are read. A wide branch that has had so many is read after all others.
READING = Kind("reading", Limits(plenty=60_000), timedelta(hours=1))
KINDS = (CODES, TABLES, DIGITS, CLAIMS, STRANGERS, POSTMASTER, BYTES, SEAT_BYTES, READING)


# What is proven ----------------------------------------------------------------------------------


def check(
    times: Sequence[datetime], most: int, sentence: str = "Enough mails were asked for today", more: int = 1
) -> None:
    """Raise `Problem` too-many with `sentence` if something done at these `times` may not be done `more` times now."""
    daily_limits.check(times, most, now(), f"{sentence}; try again later.", more)


def lock_table(table: type[Base]) -> None:
    """Lock the table, so that only one process counts its rows at a time; SQLite has one writer anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text(f"LOCK TABLE {table.__tablename__} IN EXCLUSIVE MODE"))


# Strangers -----------------------------------------------------------------------------------------


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


def next_time(kind: Kind, branch: Branch, amount: int = 1, whose: str = "") -> datetime | None:
    """Return None if a stranger may use up `amount` more of what there is for `whose`, or when they may."""
    again, *_ = _look(kind, _keys(branch, whose), amount, now())
    return again


def use_up(
    kind: Kind,
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
    again, usage = _look(kind, keys, amount, at)
    if again is not None and not in_any_case:
        return again
    new = (not usage.wide.amount, not usage.narrow.amount, False)
    row = {"purpose": kind.purpose, "begin": kind.begin(at), "amount": amount, "newest": at}
    _add([row | {"branch": key, "branches": int(is_new)} for key, is_new in zip(keys, new, strict=True)])
    return None


def record_use(kind: Kind, branch: Branch, amount: int) -> None:
    """Note that a wide branch has used up `amount`, whatever it may."""
    row = {"purpose": kind.purpose, "begin": kind.begin(now()), "branch": branch.wide, "amount": amount}
    _add([row | {"branches": 0, "newest": now()}])


def refund(kind: Kind, branch: Branch, amount: int, at: datetime) -> None:
    """Refund an `amount` that was used up at a time; a branch that has nothing left does not count as one any more."""
    begin, keys = kind.begin(at), _keys(branch, "")
    usage = _usage(kind, begin, keys)
    fewer = (0 < usage.wide.amount <= amount, 0 < usage.narrow.amount <= amount, False)
    row = {"purpose_": kind.purpose, "begin_": begin}
    changed = [
        row | {"branch_": key, "less": amount, "fewer": int(is_gone)} for key, is_gone in zip(keys, fewer, strict=True)
    ]
    execute(_REFUND, [*sorted(changed, key=lambda change: str(change["branch_"]))])
    execute(_DELETE_EMPTY, [row | {"branch_": key} for key in sorted(branch)])


def forget_old() -> None:
    """Delete the counts of windows that are over."""
    for kind in KINDS:
        execute(delete(Quota).where(Quota.purpose == kind.purpose, Quota.begin < kind.begin(now()) - kind.window))


def _mark(words: str) -> str:
    return runtime().keyring.fingerprint(b"quota\0" + words.encode(errors="replace"))


def _keys(branch: Branch, whose: str) -> tuple[str, str, str]:
    """Return the names of the rows of all strangers, of the wide branch and of the narrow one."""
    if not whose:
        return "", branch.wide, branch.narrow
    everybody, wide, narrow = (_mark(f"of {whose} {part}") for part in ("", *branch))
    return everybody, wide, narrow


_GET = (
    select(Quota.branch, Quota.amount, Quota.branches, Quota.newest)
    .where(
        Quota.purpose == bindparam("purpose"),
        Quota.begin == bindparam("begin"),
        Quota.branch.in_((bindparam("all"), bindparam("wide"), bindparam("narrow"))),
    )
    .order_by(Quota.branch)  # so that two processes that lock the rows do not wait for each other
    .with_for_update()
)
_LESS = Quota.amount - bindparam("less")
_ONE = (
    Quota.purpose == bindparam("purpose_"), Quota.begin == bindparam("begin_"), Quota.branch == bindparam("branch_")
)  # fmt: skip
_REFUND = update(Quota).where(*_ONE).values(
    amount=case((_LESS > 0, _LESS), else_=0), branches=Quota.branches - bindparam("fewer")
)  # fmt: skip
_DELETE_EMPTY = delete(Quota).where(*_ONE, Quota.amount == 0)


def _look(kind: Kind, keys: tuple[str, str, str], amount: int, at: datetime) -> tuple[datetime | None, Usage]:
    """Return what `next_time` does, seen from a time, and what was used up by then; lock the rows of that."""
    begin = kind.begin(at)
    usage = _usage(kind, begin, keys)
    again = served_at(usage, amount, kind.limits, at, begin + kind.window)
    return again if again > at else None, usage


def _usage(kind: Kind, begin: datetime, keys: tuple[str, str, str]) -> Usage:
    everybody, wide, narrow = keys
    counts = rows(_GET, purpose=kind.purpose, begin=begin, all=everybody, wide=wide, narrow=narrow)
    used = {row.branch: Used(row.amount, row.branches, row.newest) for row in counts}
    return Usage(*(used.get(key, Used()) for key in keys))


def _add(added: list[dict[str, object]]) -> None:
    add_to(table_of(Quota), added, "amount", "branches")
