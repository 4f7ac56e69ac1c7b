"""The parts of one running application, without its database: clock, random generators, keys, caches, wake-ups.

Everything that tests inject is here, see CONTRIBUTING.md; nothing else in the server reads a clock or makes random
numbers.
"""

import base64
import random
import secrets
import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from flask import current_app

from server.runtime.game_cache import GameCache
from server.runtime.kernel import is_clock_set
from server.runtime.keyring import Keyring
from server.runtime.lru import LRUCache
from server.runtime.outbound_urls import Resolver, resolve
from server.runtime.request_counts import RequestCounts
from server.runtime.wake_ups import WakeUps
from server.sealing.commitments import commitment
from server.settings import Network, Settings
from server.vocabulary.dns import DnsClient

RngFor = Callable[[str], random.Random]
MOST_VIEWS = 8_000_000  # bytes, some 800 views: of each player of 130 games
MOST_SEEN_TOKENS = 10_000
MOST_LINE_ENDS = 1024
MOST_ENDINGS = 64  # at most a hundred kilobytes each
MOST_PICTURES = 4_000_000  # bytes, at most half a megabyte each; none is ever on disk
_SYSTEM = secrets.SystemRandom()


def _bytes_of(view: Any) -> int:
    return len(view.text)


def utc_now() -> datetime:
    """Return the wall-clock time, in UTC."""
    return datetime.now(UTC)


def system_rng(_purpose: str) -> random.Random:
    """Return the generator of unpredictable numbers, for any purpose."""
    return _SYSTEM


class DiskUsage(Protocol):
    """The room on a disk, as `shutil.disk_usage` has it: the bytes that are free."""

    @property
    def free(self) -> int: ...


class DatabaseHabits(NamedTuple):
    """The habits of a process with its database.

    wal_is_safe: the first SQLite library in which two connections that write and checkpoint at once corrupt no WAL
    busy: milliseconds that a writer waits for another program's lock on the SQLite file
    probe: the same for a check if the database can be written
    lock: milliseconds that a statement waits on PostgreSQL for a lock, such as one on a whole table
    in_use: seconds that a thread waits for a connection to PostgreSQL while others use all of them
    sleep: waits so many seconds for another program that opens the SQLite file
    """

    wal_is_safe: tuple[int, int, int] = (3, 51, 3)
    busy: int = 30_000
    probe: int = 5_000
    lock: int = 8_000
    in_use: float = 10.0
    sleep: Callable[[float], object] = time.sleep


DATABASE_HABITS = DatabaseHabits()


