"""Figures on the pages of games: the first view after a start, and moves of a game that many read meanwhile.

A reader does what `templates/web/scripts/news.js` does where a clock gives under an hour: it asks for news of the game
every five seconds, and loads the page when there are some. One in six has not signed in; the others are guests. Moves
are made without a pause, for a while with readers and for a while without, by turns, each in a game of its own. Other
work on the machine hits both, so compare the pairs.
"""

import asyncio
import http.client
import multiprocessing
import random
import re
import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from bench.engine import Figure, figure
from bench.rest import Table, cost_of_a_bare_row
from bench.running import Running, exact_processor_seconds_of, serving

STARTS = 7
FIRST_VIEW, MEMORY = 60.0, 180.0  # milliseconds and megabytes at most
READERS = 100
GUESTS = 5  # as many as one network may have
PAIRS, MOVES = 8, 80
EVERY = 5.0  # seconds between two questions of a reader
HERE = {"Sec-Fetch-Site": "same-origin"}


def figures() -> Iterator[Figure]:
    """Yield the time of first views, that of moves with and without readers, and the memory.

    The servers are not the first of their database, which has loaded Alembic too and keeps it until its end.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = {"DATABASE_URL": f"sqlite:///{folder}/kept.db", "SECRET_KEY": secrets.token_hex(32)}
        with serving(**settings) as running:
            cookie, path = _practise(running.http)
        yield from _views(settings, cookie, path)
        yield from _moves_with_readers(settings, cookie)


def _views(settings: Mapping[str, str], cookie: str, path: str) -> Iterator[Figure]:
    first, later, row = [], [], cost_of_a_bare_row()
    for _ in range(STARTS):
        with serving(**settings) as running:
            views = [_view(running, path, cookie) for _ in range(6)]
            first.append(views[0])
            later += views[1:]
    for title, views in (("first view after a start", first), ("later views", later)):
        took, processor = (1000 * statistics.median(column) for column in zip(*views, strict=True))
        yield figure(f"page of a game, {title}", took, "ms", FIRST_VIEW, len(views))
        yield figure(f"page of a game, {title}, processor, in bare rows", processor, "ms", row, len(views))


def _practise(port: int) -> tuple[str, str]:
    """Begin a game of a new guest; return the cookie, and the path of the page."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/practice", headers=HERE | {"Cookie": "blackticket_trial=yes"})
    answer = connection.getresponse()
    answer.read()
    return answer.headers["Set-Cookie"].partition(";")[0], answer.headers["Location"]


def _view(running: Running, path: str, cookie: str) -> tuple[float, float]:
    """Return how long a view of a page took, and the processor time of the process that serves HTTP."""
    connection = http.client.HTTPConnection("127.0.0.1", running.http, timeout=60)
    connection.connect()
    spent, began = exact_processor_seconds_of(running.pid), time.perf_counter()
    connection.request("GET", path, headers={"Accept": "text/html", "Cookie": cookie})
    answer = connection.getresponse()
    answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status}")
    return time.perf_counter() - began, exact_processor_seconds_of(running.pid) - spent


# Readers -----------------------------------------------------------------------------------------


class Block(NamedTuple):
    """Some moves: the seconds of each, and the processor time of the process that serves HTTP, for a move."""

    took: list[float]
    processor: float


def _moves_with_readers(settings: Mapping[str, str], cookie: str) -> Iterator[Figure]:
    alone: list[Block] = []
    read: list[Block] = []
    told = 0
    with serving(**settings) as running:
        tokens = [running.add_player(f"P{i}")[1] for i in range(6)]
        cookies = ["", cookie, *(_practise(running.http)[0] for _ in range(GUESTS - 1))]
        table = Table(running.http, tokens, 0)
        _block(table, running.pid)
        for _ in range(PAIRS):
            table.deal()
            alone.append(_block(table, running.pid))
            running.drain()
            table.deal()
            with _readers(running.http, table.path.replace("/api/v1", ""), cookies) as loads:
                while loads.value < READERS:
                    time.sleep(0.1)
                loaded = loads.value
                read.append(_block(table, running.pid))
                told += loads.value - loaded
            running.drain()
        memory = running.memory()
    n, title = PAIRS * MOVES, f"{READERS} readers of the game"
    yield figure(f"a move, {title}", *_medians(read, alone), n)
    yield figure(f"processor for a move and its readers, {title}", 1000 * _processor(read), "ms",
                 1000 * _processor(alone), n)  # fmt: skip
    yield figure(f"pages loaded for a move, {title}", told / n, "pages", READERS, n)
    yield figure(f"memory of all processes, shared pages once, {title}", memory, "MB", MEMORY, n)


def _medians(read: list[Block], alone: list[Block]) -> tuple[float, str, float]:
    now, before = (
        1000 * statistics.median(took for block in blocks for took in block.took) for blocks in (read, alone)
    )
    return now, "ms", before


def _processor(blocks: list[Block]) -> float:
    return statistics.median(block.processor for block in blocks)


def _block(table: Table, pid: int) -> Block:
    """Make some moves, one after the other."""
    took, spent = [], exact_processor_seconds_of(pid)
    for _ in range(min(MOVES, len(table.moves))):
        began = time.perf_counter()
        table.move()
        took.append(time.perf_counter() - began)
    return Block(took, (exact_processor_seconds_of(pid) - spent) / len(took))


@contextmanager
def _readers(port: int, path: str, cookies: list[str]) -> Iterator[Any]:
    """Have the page of a game read, in a process of its own; yield the number of pages loaded so far."""
    spawn = multiprocessing.get_context("spawn")
    loads = spawn.Value("i", 0)
    process = spawn.Process(target=_read_all, args=(port, path, cookies, loads), daemon=True)
    process.start()
    try:
        yield loads
    finally:
        process.terminate()
        process.join()


def _read_all(port: int, path: str, cookies: list[str], loads: Any) -> None:
    async def read() -> None:
        readers = (_read(port, path, cookies[number % len(cookies)], loads) for number in range(READERS))
        await asyncio.gather(*readers)

    asyncio.run(read())


async def _read(port: int, path: str, cookie: str, loads: Any) -> None:
    """Ask for news again and again, and load the page when there are some."""
    connection = await asyncio.open_connection("127.0.0.1", port)
    status, mark, pause = 200, "", random.uniform(0, EVERY)
    while True:
        if status == 200:
            _, page = await _get(connection, path, cookie)
            loads.value += 1
            mark = re.findall(rb'<meta name="news" content="([^"]+)"', page)[0].decode()
        await asyncio.sleep(pause)
        status, _ = await _get(connection, f"{path}/news", cookie, f'If-None-Match: "{mark}"\r\n')
        pause = EVERY


async def _get(
    connection: tuple[asyncio.StreamReader, asyncio.StreamWriter], path: str, cookie: str, field: str = ""
) -> Any:
    reader, writer = connection
    head = f"GET {path} HTTP/1.1\r\nHost: bench\r\nAccept: text/html\r\nCookie: {cookie}\r\n{field}\r\n"
    writer.write(head.encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = re.search(r"(?i)content-length: (\d+)", head)
    return int(head.split()[1]), await reader.readexactly(int(length[1])) if length else b""
