"""The application as it is shipped: `blackticket serve` in an empty folder, real time, real ports, nothing injected.

Only the two ports are not the default ones, as something may listen there.
"""

import email
import json
import os
import re
import smtplib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from server.standalone.client import Client
from tests.relays import free_port

LONGEST = 60  # seconds that anything may take


def eventually(find: Callable[[], Any]) -> Any:
    """Return the first result of `find` that is not empty."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        if found := find():
            return found
        time.sleep(0.05)
    raise AssertionError(f"nothing came within {LONGEST} seconds")


def text_of(mail: Any) -> str:
    text: str = mail.get_body(("plain",)).get_content()
    return text


class Shipped:
    """A folder in which the program runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.http, self.smtp = free_port(), free_port()
        self.clients = ExitStack()
        self.environ = {name: value for name, value in os.environ.items() if not name.startswith("BLACKTICKET_")}
        self.environ |= {
            "BLACKTICKET_HTTP_LISTEN": f"127.0.0.1:{self.http}",
            "BLACKTICKET_MAIL_LISTEN": f"smtp://127.0.0.1:{self.smtp}",
        }

    @contextmanager
    def serving(self) -> Iterator[None]:
        command = [sys.executable, "-m", "blackticket", "serve"]
        with subprocess.Popen(
            command, cwd=self.folder, env=self.environ, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as process:
            try:
                client = self.client()
                eventually(lambda: process.poll() is not None or client.is_ready())
                assert process.poll() is None, process.communicate()[1]
                yield
            finally:
                self.clients.close()
                process.terminate()
                _, errors = process.communicate(timeout=LONGEST)
        assert (process.returncode, errors) == (0, "")

    def client(self, token: str = "") -> Client:
        return self.clients.enter_context(Client(f"http://127.0.0.1:{self.http}", token, timeout=10))

    def doctor(self) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "blackticket", "doctor", "--json"],
            cwd=self.folder, env=self.environ, text=True, capture_output=True, check=True, timeout=LONGEST,
        )  # fmt: skip
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def mails(self, address: str, subject: str = "") -> list[Any]:
        """The mails in the Maildir to `address` with these words in their subjects."""
        folder = self.folder / "var" / "mail" / "new"
        mails = [email.message_from_bytes(path.read_bytes(), policy=default) for path in folder.glob("*")]
        return [mail for mail in mails if address in str(mail["To"]) and subject in str(mail["Subject"])]

    def mail_to(self, address: str, subject: str = "") -> Any:
        """One of those, when it has come."""
        return eventually(lambda: self.mails(address, subject))[0]

    def sign_up(self, name: str) -> Client:
        address, client = f"{name.lower()}@example.org", self.client()
        client.sign_up(name, address, "Europe/London")
        text = text_of(self.mail_to(address))
        return self.client(client.confirm(re.search(r'the code is "([a-z2-7]{16})"', text)[1]))

    def answer(self, mail: Any, text: str) -> None:
        """Answer as a mail program does, by SMTP."""
        to, quoted = mail["Reply-To"].addresses[0].addr_spec, text_of(mail)
        answer = EmailMessage()
        answer["From"], answer["To"], answer["Message-ID"] = mail["To"], to, "<1@mail.example.org>"
        answer["Subject"] = f"Re: {mail['Subject']}"
        answer.set_content(
            "\n".join([text, "", "On Sunday, Black Ticket wrote:", *map("> {}".format, quoted.split("\n"))])
        )
        with smtplib.SMTP("127.0.0.1", self.smtp, timeout=LONGEST) as smtp:
            smtp.send_message(answer, str(mail["To"]), [to])


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    return Shipped(tmp_path_factory.mktemp("shipped"))


def test_two_people_sign_up_and_play_by_rest_and_by_mail_and_a_restart_loses_nothing(shipped: Shipped):
    with shipped.serving():
        ada, ben = shipped.sign_up("Ada"), shipped.sign_up("Ben")
        game = ada.open_game("condensed", players=2, visibility="public")["id"]
        ada.join(game, seat=1)
        ben.join(game, seat=2)
        ada.start(game)
        ada.move(game, 1, ada.legal_moves(game)["moves"][0]["notation"])
        assert ben.game(game)["to_move"] == ["purple"]
        wanted = ben.legal_moves(game)["moves"][0]["notation"]
        shipped.answer(shipped.mail_to("ben@example.org", "your move"), wanted)
        assert eventually(lambda: ben.game(game)["to_move"] == ["red"])
        assert eventually(lambda: [mail for mail in shipped.mails("ben@example.org") if "Understood" in text_of(mail)])
        before = ben.game(game)
    with shipped.serving():
        assert shipped.client(ben.token).game(game) == before
        found = eventually(lambda: (facts := shipped.doctor())["mails_to_send"] == 0 and facts)
    assert {name: found[name] for name in ("mails_to_read", "dead_letters", "overdue_deadlines", "troubles")} == {
        "mails_to_read": 0, "dead_letters": 0, "overdue_deadlines": 0, "troubles": [],
    }  # fmt: skip
