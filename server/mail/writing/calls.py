"""Calls: what a device shows when its player gets a mail about their turn."""

import json

from server.application.game.as_of import of_standing
from server.application.mail.outgoing import load
from server.mail.writing import compose, disposition, seating


def call_of(mail_id: str) -> bytes | None:
    """Return what a device is sent about a row of the outbox: the subject of its mail, and the page of its game.

    None if the mail tells nothing that is still so. How much mail its reader wants does not count, nor if it arrives.
    """
    mail = load([mail_id]).get(mail_id)
    if mail is None or mail.game is None or mail.event is None or not disposition.is_call_due(mail):
        return None
    then, player = of_standing(mail.game, mail.event), seating.recipient(mail)
    said = {"title": compose.subject_of(mail, player, then), "game": mail.game.id}
    return json.dumps(said, ensure_ascii=False).encode()
