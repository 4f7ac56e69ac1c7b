"""Tell the operator by mail of what needs them, once a day for each cause: counts and ids only, and no secret."""

from collections.abc import Callable

from sqlalchemy import select

from server.application.game import outbox_rows, verification
from server.application.health import machine, metrics
from server.application.limits import answers, quotas
from server.application.people.accounts import abuse_reports
from server.models import ASIDE, Alert, Incoming, Outage, Outgoing, at_most, session, transaction
from server.runtime import now, runtime
from server.vocabulary import limits
from server.vocabulary.durations import DAY, rfc3339

MOST_NAMED = 20  # games of one mail
TITLE = "Black Ticket: the server needs you"


def tell() -> None:
    """Write a mail to the operator about each cause that holds and was not told within a day."""
    operator = runtime().settings.operator_email
    if operator is None:
        return
    # Looked for before the transaction, as it may take a while.
    found = {cause: sentence for cause in CAUSES if not _was_told(cause) and (sentence := CAUSES[cause]()) is not None}
    if not found:
        return
    with transaction():
        quotas.lock_table(Alert)
        found = {cause: sentence for cause, sentence in found.items() if not _was_told(cause)}
        for cause in found:
            session.merge(Alert(cause=cause, told_at=now()))
        if found:
            outbox_rows.post(
                None, "alert", details={"to": operator, "title": TITLE, "paragraphs": list(found.values())}
            )


def _was_told(cause: str) -> bool:
    """Return whether the operator heard of the cause within a day."""
    return session.scalar(select(Alert.cause).where(Alert.cause == cause, Alert.told_at > now() - DAY)) is not None


def _dead_letters() -> str | None:
    died = (*metrics.dead(), Outgoing.not_before > now() - DAY)
    number = at_most(Outgoing, *died)
    listed = '"blackticket outbox list --state dead" names them'
    return f"Mails that nobody would take were given up within a day: {number}; {listed}." if number else None


def _outages() -> str | None:
    recent = Outage.end.is_(None) | (Outage.end > now() - DAY)
    found = session.scalars(select(Outage).where(recent).order_by(Outage.number)).all()
    if not found:
        return None
    newest = found[-1]
    until = f"to {rfc3339(newest.end)}" if newest.end else "on"
    told = f"the newest is number {newest.number}, of the {newest.cause}, from {rfc3339(newest.begin)} {until}"
    return f"Outages within a day: {len(found)}; {told}."


def _mail_not_passed_on() -> str | None:
    kept = (Incoming.state == ASIDE, Incoming.verdict == "kept", Incoming.received_at > now() - DAY)
    number = at_most(Incoming, *kept)
    listed = '"blackticket inbox list --state aside" names them'
    return f"Mails to postmaster and abuse that were kept and not passed on: {number}; {listed}." if number else None


def _held_answers() -> str | None:
    number = answers.held()
    listed = '"blackticket outbox list --state pending" names them, and "blackticket outbox retry ID" sends one now'
    told = f"Answers that wait until tomorrow, as somebody had {limits.ANSWERS.most} within a day: {number}; {listed}."
    return told if number else None


def _abuse_reports() -> str | None:
    number = abuse_reports.number_open()
    listed = 'the page "People" of the operator shows them, and so does "blackticket abuse list"'
    return (
        f"Reports of people on messages, names or invitations that wait for you: {number}; {listed}."
        if number
        else None
    )


def _broken_games() -> str | None:
    found = [*verification.closed_games()]
    if not found:
        return None
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    named = f"{', '.join(found[:MOST_NAMED])}{more}"
    return f'Games that do not hold: {len(found)}, {named}; "blackticket doctor" says what is wrong, and what to do.'


# What the operator hears of, by the word it is remembered by. A function returns a sentence while its cause holds.
CAUSES: dict[str, Callable[[], str | None]] = {
    "dead-letters": _dead_letters,
    "outages": _outages,
    "full-disk": machine.nearly_full,
    "broken-games": _broken_games,
    "kept-mail": _mail_not_passed_on,
    "held-answers": _held_answers,
    "abuse-reports": _abuse_reports,
}
