"""Handing a finished mail over: to the relay, or into a Maildir when there is none."""

import mailbox
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from server.settings import Relay, Settings

TIMEOUT = 30  # seconds for each step with the relay


class Failure(Exception):
    """The mail was not taken. `lasting` when trying again is no use; the text never quotes the other side."""

    def __init__(self, sentence: str, *, lasting: bool) -> None:
        super().__init__(sentence)
        self.lasting = lasting


class Transport(Protocol):
    """Takes one mail for one recipient, or raises `Failure`."""

    def send(self, message: bytes, sender: str, recipient: str) -> None: ...


class SmtpTransport:
    """A relay, spoken to anew for each mail: turn mails are few and far between."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        """Hand `message` to the relay."""
        with self._explained(), closing(self._connect()) as client:
            self._introduce(client)
            client.sendmail(sender, [recipient], message)
            with suppress(OSError, smtplib.SMTPException):  # it is taken, whatever becomes of the farewell
                client.quit()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except smtplib.SMTPRecipientsRefused as error:
            code = next(iter(error.recipients.values()))[0]
            raise Failure(f"the relay refused the recipient ({code})", lasting=code >= 500) from None
        except smtplib.SMTPDataError as error:
            raise Failure(f"the relay refused the mail ({error.smtp_code})", lasting=error.smtp_code >= 500) from None
        except smtplib.SMTPResponseException as error:
            # Greeting, password or sender: that is about this server and not about this mail, and can be put right.
            raise Failure(f"the relay refused this server ({error.smtp_code})", lasting=False) from None
        except (OSError, smtplib.SMTPException) as error:
            raise Failure(f"the relay cannot be reached ({type(error).__name__})", lasting=False) from None

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


class MaildirTransport:
    """One Maildir for all, so that a server without a relay can be tried out; the recipient is in To."""

    def __init__(self, folder: Path) -> None:
        self.maildir = mailbox.Maildir(folder)

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        """Deliver `message` into the Maildir."""
        try:
            self.maildir.add(message.replace(b"\r\n", b"\n"))  # as files end their lines here
        except OSError as error:
            raise Failure(f"the Maildir cannot be written to ({error.strerror})", lasting=False) from None


def transport_for(settings: Settings) -> Transport:
    """The transport the settings ask for."""
    if settings.smtp_url is not None:
        return SmtpTransport(settings.smtp_url)
    return MaildirTransport(settings.var / "mail")
