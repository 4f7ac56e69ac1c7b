"""IMAP as far as a mailbox is read here: what is new, heads and bytes by UID, putting away, waiting.

imap-tools speaks the protocol. Its own fetching parses mails and its own moving expunges what the owner of the
mailbox has marked, so both are done here.
"""

import imaplib
import re
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from imap_tools import BaseMailBox, MailBox, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError, MailboxFolderSelectError, MailboxLoginError
from imap_tools.utils import encode_folder

from server.faults import unreachable
from server.mail.reading.mime import MAX_HEADER
from server.settings import Mailbox

TIMEOUT = 30  # seconds for each step with the server
READ = ("Black Ticket", "read")  # the folder for mails that were taken in
HEADS_AT_ONCE = 50


class MailboxFailure(Exception):
    """The mailbox cannot be used now. The text quotes nothing of the server, a password or a mail."""


class LoginRefused(MailboxFailure):
    """The user name or the password is not the right one."""


@dataclass(frozen=True)
class MailHead:
    """What is known of a mail before its bytes are fetched; `arrived` is the server's INTERNALDATE, None if unreadable.

    `header` is the header, at most MAX_HEADER bytes of it.
    """

    uid: int
    size: int
    arrived: datetime | None
    header: bytes


class ImapConnection:
    """A mailbox, opened; everything raises `MailboxFailure` and nothing else."""

    def __init__(self, box: Mailbox, timeout: float = TIMEOUT) -> None:
        self._box = box
        self._read_folder: str | None = None
        with explained(box):
            self._client = connect(box, timeout)
        try:
            with explained(box):
                self._open(box)
        except MailboxFailure:
            self.close()
            raise

    def _open(self, box: Mailbox) -> None:
        self._log_in(box)
        # What a server can do, many say only to those they know.
        self.capabilities = frozenset(b" ".join(self._client.client.capability()[1]).decode().upper().split())
        self._client.folder.set(box.folder)
        _, told = self._client.client.response("UIDVALIDITY")
        self.uidvalidity = int(told[0] or 0)

    def _log_in(self, box: Mailbox) -> None:
        if (box.user + box.password).isascii():
            self._client.login(box.user, box.password, initial_folder=None)
        else:
            self._client.login_utf8(box.user, box.password, initial_folder=None)

    def newer(self, uid: int, since: datetime) -> list[int]:
        """The UIDs after `uid`, in order; where none was read yet, of mails from the day `since` on."""
        recent = "" if uid else f" SINCE {since.day}-{_MONTHS[since.month - 1]}-{since.year}"
        with explained(self._box):
            self._client.client.noop()
            found = self._command("SEARCH", f"UID {uid + 1}:*{recent}")[0] or b""
        # A range that ends in * holds the last mail, however small its UID.
        return sorted(number for number in map(int, found.split()) if number > uid)

    def heads(self, uids: Sequence[int]) -> Iterator[MailHead]:
        """The heads of these mails; of those that are gone there is none."""
        wanted = f"(UID RFC822.SIZE INTERNALDATE BODY.PEEK[HEADER]<0.{MAX_HEADER}>)"
        for start in range(0, len(uids), HEADS_AT_ONCE):
            some = ",".join(map(str, uids[start : start + HEADS_AT_ONCE]))
            with explained(self._box):
                told = self._command("FETCH", some, wanted)
                heads = [_head(facts, literal) for facts, literal in _items(told)]
            yield from sorted((head for head in heads if head.uid in uids), key=lambda head: head.uid)

    def raw(self, uid: int, most: int) -> bytes | None:
        """The bytes of a mail, at most so many, read without a mark on it; None when it is gone."""
        with explained(self._box):
            told = self._command("FETCH", str(uid), f"(UID BODY.PEEK[]<0.{most}>)")
        return next((literal for _, literal in _items(told)), None)

    def put_away(self, uid: int) -> None:
        """Move a mail into the folder for those that were taken in; where that cannot be, mark it as seen."""
        with explained(self._box):
            folder = self._folder_for_read()
            if folder and "MOVE" in self.capabilities:
                self._command("MOVE", str(uid), encode_folder(folder))
            elif folder and "UIDPLUS" in self.capabilities:
                # Not EXPUNGE alone: that would delete what the owner has marked for it as well.
                self._command("COPY", str(uid), encode_folder(folder))
                self._remove(uid)
            else:
                self._command("STORE", str(uid), "+FLAGS", r"(\Seen)")

    def delete(self, uid: int) -> None:
        """Delete a mail for good, as far as the server lets one do that for one mail."""
        with explained(self._box):
            self._remove(uid)

    def _remove(self, uid: int) -> None:
        self._command("STORE", str(uid), "+FLAGS", r"(\Deleted)")
        if "UIDPLUS" in self.capabilities:
            self._command("EXPUNGE", str(uid))

    def wait(self, seconds: float) -> bool:
        """Wait for news by IDLE, at most so long; False, at once, where the server has no IDLE."""
        if "IDLE" not in self.capabilities:
            return False
        with explained(self._box):
            self._client.idle.wait(seconds)
        return True

    def interrupt(self) -> None:
        """End whatever waits at the server, from another thread: the connection is good for nothing after it."""
        with suppress(OSError):
            self._client.client.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Take leave, if the server still listens."""
        with suppress(OSError, imaplib.IMAP4.error, ImapToolsError):
            self._client.logout()
        with suppress(OSError):
            self._client.client.shutdown()

    def _command(self, name: str, *arguments: Any) -> list[Any]:
        status, told = self._client.client.uid(name, *arguments)
        if status != "OK":
            raise MailboxFailure(f"the mail server refuses {name}")
        return told

    def _folder_for_read(self) -> str | None:
        """The folder, made if need be: at the top, or below INBOX where folders have to be; None where it cannot be."""
        if self._read_folder is None:
            known = self._client.folder.list()
            delimiter = next((info.delim for info in known if info.delim), "/")
            wanted = [delimiter.join(READ), delimiter.join(("INBOX", *READ))]
            there = [name for name in wanted if name in {info.name for info in known}]
            self._read_folder = next(iter(there), "") or next(filter(self._make, wanted), "")
        return self._read_folder or None

    def _make(self, folder: str) -> bool:
        with suppress(ImapToolsError, imaplib.IMAP4.error):
            self._client.folder.create(folder)
            return True
        return False


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DATE = re.compile(rb'INTERNALDATE " ?(\d+)-(\w{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-]\d{4})"')


def connect(box: Mailbox, timeout: float) -> BaseMailBox:
    if box.tls:
        return MailBox(box.host, box.port, timeout=timeout, ssl_context=ssl.create_default_context())
    if box.starttls:
        return _StartTls(box.host, box.port, timeout=timeout)
    return MailBoxUnencrypted(box.host, box.port, timeout=timeout)


class _StartTls(MailBoxUnencrypted):
    """As that of imap-tools, but what was opened is closed when there is to be no TLS."""

    def _get_mailbox_client(self) -> imaplib.IMAP4:
        client = super()._get_mailbox_client()
        try:
            client.starttls(ssl.create_default_context())
        except BaseException:
            client.shutdown()
            raise
        return client


@contextmanager
def explained(box: Mailbox) -> Iterator[None]:
    """What goes wrong, in words for the operator: those of the library and the server may quote anything."""
    try:
        yield
    except MailboxLoginError:
        raise LoginRefused("the mail server refuses the user name or the password") from None
    except MailboxFolderSelectError:
        raise MailboxFailure("the mail server has no such folder, or keeps it to itself") from None
    except ssl.SSLCertVerificationError:
        raise MailboxFailure(
            f"the certificate of the mail server is not one for {box.host} that can be trusted"
        ) from None
    except (imaplib.IMAP4.abort, OSError) as error:
        raise MailboxFailure(f"the mail server cannot be reached ({unreachable(error)})") from None
    except (imaplib.IMAP4.error, ImapToolsError, ValueError, LookupError) as error:
        raise MailboxFailure(
            f"the mail server said something that was not understood ({type(error).__name__})"
        ) from None


def _items(told: Sequence[Any]) -> Iterator[tuple[bytes, bytes]]:
    """Of a FETCH with one literal for each mail: the facts before and behind the literal, and the literal."""
    for place, item in enumerate(told):
        if isinstance(item, tuple):
            behind = told[place + 1] if place + 1 < len(told) and isinstance(told[place + 1], bytes) else b""
            yield item[0] + b" " + behind, item[1]


def _head(facts: bytes, header: bytes) -> MailHead:
    uid, size = re.search(rb"\bUID (\d+)", facts), re.search(rb"\bRFC822\.SIZE (\d+)", facts)
    if uid is None or size is None:
        raise ValueError("no UID or size")
    return MailHead(int(uid[1]), int(size[1]), _arrived(facts), header)


def _arrived(facts: bytes) -> datetime | None:
    found = _DATE.search(facts)
    if found is None:
        return None
    day, month, year, *time, zone = (part.decode() for part in found.groups())
    number = _MONTHS.index(month.title()) + 1
    return datetime.strptime(f"{year}-{number}-{day} {':'.join(time)} {zone}", "%Y-%m-%d %H:%M:%S %z").astimezone(UTC)
