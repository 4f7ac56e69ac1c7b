"""Helpers of the tests of the engine: random games, and the naive rules beside them."""

import random

from server.engine import Edition, Game

from . import naive

MIXES = [
    ("milton-bradley-1985", 3, {}),
    ("milton-bradley-1985", 4, {"turn_order": "any", "blocked": "out"}),
    ("milton-bradley-1985", 5, {"cut_off": True, "voluntary_surfacing": True}),
    ("milton-bradley-1985", 6, {"mr_x_onto_detective": "loses", "surfacing": []}),
    ("milton-bradley-1985", 6, {"voluntary_surfacing": True, "both_stuck": "draw", "black": 0}),
    ("milton-bradley-1985", 4, {"log_windows": 9, "full_log_wins": "at_once"}),
    ("milton-bradley-1985", 5, {"log_windows": 7, "full_log_wins": "no", "turn_order": "fixed"}),
    ("milton-bradley-1985", 6, {"mr_x_supply": "unlimited", "cut_off": True}),
    ("ravensburger-2000", 3, {}),
    ("ravensburger-2000", 5, {"max_rounds": 6}),
    ("ravensburger-2000", 4, {"cut_off": True, "mr_x_onto_detective": "loses"}),
    ("ravensburger-2000", 6, {"detective_tickets": {"taxi": 3, "bus": 2, "underground": 1}}),
    ("ravensburger-2000", 3, {"turn_order": "seats", "voluntary_surfacing": True}),
    ("condensed", 2, {}),
    ("condensed", 3, {"cut_off": True, "turn_order": "any", "mr_x_tickets": {"double": 6}}),
    ("condensed", 6, {"detective_tickets": {"taxi": 2, "bus": 1, "underground": 0}}),
    ("ravensburger-2013", 5, {}),
    ("ravensburger-2013", 6, {"cut_off": True, "blocked": "out"}),
]


def edition_of(mix):
    name, players, options = mix
    return Edition.named(name).with_options(**options), players


def crowded(mix, rng):
    """A game from a random position in a few streets, where pawns hem each other in."""
    edition, _ = edition_of(mix)
    board = edition.board
    dealt = rng.random() < 0.2
    his = rng.choice(edition.cards()[0] if dealt else list(board.stations))
    near = [his]
    while len(near) < 12:
        near += board.reach["black"][rng.choice(near)]
    others = sorted(set(near) - {his})
    stations = [his, *rng.sample(others, min(5, len(others)))]
    pawns = rng.sample(naive.ORDER, len(stations) - 1)
    few = rng.random() < 0.5
    log_used = 0 if dealt else rng.randrange(edition.option("log_windows") + 1)
    seen = {"window": log_used, "station": stations[0]} if log_used and rng.random() < 0.5 else None
    to_move = rng.choice(["mr_x", "mr_x", *pawns])
    others = [pawn for pawn in pawns if pawn != to_move]
    return Game.at(
        edition,
        {
            "mr_x": {
                "station": stations[0],
                "tickets": {
                    "taxi": rng.randrange(3),
                    "bus": rng.choice([0, 1, 3, None]),
                    "underground": rng.randrange(2),
                    "black": rng.randrange(3),
                    "double": rng.randrange(3),
                },
            },
            "detectives": [
                {
                    "pawn": pawn,
                    "station": station,
                    "tickets": {
                        "taxi": rng.randrange(2 if few else 6),
                        "bus": rng.randrange(2 if few else 6),
                        "underground": rng.randrange(2),
                    },
                }
                for pawn, station in zip(pawns, stations[1:], strict=True)
            ],
            "log_used": log_used,
            "to_move": to_move,
            "moved": [] if to_move == "mr_x" else rng.sample(others, rng.randrange(len(others) + 1)),
            "last_seen": seen,
            "dealt": dealt,
        },
    )


def dealt(mix, rng):
    edition, players = edition_of(mix)
    return Game.deal(edition, players, rng)


def naive_twin(game):
    """The same game under the naive rules."""
    options = game.edition.options
    pawns = [pawn for pawn in game.start.stations if pawn != "mr_x"]
    groups = {
        "any": [pawns],
        "fixed": [[pawn] for pawn in pawns],
        "seats": [list(seat) for seat in game.seats[1:]],
    }[options["turn_order"]]
    return naive.new_state(options, groups, game.start.to_json())


def any_move(game, rng, surfacing=0.3):
    """A random legal move; sometimes with a voluntary surfacing, where the edition has it."""
    move = rng.choice(game.legal_moves())
    if move.pawn != "mr_x" or not game.edition.option("voluntary_surfacing"):
        return move
    window = game.log_used + len(move.legs)
    if window in game.edition.option("surfacing") or rng.random() > surfacing:
        return move
    taken = []
    for pawn in game.pawns:
        held = [kind for kind, number in game.tickets(pawn).items() if number]
        if held:
            taken.append((pawn, rng.choice(held)))
    return move._replace(surface=tuple(taken))


def random_game(mix, seed, start=dealt):
    """The states of a random game, one after each move."""
    rng = random.Random(seed)
    game = start(mix, rng)
    yield game
    while game.outcome is None:
        game.play(any_move(game, rng))
        yield game
