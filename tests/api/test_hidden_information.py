"""Nothing that detectives and spectators are given depends on where Mr. X hides."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from server.models import Base, session
from server.models.types import Encrypted
from tests.positions import position
from tests.profiles import IS_CAMPAIGN
from tests.table import Table

# Two ways of Mr. X with the same tickets that meet in 106, where he shows himself on window 3.
ONE = [91, "taxi 105", "bus 107", "taxi 106", "double taxi 107 black 105", "bus 72"]
OTHER = [117, "taxi 108", "bus 105", "taxi 106", "double taxi 105 black 87", "bus 41"]
# The path of each is the game's; the last two are not there, or not yet.
OUTLETS = ["", "/log", "/record", "/deadline", "/legal-moves", "/ahead", "/board", "/nothing"]


class World:
    """One of two worlds that are the same to the public, and all that the public gets to see of it."""

    def __init__(self, folder: Path, way: list[Any]) -> None:
        self.table = Table(folder, sandbox="1", secret_key="the same in both worlds, and long enough")
        self.table.blind_the_seal()
        self.seen: list[Any] = []
        self.raw: list[tuple[str, bytes]] = []
        self._keep_raw()
        self.ada, self.ben, self.cleo, self.gus = self.table.people(4)
        place = position(way[0], red=155, green=141, his={"taxi": 4, "bus": 3, "black": 2, "double": 2})
        self.game = self.table.game([self.ada, self.ben, self.cleo], position=place)

    def _keep_raw(self) -> None:
        send = self.table.post.send

        def keep(message: bytes, sender: str, recipient: str) -> None:
            self.raw.append((recipient, message))
            send(message, sender, recipient)

        self.table.post.send = keep  # type: ignore[method-assign]

    def look(self, *, seldom: bool = False) -> None:
        """Everything the detectives and a spectator can ask for, and what they were mailed; `seldom`, in a campaign."""
        self.table.tick()
        if seldom and not IS_CAMPAIGN:
            return
        turn = self.game.view(self.gus)["turn"]
        for person in (self.ben, self.gus):
            asked = [person.get(f"{self.game.path}{outlet}") for outlet in OUTLETS]
            asked += [person.get(path) for path in ("/games", "/me/waiting")]
            tries = tries_at(turn) if person is self.ben else [{"turn": turn, "notation": "taxi 105"}]
            asked += [person.post(f"{self.game.path}/moves?dry_run=true", body) for body in tries]
            self.seen += [(answer.status_code, headers(answer), answer.data) for answer in asked]
        self.seen.append([(to, mail) for to, mail in self.raw if to != self.ada.address])

    def play(self, way: list[Any]) -> None:
        replies = [("red taxi 156", "green taxi 142"), ("red taxi 155", "green taxi 141")] * 3
        self.look(seldom=True)
        for number, (move, (red, green)) in enumerate(zip(way[1:-1], replies, strict=False)):
            assert self.game.move(self.ada, "taxi 199").status_code == 422
            assert self.game.move(self.ada, move).status_code == 201
            self.look(seldom=number == 0)
            assert self.game.move(self.cleo, green).status_code == 202, "ahead"
            assert self.game.move(self.ben, red).status_code == 201
            self.look(seldom=number % 2 == 0)
        assert self.game.move(self.ada, way[-1]).status_code == 201
        self.table.clock.turn(days=2)  # both detectives are late, and moved by the house
        self.look()
        self.table.clock.turn(days=4)  # and then Mr. X is, twice: he forfeits, provisionally
        self.look(seldom=True)
        self.table.clock.turn(days=4)
        self.look()
        assert self.game.view(self.gus)["outcome"]["reason"] == "out_of_time"
        assert not self.game.view(self.gus)["outcome"]["final"]

    def open_columns(self) -> dict[str, list[Any]]:
        """Every table as a dump shows it, but for the sealed columns."""
        with self.table.app.app_context():
            return {
                name: sorted(
                    session.execute(
                        table.select().with_only_columns(*[c for c in table.c if not isinstance(c.type, Encrypted)])
                    ).all(),
                    key=repr,
                )
                for name, table in Base.metadata.tables.items()
            }

    def sealed_lengths(self) -> dict[str, list[Any]]:
        """Return the lengths of the encrypted columns, which a dump shows too."""
        with self.table.app.app_context():
            return {
                f"{name}.{column.name}": sorted(
                    session.connection()
                    .exec_driver_sql(f"SELECT length({column.name}) FROM {name} WHERE {column.name} IS NOT NULL")
                    .scalars()
                )
                for name, table in Base.metadata.tables.items()
                for column in table.c
                if isinstance(column.type, Encrypted)
            }


def tries_at(turn: int) -> Iterator[dict[str, Any]]:
    """Moves, legal or not, onto stations where Mr. X is in either world, among others."""
    for move in ("taxi 105", "bus 72", "taxi 41", "taxi 87", "taxi 156", "black 117"):
        yield {"turn": turn, "notation": move}
    yield {"turn": turn + 1, "notation": "taxi 156"}


def headers(answer: TestResponse) -> list[tuple[str, str]]:
    """All of them in their order; only the date is that of the wall clock."""
    return [(name, value) for name, value in answer.headers if name != "Date"]


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, World]:
    one, other = (World(tmp_path_factory.mktemp("world"), way) for way in (ONE, OTHER))
    one.play(ONE)
    other.play(OTHER)
    return one, other


def test_two_worlds_that_are_the_same_to_the_public_give_it_the_same_bytes(worlds: tuple[World, World]):
    one, other = worlds
    assert len(one.seen) == len(other.seen) > 100
    for number, (seen, too) in enumerate(zip(one.seen, other.seen, strict=True)):
        assert seen == too, number


def test_the_two_worlds_are_not_the_same_to_mr_x(worlds: tuple[World, World]):
    one, other = worlds
    assert one.game.view()["log"] != other.game.view()["log"]
    mails = [[mail for to, mail in world.raw if to == world.ada.address] for world in worlds]
    assert mails[0] != mails[1]


def test_the_open_columns_of_the_two_worlds_are_the_same(worlds: tuple[World, World]):
    one, other = worlds
    assert one.open_columns() == other.open_columns()


def test_the_sealed_columns_of_the_two_worlds_have_the_same_lengths(worlds: tuple[World, World]):
    one, other = worlds
    assert one.sealed_lengths() == other.sealed_lengths()


def test_in_a_random_game_nobody_else_is_given_a_station_of_mr_x_that_he_has_not_shown(table: Table):
    rng = random.Random(1)
    game = table.game(table.people(2), edition="condensed", options={"log_windows": 9, "surfacing": [2, 7]})
    gus = table.person("Gus")
    while (view := game.view(gus))["status"] == "running":
        for shown in (game.view(game.people[1]), view):
            shows_nothing_hidden(shown)
        pawn = view["to_move"][0]
        mover = game.people[0 if pawn == "mr_x" else 1]
        legal = mover.get(f"{game.path}/legal-moves").json["moves"]
        game.move(mover, rng.choice([move["notation"] for move in legal if move["pawn"] == pawn]))
    assert all(entry["station"] for entry in game.view(gus)["log"]), "the end opens the log"


def shows_nothing_hidden(view: dict[str, Any]) -> None:
    shown = {2, 7}
    for entry in view["log"]:
        assert (entry["station"] is not None) == (entry["window"] in shown)
        assert "transport" not in entry
    assert "mr_x" not in view["starts"]
    at_sight = bool(view["log"]) and view["log"][-1]["window"] in shown
    assert (view["pawns"]["mr_x"]["station"] is not None) == at_sight
    his = [move for move in view["history"] if move.split()[0] in ("taxi", "bus", "underground", "black", "double")]
    stations = [word for move in his for word in move.split() if word == "?" or word.isdigit()]
    assert [word != "?" for word in stations] == [entry["station"] is not None for entry in view["log"]]


def test_a_provisional_end_opens_nothing(table: Table):
    ada, ben = table.people(2)
    game = table.game([ada, ben], position=position(104, red=155))
    game.move(ada, "taxi 86")
    game.move(ben, "taxi 156")
    for _ in range(2):
        table.clock.turn(days=2)
        table.tick()
    view = game.view(ben)
    assert (view["status"], view["outcome"]["final"]) == ("over", False)
    assert view["log"] == [{"window": 1, "ticket": "taxi", "station": None}]
    assert ben.get(f"{game.path}/record").json["moves"][0][0] == "taxi ?"
    table.clock.turn(days=1)
    table.tick()
    assert game.view(ben)["log"][0]["station"] == 86, "final, it opens everything"
