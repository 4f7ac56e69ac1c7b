"""Many ask at once, in several games, while moves are made: everybody gets what he would get alone.

A twin of the application plays the same games one request after the other. What each principal is given there after
every step of a game is what he may be given here.
"""

import http.client
import json
import random
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from flask import request_finished

from server.api import access
from tests.leaks.canary import KEY, Pictures, canary_board, numbers, seated, secrets_of, truth
from tests.planting import planting
from tests.serving import serving
from tests.table import Playing, Table

REQUESTS, ROUNDS = 5000, 2
THREADS, GAMES = 8, 3
# A twin that is asked everything one by one takes half a minute.
pytestmark = pytest.mark.campaign
NAMES = ("Ada", "Ben", "Cleo", "Dan")
PATHS = ("", "/log", "/record", "/deadline", "/legal-moves", "/ahead")


class Answer(NamedTuple):
    """An HTTP answer, with its headers in the order in which they came."""

    status_code: int
    headers: list[tuple[str, str]]
    data: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.data)

    @property
    def all(self) -> tuple[Any, ...]:
        """Everything of it but the date, which is that of the wall clock."""
        return self.status_code, [header for header in self.headers if header[0] != "Date"], self.data


class Wire:
    """A client that speaks HTTP over a socket: what it gets is what leaves the machine."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def close(self) -> None:
        """Hang up."""
        self.connection.close()

    def open(
        self, path: str, method: str, headers: dict[str, str], json: Any = None, data: bytes | None = None
    ) -> Answer:
        """The answer to one request; the arguments are those of Flask's test client."""
        content = _json(json) if data is None and json is not None else data
        self.connection.request(method, path, content, {"Content-Type": "application/json", **headers})
        answer = self.connection.getresponse()
        return Answer(answer.status, answer.getheaders(), answer.read())


def _json(body: Any) -> bytes:
    return json.dumps(body).encode()


class Ask(NamedTuple):
    """One request of one principal, the same whenever it is made."""

    game: int
    who: str
    method: str
    path: str
    body: bytes | None = None
    key: str = "none"


class Tables:
    """Some games of the same few people on one server. In game n the n-th of them is Mr. X and the last looks on."""

    def __init__(self, folder: Path) -> None:
        self.table = Table(folder, sandbox="1", secret_key=KEY)
        self.table.runtime.pictures = Pictures(0)
        self.people = {name: self.table.person(name) for name in NAMES}
        self.games = [self._game(number) for number in range(GAMES)]

    def _game(self, number: int) -> Playing:
        names = [NAMES[(number + n) % len(NAMES)] for n in range(3)]
        return seated(self.table, [self.people[name] for name in names], options={"surfacing": [3]})

    def hider(self, game: int) -> str:
        return self.games[game].people[0].name

    def send(self, wire: Wire, ask: Ask) -> Answer:
        headers = {"Authorization": f"Bearer {self.people[ask.who].token}", "Idempotency-Key": ask.key}
        return wire.open(f"/api/v1{self.games[ask.game].path}{ask.path}", ask.method, headers, data=ask.body)


def questions() -> list[Ask]:
    """Requests that change nothing, right ones and wrong ones, of everybody in every game."""
    found = []
    for game in range(GAMES):
        for who in NAMES:
            found += [Ask(game, who, "GET", path) for path in PATHS]
            for path, turn in (("/moves?dry_run=true", 2), ("/moves", 4)):
                body = b'{"turn": %d, "notation": "taxi 999999"}' % turn
                found.append(Ask(game, who, "POST", path, body, f"used by everybody for turn {turn}"))
            found.append(Ask(game, who, "POST", "/moves", b'{"turn": 1, ', "used for half a body"))
    return found


class Alone(NamedTuple):
    """The twin's steps of each game, the answers to them, and to all questions after each."""

    steps: dict[int, list[tuple[Ask, Any]]]
    answers: dict[Ask, list[Any]]
    secrets: dict[int, set[int]]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alone]:
    with canary_board():
        twin = Tables(tmp_path_factory.mktemp("twin"))
        alone = Alone(defaultdict(list), defaultdict(list), {})
        with serving(twin.table.app) as port, closing(Wire(port)) as wire:
            for game in range(GAMES):
                play(twin, wire, game, alone)
                alone.secrets[game] = secrets_of(truth(twin.table, twin.games[game].id))
        yield alone


def play(twin: Tables, wire: Wire, game: int, alone: Alone) -> None:
    """Play a game with random moves, the last detective's sent ahead, and ask everything after every step."""
    playing, rng = twin.games[game], random.Random(game)
    listen(twin, wire, game, alone)
    while playing.view()["round"] <= ROUNDS:
        mover, ahead = playing.mover(), playing.people[-1]
        last = playing.view()["history"][-1:]
        after_him = bool(last) and last[0].split()[0] not in ("purple", "red", "green", "yellow", "blue")
        mover = ahead if after_him and not playing.view(ahead)["ahead"] else mover
        wanted = rng.choice([move for move in playing.legal(mover) if not move.startswith("double")])
        body = b'{"turn": %d, "notation": "%s"}' % (playing.view()["turn"], wanted.encode())
        step = Ask(game, mover.name, "POST", "/moves", body, f"step {len(alone.steps[game])}")
        alone.steps[game].append((step, twin.send(wire, step).all))
        listen(twin, wire, game, alone)


