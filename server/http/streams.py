"""Streams (Server-Sent Events): answers without an end that say when to ask. The event loop holds them, and no thread.

The application checks who asks, and says what they may hear of, see `answer`. A stream names a game, and nothing else:
its page asks for news as ever. It ends after a while, or when rights may have ended, and its reader asks for another.
"""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from flask import Response, request
from tornado.http1connection import HTTP1Connection
from tornado.iostream import IOStream

ALIVE = b":\n\n"


class Bounds(NamedTuple):
    """The bounds of streams: how many, and seconds.

    most: of all; half of them are kept for people with a seat
    of_player, of_address: of one player, of an address without one
    heartbeat: between two signs of life, as proxies cut an answer that is silent for 60
    life: until rights are checked again, whatever happens
    between_spectators: between two who are told, as their pages would ask all at once
    back: milliseconds after which a stream that ended is asked for again, at least
    """

    most: int = 2_000
    of_player: int = 12
    of_address: int = 30
    heartbeat: float = 25.0
    life: float = 600.0
    between_spectators: float = 0.03
    back: int = 1_500


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Watch:
    """The news that a stream is told of.

    kind, name: for whom it counts: a player, or an address
    topics: see `server.models.topics`
    is_seated: whether it is for a player with a seat; half of the places are kept for these
    """

    kind: str
    name: str
    topics: frozenset[str]
    is_seated: bool


@dataclass(slots=True)
class Offer:
    """The server's offer to hold an answer open, in the environ of a request; `watch` takes it."""

    KEY = "blackticket.stream"
    watch: Watch | None = None


def answer(watch: Watch) -> Response:
    """Return the answer to a request that the server holds open as a stream; an empty 204 where it has no streams."""
    offer: Offer | None = request.environ.get(Offer.KEY)
    if offer is None:
        return Response(status=204)
    offer.watch = watch if request.method == "GET" else None  # the answer to a HEAD is the beginning, and ends
    return Response(mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"})


@dataclass(slots=True, eq=False)
class _Open:
    connection: HTTP1Connection
    stream: IOStream
    watch: Watch
    until: float

    def write(self, what: bytes) -> None:
        """Write, or close the connection of a client that has not even read what was written before."""
        if self.stream.writing():
            self.stream.close()
        elif not self.stream.closed():
            self.connection.write(what)


class Streams:
    """The open streams of this process; all its methods run on the event loop."""

    def __init__(self, bounds: Bounds = BOUNDS) -> None:
        self._bounds = bounds
        self.hears = False  # while nobody tells of news here, pages ask by themselves
        self._open: dict[IOStream, _Open] = {}
        self._on: defaultdict[str, set[_Open]] = defaultdict(set)  # by topic
        self._of: Counter[tuple[str, str]] = Counter()  # by for whom they count
        self._seated = 0
        self._queue: dict[tuple[_Open, str], None] = {}  # spectators to tell, each once
        self._turn: asyncio.TimerHandle | None = None
        self._beating: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._open)

    def has_room(self, watch: Watch) -> bool:
        """Return True if one more may be open for whom it counts."""
        bounds, others = self._bounds, len(self._open) - self._seated
        is_free = len(self._open) < bounds.most and (watch.is_seated or others < bounds.most // 2)
        most = bounds.of_player if watch.kind == "player" else bounds.of_address
        return self.hears and is_free and self._of[watch.kind, watch.name] < most

    def first(self) -> bytes:
        """Return the first bytes of a stream: when its reader asks for another behind its end."""
        return self._back_in(self._bounds.back)

    def _back_in(self, spread: int) -> bytes:
        """Return that a reader asks again within a while, so that not all come at once that were cut off together."""
        return b"retry: %d\n\n" % (self._bounds.back + random.randrange(spread))  # noqa: S311 no secret

    def begin(self, connection: HTTP1Connection, stream: IOStream, watch: Watch) -> None:
        """Tell of news from now on; the head of the answer is written."""
        until = asyncio.get_running_loop().time() + self._bounds.life * random.uniform(0.8, 1)  # noqa: S311 no secret
        self._open[stream] = opened = _Open(connection, stream, watch, until)
        self._of[watch.kind, watch.name] += 1
        self._seated += watch.is_seated
        for topic in watch.topics:
            self._on[topic].add(opened)
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat())

    def forget(self, stream: IOStream) -> None:
        """Forget the stream of a connection, if it has one."""
        if (opened := self._open.pop(stream, None)) is None:
            return
        key = opened.watch.kind, opened.watch.name
        self._of[key] -= 1
        if not self._of[key]:
            del self._of[key]
        self._seated -= opened.watch.is_seated
        for topic in opened.watch.topics:
            self._on[topic].discard(opened)
            if not self._on[topic]:
                del self._on[topic]

    def tell(self, topics: Iterable[str]) -> None:
        """Tell those who may hear of these topics: players at once, spectators one after the other."""
        told, ending = set(), set()
        for topic in topics:
            game, _, whose = topic.partition(".")
            if game and (whose or "." not in topic):
                told |= {(opened, game) for opened in self._on.get(topic, ())}
            else:
                ending |= self._on.get(topic, set())
        for opened, game in told:
            if opened.watch.is_seated:
                opened.write(_said(game))
            else:
                self._queue[opened, game] = None
        if self._turn is None:
            self._tell_next()
        for opened in ending:
            self._end(opened)

    def _tell_next(self) -> None:
        self._turn = None
        if self._queue:
            opened, game = next(iter(self._queue))
            del self._queue[opened, game]
            if opened.stream in self._open:
                opened.write(_said(game))
            self._turn = asyncio.get_running_loop().call_later(self._bounds.between_spectators, self._tell_next)

    def end_all(self) -> None:
        """End all of them; their readers come back one after the other."""
        every = [*self._open.values()]
        for opened in every:
            opened.write(self._back_in(self._bounds.back + 10 * len(every)))
            self._end(opened)

    def _end(self, opened: _Open) -> None:
        self.forget(opened.stream)
        if not opened.stream.closed():
            opened.connection.finish()

    async def _beat(self) -> None:
        """Say at times that the server is there, so that proxies wait on, and clients that are gone are noticed."""
        while self._open:
            every = [*self._open.values()]
            for number, opened in enumerate(every):
                if number % 100 == 0:  # so that nobody waits for all of them
                    await asyncio.sleep(self._bounds.heartbeat / (1 + len(every) // 100))
                if opened.stream not in self._open:
                    continue
                if opened.until <= asyncio.get_running_loop().time():
                    self._end(opened)
                else:
                    opened.write(ALIVE)
        self._beating = None


def _said(game: str) -> bytes:
    return f"data: {game}\n\n".encode()
