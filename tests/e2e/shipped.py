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
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

from blackticket.standalone.client import Client
from tests.loaded import Command, from_nothing
from tests.patience import LONGEST, eventually
from tests.profiles import IS_CAMPAIGN
from tests.relays import free_port


def text_of(mail: Any) -> str:
    text: str = mail.get_body(("plain",)).get_content()
    return text


class Shipped:
    """A folder in which the program runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.http, self.smtp = free_port(), free_port()
        self.site = f"http://127.0.0.1:{self.http}"
        self.clients = ExitStack()
        self.environ = {name: value for name, value in os.environ.items() if not name.startswith("BLACKTICKET_")}
        self.environ |= {
            "BLACKTICKET_HTTP_LISTEN": f"127.0.0.1:{self.http}",
            "BLACKTICKET_MAIL_LISTEN": f"smtp://127.0.0.1:{self.smtp}",
        }
        self._opened: dict[Path, Any] = {}
        self._written = 0

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve it; in a campaign the command starts from nothing, else as a copy of one that is loaded."""
        process = (from_nothing if IS_CAMPAIGN else Command)(["serve"], self.folder, self.environ)
        try:
            client = self.client()
            eventually(lambda: process.poll() is not None or client.is_ready())
            assert process.poll() is None, process.communicate(timeout=LONGEST)[1]
            yield
        finally:
            self.clients.close()
            process.terminate()
            _, errors = process.communicate(timeout=LONGEST)
        assert (process.returncode, errors) == (0, ""), errors

    def client(self, token: str = "") -> Client:
        return self.clients.enter_context(Client(self.site, token, timeout=LONGEST))

    def doctor(self) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "blackticket", "doctor", "--json"],
            cwd=self.folder, env=self.environ, text=True, capture_output=True, check=True, timeout=LONGEST,
        )  # fmt: skip
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def mails(self, address: str, subject: str = "") -> list[Any]:
        """The mails in the Maildir to `address` with these words in their subjects, the oldest first."""
        folder = self.folder / "var" / "mail" / "new"
        for path in sorted(set(folder.glob("*")) - set(self._opened), key=lambda path: path.stat().st_mtime_ns):
            self._opened[path] = email.message_from_bytes(path.read_bytes(), policy=default)
        found = self._opened.values()
        return [mail for mail in found if address in str(mail["To"]) and subject in str(mail["Subject"])]

    def mail_to(self, address: str, subject: str = "") -> Any:
        """One of those, when it has come."""
        return eventually(lambda: self.mails(address, subject))[0]

    def code_to(self, address: str) -> str:
        """The code in the first mail to `address`, when it has come."""
        return re.search(r'the code is "([a-z2-7]{16})"', text_of(self.mail_to(address)))[1]

    def sign_up(self, name: str) -> Client:
        address, client = f"{name.lower()}@example.org", self.client()
        client.sign_up(name, address, "Europe/London")
        return self.client(client.confirm(self.code_to(address)))

    def answer(self, mail: Any, text: str, sender: str = "") -> None:
        """Answer as a mail program does, by SMTP; the `sender` is whom the mail is to unless one is given."""
        self._written += 1
        to, quoted = mail["Reply-To"].addresses[0].addr_spec, text_of(mail)
        answer = EmailMessage()
        answer["From"], answer["To"] = sender or mail["To"], to
        answer["Message-ID"] = f"<{self._written}@mail.example.org>"
        answer["Subject"] = f"Re: {mail['Subject']}"
        answer.set_content(
            "\n".join([text, "", "On Sunday, Black Ticket wrote:", *map("> {}".format, quoted.split("\n"))])
        )
        with smtplib.SMTP("127.0.0.1", self.smtp, timeout=LONGEST) as smtp:
            smtp.send_message(answer, str(mail["To"]), [to])
