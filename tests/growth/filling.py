"""Fill a database with light games of every kind and with all that grows with them, by one statement for each table.

A row is an expression in its number `n`, the same in SQLite and in PostgreSQL. What may wait for a worker is settled,
or due in days: there is as little to do in a large database as in a small one.
"""

import itertools
import json
from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, Table, text

from server.application.lobby import game_names
from server.application.time import heartbeat, neglected_games
from server.engine import Edition
from server.models import Base, open_for_writing
from server.models.types import Encrypted
from server.runtime import now, runtime


# Of twenty games each kind has its share, so that a hundred have more of each kind than a page shows.
# Five are open with free seats, three are full, one is private; seven run, one of them in private; four are over.
def _kind(free: str, full: str, alone: str, running: str, hidden: str, over: str, n: str = "n") -> str:
    """Return the expression that has one of these values, by the kind of the game `n`."""
    steps = ((5, free), (8, full), (9, alone), (15, running), (16, hidden))
    return f"CASE {' '.join(f'WHEN ({n}) % 20 < {end} THEN {value}' for end, value in steps)} ELSE {over} END"


_SEATS = 3
EDITION = Edition.named("condensed")
# Rows for each game, where there are more than one.
EACH = {
    "seats": _SEATS, "events": 2, "deadlines": 2, "outbox": 4, "inbox": 3, "answered": 2, "abuse_reports": 2,
}  # fmt: skip
# Tables of the server itself, which does not have more of them with more games.
OF_THE_SERVER = {
    "alerts", "blocked_networks", "key_checks", "mailboxes", "news", "outages", "processes", "pulses", "push_keys",
    "tallies",
}  # fmt: skip

# What a million games would otherwise be written twice for, or sorted in small pieces.
_IN_BULK = {
    "sqlite": (
        "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -200000",
        "PRAGMA cache_spill = ON",  # else all of it would be in memory
    ),
    "postgresql": (
        "SET session_replication_role = replica", "SET synchronous_commit = off",
        "SET maintenance_work_mem = '256MB'",
    ),
}  # fmt: skip
_INDEXES = {
    "sqlite": "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
    "postgresql": (
        "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() "
        "AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname)"
    ),
}


def fill(connection: Connection, games: int) -> None:
    """Add so many games with as many players, and the rows of all that belongs to these; and commit.

    No other connection to the database may be open, and this one is not used for anything else.
    """
    make = _Expressions(is_sqlite=connection.dialect.name == "sqlite", games=games)
    for setting in _IN_BULK[connection.dialect.name]:
        connection.exec_driver_sql(setting)
    open_for_writing(connection)
    indexes = _without_indexes(connection)
    for table in Base.metadata.sorted_tables:
        if table.name in OF_THE_SERVER:
            continue
        each = EACH.get(table.name, 1)
        columns = make.defaults_of(table) | getattr(make, table.name)()
        names, values = ", ".join(f'"{name}"' for name in columns), ", ".join(columns.values())
        numbers = f"SELECT 0 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {games * each}"
        into = (
            f"INSERT INTO {table.name} ({names}) WITH RECURSIVE numbers(n) AS ({numbers}) SELECT {values} FROM numbers"
        )
        connection.execute(text(into.replace(":", r"\:").replace("@@", ":")), make.sealed(table))
        for index in indexes.pop(table.name, ()):  # while its rows are in memory
            connection.exec_driver_sql(index)
    for name in (neglected_games.MARK, heartbeat.VERIFIED):
        mark = f"INSERT INTO pulses (name, at) SELECT '{name}', {make.at('0')}"
        connection.execute(text(mark.replace(":", r"\:")))
    for index in itertools.chain.from_iterable(indexes.values()):
        connection.exec_driver_sql(index)
    connection.commit()
    if not make.is_sqlite:
        for table in Base.metadata.sorted_tables:  # what comes by itself would change plans between two costs
            connection.exec_driver_sql(f"ALTER TABLE {table.name} SET (autovacuum_enabled = off)")
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("VACUUM ANALYZE")
    connection.invalidate()


