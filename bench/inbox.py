"""Moves by mail: from the first connection until all mail is sent, against a bare listener that commits one row a mail.

The same mails go to both, over as many connections. Every one is a move in a game of its own; the answers to them and
the mails that they bring are written by the same process meanwhile.
"""

import multiprocessing
import smtplib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP as CRLF
from email.policy import default
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from bench.engine import figure
from bench.rest import cost_of_a_bare_row
from bench.running import Client, Running, free_port, processor_seconds, serving
from server.models.sqlite import sqlite3

GAMES = 150
CONNECTIONS = 4
POSITION = {
    "mr_x": {"station": 111, "tickets": {"taxi": 10, "bus": 8, "underground": 5, "black": 4, "double": 2}},
    "detectives": [{"pawn": "purple", "station": 127, "tickets": {"taxi": 8, "bus": 8, "underground": 4}}],
    "log_used": 8,
    "last_seen": {"window": 8, "station": 111},
    "to_move": "mr_x",
    "moved": [],
}
MOVE = "black 100"
Mail = tuple[str, bytes]


def figures() -> Iterator[dict[str, Any]]:
    """Mails applied in a second, and the processor time of the server for one with its answer and what it brings."""
    with serving(SANDBOX="1", MAIL_DOMAIN="localhost") as running:
        mails = _games(running)
        with _bare() as port:
            bare = _seconds(port, mails, lambda: True)
        sent = running.drain()
        before = processor_seconds(running.pid)
        applied = _seconds(running.mail, mails, lambda: running.moves_made() == GAMES and running.drain() > 0)
        spent = processor_seconds(running.pid) - before
        sent = running.mails_sent() - sent
    yield figure("moves by mail", GAMES / applied, "1/s", GAMES / bare, GAMES) | {"mails": sent}
    spent_on_each = 1000 * spent / GAMES
    yield figure(
        "processor for a move by mail and its mails, in bare rows", spent_on_each, "ms", cost_of_a_bare_row(), GAMES
    ) | {"mails": sent}


def _games(running: Running) -> list[Mail]:
    """A move for each of many games, as an answer to the mail that asks for it."""
    people = [running.add_player(name) for name in ("Ada", "Ben")]
    ada, ben = (Client(running.http, token) for _, token in people)
    for _ in range(GAMES):
        wanted = {"edition": "ravensburger-2000", "players": 2, "position": POSITION, "visibility": "public"}
        path = f"/api/v1/games/{ada.call('POST', '/api/v1/games', wanted)['id']}"
        ada.call("POST", f"{path}/seats", {"seat": 1})
        ben.call("POST", f"{path}/seats", {"seat": 2})
        ada.call("POST", f"{path}/start")
    folder = running.var / "mail" / "new"
    _until(lambda: len(_asked(folder)) == GAMES, every=2.0)
    return [_answer(mail, number) for number, mail in enumerate(_asked(folder))]


def _asked(folder: Path) -> list[Any]:
    mails = [message_from_bytes(path.read_bytes(), policy=default) for path in folder.iterdir()]
    return [mail for mail in mails if "ada@" in mail["To"] and "your move" in mail["Subject"]]


def _answer(original: Any, number: int) -> Mail:
    """Return a reply as a mail program writes it, with the whole original below."""
    answer = EmailMessage()
    answer["From"], answer["To"], answer["Subject"] = "ada@example.org", original["Reply-To"], "Re: my move"
    answer["Message-ID"] = f"<{number}@bench.example.org>"
    quoted = "\n".join(f"> {line}" for line in original.get_body(("plain",)).get_content().splitlines())
    answer.set_content(f"{MOVE}\n\nOn Sun, 22 Nov 2026 at 18:00, Black Ticket wrote:\n{quoted}\n")
    return original["Reply-To"].addresses[0].addr_spec, answer.as_bytes(policy=CRLF)


def _seconds(port: int, mails: Sequence[Mail], is_done: Callable[[], bool]) -> float:
    """Return the seconds from handing over all mails until they are handled."""

    def send(some: Sequence[Mail]) -> None:
        with smtplib.SMTP("127.0.0.1", port) as client:
            for recipient, raw in some:
                client.sendmail("ada@example.org", [recipient], raw)

    threads = [threading.Thread(target=send, args=(mails[n::CONNECTIONS],)) for n in range(CONNECTIONS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _until(is_done)
    return time.perf_counter() - began


def _until(holds: Callable[[], bool], every: float = 0.02) -> None:
    give_up = time.monotonic() + 300
    while not holds():
        if time.monotonic() > give_up:
            raise RuntimeError("it was not done in five minutes")
        time.sleep(every)


@contextmanager
def _bare() -> Iterator[int]:
    """A listener in a process of its own that commits one row for each mail, and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        port, ready = free_port(), multiprocessing.Event()
        process = multiprocessing.Process(target=_listen, args=(f"{folder}/bare.db", port, ready), daemon=True)
        process.start()
        ready.wait(30)
        try:
            yield port
        finally:
            process.terminate()
            process.join()


def _listen(path: str, port: int, ready: Any) -> None:
    database = sqlite3.connect(path, check_same_thread=False)
    database.executescript("PRAGMA synchronous = FULL; CREATE TABLE mails (recipient TEXT, raw BLOB);")

    class Handler:
        async def handle_DATA(  # noqa: N802 aiosmtpd's name
            self, server: SMTP, session: Session, envelope: Envelope
        ) -> str:
            with database:
                database.execute("INSERT INTO mails VALUES (?, ?)", (envelope.rcpt_tos[0], envelope.content))
            return "250 OK"

    controller = Controller(Handler(), hostname="127.0.0.1", port=port)
    controller.start()
    ready.set()
    threading.Event().wait()