def listen(twin: Tables, wire: Wire, game: int, alone: Alone) -> None:
    for ask in questions():
        if ask.game == game:
            alone.answers[ask].append(twin.send(wire, ask).all)


class Crowd:
    """Threads that ask, each by a connection of its own; those with a game to look after make its moves too."""

    def __init__(self, tables: Tables, alone: Alone, port: int) -> None:
        self.tables, self.alone, self.port = tables, alone, port
        self.begun, self.done = [0] * GAMES, [0] * GAMES
        self.wrong: list[tuple[Ask, Answer]] = []
        self.told: list[tuple[Ask, Answer]] = []

    def run(self, number: int) -> None:
        rng, asks, share = random.Random(number), questions(), REQUESTS // THREADS
        steps = self.alone.steps[number] if number < GAMES else []
        with closing(Wire(self.port)) as wire:
            for n in range(share):
                if steps and n % (share // len(steps)) == 0 and self.begun[number] < len(steps):
                    self.step(wire, number, *steps[self.begun[number]])
                else:
                    self.ask(wire, rng.choice(asks))

    def step(self, wire: Wire, game: int, step: Ask, expected: Any) -> None:
        self.begun[game] += 1
        self.judge(step, self.tables.send(wire, step), [expected])
        self.done[game] += 1

    def ask(self, wire: Wire, ask: Ask) -> None:
        first = self.done[ask.game]
        answer = self.tables.send(wire, ask)
        self.judge(ask, answer, self.alone.answers[ask][first : self.begun[ask.game] + 1])

    def judge(self, ask: Ask, answer: Answer, expected: list[Any]) -> None:
        self.told.append((ask, answer))
        if answer.all not in expected:
            self.wrong.append((ask, answer))


@pytest.fixture(scope="module")
def crowd(alone: Alone, tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    """Return the answers to eight threads, with as many switches between them as there can be."""
    tables = Tables(tmp_path_factory.mktemp("crowd"))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        with (
            request_finished.muted(),  # else a kept view is compared with a fresh one, and somebody moves in between
            serving(tables.table.app) as port,
            ThreadPoolExecutor(THREADS) as threads,
        ):
            crowd = Crowd(tables, alone, port)
            list(threads.map(crowd.run, range(THREADS)))
    finally:
        sys.setswitchinterval(interval)
    return crowd


def test_everybody_gets_what_he_gets_alone(crowd: Crowd):
    assert len(crowd.told) == REQUESTS
    assert crowd.wrong == []


def test_all_moves_were_made_meanwhile(crowd: Crowd, alone: Alone):
    assert crowd.done == [len(alone.steps[game]) for game in range(GAMES)]
    assert all(answer[0] in (201, 202) for steps in alone.steps.values() for _, answer in steps)
    assert min(crowd.done) > 2 * ROUNDS


def test_nobody_is_told_a_station_of_mr_x_in_a_game_in_which_somebody_else_is(crowd: Crowd, alone: Alone):
    assert all(alone.secrets[game] for game in range(GAMES))
    for ask, answer in crowd.told:
        if ask.who != crowd.tables.hider(ask.game):
            assert not list(numbers(repr(answer.headers).encode() + answer.data, alone.secrets[ask.game])), ask


def test_mr_x_is_told_them_himself(crowd: Crowd, alone: Alone):
    for game in range(GAMES):
        told = [answer.data for ask, answer in crowd.told if ask[:2] == (game, crowd.tables.hider(game))]
        secrets = alone.secrets[game]
        assert secrets <= {number for data in told for _, number in numbers(data, secrets)}


def test_one_place_for_the_callers_of_all_threads_would_be_noticed(alone: Alone, tmp_path: Path):
    """Two are let in before either is answered; the first then gets what is the second's."""
    tables = Tables(tmp_path)
    both, permit = threading.Barrier(2), access.permit

    def meet(*args: Any, **kwargs: Any) -> Any:
        both.wait(20)
        return permit(*args, **kwargs)

    with planting() as plant, serving(tables.table.app) as port, ThreadPoolExecutor(2) as threads:
        plant(access, "g", SimpleNamespace())
        plant(access, "permit", meet)
        crowd = Crowd(tables, alone, port)
        asks = [Ask(0, name, "GET", "") for name in NAMES[:2]]
        with closing(Wire(port)) as one, closing(Wire(port)) as other:
            list(threads.map(crowd.ask, (one, other), asks))
    assert len(crowd.wrong) == 1
