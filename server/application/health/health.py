"""The health of the server, for its operator: numbers and times, nothing of any game."""

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple, TypedDict
from urllib.parse import urlsplit

from sqlalchemy import or_, select

from server import migrations
from server.application.game import reply_addresses, verification
from server.application.health import machine, metrics, processes
from server.application.health.metrics import oldest, to_minute
from server.application.integrity import key_check
from server.application.mail import arrivals, imap_progress
from server.application.people.accounts import deliverability
from server.application.time import heartbeat, outages
from server.models import (
    ASIDE,
    DEAD,
    NEW,
    PENDING,
    Address,
    Deadline,
    Incoming,
    Outgoing,
    Player,
    at_most,
    journal_mode,
    session,
)
from server.models.base import is_sqlite
from server.models.sqlite import sqlite3
from server.models.statements import in_words
from server.runtime import legal_texts, now, runtime
from server.runtime.address_marks import address_mark
from server.settings import OPERATORS, Settings, is_loopback
from server.vocabulary.durations import rfc3339
from server.vocabulary.mails import mails

OVERDUE = timedelta(hours=1)  # when somebody should look why
# The names of warnings that are advice: nothing is lost while nobody follows it. Any other is a fault.
ADVICE = frozenset({"clock", "clocks", "fonts", "full", "imprint", "operator", "refusal", "strangers", "unread"})
UNTRIED = timedelta(minutes=2)  # after a mail fell due
MISSED = 3  # ticks without a heartbeat, after which no worker runs


class _Embedded(TypedDict, total=False):
    sqlite_version: str
    journal_mode: str


class Overview(_Embedded):
    """The report without what takes long; troubles and warnings are sentences, the latter behind their names."""

    database: str
    revision: str | None
    data_folder: str
    mail_goes_to: str
    mail_comes_in_at: list[str]
    mailboxes: list[imap_progress.MailboxReport]
    mails_to_read: int
    mails_set_aside: int
    mails_to_send: int
    dead_letters: int
    overdue_deadlines: int
    oldest_overdue_deadline: str | None
    oldest_unsent_mail: str | None
    oldest_unread_mail: str | None
    last_tick: str | None
    outages: list[outages.OutageReport]
    troubles: list[str]
    warnings: list[str]


class BrokenGame(TypedDict):
    """A game that is closed to moves: what was found, and the command that rebuilds it, or names the one to end it."""

    game: str
    findings: list[str]
    remedy: str


class Report(Overview):
    """The whole report."""

    broken_games: list[BrokenGame]


class NotReady(Exception):
    """The server cannot store anything; the message is a sentence that anybody may read."""


def report() -> Report:
    """Return the report that `doctor` prints: the overview, and a look at the machine and at every address."""
    facts = overview()
    games: list[BrokenGame] = [
        {"game": game_id, "findings": [sentence], "remedy": f"blackticket verify --rebuild {game_id}"}
        for game_id, sentence in verification.closed_games().items()
    ]
    warnings = [
        *facts["warnings"], *named("worker", _never_ran()), *named("refusal", _refusal()),
        *named("operator-mail", _operator_not_reached()),
        *named("addresses", _who_reads_our_mail(runtime().settings)),
        *(f"{name}: {sentence}" for name, sentence in machine.warnings().items()),
    ]  # fmt: skip
    return {**facts, "warnings": warnings, "broken_games": games}


def named(name: str, sentences: Iterable[str]) -> list[str]:
    """Return warnings with the name before each, by which `doctor` is told to leave them out."""
    return [f"{name}: {sentence}" for sentence in sentences]


