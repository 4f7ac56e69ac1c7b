"""What the server does for a page, a list or a job of the worker does not grow with the number of games.

Nor with that of players, mails, timers, or whatever else there may be many of. The cost is counted in a database of a
hundred games and in one of many, and not timed, so that no clock decides.
"""

import inspect
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from server import worker
from server.application.lobby import game_names
from server.application.operator import operators
from server.application.people import names, tokens, webhooks
from server.models import Player, db, session
from server.worker import Worker
from tests.databases import IS_POSTGRESQL, let_go, pool
from tests.growth.costs import Cost, counted
from tests.growth.filling import fill
from tests.positions import position
from tests.table import Table
from tests.web.game.test_page import BROWSER, Browser

FEW = 100
GROWTH = 1.5
# Steps of SQLite's machine that may be more in any case: they are counted by tens, for each statement.
ALLOWED = 0 if IS_POSTGRESQL else 30
METRICS_TOKEN = "the token of the operator, of 32 letters"

# Rules with arguments that belong to nothing of Ada's, and the status of the answer.
NOTHING_THERE = {
    "/reports/<token>": 404, "/stop/<token>": 404, "/sign-in/code/<code>": 422, "/address/<code>": 422,
    "/continue/<code>": 422, "/answer/<token>/<name>": 404,
}  # fmt: skip
NAMES = {"/scripts/<name>.js": "news", "/scripts/<version>/<name>.js": "news", "/icons/<name>.svg": "turn"}
# Lists of which parts are asked for too, by so few rows a page that a hundred games fill it.
LIMIT = {"limit": "10"}
NARROWED: Mapping[str, tuple[dict[str, str], ...]] = {
    "/public-games": ({"after": "h"}, {"watch": "h"}),
    "/api/v1/games": (
        {"mine": "true"}, {"waiting": "true"}, {"status": "open"}, {"status": "running"}, {"status": "over"},
        {"label": "league"}, {"label": "league", "status": "over"}, {"after": "h"},
    ),
}  # fmt: skip


class Stage:
    """A server with so many games, and two more of Ada's, who is an operator and has all that a player can have."""

    def __init__(self, folder: Path, games: int) -> None:
        self.table = Table(
            folder, sandbox="1", min_turn="PT1S", metrics_token=METRICS_TOKEN, operator_email="op@example.org"
        )
        self.ada, *_ = people = self.table.people(3)
        self.over = self.table.game(
            people, position=position(104, red=116, green=34), clock={"kind": "none", "provisional": "PT0S"}
        )
        for person, notation in zip(people, ("taxi 86", "bus 86"), strict=False):
            assert self.over.move(person, notation).status_code == 201
        self.game = self.table.game(people, label="league")
        self.game.play_round()
        hunted = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective", "player": self.ada.id}]
        self.hunt = self.ada.post("/games", {"edition": "condensed", "seats": hunted}).json["id"]
        assert self.ada.post(f"/games/{self.hunt}/start").status_code == 200
        self.code = self.game.view(self.ada)["code"]
        self.table.tick()
        with self.table.app.app_context():
            operators.change(self.ada.id, granted=True)
            self.webhook = webhooks.add(
                session.get_one(Player, self.ada.id), webhooks.check("http://127.0.0.1:9000/hook")
            )[0].id
            self.calendar = tokens.add(self.ada.id, "calendar", scopes=["calendar"])[1]
            let_go()
            with db.engine.connect() as connection:
                fill(connection, games)
        self.table.unchecked.clear()  # nobody has played the games that are filled in
        self.browsers = {"Ada": Browser(self.table, self.ada), "nobody": Browser(self.table)}
        self.worker = Worker(self.table.app)

    @property
    def rules(self) -> set[str]:
        """The rules of all pages, and of all that the API answers to GET."""
        return {rule.rule for rule in self.table.app.url_map.iter_rules() if "GET" in (rule.methods or ())}

    def on_disk(self) -> int:
        """Return the bytes of the database."""
        with self.table.app.app_context(), db.engine.connect() as connection:
            if IS_POSTGRESQL:
                return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())
            return Path(str(db.engine.url.database)).stat().st_size

    def close(self) -> None:
        """End the processes in which mails were read."""
        self.table.app.extensions["blackticket"].examiner.close()

    def cost(self, act: Callable[["Stage"], object]) -> Cost:
        with self.table.app.app_context():
            engine = db.engine
        with counted(engine) as cost:
            act(self)
        return cost


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, Stage]]:
    """A database of few games, and one of 20,000."""
    folders = [tmp_path_factory.mktemp("few"), tmp_path_factory.mktemp("many")]
    both = Stage(folders[0], FEW), Stage(folders[1], 20_000)
    yield both
    for stage, folder in zip(both, folders, strict=True):
        stage.close()
        pool.give_back(folder)