@dataclass
class Runtime:
    """The parts of one application, without its database; `runtime()` returns those of the current application.

    rng: returns a random generator for each purpose, so that in a test one purpose does not shift another
    commit: `server.sealing.commitments.commitment`; a test of two worlds has one that does not depend on the value
    view_cache: games as they were last shown, by game and viewer
    storage: when this process last checked if anything can be stored, and what was wrong
    blocked_networks: when this process last read the networks that are blocked, and these with their ends
    seen_tokens: digests of tokens that were good when this process saw them; see `server.api.access`
    line_ends: ends of lines in mails, and whether they are commands
    pictures: pictures of boards, by what they show
    endings: boards and stories of the ends of games whose results are final, by game and version
    disk_usage: returns the room of the disk of a folder, as `shutil.disk_usage` does
    tell: tells the streams of this process, or of the other one of `serve`, of topics; see `server.models.topics`
    has_worker: whether a worker waits for the `wake_ups`, in this process or in the other one of `serve`
    has_listener: whether this process is a worker on PostgreSQL, which listens or waits to listen for wake-ups
    is_clock_set: whether something sets the clock of this machine, None where the system does not tell
    resolve: asks the name service for the addresses of a host; `dns` for everything else
    monotonic: a clock in seconds that nobody can set; `began` is its time when the application was made
    database_clock: returns the time of the database, by which all its processes reckon, over a connection of the
        driver; None where the clock of this machine is the database's as well
    ahead: how far the clock of this machine, `clock`, is ahead of the database's
    database: how this process waits for its database
    sleep: waits so many seconds, where a command waits
    host: the name of this machine
    process: the name of this process among those of a PostgreSQL, and when it began; None before it has said so
    differs: the settings in which a worker that began earlier differs from this one, which takes no mail therefore
    leases: those of the work under way, which are renewed; see `server.models.leases`
    handed_over: the leases of mails that were handed over, and are not recorded as sent yet
    examiner: examines the bytes of mails, see `server.mail.examination.supervisor`; None: this process does it
    """

    settings: Settings
    keyring: Keyring
    clock: Callable[[], datetime] = utc_now
    rng: RngFor = system_rng
    commit: Callable[..., str] = commitment
    wake_ups: WakeUps = field(default_factory=WakeUps)
    tell: Callable[[frozenset[str]], object] = lambda _topics: None
    has_worker: bool = False
    has_listener: bool = False
    game_cache: GameCache = field(default_factory=GameCache)
    view_cache: LRUCache[tuple[str, str], Any] = field(default_factory=lambda: LRUCache(MOST_VIEWS, _bytes_of))
    request_counts: RequestCounts = field(default_factory=RequestCounts)
    storage: tuple[float, str | None] | None = None
    blocked_networks: tuple[datetime, tuple[tuple[Network, datetime], ...]] | None = None
    seen_tokens: LRUCache[str, bool] = field(default_factory=lambda: LRUCache(MOST_SEEN_TOKENS))
    line_ends: LRUCache[str, bool] = field(default_factory=lambda: LRUCache(MOST_LINE_ENDS))
    pictures: LRUCache[tuple[object, ...], bytes] = field(default_factory=lambda: LRUCache(MOST_PICTURES, len))
    endings: LRUCache[tuple[str, str], Any] = field(default_factory=lambda: LRUCache(MOST_ENDINGS))
    disk_usage: Callable[[Path], DiskUsage] = shutil.disk_usage
    is_clock_set: Callable[[], bool | None] = is_clock_set
    resolve: Resolver = resolve
    dns: DnsClient = field(default_factory=DnsClient)
    monotonic: Callable[[], float] = time.monotonic
    began: float = field(default_factory=time.monotonic)
    database_clock: Callable[[Any], datetime] | None = None
    ahead: timedelta = timedelta(0)
    database: DatabaseHabits = DATABASE_HABITS
    sleep: Callable[[float], object] = time.sleep
    host: str = field(default_factory=socket.gethostname)
    process: tuple[str, datetime] | None = None
    differs: tuple[str, ...] = ()
    leases: set[Any] = field(default_factory=set)
    handed_over: set[Any] = field(default_factory=set)
    examiner: Any = None

    def new_id(self, of: str) -> str:
        """Return a public id: 80 random bits, which tell nothing about order or number. `of` names its kind."""
        return base64.b32encode(self.rng(f"id of {of}").randbytes(10)).decode().lower()

    def draw(self, *parts: object) -> random.Random:
        """Return a random generator that the parts and this server's secret determine, and neither of them alone."""
        seed = self.keyring.fingerprint("\0".join(["draw", *map(str, parts)]).encode())
        return random.Random(seed)  # noqa: S311 nobody sees more of its numbers than one move


def runtime() -> Runtime:
    """Return the runtime of the current application."""
    # Of the application itself, as its proxy takes ten times as long; a move asks twenty times, a mail thirty times.
    app = current_app._get_current_object()  # type: ignore[attr-defined] # noqa: SLF001 documented by Flask
    return app.extensions["blackticket"]  # type: ignore[no-any-return]


def now() -> datetime:
    """Return the time in UTC, by the clock of the database where that has one of its own."""
    parts = runtime()
    return parts.clock() - parts.ahead
