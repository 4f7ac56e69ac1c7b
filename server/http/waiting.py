"""Requests that wait for news without a thread.

The application answers a request that has nothing new to tell, and asks with `hold` that the answer be held back. The
server then looks once a second if anything has changed that such requests wait for, with one call for all of them. If
it has, the application is asked again, and checks everything again; if not, the answer goes out when the time is up.
docs/decisions/0030 says why.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tornado.iostream import IOStream

from server.faults import fault

log = logging.getLogger(__name__)
KEY = "blackticket.held"
LOOKS = 1.0  # seconds between two looks if anything has changed
# One thread answers the waiting readers one after the other. After each it rests for a multiple of the time that it
# worked: nine times while requests come that may change something, so that news for many readers takes a tenth of one
# processor; once in quiet times.
REST, REST_IN_QUIET = 9.0, 1.0
QUIET = 2.0  # seconds since the last request that may change something
WORK_OF_NEWS = 12.0  # of a reader who is told and then loads the page, as a multiple of that of one who waits on
LONGEST_REST = 2.0  # seconds
Marks = Callable[[Collection[str]], Mapping[str, str]]


class HeldRequest:
    """A request whose answer may be held; `marks` is what it waits for, with the marks that the application saw."""

    def __init__(self) -> None:
        self.marks: Mapping[str, str] = {}
        self.is_repeated = False
        self.is_postponed = False
        self._until: float | None = None

    def hold(self, marks: Mapping[str, str], seconds: float) -> None:
        """Hold the answer back until a mark is another one; for so many seconds from when this was first called."""
        self.marks = marks
        if self._until is None:
            self._until = time.monotonic() + seconds

    @property
    def is_held(self) -> bool:
        """Return True if the answer does not go out yet."""
        return self.is_postponed or bool(self.marks)

    @property
    def seconds(self) -> float:
        """Return for how many seconds the request still waits."""
        return 0.0 if self._until is None else self._until - time.monotonic()

    def is_news(self, marks: Mapping[str, str]) -> bool:
        """Return True if one of these marks is not the one that the application saw."""
        return any(marks.get(name) != mark for name, mark in self.marks.items())


def hold(environ: Mapping[str, Any], marks: Mapping[str, str], seconds: float) -> bool:
    """Ask the server to hold the answer to this request back; return False if it cannot, and sends it at once."""
    held: HeldRequest | None = environ.get(KEY)
    if held is None or seconds <= 0:
        return False
    held.hold(marks, seconds)
    return True


def postpone(environ: Mapping[str, Any]) -> None:
    """Let the answer to a request with news wait for its turn: the server asks the application again then."""
    held: HeldRequest | None = environ.get(KEY)
    if held is not None and not held.is_repeated:
        held.is_postponed = True


def is_repeated(environ: Mapping[str, Any]) -> bool:
    """Return True if the application has been asked for this request before, so that it counts no more."""
    held: HeldRequest | None = environ.get(KEY)
    return held is not None and held.is_repeated


class HeldRequests:
    """The requests that wait. All methods belong to the thread of the event loop."""

    def __init__(self, marks: Marks | None, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the function that returns the marks of what is waited for; without one no request waits."""
        self._marks = marks
        self._clock = clock
        self._gave_way = -QUIET
        self._thread = ThreadPoolExecutor(1, "news")
        self._waiting: dict[HeldRequest, asyncio.Future[bool]] = {}
        self._of_stream: dict[IOStream, HeldRequest] = {}
        self._looking: asyncio.Task[None] | None = None
        self._gate = asyncio.Lock()  # of the thread; it is also shut while the thread rests
        self._resting: asyncio.TimerHandle | None = None
        self._is_closing = False

    async def hold(self, stream: IOStream, held: HeldRequest, answer: Any, ask: Callable[[], Any]) -> Any:
        """Return the answer to a request: what `ask` returns once there may be news, or `answer` if none comes."""
        while not stream.closed() and await self._wait(stream, held):
            answer = await self._ask_again(stream, held, answer, ask)
        return answer

    async def _wait(self, stream: IOStream, held: HeldRequest) -> bool:
        """Wait until there may be news for a request; return False if it is to be answered as it was."""
        if self._marks is None or self._is_closing:
            return False
        if held.is_postponed:
            return True
        if not held.marks or held.seconds <= 0:
            return False
        told: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[held] = told
        self._of_stream[stream] = held
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())
        timer = asyncio.get_running_loop().call_later(held.seconds, self._tell, held, False)
        try:
            return await told
        finally:
            timer.cancel()
            del self._waiting[held]
            self._of_stream.pop(stream, None)

    async def _ask_again(self, stream: IOStream, held: HeldRequest, answer: Any, ask: Callable[[], Any]) -> Any:
        """Return what `ask` returns when its turn comes, or `answer` if the server stops or the client has gone."""
        held.is_repeated, held.is_postponed, held.marks = True, False, {}
        await self._gate.acquire()
        rest = 0.0
        try:
            if self._is_closing or stream.closed():
                return answer
            began = self._clock()
            answer = await asyncio.get_running_loop().run_in_executor(self._thread, ask)
            rest = self.seconds_to_rest(self._clock() - began, is_told=not held.marks)
        finally:
            self._resting = asyncio.get_running_loop().call_later(0 if self._is_closing else rest, self._end_rest)
        return answer

    def _end_rest(self) -> None:
        self._resting = None
        self._gate.release()

    def give_way(self) -> None:
        """Rest longer from now on: there is a request that may change something."""
        self._gave_way = self._clock()

    def seconds_to_rest(self, worked: float, *, is_told: bool) -> float:
        """Return for how many seconds to rest after `worked` seconds for a reader, who is told of news or waits on."""
        is_quiet = self._clock() - self._gave_way >= QUIET
        rest = worked * (WORK_OF_NEWS if is_told else 1) * (REST_IN_QUIET if is_quiet else REST)
        return min(rest, LONGEST_REST)

    def forget(self, stream: IOStream) -> None:
        """Let the request of a client that has gone wait no longer."""
        if stream in self._of_stream:
            self._tell(self._of_stream[stream], False)

    def close(self) -> None:
        """Have all requests answered now, and let none wait any more."""
        self._is_closing = True
        if self._resting is not None:
            self._resting.cancel()
            self._end_rest()
        for held in list(self._waiting):
            self._tell(held, False)

    def shut_down(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _tell(self, held: HeldRequest, is_news: bool) -> None:
        told = self._waiting.get(held)
        if told is not None and not told.done():
            told.set_result(is_news)

    async def _look(self) -> None:
        """Look for news while somebody waits."""
        while self._waiting:
            await asyncio.sleep(LOOKS)
            wanted = {name for held in self._waiting for name in held.marks}
            marks = await self._read(wanted) if wanted else None
            if marks is None:
                continue
            for held in list(self._waiting):
                # One that came while the marks were read is asked for the next time.
                if held.marks.keys() <= wanted and held.is_news(marks):
                    self._tell(held, True)

    def _read(self, wanted: Collection[str]) -> Awaitable[Mapping[str, str] | None]:
        return asyncio.get_running_loop().run_in_executor(self._thread, self._read_now, wanted)

    def _read_now(self, wanted: Collection[str]) -> Mapping[str, str] | None:
        assert self._marks is not None
        try:
            return self._marks(wanted)
        except Exception as error:  # noqa: BLE001 the next look may go well
            log.error("news could not be looked for: %s", fault(error))
            return None
