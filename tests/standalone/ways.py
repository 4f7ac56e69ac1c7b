"""Ways to tamper with a transcript, as tables: a name, and a function that does it or finds nothing to change.

Each gets a transcript of its own, chance, and the transcript of another game; it returns what came of it, or None. The
functions are in tampering.py and tampering_ends.py.
"""

import random

from .transcripts import honest

# From which another game is taken.
GAMES = 60

# The chain is left as it was: only the head tells, unless the rules do before.
LEFT = {}
# The chain is made anew, with every commitment where need be: only the rules and the opening tell.
RELINKED = {}
# The chain is made anew, and what comes out might have been an honest game: only a mail of the true one tells.
SEEN_IN_MAILS = {}

# No tampering, so not in the tables. `name` is for people and not bound. Mails apart, a game may as well have had
# another edition's name over the same options, an option that never came to bear, other times that do not go back, a
# move by the house instead of a player, other events without a part in the game, a reason outside the rules (who
# won a game that was given up), or no last move before it was given up. All of it is bound by the chain; so it is in
# LEFT and SEEN_IN_MAILS.


def into(table):
    def keep(function):
        table[function.__name__.replace("_", " ")] = function
        return function

    return keep


def tampered(table, name, seed):
    """(true transcript, what came of it) of the first random game from `seed` on to which `name` can be done."""
    found, number = None, seed
    while found is None:
        rng = random.Random(f"{name} {number}")
        found = table[name](honest(number), rng, honest(rng.randrange(GAMES)))
        number += 1
    return honest(number - 1), found
