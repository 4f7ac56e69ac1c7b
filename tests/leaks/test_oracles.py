"""No answer to a detective or a spectator depends on where Mr. X is.

Two worlds that are the same to the public: in the one he hides a step from Red, in the other far away. Whatever is
asked is asked in both, and the answers are held against each other byte for byte.
"""

import json
import smtplib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from server.engine import Board
from server.mail.transport.smtp_server import listen
from server.settings import Listen
from tests.kept import again
from tests.positions import position
from tests.profiles import IS_CAMPAIGN
from tests.table import Person, Playing, Table

HIS = {"taxi": 4, "bus": 3, "underground": 3, "black": 3, "double": 2}
TICKETS = ("taxi", "bus", "underground", "black")
# His station, and the next: beside Red, who stands on 155, or at the other end of the board.
NEAR, FAR = (168, 167), (9, 20)
# Those around him in either world, and of the others each 25th; a campaign asks about all.
BOARD = Board.named("london")
AROUND = {stop for station in (*NEAR, *FAR) for reach in BOARD.reach.values() for stop in (station, *reach[station])}
STATIONS = tuple(station for station in BOARD.stations if IS_CAMPAIGN or station in AROUND or station % 25 == 0)
HUNTERS = ("ben", "gus")  # Red, whose go it is; a spectator
# Of many acts or guesses of one kind every third is tried, and in a campaign all.


class World:
    """A game in which Mr. X has moved under a key, and all that others got of it."""

    def __init__(self, folder: Path, way: tuple[int, int]) -> None:
        self.start, self.here = way
        self.table = Table(folder, sandbox="1", secret_key="the same in both worlds, and long enough")
        self.table.blind_the_seal()
        self.game = again(self.table, self._begun, f"he goes from {self.start} to {self.here}")
        self.ada, self.ben, self.cleo, self.gus = self.game.people

    def _begun(self, table: Table) -> Playing:
        table.blind_the_seal()
        ada, ben, cleo, gus = table.people(4)
        place = position(self.start, red=155, green=141, his=HIS, log_used=4)
        game = table.game([ada, ben, cleo], position=place)
        table.game([ben, cleo], "condensed")
        move = {"turn": 1, "notation": f"taxi {self.here}"}
        assert ada.post(f"{game.path}/moves", move, headers={"Idempotency-Key": "his"}).status_code == 201
        table.tick()
        return Playing(table, game.id, [ada, ben, cleo, gus])

    @property
    def raw(self) -> list[tuple[str, bytes]]:
        """Return all mails, as sent."""
        return [(letter.recipient, letter.raw) for letter in self.table.post.sent]

    @property
    def mails(self) -> list[tuple[str, bytes]]:
        """Return the mails to others than Mr. X, as sent."""
        return [(to, message) for to, message in self.raw if to != self.ada.address]

    def move(self, person: Person, notation: str, *, turn: int = 2, dry: bool = False, **kwargs: Any) -> TestResponse:
        path = f"{self.game.path}/moves{'?dry_run=true' if dry else ''}"
        return person.post(path, {"turn": turn, "notation": notation}, **kwargs)

    def look(self) -> list[Any]:
        """Return everything that others can ask for, and their mails."""
        paths = ("", "/log", "/record", "/deadline", "/legal-moves", "/ahead")
        asked = [
            bare(person.get(path))
            for person in (self.ben, self.gus)
            for path in (*(f"{self.game.path}{path}" for path in paths), "/games", "/me/waiting")
        ]
        return [*asked, self.mails]


def bare(answer: TestResponse) -> Any:
    """All of an answer with its headers in their order; only the date is that of the wall clock."""
    return answer.status_code, [header for header in answer.headers if header[0] != "Date"], answer.data


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, World]:
    near, far = (World(tmp_path_factory.mktemp("world"), way) for way in (NEAR, FAR))
    return near, far


@pytest.fixture
def fresh(tmp_path: Path) -> tuple[World, World]:
    """Two worlds for a test that changes something."""
    return World(tmp_path / "near", NEAR), World(tmp_path / "far", FAR)


def same(worlds: tuple[World, World], ask: Callable[[World], list[Any]], at_least: int = 1) -> list[Any]:
    """Return what `ask` gets, after checking that it and everything visible afterwards are the same in both worlds."""
    return same_of_each(worlds, lambda world, _: ask(world), [None], at_least)[0]


