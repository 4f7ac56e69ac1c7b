"""The limits on how often the server answers the mails of one author.

A person's own words are always answered; the limits stop machines. The same words without a command, one mail after the
other, are answered once an hour, and the same command some times a minute. When they come within a minute of each other
twice, a machine writes them, and they get no answer for a day. Long quotes and numbers make no difference. Answers to
an author who is proven, by a reply address or by sender authentication, become slow after `PROMPT_ANSWERS`, and
after `ANSWERS` of a day they go on the next day, unless the operator sends them. At a reply address somebody else gets
`UNPROVEN_ANSWERS` a day. At the play address anybody can write in a player's name, so those who do share what is
answered there, by where their mails come from (`CLAIMS`). A stranger, who has no account, gets one answer a day.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, func, select

from server.application.limits import quotas
from server.application.limits.quotas import Branch
from server.models import MailAnswer, execute, insert, session, transaction
from server.runtime import now, runtime
from server.runtime.address_marks import address_mark
from server.vocabulary import limits
from server.vocabulary.durations import DAY
from server.vocabulary.limits import HOUR, MINUTE

PROVEN, UNPROVEN, CLAIMED, STRANGER, ALIKE = "proven", "unproven", "claimed", "stranger", "alike"
_OF_MACHINES = re.compile(r"\".{40,}\"|#\d+|\d{4,}|\d{1,2}(?:[:./-]\d{1,2}){1,2}")
PAUSE = HOUR / limits.PROMPT_ANSWERS.most  # between two answers after these
KEPT = 14 * DAY  # how long a later mail may refer to an answer


class Given(NamedTuple):
    """An answer that was given: columns of `server.models.MailAnswer`."""

    kind: str
    words: str | None
    send_at: datetime
    created_at: datetime


def schedule(
    whom: str,
    *,
    is_proven: bool,
    branch: Branch | None = None,
    is_urgent: bool = False,
    words: str | None = None,
    is_understood: bool = False,
    kept: Mapping[str, object] | None = None,
) -> datetime | None:
    """Count one more answer, and return when it is to be sent; None if there is to be none.

    Args:
        whom: the id of the player, or the `address_mark` of somebody without an account.
        branch: where the mail comes from, unless it came to a reply address.
        is_urgent: moves, STATUS, HELP, a question of ours and the answer to it, which a proven author hears of at once.
        words: what the mail said, if it may be a machine's; `is_understood`: it held a command.
        kept: what a later mail may refer to, see `newest_kept`.
    """
    said = None if words is None else _words_mark(words)
    at, is_held, kind = now(), False, PROVEN
    if not is_proven and branch is not None:
        kind = CLAIMED
        if quotas.use_up(limits.CLAIMS, branch, whose=whom):
            return None
    elif not is_proven:
        kind = UNPROVEN
        recent = _recent(whom)
        if is_spent(whom, None) or (said and _is_of_machine(whom, said, recent, kind, is_understood=is_understood)):
            return None
    elif said is not None or not is_urgent:
        recent = _recent(whom)
        if said is not None and _is_of_machine(whom, said, recent, kind, is_understood=is_understood):
            return None
        if not is_urgent:
            at, is_held = send_at([row for row in recent if row.kind == PROVEN], now())
    _count(kind, whom, at, is_held=is_held, words=said, kept=kept)
    return at


def _is_of_machine(whom: str, said: str, recent: Sequence[Given], kind: str, *, is_understood: bool) -> bool:
    """Return True if a mail gets no answer, as too many with the same words came before it; note a burst of them.

    Only mails of its own `kind` count: what others write in somebody's name takes nothing from them.
    """
    recent = [row for row in recent if row.kind in (kind, ALIKE)]
    alike = [row for row in recent if row.words == said]
    bursts = [row.kind for row in alike].count(ALIKE)
    if bursts >= limits.BURSTS.most or (not is_understood and len(alike) - bursts >= limits.EQUAL_MAILS.most):
        return True
    before = alike if is_understood else [row for row in recent[-1:] if row.words == said]
    within = [row for row in before if row.created_at > now() - (MINUTE if is_understood else HOUR)]
    is_repeated = len(within) >= (limits.EQUAL_COMMANDS.most if is_understood else 1)
    if is_repeated and within[-1].created_at > now() - MINUTE:
        _count(ALIKE, whom, now(), words=said)
    return is_repeated


def is_spent(whom: str, branch: Branch | None) -> bool:
    """Return True if nobody there who claims to be this author, and does not prove it, is answered any more today."""
    if branch is None:
        times = [row.created_at for row in _recent(whom) if row.kind == UNPROVEN]
        return limits.UNPROVEN_ANSWERS.again_at(times) is not None
    return quotas.next_time(limits.CLAIMS, branch, whose=whom) is not None


def send_at(recent: Sequence[Given], at: datetime) -> tuple[datetime, bool]:
    """Return when the next answer to a proven author goes out, and whether it is held until another day.

    `recent` are the answers of the last day, the oldest first, each with `created_at` and `send_at`.
    """
    in_hour = [row for row in recent if row.created_at > at - HOUR]
    is_prompt = len(in_hour) < limits.PROMPT_ANSWERS.most
    when = at if is_prompt else max(at, max(row.send_at for row in in_hour) + PAUSE)
    again = limits.ANSWERS.again_at([row.send_at for row in recent])
    return (when, False) if again is None else (max(when, again), True)


def is_last_prompt(whom: str) -> bool:
    """Return True if the answer just counted is the last to a proven author that goes out at once within the hour."""
    recent = [row for row in _recent(whom) if row.kind == PROVEN and row.created_at > now() - HOUR]
    return len(recent) == limits.PROMPT_ANSWERS.most


def schedule_for_stranger(email: str, kept: Mapping[str, object] | None = None) -> str | None:
    """Count the answer of the day to the owner of an address, and return its id; None if there is to be none."""
    with transaction():
        quotas.lock_table(MailAnswer)
        whom = address_mark(email)
        if limits.STRANGERS_ANSWERS.again_at([row.created_at for row in _recent(whom) if row.kind == STRANGER]):
            return None
        if quotas.use_up(limits.STRANGERS, quotas.of_domain(email)):
            return None
        return _count(STRANGER, whom, now(), kept=kept)


def newest_kept(whom: str, name: str) -> Any:
    """Return what was kept under `name` with the newest answer to this author that has it; None if there is none."""
    query = select(MailAnswer.kept).where(MailAnswer.whom == whom, MailAnswer.created_at > now() - KEPT)
    found = session.scalars(query.where(MailAnswer.kept.is_not(None)).order_by(MailAnswer.created_at.desc()))
    return next((kept[name] for kept in found if kept and name in kept), None)


def held() -> int:
    """Return how many answers of the last day are held."""
    waits = (MailAnswer.is_held, MailAnswer.created_at > now() - DAY, MailAnswer.send_at > now())
    return session.scalar(select(func.count()).select_from(MailAnswer).where(*waits)) or 0


def forget_old() -> None:
    """Delete what is not counted any more, and what no mail refers to any more."""
    is_over = (MailAnswer.created_at <= now() - DAY) & MailAnswer.kept.is_(None)
    is_over |= MailAnswer.created_at <= now() - KEPT
    with transaction():
        for kind in (PROVEN, UNPROVEN, CLAIMED, STRANGER, ALIKE):  # so that an index finds them
            gone = delete(MailAnswer).where(MailAnswer.kind == kind, is_over, MailAnswer.created_at <= now() - DAY)
            execute(gone)


def _recent(whom: str) -> list[Given]:
    """Return the answers to an author within a day, the oldest first."""
    columns = (MailAnswer.kind, MailAnswer.words, MailAnswer.send_at, MailAnswer.created_at)
    query = select(*columns).where(MailAnswer.whom == whom, MailAnswer.created_at > now() - DAY)
    found = session.execute(query.order_by(MailAnswer.created_at, MailAnswer.send_at))
    return [Given(*row) for row in found]


def _count(kind: str, whom: str, at: datetime, **more: object) -> str:
    row = {"words": None, "kept": None, "is_held": False, **more}
    made = runtime().new_id("mail answer")
    execute(insert(MailAnswer), row | {"id": made, "kind": kind, "whom": whom, "send_at": at, "created_at": now()})
    return made


def _words_mark(words: str) -> str:
    """Return a keyed hash of words without the numbers, dates, times and long quotes that machines put into mails."""
    plain = _OF_MACHINES.sub("#", " ".join(words.casefold().split()))
    return runtime().keyring.fingerprint(b"words\0" + plain.encode(errors="replace"))
