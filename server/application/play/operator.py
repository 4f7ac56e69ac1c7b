"""The operator in a game under way: their reason, which stands in the log, and the look at what is sealed."""

import re
from typing import Any

from sqlalchemy import select

from server.application.decisions.standing import Standing
from server.application.errors import Problem
from server.application.game import outbox_rows, projection
from server.application.game.access import locked
from server.application.game.events import record_event
from server.application.game.look import standing_of
from server.application.people.lines import check_line
from server.models import Game, Incoming, Outgoing, Player, session, transaction

LONGEST_REASON = 200
SHORTEST_NAME = 4  # characters of a name that a reason may not hold; shorter ones are parts of any text


def check_reason(game: Standing, reason: str, *newcomers: str) -> str:
    """Return the operator's reason as it may stand in the log for good: one line, which names no player.

    A player called "The" or "mail" takes no word from the operator: names of up to three characters do not count, and
    no name does where it stands in small letters, as a common word may. Events are chained and cannot be changed, and
    the account of a player must be free to go. `newcomers` are the ids of players who take a seat now.

    Raises:
        Problem: `form`.
    """
    tidy = check_line(reason, "A reason", LONGEST_REASON)
    people = {game.host_id, *(seat.player_id for seat in game.seats), *newcomers}
    names = session.scalars(select(Player.name).where(Player.id.in_(people)).order_by(Player.name))
    for name in names:
        if len(name) >= SHORTEST_NAME and _is_named(name, tidy):
            sentence = f"A reason stands in the game's log for good, so it names nobody; leave out {name}."
            raise Problem("form", f"{sentence} If you mean the common word, write it in small letters.")
    return tidy


def _is_named(name: str, text: str) -> bool:
    """Return True if `name` stands in `text` with a capital letter, or with a letter of a script that has none."""
    places = re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    return any(letter.isalpha() and not letter.islower() for place in places for letter in place)


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
