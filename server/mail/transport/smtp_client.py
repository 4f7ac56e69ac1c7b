"""Transports that finished mails are sent by: the relay, or a Maildir when there is none."""

import mailbox
import re
import select
import smtplib
import ssl
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from server.faults import unreachable
from server.settings import Relay, Settings

TIMEOUT = 30  # seconds for each step with the relay
OK, CLOSING, LASTING = 250, 421, 500  # codes of a relay: done, goodbye, and the first of those that are final
TOO_LARGE = 552
FULL = (b"4.2.2 ", b"5.2.2 ")  # what a server says at a mailbox that is full (RFC 3463)
FULL_MAILBOX = "the mailbox of the recipient is full"
MOST_SAID = 200  # letters of what a relay says
HIDDEN = "[address]"
_CLASS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}(?=\s|$)")  # RFC 3463
_ADDRESS = re.compile(r"[^\s<>]*@[^\s<>]*")
ROOM = 100_000  # bytes, more than any mail of ours has


class SendingFailure(Exception):
    """Raised when a mail was not taken; the text quotes no more of the other side than its codes.

    `lasting`: trying again is no use. `for_all`: no other mail would be taken either. `no_reader`: the recipient's
    server has no such address; `is_full`: their mailbox is full. `said`: the words of the other side without
    addresses, for the operator alone, as they may quote a mail.
    """

    def __init__(
        self,
        sentence: str,
        *,
        lasting: bool,
        for_all: bool = False,
        no_reader: bool = False,
        is_full: bool = False,
        said: str | None = None,
    ) -> None:
        super().__init__(sentence)
        self.said = said
        self.lasting = lasting
        self.for_all = for_all
        self.no_reader = no_reader
        self.is_full = is_full


class Transport(Protocol):
    """Sends mails, each to one recipient; `close` comes after the last of several.

    `send` raises `SendingFailure` if the mail was not taken, and `knock` if none would be.
    """

    def send(self, message: bytes, sender: str, recipient: str) -> None: ...

    def knock(self) -> None: ...

    def close(self) -> None: ...


class SmtpTransport:
    """Sends mails to a relay, over one connection as long as they follow at once."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        self._client: smtplib.SMTP | None = None

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        """Send `message` to the relay."""
        with self._explained(sender, recipient):
            was_open = self._is_open()
            try:
                self._opened().sendmail(sender, [recipient], message)
            except smtplib.SMTPResponseException as error:
                # A relay may end a connection after some number of mails: it took nothing of this one.
                if error.smtp_code != CLOSING or not was_open:
                    raise
                self.close()
                self._opened().sendmail(sender, [recipient], message)

    def knock(self) -> None:
        """Check whether the relay would take mail of this server."""
        with self._explained():
            if not self._is_open():
                self._opened()
        self.close()

    def ask_for_waiting(self, domain: str) -> None:
        """Have the relay deliver what waits there for `domain`, if it knows how to (ETRN, RFC 1985)."""
        with suppress(SendingFailure), self._explained():
            client = self._opened()
            client.ehlo_or_helo_if_needed()
            if client.has_extn("etrn"):
                client.docmd("ETRN", domain)
        self.close()

    def close(self) -> None:
        """End the connection, if there is one."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(OSError, smtplib.SMTPException):  # a mail that was taken stays taken, even if QUIT fails
                client.quit()
            client.close()

    def _is_open(self) -> bool:
        """Return True if there is a connection which the relay has not closed meanwhile; close it otherwise."""
        if self._client is not None:
            if not _has_unread(self._client):
                return True
            with suppress(OSError, smtplib.SMTPException):
                if self._client.noop()[0] == OK:
                    return True
            self.close()
        return False

    def _opened(self) -> smtplib.SMTP:
        if self._client is None:
            client = self._connect()
            try:
                self._introduce(client)
            except BaseException:
                client.close()
                raise
            self._client = client
        return self._client

    @contextmanager
    def _explained(self, *addresses: str) -> Iterator[None]:
        try:
            yield
        except smtplib.SMTPRecipientsRefused as error:
            code, said = next(iter(error.recipients.values()))
            is_full = said[:6] in FULL
            raise _refusal(
                FULL_MAILBOX if is_full else "the relay refused the recipient", code, said, addresses,
                lasting=code >= LASTING and not is_full, is_full=is_full,
                no_reader=code >= LASTING and said[:4] == b"5.1.",
            ) from None  # fmt: skip
        except smtplib.SMTPDataError as error:
            is_full = error.smtp_error[:6] in FULL
            raise _refusal(
                FULL_MAILBOX if is_full else "the relay refused the mail", error.smtp_code, error.smtp_error, addresses,
                lasting=error.smtp_code >= LASTING and not is_full, is_full=is_full,
            ) from None  # fmt: skip
        except smtplib.SMTPResponseException as error:
            is_login = isinstance(error, smtplib.SMTPAuthenticationError)
            # The relay is told the size with the sender.
            is_size = isinstance(error, smtplib.SMTPSenderRefused) and error.smtp_code == TOO_LARGE
            sentence = (
                "the relay refuses the user name or the password" if is_login else "the relay refused this server"
            )
            raise _refusal(
                "the relay refused the mail" if is_size else sentence, error.smtp_code, error.smtp_error, addresses,
                lasting=is_size, for_all=not is_size,
            ) from None  # fmt: skip
        except (OSError, smtplib.SMTPException) as error:
            self.close()
            raise SendingFailure(
                f"the relay cannot be reached ({unreachable(error)})", lasting=False, for_all=True
            ) from None

    def _connect(self) -> smtplib.SMTP:
        host, port = self.relay.host, self.relay.port
        if self.relay.tls:
            return smtplib.SMTP_SSL(host, port, timeout=TIMEOUT, context=ssl.create_default_context())
        return smtplib.SMTP(host, port, timeout=TIMEOUT)

    def _introduce(self, client: smtplib.SMTP) -> None:
        if self.relay.starttls:
            client.starttls(context=ssl.create_default_context())
        if self.relay.user:
            client.login(self.relay.user, self.relay.password or "")


