"""A network that loses answers, and clients in a hurry: with a key each request is done once, over real connections."""

import http.client
import json
import random
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from server.engine import Edition, Game
from server.models import Move, session
from tests.positions import position
from tests.serving import serving
from tests.table import Person, Table

EDITION = "ravensburger-2000"
# Two detectives, and a log that is half full, so that the game is over soon.
PLACE = position(104, red=117, green=46, log_used=10)


@pytest.fixture
def table(tmp_path: Path, database: str) -> Table:
    """A table on each kind of database in turn."""
    return Table(tmp_path, sandbox="1", min_turn="PT1S", database_url=database)


@pytest.fixture
def port(table: Table) -> Iterator[int]:
    """Return the port on which the HTTP server of `blackticket serve` serves the table."""
    with serving(table.app) as found:
        yield found


class Told(NamedTuple):
    status: int
    json: Any


class Line:
    """A connection of one person to the server, which breaks before every second answer arrives."""

    def __init__(self, person: Person, port: int, *, breaks: bool = True) -> None:
        self.person, self.port = person, port
        self.breaks = breaks
        self.wishes = self.asked = self.lost = 0

    def post(self, path: str, body: Any = None) -> Told:
        """Send it under a new key, and again as long as the answer is lost."""
        self.wishes += 1
        key = f"wish {self.wishes}"
        for _attempt in range(10):
            told = self.ask("POST", path, body, {"Idempotency-Key": key})
            if told is not None:
                return told
        raise AssertionError("no answer in ten attempts")

    def ask(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Told | None:
        """One request; None when the connection broke after the server had done it."""
        self.asked += 1
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = {"Authorization": f"Bearer {self.person.token}", "Content-Type": "application/json", **headers}
        connection.request(method, f"/api/v1{path}", json.dumps(body or {}), sent)
        if self.breaks and self.asked % 2:
            assert connection.sock.recv(1, socket.MSG_PEEK), "the server has begun to answer: it is done"
            connection.close()
            self.lost += 1
            return None
        answer = connection.getresponse()
        told = Told(answer.status, json.loads(answer.read()))
        connection.close()
        return told


def planned(seed: int) -> list[str]:
    """A whole game from the position, as it is to be played."""
    game, rng = Game.at(Edition.named(EDITION), PLACE), random.Random(seed)
    while game.to_move:
        game.play(rng.choice(game.legal_moves()))
    return [str(move) for move in game.history]


def test_a_client_that_loses_every_second_answer_ends_with_the_game_it_wanted(table: Table, port: int):
    people = table.people(3)
    lines = dict(zip(("mr_x", "red", "green"), (Line(person, port) for person in people), strict=True))
    host = lines["mr_x"]
    made = host.post("/games", {"edition": EDITION, "position": PLACE, "visibility": "public"})
    path = f"/games/{made.json['id']}"
    for number, line in enumerate(lines.values(), 1):
        assert line.post(f"{path}/seats", {"seat": number}).status == 201
    assert host.post(f"{path}/start").status == 200
    plan = planned(seed=5)
    for turn, notation in enumerate(plan, 1):
        told = lines.get(notation.split()[0], host).post(f"{path}/moves", {"turn": turn, "notation": notation})
        assert told.status == 201, told.json
    assert len(plan) > 20
    view: Any = people[0].get(path).json
    assert view["status"] == "over"
    assert len(people[0].get("/games").json["games"]) == 1  # type: ignore[index]
    with table.app.app_context():
        moves = session.query(Move).order_by(Move.turn).all()
        assert [move.notation for move in moves] == plan
        session.remove()
    assert sum(line.lost for line in lines.values()) > len(plan)
