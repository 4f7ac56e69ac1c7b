"""A mailbox at a provider, as a connection by IMAP shows it, without the provider."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime

from server.mail.transport.imap import MailHead
from tests.injected import START


class Server:
    """A mailbox at a provider, as a connection shows it."""

    def __init__(self) -> None:
        self.uidvalidity = 7
        self.mails: dict[int, tuple[datetime | None, bytes]] = {}
        self.away: list[int] = []
        self.fetched: list[int] = []
        self.uid = 0
        self.most: int | None = None  # bytes that it takes
        self.tells = True
        self.trials = 0
        self.filed: dict[int, int] = {}
        self.can_file = True  # else mails can only be marked
        # What happens before a mail is fetched or filed, while somebody waits for news, and when they leave.
        self.before_fetching: Callable[[int], object] = lambda _uid: None
        self.before_filing: Callable[[int], object] = lambda _uid: None
        self.while_waiting: Callable[[float], bool] = lambda _seconds: True
        self.when_interrupted: Callable[[], object] = lambda: None
        self.closed = 0

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
        self.before_fetching(uid)
        self.fetched.append(uid)
        return self.mails[uid][1][:most] if uid in self.mails else None

    def put_away(self, uid: int) -> None:
        self.before_filing(uid)
        if not self.can_file:
            return
        self.away.append(uid)
        self.filed[uid] = len(self.mails.pop(uid)[1])

    def delete(self, uid: int) -> None:
        del self.mails[uid]

    def room(self) -> int | None:
        return self._room() if self.tells else None

    def takes(self, size: int) -> bool:
        self.trials += 1
        room = self._room()
        return room is None or room >= size

    def _room(self) -> int | None:
        used = sum(self.filed.values()) + sum(len(raw) for _, raw in self.mails.values())
        return None if self.most is None else max(self.most - used, 0)

    def empty_read_folder(self, before: date | None = None) -> None:
        if before is None:
            self.filed.clear()

    def wait(self, seconds: float) -> bool:
        return self.while_waiting(seconds)

    def interrupt(self) -> None:
        self.when_interrupted()

    def close(self) -> None:
        self.closed += 1
