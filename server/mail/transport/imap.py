"""The IMAP connection to a mailbox: search for new mails, fetch them by UID, file them, wait for more.

imap-tools speaks the protocol. Its own fetching parses mails, and its own moving expunges what the owner of the
mailbox has marked, so both are done here.
"""

import imaplib
import re
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from imap_tools import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError, MailboxFolderSelectError, MailboxLoginError
from imap_tools.utils import encode_folder

from server.mail.reading.mime import MAX_HEADER
from server.runtime.faults import unreachable
from server.settings import Mailbox

TIMEOUT = 30  # seconds for each step with the server
READ = ("Black Ticket", "read")  # the folder for mails that are in the inbox table
HEADS_AT_ONCE = 50


class MailboxFailure(Exception):
    """Raised when the mailbox cannot be used. The text quotes nothing of the server, a password or a mail."""


class Unreachable(MailboxFailure):
    """Raised when no connection to the server can be made."""


class LoginRefused(MailboxFailure):
    """Raised when the server refuses the user name or the password."""


@dataclass(frozen=True)
class MailHead:
    """The head of a mail, known before its bytes are fetched.

    `arrived` is the server's INTERNALDATE, None if unreadable; `header` has at most MAX_HEADER bytes.
    """

    uid: int
    size: int
    arrived: datetime | None
    header: bytes