def check_growth(stages: tuple[Stage, Stage], acts: Mapping[str, Callable[[Stage], object]]) -> None:
    """Do everything at both sizes, and fail where it costs too much more in the large database."""
    grown = []
    for what, act in acts.items():
        few, many = (stage.cost(act) for stage in stages)
        if many.total() > few.total() * GROWTH + ALLOWED + few.spread:
            grown.append(f"{what}: {few.total()}, {many.total()} {many.most()}")
    assert not grown, "\n".join(grown)


# Pages and lists --------------------------------------------------------------------------------


def asked(rule: str, who: str, **query: str) -> Callable[[Stage], None]:
    """Ask for what a rule names; where it is of a game, for the game that is over too."""

    def ask(stage: Stage) -> None:
        known = {"webhook_id": stage.webhook, "secret": stage.calendar, "guide": "api", "edition": "condensed",
                 "code": stage.code if rule == "/join/<code>" else "a" * 16, "token": "a" * 32,
                 "name": NAMES.get(rule, "london"), "version": "0", "seat": "2", "act": "play",
                 "pixels": "192", "label": "league"}  # fmt: skip
        games = (stage.game.id, stage.over.id) if "<game_id>" in rule else ("",)
        games = (stage.hunt,) if rule.endswith("/hint") else games
        statuses = set()
        for game in games:
            path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found, game=game: (known | {"game_id": game})[found[1]], rule)  # type: ignore[misc]
            if rule.startswith("/api/v1/"):
                answer = stage.ada.get(path.removeprefix("/api/v1"), query_string=query)
            else:
                headers = {"Authorization": f"Bearer {METRICS_TOKEN}"} if rule == "/metrics" else BROWSER
                answer = stage.browsers[who].client.get(path, headers=headers, query_string=query)
            answer.close()
            statuses.add(answer.status_code)
        is_answered = min(statuses) < 400 or who == "nobody"
        assert is_answered or statuses == {NOTHING_THERE.get(rule)}, (rule, query, statuses)

    return ask


def test_no_page_and_no_list_costs_more_with_more_games(stages: tuple[Stage, Stage]):
    rules = sorted(stages[0].rules)
    acts = {f"{rule} of {who}": asked(rule, who) for rule in rules for who in ("Ada", "nobody")}
    for rule, queries in NARROWED.items():
        limit = {} if rule == "/public-games" else LIMIT
        acts |= {f"{rule} {query}": asked(rule, "Ada", **query, **limit) for query in queries}
    check_growth(stages, acts)


# The worker -------------------------------------------------------------------------------------

# The functions of the worker, with what they need.
JOBS: dict[str, Callable[[Stage], object]] = {
    "correct_timers": lambda _: worker.correct_timers(),
    "fire_and_read": lambda _: worker.fire_and_read(),
    "fire_due": lambda _: worker.fire_due(),
    "read_mail": lambda _: worker.read_mail(),
    "relay_answers": lambda stage: worker.relay_answers(stage.table.post),
    "send_mail": lambda stage: worker.send_mail(stage.table.post),
    "send_webhooks": lambda stage: worker.send_webhooks(stage.table.hook),
    "tell_operator": lambda _: worker.tell_operator(),
    "tick": lambda stage: worker.tick(stage.table.post, stage.table.hook),
    "tidy_up": lambda _: worker.tidy_up(),
    "warn_or_end_neglected_games": lambda _: worker.warn_or_end_neglected_games(),
}


