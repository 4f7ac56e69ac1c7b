"""Mail: the time from the last move of a phase, by mail, to the first turn mail of the next; the cost of turn mails."""

import email
import itertools
import queue
import random
import smtplib
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from sqlalchemy import Engine as SqlEngine
from sqlalchemy import delete, event, select

from bench.engine import figure
from bench.rest import cost_of_a_bare_row
from bench.running import Client, free_port, serving
from server import migrations, models
from server.app import create_app
from server.application.game import projection
from server.application.game.look import standing_of
from server.application.game.situations import act
from server.application.game.state import rebuild
from server.application.lobby import opening, seats, starting
from server.application.people.players import add_player
from server.engine import Edition, Game
from server.house_rules.submission import RequestedMove, place
from server.mail import outbox
from server.models import Outgoing, Player, session, transaction
from server.settings import Settings

ROUNDS = 8
GAMES = 30  # with five turn mails each
EDITION = "ravensburger-2000"
MR_X, DETECTIVES = ["p0@example.org"], [f"p{n}@example.org" for n in range(1, 6)]


class _Sink:
    """A relay that takes everything and remembers when."""

    def __init__(self) -> None:
        self.taken: queue.Queue[tuple[float, str, Any]] = queue.Queue()

    async def handle_DATA(  # noqa: N802 aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        content = envelope.content if isinstance(envelope.content, bytes) else b""
        message = email.message_from_bytes(content, policy=default)
        self.taken.put((time.perf_counter(), envelope.rcpt_tos[0], message))
        return "250 OK"

    def turn_mails(self, people: Sequence[str]) -> dict[str, tuple[float, Any]]:
        """Return the next turn mail to each of these addresses and when it came, by address; drop all other mails."""
        found: dict[str, tuple[float, Any]] = {}
        while len(found) < len(people):
            at, recipient, message = self.taken.get(timeout=30)
            if recipient in people and "your move by" in message["Subject"]:
                found[recipient] = at, message
        return found


def figures() -> Iterator[dict[str, Any]]:
    """Yield the median and the worst time between phases of a game played by mail; then the cost of turn mails."""
    sink = _Sink()
    relay = Controller(sink, hostname="127.0.0.1", port=free_port())
    relay.start()
    try:
        with serving(SMTP_URL=f"smtp://127.0.0.1:{relay.port}") as running:
            times = _times(running.http, running.mail, [running.add_player(f"P{i}")[1] for i in range(6)], sink)
            sent = running.drain()
    finally:
        relay.stop()
    yield from _notifications()
    for name, value in (("median", statistics.median(times)), ("worst", max(times))):
        yield figure(f"last move of a phase to the next turn mail, {name}", value, "s", None, len(times)) | {
            "mails": sent
        }


class _Nowhere:
    """A transport that counts what it is handed."""

    taken = 0

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        self.taken += 1

    def knock(self) -> None:
        """It always takes mail."""

    def close(self) -> None:
        """Nothing is open."""


def _notifications() -> Iterator[dict[str, Any]]:
    """Yield the processor time of a turn mail, composed, stored and handed over, with pictures and without.

    Nothing else runs. The games are played at random, so that no two mails say the same. Each figure is given for the
    mails of many games that wait together, and for those of one move after another.
    """
    row = cost_of_a_bare_row()
    for pictures, named in (("on", "with pictures"), ("off", "without pictures")):
        with tempfile.TemporaryDirectory() as folder:
            app = create_app(
                Settings.from_environ({"BLACKTICKET_PUBLIC_URL": "https://play.example.org"}, Path(folder))
            )
            with app.app_context():
                yield from _turn_mails(pictures, named, row)


def _turn_mails(pictures: str, named: str, row: float) -> Iterator[dict[str, Any]]:
    migrations.upgrade()
    rng = random.Random(1)
    people = [add_player(f"P{n}", f"p{n}@example.org")[0] for n in range(6)]
    with transaction():
        for person in session.scalars(select(Player)):
            person.picture = pictures
    _game_whose_mr_x_has_moved(people, rng)
    outbox.send_waiting(_Nowhere())  # for which templates are compiled
    games = [_game_whose_mr_x_has_moved(list(session.scalars(select(Player))), rng) for _ in range(GAMES)]
    many = _drained()
    drained = []
    for game_id, _ in itertools.product(games, range(len(people))):  # a round
        _move(game_id, rng)
        drained.append(_drained())
    few = map(sum, zip(*drained, strict=True))
    for how, (taken, spent, statements) in (("among many", many), ("of one move after another", few)):
        yield figure(f"processor for a turn mail {how}, {named}, in bare rows", 1000 * spent / taken, "ms", row, taken)
        yield figure(f"statements for a turn mail {how}, {named}", statements / taken, "", None, taken)


def _drained() -> tuple[int, float, int]:
    """Send all mail that waits; return how much that was, the seconds of the processor, and the statements."""
    seen: list[str] = []

    def see(*facts: Any) -> None:
        seen.append(facts[2])

    event.listen(SqlEngine, "before_cursor_execute", see)
    nowhere, began = _Nowhere(), time.process_time()
    while outbox.send_waiting(nowhere):
        pass
    spent = time.process_time() - began
    event.remove(SqlEngine, "before_cursor_execute", see)
    return nowhere.taken, spent, len(seen)


def _game_whose_mr_x_has_moved(people: list[Player], rng: random.Random) -> str:
    """Return the id of a game in which the turn mails of five detectives wait to be sent, and nothing else."""
    game = opening.open_game(people[0], EDITION, players=len(people), visibility="public")
    for number, person in enumerate(people, 1):
        seats.join(game.id, person, seat=number)
    starting.start(game.id, people[0])
    for _ in range(1 + 2 * len(people)):  # two rounds, and Mr. X's move of the third
        with transaction():
            session.execute(delete(Outgoing).where(Outgoing.game_id == game.id))
        _move(game.id, rng)
    return game.id


def _move(game_id: str, rng: random.Random) -> None:
    """Make a legal move of the player to move, if the game goes on."""
    people = session.scalars(select(Player)).all()
    game = session.get_one(models.Game, game_id)
    if game.status != "running":
        return
    standing = standing_of(game)
    to_move = rebuild(standing).to_move
    legal = [(person, move) for person in people for move in projection.legal_moves(standing, person)]
    mover, move = rng.choice([(person, move) for person, move in legal if move.pawn in to_move])
    act(game_id, mover, place, RequestedMove(str(move)))


def _times(http: int, smtp: int, tokens: list[str], sink: _Sink) -> list[float]:
    """Play by mail; return the seconds from the 250 on the last move of each phase to the first mail of the next."""
    clients = [Client(http, token) for token in tokens]
    game_id = clients[0].call("POST", "/api/v1/games", {"edition": EDITION, "players": 6, "visibility": "public"})["id"]
    path = f"/api/v1/games/{game_id}"
    for number, client in enumerate(clients, 1):
        client.call("POST", f"{path}/seats", {"seat": number})
    game = Game(Edition.named(EDITION), 6, clients[0].call("POST", f"{path}/start")["starts"])
    times: list[float] = []
    accepted = 0.0
    for people in itertools.islice(itertools.cycle((MR_X, DETECTIVES)), 2 * ROUNDS):
        if not game.to_move:
            break
        mails = sink.turn_mails(people)
        times.append(min(at for at, _ in mails.values()) - accepted)
        for person in people:
            if not game.to_move:
                break
            move = game.legal_moves()[0]
            accepted = _reply(smtp, person, mails[person][1], str(move))
            game.play(move)
    return times[1:]  # the mails of the first phase answer no mail


def _reply(port: int, sender: str, original: Any, text: str) -> float:
    """Answer by SMTP; return when the 250 came."""
    answer = EmailMessage()
    answer["From"], answer["To"], answer["Subject"] = sender, original["Reply-To"], f"Re: {original['Subject']}"
    answer["Message-ID"] = f"<{time.time_ns()}@bench.example.org>"
    quoted = "\n".join(f"> {line}" for line in original.get_body(("plain",)).get_content().splitlines())
    answer.set_content(f"{text}\n\nOn Sunday Black Ticket wrote:\n{quoted}\n")
    with smtplib.SMTP("127.0.0.1", port) as client:
        client.send_message(answer, sender, [original["Reply-To"].addresses[0].addr_spec])
        return time.perf_counter()