class ImapConnection:
    """A connection to a mailbox, logged in; every method raises `MailboxFailure` and nothing else."""

    def __init__(self, box: Mailbox, timeout: float = TIMEOUT) -> None:
        self._box = box
        self._read_folder: str | None = None
        with explained(box, Unreachable):
            self._client = connect(box, timeout)
        try:
            with explained(box, Unreachable):
                self._open(box)
        except MailboxFailure:
            self.close()
            raise

    def _open(self, box: Mailbox) -> None:
        self._log_in(box)
        # Many servers name all their capabilities only after the login.
        self.capabilities = frozenset(b" ".join(self._client.client.capability()[1]).decode().upper().split())
        self._client.folder.set(box.folder)
        _, values = self._client.client.response("UIDVALIDITY")
        self.uidvalidity = int(values[0] or 0)

    def _log_in(self, box: Mailbox) -> None:
        if (box.user + box.password).isascii():
            self._client.login(box.user, box.password, initial_folder=None)
        else:
            self._client.login_utf8(box.user, box.password, initial_folder=None)

    def newer(self, uid: int, since: datetime) -> list[int]:
        """Return the UIDs after `uid`, in order; if none was read yet (0), those of mails from the day `since` on."""
        recent = "" if uid else f" SINCE {since.day}-{_MONTHS[since.month - 1]}-{since.year}"
        with explained(self._box):
            self._client.client.noop()
            found = self._command("SEARCH", f"UID {uid + 1}:*{recent}")[0] or b""
        # A range that ends in * holds the last mail, however small its UID.
        return sorted(number for number in map(int, found.split()) if number > uid)

    def heads(self, uids: Sequence[int]) -> Iterator[MailHead]:
        """Return the heads of these mails, without those that are gone."""
        wanted = f"(UID RFC822.SIZE INTERNALDATE BODY.PEEK[HEADER]<0.{MAX_HEADER}>)"
        for start in range(0, len(uids), HEADS_AT_ONCE):
            some = ",".join(map(str, uids[start : start + HEADS_AT_ONCE]))
            with explained(self._box):
                answer = self._command("FETCH", some, wanted)
                heads = [_head(attributes, literal) for attributes, literal in _items(answer)]
            yield from sorted((head for head in heads if head.uid in uids), key=lambda head: head.uid)

    def raw(self, uid: int, most: int) -> bytes | None:
        """Return at most `most` bytes of a mail, which stays unseen; None when it is gone."""
        with explained(self._box):
            answer = self._command("FETCH", str(uid), f"(UID BODY.PEEK[]<0.{most}>)")
        return next((literal for _, literal in _items(answer)), None)

    def put_away(self, uid: int) -> None:
        """Move a mail into the folder `READ`; where that cannot be, mark it as seen."""
        with explained(self._box):
            folder = self._folder_for_read()
            if folder and "MOVE" in self.capabilities:
                self._command("MOVE", str(uid), encode_folder(folder))
            elif folder and "UIDPLUS" in self.capabilities:
                # Not EXPUNGE alone: that would also delete what the owner has marked.
                self._command("COPY", str(uid), encode_folder(folder))
                self._remove(uid)
            else:
                self._command("STORE", str(uid), "+FLAGS", r"(\Seen)")

    def delete(self, uid: int) -> None:
        """Delete a mail for good, as far as the server can do that for a single mail."""
        with explained(self._box):
            self._remove(uid)

    def _remove(self, uid: int) -> None:
        self._command("STORE", str(uid), "+FLAGS", r"(\Deleted)")
        if "UIDPLUS" in self.capabilities:
            self._command("EXPUNGE", str(uid))

    def room(self) -> int | None:
        """Return how many bytes of mail the mailbox still takes; None where the server does not tell (RFC 9208)."""
        if "QUOTA" not in self.capabilities:
            return None
        with explained(self._box):
            _, answer = self._client.client.getquotaroot(encode_folder(self._box.folder).decode())
        return _room(b" ".join(line for line in answer[1] if isinstance(line, bytes)))

    def takes(self, size: int) -> bool:
        """Return whether the mailbox has room for a mail of so many bytes, for servers that do not tell.

        Such a mail is filed in the folder `READ`, and deleted at once. Where there is none, or it is refused for
        another reason, nothing is known and the answer is True.
        """
        with explained(self._box):
            if not (folder := self._folder_for_read()):
                return True
            status, answer = self._client.client.append(encode_folder(folder).decode(), r"(\Seen)", "", _trial(size))
            if status != "OK":
                return not _SAYS_FULL.search(b" ".join(line for line in answer if isinstance(line, bytes)))
            self._delete_in(folder, f"HEADER Message-ID {TRIAL}")
        return True

    def empty_read_folder(self, before: date | None = None) -> None:
        """Delete what arrived before a day, or everything, from the folder `READ`, which is the server's own."""
        with explained(self._box):
            if folder := self._folder_for_read():
                day = f"BEFORE {before.day}-{_MONTHS[before.month - 1]}-{before.year}" if before else "ALL"
                self._delete_in(folder, day)

    def _delete_in(self, folder: str, criteria: str) -> None:
        self._client.folder.set(folder)
        try:
            if found := (self._command("SEARCH", criteria)[0] or b"").decode().split():
                self._command("STORE", ",".join(found), "+FLAGS", r"(\Deleted)")
                self._client.client.expunge()
        finally:
            self._client.folder.set(self._box.folder)

    def wait(self, seconds: float) -> bool:
        """Wait for news by IDLE, at most `seconds`; return False at once where the server has no IDLE."""
        if "IDLE" not in self.capabilities:
            return False
        with explained(self._box):
            self._client.idle.wait(seconds)
        return True

    def interrupt(self) -> None:
        """End a wait at the server from another thread, and the connection with it."""
        with suppress(OSError):
            self._client.client.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Log out if the server still listens, and close the connection."""
        with suppress(OSError, imaplib.IMAP4.error, ImapToolsError):
            self._client.logout()
        with suppress(OSError):
            self._client.client.shutdown()

    def _command(self, name: str, *arguments: Any) -> list[Any]:
        status, answer = self._client.client.uid(name, *arguments)
        if status != "OK":
            raise MailboxFailure(f"the mail server refuses {name}")
        return answer

    def _folder_for_read(self) -> str | None:
        """Return the name of the folder `READ`, created if need be at the top or below INBOX; None if it cannot be."""
        if self._read_folder is None:
            known = self._client.folder.list()
            delimiter = next((info.delim for info in known if info.delim), "/")
            wanted = [delimiter.join(READ), delimiter.join(("INBOX", *READ))]
            existing = [name for name in wanted if name in {info.name for info in known}]
            self._read_folder = next(iter(existing), "") or next(filter(self._create, wanted), "")
        return self._read_folder or None

    def _create(self, folder: str) -> bool:
        with suppress(ImapToolsError, imaplib.IMAP4.error):
            self._client.folder.create(folder)
            return True
        return False


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DATE = re.compile(rb'INTERNALDATE " ?(\d+)-(\w{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-]\d{4})"')


TRIAL = "<trial-of-room@blackticket>"
# What servers say that have no room: most name the code of RFC 9208, some a limit in words of their own.
_SAYS_FULL = re.compile(rb"OVERQUOTA|quota|storage limit|limit exceeded|(mailbox|inbox) (is )?(full|over)", re.I)


def _trial(size: int) -> bytes:
    """Return a mail of so many bytes, to find out if there is room for it."""
    head = f"From: Black Ticket <>\r\nSubject: Is there room in this mailbox?\r\nMessage-ID: {TRIAL}\r\n\r\n".encode()
    return head + b"x" * 70 + (b"\r\n" + b"x" * 70) * ((size - len(head)) // 72)


_RESOURCE = re.compile(rb"\b(STORAGE|MESSAGE) (\d+) (\d+)", re.IGNORECASE)


def _room(quotas: bytes) -> int | None:
    """Return the bytes that are left by the tightest of these quotas; 0 where no further mail is taken."""
    left = []
    for name, used, most in _RESOURCE.findall(quotas):
        free = max(int(most) - int(used), 0)
        if name.upper() == b"STORAGE":
            left.append(free * 1024)
        elif not free:
            left.append(0)
    return min(left, default=None)


def connect(box: Mailbox, timeout: float) -> BaseMailBox:
    """Connect to the server of a mailbox, over TLS if it is set so, without a login."""
    if box.tls:
        return MailBox(box.host, box.port, timeout=timeout, ssl_context=ssl.create_default_context())
    if box.starttls:
        return MailBoxStartTls(box.host, box.port, timeout=timeout, ssl_context=ssl.create_default_context())
    return MailBoxUnencrypted(box.host, box.port, timeout=timeout)


@contextmanager
def explained(box: Mailbox, lost: type[MailboxFailure] = MailboxFailure) -> Iterator[None]:
    """Turn any error into a `MailboxFailure` for the operator: the library and the server may quote anything.

    `lost` is raised where there is no connection any more.
    """
    try:
        yield
    except MailboxLoginError:
        raise LoginRefused("the mail server refuses the user name or the password") from None
    except MailboxFolderSelectError:
        raise MailboxFailure("the mail server has no such folder, or keeps it to itself") from None
    except ssl.SSLCertVerificationError:
        raise MailboxFailure(
            f"the certificate of the mail server is not one for {box.host} that can be trusted; if an authority of "
            "your own signed it, name the file with that one's certificate in SSL_CERT_FILE"
        ) from None
    except (imaplib.IMAP4.abort, OSError) as error:
        raise lost(f"the mail server cannot be reached ({unreachable(error)})") from None
    except (imaplib.IMAP4.error, ImapToolsError, ValueError, LookupError) as error:
        raise MailboxFailure(
            f"the mail server said something that was not understood ({type(error).__name__})"
        ) from None


def _items(answer: Sequence[Any]) -> Iterator[tuple[bytes, bytes]]:
    """Split the answer to a FETCH with one literal for each mail into the attributes around it and the literal."""
    for place, item in enumerate(answer):
        if isinstance(item, tuple):
            after = answer[place + 1] if place + 1 < len(answer) and isinstance(answer[place + 1], bytes) else b""
            yield item[0] + b" " + after, item[1]


def _head(attributes: bytes, header: bytes) -> MailHead:
    uid, size = re.search(rb"\bUID (\d+)", attributes), re.search(rb"\bRFC822\.SIZE (\d+)", attributes)
    if uid is None or size is None:
        raise ValueError("no UID or size")
    return MailHead(int(uid[1]), int(size[1]), _arrived(attributes), header)


def _arrived(attributes: bytes) -> datetime | None:
    found = _DATE.search(attributes)
    if found is None:
        return None
    day, month, year, *time, zone = (part.decode() for part in found.groups())
    number = _MONTHS.index(month.title()) + 1
    return datetime.strptime(f"{year}-{number}-{day} {':'.join(time)} {zone}", "%Y-%m-%d %H:%M:%S %z").astimezone(UTC)