def _refusal(sentence: str, code: int, said: bytes | str, addresses: Iterable[str], **kinds: bool) -> SendingFailure:
    """Return the failure for an answer of the relay, with its code and its class, such as 451 4.7.1."""
    words = said.decode(errors="replace") if isinstance(said, bytes) else said
    words = " ".join(words.split())
    kind = _CLASS.match(words)
    names = [re.escape(part) for address in addresses for part in (address, address.partition("@")[0]) if part]
    cut = re.sub(rf"(?i)\b(?:{'|'.join([*names, '(?!)'])})\b", HIDDEN, words)
    status = f"{code} {kind[0]}" if kind else str(code)
    return SendingFailure(f"{sentence} ({status})", said=_ADDRESS.sub(HIDDEN, cut)[:MOST_SAID], **kinds)


def _has_unread(client: smtplib.SMTP) -> bool:
    """Return True if the relay has said something unasked, such as that it closes the connection."""
    assert client.sock is not None
    readable = select.poll()  # select() cannot handle descriptors above 1,023
    readable.register(client.sock, select.POLLIN)
    return bool(readable.poll(0))


class MaildirTransport:
    """Puts all mails into one Maildir, so that a server without a relay can be tried out; the recipient is in To."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        """Put `message` into the Maildir."""
        try:
            self._opened().add(message.replace(b"\r\n", b"\n"))  # as files end their lines here
        except OSError as error:
            raise _full(error) from None

    def _opened(self) -> mailbox.Maildir:
        """Return the Maildir, with its folders: one that is mounted may be empty, at the start or later."""
        for name in ("tmp", "new", "cur"):
            (self.folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        return mailbox.Maildir(self.folder)

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def knock(self) -> None:
        """Check whether there is room."""
        try:
            self._opened()
            with tempfile.TemporaryFile(dir=self.folder / "tmp") as file:
                file.write(bytes(ROOM))
        except OSError as error:
            raise _full(error) from None


def _full(error: OSError) -> SendingFailure:
    return SendingFailure(f"the Maildir cannot be written to ({error.strerror})", lasting=False, for_all=True)


def transport_for(settings: Settings) -> Transport:
    """Return the transport for these settings."""
    if settings.smtp_url is not None:
        return SmtpTransport(settings.smtp_url)
    return MaildirTransport(settings.var / "mail")
