"""What becomes of a mail, and what a command prints, while the database goes away around the commit."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import pytest
from click.testing import Result
from sqlalchemy import update

from server.mail import inbox
from server.models import Incoming, Outgoing, Unavailable, session, transaction
from tests import databases
from tests.commits.cutting import Cut, Way
from tests.profiles import IS_CAMPAIGN
from tests.refusals.cases import LINES, REASON
from tests.refusals.stage import Stage
from tests.worlds.outlets import commands

# By the command: the state of the game in which it changes something, and its arguments.
RUN: dict[str, tuple[str, tuple[str, ...]]] = {
    "player add": ("hunt", ("Ivy", "ivy@example.org")),
    "player import": ("hunt", ("{folder}/good.csv",)),
    "player rename": ("hunt", ("ben@example.org", "Benny")),
    "player grant": ("hunt", ("ben@example.org", "operator")),
    "player withdraw": ("hunt", ("gus@example.org", "operator")),
    "player address add": ("hunt", ("ben@example.org", "ben@home.example")),
    "player address remove": ("hunt", ("gus@home.example",)),
    "player token add": ("hunt", ("ben@example.org",)),
    "player token revoke": ("hunt", ("{tokens}",)),
    "game reinstate": ("provisional", ("{game}", *REASON)),
    "game end": ("hunt", ("{game}", *REASON)),
    "game host": ("hunt", ("{game}", "3", *REASON)),
    "game practice": ("hunt", ("gus@example.org",)),
    "game substitute": ("hunt", ("{game}", "2", "gus@example.org", *REASON)),
    "game unseal": ("hunt", ("{game}", *REASON)),
    "game new": ("hunt", ("gus@example.org", "--edition", "condensed")),
    "game change": ("hunt", ("{other}", "--name", "Friday night")),
    "game close": ("hunt", ("{other}",)),
    "game invite": ("hunt", ("{other}", "hana@example.org")),
    "game join": ("hunt", ("{other}", "gus@example.org")),
    "game leave": ("hunt", ("{other}", "ben@example.org")),
    "game start": ("open", ("{game}",)),
    "game rematch": ("final", ("{game}", "ben@example.org")),
    "inbox retry": ("hunt", ("{inbox}",)),
    "outbox retry": ("hunt", ("{outbox}",)),
    "deadline extend": ("hunt", ("{game}", "P1D", *REASON)),
    "network block": ("hunt", ("203.0.113.0/24",)),
    "network unblock": ("hunt", ("203.0.113.0/24",)),
}
# What has to be so before.
PREPARED: dict[str, Callable[[Stage], object]] = {
    "player import": lambda stage: (stage.folder / "good.csv").write_text("name,email\nIvy,ivy@example.org\n"),
    "player withdraw": lambda stage: stage.invoke("player", "grant", "gus@example.org", "operator"),
    "player address remove": lambda stage: stage.invoke(
        "player", "address", "add", "gus@example.org", "gus@home.example"
    ),
    "network unblock": lambda stage: stage.invoke("network", "block", "203.0.113.0/24"),
    "game start": lambda stage: stage.people["Cleo"].post(f"/games/{stage.game}/seats"),
    "inbox retry": lambda stage: (stage.mail("Ben", "STATUS"), mails_stand(stage, Incoming, "aside")),
    "outbox retry": lambda stage: mails_stand(stage, Outgoing, "dead"),
}
# Commands that are not cut here, each with the reason.
NOT_CUT = {
    "deadline credit": "only an outage is credited; see tests/application/time/outages/test_outages.py",
    "release": "only a database that was restored is released; its work is that of `deadline credit`",
    "game remind": "it goes the way of the form of the game's page",
    "game link": "the same",
    "abuse report": "the same",
    "abuse settle": "it goes the way of the form of the operator's page",
    "restore": "it makes a database",
    "db upgrade": "a migration is run again",
    "key rotate": "it is run again, and goes on",
    "setup": "there is no database yet",
    "demo": "it has a server of its own",
    "play": "it asks a server over REST",
}
READING = {
    "backup", "doctor", "player show", "player list", "player token list", "game list", "game show", "game replay",
    "game table", "inbox list", "outbox list", "outbox show", "deadline list", "verify",
    "abuse list", "network list", "arena",
    "serve", "web", "worker",
}  # fmt: skip
UNKNOWN = "So it is not known whether this was done"


@pytest.fixture(scope="module")
def stage(way: Way, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("stage"), database_url=way.url)


def mails_stand(stage: Stage, model: type[Incoming | Outgoing], state: str) -> None:
    with stage.table.app.app_context(), transaction():
        session.execute(update(model).values(state=state))


def run(stage: Stage, name: str) -> Result:
    ids = {**stage.state.ids, **stage._ids()}
    return stage.invoke(*name.split(), *(word.format(**ids) for word in RUN[name][1]))


def prepare(stage: Stage, name: str) -> bytes:
    stage.take_up(RUN[name][0])
    PREPARED.get(name, lambda _stage: None)(stage)
    with stage.table.app.app_context():
        databases.let_go()
    return stage.stored()


@pytest.mark.parametrize("name", RUN)
def test_a_command_says_what_it_did(stage: Stage, way: Way, name: str):
    answered = IS_CAMPAIGN or [*RUN].index(name) % 3 == 0
    for place in (Cut.UNANSWERED, *[Cut.AFTER] * answered):
        before = prepare(stage, name)
        with way.cut(place):
            done = run(stage, name)
        assert stage.stored() != before, place
        assert done.exit_code == (0 if place is Cut.AFTER else 1), done.output
        assert (UNKNOWN in done.output) == (place is not Cut.AFTER), done.output


def test_every_command_is_cut_or_has_a_reason_why_not():
    assert RUN.keys() | NOT_CUT.keys() | READING == commands()


def counts(stage: Stage) -> Counter[str]:
    return Counter({name: len(rows) for name, rows in databases.rows(stage.table.app).items()})


def read(stage: Stage) -> None:
    with stage.table.app.app_context():
        inbox.process_waiting()
        session.remove()


def arrives(stage: Stage, line: str) -> None:
    stage.take_up("hunt")
    ben = stage.people["Ben"]
    raw = f"From: {ben.address}\r\nMessage-ID: <one@example.org>\r\n\r\n{line.format(**stage.state.ids)}\r\n"
    stage.table.deliver(raw.encode(), ben.address, stage.state.addresses["Ben"])


@pytest.mark.parametrize("name", LINES)
def test_a_mail_is_read_once_whatever_its_commit_answered(stage: Stage, way: Way, name: str):
    line = LINES[name][0]
    arrives(stage, line)
    read(stage)
    whole = counts(stage)
    for place in Cut if name == "move" else [Cut.UNANSWERED]:
        arrives(stage, line)
        with way.cut(place), suppress(Unavailable):
            read(stage)
        read(stage)
        assert counts(stage) == whole, place
        with stage.table.app.app_context():
            assert session.query(Incoming).filter(Incoming.attempts > 0).count() == 0
            session.remove()
