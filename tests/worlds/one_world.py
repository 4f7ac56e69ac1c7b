"""One of two worlds: an application, everything that leaves it, and what of that is not compared."""

import asyncio
import hashlib
import re
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from itertools import zip_longest
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from click.testing import CliRunner
from werkzeug.test import TestResponse

from server.application.game.look import standing_of
from server.application.game.state import rebuild
from server.application.mail import arrivals
from server.cli import main
from server.engine import Game
from server.mail.reading.html import html_lines
from server.mail.transport.smtp_server import Handler
from server.models import Base, Mailbox, db, session, transaction
from server.models import Game as GameRow
from server.models.sqlite import sqlite3
from server.models.types import Encrypted
from server.runtime import MOST_VIEWS
from server.runtime.game_cache import GameCache
from server.runtime.lru import LRUCache
from server.vocabulary.translation import speaking
from server.webhooks.transport import DELIVERED
from tests.injected import application, for_command
from tests.letters import opened
from tests.table import Table
from tests.webhooks import subscription

KEY = "the same in both worlds, and long enough for a key"


MAILBOX = "imaps://host:password@mail.example.org/INBOX"  # which nobody reads but a scene


PREVIEW = 200  # characters that a mail program shows of a mail before it is opened


NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")


AROUND = 60  # characters shown beside a difference


class Difference(AssertionError):
    """Something left the two worlds that was not the same; `outlet` is where."""

    def __init__(self, outlet: str, text: str) -> None:
        super().__init__(text)
        self.outlet = outlet


class Private(NamedTuple):
    """Rows, or some columns of them, that hold what Mr. X did by himself.

    where: which rows, as SQL with :him (his player id); columns: which of theirs, none is the whole row
    noise: only where Mr. X did something in one world alone
    """

    table: str
    where: str
    columns: tuple[str, ...]
    noise: bool
    why: str


PRIVATE = (
    Private("answered", "player_id = :him", ("request",), False, "a keyed hash of what he sent"),
    Private("inbox", "source = 'his'", ("digest",), False, "a keyed hash of the mail with his move"),
    Private("inbox", "source = 'alone'", (), True, "mails of his that the other world has not"),
    Private("news", "topics LIKE '%.' || :him", (), True, "that a move of his waits, told to him alone"),
    Private("news", "1 = 1", ("at",), False, "the time of the database itself, when he did it"),
    Private("held_moves", "seat = 1", (), True, "a move of his that waits"),
    Private("quotas", "purpose IN ('bytes', 'seat-bytes', 'reading', 'claims')", (), True, "how much came"),
    Private("seen_mails", "inbox_id IN (SELECT id FROM inbox WHERE source = 'alone')", (), True, "that they were read"),
    Private("outbox", "cause IN (SELECT id FROM inbox WHERE source = 'alone')", (), True, "the answers to them"),
    Private("answered", "player_id = :him AND key LIKE 'alone%'", (), True, "requests that the other world has not"),
    Private("tokens", "player_id = :him", ("used_on",), True, "when he last used his token"),
    Private("players", "id = :him", ("closing_lines",), True, "keyed hashes of the lines that end mails of his"),
    Private("mail_answers", "whom = :him", ("words",), False, "a keyed hash of what he wrote"),
    Private("mail_answers", "whom = :him", (), True, "the answers to mails that the other world has not"),
    Private(
        "reply_tokens", "seat = 1", (), True, "his own addresses, printed in answers too, and what was asked there"
    ),
)


# How often which statement is made depends on what caches and the collector of garbage still hold; of these lines
# only the statements themselves are compared, over a whole run.
STATEMENTS = "sqlalchemy"


# What the operator sees when he breaks the glass, which the game's own log tells of: that it went well is compared.
BROKEN_GLASS = ("game unseal",)


class Letter(NamedTuple):
    """A mail that was sent, with its envelope."""

    sender: str
    recipient: str
    raw: bytes

    @property
    def read(self) -> Any:
        return opened(self.raw)