def working(job: Callable[[Stage], object]) -> Callable[[Stage], None]:
    def work(stage: Stage) -> None:
        with stage.table.app.app_context():
            job(stage)
            session.remove()

    return work


def test_no_job_of_the_worker_costs_more_with_more_games(stages: tuple[Stage, Stage]):
    check_growth(stages, {name: working(job) for name, job in JOBS.items()})


def test_these_are_the_functions_of_the_worker():
    functions = inspect.getmembers(worker, inspect.isfunction)
    ours = {name for name, function in functions if function.__module__ == worker.__name__ and name[0] != "_"}
    assert ours == JOBS.keys() | {"verify_games"}, "which looks at every game that has moved since yesterday"


def test_no_tick_and_no_start_costs_more_with_more_games(stages: tuple[Stage, Stage]):
    jobs = [job.name for job in stages[0].worker._ticker.get_jobs()]
    assert len(jobs) == 2
    acts: dict[str, Callable[[Stage], object]] = {
        name: lambda stage, n=n: stage.worker._ticker.get_jobs()[n].func() for n, name in enumerate(jobs)
    }  # fmt: skip
    acts |= {
        "alert": working(lambda stage: stage.worker._alert()),
        "start": working(lambda stage: stage.worker._heart.beat()),
    }
    check_growth(stages, acts)


# What players do --------------------------------------------------------------------------------


def _answers_a_mail(stage: Stage) -> None:
    stage.ada.reply("STATUS")
    stage.table.tick()


def _a_deadline_passes(stage: Stage) -> None:
    stage.table.clock.turn(days=3)
    stage.table.tick()


def _asks_for_a_game(stage: Stage) -> None:
    made = stage.ada.post("/games", {"edition": "condensed", "players": 2})
    assert made.status_code == 201


def _practises(stage: Stage) -> None:
    assert stage.browsers["nobody"].post("/practice", {"role": "mr_x"}).status_code == 303
    stage.browsers["nobody"] = Browser(stage.table)


def test_nothing_that_players_do_costs_more_with_more_games(stages: tuple[Stage, Stage]):
    acts: dict[str, Callable[[Stage], object]] = {
        "a game is opened": _asks_for_a_game,
        "a guest practises": _practises,
        "a move": lambda stage: stage.game.move(stage.game.mover()),
        "a mail is answered": _answers_a_mail,
        "a deadline passes": _a_deadline_passes,
        "a name for a game": working(lambda _: game_names.new()),
        "a name that others have": working(lambda _: names.free_like("Ada")),
    }
    check_growth(stages, acts)


# A million -------------------------------------------------------------------------------------

# On a disk and not in memory: see `make campaign`.
MILLION = int(os.environ.get("GROWTH_GAMES", "1000000"))
MOST_ON_DISK = 14_000  # bytes of the light games here, mails and all; a whole one leaves 40 KB, see docs/operating.md


@pytest.mark.campaign
def test_a_million_games_cost_as_much_as_a_hundred(tmp_path: Path):
    needed = MILLION * 2 * MOST_ON_DISK  # with what is sorted for indexes
    if shutil.disk_usage(tmp_path).free < needed:
        pytest.skip(f"takes {needed / 1e9:,.0f} GB of the disk that TMPDIR names; fewer with GROWTH_GAMES")
    few, many = Stage(tmp_path / "few", FEW), Stage(tmp_path / "many", MILLION)
    each = (many.on_disk() - few.on_disk()) / (MILLION - FEW)
    sys.stdout.write(f"{MILLION:,} games take {each:,.0f} bytes each\n")
    grown = []
    for test in (
        test_no_page_and_no_list_costs_more_with_more_games, test_no_job_of_the_worker_costs_more_with_more_games,
        test_no_tick_and_no_start_costs_more_with_more_games, test_nothing_that_players_do_costs_more_with_more_games,
    ):  # fmt: skip
        try:
            test((few, many))
        except AssertionError as error:
            grown.append(str(error))
    for stage in (few, many):
        stage.close()
    assert not grown, "\n".join(grown)
    assert each < MOST_ON_DISK