def overview() -> Overview:
    """Return the report without what takes long. Of mails and deadlines at most `MOST_COUNTED` are counted."""
    settings = runtime().settings
    embedded = is_sqlite(settings.database_url)
    mailbox = [f"the mailbox {settings.imap_url.name}"] if settings.imap_url else []
    return {
        "database": "SQLite" if embedded else "PostgreSQL",
        "revision": migrations.current(),
        **_embedded(is_used=embedded),
        "data_folder": str(settings.var),
        "mail_goes_to": settings.smtp_url.host if settings.smtp_url else str(settings.var / "mail"),
        "mail_comes_in_at": [*map(str, settings.mail_listen), *mailbox],
        "mailboxes": imap_progress.report(),
        "mails_to_read": at_most(Incoming, Incoming.state == NEW),
        "mails_set_aside": at_most(Incoming, Incoming.state == ASIDE),
        "mails_to_send": at_most(Outgoing, Outgoing.state == PENDING),
        "dead_letters": at_most(Outgoing, Outgoing.state == DEAD),
        "overdue_deadlines": at_most(Deadline, *metrics.overdue()),
        "oldest_overdue_deadline": rfc3339(_oldest_overdue()),
        "oldest_unsent_mail": rfc3339(oldest(Outgoing.created_at, Outgoing.state == PENDING)),
        "oldest_unread_mail": rfc3339(oldest(Incoming.received_at, Incoming.state == NEW)),
        "last_tick": rfc3339(heartbeat.last(heartbeat.TICK)),
        "outages": outages.report(),
        "troubles": [*_wrong_key(), *troubles()],
        "warnings": [
            *named("mailbox", _mailboxes_in_trouble()),
            *named("clocks", processes.wrong_clocks()),
            *named("connections", processes.too_many_connections()),
            *named("settings", processes.other_settings()),
            *named("relay", _no_relay(settings)),
            *named("operator", _no_operator(settings)),
            *named("unread", _lost_mails()),
            *named("full", _full_mailboxes()),
            *named("strangers", _nobody_answered(settings)),
            *named("imprint", [*_no_legal_texts(settings), *_long_legal_texts()]),
        ],
    }


def _embedded(*, is_used: bool) -> _Embedded:
    return {"sqlite_version": sqlite3.sqlite_version, "journal_mode": journal_mode()} if is_used else {}


class ReadinessOfMailbox(TypedDict):
    """A mailbox without its name."""

    read_at: str | None
    error: str | None


class Readiness(TypedDict):
    """The facts of `/readyz`."""

    worker: str
    mailboxes: list[ReadinessOfMailbox]
    last_tick: str | None
    clock_off_seconds: float | None
    deadlines_held: str | None
    oldest_overdue_deadline: str | None
    oldest_unsent_mail: str | None
    dead_letters: int
    oldest_unread_mail: str | None
    mail_not_sent_since: str | None
    troubles: list[str]


def readiness() -> Readiness:
    """Return the facts of `/readyz`, which anybody may ask for: none changes with a player's private actions.

    That a mail waits to be read for more than a minute is a trouble of this machine, whoever wrote the mail, be it a
    stranger. It is told to the minute, so that the moment of a mail is not.

    Raises:
        NotReady: if nothing can be stored, with the reason.
    """
    if (trouble := machine.storage_trouble()) is not None:
        raise NotReady(trouble)
    return {
        "worker": "ticks" if is_ticking() else "does not tick",
        "mailboxes": [{"read_at": box["read_at"], "error": box["error"]} for box in imap_progress.report()],
        "last_tick": rfc3339(heartbeat.last(heartbeat.TICK)),
        "clock_off_seconds": processes.farthest_off(),
        "deadlines_held": outages.why_held(now()),
        "oldest_overdue_deadline": rfc3339(_oldest_overdue()),
        "oldest_unsent_mail": rfc3339(oldest(Outgoing.created_at, *metrics.unsent())),
        "dead_letters": at_most(Outgoing, *metrics.dead()),
        "oldest_unread_mail": rfc3339(_minute(oldest(Incoming.received_at, *metrics.unread()))),
        "mail_not_sent_since": rfc3339(_minute(_not_sent_since())),
        "troubles": [trouble.word for trouble in _mail_troubles()],
    }


class _MailTrouble(NamedTuple):
    """A trouble with the mail: the word of `/readyz`, since when, and what `doctor` says before and behind that."""

    word: str
    since: datetime | None
    what: str
    why: str

    @property
    def sentence(self) -> str:
        return f"{self.what} since {rfc3339(self.since)}: {self.why}."


def _mail_troubles() -> list[_MailTrouble]:
    """Return what has been wrong with the mail for over a minute.

    It is no reason to answer 503: the server still takes moves by REST and in the browser, and a load balancer that
    left out all its processes would take these away too.
    """
    to = "relay" if runtime().settings.smtp_url else "Maildir"
    takes_none = f"the {to} takes none (`blackticket outbox list --state pending`)"
    reads_none = "this machine reads none (see the log)"
    possible = (
        _MailTrouble("sending", _not_sent_since(), "Mails cannot be sent", takes_none),
        _MailTrouble("reading", _lasting(arrivals.unread_since()), "Mails cannot be read", reads_none),
    )
    return [trouble for trouble in possible if trouble.since is not None]


def _not_sent_since() -> datetime | None:
    return _lasting(outages.relay_out_since())


def _lasting(since: datetime | None) -> datetime | None:
    # At a whole minute, so that nobody who asks often learns the moment of a mail.
    return since if since is not None and to_minute(now()) - since > metrics.ORDINARY else None


