"""The news in a mail, without the situation: the block `news` of its template, for mails that tell it with more."""

from collections.abc import Callable

from flask import current_app

from server.application.game.as_of import AsOf
from server.mail.writing import context, reminders
from server.models import Game, Outgoing, Player

Look = Callable[[Game, int], AsOf]


def news_in(row: Outgoing, player: Player, look: Look) -> str:
    """Return the news in a mail; empty where it only tells the situation."""
    template = current_app.jinja_env.get_template(f"mail/{row.kind}/body.txt")
    if "news" not in template.blocks or row.game is None or row.event is None:
        return ""
    known = context.template_context(row, player, look(row.game, row.event)) | reminders.content(row)
    return "".join(template.blocks["news"](template.new_context(known))).strip()
