"""Unseal a game under way, or a mail of it, for the operator, who gives a reason in public."""

from typing import Any

from server.application.errors import Problem
from server.application.game import outbox_rows, projection
from server.application.game.access import locked
from server.application.game.events import record_event
from server.application.game.look import standing_of
from server.application.game.reasons import check_reason
from server.models import Game, Incoming, Outgoing, session, transaction


def unseal(game_id: str, reason: str, mail_id: str | None = None) -> dict[str, Any]:
    """Return what is sealed in a game that is not final: its record as Mr. X sees it, or the content of one mail.

    The shape is `{"record": {...}}` or `{"mail": id, "content": text}`. A public event, and a mail to every player,
    are committed with it; without them nothing is returned.
    """
    with transaction():
        game = locked(game_id)
        if game.status == "open":
            raise Problem("game-not-running", "This game has not begun; there is nothing sealed in it.")
        if game.final:
            raise Problem("game-not-running", "The result of this game is final, and everything in it is open already.")
        public_reason = check_reason(standing_of(game), reason)
        details = {"reason": public_reason, "looked_at": "the game" if mail_id is None else "a mail"}
        record_event(game, "unsealed", **details)
        outbox_rows.post_to_all(game, "unsealed", details)
        return (
            {"record": projection.record_for(standing_of(game), "mr_x")}
            if mail_id is None
            else {"mail": mail_id, "content": _content(game, mail_id)}
        )


def _content(game: Game, mail_id: str) -> str:
    """Return the text of a mail of this game as it came or will go; raise a `Problem` when there is none."""
    incoming, outgoing = session.get(Incoming, mail_id), session.get(Outgoing, mail_id)
    mail = incoming or outgoing
    if mail is None or mail.game_id != game.id:
        raise Problem("not-found", f"There is no mail {mail_id} of this game; the lists of inbox and outbox name them.")
    raw = incoming.raw if incoming else outgoing.message if outgoing else None
    if raw is None:
        raise Problem("form", f"The content of mail {mail_id} is not kept: it was sent, or is not written yet.")
    return raw.decode(errors="backslashreplace")
