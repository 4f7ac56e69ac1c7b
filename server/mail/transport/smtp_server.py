"""The SMTP and LMTP listener, which answers 250 once a mail is in the inbox table."""

import asyncio
import logging
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from flask import Flask

from server.application.game import reply_addresses
from server.application.mail import arrivals
from server.application.mail.arrivals import LARGEST
from server.application.people import blocked_networks
from server.mail.transport.smtp_client import SmtpTransport
from server.models import session as database
from server.runtime import networks, runtime
from server.runtime.faults import fault
from server.runtime.request_counts import RequestCounts
from server.settings import Listen
from server.vocabulary.errors import Problem

log = logging.getLogger(__name__)
# aiosmtpd's own log would quote clients: reply addresses, lines of mails, and as warnings what it takes for commands.
logging.getLogger("mail").setLevel(logging.CRITICAL)
MOST_RECIPIENTS = 10
LONGEST_LINE = 64_000  # bytes; more than the 998 of the standard, which programs that people have do not keep to
CRLF = b"\r\n"
END_OF_MAIL = b"\r\n.\r\n"
SHUTDOWN_SECONDS = 5.0  # for the mails in hand when the listener stops
LATER = "451 4.3.0 Something failed here; please try again later"
TOO_MUCH = "452 4.3.1 Too much mail came from there; please send it again later"
NO_SUCH_ADDRESS = "550 5.1.1 There is no such address here; write to {}, or to the Reply-To of our mail"
TOO_FAST = "451 4.7.1 Too many mails from there; please send the rest in a minute"
BLOCKED = "554 5.7.1 The operator of this server has blocked your network"
T = TypeVar("T")


class Limits(NamedTuple):
    """The limits of a client.

    connections: open ones
    mails_a_minute: tries of an address that is none of ours included
    idle: seconds without a byte after which a connection ends, where its client has no other left
    """

    connections: int = 50
    mails_a_minute: int = 2_000
    idle: float = 60.0


LIMITS = Limits()


