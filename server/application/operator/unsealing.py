"""Unseal a game under way, or a mail of it, for the operator, who gives a reason in public."""

from collections.abc import Mapping
from typing import TypedDict

from server.application.game import projection
from server.application.game.reasons import check_reason
from server.application.game.situations import carry_out, load
from server.engine import Record
from server.house_rules import notices
from server.house_rules.draft import Draft
from server.house_rules.standing import Standing
from server.models import Incoming, Outgoing, session, transaction
from server.vocabulary.errors import Problem


class Unsealed(TypedDict, total=False):
    """The content of a game or of a mail that was unsealed."""

    record: Record
    mail: str
    content: str


def unseal(game_id: str, reason: str, mail_id: str | None = None) -> Unsealed:
    """Return what is sealed in a game that is not final: its record as Mr. X sees it, or the content of one mail.

    The shape is `{"record": {...}}` or `{"mail": id, "content": text}`. A public event, and a mail to every player,
    are committed with it; without them nothing is returned.
    """
    with transaction():
        game = load(game_id, with_board=False)
        if game.status == "open":
            raise Problem("game-not-running", "This game has not begun; there is nothing sealed in it.")
        if game.final:
            raise Problem("game-not-running", "The result of this game is final, and everything in it is open already.")
        details = {"reason": check_reason(game, reason), "looked_at": "the game" if mail_id is None else "a mail"}
        told = carry_out(game, lambda draft: _tell(draft, details)).after
        if mail_id is None:
            return {"record": projection.record_for(told, "mr_x")}
        return {"mail": mail_id, "content": _content(told, mail_id)}


def _tell(draft: Draft, details: Mapping[str, str]) -> None:
    draft.publish("unsealed", **details)
    notices.post_to_all(draft, "unsealed", details)


def _content(game: Standing, mail_id: str) -> str:
    """Return the text of a mail of this game as it came or will go; raise a `Problem` when there is none."""
    incoming, outgoing = session.get(Incoming, mail_id), session.get(Outgoing, mail_id)
    mail = incoming or outgoing
    if mail is None or mail.game_id != game.id:
        raise Problem("not-found", f"There is no mail {mail_id} of this game; the lists of inbox and outbox name them.")
    raw = incoming.raw if incoming else outgoing.message if outgoing else None
    if raw is None:
        raise Problem("form", f"The content of mail {mail_id} is not kept: it was sent, or is not written yet.")
    return raw.decode(errors="backslashreplace")
