"""The fixed run: nothing leaves the two worlds in which they differ, and it goes through every outlet there is."""

from pathlib import Path

import pytest

from tests.worlds import tour
from tests.worlds.outlets import inventory
from tests.worlds.twins import Twin

pytestmark = pytest.mark.sqlite("two worlds are compared by what lies in its file")

# What the run does not go through, and why that is right.
NOT_GONE_THROUGH = {
    ("log", "server.http.server: an HTTP answer failed: %s"): "the tour asks the application, without connections; it "
    "says a kind and a place, see tests/http/test_server.py",
    (
        "log",
        "server.http.server: HTTP requests were still under way %d seconds after the server was told to stop",
    ): "the same; it says a constant",
    ("log", "server.mail.outbox: outbox row %s is refused: %s"): "takes a name that no use case lets in; one of a few "
    "fixed sentences",
    ("log", "server.models.startup: the database cannot be used (%s); the next attempt is in %d seconds"): "before "
    "any game is read; the reason is one of a few fixed words",
    ("log", "server.cli.worker_process: the worker failed: %s"): "of a process that the tour does not start; it says a "
    "kind and a place, see tests/cli/test_worker_process.py",
    ("log", "server.cli.worker_process: the worker's process %s"): "the same; it says a signal or a number",
    ("log", "server.cli.worker_process: the worker's process has ended, so the server stops"): "the same; a constant",
    ("command", "serve"): "runs for ever; what it prints is fixed before any game is read",
    ("command", "web"): "as serve",
    ("command", "worker"): "as serve",
    ("command", "setup"): "asks mail servers and reads no game: there is none yet",
    ("command", "demo"): "plays on a server of its own, with dice of its own",
    ("endpoint", "GET /dev/mail"): "shows everybody's mail to who turns it on; that it is off is in the run",
    ("endpoint", "HEAD /dev/mail"): "as GET",
    ("endpoint", "OPTIONS /dev/mail"): "as GET",
    ("column", "games.warned_at"): "of games that have not begun: there is no Mr. X yet",
    ("column", "outbox.refused_at"): "when the relay refused a mail for good; that it did stands in the state",
    ("column", "seats.bank"): "worked out from the times of public moves alone, on a clock of kind bank",
    ("problem", "not-acceptable"): "an answer of the framework that no request gets so far",
    ("problem", "unsupported-media-type"): "an answer of the framework that no request gets so far",
}
# The scenes of a game that was dealt, and those of one from a position.
RUN = {
    "dealt": ("lobby", "tables", "hunt", "returned", "bounces", "operator", "accounts", "faults", "late", "resign",
              "webhooks", "time", "agree", "damaged", "abuse"),
    "placed": ("private",),
}  # fmt: skip


@pytest.fixture(scope="module")
def gone_through(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    """Every outlet the run has gone through; the run itself fails where the two worlds differ."""
    found: set[tuple[str, str]] = set()
    for pair, names in RUN.items():
        for name in names:
            found |= play(tmp_path_factory.mktemp("twin"), pair, name)
    return found


def play(folder: Path, pair: str, name: str) -> set[tuple[str, str]]:
    twin = Twin(folder, getattr(tour, pair)(), noise=name == "private", loud=name in ("lobby", "returned"))
    scene = tour.SCENES[name]
    scene.before(twin)
    scene.play(twin)
    twin.compare_statements()
    twin.note_what_is_stored()
    twin.close()
    return twin.gone_through


def test_the_run_goes_through_every_outlet_there_is(gone_through: set[tuple[str, str]]):
    assert inventory() - gone_through - NOT_GONE_THROUGH.keys() == set()


def test_what_is_named_as_not_gone_through_is_there_and_not_gone_through(gone_through: set[tuple[str, str]]):
    assert NOT_GONE_THROUGH.keys() <= inventory()
    assert NOT_GONE_THROUGH.keys() & gone_through == set()


@pytest.mark.parametrize("kind", ["endpoint", "problem", "mail", "mail command", "command", "event", "log", "column"])
def test_the_inventory_has_outlets_of_every_kind(kind: str):
    assert len([outlet for outlet in inventory() if outlet[0] == kind]) > 5
