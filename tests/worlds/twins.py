"""Two whole applications that are the same to everybody but Mr. X, and every byte that leaves them.

A `Twin` plays one game in both: Mr. X goes one way in the first and another in the second, and all others do the
very same. After each step everything that left the two is compared: answers, mails, log lines, what commands print,
and what a dump of the database shows. The first thing in which they differ is a `Difference`.

    twin = Twin(folder, pair)
    twin.open()
    twin.start()
    twin.ask(twin.detectives[0], "GET", "")
    twin.play()

What Mr. X does in one world alone (`alone`) must change nothing in any outlet. It draws ids, so from then on ids may
differ by one renaming, the same everywhere.
"""

import logging
import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import SMTP
from itertools import zip_longest
from pathlib import Path
from typing import Any
from unittest import mock

from werkzeug.test import TestResponse

from server.cli import main
from server.engine import Game, Move
from server.language import grammar
from server.models import Game as StoredGame
from server.models import session, transaction
from server.vocabulary.errors import Problem
from tests.scenes import dealing
from tests.worlds.histories import Pair
from tests.worlds.one_world import AROUND, NAMES, STATEMENTS, Difference, Names, World

# What is not compared ---------------------------------------------------------------------------


# One world --------------------------------------------------------------------------------------


# Renaming ---------------------------------------------------------------------------------------


# Both -------------------------------------------------------------------------------------------


