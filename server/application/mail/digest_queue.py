"""The digest queue: mails that are held back because their player wants digests, and when the digest is due.

A held row stays in the outbox, and one row of the kind `digest` waits for the player until the first of them is due.
The digest takes every row that is due then, and all others that are held about the same games.
"""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import bindparam, case, func, select, update

from server.application.game import timer_rows
from server.application.game.projection import own_seat
from server.application.mail import digest_watermark, mail_frequency
from server.application.mail.digest_watermark import DIGEST
from server.application.mail.outgoing import Mail, load
from server.house_rules.timers import timer_of
from server.models import HELD, Outgoing, Player, execute, insert, rows, session, table_of, wake_outbox, when_committed
from server.models.leases import AT
from server.runtime import now, runtime
from server.vocabulary.mails import MAIL_KINDS

_HELD = (Outgoing.player_id == bindparam("player"), Outgoing.state == HELD)
_HELD_OF_GAME = select(Outgoing.id).where(*_HELD, Outgoing.game_id == bindparam("game")).limit(1)
_DUE = select(Outgoing.id).where(
    *_HELD, Outgoing.game_id.in_(select(Outgoing.game_id).where(*_HELD, Outgoing.not_before <= AT))
).order_by(Outgoing.created_at, Outgoing.event, Outgoing.id)  # fmt: skip
_OUTBOX = table_of(Outgoing)
_HOLD = update(_OUTBOX).where(_OUTBOX.c.id == bindparam("row"))
_HOLD = _HOLD.values(state=HELD, fence=None, not_before=bindparam("until"))


def is_wanted(mail: Mail) -> bool:
    """Return True if the player wants mails of this kind at all."""
    frequency = _choice(mail)
    if MAIL_KINDS[mail.kind].is_always_sent or mail.kind == DIGEST or frequency is None:
        return True
    if mail.kind == "moved":
        return frequency == mail_frequency.MOVES or mail_frequency.is_daily(frequency)
    return frequency != mail_frequency.OFF and (
        frequency != mail_frequency.REMINDERS or _is_urgent(mail) or mail.game_id is None
    )


def is_to_be_held(mail: Mail) -> bool:
    """Return True if a mail that is due is to come in a digest; an urgent one only if others of its game are held."""
    frequency = _choice(mail)
    is_always_sent = MAIL_KINDS[mail.kind].is_always_sent
    if frequency is None or mail.game_id is None or is_always_sent or not mail_frequency.is_daily(frequency):
        return False
    if not _is_urgent(mail):
        return True
    return bool(rows(_HELD_OF_GAME, player=mail.player_id, game=mail.game_id))


def lock(player_ids: Collection[str]) -> None:
    """Let no other process hold, release or gather mails for these players until the transaction is over.

    The rows are locked in one order, so that two processes cannot wait for each other for ever.
    """
    if player_ids:
        query = select(Player.id).where(Player.id.in_(player_ids)).order_by(Player.id)
        session.execute(query.with_for_update(key_share=True))


def hold(mail: Mail) -> None:
    """Hold the mail back, for a player who is locked, and schedule a digest for it."""
    until = _due_at(mail)
    execute(_HOLD, {"row": mail.id, "until": until})
    _schedule(str(mail.player_id), until)


def due(player_id: str) -> list[Mail]:
    """Return the mails that a digest to the player takes now, in the order of their events."""
    ids = [row.id for row in rows(_DUE, player=player_id, at=now())]
    by_id = load(ids)
    return [by_id[row_id] for row_id in ids if row_id in by_id]


def schedule_next(player_id: str) -> None:
    """Schedule another digest after one was written, if more mails are held."""
    session.flush()
    held = (Outgoing.player_id == player_id, Outgoing.state == HELD)
    first = session.scalar(select(func.min(Outgoing.not_before)).where(*held))
    if first is not None:
        _schedule(player_id, first)


def _choice(mail: Mail) -> str | None:
    """Return how much mail the player wants about the game; None for an address that is no player's yet."""
    if mail.player is None:
        return None
    return mail.wish or mail.player.mail


def _is_urgent(mail: Mail) -> bool:
    is_newcomer = mail.kind == "substituted" and (mail.details or {}).get("is_newcomer")
    return MAIL_KINDS[mail.kind].is_urgent or bool(is_newcomer)


def _due_at(mail: Mail) -> datetime:
    assert mail.player is not None
    frequency = _choice(mail)
    assert frequency is not None
    if _is_urgent(mail):
        return now()
    due_at = mail_frequency.next_digest(frequency, mail.player.zone, mail.created_at)
    return max(min(due_at, _half_of_the_time(mail) or due_at), now())


def _half_of_the_time(mail: Mail) -> datetime | None:
    """Return when half of the turn's time has passed, counted from when the mail would have been sent."""
    if not MAIL_KINDS[mail.kind].begins_turn or mail.game is None:
        return None
    game = mail.game
    seat = own_seat(game, mail.player)
    timer = timer_of(game, seat, timer_rows.timeouts_of([game.id])[game.id]) if seat is not None else None
    return mail.created_at + (timer.due_at - mail.created_at) / 2 if timer is not None else None


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
