"""Several processes on one PostgreSQL behind PgBouncer, in transaction mode."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.app import backups
from server.app.heart import Heart
from server.application.game import outbox_rows
from server.application.health import health
from server.mail import outbox
from server.models import db, leases, session, transaction
from server.models.postgresql import Listener, Unheard
from server.runtime import now, runtime
from server.runtime.wake_ups import WakeUps
from tests.databases import let_go
from tests.deploy import poolers
from tests.injected import Clock
from tests.letters import Postbox
from tests.serving import serving
from tests.streaming import Listener as Reader
from tests.table import Table

pytestmark = pytest.mark.skipif(poolers.why_not() is not None, reason=str(poolers.why_not()))


@pytest.fixture
def url(postgres: str) -> Iterator[str]:
    """The URL of a database without rows, through a pooler with two connections to it."""
    with poolers.pooled(postgres) as found:
        yield found


class Processes:
    """Processes with one clock on one database; one that was killed is followed by another."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder, self.clock = url, folder, Clock()
        self.made: list[Table] = []

    def start(self, **settings: str) -> Table:
        settings |= {"database_url": self.url, "sandbox": "1", "min_turn": "PT1S"}
        made = Table(self.folder, len(self.made) + 1, **settings)
        made.app.extensions["blackticket"].clock = made.clock = self.clock
        self.made.append(made)
        return made


@pytest.fixture
def processes(url: str, tmp_path: Path) -> Iterator[Processes]:
    made = Processes(url, tmp_path)
    yield made
    for table in made.made:
        with table.app.app_context():
            let_go()


def test_a_game_is_played_by_two_processes(processes: Processes):
    """Statements that one connection of the server knows are not asked of another, nor prepared there twice."""
    first, second = processes.start(), processes.start()
    people = first.people(4)
    game = first.game(people, edition="condensed")

    for _ in range(12):  # a driver prepares a statement that comes often
        for table in (first, second):
            answer = table.client.get(f"/api/v1{game.path}", headers={"Authorization": f"Bearer {people[1].token}"})
            assert answer.status_code == 200
    for number in range(8):
        assert game.move(game.mover()).status_code == 201
        (first, second)[number % 2].tick()
    assert health_of(first)["troubles"] == health_of(second)["troubles"] == []


def test_a_backup_is_made_through_it_again_and_again(processes: Processes, tmp_path: Path):
    table = processes.start()
    table.people(6)
    with table.app.app_context():
        for number in range(3):
            backups.make(tmp_path / f"{number}.db", runtime().settings, now())
            session.remove()
    assert {path.name for path in tmp_path.glob("?.db")} == {"0.db", "1.db", "2.db"}


def test_the_doctor_does_not_compare_connections_to_a_pooler_with_those_of_the_server(processes: Processes):
    table = processes.start(database_connections="1000")
    Heart(table.app).beat()
    assert not [sentence for sentence in health_of(table)["warnings"] if "connections" in sentence]


def health_of(table: Table) -> dict[str, Any]:
    with table.app.app_context():
        found = health.overview()
        session.remove()
    return found


@pytest.mark.parametrize(("mails", "kills"), [(200, 4), pytest.param(2_000, 10, marks=pytest.mark.campaign)])
def test_no_mail_goes_twice_whoever_starts_and_whoever_is_killed(processes: Processes, mails: int, kills: int):
    """Of four workers one is killed now and then, with a batch in its hands; the others start and look meanwhile."""
    workers = [processes.start() for _ in range(4)]
    with workers[0].app.app_context(), transaction():
        for number in range(mails):
            details = {"to": f"p{number}@example.org", "title": "News", "paragraphs": [str(number)]}
            outbox_rows.post(None, "alert", details=details)
    chance = random.Random(mails)
    sent: list[Postbox] = []
    killed = []
    rounds = 0
    while True:
        rounds += 1
        assert rounds < mails
        worker = workers[chance.randrange(len(workers))]
        with worker.app.app_context():
            found = outbox._find(outbox.BATCH)
            in_hand = outbox._store(outbox._compose_all(found))
            session.remove()
        for other in workers:  # each of them lives
            Heart(other.app, outbox.settle, leases.renew).beat()
        if len(killed) < kills and chance.random() < 0.3:
            killed.append(len(in_hand))
            workers[workers.index(worker)] = processes.start()
        else:
            with worker.app.app_context():
                outbox._send_all(in_hand, worker.post)
                session.remove()
            sent.append(worker.post)
        processes.clock.turn(seconds=2)
        if not found and rounds > 10 and not any(left(worker) for worker in workers):
            break
    assert sum(killed) > kills
    gone = Counter(letter.recipient for post in {id(post): post for post in sent}.values() for letter in post.sent)
    assert (len(gone), set(gone.values())) == (mails, {1})


def left(table: Table) -> int:
    """Return how many mails are not settled."""
    return int(health_of(table)["mails_to_send"])


def test_a_worker_behind_it_hears_no_notifications_and_its_tick_finds_what_others_wrote(processes: Processes):
    """The connection on which it listened would be somebody else's by the next transaction."""
    player, worker = processes.start(), processes.start()
    with worker.app.app_context(), pytest.raises(Unheard):
        Listener(db.engine, WakeUps.names())
    people = player.people(2)
    player.game(people, edition="condensed")
    worker.tick()
    assert worker.post.sent


def test_a_process_behind_it_looks_for_news_and_tells_its_streams(processes: Processes):
    first, second = processes.start(), processes.start()
    game = first.game(first.people(3), edition="condensed", visibility="public")
    with serving(second.app, has_streams=True) as port:
        reader = Reader(port, f"/news-stream?game={game.id}")
        assert reader.status == 200
        game.move(game.mover())
        assert reader.hears() == game.id
        reader.close()
