"""Games in which bots play one side or both."""

import random
from functools import partial

from server import bots
from server.engine import Edition, Game

CONSTABLE, FUGITIVE = (partial(bots.choose, name) for name in ("constable", "fugitive"))


def at_level(name, level):
    """Return the bot of that name as a function of a view, its moves and chance."""
    return partial(bots.choose, name, level=level)


def by_chance(_view, moves, rng):
    return rng.choice(moves)


def played(edition, players, seed, detectives=CONSTABLE, mr_x=FUGITIVE):
    """Play a whole game; every bot gets the view of the pawn and its legal moves."""
    rng = random.Random(seed)
    game = Game.deal(edition, players, rng)
    while game.outcome is None:
        pawn = game.to_move[0]
        choose = mr_x if pawn == "mr_x" else detectives
        game.play(choose(game.view(pawn), game.legal_moves(pawn), rng))
    return game


def winners(name, games, **sides):
    """Return who won each game of six people with five detectives."""
    edition = Edition.named(name)
    return [played(edition, 6, seed, **sides).outcome.winner for seed in range(games)]
