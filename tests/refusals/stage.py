"""A game in several states, each taken up again for a case, and what a command changes in it.

stage = Stage(folder)
stage.take_up("hunt")
before = stage.rows()
read = stage.mail("Ben", "purple taxi 15\nred taxi 199")
assert not differences(before, stage.rows())
"""

import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from click.testing import CliRunner, Result
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from server.application.game.look import standing_of
from server.application.game.state import rebuild
from server.cli import main
from server.mail import inbox
from server.mail.commands import reply
from server.models import Base, Game, Incoming, Move, session, transaction
from server.runtime import MOST_VIEWS
from server.runtime.game_cache import GameCache
from server.runtime.lru import LRUCache
from server.runtime.request_counts import RequestCounts
from tests import databases
from tests.injected import Rngs, for_command
from tests.letters import Postbox
from tests.refusals.dumps import Row, public
from tests.scenes import Stranger, dealing
from tests.table import Table

KEY = "a key that is long enough, for mails that a provider hands over"
PLAY = "play@localhost"
NAMES = ("Ada", "Ben", "Cleo", "Gus", "Hana")
# What became of a mail of which something was done.
OBEYED = ("obeyed", "accepted", "declined", "stopped")


class State(NamedTuple):
    """Database and memory of a game in one state, and the names that commands need there."""

    database: databases.Rows | bytes
    rng: Mapping[str, tuple[Any, ...]]
    time: datetime
    mails: int
    ids: Mapping[str, str]
    addresses: Mapping[str, str]


class Read(NamedTuple):
    """The verdict on a mail, and the lines that were refused although others were done."""

    verdict: str
    refused: list[str]


