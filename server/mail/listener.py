"""The SMTP listener: a mail is in the inbox table before it is told that it was taken."""

import asyncio
from collections.abc import Callable

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from flask import Flask

from server.mail import addresses, inbox
from server.models import session as database
from server.settings import Listen

LARGEST = 1_000_000  # bytes of a mail; a move takes twenty
MOST_RECIPIENTS = 10


class Handler:
    """Answers RCPT and DATA. Database work is done in a thread, so that one slow disk does not stop the others."""

    def __init__(self, app: Flask) -> None:
        self.app = app

    async def handle_RCPT(  # noqa: N802 aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients; send the rest in another mail"
        if not await self._run(lambda: addresses.is_play(address) or addresses.find(address) is not None):
            return "550 5.1.1 There is no such address here"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        content, sender = envelope.content, envelope.mail_from or ""
        raw = content.encode(errors="surrogateescape") if isinstance(content, str) else content or b""
        try:
            await self._run(lambda: inbox.store(raw, sender, envelope.rcpt_tos, "smtp"))
        except Exception:  # noqa: BLE001 whatever failed, the other side must keep the mail
            return "451 4.3.0 The mail could not be stored; please try again later"
        return "250 OK, stored"

    async def _run(self, work: Callable[[], object]) -> object:
        def in_context() -> object:
            with self.app.app_context():
                try:
                    return work()
                finally:
                    database.remove()

        return await asyncio.to_thread(in_context)


def listen(app: Flask, at: Listen) -> Controller:
    """A running listener; `OSError` when the address is in use."""
    controller = Controller(
        Handler(app),
        hostname=at.host,
        port=at.port,
        server_kwargs={"data_size_limit": LARGEST, "enable_SMTPUTF8": True, "ident": "Black Ticket"},
    )
    controller.start()
    return controller
