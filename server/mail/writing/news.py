"""The news in a mail, without the situation: the block `news` of its template, for mails that tell it with more."""

from collections.abc import Callable, Sequence

from flask import current_app

from server.application.game.as_of import AsOf
from server.application.mail.outgoing import Mail
from server.engine import PAWNS
from server.house_rules.standing import Standing
from server.mail.writing import context, reminders, seating
from server.models import Player

Look = Callable[[Standing, int], AsOf]


def offers_as_one(mails: Sequence[Mail]) -> list[tuple[Mail, Sequence[str]]]:
    """Return mails to one reader, each with the pawns it is about; the first that offers a seat stands for all.

    Not for the offer of the reader's own seat, which has words of its own.
    """
    offers = [mail for mail in mails if _offers_seat_of_another(mail)]
    offered = {pawn for mail in offers for pawn in _pawns_of(mail)}
    pawns = [pawn for pawn in PAWNS if pawn in offered]
    return [(mail, pawns if mail in offers else _pawns_of(mail)) for mail in mails if mail not in offers[1:]]


def _pawns_of(mail: Mail) -> Sequence[str]:
    pawns: Sequence[str] = (mail.details or {}).get("pawns", ())
    return pawns


def _offers_seat_of_another(mail: Mail) -> bool:
    """Return True for a mail that tells its reader that somebody may take the seat of another player."""
    if mail.kind != "offered" or mail.game is None or mail.player is None:
        return False
    seat = seating.find_seat(mail.game, mail.player)
    return seat is None or not set(seat.pawns) & set(_pawns_of(mail))


def news_in(mail: Mail, player: Player, look: Look, pawns: Sequence[str]) -> str:
    """Return the news in a mail that is about these `pawns`; empty where it only tells the situation."""
    if told := (mail.details or {}).get("news"):
        return str(told)
    template = current_app.jinja_env.get_template(f"mail/{mail.kind}/body.txt")
    if "news" not in template.blocks or mail.game is None or mail.event is None:
        return ""
    then = look(mail.game, mail.event)
    known = context.template_context(mail, player, then) | reminders.content(mail, then, player)
    known |= {"pawns": pawns}
    return "".join(template.blocks["news"](template.new_context({**known, "is_news": True}))).strip()
