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

from server.runtime.faults import unreachable
from server.settings import Relay, Settings

TIMEOUT = 30  # seconds for each step with the relay
OK, CLOSING, LASTING = 250, 421, 500  # codes of a relay: done, goodbye, and the first of those that are final
TOO_LARGE = 552
FULL = ("4.2.2 ", "5.2.2 ")  # what a server says at a mailbox that is full (RFC 3463)
FULL_MAILBOX = "the mailbox of the recipient is full"
MOST_SAID = 200  # letters of what a relay says
HIDDEN = "[address]"
_CLASS = re.compile(r"^[245]\.\d{1,3}\.\d{1,3}(?=\s|$)")  # RFC 3463
_ADDRESS = re.compile(r"[^\s<>]*@[^\s<>]*")
ROOM = 100_000  # bytes, more than any mail of ours has


class SendingFailure(Exception):
    """Raised when a mail was not taken; the text quotes no more of the other side than its codes.

    `lasting`: trying again is no use. `for_all`: no other mail would be taken either. `no_reader`: the recipient's
    server has no such address; `is_full`: their mailbox is full. `said`: the words of the other side without
    addresses, for the operator alone, as they may quote a mail.
    """

    def __init__(
        self, sentence: str, *, lasting: bool, for_all: bool = False, no_reader: bool = False, is_full: bool = False,
        said: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(sentence)
        self.lasting, self.for_all, self.no_reader, self.is_full = lasting, for_all, no_reader, is_full
        self.said = said


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
        except (smtplib.SMTPRecipientsRefused, smtplib.SMTPResponseException) as error:
            raise _refusal(error, addresses) from None
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


def _refusal(
    error: smtplib.SMTPRecipientsRefused | smtplib.SMTPResponseException, addresses: Iterable[str]
) -> SendingFailure:
    """Return the failure for an answer of the relay, with its code and its class, such as 451 4.7.1.

    What it says at the greeting and to the sender is about this server and not about the mail, but for its size.
    """
    answer: bytes | str
    if is_recipient := isinstance(error, smtplib.SMTPRecipientsRefused):
        (code, answer), *_ = error.recipients.values()
    else:
        code, answer = error.smtp_code, error.smtp_error
    words = " ".join(str(answer, errors="replace").split() if isinstance(answer, bytes) else answer.split())
    is_size = isinstance(error, smtplib.SMTPSenderRefused) and code == TOO_LARGE
    for_all = not (is_recipient or is_size or isinstance(error, smtplib.SMTPDataError))
    is_full = not for_all and words.startswith(FULL)
    if isinstance(error, smtplib.SMTPAuthenticationError):
        sentence = "the relay refuses the user name or the password"
    elif is_recipient:
        sentence = "the relay refused the recipient"
    else:
        sentence = "the relay refused this server" if for_all else "the relay refused the mail"
    names = [re.escape(part) for address in addresses for part in (address, address.partition("@")[0]) if part]
    said = re.sub(rf"(?i)\b(?:{'|'.join([*names, '(?!)'])})\b", HIDDEN, words)
    return SendingFailure(
        f"{FULL_MAILBOX if is_full else sentence} ({' '.join([str(code), *_CLASS.findall(words)])})",
        lasting=code >= LASTING and not (for_all or is_full), for_all=for_all, is_full=is_full,
        no_reader=is_recipient and code >= LASTING and words.startswith("5.1."),
        said=_ADDRESS.sub(HIDDEN, said)[:MOST_SAID],
    )  # fmt: skip


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
