"""The counts that are kept are those of the rows, whatever happens to seats, games and players in whatever order."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select

from server import worker
from server.models import Game, Player, Seat, Tally, session
from tests.kept import again
from tests.profiles import FIFTH
from tests.table import Person, Table

ANNA = "anna@example.org"
NEW = {"edition": "condensed", "players": 3}
HAPPENS = (
    *["join"] * 4, *["invite"] * 3, "accept", "leave", "leave", "remove", "bot", "answer", "block", "wait", "expire",
    "start", "resign", "host", "delete", "open",
)  # fmt: skip
LENGTH = 12


class Lobby:
    """A game that Ada opened, and people who do all that may be done with its seats; much of it is refused."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.people = again(table, _opened).people
        self.done: Counter[str] = Counter()
        self.path = self._newest()

    def step(self, what: str, n: int) -> None:
        person, other, seat = self.people[n % 4], self.people[n // 4 % 4], 1 + n // 16 % 3
        match what:
            case "open":
                self.table.clock.turn(minutes=1)
                seats = [{"role": "mr_x"}, {"role": "detective", "invite": other.address}, {"role": "detective"}]
                self.note(what, person.post("/games", {"edition": "condensed", "seats": seats}))
                self.path = self._newest()
            case "join" | "accept":
                self.note(what, person.post(f"{self.path}/seats", {"seat": seat} if what == "join" else {}))
            case "leave":
                self.note(what, person.request("DELETE", f"{self.path}/seats/{self._seat_of(person) or seat}"))
            case "remove":
                self.note(what, self.host.request("DELETE", f"{self.path}/seats/{seat}"))
            case "invite":
                wanted = ({"invite": ANNA}, {"invite": other.address}, {"player": other.id})[n % 3]
                self.note(what, self.host.request("PUT", f"{self.path}/seats/{seat}", json=wanted))
            case "bot":
                bot = "fugitive" if seat == 1 else "constable"
                self.note(what, self.host.request("PUT", f"{self.path}/seats/{seat}", json={"bot": bot}))
            case "answer":
                self.answer("YES" if n % 2 else "NO")
            case "block":
                self.note(what, person.post("/me/blocks", {"player": other.id}))
            case "wait" | "expire":
                self.table.clock.turn(days=8 if what == "wait" else 31)
                self.work()
            case "host":
                self.note(what, self.host.post(f"{self.path}/host", {"seat": seat}))
            case "start" | "resign":
                self.note(what, (self.host if what == "start" else person).post(f"{self.path}/{what}"))
            case "delete":
                self.note(what, person.request("DELETE", "/me", json={"name": person.name}))

    def note(self, what: str, answer: Any) -> None:
        assert answer.status_code < 500
        self.done[what] += answer.status_code < 300

    def answer(self, word: str) -> None:
        """The reader of an address that is no player's accepts or declines the newest invitation."""
        self.table.tick()
        letters = self.table.post.of(ANNA)
        if letters and letters[-1]["Reply-To"]:
            to = letters[-1]["Reply-To"].addresses[0].addr_spec
            head = f"From: {ANNA}\r\nTo: {to}\r\nMessage-ID: <{self.table.count()}@example.org>"
            self.table.deliver(f"{head}\r\n\r\n{word}\r\n".encode(), ANNA, to)
            self.table.tick()

    def work(self) -> None:
        self.table.tick()
        with self.table.app.app_context():
            worker.tidy_up()
            session.remove()

    @property
    def host(self) -> Person:
        with self.table.app.app_context():
            host = session.scalar(select(Game.host_id).where(Game.id == self.path.rpartition("/")[2]))
            session.remove()
        return next((person for person in self.people if person.id == host), self.people[0])

    def _newest(self) -> str:
        with self.table.app.app_context():
            newest = session.scalar(select(Game.id).order_by(Game.created_at.desc(), Game.id).limit(1))
            session.remove()
        return f"/games/{newest}"

    def _seat_of(self, person: Person) -> int | None:
        theirs = (Seat.game_id == self.path.rpartition("/")[2], Seat.player_id == person.id)
        with self.table.app.app_context():
            number = session.scalar(select(Seat.number).where(*theirs))
            session.remove()
        return number

    def miscounted(self) -> list[Any]:
        """Return each game that keeps another number of free seats than it has, and each tally that is wrong."""
        nobodys = (column.is_(None) for column in (Seat.player_id, Seat.bot, Seat.invited_id, Seat.invitation_id))
        counted = select(func.count()).where(Seat.game_id == Game.id, *nobodys).scalar_subquery()
        with self.table.app.app_context():
            found = session.execute(select(Game.id, Game.free_seats, counted).where(Game.free_seats != counted)).all()
            of_status = select(func.concat("games ", Game.status), func.count()).group_by(Game.status)
            there = dict(session.execute(of_status).all())
            there["players"] = session.scalar(select(func.count()).where(Player.gone_at.is_(None)))
            kept = dict(session.execute(select(Tally.name, Tally.number).where(Tally.number != 0)).all())
            session.remove()
        return [*found, *(there.items() ^ kept.items())]


def _opened(table: Table) -> Any:
    game = table.game(table.people(4), "condensed")
    table.clock.turn(minutes=1)
    assert game.people[0].post("/games", NEW).status_code == 201
    return game


@FIFTH
@given(st.lists(st.tuples(st.sampled_from(HAPPENS), st.integers(0, 191)), min_size=LENGTH, max_size=2 * LENGTH))
def test_a_game_knows_how_many_seats_are_free_whatever_happens_to_them(steps: list[tuple[str, int]]):
    with tempfile.TemporaryDirectory() as folder:
        lobby = Lobby(Table(Path(folder), sandbox="1", min_turn="PT1S"))
        for what, n in steps:
            lobby.step(what, n)
            assert lobby.miscounted() == [], what


def test_each_of_these_things_is_done_and_not_only_refused(table: Table):
    lobby = Lobby(table)
    for what, person, other, seat in (
        ("join", 1, 0, 1), ("leave", 1, 0, 1), ("join", 1, 0, 2), ("remove", 0, 0, 2),
        ("invite", 0, 0, 3), ("answer", 0, 0, 0), ("invite", 0, 0, 3), ("answer", 1, 0, 0),
        ("bot", 0, 0, 1), ("remove", 0, 0, 1), ("invite", 2, 3, 1), ("accept", 3, 0, 1),
        ("invite", 2, 2, 2), ("block", 2, 0, 1), ("wait", 0, 0, 1), ("expire", 0, 0, 1),
        ("open", 1, 2, 1), ("join", 1, 0, 1), ("join", 0, 0, 3), ("host", 0, 0, 3), ("remove", 0, 0, 2),
        ("bot", 0, 0, 2), ("start", 0, 0, 0), ("resign", 1, 0, 0), ("expire", 0, 0, 0),
        ("open", 3, 2, 1), ("delete", 3, 0, 0),
    ):  # fmt: skip
        before = lobby.done.total()
        lobby.step(what, person + 4 * other + 16 * (seat - 1) if what != "answer" else person)
        assert lobby.miscounted() == [], what
        assert lobby.done.total() > before or what in ("answer", "wait", "expire"), what
