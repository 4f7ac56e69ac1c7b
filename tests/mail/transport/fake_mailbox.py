"""A mailbox at a provider, as a connection by IMAP shows it, without the provider."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from server.mail.transport.imap import MailHead
from tests.conftest import START


class Server:
    """A mailbox at a provider, as a connection shows it."""

    def __init__(self) -> None:
        self.uidvalidity = 7
        self.mails: dict[int, tuple[datetime | None, bytes]] = {}
        self.away: list[int] = []
        self.fetched: list[int] = []
        self.uid = 0

    def arrives(self, raw: bytes, at: datetime | None = START) -> int:
        self.uid += 1
        self.mails[self.uid] = (at, raw)
        return self.uid

    def newer(self, uid: int, since: datetime) -> list[int]:
        return sorted(number for number in self.mails if number > uid)

    def heads(self, uids: Sequence[int]) -> Iterator[MailHead]:
        for uid in filter(self.mails.__contains__, uids):
            at, raw = self.mails[uid]
            yield MailHead(uid, len(raw), at, raw.partition(b"\n\n")[0] + b"\n\n")

    def raw(self, uid: int, most: int) -> bytes | None:
        self.fetched.append(uid)
        return self.mails[uid][1][:most] if uid in self.mails else None

    def put_away(self, uid: int) -> None:
        self.away.append(uid)
        del self.mails[uid]
