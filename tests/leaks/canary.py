"""A board whose station numbers occur nowhere else, and a net that finds them wherever they turn up.

A game on this board is one on the London board, station for station. But a number of a station in a log line or a
file can be nothing else, so that a search for it is exact.
"""

import hashlib
import io
import logging
import os
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Set
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from server import engine
from server.application.game.look import standing_of
from server.application.game.state import rebuild
from server.engine import board, options, refusals
from server.engine.ticket_kinds import PLAIN
from server.language import moves as mailed_moves
from server.models import Game, db, session
from server.runtime import DatabaseHabits
from server.runtime.lru import LRUCache
from server.wording.situation import MOST_PLACES
from tests import databases
from tests.table import Person, Playing, Table

LONDON = engine.Board.named("london")
# In the same order as the stations they stand for, so that all lists keep theirs.
LABELS: dict[int, int] = dict(
    zip(LONDON.stations, sorted(random.Random(46).sample(range(100_000, 1_000_000), 199)), strict=True)
)
OPTIONS = {"board": "canary", "start_cards": [LABELS[station] for station in LONDON.start_cards]}
KEY = "the key of a server that is only a test"

# The board ----------------------------------------------------------------------------------------


def canary() -> engine.Board:
    """London with the stations renumbered."""
    at = LABELS.__getitem__
    lines: dict[str, dict[int, list[int]]] = {transport: defaultdict(list) for transport in LONDON.lines}
    for transport, pairs in LONDON.lines.items():
        for a, b in pairs:
            lines[transport][at(a)].append(at(b))
    passes: dict[str, list[Any]] = defaultdict(list)
    for (transport, a, b), over in LONDON.passes_over.items():
        if a < b:
            passes[transport].append((at(a), at(b), [at(station) for station in over]))
    return engine.Board(
        {
            "name": "canary", "width": LONDON.size[0], "height": LONDON.size[1], "lines": lines,
            "stations": {at(number): point for number, point in LONDON.stations.items()},
            "passes_over": passes, "start_cards": OPTIONS["start_cards"],
        }
    )  # fmt: skip


class Pictures(LRUCache[tuple[object, ...], bytes]):
    """A cache that has every picture, as the ground of this board was never drawn: the same for what shows the same."""

    def get(self, key: tuple[object, ...]) -> bytes:
        shown = [sorted(part) if isinstance(part, Set) else part for part in key if not isinstance(part, engine.Board)]
        return b"\x89PNG" + hashlib.sha256(repr(shown).encode()).digest()


@contextmanager
def canary_board() -> Iterator[None]:
    """Within, the board can be chosen by its name, and mails are read up to its longer numbers."""
    ours, load = canary(), board._load
    names = (*board.NAMES, ours.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board, "NAMES", names)
        patch.setattr(board, "_load", lambda name: ours if name == ours.name else load(name))
        patch.setitem(options.OPTIONS, "board", options._choice(*names))  # type: ignore[arg-type]
        patch.setattr(mailed_moves, "STATION_DIGITS", 6)
        # Between these numbers are a million that no station has, and a refusal would name each.
        patch.setattr(refusals, "_gap", lambda _state: ())
        yield


def placed(position: dict[str, Any]) -> dict[str, Any]:
    """A position of the London board on this one."""
    his = {**position["mr_x"], "station": LABELS[position["mr_x"]["station"]]}
    theirs = [{**pawn, "station": LABELS[pawn["station"]]} for pawn in position["detectives"]]
    return {**position, "mr_x": his, "detectives": theirs}


# What is secret -----------------------------------------------------------------------------------


def truth(table: Table, game_id: str) -> engine.Game:
    """The whole game, as only the rules know it."""
    with table.app.app_context():
        return rebuild(standing_of(session.get_one(Game, game_id)))


def secrets_of(played: engine.Game) -> set[int]:
    """The stations Mr. X was on that nobody else has any reason to be told of."""
    his = {played.start.stations["mr_x"]} | {
        leg.station for move in played.history if move.pawn == "mr_x" for leg in move.legs
    }
    return his - public_in(played)