class Twin:
    """The two worlds of a pair, and what everybody does in both of them.

    noise: whether Mr. X will do something in one of them alone; loud: whether SQL is logged too, which takes long
    language: what all players read
    one_only: whether all is done in the first world alone, and nothing compared: until `start` deals the cards of the
        pair there is no secret in which the other could differ
    """

    def __init__(
        self, folder: Path, pair: Pair, *, noise: bool = False, loud: bool = False, language: str = "en"
    ) -> None:
        self.pair = pair
        self.noise = noise
        self.loud = loud
        self.one_only = False
        self.worlds = World(folder / "one", pair.one, language), World(folder / "other", pair.other, language)
        self.names = Names()
        self.steps = 0
        self.is_over = False
        self.gone_through: set[tuple[str, str]] = set()
        self.asked_for_headers: set[str] = set()  # paths of pages, by a scene
        self._here: World = self.worlds[0]
        self._mails = 0

    @property
    def detectives(self) -> list[str]:
        return list(NAMES[1 : self.pair.one.players])

    @property
    def turn(self) -> int:
        """The number of the move awaited."""
        return self.worlds[0].asked("SELECT turn FROM games ORDER BY rowid LIMIT 1")[0] or 1

    @property
    def status(self) -> str:
        return self.worlds[0].asked("SELECT status FROM games ORDER BY rowid LIMIT 1")[0]

    @property
    def stations(self) -> list[int]:
        """Return Mr. X's station in each world."""
        done = self.turn - 1
        return [_station_after(world.lived, done) for world in self.worlds]

    def holder(self, pawn: str) -> str:
        """The name of who moves a pawn."""
        return next(NAMES[n] for n, pawns in enumerate(self.pair.one.seats) if pawn in pawns)

    # A step

    def both(self, title: str, act: Callable[[World], Any]) -> list[Any]:
        """Do something in both worlds; whatever left them is compared. What `act` gave in each."""
        self.steps += 1
        with self._listening():
            given = [self._in(world, act) for world in self.worlds[: 1 if self.one_only else 2]]
        if self.one_only:
            self.worlds[0].dump(self.noise)  # which notes the columns that hold something
            return given
        if self._has_parted():
            self.is_over = True
            return given
        finals = [self._is_final(world) for world in self.worlds]
        self.is_over = all(finals)
        self._compare(title, in_outline=self.is_over)
        return given

    def alone(self, number: int, title: str, act: Callable[[World], Any]) -> None:
        """Mr. X does something in one world. What leaves there is his own; the rest is compared with the next step."""
        assert self.noise
        world = self.worlds[number]
        with self._listening():
            self._in(world, act)
        # Answers and log lines of his own doing are his; a mail to somebody else would be none.
        world.left[:] = [(outlet, text) for outlet, text in world.left if outlet == "mail"]
        self._compare(f"{title}, in one world alone", in_outline=False)

    def writes_alone(self, number: int, text: str, to: str, sender: str, headers: dict[str, str]) -> None:
        """A mail of Mr. X's in one world; it is read when the worker has its next round."""
        self.steps += 1
        raw = self._written("Ada", text, to, {"From": sender, **headers})
        self.alone(number, f"Mr. X writes {text!r}", lambda world: world.store(raw, sender, to, "alone"))
        self._breathe()

    def _in(self, world: World, act: Callable[[World], Any]) -> Any:
        self._here = world
        return act(world)

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Within, log lines leave the world that is acting, and numbers of faults are drawn from its generators."""
        root, ear = logging.getLogger(), _Ear(self)
        levels = root.level, logging.getLogger("sqlalchemy").level
        handlers, root.handlers = root.handlers, [ear]
        root.setLevel(logging.DEBUG)
        _set_level("sqlalchemy", logging.NOTSET if self.loud else logging.WARNING)
        numbers = mock.patch.object(uuid, "uuid4", self._number)
        raised, twin = Problem.__init__, self

        def noted(problem: Problem, code: str, *args: Any, **facts: Any) -> None:
            twin._note("problem", code)
            raised(problem, code, *args, **facts)

        try:
            with numbers, mock.patch.object(Problem, "__init__", noted):
                yield
        finally:
            root.handlers = handlers
            root.setLevel(levels[0])
            _set_level("sqlalchemy", levels[1])

    def _number(self) -> uuid.UUID:
        return uuid.UUID(int=self._here.runtime.rng("fault").getrandbits(128))

    # Comparing

    def _compare(self, title: str, *, in_outline: bool) -> None:
        one, other = (self._in_order(world.left) for world in self.worlds)
        for (outlet, mine), (theirs_at, theirs) in zip_longest(one, other, fillvalue=("nothing", "")):
            if outlet != theirs_at:
                self._differ(title, f"{outlet} / {theirs_at}", f"{outlet}\n{mine}", f"{theirs_at}\n{theirs}")
            if in_outline:
                self._check(title, outlet, mine.partition("\n")[0], theirs.partition("\n")[0])
            else:
                self._check(title, outlet, mine, theirs)
        for world in self.worlds:
            world.left.clear()
        if not in_outline:
            self._compare_dumps(title)

    def _in_order(self, left: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return it as it left; after noise without ids, which are drawn and order what happens in one instant."""
        return sorted(left, key=lambda pair: (pair[0], self.names.without(pair[1]))) if self.noise else left

    def _compare_dumps(self, title: str) -> None:
        dumps = [world.dump(self.noise) for world in self.worlds]
        for name, mine in dumps[0].items():
            if mine != dumps[1][name] or self.noise:
                self._check(title, f"table {name}", "\n".join(mine), "\n".join(dumps[1][name]))

    def compare_statements(self) -> None:
        """Of a run that was loud: whether the same SQL was logged, however often."""
        one, other = (world.statements for world in self.worlds)
        if found := one ^ other:
            raise Difference("log", f"only one world logged {sorted(found)[0]!r}")

    def _check(self, title: str, outlet: str, mine: str, theirs: str) -> None:
        same = self.names.same(mine, theirs) if self.noise else mine == theirs
        if not same:
            self._differ(title, outlet, mine, theirs)

    def _differ(self, title: str, outlet: str, mine: str, theirs: str) -> None:
        at = next((n for n, (a, b) in enumerate(zip_longest(mine, theirs)) if a != b), len(mine))
        around = slice(max(0, at - AROUND), at + AROUND)
        raise Difference(
            outlet,
            f"step {self.steps}, {title}: {outlet} differs at {at}:\n  {mine[around]!r}\n  {theirs[around]!r}\n"
            f"  Mr. X is at {' / '.join(map(str, self.stations))}",
        )

    def _has_parted(self) -> bool:
        """Return True if a move captured Mr. X in one world only, which everybody may see."""
        query = "SELECT CASE reason WHEN 'captured' THEN turn ELSE 1000000 END FROM games ORDER BY rowid LIMIT 1"
        caught = [world.asked(query)[0] for world in self.worlds]
        if caught[0] == caught[1]:
            return False
        first = caught.index(min(caught))
        moves = "SELECT data FROM events WHERE kind = 'moved' ORDER BY number DESC LIMIT 1"
        return self.stations[0] != self.stations[1] and f'{self.stations[first]}"' in self.worlds[first].asked(moves)[0]

    def _is_final(self, world: World) -> bool:
        return world.asked("SELECT final FROM games ORDER BY rowid LIMIT 1") == [1]

    def _note(self, kind: str, name: str) -> None:
        self.gone_through.add((kind, name))

    # The game

    def open(self, **options: Any) -> None:
        """Hana opens the game, with these options, and Gus another one; everybody takes a seat, by mail and by REST."""
        wanted = [{"role": "detective" if n else "mr_x", "player": name} for n, name in enumerate(self._seated())]

        def opens(world: World) -> None:
            seats = [{**seat, "player": world.people[seat["player"]].id} for seat in wanted]
            lived = world.lived
            rules = {"edition": lived.edition.name, "options": lived.edition.options}
            body = {**rules, "label": "league", "seats": seats, **options}
            if lived.position is not None:
                body["position"] = lived.position
            made = world.ask("Hana", "POST", "/api/v1/games", {}, json=body)
            assert made.status_code == 201, made.text
            world.game = made.json["id"]  # type: ignore[index]

        self.both("Hana opens the game", opens)
        self._note("endpoint", "POST /api/v1/games")
        self.tick()
        self.mail("Ben", "YES")
        self.tick()
        for name in self._seated():
            if name != "Ben":
                self.ask(name, "POST", "/seats", {})

    def start(self) -> None:
        """Hana starts it; the start cards are those of the pair."""
        assert not self.one_only

        def starts(world: World) -> None:
            cards = [world.lived.starts[pawn] for pawn in ("mr_x", *world.lived.pawns)]
            with dealing(world.table, *cards):
                answer = world.ask("Hana", "POST", "/api/v1/games/{game}/start", {})
            assert answer.status_code == 200, answer.text
            with world.table.app.app_context(), transaction():  # what the players decide opens nothing before the end
                session.get_one(StoredGame, world.game).is_contestable = True

        self.both("Hana starts the game", starts)
        self._note("endpoint", "POST /api/v1/games/<game_id>/start")
        self.tick()

    def _seated(self) -> list[str]:
        return list(NAMES[: self.pair.one.players])

    def play(self, by: str = "rest") -> str:
        """The next move of the pair, by REST or by mail; the name of who made it."""
        mine, theirs = self._next_moves()
        move = Move.parse(mine)
        if by == "mail":
            self.tick()  # so that what he answers is the mail about this go
        if not move.pawn or move.pawn == "mr_x":
            self._mr_x_moves(mine, theirs, by)
            return "Ada"
        who, turn = self.holder(move.pawn), self.turn
        if by == "mail" and self._mail_to_answer(who):
            self.mail(who, mine)
            self.tick()
        else:
            self.submit(who, {"notation": mine})
        assert self.turn > turn, f"{who} cannot go {mine} by {by}"
        return who

    def _next_moves(self) -> tuple[str, str]:
        """Return the next move; where a queued one was played before its place, another of the same round."""
        moves, next_one = self.pair.moves, self.turn - 1
        now = self.worlds[0].now()
        assert now is not None
        begin = max((n for n in range(next_one) if not is_detectives(moves[n][0])), default=-1) + 1
        end = next((n for n in range(next_one, len(moves)) if not is_detectives(moves[n][0])), len(moves))
        fitting = [both for both in moves[begin:end] if Move.parse(both[0]).pawn in now.to_move]
        return moves[next_one] if moves[next_one] in fitting or not fitting else fitting[0]

    def _mr_x_moves(self, mine: str, theirs: str, by: str) -> None:
        turn, to = self.turn, self._mail_to_answer("Ada")

        def moves(world: World) -> None:
            notation = mine if world is self.worlds[0] else theirs
            if by == "mail" and to:
                raw = self._written("Ada", notation, to, {})
                world.store(raw, world.mr_x.address, to, "his")
                world.table.tick()
            else:
                key = {"Idempotency-Key": f"turn {turn}"} if by == "key" else {}
                body = {"turn": turn, "notation": notation}
                world.ask("Ada", "POST", "/api/v1/games/{game}/moves", key, json=body)

        self.both("Mr. X moves", moves)
        assert self.turn == turn + 1, f"he cannot go {mine} / {theirs} {by}"

    # What anybody does

    def submit(self, who: str | None, body: dict[str, Any], query: str = "", **headers: str) -> TestResponse:
        """A move over REST, for the turn that is awaited unless another is named."""
        return self.ask(who, "POST", f"/moves{query}", {"turn": self.turn, **body}, **headers)

    def ask(self, who: str | None, method: str, path: str, body: Any = None, **headers: str) -> TestResponse:
        """A request; `path` is within the game unless it begins with one of the server's own. Header names with _."""
        elsewhere = path.startswith(("/api", "/dev", "/openapi", "/healthz", "/readyz", "/metrics"))
        return self.ask_whole(who, method, path if elsewhere else f"/api/v1/games/{{game}}{path}", body, **headers)

    def ask_whole(self, who: str | None, method: str, whole: str, body: Any = None, **headers: str) -> TestResponse:
        """A request of which the whole path is given."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        data = {"data": body} if isinstance(body, bytes) else {} if body is None else {"json": body}
        answer = self.both(
            f"{who} asks {method} {whole} {'' if body is None else str(body)[:AROUND]}",
            lambda world: world.ask(who, method, whole, dict(given), **data),
        )[0]
        self._note_answer(method, whole, answer)
        if who is not None and whole.startswith(("/api/v1/games", "/api/v1/me")):
            check_caching(answer, f"answer to {who}, {method} {whole}")
        return answer  # type: ignore[no-any-return]

    def _note_answer(self, method: str, path: str, answer: TestResponse) -> None:
        world = self.worlds[0]
        if answer.status_code < 400:
            adapter = world.table.app.url_map.bind("localhost")
            rule, _ = adapter.match(path.partition("?")[0].format(game=world.game), method, return_rule=True)
            self._note("endpoint", f"{method} {rule.rule}")

    def mail(self, who: str, text: str, to: str | None = None, sender: str | None = None, **headers: str) -> None:
        """A mail, an answer to the newest one of his own unless `to` names an address; it is not read yet."""
        address = to or self._mail_to_answer(who) or "play@localhost"
        raw = self._written(who, text, address, {"From": sender, **headers} if sender else headers)
        self.both(
            f"{who} writes {text!r}", lambda world: world.deliver(raw, sender or f"{who.lower()}@example.org", address)
        )
        self._breathe()
        for command in grammar.parse(text.splitlines(), headers.get("Subject", "")).commands:
            self._note("mail command", command.name)

    def _breathe(self) -> None:
        """A second passes. Of what comes in one instant ids say what is first, and after noise those differ."""
        if self.noise:
            for world in self.worlds:
                world.table.clock.turn(seconds=1)

    def address_of(self, who: str) -> str | None:
        """The reply address that was printed for somebody last."""
        return self._mail_to_answer(who)

    def _mail_to_answer(self, who: str) -> str | None:
        address = self.worlds[0].people[who].address
        mine = (letter for letter in reversed(self.worlds[0].post.sent) if letter.recipient == address)
        letter = next(mine, None)
        found = letter and re.search(rb"^Reply-To:.*?<(turn\+[^>]*)>", letter.raw, re.MULTILINE)
        return found[1].decode() if found else None

    def written(self, who: str, text: str, to: str) -> bytes:
        """The bytes of a mail, for an act of a scene."""
        return self._written(who, text, to, {})

    def _written(self, who: str, text: str, to: str, headers: dict[str, str]) -> bytes:
        """The bytes of a mail, the same in both worlds for the same words."""
        mail = EmailMessage()
        given = {"From": f"{who} <{who.lower()}@example.org>", "To": to, "Subject": "Re: the game",
                 "Message-ID": f"<{self.count()}@mail.example.org>"} | headers  # fmt: skip
        for name, value in given.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(text)
        return mail.as_bytes(policy=SMTP)

    def count(self) -> int:
        """A number that was not given before; within one step the same in both worlds."""
        return self.steps

    def tick(self) -> None:
        """One round of the worker."""
        self.both("the worker's round", lambda world: world.table.tick())

    def wait(self, **length: float) -> None:
        """Time passes, and the worker has its round."""

        def waits(world: World) -> None:
            world.table.clock.turn(**length)
            world.table.tick()

        self.both(f"time passes: {length}", waits)

    def restart(self) -> None:
        self.both("the server is started anew", World.restart)

    def command(self, *arguments: str) -> None:
        """A command of the operator's; `{game}` and `{folder}` may stand in it."""
        self.both(f"the operator runs {' '.join(arguments)}", lambda world: world.command(*arguments))
        group: Any = main
        path = []
        for word in arguments:
            if not hasattr(group, "commands"):
                break
            group = group.commands.get(word)
            path.append(word)
        self._note("command", " ".join(path))

    @contextmanager
    def failing(self, target: str, error: Callable[[str], Exception] = RuntimeError) -> Iterator[None]:
        """Within, the function of that name fails with an error that tells where Mr. X is."""

        def fail(*_: Any, **__: Any) -> None:
            station = self.stations[self.worlds.index(self._here)]
            raise error(f"Mr. X is at {station}")

        with mock.patch(target, fail):
            yield

    # Keeping it

    def keep(self) -> Any:
        """Return the states of both, for `restore`."""
        return [world.keep() for world in self.worlds], self.steps

    def restore(self, kept: Any) -> None:
        worlds, self.steps = kept
        for world, state in zip(self.worlds, worlds, strict=True):
            world.restore(state)
        self.is_over, self.names, self.asked_for_headers = False, Names(), set()

    def note_what_is_stored(self) -> None:
        """Return the kinds of mails and events that occurred, and the columns that ever held anything."""
        world = self.worlds[0]
        for kind in world.asked(f"SELECT DISTINCT kind FROM outbox WHERE player_id IS NOT '{world.mr_x.id}'"):
            self._note("mail", kind)
        for kind in world.asked("SELECT DISTINCT kind FROM events"):
            self._note("event", kind)
        for column in world.held:
            self._note("column", column)

    def close(self) -> None:
        for world in self.worlds:
            world.close()


