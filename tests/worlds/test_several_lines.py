"""A mail of several lines tells nobody where Mr. X is: not by what is refused of it, nor by why."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from server.engine import Game, Move
from tests.worlds import beginnings
from tests.worlds.histories import Pair
from tests.worlds.schedule import coming_moves, several_lines
from tests.worlds.stage import beside
from tests.worlds.twins import Twin

pytestmark = pytest.mark.sqlite("two worlds are compared by what lies in its file")

TakeUp = Callable[[Callable[[], Pair]], Twin]


@cache
def both_pawns() -> Pair:
    """Ben moves Purple, on 29, and Red; Mr. X is on 15 in one world, a bus away, and on 187 in the other."""
    pawns = {"purple": 29, "red": 103, "green": 53, "yellow": 94}
    games = [Game(beginnings.EDITION, 3, {"mr_x": start, **pawns}) for start in (26, 198)]
    for game, move in zip(games, ("taxi 15", "taxi 187"), strict=True):
        game.play(move)
    return Pair("last", *games, capture=Move.parse("purple bus 15"))


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> TakeUp:
    """Return the two worlds of a pair as they stand when Mr. X has moved; they are made once for each pair."""
    made: dict[Callable[[], Pair], tuple[Twin, Any]] = {}

    def take_up(pair: Callable[[], Pair]) -> Twin:
        if pair not in made:
            twin = Twin(tmp_path_factory.mktemp("twin"), pair())
            beginnings.begun(twin)
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


# Before the mails: nothing, a move that Cleo has sent ahead, a vote of hers; or Ben is asked before he moves.
BEFORE: tuple[Callable[[Twin], object], ...] = (
    lambda _twin: None,
    lambda twin: twin.submit("Cleo", {"notation": f"{twin.pair.one.pawns[-1]} {QUEUED[twin.pair.one.pawns[-1]]}"}),
    lambda twin: twin.ask("Cleo", "POST", "/votes", {"kind": "extend", "length": "P1D"}),
    lambda twin: twin.mail("Ben", "SET hold always"),
)
QUEUED = {"red": "taxi 156", "yellow": "taxi 95"}


@pytest.mark.parametrize("number", [4, pytest.param(400, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("pair", [beside, both_pawns])
def test_whatever_the_lines_of_a_mail_are_they_do_not_tell_where_mr_x_is(
    begun: TakeUp, pair: Callable[[], Pair], number: int
):
    for seed in range(number):
        rng = random.Random(f"{pair.__name__} {seed}")
        twin = begun(pair)
        BEFORE[seed % len(BEFORE)](twin)
        for _ in range(rng.choice((1, 2))):
            if not twin.is_over:
                twin.tick()
                twin.mail("Ben", several_lines(twin, rng, coming_moves(twin)))
                twin.tick()


def _nobody_has_moved(twin: Twin) -> bool:
    """Return whether nothing followed Mr. X's move, in either world."""
    return all(world.asked("SELECT count(*) FROM moves") == [1] for world in twin.worlds)