class Stage:
    """An application with a game of three: Ada is Mr. X, Ben moves Purple and Red, Cleo Green and Yellow.

    Gus has no game. Hana hosts a second game, in which she does not sit; Ben is invited to it, and Kim, who is no
    player yet.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        known = {"sandbox": "1", "min_turn": "PT1S", "secret_key": KEY, "mailgun_signing_key": KEY, "push": "yes"}
        self.table = Table(folder, **known, **settings)
        self._runtime.resolve = lambda _host: ["93.184.216.34"]
        self.people = {name: self.table.person(name) for name in NAMES}
        self.people["Kim"] = Stranger(self.table, "Kim")
        self.game = self.other = ""
        self.now = ""
        self.states: dict[str, State] = {}
        self.faults: list[str] = []
        self._open()
        self._keep("open")
        for name, (before, act) in STATES.items():
            self.take_up(before)
            act(self)
            self.table.tick()
            self._keep(name)

    @property
    def _runtime(self) -> Any:
        return self.table.app.extensions["blackticket"]

    # States

    def take_up(self, name: str) -> None:
        """Lay a state out. The process has the game in its cache, as one that runs has."""
        state = self.states[name]
        databases.lay(self.table.app, state.database)
        runtime = self._runtime
        runtime.request_counts, runtime.game_cache, runtime.view_cache = (
            RequestCounts(),
            GameCache(),
            LRUCache(MOST_VIEWS),
        )
        runtime.rng, self.table.clock.time, self.table._count = _thrown(state.rng), state.time, state.mails
        self.table.post = Postbox()
        self.now = name
        if name != "open":
            with self.table.app.app_context():
                rebuild(standing_of(session.get_one(Game, self.game)))
                session.remove()

    @property
    def state(self) -> State:
        """The state that was taken up last."""
        return self.states[self.now]

    def rows(self, *, opened: bool = False) -> dict[str, list[Row]]:
        """Return all public rows; see `dumps.public`."""
        return public(self.table, opened=opened)

    def stored(self) -> bytes:
        """Return everything that lies in the database, as bytes."""
        return databases.stored(self.table.app)

    def has_more_in_memory(self) -> bool:
        """Return whether the game in the cache of the process has a move that is not committed."""
        with self.table.app.app_context():
            committed = session.scalar(select(func.count()).where(Move.game_id == self.game)) or 0
            kept = self._runtime.game_cache.get(self.game, committed + 1)
            session.remove()
        return kept is not None and len(kept.history) > committed

    def _keep(self, name: str) -> None:
        copy = databases.copied(self.table.app)
        addresses = {**(self.state.addresses if self.now else {}), **self._addresses()}
        rng = {purpose: source.getstate() for purpose, source in self._runtime.rng.sources.items()}
        self.states[name] = State(copy, rng, self.table.clock.time, self.table._count, self._ids(), addresses)
        self.now = name

    def _addresses(self) -> dict[str, str]:
        """The reply address that was printed last for each of the people."""
        newest = {who: person.mails[-1] for who, person in self.people.items() if person.mails}
        return {who: mail["Reply-To"].addresses[0].addr_spec for who, mail in newest.items() if mail["Reply-To"]}

    def _ids(self) -> dict[str, str]:
        """Return the ids that commands name, by the words that stand for them in braces: one row of each SQL table."""
        found = {"game": self.game, "other": self.other, "folder": str(self.folder)}
        with self.table.app.app_context():
            found["code"] = session.get_one(Game, self.other).code
            for name, sql in Base.metadata.tables.items():
                if "id" in sql.c and name != "games":
                    found[name] = session.scalar(select(sql.c.id).order_by(sql.c.id).limit(1)) or "nothing"
            session.remove()
        return found

    def _open(self) -> None:
        hana, ada, ben, cleo = (self.people[name] for name in ("Hana", "Ada", "Ben", "Cleo"))
        guests = [{"role": "mr_x"}, {"role": "detective", "player": ben.id},
                  {"role": "detective", "invite": "kim@example.org"}]  # fmt: skip
        self.other = hana.post("/games", {"edition": "condensed", "seats": guests}).json["id"]
        ben.post("/webhooks", {"url": "https://ben.example.org/"})
        ben.post("/me/tokens", {"name": "robot", "scopes": ["read", "play"]})
        ben.post("/me/absences", {"from": "2027-03-01", "to": "2027-03-02"})
        ben.post("/me/addresses", {"email": "ben@work.example"})
        self.table.tick()
        seats = [{"role": "mr_x", "player": ada.id}, *({"role": "detective", "player": p.id} for p in (ben, cleo))]
        self.game = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats}).json["id"]
        assert ben.post(f"/games/{self.game}/seats").status_code == 201
        self.table.tick()

    # What is done

    def mail(self, who: str, text: str, to: str | None = None, sender: str | None = None) -> Read:
        """A mail of somebody to their newest reply address, or to another; it is read, and no mail is sent."""
        person, mail = self.people[who], EmailMessage()
        mail["From"], mail["To"] = sender or person.address, to or self.state.addresses.get(who, PLAY)
        mail["Subject"], mail["Message-ID"] = "Re: the game", f"<{self.table.count()}@mail.example.org>"
        mail.set_content(text)
        raw, refused = mail.as_bytes(), list[str]()
        self.table.deliver(raw, person.address, mail["To"])
        refuse = reply.refused

        def noted(line: str, problem: Any) -> reply.Reply:
            refused.append(line)
            return refuse(line, problem)

        with mock.patch.object(reply, "refused", noted), self.table.app.app_context():
            inbox.process_waiting()
            digest = self._runtime.keyring.fingerprint(raw)
            verdict, attempts = session.execute(
                select(Incoming.verdict, Incoming.attempts).where(Incoming.digest == digest)
            ).one()
            session.remove()
        if attempts:
            self.faults.append(f"{self.now}: {who} writes {text!r}")
        return Read(verdict or "", refused)

    def request(self, who: str | None, method: str, path: str, **kwargs: Any) -> TestResponse:
        """A request with the token of somebody; None has no token."""
        headers = {"Authorization": f"Bearer {self.people[who].token}"} if who else {}
        headers |= kwargs.pop("headers", {})
        answer = self.table.client.open(path, method=method, headers=headers, buffered=True, **kwargs)
        if answer.status_code >= 500:
            self.faults.append(f"{self.now}: {who} asks {method} {path} {kwargs}: {answer.status_code}")
        return answer

    def command(self, *arguments: str) -> bool:
        """A command of the operator's on this application; return whether it was refused."""
        done = self.invoke(*arguments)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            self.faults.append(f"{self.now}: blackticket {' '.join(arguments)}: {done.exception!r}")
        return done.exit_code != 0

    def invoke(self, *arguments: str) -> Result:
        """Run a command of the operator's on this application."""
        # That the database is of this version is known, and finding out takes ten times as long as the command.
        known = mock.patch.multiple("server.migrations", current=lambda: "known", require_current=lambda: None)
        with nullcontext() if arguments[0] == "db" else known:
            return CliRunner().invoke(main, list(arguments), prog_name="blackticket", obj=for_command(self.table.app))


