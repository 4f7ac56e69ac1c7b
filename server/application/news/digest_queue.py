"""Mails that are held back because their player wants them gathered: which, until when, and in what they come.

A row that is held stays in the outbox, and one row of the kind `digest` waits for the player until the first of them
is due. The digest takes what is due then, and whatever else is held of the same games.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import case, func, select, update

from server.application.game import timers
from server.application.game.views import own_seat
from server.application.news import digest_watermark
from server.application.news.digest_watermark import DIGEST
from server.application.people import mail_frequency
from server.models import HELD, Outgoing, Player, insert, session, wake_when_committed
from server.runtime import now, runtime

# What a player gets whatever he has chosen: codes, and answers to what he does himself.
ALWAYS = ("answer", "advice", "code", "address", "tried")
# What has to be heard in time: sent at once, and to who wants reminders only as well.
PRESSING = ("reminder", "overdue", "vote", "expiring", "invitation")
# Mails with which a go begins: they do not wait for longer than half the time there is.
GOES = ("turn", "go", "returned", "reinstated", "repaired")


def is_wanted(row: Outgoing) -> bool:
    """Whether the player wants mails of this kind at all."""
    mail = _chosen(row)
    if row.kind in ALWAYS or row.kind == DIGEST or mail is None:
        return True
    if row.kind == "moved":
        return mail == mail_frequency.MOVES or mail_frequency.is_gathered(mail)
    return mail != mail_frequency.OFF and (mail != mail_frequency.REMINDERS or _presses(row) or row.game_id is None)


def is_to_be_held(row: Outgoing) -> bool:
    """Whether a mail that is due is to come with others. One that presses does only where some of its game wait."""
    mail = _chosen(row)
    if mail is None or row.game_id is None or row.kind in ALWAYS or not mail_frequency.is_gathered(mail):
        return False
    if not _presses(row):
        return True
    others = select(Outgoing.id).where(
        Outgoing.player_id == row.player_id, Outgoing.state == HELD, Outgoing.game_id == row.game_id
    )
    return session.scalar(others.limit(1)) is not None


def lock(player_ids: Collection[str]) -> None:
    """Let nobody else hold back, release or gather what is for these players until the transaction is over.

    In one order: of two that lock several neither waits for the other for ever.
    """
    if player_ids:
        query = select(Player.id).where(Player.id.in_(player_ids)).order_by(Player.id)
        session.execute(query.with_for_update(key_share=True))


def hold(row: Outgoing) -> None:
    """Hold the mail back, for a player who is locked, and see to it that a digest comes for it."""
    row.state, row.fence, row.not_before = "held", None, _until(row)
    session.flush()
    _see_to(str(row.player_id), row.not_before)


def due(player_id: str) -> Sequence[Outgoing]:
    """What a digest to the player takes now, in the order in which it happened."""
    held = (Outgoing.player_id == player_id, Outgoing.state == HELD)
    games = select(Outgoing.game_id).where(*held, Outgoing.not_before <= now())
    query = select(Outgoing).where(*held, Outgoing.game_id.in_(games))
    return session.scalars(query.order_by(Outgoing.created_at, Outgoing.event, Outgoing.id)).all()


def see_to_the_rest(player_id: str) -> None:
    """A digest has been written: what is held besides, or since, is for another."""
    session.flush()
    held = (Outgoing.player_id == player_id, Outgoing.state == HELD)
    first = session.scalar(select(func.min(Outgoing.not_before)).where(*held))
    if first is not None:
        _see_to(player_id, first)


def _chosen(row: Outgoing) -> str | None:
    """How much mail the player wants about the game; None for who is no player yet."""
    if row.player is None:
        return None
    return row.wish.mail if row.wish else row.player.mail


def _presses(row: Outgoing) -> bool:
    is_newcomer = row.kind == "substituted" and (row.details or {}).get("is_newcomer")
    return row.kind in PRESSING or bool(is_newcomer)


def _until(row: Outgoing) -> datetime:
    assert row.player is not None
    mail = _chosen(row)
    assert mail is not None
    if _presses(row):
        return now()
    until = mail_frequency.next_digest(mail, row.player.zone, row.created_at)
    if mail.startswith(mail_frequency.GATHERED):
        waiting = session.scalar(
            select(func.min(Outgoing.not_before)).where(*digest_watermark.unwritten(row.player.id))
        )
        until = min(until, waiting or until)
    return max(min(until, _half_of_the_time(row) or until), now())


def _half_of_the_time(row: Outgoing) -> datetime | None:
    """When half the time has passed that there is for a go, from when the mail would have been sent."""
    if row.kind not in GOES or row.game is None:
        return None
    seat = own_seat(row.game, row.player)
    time = timers.time_of(row.game, seat) if seat is not None else None
    return row.created_at + (time.due_at - row.created_at) / 2 if time is not None else None


def _see_to(player_id: str, at: datetime) -> None:
    """That a digest goes to the player at `at` at the latest.

    The one that waits is written to even where it comes before: whoever has just made a mail of it, and does not know
    of what is held now, sees that then.
    """
    sooner = case((Outgoing.not_before > at, at), else_=Outgoing.not_before)
    statement = (
        update(Outgoing).where(*digest_watermark.unwritten(player_id)).values(not_before=sooner, created_at=sooner)
    )
    if not session.scalars(statement.returning(Outgoing.id), execution_options={"synchronize_session": False}).all():
        row = {"id": runtime().new_id("digest notice"), "player_id": player_id, "kind": DIGEST, "cause": ""}
        insert(Outgoing, row | {"not_before": at, "created_at": at})
    wake_when_committed(runtime().wake_ups.outbox)
