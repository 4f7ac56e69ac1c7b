"""The names of games, such as `Foggy Thames`, or of the host's choice.

Games with names of the server's, which somebody could take for each other, have different ones.
"""

from datetime import timedelta

from sqlalchemy import exists, or_, select

from server.application.people import names
from server.application.people.players import LONGEST_NAME, check_name
from server.models import Game, session
from server.runtime import now, runtime

FIRST = ("Foggy", "Rainy", "Silent", "Midnight", "Gaslit", "Hidden", "Winding", "Frosty", "Crooked", "Amber")
SECOND = ("Thames", "Chelsea", "Whitehall", "Soho", "Lambeth", "Mayfair", "Camden", "Pimlico", "Southwark", "Strand")
TIME = ("at Dawn", "by Night", "in Spring", "in Autumn", "on Sunday", "at Noon", "in the Rain", "after Dark")
KEPT = timedelta(days=30)  # after the end of a game; only then may another get its name
LONGEST = LONGEST_NAME
TRIES = 8  # with two words, before a time is added; then as many with it


def new() -> str:
    """Return a random name, such as `Foggy Thames`, that no open, running or lately ended game has.

    If it finds none in a few tries it adds a time: `Foggy Thames at Dawn`. If all of these are taken too, it returns
    the last one all the same.
    """
    rng = runtime().rng("name")
    name = ""
    for attempt in range(2 * TRIES):
        name = f"{rng.choice(FIRST)} {rng.choice(SECOND)}"
        if attempt >= TRIES:
            name += f" {rng.choice(TIME)}"
        if not _is_taken(name):
            break
    return name


def check(name: str) -> str:
    """Return `name` as that of a game may be, which strangers read in an invitation; `Problem` form or name-taken."""
    tidy = check_name(name)
    if names.is_ours(tidy):
        raise names.could_be_ours(tidy)
    return tidy


def _is_taken(name: str) -> bool:
    """Return True if a game that is not over, or that ended less than `KEPT` ago, has the name."""
    # Two EXISTS: each finds its games by the one index, and one with OR would read all games of that name.
    goes_on = exists().where(Game.name == name, Game.ended_at.is_(None))
    ended_lately = exists().where(Game.name == name, Game.ended_at > now() - KEPT)
    return bool(session.scalar(select(or_(goes_on, ended_lately))))