class Handler:
    """Answers MAIL, RCPT and DATA. Database work runs in a thread, so that a slow disk holds up no other client."""

    def __init__(self, app: Flask, protocol: str, limits: Limits = LIMITS) -> None:
        self.app = app
        self.protocol = protocol
        self.limits = limits
        self.counts = RequestCounts()
        self.connections: dict[str, dict[_Counted, float]] = {}  # of each client, with the time of their last byte
        self.in_hand = 0  # mails that are being stored
        self.settled = asyncio.Event()

    async def handle_MAIL(  # noqa: N802 aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.app.extensions["blackticket"].differs:  # so its addresses may not be those of the others
            return LATER
        if self._is_too_fast(session):
            return TOO_FAST
        if self.protocol == "smtp" and await self._run(lambda: blocked_networks.is_blocked(host_of(session.peer))):
            return BLOCKED
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients; send the rest in another mail"
        if not await self._run(lambda: reply_addresses.is_ours(address)):
            # Trying out addresses uses up the rate limit as mails do.
            return TOO_FAST if self._is_too_fast(session) else await self._run(_no_such_address)
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        content = envelope.content
        raw = content.encode(errors="surrogateescape") if isinstance(content, str) else content or b""
        if _is_smuggled(raw):
            return "554 5.6.0 The mail has a bare CR or LF, behind which another could hide; lines end in CR LF"
        sender = (envelope.mail_from or "").strip("<>")  # a bounce has MAIL FROM:<>
        self.in_hand += 1
        try:
            peer = host_of(session.peer) or None if self.protocol == "smtp" else None
            await self._run(lambda: arrivals.store(raw, sender, envelope.rcpt_tos, self.protocol, peer=peer))
        except Problem:
            return TOO_MUCH
        except Exception as error:  # noqa: BLE001 answered here, so that the next mail may follow at once
            return await self.handle_exception(error)
        finally:
            self.in_hand -= 1
            self.settled.set()
        return "250 OK, stored"

    async def finish(self) -> None:
        """Wait until no mail is in hand, at most for `SHUTDOWN_SECONDS`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SHUTDOWN_SECONDS):
                while self.in_hand:
                    self.settled.clear()
                    await self.settled.wait()

    async def handle_exception(self, error: Exception) -> str:
        """Log the failure, and have the other side keep the mail without a word of why."""
        log.error("the mail listener failed: %s", fault(error))
        return LATER

    def _is_too_fast(self, session: Session) -> bool:
        """Count a mail of a client; return True if that was one too many. None is lost: it may come again later."""
        minute = int(self.app.extensions["blackticket"].clock().timestamp() // 60)
        return self.counts.add(client_of(session.peer), minute) > self.limits.mails_a_minute

    def _run(self, work: Callable[[], T]) -> Awaitable[T]:
        def in_context() -> T:
            with self.app.app_context():
                try:
                    return work()
                finally:
                    database.remove()

        return asyncio.to_thread(in_context)


def bind(at: Listen) -> socket.socket:
    """Return a socket that listens; raise `OSError` when the address is in use. Port 0 is any free one."""
    family = socket.AF_INET6 if ":" in at.host else socket.AF_INET
    return socket.create_server((at.host, at.port), family=family)


def listen(app: Flask, at: Listen, bound: socket.socket | None = None, limits: Limits = LIMITS) -> Controller:
    """Start a listener, on a socket that is `bound` already if there is one; see `bind`."""
    controller = _Listener(app, at, bound or bind(at), limits)
    controller.start()
    settings = app.extensions["blackticket"].settings
    if at.protocol == "lmtp" and settings.smtp_url is not None:  # then a mail server in front keeps what came meanwhile
        relay = SmtpTransport(settings.smtp_url)
        Thread(target=relay.ask_for_waiting, args=(settings.mail_domain,), name="waiting mail", daemon=True).start()
    return controller


class _Counted(SMTP):
    """SMTP that takes only so many connections from one client, and reads a mail in blocks.

    Where a client has all its connections, one on which nothing came for `Limits.idle` ends for a new one.
    """

    line_length_limit = LONGEST_LINE

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._client = client_of(transport.get_extra_info("peername"))
        self._of_client: dict[_Counted, float] = self.event_handler.connections.setdefault(self._client, {})
        self._of_client[self] = self.loop.time()
        if len(self._of_client) > self.event_handler.limits.connections:
            self._end_idle()
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self in self._of_client:
            self._of_client[self] = self.loop.time()
        super().data_received(data)

    def connection_lost(self, error: Exception | None) -> None:
        if self._of_client.pop(self, None) is not None and not self._of_client:
            del self.event_handler.connections[self._client]
        super().connection_lost(error)

    def _end_idle(self) -> None:
        """End the connection of this client on which nothing came for the longest time, if that is long enough."""
        other, heard = min(self._of_client.items(), key=lambda item: item[1])
        if (
            other is not self
            and self.loop.time() - heard >= self.event_handler.limits.idle
            and other.transport is not None
        ):
            del self._of_client[other]
            other.transport.close()

    async def _handle_client(self) -> None:
        if len(self._of_client) <= self.event_handler.limits.connections:
            await super()._handle_client()
            return
        await self.push("421 4.7.0 Too many connections from there; please come again later")
        if self.transport is not None:
            self.transport.close()

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 aiosmtpd's name
        """Take a mail. aiosmtpd would read it line by line: eight of 500,000 empty lines hold others up for 12 s."""
        if await self.check_helo_needed() or await self.check_auth_needed("DATA"):
            return
        assert self.envelope is not None
        if not self.envelope.rcpt_tos:
            await self.push("503 Error: need RCPT command")
            return
        if arg:
            await self.push("501 Syntax: DATA")
            return
        await self._begin_line()
        await self.push("354 End data with <CR><LF>.<CR><LF>")
        content = await self._read_mail()
        if content is None:
            status = "552 Error: Too much mail data"
        elif _has_long_line(content):
            status = "500 Line too long (see RFC5321 4.5.3.1.6)"
        else:
            # A line that begins with a dot was sent with one more (RFC 5321, 4.5.2).
            self.envelope.content = content.replace(CRLF + b".", CRLF)[len(CRLF) :]
            status = await self.event_handler.handle_DATA(self, self.session, self.envelope)
        self._set_post_data_state()  # type: ignore[no-untyped-call]
        await self.push(status)

    async def _begin_line(self) -> None:
        """Put the end of the line before in front of what comes: with it the end of an empty mail begins.

        A client that does not wait for the answer to DATA has sent some of the mail already.
        """
        self._reader.feed_data(CRLF)
        sent = await self._reader.read(LARGEST)  # all that is there, the line end behind it included
        self._reader.feed_data(CRLF + sent.removesuffix(CRLF))

    async def _read_mail(self) -> bytes | None:
        """Return a mail as it was sent, between two ends of lines; None if it is too large."""
        blocks: list[bytes] = []
        size = 0
        while True:
            try:
                block = await self._reader.readuntil(END_OF_MAIL)
            except asyncio.LimitOverrunError as error:
                block = await self._reader.read(error.consumed)  # the end of the mail is not in it
            except asyncio.CancelledError:  # the other side has gone
                self._writer.close()
                raise
            size += len(block)
            if size > LARGEST + len(CRLF + END_OF_MAIL):
                blocks.clear()
            else:
                blocks.append(block)
            if block.endswith(END_OF_MAIL):
                return None if size > LARGEST + len(CRLF + END_OF_MAIL) else b"".join(blocks)[: -len(b".\r\n")]


class _PerRecipient(_Counted, LMTP):
    """LMTP that answers a mail once for each of its recipients, or the delivering server would deliver it again."""

    _owed = 1

    async def push(self, status: Any) -> None:
        copies, self._owed = self._owed, 1
        await super().push("\r\n".join([status] * copies))
        if status.startswith("354") and self.envelope is not None:
            self._owed = len(self.envelope.rcpt_tos)


class _Listener(Controller):
    """A listener on a socket that is bound already, so that an address in use was an error before."""

    def __init__(self, app: Flask, at: Listen, bound: socket.socket, limits: Limits) -> None:
        self._socket = bound
        # Every connection takes this over. Without it an answer of several lines waits 40 ms for the client to
        # acknowledge the first; asyncio sees to it only for sockets that it has opened itself.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._protocol = _PerRecipient if at.protocol == "lmtp" else _Counted
        super().__init__(
            Handler(app, at.protocol, limits),
            hostname=at.host,
            port=self._socket.getsockname()[1],
            server_hostname=app.extensions["blackticket"].settings.mail_domain,
            data_size_limit=LARGEST,
            enable_SMTPUTF8=True,
            ident="Black Ticket",
        )

    def stop(self, no_assert: bool = False) -> None:
        """Refuse new connections, store and answer the mails in hand, and stop."""
        asyncio.run_coroutine_threadsafe(self._finish(), self.loop).result()
        super().stop(no_assert)

    async def _finish(self) -> None:
        if self.server is not None:
            self.server.close()
        await self.handler.finish()

    def factory(self) -> SMTP:
        return self._protocol(self.handler, **self.SMTP_kwargs)

    def _create_server(self) -> Any:
        return self.loop.create_server(self._factory_invoker, sock=self._socket)


def host_of(peer: Sequence[object] | None) -> str:
    """Return the address at the other end of a socket, without a zone; empty if it has none."""
    return str(peer[0]).partition("%")[0] if peer else ""


def client_of(peer: Sequence[object] | None) -> str:
    """Return the client at the other end of a socket, by its network."""
    return networks.client(str(peer[0])) if peer else ""


def _has_long_line(content: bytes) -> bool:
    """Return True if a line has more than `LONGEST_LINE` bytes, its end included."""
    begin = 0
    while len(content) - begin > LONGEST_LINE:
        end = content.rfind(b"\n", begin, begin + LONGEST_LINE)
        if end < 0:
            return True
        begin = end + 1
    return False


def _is_smuggled(raw: bytes) -> bool:
    """Return True if a line ends in anything but CR LF, as in a mail that hides a second one from some programs."""
    return re.search(rb"\r(?!\n)|(?<!\r)\n", raw) is not None


def _no_such_address() -> str:
    return NO_SUCH_ADDRESS.format(reply_addresses.bare(runtime().settings.play_address))