def same_of_each(
    worlds: tuple[World, World], ask: Callable[[World, Any], list[Any]], cases: Iterable[Any], at_least: int
) -> list[list[Any]]:
    """Return what `ask` gets in each case, after checking that it and all that is visible at the end are the same."""
    found = []
    for case in cases:
        near, far = (ask(world, case) for world in worlds)
        assert len(near) == len(far) >= at_least
        for number, (one, other) in enumerate(zip(near, far, strict=True)):
            assert one == other, (case, number)
        found.append(near)
    assert worlds[0].look() == worlds[1].look()
    return found


def test_the_worlds_differ_in_where_he_is(worlds: tuple[World, World]):
    assert [world.game.view(world.ada)["pawns"]["mr_x"]["station"] for world in worlds] == [NEAR[1], FAR[1]]
    assert worlds[0].look() == worlds[1].look()


def test_what_red_does_next_would_tell_them_apart(fresh: tuple[World, World]):
    ends = [world.move(world.ben, f"red taxi {NEAR[1]}").json["status"] for world in fresh]
    assert ends == ["over", "running"]


# Keys, conditions, methods ------------------------------------------------------------------------


def test_mr_xs_idempotency_keys_give_nobody_his_answers(worlds: tuple[World, World]):
    def ask(world: World, who: str) -> list[Any]:
        key, person = {"Idempotency-Key": "his"}, getattr(world, who)
        bodies = [{"turn": 1, "notation": f"taxi {station}"} for station in STATIONS]
        tried = [person.post(f"{world.game.path}/moves", body, headers=key) for body in bodies]
        tried.append(person.post(f"{world.game.path}/start", headers=key))
        tried.append(person.post(f"{world.game.path}/seats", {"seat": 1}, headers=key))
        return list(map(bare, tried))

    ben, gus = same_of_each(worlds, ask, HUNTERS, at_least=len(STATIONS) + 2)
    assert {status for status, *_ in ben[: len(STATIONS)]} == {409}
    assert {status for status, *_ in gus[: len(STATIONS)]} == {403}


def test_guesses_at_a_version_hit_nothing(worlds: tuple[World, World]):
    """The hash of the station, of a move to it, and of the view with it in it."""
    cases = (("ben", "If-Match"), ("ben", "If-None-Match"), ("gus", "If-None-Match"))

    def ask(world: World, case: tuple[str, str]) -> list[Any]:
        who, condition = case
        person, seen = getattr(world, who), world.game.view(getattr(world, who))
        found = []
        for station in STATIONS:
            seen["pawns"]["mr_x"]["station"] = station
            guesses = (
                str(station),
                f"taxi {station}",
                json.dumps(seen),
                json.dumps(seen, separators=(",", ":")) + "\n",
            )
            tags = ", ".join([f'"{sha1(guess.encode()).hexdigest()}"' for guess in guesses] + [f'"{station}"'])
            found.append(bare(person.get(world.game.path, headers={condition: tags})))
        return found

    answers = same_of_each(worlds, ask, cases, at_least=len(STATIONS))
    for (_, condition), found in zip(cases, answers, strict=True):
        assert {status for status, *_ in found} == {200 if condition == "If-None-Match" else 412}


# Moves --------------------------------------------------------------------------------------------


def test_two_hundred_refused_moves_in_a_row_tell_nothing(worlds: tuple[World, World]):
    pawns = {"ben": "red", "cleo": "green"}  # Red, whose go it is; Green, who may move ahead

    def ask(world: World, who: str) -> list[Any]:
        return [bare(world.move(getattr(world, who), f"{pawns[who]} underground {station}")) for station in STATIONS]

    for answers in same_of_each(worlds, ask, pawns, at_least=len(STATIONS)):
        assert {status for status, *_ in answers} == {422}


def test_trying_every_station_tells_nothing(worlds: tuple[World, World]):
    cases = (*(("ben", ticket) for ticket in (*TICKETS, "double")), ("gus", "taxi"))

    def ask(world: World, case: tuple[str, str]) -> list[Any]:
        who, ticket = case
        moves = [f"double taxi {s} black {s}" if ticket == "double" else f"{ticket} {s}" for s in STATIONS]
        return [bare(world.move(getattr(world, who), move, dry=True)) for move in moves]

    answers = same_of_each(worlds, ask, cases, at_least=len(STATIONS))
    for case, found in zip(cases, answers, strict=True):
        assert (200 in [status for status, *_ in found]) == (case == ("ben", "taxi")), case


