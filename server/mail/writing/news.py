"""The news in a mail, without the situation: the block `news` of its template, for mails that tell it with more."""

from collections.abc import Callable, Sequence

from flask import current_app

from server.application.game.as_of import AsOf
from server.application.mail.outgoing import Mail
from server.engine import PAWNS
from server.house_rules.standing import Standing
from server.mail.writing import context, reminders
from server.models import Player

Look = Callable[[Standing, int], AsOf]


def offers_as_one(rows: Sequence[Mail]) -> list[tuple[Mail, Sequence[str]]]:
    """Return mails to one reader, each with the pawns it is about; the first that offers a seat stands for all.

    Not for the offer of the reader's own seat, which has words of its own.
    """
    offers = [row for row in rows if _offers_seat_of_another(row)]
    offered = {pawn for row in offers for pawn in _pawns_of(row)}
    pawns = [pawn for pawn in PAWNS if pawn in offered]
    return [(row, pawns if row in offers else _pawns_of(row)) for row in rows if row not in offers[1:]]


def _pawns_of(row: Mail) -> Sequence[str]:
    pawns: Sequence[str] = (row.details or {}).get("pawns", ())
    return pawns


def _offers_seat_of_another(row: Mail) -> bool:
    """Return True for a mail that tells its reader that somebody may take the seat of another player."""
    if row.kind != "offered" or row.game is None or row.player is None:
        return False
    seat = context.find_seat(row.game, row.player)
    return seat is None or not set(seat.pawns) & set(_pawns_of(row))


def news_in(row: Mail, player: Player, look: Look, pawns: Sequence[str]) -> str:
    """Return the news in a mail that is about these `pawns`; empty where it only tells the situation."""
    if told := (row.details or {}).get("news"):
        return str(told)
    template = current_app.jinja_env.get_template(f"mail/{row.kind}/body.txt")
    if "news" not in template.blocks or row.game is None or row.event is None:
        return ""
    known = context.template_context(row, player, look(row.game, row.event)) | reminders.content(row)
    known |= {"pawns": pawns}
    return "".join(template.blocks["news"](template.new_context(known))).strip()
