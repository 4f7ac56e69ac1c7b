"""The fixed run: nothing leaves the two worlds in which they differ, and it goes through every outlet there is."""

from collections.abc import Callable

import pytest

from server.application.game import outbox_rows
from server.models import Deadline, session, transaction
from tests.profiles import IS_CAMPAIGN
from tests.table import Table
from tests.worlds import beginnings, stored_words, tour
from tests.worlds.begun import Begun
from tests.worlds.histories import Pair
from tests.worlds.outlets import inventory

pytestmark = pytest.mark.sqlite("two worlds are compared by what lies in its file")

# What the run does not go through, and why that is right.
NOT_GONE_THROUGH = {
    **{
        ("column", f"news.{name}"): "PostgreSQL alone has rows of it: numbers, and ids of who is to ask"
        for name in ("number", "at", "topics")
    },
    ("log", "server.http.server: an HTTP answer failed: %s"): "the tour asks the application, without connections; it "
    "says a kind and a place, see tests/http/test_server.py",
    (
        "log",
        "server.http.server: HTTP requests were still under way %d seconds after the server was told to stop",
    ): "the same; it says a constant",
    (
        "log",
        "server.http.accepting: the system has no room for another HTTP connection (%s); those that come wait",
    ): "the same; the name of an error of the system, see tests/http/test_accepting.py",
    (
        "log",
        "server.models.base: what was to follow a commit failed: %s",
    ): "nothing that follows a commit fails; a kind and a place, see tests/models/test_transaction.py",
    (
        "log",
        "server.application.game.verification: game %s could not be verified: %s",
    ): "what a game may hold is found and not raised; a kind and a place",
    ("event", "repaired"): "of logs of before, see tests/standalone/test_verifier.py",
    ("log", "server.mail.composing: outbox row %s is refused: %s"): "takes a name that no use case lets in; one of a "
    "few fixed sentences",
    ("log", "server.models.startup: the database cannot be used (%s); the next attempt is in %d seconds"): "before "
    "any game is read; the reason is one of a few fixed words",
    (
        "log",
        "server.cli.worker_process: the worker's process %s",
    ): "of `serve`, which is not started here; how a process ended, by its status or its signal",
    (
        "log",
        "server.app.heart: the process could not renew what it holds: %s",
    ): "of the processes, which are not started here; a kind and a place",
    ("log", "server.app.notifications: this process hears no notifications until the database is back: %s"): "the "
    "same, on PostgreSQL alone",
    (
        "log",
        "server.app.notifications: this process hears no notifications behind a pooler, and so looks by itself",
    ): "the same; a constant",
    ("log", "server.cli.worker_process: the worker's process has ended, so the server stops"): "the same; a constant",
    ("log", "server.cli.worker_process: the worker failed: %s"): "the same; a kind and a place",
    (
        "log",
        "server.cli.service_manager: %s; if that lasts, the service manager ends this process",
    ): "of the processes, which are not started here; one of two constants",
    ("command", "key rotate"): "prints the name of a file and how many values there are, of all games together",
    ("command", "serve"): "runs for ever; what it prints is fixed before any game is read",
    ("command", "web"): "as serve",
    ("command", "worker"): "as serve",
    ("command", "setup"): "asks mail servers and reads no game: there is none yet",
    ("command", "demo"): "plays on a server of its own, with dice of its own",
    ("command", "arena"): "plays games of its own, with neither a server nor a database",
    ("endpoint", "GET /dev/mail"): "shows everybody's mail to who turns it on; that it is off is in the run",
    ("endpoint", "HEAD /dev/mail"): "as GET",
    ("endpoint", "OPTIONS /dev/mail"): "as GET",
    ("endpoint", "POST /dev/mail"): "takes a mail in, as the SMTP listener does; only beside the page above",
    ("endpoint", "GET /dev/mail/html"): "as GET /dev/mail",
    ("endpoint", "HEAD /dev/mail/html"): "as GET",
    ("endpoint", "OPTIONS /dev/mail/html"): "as GET",
    **{
        ("column", f"processes.{name}"): "rows of PostgreSQL alone, about a process and its machine"
        for name in ("name", "began_at", "seen_at", "host", "ahead", "connections", "settings")
    },
    ("log", "server.application.health.processes: this process %s: a worker that began earlier has another %s"): "the "
    "same, on PostgreSQL alone; an id and names of settings",
    ("column", "outbox.refusal"): "what the relay said, encrypted, for `doctor` alone",
    ("column", "webhooks.fence"): "of a webhook that a worker has in hand; random",
    ("column", "games.warned_at"): "of games that have not begun: there is no Mr. X yet",
    ("column", "games.seed"): "of games of one person against bots, as that person wrote it",
    ("column", "outbox.refused_at"): "when the relay refused a mail for good; that it did stands in the state",
    ("column", "seats.bank"): "worked out from the times of public moves alone, on a clock of kind bank",
    ("problem", "already-done"): "a constant and the address of the game, for a key whose answer is not kept any more",
    ("problem", "not-acceptable"): "an answer of the framework that no request gets so far",
    ("problem", "unsupported-media-type"): "of a body that is compressed, before it is read; it says a constant",
}
# The scenes of a game that was dealt, and those of one from a position.
RUN = {
    beginnings.dealt: (
        "seats", "tables", "lobby", "hunt", "returned", "bounces", "operator", "accounts", "faults", "late", "resign",
        "webhooks", "time", "agree", "damaged", "abuse", "pages", "holds",
    ),
    beginnings.placed: ("private", "timers", "holds alone"),
}  # fmt: skip
# Those that all players read in German: motions, reasons, timers, and what is taken up again.
IN_GERMAN = ("hunt", "late", "agree", "holds")


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[set[tuple[str, str]], stored_words.Places]:
    """Every outlet that the whole run goes through, and where it stores words; it fails where the two worlds differ."""
    found: set[tuple[str, str]] = set()
    places: stored_words.Places = {}
    english, german = Begun(tmp_path_factory.mktemp("begun")), Begun(tmp_path_factory.mktemp("german"), "de")
    with stored_words.noted(places):
        for pair, names in RUN.items():
            for name in names:
                found |= play(german if name in IN_GERMAN else english, pair, name)
    english.close()
    german.close()
    return found, places


