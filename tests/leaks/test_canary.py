"""Whole games with a net below all that is written: no station of Mr. X's that was never shown turns up in it.

What leaves the server is compared in two worlds, see `tests/worlds`; files, logs of libraries, and what is left on the
disk are not. The games stop before their result is final, as everything opens then.
"""

import logging
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from sqlalchemy import literal, select

from server import engine
from server.cli import main
from server.house_rules import moves
from server.house_rules.draft import Draft
from server.models import session
from server.runtime import DatabaseHabits
from tests import databases
from tests.injected import for_command
from tests.leaks.canary import (
    LABELS,
    LONDON,
    Net,
    Watched,
    canary_board,
    numbers,
    placed,
    public_in,
    seated,
    secrets_of,
    truth,
    watched,
)
from tests.planting import Plant, planting
from tests.positions import position
from tests.table import Person, Playing

# Its games are played on a board with other labels, on which they cannot be rebuilt afterwards.
pytestmark = pytest.mark.breaks_games
SERVER = Path(engine.__file__).parents[1]
PLACES = ["log", "file", "temporary file", "dump", "backup", "printed"]
# What the detectives write themselves where no station has to be right.
TYPED = 999_999


class Play:
    """One game, in which everybody does what he may and some of what he may not."""

    def __init__(self, watch: Watched, game: Playing, seed: int) -> None:
        self.watch = watch
        self.game = game
        self.rng = random.Random(seed)
        self.ada, *self.others = game.people
        self.gus = watch.table.person(f"Gus{seed}")
        self.looks = 1

    @property
    def running(self) -> bool:
        return self.game.view(self.gus)["status"] == "running"

    @property
    def his(self) -> int:
        return truth(self.watch.table, self.game.id).station("mr_x")

    def play(self, rounds: int) -> None:
        for number in range(rounds):
            if self.running:
                self.hide(number)
                self.look()
                self.hunt(late=number == 2)
                self.watch.table.clock.turn(hours=7)

    def hide(self, number: int) -> None:
        """Mr. X tries and asks about things, and moves: by REST or by mail, in every form there is."""
        self.watch.table.tick()
        self.fumble()
        legal = self.ada.get(f"{self.game.path}/legal-moves").json["moves"]
        single, double = [[move for move in legal if ("double" in move) == is_double] for is_double in (False, True)]
        wanted = self.furtive(double if double and number % 3 == 2 else single)
        before = self.game.view(self.ada)["turn"]
        if number % 2:
            self.ada.reply(f"{wanted['notation'].replace('taxi', 'cab')}.")
            self.watch.table.tick()
        else:
            for _ in range(2):
                body = {"turn": before, **{name: wanted[name] for name in wanted if name not in ("pawn", "notation")}}
                made = self.ada.post(f"{self.game.path}/moves", body, headers={"Idempotency-Key": f"move {before}"})
                assert made.status_code == 201, made.json
        assert self.game.view(self.ada)["turn"] > before

    def furtive(self, choices: list[Any]) -> Any:
        """A move to where nobody has a reason to be told of, if there is one."""
        played = truth(self.watch.table, self.game.id)
        known = public_in(played) | secrets_of(played)
        quiet = [move for move in choices if engine.Move.from_json(move).station not in known]
        return self.rng.choice(quiet or choices)

    def fumble(self) -> None:
        """Try and ask things as a player does before a move."""
        turn, somewhere = self.game.view(self.ada)["turn"], self.rng.choice(list(LABELS.values()))
        path, here = f"{self.game.path}/moves", self.his
        for body in (
            {"turn": turn, "notation": f"taxi {here}"}, {"turn": turn, "ticket": "bus", "to": somewhere},
            {"turn": turn + 1, "notation": f"taxi {here}"}, {"turn": turn, "to": here},
        ):  # fmt: skip
            assert self.ada.post(path, body, headers={"Idempotency-Key": f"try {turn}"}).status_code >= 400
        for move in self.rng.sample(self.game.legal(self.ada), 3):
            dry = self.ada.post(f"{path}?dry_run=true", {"turn": turn, "notation": move})
            assert dry.status_code == 200
        self.ada.reply(f"STATUS\nLEGAL\nLOG\nBOARD {here}\nTRY taxi {self.rng.choice(NEXT[here])}")
        self.ada.reply(self.rng.choice([f"black {here}", f"I could stay at {here}, or take a cab to {somewhere}?"]))
        self.watch.table.tick()

    def hunt(self, *, late: bool) -> None:
        """The detectives move by mail, by REST and ahead, or come too late."""
        self.send_ahead(self.others[-1])
        if late:
            self.watch.table.clock.turn(days=2)
            self.watch.table.tick()
        while self.running and (to_move := self.game.view(self.gus)["to_move"]) != ["mr_x"]:
            mover = next(person for person in self.others if to_move[0] in self.game.view(person)["you"]["pawns"])
            wanted = self.quiet_move(mover, to_move[0])
            if self.rng.random() < 0.5:
                self.watch.table.tick()
                mover.reply(f"{wanted}\nSTATUS\nBOARD {TYPED}")
                self.watch.table.tick()
            else:
                assert self.game.move(mover, wanted).status_code == 201

    def send_ahead(self, person: Person) -> None:
        if legal := self.game.legal(person):
            assert self.game.move(person, self.quiet_move(person, legal[0].split()[0])).status_code in (201, 202)

    def quiet_move(self, mover: Person, pawn: str) -> str:
        """A move that catches nobody: it would be the end, and everything opens then."""
        own = [move for move in self.game.legal(mover) if move.startswith(pawn)]
        return self.rng.choice([move for move in own if not move.endswith(f" {self.his}")] or own)

    def look(self) -> None:
        """A detective and a spectator ask in turn for all there is, as far as an address names no station."""
        self.watch.table.tick()
        self.looks += 1
        person = (self.others[0], self.gus)[self.looks % 2]
        for path in self.paths():
            person.get(path)

    def paths(self) -> Iterator[str]:
        """Every address that can be asked for, but those that name stations whoever is where."""
        for rule in self.watch.table.app.url_map.iter_rules():
            if rule.rule.startswith("/api/v1/") and "GET" in (rule.methods or ()) and rule.arguments <= {"game_id"}:
                path = rule.rule.removeprefix("/api/v1").replace("<game_id>", self.game.id)
                if not path.endswith(("/board.svg", "/board.png", "/deduction")):
                    yield path

    def sleep(self) -> None:
        """Mr. X misses two deadlines in a row, which ends the game, provisionally."""
        while self.running:
            self.watch.table.clock.turn(days=2)
            self.watch.table.tick()
        assert not self.game.view(self.gus)["outcome"]["final"]
        self.look()


