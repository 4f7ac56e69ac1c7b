"""The digest queue: mails that are held back because their player wants digests, and when the digest is due.

A held row stays in the outbox, and one row of the kind `digest` waits for the player until the first of them is due.
The digest takes every row that is due then, and all others that are held about the same games.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import case, func, select, update

from server.application.catalogues.mails import MAIL_KINDS
from server.application.game import timer_rows
from server.application.game.look import standing_of
from server.application.game.projection import own_seat
from server.application.mail import digest_watermark, mail_frequency
from server.application.mail.digest_watermark import DIGEST
from server.house_rules.timers import timer_of
from server.models import (
    HELD,
    Outgoing,
    Player,
    execute,
    insert,
    session,
    wake_outbox,
    when_committed,
)
from server.runtime import now, runtime


def is_wanted(row: Outgoing) -> bool:
    """Return True if the player wants mails of this kind at all."""
    mail = _choice(row)
    if MAIL_KINDS[row.kind].is_always_sent or row.kind == DIGEST or mail is None:
        return True
    if row.kind == "moved":
        return mail == mail_frequency.MOVES or mail_frequency.is_gathered(mail)
    return mail != mail_frequency.OFF and (mail != mail_frequency.REMINDERS or _is_urgent(row) or row.game_id is None)


def is_to_be_held(row: Outgoing) -> bool:
    """Return True if a mail that is due is to come in a digest; an urgent one only if others of its game are held."""
    mail = _choice(row)
    is_always_sent = MAIL_KINDS[row.kind].is_always_sent
    if mail is None or row.game_id is None or is_always_sent or not mail_frequency.is_gathered(mail):
        return False
    if not _is_urgent(row):
        return True
    others = select(Outgoing.id).where(
        Outgoing.player_id == row.player_id, Outgoing.state == HELD, Outgoing.game_id == row.game_id
    )
    return session.scalar(others.limit(1)) is not None


def lock(player_ids: Collection[str]) -> None:
    """Let no other process hold, release or gather mails for these players until the transaction is over.

    The rows are locked in one order, so that two processes cannot wait for each other for ever.
    """
    if player_ids:
        query = select(Player.id).where(Player.id.in_(player_ids)).order_by(Player.id)
        session.execute(query.with_for_update(key_share=True))


def hold(row: Outgoing) -> None:
    """Hold the mail back, for a player who is locked, and schedule a digest for it."""
    row.state, row.fence, row.not_before = "held", None, _due_at(row)
    session.flush()
    _schedule(str(row.player_id), row.not_before)


def due(player_id: str) -> Sequence[Outgoing]:
    """Return the mails that a digest to the player takes now, in the order of their events."""
    held = (Outgoing.player_id == player_id, Outgoing.state == HELD)
    games = select(Outgoing.game_id).where(*held, Outgoing.not_before <= now())
    query = select(Outgoing).where(*held, Outgoing.game_id.in_(games))
    return session.scalars(query.order_by(Outgoing.created_at, Outgoing.event, Outgoing.id)).all()


def schedule_next(player_id: str) -> None:
    """Schedule another digest after one was written, if more mails are held."""
    session.flush()
    held = (Outgoing.player_id == player_id, Outgoing.state == HELD)
    first = session.scalar(select(func.min(Outgoing.not_before)).where(*held))
    if first is not None:
        _schedule(player_id, first)


def _choice(row: Outgoing) -> str | None:
    """Return how much mail the player wants about the game; None for an address that is no player's yet."""
    if row.player is None:
        return None
    return row.wish.mail if row.wish else row.player.mail


def _is_urgent(row: Outgoing) -> bool:
    is_newcomer = row.kind == "substituted" and (row.details or {}).get("is_newcomer")
    return MAIL_KINDS[row.kind].is_urgent or bool(is_newcomer)


def _due_at(row: Outgoing) -> datetime:
    assert row.player is not None
    mail = _choice(row)
    assert mail is not None
    if _is_urgent(row):
        return now()
    due_at = mail_frequency.next_digest(mail, row.player.zone, row.created_at)
    if mail.startswith(mail_frequency.GATHERED):
        scheduled = session.scalar(
            select(func.min(Outgoing.not_before)).where(*digest_watermark.unwritten(row.player.id))
        )
        due_at = min(due_at, scheduled or due_at)
    return max(min(due_at, _half_of_the_time(row) or due_at), now())


def _half_of_the_time(row: Outgoing) -> datetime | None:
    """Return when half of the turn's time has passed, counted from when the mail would have been sent."""
    if not MAIL_KINDS[row.kind].begins_turn or row.game is None:
        return None
    game = standing_of(row.game)
    seat = own_seat(game, row.player)
    timer = timer_of(game, seat, timer_rows.timeouts_of([game.id])[game.id]) if seat is not None else None
    return row.created_at + (timer.due_at - row.created_at) / 2 if timer is not None else None


def _schedule(player_id: str, at: datetime) -> None:
    """Schedule a digest to the player for `at` at the latest.

    A digest that waits already is written to even where it is earlier: a worker that has just written its mail, and
    does not know of the row that is held now, notices the write.
    """
    sooner = case((Outgoing.not_before > at, at), else_=Outgoing.not_before)
    statement = (
        update(Outgoing).where(*digest_watermark.unwritten(player_id)).values(not_before=sooner, created_at=sooner)
    )
    if not execute(statement.returning(Outgoing.id)).all():
        row = {"id": runtime().new_id("digest notice"), "player_id": player_id, "kind": DIGEST, "cause": ""}
        execute(insert(Outgoing), row | {"not_before": at, "created_at": at})
    when_committed(wake_outbox)
