"""Figures that show if the time of an answer tells a detective where Mr. X is.

Two games on one server that are the same to the public: in the one Mr. X stands beside the detective, where he has
more than a thousand moves, in the other far away with few. Every request is timed in both, one after the other in
an order that is drawn for each pair. Each figure is a bound of the 99 % confidence interval of the median
difference, by order statistics, which supposes nothing of how times are distributed; the baseline is the median
time itself. The aim is a ratio within 0.02.
"""

import json
import math
import random
import statistics
import time
from collections.abc import Iterator
from typing import Any

from bench.running import Client, serving

EDITION = "ravensburger-2000"
PAIRS = 1000
WARM = 50
CONFIDENCE = 0.99
HIS = {"taxi": 4, "bus": 3, "underground": 3, "black": 3, "double": 2}
THEIRS = {"taxi": 10, "bus": 8, "underground": 4}
# Mr. X's station and where a taxi takes him; Red stands on 154, a step from 140, where all lines meet.
NEAR, FAR = (156, 140), (9, 20)
TRIED = "red taxi 140"
REFUSED = "red bus 46"
Figure = dict[str, Any]


def figures() -> Iterator[Figure]:
    """Yield for each request the lowest and highest possible median of the difference, near less far."""
    with serving(SANDBOX="1") as running:
        tokens = [running.add_player(f"P{i}")[1] for i in range(2)]
        clients = [Client(running.http, token) for token in tokens]
        near, far = (_game(clients, *way) for way in (NEAR, FAR))
        for name, method, path, body in _requests():
            pairs = _pairs(clients[1], method, (near + path, far + path), body)
            yield from _bounds(name, pairs)


def _requests() -> Iterator[tuple[str, str, str, Any]]:
    """Return the requests that a detective can repeat: name, method, path within the game, body."""
    tried, refused = ({"turn": 2, "notation": move} for move in (TRIED, REFUSED))
    yield "view", "GET", "", None
    yield "legal moves", "GET", "/legal-moves", None
    yield "dry run, legal", "POST", "/moves?dry_run=true", tried
    yield "dry run, illegal", "POST", "/moves?dry_run=true", refused
    yield "refused move", "POST", "/moves", refused


def _game(clients: list[Client], start: int, station: int) -> str:
    """The path of a running game in which Mr. X has moved once, and Red is to move."""
    position = {
        "mr_x": {"station": start, "tickets": HIS},
        "detectives": [{"pawn": "red", "station": 154, "tickets": THEIRS}],
        "log_used": 4,
    }
    made = clients[0].call("POST", "/api/v1/games", {"edition": EDITION, "position": position, "visibility": "public"})
    path = f"/api/v1/games/{made['id']}"
    for number, client in enumerate(clients, 1):
        client.call("POST", f"{path}/seats", {"seat": number})
    clients[0].call("POST", f"{path}/start")
    clients[0].call("POST", f"{path}/moves", {"turn": 1, "notation": f"taxi {station}"})
    return path


def _pairs(client: Client, method: str, paths: tuple[str, str], body: Any) -> list[tuple[float, float]]:
    """Milliseconds in the one world and in the other, pair by pair."""
    rng = random.Random(1)
    pairs = []
    for _ in range(WARM + PAIRS):
        took = [0.0, 0.0]
        for world in rng.sample((0, 1), 2):
            took[world] = 1000 * _seconds(client, method, paths[world], body)
        pairs.append((took[0], took[1]))
    return pairs[WARM:]


def _seconds(client: Client, method: str, path: str, body: Any) -> float:
    """Return the time of one answer, whatever it says."""
    content = None if body is None else json.dumps(body)
    began = time.perf_counter()
    client.connection.request(method, path, content, client.headers)
    client.connection.getresponse().read()
    return time.perf_counter() - began


def _bounds(name: str, pairs: list[tuple[float, float]]) -> Iterator[Figure]:
    median = statistics.median(took for pair in pairs for took in pair)
    differences = sorted(near - far for near, far in pairs)
    first = rank(len(pairs), CONFIDENCE)
    for bound, value in (("at least", differences[first]), ("at most", differences[-1 - first])):
        yield {
            "name": f"timing: {name}, near less far, {bound}", "value": round(value, 4), "unit": "ms",
            "baseline": round(median, 4), "ratio": round(value / median, 4), "n": len(pairs),
        }  # fmt: skip


def rank(n: int, confidence: float) -> int:
    """The index such that of `n` ordered values this one from either end enclose the median that surely."""
    tail, below = (1 - confidence) / 2, 0.0
    for index in range(n):
        below += math.exp(math.lgamma(n + 1) - math.lgamma(index + 1) - math.lgamma(n - index + 1) - n * math.log(2))
        if below > tail:
            return max(index - 1, 0)
    return 0
