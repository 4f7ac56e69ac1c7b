"""Where the scenes of the fixed run begin: two pairs of games, and the places to which both worlds are brought."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from server.engine import Edition, Game
from tests.positions import position
from tests.worlds import browsing
from tests.worlds.histories import Pair
from tests.worlds.twins import Twin

# He shows himself on window 3, and is somewhere else on all others.
STARTS = {"purple": 29, "red": 103, "green": 26, "yellow": 94}


HIS_ONE = [50, "taxi 38", "black 24", "taxi 13", "double taxi 4 black 3", "bus 22"]


HIS_OTHER = [34, "taxi 22", "black 23", "taxi 13", "double taxi 23 black 67", "bus 102"]


THEIRS = [
    ["purple taxi 41", "red taxi 102", "green taxi 15", "yellow taxi 95"],
    ["purple taxi 28", "red taxi 83", "green bus 29", "yellow taxi 122"],
    ["purple taxi 41", "red taxi 101", "green taxi 42", "yellow bus 144"],
    ["purple taxi 54", "red taxi 114", "green taxi 72", "yellow bus 123"],
]


# The same from a position: two ways that meet in 106.
FROM_ONE = [91, "taxi 105", "bus 107", "taxi 106", "double taxi 107 black 105", "bus 72"]


FROM_OTHER = [117, "taxi 108", "bus 105", "taxi 106", "double taxi 105 black 87", "bus 41"]


FROM_THEIRS = [["red taxi 156", "green taxi 142"], ["red taxi 155", "green taxi 141"]] * 2


EDITION = Edition.named("ravensburger-2000")


@cache
def dealt() -> Pair:
    """A game of three that was dealt: Ben moves Purple and Red, Cleo Green and Yellow."""
    games = [Game(EDITION, 3, {"mr_x": his[0], **STARTS}) for his in (HIS_ONE, HIS_OTHER)]
    return _told(games, (HIS_ONE, HIS_OTHER), THEIRS)


@cache
def placed() -> Pair:
    """A game from a position: Ben moves Red, Cleo Green."""
    his = {"taxi": 4, "bus": 3, "black": 2, "double": 2}
    games = [
        Game.at(EDITION, position(way[0], red=155, green=141, his=his))  # type: ignore[arg-type]
        for way in (FROM_ONE, FROM_OTHER)
    ]
    return _told(games, (FROM_ONE, FROM_OTHER), FROM_THEIRS)


def _told(games: list[Game], his: tuple[list[int | str], list[int | str]], theirs: list[list[str]]) -> Pair:
    for game, way in zip(games, his, strict=True):
        for number, move in enumerate(way[1:]):
            for notation in (str(move), *(theirs[number] if number < len(theirs) else ())):
                game.play(notation)
    return Pair("any", *games)


class Scene(NamedTuple):
    """`before` brings the worlds to where `play` begins."""

    before: Callable[[Twin], None]
    play: Callable[[Twin], None]


def nothing(_twin: Twin) -> None:
    pass


def opened(twin: Twin) -> None:
    twin.open()


def begun(twin: Twin) -> None:
    """Mr. X has moved once, and everybody has his mail."""
    bring(twin, begun)


def start(twin: Twin) -> None:
    """Bring the worlds there from where the game is opened."""
    twin.start()
    twin.play()
    twin.tick()


def begun_on_a_page(twin: Twin) -> None:
    """Bring the worlds to the same place in a public game, in which Mr. X has begun a double move and not made it."""
    twin.open(visibility="public")
    twin.start()
    browsing.begins_a_double_move(twin)
    twin.play()
    twin.tick()


def seen(twin: Twin) -> None:
    """It is the detectives' turn for the fourth time: Mr. X has shown himself, and vanished by a double move."""
    bring(twin, seen)


def play_until_seen(twin: Twin) -> None:
    while twin.turn <= len(twin.pair.moves) - (len(twin.pair.one.pawns) + 1):
        twin.play()
    twin.play()
    twin.tick()


Act = Callable[[Twin], None]


# The places that are reached from an earlier place, and how.
EARLIER: Mapping[Act, tuple[Act, Act]] = {begun: (opened, start), seen: (begun, play_until_seen)}


def bring(twin: Twin, place: Act) -> None:
    """Bring the worlds to a place by way of the earlier one."""
    earlier, act = EARLIER[place]
    earlier(twin)
    act(twin)
