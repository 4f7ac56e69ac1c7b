"""Mails that nobody can read: the holder of the reply address hears of each, at the registered address."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select

from server.application.game import outbox_rows, reply_addresses
from server.application.game.look import look_at_any
from server.application.game.situations import act
from server.house_rules.holding import stop_held
from server.house_rules.standing import Standing
from server.mail.commands.holding import told_as_stopped
from server.mail.commands.reply import Reply, as_sentence, combined, reply_from_template
from server.mail.commands.request import seat_of_token
from server.mail.commands.sending import letter
from server.models import ASIDE, Incoming, Outgoing, Player, session
from server.runtime import now
from server.vocabulary.durations import DAY
from server.vocabulary.errors import Problem
from server.vocabulary.limits import UNREADABLE
from server.vocabulary.translation import speaking


def tell_holder(row: Incoming) -> None:
    """Tell the holder of the reply address, once, that a mail to it was set aside; of some mails a day.

    Nothing of that mail is told: nobody has read it, and anybody may have sent it. For the same reason it takes nothing
    from what the player's own mails are answered with.
    """
    token = reply_addresses.find(row.recipient)
    game = look_at_any(token.game_id) if token is not None else None
    seat = seat_of_token(game, token) if game is not None and token is not None else None
    holder = (seat.player_id or seat.invited_id) if seat is not None else None
    if holder is None or _was_told(holder, row.id) or UNREADABLE.again_at(_told(holder)) is not None:
        return
    with speaking(session.get_one(Player, holder).language):
        reply = combined([reply_from_template("cannot_be_read", game=game), _stopped(game, holder)])
        details = letter(reply, as_sentence(reply.title), None) | {"situation": "choices"}
    outbox_rows.post(holder, "advice", game, details=details, cause=row.id)


def _stopped(game: Standing | None, holder: str) -> Reply:
    """Stop the moves of the player that wait, as the mail may have been a no; return the reply that says so."""
    if game is None or game.status != "running":
        return Reply()
    try:
        held = act(game.id, session.get_one(Player, holder), stop_held).answer
    except Problem:  # none waits
        return Reply()
    return told_as_stopped([each.notation for each in held], is_yes_to_them=False)


def _told(player_id: str) -> Sequence[datetime]:
    """Return when the player was told of such mails within a day, the oldest first."""
    told = select(Outgoing.created_at).join(Incoming, Incoming.id == Outgoing.cause)
    recent = (Outgoing.player_id == player_id, Outgoing.created_at > now() - DAY, Incoming.state == ASIDE)
    return session.scalars(told.where(*recent).order_by(Outgoing.created_at)).all()


def _was_told(player_id: str, inbox_id: str) -> bool:
    told = select(Outgoing.id).where(Outgoing.player_id == player_id, Outgoing.cause == inbox_id)
    return session.scalar(told.limit(1)) is not None