def renamed(rows: Mapping[str, list[Row]], known: str) -> dict[str, list[Row]]:
    """Return the rows in an order of their own, with each random name that is not in `known` left out.

    What is refused may draw a name in vain, so what is done behind it has another one than without it.
    """

    def hide(found: re.Match[str]) -> str:
        return found[0] if found[0] in known else "~"

    def shown(row: Row) -> Row:
        return tuple((column, _RANDOM.sub(hide, repr(value))) for column, value in row)

    return {name: sorted(map(shown, found)) for name, found in rows.items()}


_RANDOM = re.compile(r"(?<![0-9a-z])(?:[0-9a-f]{64}|[a-z2-7]{52}|[a-z2-7]{16})(?![0-9a-z])")


def _thrown(states: Mapping[str, tuple[Any, ...]]) -> Rngs:
    """Return generators that go on from where others were."""
    rng = Rngs(1)
    for purpose, state in states.items():
        rng(purpose).setstate(state)
    return rng


# States -------------------------------------------------------------------------------------------


def _begins(stage: Stage) -> None:
    stage.people["Cleo"].post(f"/games/{stage.game}/seats")
    with dealing(stage.table, 103, 26, 29, 34, 50):
        assert stage.people["Ada"].post(f"/games/{stage.game}/start").status_code == 200


def _moves(stage: Stage, who: str, *notations: str) -> None:
    for notation in notations:
        turn = stage.people[who].get(f"/games/{stage.game}").json["turn"]
        moved = stage.people[who].post(f"/games/{stage.game}/moves", {"turn": turn, "notation": notation})
        assert moved.status_code in (201, 202), moved.json


def _queues_moves(stage: Stage) -> None:
    _moves(stage, "Cleo", "green taxi 47", "yellow taxi 37")
    _moves(stage, "Ben", "red bus 41")


def _proposes(stage: Stage) -> None:
    stage.people["Cleo"].post(f"/games/{stage.game}/votes", {"kind": "extend", "length": "P1D"})


def _offers_a_draw(stage: Stage) -> None:
    for who in ("Ada", "Cleo"):
        stage.people[who].post(f"/games/{stage.game}/draw")


def _is_asked(stage: Stage) -> None:
    stage.mail("Ben", "I think I take purple taxi 15")


def _holds_a_move(stage: Stage) -> None:
    stage.people["Ben"].request("PATCH", "/me/preferences", json={"hold": "always"})
    stage.mail("Ben", "purple taxi 15")


def _writes_from_elsewhere(stage: Stage) -> None:
    stage.mail("Ben", "purple taxi 15\nSET zone Nowhere", sender="ben@phone.example")


def _is_covered(stage: Stage) -> None:
    stage.people["Cleo"].request("PUT", f"/games/{stage.game}/cover", json={"seat": 2})
    _moves(stage, "Ben", "purple taxi 15", "red bus 41")


def _waits_for_mr_x(stage: Stage) -> None:
    with stage.table.app.app_context():
        with transaction():
            row = session.get_one(Game, stage.game)
            row.clock = {**row.clock, "mr_x_late": "vote"}
        session.remove()
    _is_late(stage)


def _is_late(stage: Stage) -> None:
    for _ in range(2):
        stage.table.clock.turn(hours=48, minutes=1)
        stage.table.tick()


def _gives_up(stage: Stage) -> None:
    stage.people["Ada"].post(f"/games/{stage.game}/resign")


# Each comes from another one.
STATES: dict[str, tuple[str, Callable[[Stage], None]]] = {
    "mr_x": ("open", _begins),
    "hunt": ("mr_x", lambda stage: _moves(stage, "Ada", "taxi 86")),
    "ahead": ("hunt", _queues_moves),
    "vote": ("hunt", _proposes),
    "draw": ("hunt", _offers_a_draw),
    "asked": ("hunt", _is_asked),
    "held": ("hunt", _holds_a_move),
    "elsewhere": ("hunt", _writes_from_elsewhere),
    "covered": ("hunt", _is_covered),
    "claim": ("mr_x", _waits_for_mr_x),
    "provisional": ("mr_x", _is_late),
    "final": ("hunt", _gives_up),
}