# Mail ---------------------------------------------------------------------------------------------


def address_of(mail: Any) -> str:
    address: str = mail["Reply-To"].addresses[0].addr_spec
    return address


def guesses(world: World, first: int = 0, every: int = 1) -> list[str]:
    """Reply addresses that Ben could try: those of other seats and games, and his own with one letter changed.

    With `every` 3, each third letter is changed, from the letter number `first` on.
    """
    own = address_of(next(mail for mail in world.ben.mails if "your move" in mail["Subject"]))
    token = own.removeprefix("turn+").removesuffix("@localhost")
    changed = [token[:n] + ("b" if token[n] == "a" else "a") + token[n + 1 :] for n in range(first, len(token), every)]
    others = [address_of(mail) for person in (world.ada, world.cleo, world.ben) for mail in person.mails]
    made_up = ["turn+@localhost", "turn+167@localhost", "mr_x@localhost", f"turn+{world.game.id}@localhost"]
    return [*(f"turn+{guess}@localhost" for guess in changed), *others, *made_up]


@contextmanager
def door(world: World) -> Iterator[smtplib.SMTP]:
    listener = listen(world.table.app, Listen("smtp", "127.0.0.1", 0))
    try:
        with smtplib.SMTP("127.0.0.1", listener.port, local_hostname="mail.example.org", timeout=30) as client:
            yield client
    finally:
        listener.stop()


def test_forged_reply_addresses_are_taken_or_refused_alike(worlds: tuple[World, World]):
    def ask(world: World) -> list[Any]:
        found: list[Any] = []
        with door(world) as client:
            for guess in guesses(world):
                client.ehlo("mail.example.org")
                found += [client.mail(world.ben.address), client.rcpt(guess), client.verify(guess), client.rset()]
        return found

    answers = same(worlds, ask, at_least=80)
    assert {code for code, _ in answers[1::4]} == {250, 550}


TEXTS = ("STATUS", "taxi 168", "LEGAL\nLOG\nBOARD 167", "I think taxi 167 or so", "YES")


@pytest.mark.parametrize("text", TEXTS)
def test_mails_to_forged_reply_addresses_are_answered_alike(fresh: tuple[World, World], text: str):
    """Each letter is changed in one of the mails at least; in a campaign each is in a mail of every text."""
    apart = {} if IS_CAMPAIGN else {"first": TEXTS.index(text), "every": len(TEXTS)}

    def ask(world: World) -> list[Any]:
        for guess in guesses(world, **apart):
            world.table.deliver(letter(world.ben, guess, text, world.table.count()), world.ben.address, guess)
        world.table.tick()
        return world.mails

    same(fresh, ask)


def letter(person: Person, to: str, text: str, number: int, sender: str = "") -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender or person.address, to, "Re: a move"
    mail["Message-ID"] = f"<{number}@mail.example.org>"
    mail.set_content(text)
    return mail.as_bytes()


def test_who_answers_a_stolen_mail_gets_nothing(fresh: tuple[World, World]):
    def ask(world: World) -> list[Any]:
        before = len(world.raw)
        for text in ("STATUS", "LEGAL", "taxi 168", "HELP"):
            world.ben.reply(text, sender="Mallory <mallory@evil.example>")
            world.table.tick()
        assert {to for to, _ in world.raw[before:]} == {world.ben.address}, "he is told, and nobody else"
        return world.mails

    same(fresh, ask)


def test_a_detective_who_answers_a_mail_of_mr_xs_gets_nothing(fresh: tuple[World, World]):
    """It was forwarded to him, its reply address and all. Only Mr. X is told, once."""

    def ask(world: World) -> list[Any]:
        his, before = world.ada.mails[-1], len(world.mails)
        for text in ("STATUS", "LEGAL", f"BOARD {world.start}", "taxi 20", "YES"):
            world.ben.reply(text, to=his)
            world.table.tick()
        assert len(world.mails) == before
        assert world.game.view(world.gus)["history"] == ["taxi ?"]
        return world.mails

    same(fresh, ask)
