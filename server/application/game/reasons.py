"""The reason for which an operator acts in a game; it stands in the game's log."""

import re

from sqlalchemy import select

from server.house_rules.standing import Standing
from server.models import Player, session
from server.vocabulary.errors import Problem
from server.vocabulary.lines import check_line

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
