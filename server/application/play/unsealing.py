"""Breaking the glass: the operator sees what is sealed, and everybody learns that he did."""

from typing import Any

from server.application.errors import Problem
from server.application.game import notices, views
from server.application.game.access import check_reason, happened, locked
from server.models import Game, Incoming, Outgoing, session, transaction


def unseal(game_id: str, reason: str, mail_id: str | None = None) -> dict[str, Any]:
    """What is sealed of a game that is not final: its record as Mr. X sees it, or the content of one of its mails.

    It is returned when the public event that tells of it, and a mail to every player, are committed; else nothing is.
    The shape is `{"record": {...}}` or `{"mail": id, "content": text}`.
    """
    with transaction():
        game = locked(game_id)
        if game.status == "open":
            raise Problem("game-not-running", "This game has not begun; there is nothing sealed in it.")
        if game.final:
            raise Problem("game-not-running", "The result of this game is final, and everything in it is open already.")
        public_reason = check_reason(game, reason)
        told = {"reason": public_reason, "looked_at": "the game" if mail_id is None else "a mail"}
        happened(game, "unsealed", **told)
        notices.announced(game, "unsealed", told)
        return (
            {"record": views.record_for(game, "mr_x")}
            if mail_id is None
            else {"mail": mail_id, "content": _content(game, mail_id)}
        )


def _content(game: Game, mail_id: str) -> str:
    """The text of a mail of this game as it came or will go; `Problem` when there is none."""
    incoming, outgoing = session.get(Incoming, mail_id), session.get(Outgoing, mail_id)
    mail = incoming or outgoing
    if mail is None or mail.game_id != game.id:
        raise Problem("not-found", f"There is no mail {mail_id} of this game; the lists of inbox and outbox name them.")
    raw = incoming.raw if incoming else outgoing.message if outgoing else None
    if raw is None:
        raise Problem("form", f"The content of mail {mail_id} is not kept: it was sent, or is not written yet.")
    return raw.decode(errors="backslashreplace")
