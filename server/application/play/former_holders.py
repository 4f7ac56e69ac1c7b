"""Former holders: players who have left a seat of a running game."""

from sqlalchemy import update

from server.application.game import outbox_rows
from server.house_rules.standing import Seat
from server.models import Answered, FormerHolder, ReplyToken, execute, session


def record_former_holder(game_id: str, seat: Seat) -> None:
    """Record the player of a seat as a former holder; drop their open question, stored answers and unsent mails."""
    old = seat.player_id
    if old is None:  # a bot
        return
    session.merge(FormerHolder(game_id=game_id, player_id=old, role=seat.role))
    for statement in (
        update(ReplyToken).where(ReplyToken.game_id == game_id, ReplyToken.seat == seat.number).values(question=None),
        update(Answered).where(Answered.player_id == old, Answered.game_id == game_id).values(answer=None),
    ):
        execute(statement)
    outbox_rows.drop_unsent(game_id, old)
