"""Where deliberate leaks are looked for, and what catches each."""

import functools
import hashlib
import json
import random
from contextlib import nullcontext
from pathlib import Path

from server.engine import Game as Table
from server.engine import Move
from server.sealing import commitments
from tests.worlds import acts, beginnings, tour, trouble
from tests.worlds.beginnings import Scene
from tests.worlds.begun import Begun
from tests.worlds.histories import Pair
from tests.worlds.one_world import Difference, World
from tests.worlds.schedule import OUTLETS, SERVER, try_capture
from tests.worlds.switching import Leak
from tests.worlds.twins import Twin


def _watch(twin: Twin) -> None:
    """Somebody who is not signed in looks at the page of the game, and back, and a program previews its link."""
    for path in ("", "?window=1", "/board.svg", "/preview.png", "/replay"):
        twin.ask_whole(None, "GET", f"/games/{{game}}{path}", Accept="text/html")


def short(twin: Twin) -> None:
    """Everybody gets a mail, and looks."""
    twin.tick()
    acts.everybody_looks(twin, (*OUTLETS, *SERVER))


def tries(twin: Twin) -> None:
    """Everybody tries moves that are refused."""
    twin.tick()
    acts.everybody_tries(twin)


def around(twin: Twin) -> None:
    """One round of the detectives, and the move of Mr. X after it."""
    twin.tick()
    twin.submit("Ben", {"notation": "taxi 1"}, Idempotency_Key="turn 1")
    twin.mail("Ben", "STATUS\nLOG\nREPLAY")
    twin.tick()
    while twin.play("key") != "Ada":
        pass
    twin.submit("Ben", {"notation": "taxi 1"}, Idempotency_Key=f"turn {twin.turn - 1}")
    twin.tick()
    acts.everybody_looks(twin, OUTLETS[:5])


def _begun(twin: Twin) -> None:
    """Begin as `beginnings.begun` does, with a second game beside it that waits for players."""
    twin.open()
    twin.ask(
        "Gus",
        "POST",
        "/api/v1/games",
        {"edition": "condensed", "players": 2, "label": "second", "visibility": "public"},
    )
    twin.start()
    twin.play("key")


def _first_move(twin: Twin) -> None:
    twin.open()
    twin.ask("Ben", "POST", "/api/v1/webhooks", {"url": "https://ben.example.org/"})
    twin.ask("Cleo", "POST", "/api/v1/webhooks", {"url": "https://ntfy.example.org/a", "format": "ntfy"})
    twin.start()


def _moves_once(twin: Twin) -> None:
    twin.play("key")
    twin.tick()


def _from_first_move(twin: Twin) -> None:
    _moves_once(twin)
    acts.everybody_looks(twin, OUTLETS)


def _fails(twin: Twin) -> None:
    """A request, the relay and the worker fail with an error that tells where Mr. X is."""
    for target, path in trouble.FAULTS:
        with twin.failing(target):
            twin.ask("Ben", "GET", path)
    twin.mail("Cleo", "STATUS")
    trouble.post_fails(twin)
    with twin.failing("server.worker.deadlines.fire"):
        twin.wait(hours=40)


def _complains(twin: Twin) -> None:
    """Somebody complains to the operator with a mail of Mr. X's."""
    twin.both("somebody complains with a mail of Mr. X's", acts.complains_with_his)
    twin.tick()


def _acts_in_one_world(twin: Twin) -> None:
    """Mr. X asks and writes in one world alone; then a few look where a count of all that was done would show."""
    tour.act_in_one_world(twin, random.Random(5))
    twin.ask("Ada", "GET", "")
    for path in ("", "/readyz", "/dev/mail"):
        twin.ask("Ben", "GET", path)
    twin.command("doctor")
    trouble.machine_looks(twin)
    twin.play()
    twin.mail("Ben", "STATUS")
    twin.tick()


def _to_the_end(twin: Twin) -> None:
    """Nobody moves until the game is over, provisionally, and everybody looks."""
    while twin.status == "running":
        twin.wait(hours=49)
    acts.everybody_looks(twin, OUTLETS[:6])


@functools.cache
def chased() -> Pair:
    """Red stands beside where Mr. X is in the first world, and not where he is in the second."""
    from tests.positions import position

    ways = ((91, "taxi 105"), (117, "taxi 108"))
    games = [Table.at(beginnings.EDITION, position(start, red=89, green=141)) for start, _ in ways]
    for game, (_, move) in zip(games, ways, strict=True):
        game.play(move)
    return Pair("last", *games, capture=Move.parse("red taxi 105"))