def public_in(played: engine.Game) -> set[int]:
    """The stations that others are told of in a game, for whatever reason.

    Those on start cards; those of detectives, and the next stops, which are their choices; those he has shown or was
    caught on; and those the log allows him, when they are so few that mails name them.
    """
    game = _begun(played)
    public = {card for cards in game.edition.cards() for card in cards} | _around(game)
    for move in played.history:
        game.play(move)
        possible = engine.deduce(game.view("spectator"))
        public |= _around(game) | (possible if len(possible) <= MOST_PLACES else frozenset())
    shown = {window.station for window in game.log if window.surfaced}
    caught = {game.station("mr_x")} if game.outcome and game.outcome.reason == "captured" else set()
    return public | shown | caught


def _begun(played: engine.Game) -> engine.Game:
    if played.position:
        return engine.Game.at(played.edition, played.position)
    return engine.Game(played.edition, played.players, played.starts)


def _around(game: engine.Game) -> set[int]:
    reach, stations = game.edition.board.reach, [game.station(pawn) for pawn in game.pawns]
    return {*stations, *(stop for at in stations for line in PLAIN for stop in reach[line][at])}


# The net ------------------------------------------------------------------------------------------

_PIECE, _MARGIN = 4096, 64
# Written so that most bytes are passed over at once: nothing behind is looked at, and a digit comes first.
_DIGITS = re.compile(rb"[0-9]{6,}")
_WIDE = re.compile(rb"[0-9]\0[0-9]\0[0-9]\0[0-9]\0[0-9]\0[0-9]\0")
_RUN = re.compile(rb"[0-9A-Fa-f]*")


class Net:
    """Remembers where numbers of stations turned up: in which kind of place, and how it read there."""

    def __init__(self) -> None:
        self.found: dict[int, dict[str, str]] = defaultdict(dict)
        self.looked: Counter[str] = Counter()
        self._labels = set(LABELS.values())
        self._seen: set[tuple[str, bytes]] = set()

    def look(self, place: str, data: str | bytes) -> None:
        """Look through what came out at `place`, text as UTF-8 and as UTF-16."""
        self.looked[place] += 1
        content = data.encode(errors="replace") if isinstance(data, str) else data
        # Piece by piece, since nearly all of a database is as it was at the commit before.
        for start in range(0, len(content), _PIECE):
            first = max(start - _MARGIN, 0)
            piece = content[first : start + _PIECE + _MARGIN]
            if (place, piece) not in self._seen:
                self._seen.add((place, piece))
                self._look_at(place, piece, range(start - first, start - first + _PIECE))

    def _look_at(self, place: str, piece: bytes, within: range) -> None:
        for at, number in numbers(piece, self._labels):
            if at in within:
                around = piece[max(at - 60, 0) : at + 30].decode("latin-1")
                self.found[number].setdefault(place, around)

    def caught(self, secrets: Collection[int], *places: str) -> dict[int, dict[str, str]]:
        """The secrets that turned up, at the places named or anywhere, and how each read."""
        return {
            label: there
            for label in secrets
            if (there := {p: text for p, text in self.found.get(label, {}).items() if p in places or not places})
        }