@pytest.fixture(scope="module")
def gone_through(whole_run: tuple[set[tuple[str, str]], stored_words.Places]) -> set[tuple[str, str]]:
    """Every outlet that the whole run goes through."""
    return whole_run[0]


NOISY = ("private", "holds alone")
LOUD = ("lobby", "returned")
EARLY = ("seats", "tables")  # in which the cards of the pair are not dealt


def play(begun: Begun, pair: Callable[[], Pair], name: str) -> set[tuple[str, str]]:
    """Play a scene, and return the outlets gone through."""
    scene = tour.SCENES[name]
    twin = begun.take_up(
        pair, scene.before, noise=name in NOISY, loud=name in LOUD, one_only=name in EARLY and not IS_CAMPAIGN
    )
    scene.play(twin)
    twin.compare_statements()
    twin.note_what_is_stored()
    return twin.gone_through


def test_the_run_goes_through_every_outlet_there_is(gone_through: set[tuple[str, str]]):
    assert inventory() - gone_through - NOT_GONE_THROUGH.keys() == set()


def test_what_is_named_as_not_gone_through_is_there_and_not_gone_through(gone_through: set[tuple[str, str]]):
    assert NOT_GONE_THROUGH.keys() <= inventory()
    assert NOT_GONE_THROUGH.keys() & gone_through == set()


def test_words_are_stored_only_where_nobody_would_read_them_in_another_language(
    whole_run: tuple[set[tuple[str, str]], stored_words.Places],
):
    places = whole_run[1]
    assert {place: words for place, words in places.items() if not place.startswith(tuple(stored_words.ALLOWED))} == {}
    assert [name for name in stored_words.ALLOWED if not any(place.startswith(name) for place in places)] == []


def test_a_sentence_in_the_steps_of_a_deadline_or_in_an_encrypted_column_is_found(table: Table):
    game, places = table.dealt(3), stored_words.Places()
    with table.app.app_context(), stored_words.noted(places), transaction():
        timer = session.query(Deadline).filter_by(game_id=game.id, kind="timeout", state="armed").one()
        timer.steps = [["more", {"length": "P2D", "why": "vote"}, None, None]]
        session.flush()
        assert places == {}
        timer.steps = [["more", "2 days more, by vote", None, None]]
        outbox_rows.post(game.people[0].id, "returned", details={"moves": [{"notation": "", "why": "You cannot go."}]})
    assert {name: places[name] for name in ("deadlines.steps", "outbox.details moves why")} == {
        "deadlines.steps": "2 days more, by vote",
        "outbox.details moves why": "You cannot go.",
    }


@pytest.mark.parametrize("kind", ["endpoint", "problem", "mail", "mail command", "command", "event", "log", "column"])
def test_the_inventory_has_outlets_of_every_kind(kind: str):
    assert len([outlet for outlet in inventory() if outlet[0] == kind]) > 5