def _minute(moment: datetime | None) -> datetime | None:
    return moment and to_minute(moment)


def is_ticking() -> bool:
    """Return whether a worker has looked within the last three ticks, or the last ten seconds if that is longer.

    A look in the future, before the clock was set back, does not count, as that worker may have been killed since.
    Before the first look of all this process waits for as long.
    """
    if heartbeat.last(heartbeat.TICK) is None:
        return runtime().monotonic() - runtime().began <= _patience().total_seconds()
    return is_at_work()


def is_at_work() -> bool:
    """Return whether a worker has looked within that time."""
    looked_at = heartbeat.last(heartbeat.TICK)
    return looked_at is not None and abs(now() - looked_at) <= _patience()


def _patience() -> timedelta:
    return max(MISSED * outages.tick(), outages.SHORTEST)


def troubles() -> list[str]:
    """Return a sentence on each trouble that an operator should look after; during any the watchdog is not called."""
    if (trouble := machine.storage_trouble()) is not None:
        return [trouble]
    held, overdue = outages.why_held(now()), _oldest_overdue()
    about_deadlines = []
    if held is not None:
        about_deadlines = [f"No deadline fires. {held}"]
    elif overdue is not None and now() - overdue > OVERDUE:
        about_deadlines = [f"A deadline is overdue since {rfc3339(overdue)}, and cannot be fired."]
    return about_deadlines + ([trouble.sentence for trouble in _mail_troubles()] or _untried())


def _untried() -> list[str]:
    """Return a sentence if a mail is due for two minutes and was not tried, whatever the cause; for the operator alone.

    A mail that is leased again and again is due since it was made, as a lease replaces the time at which it was due.
    """
    since = now() - UNTRIED
    is_due = or_(Outgoing.not_before < since, Outgoing.fence.is_not(None))
    waiting = (Outgoing.state == PENDING, Outgoing.attempts == 0, Outgoing.created_at < since, is_due)
    first = oldest(Outgoing.created_at, *waiting)
    if first is None:
        return []
    why = "MAIL_LIMIT holds it back" if runtime().settings.mail_limit else "no worker sends it (see the log)"
    return [f"A mail of {rfc3339(first)} is due for more than two minutes and was not tried: {why}."]


def _wrong_key() -> list[str]:
    wrong = key_check.finding()
    return [wrong] if wrong else []


def _oldest_overdue() -> datetime | None:
    """Return when the oldest deadline was due that should have fired."""
    return oldest(Deadline.due_at, *metrics.overdue())


def _mailboxes_in_trouble() -> list[str]:
    return [
        f"The mailbox {box['mailbox']} does not work: {box['error']}."
        for box in imap_progress.report()
        if box["error"] is not None
    ]


def _no_relay(settings: Settings) -> list[str]:
    if settings.smtp_url is not None or settings.is_for_trying_out:
        return []
    return ["No mail leaves this machine: all of it goes to the Maildir of the data folder. Set SMTP_URL."]


def _who_reads_our_mail(settings: Settings) -> list[str]:
    """Return a sentence for each player whose address is a mailbox of this server, where Mr. X's answers arrive."""
    is_ours = mailboxes_of(settings)
    query = select(Player.name, Address.email).join(Player, Player.id == Address.player_id)
    return [
        f"{name} has the address {email}, which is a mailbox of this server: whoever reads it can read "
        "Mr. X's mail. Use a mailbox that no player reads."
        for name, email in session.execute(query.order_by(Player.name, Address.email))
        if is_ours(email)
    ]


def mailboxes_of(settings: Settings) -> Callable[[str], bool]:
    """Return a function that tells whether an address is a mailbox of this server."""
    ours = [_mailbox(address) for address in (settings.play_address, settings.reply_address)]
    pattern = re.compile("|".join(re.escape(box).replace(re.escape("{token}"), ".*") for box in ours))
    return lambda email: pattern.fullmatch(_mailbox(email)) is not None


def _no_operator(settings: Settings) -> list[str]:
    """Return a sentence if nobody reads mail to the operator's addresses although such mail may come, or has come."""
    kept = at_most(Incoming, Incoming.verdict == "kept", Incoming.state == ASIDE)
    if settings.operator_email is not None or (settings.is_for_trying_out and not kept):
        return []
    unread = " and ".join(f"{name}@{settings.mail_domain}" for name in OPERATORS)
    told = f"Nobody gets the mail to {unread}, nor hears by mail what is wrong here: set OPERATOR_EMAIL."
    return [f"{told} Kept so far: {in_words(kept)} (`blackticket inbox list --state aside`)."]


