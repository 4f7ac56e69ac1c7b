"""Descriptions of unexpected errors that are safe to log: the kind and the place, never the text.

The text and the local variables of an error can hold a sealed station.
"""

import errno
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


# What the system says where this machine lacks something, whatever is being done.
_OF_MACHINE = frozenset({
    errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOBUFS, errno.ENOSPC, errno.EDQUOT, errno.EROFS,
    errno.EIO, errno.ENETDOWN,
})  # fmt: skip


def is_of_machine(error: BaseException) -> bool:
    """Return True if an error says that this machine lacks memory, descriptors, threads, a disk or a network.

    What it happened to is not to blame: it is tried again, and the attempt is not counted.
    """
    if isinstance(error, OSError):
        return error.errno in _OF_MACHINE
    return isinstance(error, MemoryError) or str(error) == "can't start new thread"


def unreachable(error: BaseException) -> str:
    """Return why a mail server cannot be reached, in words for the operator; the name of an unknown kind of error."""
    return next((why for kind, why in _WHYS if isinstance(error, kind)), type(error).__name__)