class Post:
    """A transport that keeps what it is handed, here and in the Maildir; it can be made to fail."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.sent: list[Letter] = []
        self.fails: Callable[[str], Exception | None] = lambda _recipient: None

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        if failure := self.fails(recipient):
            raise failure
        letter = Letter(sender, recipient, message)
        self.sent.append(letter)
        folder = self.world.folder / "mail"
        for part in ("new", "cur", "tmp"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "new" / f"{len(self.sent):06}").write_bytes(message)
        if not self.world.is_answer_to_him_alone(message):
            self.world.leaves(*self._seen(letter))

    def close(self) -> None:
        """Nothing is open."""

    def _seen(self, letter: Letter) -> tuple[str, str]:
        """The whole mail, or of one to Mr. X what can be seen without opening it, and its pictures."""
        envelope = f"at {self.world.table.clock():%d %H:%M:%S} {letter.sender} -> {letter.recipient}\n"
        if letter.recipient != self.world.mr_x.address:
            return "mail", envelope + letter.raw.decode("latin-1")
        head, mail = letter.raw.decode("latin-1").partition("\r\n\r\n")[0], letter.read
        html = mail.get_body(("html",)).get_content()
        as_html = "\n".join(html_lines(html))
        previews = f"{mail.get_content()[:PREVIEW]}\n\n{as_html[:PREVIEW]}"
        return "head of a mail to Mr. X", f"{envelope}{head}\n\n{previews}\n\n{_pictures(mail, html)}"


def _pictures(mail: Any, html: str) -> str:
    """The pictures in a mail, with the words for them: all can be seen from behind its reader."""
    parts = [part for part in mail.walk() if part.get_content_type() == "image/png" and part["Content-ID"]]
    drawn = [f"{part['Content-ID']} {hashlib.sha256(part.get_content()).hexdigest()}" for part in parts]
    return "\n".join([*drawn, *re.findall(r'alt="([^"]*)"', html)])


class _Table(Table):
    """With a mailbox that was just read whenever the worker looks, so that no deadline waits for it."""

    def tick(self) -> None:
        with self.app.app_context():
            read = self.app.extensions["blackticket"].settings.imap_url.name
            with transaction():
                box = session.get(Mailbox, read) or Mailbox(name=read, uidvalidity=0, last_uid=0, left=[])
                box.read_at = self.clock.time
                session.add(box)
            session.remove()
        super().tick()


class World:
    """One application, the game in it as Mr. X lives it there, and what has left it since the last comparison."""

    def __init__(self, folder: Path, lived: Game, language: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.lived = lived
        self.left: list[tuple[str, str]] = []
        self.statements: set[str] = set()
        self.held: set[str] = set()  # columns that ever held something
        settings = {"imap_url": MAILBOX, "postmark_secret": KEY, "mailgun_signing_key": KEY}
        settings |= {"secret_key": KEY, "metrics_token": KEY, "rate_limit": "1000000/PT1M"}
        settings |= {"operator_email": "operator@yard.example", "push": "yes"}
        self.table = _Table(folder, sandbox="1", min_turn="PT1S", **settings)
        self.hook_says = DELIVERED
        self.table.hook = self.hook
        self._prepare()
        self.table.post = self.post = Post(self)  # type: ignore[assignment]
        with speaking(language):
            self.people = {name: self.table.person(name) for name in (*NAMES[: lived.players], "Gus", "Hana")}
        self.mr_x = self.people["Ada"]
        self.game = ""
        self._dump = sqlite3.connect(folder / "blackticket.db", isolation_level=None)
        self._dumped: tuple[Any, dict[str, list[str]]] = (None, {})
        self._shown: dict[str, tuple[list[Any], list[str]]] = {}  # the rows of each table, and how they are shown

    @property
    def runtime(self) -> Any:
        return self.table.app.extensions["blackticket"]

    def leaves(self, outlet: str, text: str) -> None:
        self.left.append((outlet, text))

    # What is done in it

    def ask(self, who: str | None, method: str, path: str, headers: dict[str, str], **kwargs: Any) -> TestResponse:
        """A request of somebody by name, with his token; None has none. `{game}` in the path is the game's id."""
        if who is not None:
            headers = {"Authorization": f"Bearer {self.people[who].token}", **headers}
        answer = self.table.client.open(
            path.format(game=self.game), method=method, headers=headers, buffered=True, **kwargs
        )
        self.leaves(f"answer to {who}, {method} {path}", self._seen(answer, hidden=who == "Ada"))
        return answer

    def _seen(self, answer: TestResponse, hidden: bool) -> str:
        """The whole answer, or of one to Mr. X his own what is not his alone: status, and headers but the length."""
        skipped = ("Date", "Content-Length", "ETag", "RateLimit") if hidden else ("Date",)
        # Werkzeug asks the machine for the time when it says until when a cookie is kept.
        head = [
            re.sub(" Expires=[^;]*;", "", f"{name}: {value}") for name, value in answer.headers if name not in skipped
        ]
        body = "" if hidden and answer.status_code < 300 else answer.get_data().decode("latin-1")
        return "\n".join([answer.status, *head, "", "" if hidden else body])

    def deliver(self, raw: bytes, sender: str, recipient: str) -> None:
        """A mail at the door: what the listener answers leaves too."""
        handler, client = Handler(self.table.app, "smtp"), SimpleNamespace(peer=("192.0.2.1", 2525))
        envelope = SimpleNamespace(rcpt_tos=[], rcpt_options=[], mail_from=sender, content=raw)

        async def talk() -> list[str]:
            said = [await handler.handle_RCPT(None, client, envelope, recipient, [])]  # type: ignore[arg-type]
            if envelope.rcpt_tos:
                said.append(await handler.handle_DATA(None, client, envelope))  # type: ignore[arg-type]
            return said

        self.leaves("answer of the mail listener", "\n".join(asyncio.run(talk())))

    def store(self, raw: bytes, sender: str, recipient: str, source: str) -> None:
        """A mail of Mr. X's, marked as his."""
        with self.table.app.app_context():
            arrivals.store(raw, sender, [recipient], source)
            session.remove()

    def command(self, *arguments: str) -> None:
        """Return the output of a command that runs on this very application."""
        named = [argument.format(game=self.game, folder=self.folder) for argument in arguments]
        done = CliRunner().invoke(main, named, prog_name="blackticket", obj=for_command(self.table.app))
        shown = "" if " ".join(arguments).startswith(BROKEN_GLASS) else f"{done.stdout}\n{done.stderr}"
        printed = f"{done.exit_code}\n{shown}".replace(str(self.folder), "VAR")
        self.leaves(f"output of {' '.join(arguments)}", printed)

    def restart(self) -> None:
        """The same database under a new application."""
        self._let_go()
        runtime = self.runtime
        self.table.app = application(runtime.settings, clock=runtime.clock, rng=runtime.rng)
        self.table.client = self.table.app.test_client()
        self._prepare()

    def _prepare(self) -> None:
        self.table.blind_the_seal()
        self.runtime.resolve = lambda _host: ["93.184.216.34"]
        clock = self.table.clock  # it counts how long mails are read
        self.runtime.monotonic = lambda: clock.time.timestamp()  # noqa: PLW0108 it is set anew

    def hook(self, target: Any, addresses: Any, headers: dict[str, str], body: bytes) -> str:
        """The far end of every webhook and device, Mr. X's own like the others: what it is told is public."""
        if "Content-Encoding" in headers:
            body, headers = subscription.opened(body), {**headers, "Authorization": "signed with other dice each time"}
        self.leaves("webhook", f"{target} {addresses} {headers}\n{body.decode()}")
        return self.hook_says

    # What a dump shows

    def dump(self, noise: bool) -> dict[str, list[str]]:
        """Every table: open columns as they are, sealed ones by their length, but for what is private."""
        version = (self._dump.execute("PRAGMA data_version").fetchone(), noise)
        if version != self._dumped[0]:
            self._dumped = version, {name: self._rows(name, noise) for name in Base.metadata.tables}
        return self._dumped[1]

    def _rows(self, name: str, noise: bool) -> list[str]:
        rows = self._dump.execute(_query(name, noise), {"him": self.mr_x.id}).fetchall()
        if not rows:
            return []
        if rows == self._shown.get(name, ([], []))[0]:  # most steps change few tables
            return self._shown[name][1]
        names = [column.name for column in Base.metadata.tables[name].c]
        held = (
            column for column, values in zip(names, zip(*rows, strict=True), strict=True) if any(map(_is_there, values))
        )
        self.held |= {f"{name}.{column}" for column in held}
        shown = [" ".join(f"{n}={value!r}" for n, value in zip(names, row, strict=True)) for row in rows]
        self._shown[name] = rows, shown
        return shown

    def now(self) -> Game | None:
        """The game as it stands, for the harness itself; None before the start."""
        with self.table.app.app_context():
            game = session.get_one(GameRow, self.game)
            return rebuild(standing_of(game)) if game.status == "running" else None

    def is_answer_to_him_alone(self, message: bytes) -> bool:
        """Return True if a mail answers one that Mr. X wrote in one world only."""
        found = re.search(rb"^Message-ID: <([a-z2-7]+)@", message, re.MULTILINE)
        query = "SELECT 1 FROM outbox JOIN inbox ON inbox.id = cause WHERE source = 'alone' AND outbox.id = ?"
        return bool(found and self._dump.execute(query, (found[1].decode(),)).fetchone())

    def asked(self, query: str) -> list[Any]:
        """The first column of what the database answers; for the harness itself."""
        return [row[0] for row in self._dump.execute(query)]

    # Keeping it

    def keep(self) -> dict[str, Any]:
        """Return the state of the world, for `restore`."""
        self._let_go()
        self._dump.close()
        self._dump = sqlite3.connect(self.folder / "blackticket.db", isolation_level=None)
        return {
            "database": (self.folder / "blackticket.db").read_bytes(),
            "time": self.table.clock.time,
            "rng": self.runtime.rng.copy(),
            "settings": self.runtime.settings,
            "sent": self.post.sent[:],
            "game": self.game,
        }

    def restore(self, kept: dict[str, Any]) -> None:
        self._let_go()
        self._dump.close()
        for beside in self.folder.glob("blackticket.db-*"):
            beside.unlink()
        (self.folder / "blackticket.db").write_bytes(kept["database"])
        self._dump = sqlite3.connect(self.folder / "blackticket.db", isolation_level=None)
        self._dumped = None, {}
        self.table.clock.time, self.game = kept["time"], kept["game"]
        self.post.sent[:] = kept["sent"]
        self.post.fails = lambda _recipient: None
        self.hook_says = DELIVERED
        self.runtime.rng, self.runtime.game_cache = kept["rng"].copy(), GameCache()
        self.runtime.view_cache, self.runtime.settings = LRUCache(MOST_VIEWS), kept["settings"]
        self.left.clear()
        self.statements.clear()

    def close(self) -> None:
        self._let_go()
        self._dump.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _let_go(self) -> None:
        """Leave nothing open: neither connections nor the processes that a worker has read mails in."""
        with self.table.app.app_context():
            session.remove()
            db.engine.dispose()
        if self.runtime.examiner is not None:
            self.runtime.examiner.close()
            self.runtime.examiner = None