@functools.cache
def beside() -> Pair:
    """Purple (Ben) stands on 46, beside Mr. X on 45 in the first world; in the second he is on 90. Cleo moves Red."""
    from tests.positions import position

    games = [Table.at(beginnings.EDITION, position(start, purple=46, red=155)) for start in (58, 91)]
    for game, move in zip(games, ("taxi 45", "taxi 90"), strict=True):
        game.play(move)
    return Pair("last", *games, capture=Move.parse("purple taxi 45"))


def _several_lines(twin: Twin) -> None:
    """The move that takes Mr. X in one world only, with lines behind it that are refused; it is never made."""
    for line in ("SET zone Nowhere", "red taxi 199"):
        twin.mail("Ben", f"{twin.pair.capture}\nDRAW off\n{line}")
        twin.tick()


SCENES = {
    "short": (beginnings.dealt, Scene(_begun, short)),
    "tries": (beginnings.dealt, Scene(_begun, tries)),
    "around": (beginnings.dealt, Scene(_begun, around)),
    "sight": (beginnings.dealt, Scene(beginnings.seen, lambda twin: acts.everybody_looks(twin, OUTLETS))),
    "first": (beginnings.dealt, Scene(_first_move, _from_first_move)),
    "at rest": (beginnings.dealt, Scene(_first_move, _moves_once)),
    "placed": (beginnings.placed, Scene(_first_move, _from_first_move)),
    "chase": (beside, Scene(beginnings.begun, try_capture)),
    "several": (beside, Scene(beginnings.begun, _several_lines)),
    "reminded": (beginnings.dealt, Scene(beginnings.begun, lambda twin: twin.wait(hours=37))),
    "house": (beginnings.dealt, Scene(beginnings.begun, lambda twin: twin.wait(hours=49))),
    "ended": (beginnings.dealt, Scene(beginnings.begun, _to_the_end)),
    "watched": (beginnings.dealt, Scene(beginnings.begun_on_a_page, _watch)),
    "private": (beginnings.dealt, Scene(beginnings.begun, _acts_in_one_world)),
    "faults": (beginnings.dealt, Scene(beginnings.begun, _fails)),
    "abuse": (beginnings.dealt, Scene(beginnings.begun, _complains)),
    "operator": (beginnings.dealt, tour.SCENES["operator"]),
}


class Stage:
    """The worlds in which leaks are looked for."""

    def __init__(self, folder: Path) -> None:
        self._begun = Begun(folder)

    def close(self) -> None:
        """Let go of all worlds."""
        self._begun.close()

    def run(self, leak: Leak | None, scene: str = "") -> str | None:
        """Return the outlet or the check that catches the leak, or None."""
        name = leak.scene if leak else scene
        pair, found = SCENES[name]
        twin = self._begun.take_up(pair, found.before, noise=name == "private")
        try:
            with leak.on() if leak else nullcontext():
                found.play(twin)
                twin.tick() if not twin.is_over else None
                for world in twin.worlds:
                    check_at_rest(world)
                check_salt()
        except Difference as difference:
            return f"{difference.outlet}"
        return None


def check_at_rest(world: World) -> None:
    """Neither where Mr. X is nor a plain hash of what he sent lies in the database."""
    file = b"".join(path.read_bytes() for path in sorted(world.folder.glob("blackticket.db*")) if path.is_file())
    moves = world.lived.history
    his = [(number, str(move)) for number, move in enumerate(moves, 1) if move.pawn == "mr_x" and not move.double]
    for turn, notation in his:
        if notation.encode() + b" " * 8 in file or f'"{notation}"'.encode() in file:
            surfaced = world.lived.log[_window(world.lived, turn)].surfaced
            if not surfaced:
                raise Difference("at rest", f"{notation} lies in the file of the database")
    path = f"/api/v1/games/{world.game}/moves"
    for turn, notation in his:
        body = json.dumps({"turn": turn, "notation": notation}).encode()
        for query in ("?", ""):
            for text in (path.encode() + query.encode() + b"\0" + body, body):
                if hashlib.sha256(text).hexdigest().encode() in file:
                    raise Difference("at rest", "a plain hash of a move lies in the database")


def _window(game: Table, turn: int) -> int:
    return sum(len(move.legs) for move in game.history[:turn] if move.pawn == "mr_x") - 1


def check_salt() -> None:
    """Two games commit to one station by two hashes, whatever else is the same."""
    one, other = (commitments.commitment(key * 32, "game", commitments.STATION, 3, 46) for key in (b"1", b"2"))
    if one == other:
        raise Difference("commitment", "the commitments of two games to one station are the same")
