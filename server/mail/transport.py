"""Handing a finished mail over: to the relay, or into a Maildir when there is none."""

import mailbox
import smtplib
import ssl
from contextlib import ExitStack
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
        try:
            with ExitStack() as stack:
                client = stack.enter_context(self._connect())
                client.sendmail(sender, [recipient], message)
        except smtplib.SMTPRecipientsRefused as error:
            code = next(iter(error.recipients.values()))[0]
            raise Failure(f"the relay refused the recipient ({code})", lasting=code >= 500) from None
        except smtplib.SMTPResponseException as error:
            lasting = error.smtp_code >= 500 and not isinstance(error, smtplib.SMTPAuthenticationError)
            raise Failure(f"the relay refused the mail ({error.smtp_code})", lasting=lasting) from None
        except (OSError, smtplib.SMTPException) as error:
            raise Failure(f"the relay cannot be reached ({type(error).__name__})", lasting=False) from None

    def _connect(self) -> smtplib.SMTP:
        relay = self.relay
        if relay.tls:
            context = ssl.create_default_context()
            client: smtplib.SMTP = smtplib.SMTP_SSL(relay.host, relay.port, timeout=TIMEOUT, context=context)
        else:
            client = smtplib.SMTP(relay.host, relay.port, timeout=TIMEOUT)
            if relay.starttls:
                client.starttls(context=ssl.create_default_context())
        if relay.user:
            client.login(relay.user, relay.password or "")
        return client


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
