"""Random games of any edition with any mix of options, dealt or set up in the middle."""

import random
from functools import cache
from typing import Any

from server.engine import Board, Edition, Game, Move
from server.engine.errors import OptionError
from tests.engine.playing import any_move, crowded

# So many editions with options are made; to make one takes longer than to play a game.
_MIXES = 400


def random_game(rng: random.Random, near: bool = False, keen: bool = False) -> Game:
    """A game played to its end; `near` is dealt from cards of one quarter, for `keen` see `next_move`."""
    game = begin(rng, near)
    keen = keen or rng.random() < 0.5
    while game.outcome is None:
        game.play(next_move(game, rng, keen))
    return game


def random_game_until_a_capture(rng: random.Random) -> tuple[Game, Move]:
    """A game that stops before a detective takes Mr. X, and the move that does."""
    while True:
        game = begin(rng)
        while game.outcome is None:
            before, move = game.copy(), next_move(game, rng, keen=True)
            game.play(move)
            if is_caught(game) and move.pawn != "mr_x":
                return before, move


def is_caught(game: Game) -> bool:
    return game.outcome is not None and game.outcome.reason == "captured"


def begin(rng: random.Random, near: bool = False) -> Game:
    edition, players, mix = any_edition(rng.randrange(_MIXES), near)
    return Game.deal(edition, players, rng) if near or rng.random() < 0.5 else crowded(mix, rng)


def next_move(game: Game, rng: random.Random, keen: bool) -> Move:
    """Any legal move; keen detectives take Mr. X where they can, and he keeps his double moves for later."""
    if game.to_move != ("mr_x",):
        captures = [move for move in game.legal_moves() if move.station == game.station("mr_x")] if keen else []
        return captures[0] if captures else any_move(game, rng)
    for _ in range(8):
        move = any_move(game, rng)
        if not move.double or rng.random() < 0.1:
            break
    return move


@cache
def any_edition(number: int, near: bool) -> tuple[Edition, int, Any]:
    """An edition with a mix of options of its own, people for it, and all that as the engine's tests name it.

    `near`: all start cards are of one quarter, so that from several of them one station is reached.
    """
    rng = random.Random(f"{number} {near}")
    while True:
        name = rng.choice(Edition.names())
        options = any_options(rng, Edition.named(name), near)
        try:
            edition = Edition.named(name).with_options(**options)
        except OptionError:  # they do not go together
            continue
        players = rng.randint(*edition.option("players"))
        return edition, players, (name, players, options)


def any_options(rng: random.Random, edition: Edition, near: bool) -> dict[str, Any]:
    """Some options, each with any value it may have by itself."""
    windows = rng.choice([3, 6, 9, 13, 24])
    few = {kind: rng.randrange(4) for kind in ("taxi", "bus", "underground")}
    values = {
        "board": rng.choice(Board.names()),
        "cut_off": True,
        "voluntary_surfacing": True,
        "mr_x_onto_detective": "loses",
        "both_stuck": rng.choice(["mr_x", "draw", "detectives"]),
        "blocked": rng.choice(["retry", "out"]),
        "turn_order": rng.choice(["seats", "fixed", "any"]),
        "full_log_wins": rng.choice(["after_reply", "at_once", "no"]),
        "log_windows": windows,
        "surfacing": rng.sample(range(1, windows + 1), rng.randrange(min(windows, 6))),
        "max_rounds": rng.choice([1, 3, 8, None]),
        "black": rng.choice([0, 1, 3, 8, "per_pawn"]),
        "detective_tickets": few,
        "mr_x_tickets": {**few, "double": rng.randrange(4)},
        "mr_x_supply": rng.choice(["counted", "unlimited"]),
    }
    chosen = {option: value for option, value in values.items() if rng.random() < 0.3}
    if "surfacing" in chosen:
        chosen["log_windows"] = windows
    if near:
        board = Board.named(chosen.get("board", edition.option("board")))
        chosen["start_cards"] = quarter(board, rng, 20)
    return chosen


def quarter(board: Board, rng: random.Random, size: int) -> list[int]:
    """Stations near each other."""
    found = [rng.choice(list(board.stations))]
    for station in found:
        found += [stop for stop in board.reach["black"][station] if stop not in found]
        if len(found) >= size:
            break
    return sorted(found)[:size]