def numbers(content: bytes, wanted: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield each of the `wanted` numbers of six digits in `content`, as where it stands and what it is.

    None in a longer run of hexadecimal digits: a hash may hold any number.
    """
    for match in _DIGITS.finditer(content):
        if len(match[0]) != 6 or int(match[0]) not in wanted:
            continue
        start, end = match.span()
        before = _RUN.match(content[max(start - 6, 0) : start][::-1])
        after = _RUN.match(content[end : end + 6])
        assert before is not None
        assert after is not None
        if len(before[0]) + len(after[0]) < 6:
            yield start, int(match[0])
    if b"\0" in content:
        wide = ((match.start(), int(match[0].replace(b"\0", b""))) for match in _WIDE.finditer(content))
        yield from ((at, number) for at, number in wide if number in wanted)


# The table ----------------------------------------------------------------------------------------


class Watched:
    """A table on the canary board with a net below all that is written. `hider` is Mr. X in all its games."""

    def __init__(self, folder: Path, net: Net, habits: DatabaseHabits) -> None:
        self.net = net
        self.var = folder / "var"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        parts = {"database": habits}
        self.table = Table(self.var, parts=parts, sandbox="1", min_turn="PT1S", secret_key=KEY)
        self.table.runtime.pictures = Pictures(0)
        self.hider = self.table.person("Ada")

    def look_at_files(self, *_: Any) -> None:
        """Every file there is at this moment, as bytes: the database, its journal, what is temporary."""
        for place, folder in (("file", self.var), ("temporary file", self.temporary)):
            there = list(folder.rglob("*"))
            self.net.look(place, "\n".join(path.name for path in there))
            for path in there:
                if path.is_file():
                    self.net.look(place, path.read_bytes())

    def look_at_dump(self) -> None:
        """Every column of every table as text."""
        for name, found in databases.rows(self.table.app).items():
            for row in found:
                shown = {column: v.hex() if isinstance(v, bytes) else v for column, v in row.items()}
                self.net.look("dump", f"{name}: {shown}")

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Within, everything that is written is looked at, and everybody logs all there is to log."""
        with ExitStack() as stack:
            stack.enter_context(_temporary_files_in(self.temporary))
            printed = io.StringIO()
            stack.enter_context(redirect_stdout(printed))
            stack.enter_context(redirect_stderr(printed))
            stack.enter_context(logging_all(self.table, self.net))
            event.listen(Engine, "commit", self.look_at_files)
            stack.callback(event.remove, Engine, "commit", self.look_at_files)
            yield
            self.look_at_files()
            self.look_at_dump()
            self.net.look("printed", printed.getvalue())


@contextmanager
def watched(folder: Path, habits: DatabaseHabits | None = None) -> Iterator[Watched]:
    """A watched table while it is watched."""
    with canary_board():
        watch = Watched(folder, Net(), habits or DatabaseHabits())
        with watch.watching():
            yield watch
        with watch.table.app.app_context():
            session.remove()
            db.engine.dispose()


@contextmanager
def logging_all(table: Table, net: Net) -> Iterator[None]:
    """Within, all loggers log at the lowest level, the database's echo is on, and the net sees every record."""
    root = logging.getLogger()
    before, level, root.handlers = root.handlers, root.level, [_Eye(net)]
    root.setLevel(logging.DEBUG)
    quiet = {name: logging.getLogger(name).level for name in ("sqlalchemy", "werkzeug", "mail", "tornado", "server")}
    for name in quiet:
        logging.getLogger(name).setLevel(logging.DEBUG)
    with table.app.app_context():
        db.engine.echo = db.engine.pool.echo = "debug"
    for name in ("sqlalchemy.engine.Engine", "sqlalchemy.pool.impl.QueuePool"):
        logging.getLogger(name).handlers.clear()  # the echo adds one of its own, which prints
    try:
        yield
    finally:
        with table.app.app_context():
            db.engine.echo = db.engine.pool.echo = False
        root.handlers = before
        root.setLevel(level)
        for name, was in quiet.items():
            logging.getLogger(name).setLevel(was)


class _Eye(logging.Handler):
    def __init__(self, net: Net) -> None:
        super().__init__(logging.DEBUG)
        self.net = net

    def emit(self, record: logging.LogRecord) -> None:
        self.net.look("log", self.format(record))
        self.net.look("log", repr(record.args))


@contextmanager
def _temporary_files_in(folder: Path) -> Iterator[None]:
    before, tempfile.tempdir = tempfile.tempdir, os.fspath(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", os.fspath(folder))  # for other processes
        yield
    tempfile.tempdir = before


def seated(table: Table, people: list[Person], **wanted: Any) -> Playing:
    """A running game on the canary board; the first of the people is Mr. X."""
    return table.game(people, options={**OPTIONS, **wanted.pop("options", {})}, **wanted)
