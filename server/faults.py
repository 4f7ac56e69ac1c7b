"""Descriptions of unexpected errors that are safe to log: the kind and the place, never the text.

The text and the local variables of an error can hold a sealed station.
"""

import smtplib
import socket
import ssl
from imaplib import IMAP4
from types import TracebackType

_WHYS: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "there is no host of that name"),
    (ConnectionRefusedError, "nobody listens at that port"),
    (TimeoutError, "it does not answer"),
    (ssl.SSLCertVerificationError, "its certificate cannot be trusted"),
    (ssl.SSLError, "it does not speak TLS there"),
    (smtplib.SMTPNotSupportedError, "it does not offer what the settings ask for, TLS or a login"),
    (smtplib.SMTPServerDisconnected, "it hangs up"),
    (ConnectionError, "it hangs up"),
    (IMAP4.abort, "it hangs up, or is no server of that kind"),
)


def fault(error: BaseException) -> str:
    """Return `TypeError at server.mail.outbox:88`: the kind, and the innermost line of this server's code."""
    place = "unknown place"
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.partition(".")[0] == "server" or place == "unknown place":
            place = f"{module}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} at {place}"


def unreachable(error: BaseException) -> str:
    """Return why a mail server cannot be reached, in words for the operator; the name of an unknown kind of error."""
    return next((why for kind, why in _WHYS if isinstance(error, kind)), type(error).__name__)
