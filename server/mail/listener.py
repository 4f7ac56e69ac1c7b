"""The SMTP and LMTP listener: a mail is in the inbox table before it is told that it was taken."""

import asyncio
import logging
import re
import socket
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from flask import Flask

from server.faults import fault
from server.mail import addresses, inbox
from server.models import session as database
from server.settings import Listen

log = logging.getLogger(__name__)
# Told to, aiosmtpd would log reply addresses, and the lines of every mail.
logging.getLogger("mail").setLevel(logging.WARNING)
LARGEST = 1_000_000  # bytes of a mail; a move takes twenty
MOST_RECIPIENTS = 10
LATER = "451 4.3.0 Something failed here; please try again later"
T = TypeVar("T")


class Handler:
    """Answers RCPT and DATA. Database work is done in a thread, so that one slow disk does not stop the others."""

    def __init__(self, app: Flask, protocol: str) -> None:
        self.app = app
        self.protocol = protocol

    async def handle_RCPT(  # noqa: N802 aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients; send the rest in another mail"
        if not await self._run(lambda: addresses.is_play(address) or addresses.find(address) is not None):
            return "550 5.1.1 There is no such address here; write to the Reply-To of the mail you answer"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        content = envelope.content
        raw = content.encode(errors="surrogateescape") if isinstance(content, str) else content or b""
        if _is_smuggled(raw):
            return "554 5.6.0 The mail mixes line ends, so that two programs would read two mails in it"
        sender = envelope.mail_from or ""
        await self._run(lambda: inbox.store(raw, sender, envelope.rcpt_tos, self.protocol))
        # Over LMTP each recipient is answered for by himself.
        return "\r\n".join(["250 OK, stored"] * (len(envelope.rcpt_tos) if self.protocol == "lmtp" else 1))

    async def handle_exception(self, error: Exception) -> str:
        """Whatever failed, the other side must keep the mail and is told nothing of it."""
        log.error("the mail listener failed: %s", fault(error))
        return LATER

    def _run(self, work: Callable[[], T]) -> Awaitable[T]:
        def in_context() -> T:
            with self.app.app_context():
                try:
                    return work()
                finally:
                    database.remove()

        return asyncio.to_thread(in_context)


def listen(app: Flask, at: Listen) -> Controller:
    """A running listener; `OSError` when the address is in use. Port 0 is any free one, see `port`."""
    controller = _Listener(app, at)
    controller.start()
    return controller


class _Listener(Controller):
    """Binds at once, so that an address in use is told by an error and not by a silence."""

    def __init__(self, app: Flask, at: Listen) -> None:
        family = socket.AF_INET6 if ":" in at.host else socket.AF_INET
        self._socket = socket.create_server((at.host, at.port), family=family)
        self._protocol = LMTP if at.protocol == "lmtp" else SMTP
        super().__init__(
            Handler(app, at.protocol),
            hostname=at.host,
            port=self._socket.getsockname()[1],
            server_hostname=app.extensions["blackticket"].settings.mail_domain,
            data_size_limit=LARGEST,
            enable_SMTPUTF8=True,
            ident="Black Ticket",
        )

    def factory(self) -> SMTP:
        return self._protocol(self.handler, **self.SMTP_kwargs)

    def _create_server(self) -> Any:
        return self.loop.create_server(self._factory_invoker, sock=self._socket)


def _is_smuggled(raw: bytes) -> bool:
    """Whether lines end in more than one way, as in a mail that hides a second one from some programs.

    A mail whose lines all end in LF, as careless programs send it, has one reading only.
    """
    bare_cr = re.search(rb"\r(?!\n)", raw)
    bare_lf = re.search(rb"(?<!\r)\n", raw)
    return bool(bare_cr or (bare_lf and b"\r\n" in raw.removesuffix(b"\r\n")))