def check_caching(answer: TestResponse, outlet: str) -> None:
    """No cache between server and viewer gives the answer to another."""
    caching = answer.headers.get("Cache-Control", "")
    for_one = "private" in caching and "Authorization" in answer.headers.get("Vary", "")
    if answer.status_code < 400 and "no-store" not in caching and not for_one:
        raise Difference(outlet, f"a cache may give it to another viewer: Cache-Control: {caching}")


class _Ear(logging.Handler):
    """Log lines, as they would be written to a file, but for addresses of objects and times of SQL."""

    _CHANCE = re.compile(r"0x[0-9a-f]+|\[(generated|cached|caching|no key|dialect)[^\]]*\]")

    def __init__(self, twin: Twin) -> None:
        super().__init__(logging.DEBUG)
        self.twin = twin
        self.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        line = self._CHANCE.sub("~", self.format(record))
        if record.name.startswith(STATEMENTS):
            if record.name.startswith(f"{STATEMENTS}.engine"):
                self.twin._here.statements.add(line)
            return
        self.twin._here.leaves("log", line)
        if record.name.startswith("server"):
            self.twin._note("log", f"{record.name}: {record.msg}")


def _set_level(name: str, level: int) -> None:
    """Set the level of a logger, unless it has it already: setting it empties the level caches of all loggers."""
    logger = logging.getLogger(name)
    if logger.level != level:
        logger.setLevel(level)


def is_detectives(notation: str) -> bool:
    return Move.parse(notation).pawn not in ("", "mr_x")


def _station_after(lived: Game, moves: int) -> int:
    legs = [leg for move in lived.history[:moves] if move.pawn == "mr_x" for leg in move.legs]
    return legs[-1].station if legs else lived.starts["mr_x"]