HIS = {"taxi": 6, "bus": 5, "underground": 4, "black": 4, "double": 2}
NEXT = {LABELS[at]: [LABELS[stop] for stop in stops] for at, stops in LONDON.links["taxi"].items()}


def back_up(watch: Watched, folder: Path) -> None:
    """Back the database up, and look at the copy."""
    copy = folder / "copy.db"
    CliRunner().invoke(main, ["backup", str(copy)], obj=for_command(watch.table.app))
    watch.net.look("backup", b"none" if databases.IS_POSTGRESQL else copy.read_bytes())


class Result(NamedTuple):
    """Return the answers seen of a watched game, and its secrets."""

    net: Net
    secrets: set[int]


JOURNALS = ["write-ahead log", pytest.param("rollback journal", marks=pytest.mark.campaign)]


@pytest.fixture(scope="module", params=JOURNALS)
def result(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A game set up from a position, or one that was dealt; each with one of the ways in which SQLite writes."""
    folder = tmp_path_factory.mktemp("canary")
    in_wal = request.param == "write-ahead log"
    with watched(folder, DatabaseHabits(wal_is_safe=(3, 0, 0) if in_wal else (99, 0, 0))) as watch:
        people = [watch.hider, *(watch.table.person(name) for name in ("Ben", "Cleo", "Dan"))]
        if not in_wal:
            game = seated(watch.table, people, options={"surfacing": []})
        else:
            start = placed(position(45, his=HIS, log_used=2, purple=190, red=155))
            game = seated(watch.table, people[:3], position=start, options={"surfacing": [6]})
        play = Play(watch, game, seed=3 if in_wal else 4)
        play.play(rounds=3 if in_wal else 5)
        back_up(watch, folder)
        play.sleep()
        secrets = secrets_of(truth(watch.table, game.id))
    return Result(watch.net, secrets)


@pytest.mark.parametrize("place", PLACES)
def test_no_station_that_was_never_shown_turns_up_in_a(result: Result, place: str):
    assert result.net.looked[place] > 0
    assert result.net.caught(result.secrets, place) == {}


def test_enough_of_what_he_did_was_secret(result: Result):
    assert len(result.secrets) >= 4


@pytest.mark.parametrize("place", ["file", "dump", "backup"])
def test_stations_of_detectives_do_turn_up_in_a(result: Result, place: str):
    if databases.IS_POSTGRESQL and place in ("file", "backup"):
        pytest.skip("about SQLite: the database is a file")
    assert result.net.caught(set(LABELS.values()) - result.secrets, place)


def test_the_labels_stand_nowhere_in_what_belongs_to_the_server():
    labels = set(LABELS.values())
    for path in (*SERVER.rglob("*.py"), *SERVER.rglob("*.json"), *(SERVER.parent / "templates").rglob("*.*")):
        assert not list(numbers(path.read_bytes(), labels)), path


def test_the_board_is_that_of_london_but_for_the_numbers():
    with canary_board():
        assert engine.perft(_begin("canary", LABELS), 3) == engine.perft(_begin("london", {n: n for n in LABELS}), 3)


def _begin(board: str, number: dict[int, int]) -> engine.Game:
    cards = [number[station] for station in LONDON.start_cards]
    edition = engine.Edition.named("condensed").with_options(board=board, start_cards=cards, cut_off=True)
    return engine.Game(edition, 3, dict(zip(("mr_x", "purple", "red", "green", "yellow"), cards, strict=False)))


# Leaks made on purpose ----------------------------------------------------------------------------


Leak = Callable[[Watched, Plant], None]


def before_each_move(plant: Plant, leak: Callable[[engine.Move], object]) -> None:
    """`leak` gets every move that is committed."""
    make = moves._make

    def making(draft: Draft, move: engine.Move, by: str) -> None:
        leak(move)
        make(draft, move, by)

    plant(moves, "_make", making)


def into_a_log_line(_watch: Watched, plant: Plant) -> None:
    before_each_move(plant, lambda move: logging.getLogger("server").debug("played %s", move))


def into_the_rows_that_the_database_logs(_watch: Watched, plant: Plant) -> None:
    plant(logging.getLogger("sqlalchemy.engine.Engine"), "filters", [])
    before_each_move(plant, lambda move: session.scalar(select(literal(str(move)))))


def into_a_column(_watch: Watched, plant: Plant) -> None:
    publish = Draft.publish

    def telling(draft: Draft, kind: str, **data: Any) -> None:
        publish(draft, kind, **data)
        draft.events[-1].data["at"] = draft.state.station("mr_x")

    plant(Draft, "publish", telling)


def into_a_file_in_the_data_folder(watch: Watched, plant: Plant) -> None:
    before_each_move(plant, lambda move: (watch.var / "last").write_text(str(move), "utf-16"))


def into_a_temporary_file(_watch: Watched, plant: Plant) -> None:
    def keep(move: engine.Move) -> None:
        with tempfile.NamedTemporaryFile("w", delete=False) as file:
            file.write(str(move))

    before_each_move(plant, keep)


LEAKS = [
    (into_the_rows_that_the_database_logs, "log"), (into_a_column, "dump"), (into_a_temporary_file, "temporary file"),
]  # fmt: skip
MORE_LEAKS = [(into_a_log_line, "log"), (into_a_column, "file"), (into_a_file_in_the_data_folder, "file")]


@pytest.mark.parametrize(
    ("leak", "place"), [*LEAKS, *(pytest.param(*leak, marks=pytest.mark.campaign) for leak in MORE_LEAKS)]
)
def test_a_leak_is_caught(tmp_path: Path, leak: Leak, place: str):
    with watched(tmp_path) as watch, planting() as plant:
        people = [watch.hider, watch.table.person("Ben"), watch.table.person("Cleo")]
        seated(watch.table, people, position=placed(position(45, his=HIS, log_used=2, purple=190, red=155)))
        watch.table.tick()
        leak(watch, plant)
        watch.hider.reply(f"taxi {LABELS[32]}")
        watch.table.tick()
    assert watch.net.caught({LABELS[32]}, place)
