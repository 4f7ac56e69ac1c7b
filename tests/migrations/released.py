"""Databases of released versions, as SQL: every later version has to upgrade them and go on with their games.

A file of `data` is written once, when its version is released, and never changed:

    .venv/bin/python -m tests.migrations.released VERSION
"""

import sqlite3  # pysqlite3 cannot write SQL
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from server.application.people.accounts import abuse_reports, browsers
from server.models import Player, session
from tests.positions import position
from tests.table import Table

DATA = Path(__file__).parent / "data"
KEY = "the key of the databases of released versions"


def dump(path: Path) -> str:
    """Return a SQLite database as SQL, by the standard library, as not every SQLite module can write one."""
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump()) + "\n"


def lay(version: str, var: Path) -> None:
    """Make the database of a version in the data folder `var`."""
    var.mkdir(exist_ok=True)
    with closing(sqlite3.connect(var / "blackticket.db")) as database:
        database.executescript((DATA / f"{version}.sql").read_text())


def played(var: Path) -> Table:
    """Return a table with a game that is over, one that is open and one that runs, and what players have beside.

    In the one that runs are talk, a vote, a queued move, a move that waits in case it is stopped, and mails to send.
    Beside them are a webhook, blocks, absences, wishes for mail, a browser, an abuse report and a request to sign up.
    """
    table = Table(var, sandbox="1", secret_key=KEY)
    ada, ben, cleo = people = table.people(3)
    still_open = ada.post("/games", {"edition": "condensed", "players": 3}).json
    over = table.game(people, position=position(104, red=116, green=34))
    running = table.game(people)
    running.play_round()
    running.move(ada)
    talk = f"{running.path}/messages"
    queued = running.move(cleo)  # as it is Ben's turn
    answers = [
        over.move(ada, "taxi 86", headers={"Idempotency-Key": "a-key"}),
        over.move(ben, "bus 86"),
        cleo.post(talk, {"text": "Where is he?", "to": "team"}),
        ben.request("PATCH", "/me/preferences", json={"hold": "always"}),
    ]
    table.tick()
    ben.reply(running.legal(ben)[0])
    table.tick()
    answers += [
        ben.post(talk, {"text": "Near the river.", "to": "all"}),
        cleo.post(f"{running.path}/votes", {"kind": "extend", "length": "P2D"}),
        ada.request("PUT", f"/games/{still_open['id']}/seats/2", json={"invite": "kim@example.org"}),
        ada.request("PUT", f"/games/{still_open['id']}/seats/3", json={"bot": "constable"}),
        ada.post("/webhooks", {"url": "http://127.0.0.1:9000/hook"}),
        ben.post("/me/blocks", {"who": "spam@example.org"}),
        cleo.post("/me/absences", {"from": "2027-08-01", "to": "2027-08-14"}),
        cleo.request("PATCH", f"{over.path}/preferences", json={"mail": "daily 08:00"}),
        cleo.request("PUT", f"{over.path}/messages/muted", json={"muted": True}),
        ada.post("/players", {"name": "Lou", "email": "lou@example.org"}),
    ]
    with table.app.app_context():
        browsers.sign_in(ada.id, "Firefox on Linux")
        abuse_reports.report_name(running.id, session.get_one(Player, ben.id), 3)
    assert queued.status_code == 202
    assert all(answer.status_code < 300 for answer in answers), [answer.status for answer in answers]
    assert over.view()["status"] == "over"
    return table


if __name__ == "__main__":
    version = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        played(Path(folder))
        DATA.joinpath(f"{version}.sql").write_text(dump(Path(folder) / "blackticket.db"))