@cache
def _query(name: str, noise: bool) -> str:
    """Return the query for what a dump of a table shows."""
    rules = [rule for rule in PRIVATE if rule.table == name and (noise or not rule.noise)]
    columns = [_shown(column, rules) for column in Base.metadata.tables[name].c]
    out = "".join(f" AND NOT ({rule.where})" for rule in rules if not rule.columns)
    return f"SELECT {', '.join(columns)} FROM {name} WHERE 1 {out} ORDER BY rowid"


def _shown(column: Any, rules: list[Private]) -> str:
    shown = f"length({column.name})" if isinstance(column.type, Encrypted) else column.name
    hiding = [rule.where for rule in rules if column.name in rule.columns]
    return f"CASE WHEN {' OR '.join(hiding)} THEN 'private' ELSE {shown} END" if hiding else shown


def _is_there(value: object) -> bool:
    return value is not None


class Names:
    """One renaming of ids between two worlds: whatever one is called once, it is called for ever."""

    _ID = re.compile(r"(?<![a-z2-7])[a-z2-7]{16}(?![a-z2-7])")

    def __init__(self) -> None:
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def same(self, one: str, other: str) -> bool:
        """Return True if two texts are the same up to the renaming."""
        if self.without(one) != self.without(other):
            return False
        return all(
            self._agree(mine, theirs) for mine, theirs in zip_longest(self._ID.findall(one), self._ID.findall(other))
        )

    def without(self, text: str) -> str:
        """The text with its ids left out."""
        return self._ID.sub("", text)

    def _agree(self, mine: str, theirs: str) -> bool:
        if mine not in self._there and theirs not in self._back:
            if not (_is_apart(mine, self._there) and _is_apart(theirs, self._back)):
                return False
            self._there[mine], self._back[theirs] = theirs, mine
        return self._there.get(mine) == theirs and self._back.get(theirs) == mine


def _is_apart(name: str, known: Iterable[str]) -> bool:
    """Return True if a new id begins unlike all others: a counter would tell how many there were between."""
    return all(name[:8] != other[:8] for other in known)