def _refusal() -> list[str]:
    """Return a sentence with what the relay said to the newest mail that it did not take, and has not taken since."""
    refused = (Outgoing.state.in_(("pending", "dead")), Outgoing.refusal.is_not(None))
    newest = select(Outgoing.refusal).where(*refused, Outgoing.created_at > now() - deliverability.LONGEST_SOFT)
    said = session.scalar(newest.order_by(Outgoing.created_at.desc(), Outgoing.id).limit(1))
    return [] if said is None else [f"The relay did not take a mail, and said: {said!r}.{deliverability.remedy(said)}"]


def _operator_not_reached() -> list[str]:
    """Return a sentence if the last mail to the operator's address did not arrive there."""
    operator = runtime().settings.operator_email
    if operator is None:
        return []
    to_operator = (
        Outgoing.kind.in_(mails(lambda kind: kind.to == "operator")),
        Outgoing.recipient == address_mark(operator),
    )
    ended = select(Outgoing.state, Outgoing.error).where(*to_operator, Outgoing.state.in_(("sent", "bounced", "dead")))
    last = session.execute(ended.order_by(Outgoing.created_at.desc(), Outgoing.id.desc()).limit(1)).one_or_none()
    if last is None or last.state == "sent":
        return []
    what = "came back" if last.state == "bounced" else "was given up"
    why = f" ({last.error})" if last.error else ""
    return [f"The last mail to OPERATOR_EMAIL, {operator}, {what}{why}: nobody hears by mail what is wrong here."]


def _never_ran() -> list[str]:
    """Return a sentence if no worker has ever looked at this database."""
    if heartbeat.last(heartbeat.TICK) is not None:
        return []
    trouble = "No server has run on this database yet, so no mail is read or sent and no deadline fires"
    return [
        f"{trouble}: start `blackticket serve`. If one runs, call this command in its folder and with its settings."
    ]


def _lost_mails() -> list[str]:
    """Return a sentence if mails of players were set aside because they could not be read."""
    # Two counts: an index answers what is before a word or behind it, and not what is another.
    others = (Incoming.verdict < "kept", Incoming.verdict > "kept")
    lost = sum(at_most(Incoming, Incoming.state == ASIDE, which) for which in others)
    if not lost:
        return []
    where = "`blackticket inbox list --state aside`"
    return [f"Mails that could not be read, so their senders got no answer: {in_words(lost)} ({where})."]


def _full_mailboxes() -> list[str]:
    """Return a sentence if mails come back for now from addresses of players."""
    soft = (Address.soft_since.is_not(None), Address.bounced_at.is_(None))
    if not (addresses := at_most(Address, *soft)):
        return []
    since = rfc3339(oldest(Address.soft_since, *soft))
    trouble = (
        "Addresses of players from which mails come back for now, as from a full mailbox: "
        f"{in_words(addresses)}, since {since}"
    )
    return [f"{trouble}. Such mails are tried again (`blackticket outbox list --state pending`)."]


def _nobody_answered(settings: Settings) -> list[str]:
    """Return a sentence if no mail server in front is named, so that signatures alone prove who wrote.

    That does not depend on the mails that came in: Mr. X may have written them.
    """
    if settings.authserv_id is not None or settings.is_for_trying_out:
        return []
    effect = "Somebody without an account is answered only if a DKIM signature of their domain holds"
    named = "If a mail server in front checks senders, set AUTHSERV_ID to its name in Authentication-Results"
    return [f"{effect}. {named}."]


def _no_legal_texts(settings: Settings) -> list[str]:
    """Return a sentence if others reach the server and its operator has not written the imprint or the privacy page."""
    host = urlsplit(settings.public_url or "").hostname
    missing = [str(legal_texts.path_of(name)) for name in legal_texts.NAMES if legal_texts.read(name) is None]
    if host is None or is_loopback(host) or not missing:
        return []
    return [f"The pages /imprint and /privacy lack text of yours: write {' and '.join(missing)}."]


def _long_legal_texts() -> list[str]:
    """Return a sentence for each text of the imprint and the privacy page that is not shown to its end."""
    most = f"has more than {legal_texts.LONGEST:,} bytes, and its page ends there"
    return [f"{legal_texts.path_of(name)} {most}." for name in legal_texts.NAMES if legal_texts.is_too_long(name)]


def _mailbox(address: str) -> str:
    """Return the mailbox of an address: in small letters, without the part behind a plus."""
    return re.sub(r"\+[^@]*(?=@)", "", reply_addresses.bare(address.lower()))