def _without_indexes(connection: Connection) -> dict[str, list[str]]:
    """Drop the indexes but those of keys, as a full table is indexed faster; return the statements that make them."""
    made_by = defaultdict(list)
    for table, name, sql in connection.exec_driver_sql(_INDEXES[connection.dialect.name]).all():
        connection.exec_driver_sql(f"DROP INDEX {name}")
        made_by[table].append(sql)
    return made_by


class _Expressions:
    """The expressions for the columns of each table; `@@name` is a parameter."""

    def __init__(self, *, is_sqlite: bool, games: int) -> None:
        self.is_sqlite, self.many = is_sqlite, games

    def at(self, minutes: str) -> str:
        """Return the expression for the time so many minutes from now."""
        here = f"{now():%Y-%m-%d %H:%M:%S}"
        if self.is_sqlite:
            return f"strftime('%Y-%m-%d %H:%M:%S.000000', '{here}', ({minutes}) || ' minutes')"
        return f"CAST('{here}+00' AS timestamptz) + ({minutes}) * interval '1 minute'"

    def json(self, value: Any) -> str:
        written = f"'{json.dumps(value)}'"
        return written if self.is_sqlite else f"CAST({written} AS json)"

    def date(self) -> str:
        written = f"'{now():%Y-%m-%d}'"
        return written if self.is_sqlite else f"CAST({written} AS date)"

    def game(self, n: str = "n") -> str:
        """Return the expression for the id of a game: they are spread among the ids that the server makes."""
        return f"(substr('2bdfhjlnprtvxz', ({n}) % 14 + 1, 1) || CAST(({n}) AS text))"

    def of(self, word: str, n: str = "n") -> str:
        return f"('{word}' || CAST(({n}) AS text))"

    def player(self, n: str = "n") -> str:
        return self.of("player", f"({n}) % {self.many}")

    def sealed(self, table: Table) -> dict[str, bytes]:
        """Return the parameters for the sealed columns that may not be null.

        They are not padded: padding would be most of a large database, and adds no rows.
        """
        return {
            column.name: runtime().keyring.encrypt(b"{}", column.type.label, block=1)
            for column in table.columns
            if isinstance(column.type, Encrypted) and not column.nullable
        }

    def defaults_of(self, table: Table) -> dict[str, str]:
        """Return expressions for the columns that have a default, and for those that are sealed."""
        found = {name: f"@@{name}" for name in self.sealed(table)}
        for column in table.columns:
            if column.default is not None and column.default.is_scalar:
                value = column.default.arg
                found[column.name] = f"'{value}'" if isinstance(value, str) else str(value).lower()
        return found

    # People

    def players(self) -> dict[str, str]:
        return {
            "id": self.player(), "name": self.of("Name "), "skeleton": self.of("skeleton"),
            "taken_skeletons": "'[]'",
            "email": f"{self.of('name')} || '@example.org'", "created_at": self.at("-n % 90000"),
        }  # fmt: skip

    def addresses(self) -> dict[str, str]:
        return {
            "id": self.of("address"), "email": f"{self.of('name')} || '@example.org'", "player_id": self.player(),
            "confirmed_at": self.at("-n"),
        }  # fmt: skip

    def absences(self) -> dict[str, str]:
        return {"id": self.of("away"), "player_id": self.player(), "begin": self.at("n"), "end": self.at("n + 9000")}

    def answered(self) -> dict[str, str]:
        return {
            "player_id": self.player("n / 2"),
            "route": f"'POST /api/v1/games/' || {self.game('n / 40 * 20 + 10')} || '/moves'",
            "key": self.of("key"), "request": "'x'", "game_id": self.game("n / 40 * 20 + 10"),
            "created_at": self.at("-n * 9 % 90000"), "expires_at": self.at("n % 40000 + 60"),
        }  # fmt: skip

    def blocks(self) -> dict[str, str]:
        return {
            "id": self.of("block"), "player_id": self.player(), "blocked_id": self.player("n + 1"),
            "created_at": self.at("-n"),
        }  # fmt: skip

    def browser_sessions(self) -> dict[str, str]:
        return {
            "digest": self.of("digest"), "id": self.of("browser"), "player_id": self.player(),
            "browser": "'Firefox'", "created_at": self.at("-n % 9000"), "expires_at": self.at("9000"),
            "used_on": self.date(),
        }  # fmt: skip

    def invitations(self) -> dict[str, str]:
        return {
            "id": self.of("invitation"), "host_id": self.player(), "guest_id": self.player("n + 1"),
            "address": self.of("mark"), "nonce": self.of("nonce"), "created_at": self.at("-n % 9000"),
        }  # fmt: skip

    def abuse_reports(self) -> dict[str, str]:
        """Return a settled report and an open one for each game."""
        return {
            "id": self.of("report"), "kind": "'name'", "game_id": self.game(f"n % {self.many}"),
            "reporter_id": self.player(), "player_id": self.player("n + 1"), "name": "'Ben'",
            "created_at": self.at("-n % 9000"),
            "settled_at": f"CASE WHEN n < {self.many} THEN {self.at('-n % 9000')} END",
        }  # fmt: skip

    def quotas(self) -> dict[str, str]:
        """Of a day's window of codes, and of an hour's window of reading, the use of a branch each."""
        return {
            "purpose": "CASE WHEN n % 2 = 0 THEN 'codes' ELSE 'reading' END", "begin": self.at("-n % 60"),
            "branch": self.of("branch"), "amount": "1", "branches": "1", "newest": self.at("-n % 60"),
        }  # fmt: skip

    def sign_ups(self) -> dict[str, str]:
        return {"id": self.of("request"), "address": self.of("mark"), "digest": self.of("code"),
                "created_at": self.at("-n % 900")}  # fmt: skip

    def tokens(self) -> dict[str, str]:
        return {"digest": self.of("digest"), "id": self.of("token"), "player_id": self.player(),
                "created_at": self.at("-n")}  # fmt: skip

    def webhooks(self) -> dict[str, str]:
        return {
            "id": self.of("hook"), "player_id": self.player(), "target": self.of("host"), "not_before": self.at("-n"),
            "off_because": "CASE WHEN n % 2 = 0 THEN 'gone' END", "created_at": self.at("-n"),
        }  # fmt: skip

    # Games

    def games(self) -> dict[str, str]:
        ended = f"{self.at('-60000 - n % 90000')}"
        quiet = self.at("-300 - n % 20000")
        words = (
            "CASE WHEN n < 100 OR n % 3 = 0 THEN "
            f"{self._word(game_names.FIRST, 'n % 10')} || ' ' || {self._word(game_names.SECOND, 'n / 10 % 10')} "
            f"ELSE {self.of('Game ')} END"
        )
        return {
            "id": self.game(), "name": words, "host_id": self.player(), "edition": "'condensed'",
            "options": self.json(EDITION.options), "clock": self.json({"kind": "none", "provisional": "PT0S"}),
            "visibility": _kind(*["'public'"] * 2, "'private'", "'public'", "'private'", "'public'"),
            "code": self.of("code"), "label": "CASE WHEN n % 2 = 0 THEN 'league' END",
            "status": _kind(*["'open'"] * 3, *["'running'"] * 2, "'over'"),
            "free_seats": _kind("2", "0", "2", "0", "0", "0"),
            "late_seats": _kind(*["0"] * 3, "3", "3", "0"), "starts": self.json({}), "pauses": self.json([]),
            "turn": _kind(*["NULL"] * 3, "1", "1", "NULL"), "side": _kind(*["NULL"] * 3, "'mr_x'", "'mr_x'", "NULL"),
            "round": _kind(*["NULL"] * 3, "1", "1", "NULL"),
            "due_at": _kind(*["NULL"] * 3, self.at("9000"), self.at("9000"), "NULL"),
            "warned_at": f"CASE WHEN n % 40 = 1 THEN {self.at('-9')} END",
            "events": "3", "happened_at": _kind(*[quiet] * 5, ended), "final": _kind(*["false"] * 5, "true"),
            "winner": _kind(*["NULL"] * 5, "'mr_x'"), "reason": _kind(*["NULL"] * 5, "'last round'"),
            "created_at": self.at("-n % 90000"), "started_at": _kind(*["NULL"] * 3, quiet, quiet, ended),
            "ended_at": _kind(*["NULL"] * 5, ended), "final_at": _kind(*["NULL"] * 5, ended), "version": self.of("v"),
        }  # fmt: skip

    def _word(self, words: tuple[str, ...], number: str) -> str:
        return f"CASE {number} {' '.join(f'WHEN {i} THEN {word!r}' for i, word in enumerate(words))} END"

    def seats(self) -> dict[str, str]:
        game, number = f"n / {_SEATS}", f"n % {_SEATS}"
        # Of full games every other one is full of bots; in the free ones only the host sits.
        first = f"CASE WHEN {number} = 0 THEN {self.player(game)} END"
        person = self.player(f"{game} + 7 * ({number})")
        bots = f"CASE WHEN ({game}) % 2 = 0 AND {number} > 0"
        full = f"{bots} THEN NULL ELSE {person} END"
        bot = f"{bots} THEN 'constable' END"
        return {
            "game_id": self.game(game), "number": f"{number} + 1",
            "pawns": f"CASE WHEN {number} = 0 THEN {self.json(['mr_x'])} ELSE {self.json(['red'])} END",
            "player_id": _kind(first, full, first, full, full, full, game),
            "bot": _kind("NULL", bot, "NULL", bot, bot, bot, game), "nonce": self.of("nonce"),
            "late_since": _kind(*["NULL"] * 3, self.at("-90"), self.at("-90"), "NULL", game),
        }  # fmt: skip

    def former_holders(self) -> dict[str, str]:
        return {"game_id": self.game(), "player_id": self.player("n + 3"), "role": "'detective'"}

    def moves(self) -> dict[str, str]:
        return {"game_id": self.game(), "turn": "1", "pawn": "'mr_x'", "by": "'player'",
                "made_at": self.at("-n % 20000")}  # fmt: skip

    def moves_ahead(self) -> dict[str, str]:
        return {"game_id": self.game(), "pawn": "'red'", "seat": "2", "round": "1", "kept_at": self.at("-n")}

    def held_moves(self) -> dict[str, str]:
        later = self.at("900000 + n % 900")
        return {
            "game_id": self.game(), "pawn": "'red'", "hold": self.of("hold"), "seat": "2",
            "held_at": self.at("-n % 60"), "plays_at": later, "try_at": later,
        }  # fmt: skip

    def events(self) -> dict[str, str]:
        return {
            "game_id": self.game("n / 2"), "number": "n % 2 + 1",
            "kind": "CASE n % 2 WHEN 0 THEN 'opened' ELSE 'x' END",
            "moves": "0", "data": self.json({}), "head": "CASE n % 2 WHEN 1 THEN 'x' END", "at": self.at("-n % 20000"),
        }  # fmt: skip

    def deadlines(self) -> dict[str, str]:
        later = self.at("8000 + n % 20000")
        return {
            "id": self.of("timer"), "game_id": self.game("n / 2"), "kind": "'reminder'", "side": "'mr_x'",
            "round": "1", "step": "n % 2", "serial": "1", "due_at": later, "try_at": later,
            "state": "CASE n % 2 WHEN 0 THEN 'armed' ELSE 'fired' END",
        }  # fmt: skip

    def motions(self) -> dict[str, str]:
        return {
            "id": self.of("motion"), "game_id": self.game(), "kind": "'pause'", "wish": self.json({}), "seat": "1",
            "state": "CASE n % 2 WHEN 0 THEN 'open' ELSE 'lost' END", "opened_at": self.at("-n % 9000"),
            "closes_at": self.at("9000"),
        }  # fmt: skip

    def ballots(self) -> dict[str, str]:
        return {"motion_id": self.of("motion"), "seat": "1", "is_for": "true"}

    def messages(self) -> dict[str, str]:
        return {"id": self.of("message"), "game_id": self.game(), "serial": "1", "seat": "1",
                "player_id": self.player(), "audience": "'all'", "at": self.at("-n % 9000")}  # fmt: skip

    def muted(self) -> dict[str, str]:
        return {"game_id": self.game(), "player_id": self.player()}

    # Mail

    def inbox(self) -> dict[str, str]:
        return {
            "id": self.of("mail"), "digest": self.of("digest"),
            "sender": f"{self.of('name', 'n / 3')} || '@example.org'",
            "source": "'smtp'", "raw": "CASE n % 3 WHEN 0 THEN @@recipient END", "game_id": self.game("n / 3"),
            "state": "CASE n % 3 WHEN 0 THEN 'done' ELSE 'aside' END",
            "verdict": "CASE n % 3 WHEN 0 THEN 'played' WHEN 1 THEN 'kept' ELSE 'failed' END",
            "received_at": self.at("-5000 - n % 20000"),
        }  # fmt: skip

    def seen_mails(self) -> dict[str, str]:
        return {"fingerprint": self.of("seen"), "inbox_id": self.of("mail")}

    def mail_wishes(self) -> dict[str, str]:
        return {"game_id": self.game(), "player_id": self.player(), "mail": "'off'"}

    def outbox(self) -> dict[str, str]:
        """Of each game a mail that is given up, some that were sent, and one that is held for a digest in days."""
        return {
            "id": self.of("letter"), "game_id": self.game("n / 4"), "event": "n % 4", "player_id": self.player("n / 4"),
            "kind": "'turn'", "cause": self.of("x"),
            "state": "CASE n % 4 WHEN 0 THEN 'dead' WHEN 1 THEN 'held' WHEN 2 THEN 'bounced' ELSE 'sent' END",
            "not_before": f"CASE n % 4 WHEN 1 THEN {self.at('9000')} ELSE {self.at('-5000 - n % 40000')} END",
            "created_at": self.at("-5000 - n % 40000"), "sent_at": self.at("-5000 - n % 40000"),
            "fence": self.of("lease-"), "recipient": self.of("mark"),
        }  # fmt: skip

    def reply_tokens(self) -> dict[str, str]:
        return {"digest": self.of("reply"), "game_id": self.game(), "seat": "1", "go": "1", "nonce": "'x'",
                "created_at": self.at("-n % 20000")}  # fmt: skip

    def mail_answers(self) -> dict[str, str]:
        return {"id": self.of("answer"), "kind": "CASE n % 2 WHEN 0 THEN 'proven' ELSE 'stranger' END",
                "whom": self.of("whom"), "send_at": self.at("-1500"),
                "created_at": self.at("-n % 1400")}  # fmt: skip

    def told(self) -> dict[str, str]:
        return {"player_id": self.player(), "game_id": self.game(), "event": "1"}

    def webhook_deliveries(self) -> dict[str, str]:
        return {"id": self.of("delivery"), "webhook_id": self.of("hook"), "game_id": self.game(),
                "event": "1", "at": self.at("-n % 1400"), "state": "'delivered'", "outcome": "'delivered'",
                "attempts": "1"}  # fmt: skip

    def provider_calls(self) -> dict[str, str]:
        return {"mark": self.of("mark"), "digest": "'x'", "created_at": self.at("-n % 1400")}
