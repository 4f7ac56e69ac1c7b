"""A mail of several lines tells nobody where Mr. X is: not by what is refused of it, nor by why."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from positions import position

from server.engine import Game, Move
from worlds import tour
from worlds.histories import Pair
from worlds.twins import Twin

TakeUp = Callable[[Callable[[], Pair]], Twin]


@cache
def beside() -> Pair:
    """Purple (Ben) stands on 46, beside Mr. X on 45 in one world; in the other he is on 90. Cleo moves Red."""
    games = [Game.at(tour.EDITION, position(start, purple=46, red=155)) for start in (58, 91)]
    return _pair(games, ("taxi 45", "taxi 90"), "purple taxi 45")


@cache
def both_pawns() -> Pair:
    """Ben moves Purple, on 29, and Red; Mr. X is on 15 in one world, a bus away, and on 187 in the other."""
    pawns = {"purple": 29, "red": 103, "green": 53, "yellow": 94}
    games = [Game(tour.EDITION, 3, {"mr_x": start, **pawns}) for start in (26, 198)]
    return _pair(games, ("taxi 15", "taxi 187"), "purple bus 15")


def _pair(games: list[Game], his: tuple[str, str], capture: str) -> Pair:
    for game, move in zip(games, his, strict=True):
        game.play(move)
    return Pair("last", *games, capture=Move.parse(capture))


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> TakeUp:
    """Return the two worlds of a pair as they stand when Mr. X has moved; they are made once for each pair."""
    made: dict[Callable[[], Pair], tuple[Twin, Any]] = {}

    def take_up(pair: Callable[[], Pair]) -> Twin:
        if pair not in made:
            twin = Twin(tmp_path_factory.mktemp("twin"), pair())
            tour.begun(twin)
            made[pair] = twin, twin.keep()
        twin, kept = made[pair]
        twin.restore(kept)
        twin.ask("Ben", "GET", "/legal-moves")  # the process has the game in its cache, as one that runs has
        return twin

    return take_up


@pytest.mark.parametrize(
    "text",
    [
        "purple taxi 45\nDRAW off\nSET zone Nowhere",
        "purple taxi 45\nSET zone Nowhere\nDRAW off",
        "purple taxi 45\nDRAW off\nINVITE Nobody",
        "purple taxi 45\nRESIGN\nCOVER blue",
    ],
)
def test_a_later_line_that_is_refused_does_not_tell_of_a_capture(begun: TakeUp, text: str):
    twin = begun(beside)
    twin.mail("Ben", text)
    twin.tick()
    assert twin.is_over or _nobody_has_moved(twin)


@pytest.mark.parametrize(
    "lines",
    [
        ("{capture}", "red taxi 199"),
        ("red taxi 199", "{capture}"),
    ],
    ids=["capture first", "capture last"],
)
@pytest.mark.parametrize("covers", [True, False], ids=["covers", "holds"])
def test_a_second_move_that_is_refused_does_not_tell_of_a_capture(begun: TakeUp, lines: tuple[str, ...], covers: bool):
    twin = begun(beside if covers else both_pawns)
    if covers:
        twin.ask("Cleo", "PUT", "/cover", {"seat": 2})
    twin.mail("Ben", "\n".join(lines).format(capture=twin.pair.capture))
    twin.tick()
    assert _nobody_has_moved(twin)


def _nobody_has_moved(twin: Twin) -> bool:
    """Return whether nothing followed Mr. X's move, in either world."""
    return all(world.asked("SELECT count(*) FROM moves") == [1] for world in twin.worlds)
