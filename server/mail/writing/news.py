"""The news in a mail, without the situation: the block `news` of its template, for mails that tell it with more."""

from collections.abc import Callable, Sequence

from flask import current_app

from server.application.game.as_of import AsOf
from server.engine import PAWNS
from server.mail.writing import context, reminders
from server.models import Game, Outgoing, Player

Look = Callable[[Game, int], AsOf]


def offers_as_one(rows: Sequence[Outgoing]) -> list[tuple[Outgoing, Sequence[str]]]:
    """Return mails to one reader, each with the pawns it is about: of those that offer seats of others, one for all.

    The offer of the reader's own seat has words of its own.
    """
    offers = [row for row in rows if _offers_seat_of_another(row)]
    offered = {pawn for row in offers for pawn in (row.details or {})["pawns"]}
    pawns = [pawn for pawn in PAWNS if pawn in offered]
    return [
        (row, pawns if row in offers else (row.details or {}).get("pawns", ()))
        for row in rows if row not in offers[1:]
    ]  # fmt: skip


def _offers_seat_of_another(row: Outgoing) -> bool:
    if row.kind != "offered" or row.game is None or row.player is None:
        return False
    seat = context.find_seat(row.game, row.player)
    return seat is None or not set(seat.pawns) & set((row.details or {})["pawns"])


def news_in(row: Outgoing, player: Player, look: Look, pawns: Sequence[str] = ()) -> str:
    """Return the news in a mail, about `pawns` if given; empty where it only tells the situation."""
    template = current_app.jinja_env.get_template(f"mail/{row.kind}/body.txt")
    if "news" not in template.blocks or row.game is None or row.event is None:
        return ""
    known = context.template_context(row, player, look(row.game, row.event)) | reminders.content(row)
    known |= {"pawns": pawns} if pawns else {}
    return "".join(template.blocks["news"](template.new_context(known))).strip()
