"""The six players: three know the server by mail alone, three by REST alone."""

import http.client
import json
import random
import secrets
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from server.demo import choices, letters
from server.demo.letters import Letter, MailProgram
from server.demo.own_server import OwnServer
from server.demo.trouble import DemoFailed
from server.engine import Edition, deduce

EDITION = Edition.named("milton-bradley-1985")
ZONE = "Europe/London"
# Refusals of a move because somebody else was quicker.
OVERTAKEN = ("stale-turn", "not-your-turn", "illegal", "game-not-running")
# A move may be written in many ways.
WORDINGS = ("{ticket} {station}", "{Ticket} to {station}.", "{station} by {ticket}", "{t} {station}")


class Sent(NamedTuple):
    """A move as the server understood it, and whether it was kept for its turn."""

    notation: str
    ahead: bool


class Answer(NamedTuple):
    """What came back over REST; `body` is empty where there is none."""

    status: int
    body: dict[str, Any]
    etag: str


@dataclass
class Person:
    """Somebody at the table."""

    name: str
    pawn: str
    id: str
    email: str
    rng: random.Random
    # The moves the server took from this person, oldest first, until they are told.
    sent: list[Sent] = field(default_factory=list)

    channel = ""

    def take_sent(self, notation: str) -> Sent | None:
        """The sending that brought the move `notation`; those before it, which came back, are forgotten with it."""
        for i, sent in enumerate(self.sent):
            if sent.notation == notation:
                del self.sent[: i + 1]
                return sent
        return None


class ByRest(Person):
    """Looks at the game again and again, and moves when the server lists moves."""

    channel = "REST"

    def connect(self, server: OwnServer, token: str) -> None:
        """Know the server by its address and a token."""
        self._connection = http.client.HTTPConnection(*server.http, timeout=60)
        self._token = token
        self._etag = ""
        self.view: dict[str, Any] = {}
        self.seen: list[dict[str, Any]] = []

    def look(self, path: str) -> bool:
        """Fetch the view if it is a new one, and move if there is a move to make; whether a move was played."""
        answer = self._send("GET", path, None, {"If-None-Match": self._etag})
        if answer.status == 304:
            return False
        self.view = view = self._checked(answer, path)
        self._etag = answer.etag
        self.seen.append(view)
        mine = set(view["to_move"]) == {"mr_x"} if self.pawn == "mr_x" else view["to_move"] != ["mr_x"]
        if view["status"] != "running" or not mine or self.pawn in [kept["pawn"] for kept in view["ahead"]]:
            return False
        return self._move(path)

    def _move(self, path: str) -> bool:
        listed = self.get(f"{path}/legal-moves")
        if not listed["moves"]:
            return False
        notation = self._choose(listed["moves"])
        answer = self._send(
            "POST",
            f"{path}/moves",
            {"turn": listed["turn"], "notation": notation},
            # Whatever happens to the connection, the move is made once.
            {"Idempotency-Key": secrets.token_hex(16)},
        )
        if answer.body.get("type") in OVERTAKEN:
            self._etag = ""  # look again
            return False
        self.view = self._checked(answer, f"{path}/moves")
        self.seen.append(self.view)
        self.sent.append(Sent(notation, ahead=answer.status == 202))
        return True

    def _choose(self, moves: list[dict[str, Any]]) -> str:
        board = EDITION.board
        if self.pawn == "mr_x":
            detectives = [facts["station"] for pawn, facts in self.view["pawns"].items() if pawn != "mr_x"]
            return str(choices.mr_x(board, moves, detectives, self.rng)["notation"])
        offered = [choices.Choice(move["ticket"], move["to"]) for move in moves]
        chosen = choices.detective(board, offered, deduce(self.view), self.rng)
        return f"{self.pawn} {chosen.ticket} {chosen.station}"

    def get(self, path: str) -> dict[str, Any]:
        """The answer to a GET that must succeed."""
        return self._checked(self._send("GET", path, None, {}), path)

    def post(self, path: str, body: Any = None) -> dict[str, Any]:
        """The answer to a POST that must succeed."""
        return self._checked(self._send("POST", path, body, {}), path)

    def _checked(self, answer: Answer, path: str) -> dict[str, Any]:
        if answer.status >= 400:
            raise DemoFailed(f"REST refused {path} to {self.name}: {answer.body.get('detail', answer.status)}")
        return answer.body

    def _send(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> Answer:
        content = None if body is None else json.dumps(body)
        said = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json", **headers}
        for attempt in (1, 2):
            try:
                self._connection.request(method, f"/api/v1{path}", content, said)
                response = self._connection.getresponse()
                text = response.read()
                break
            except (OSError, http.client.HTTPException) as error:
                # The server may hang up between two requests; a new connection is made by itself.
                self._connection.close()
                if attempt == 2:
                    raise DemoFailed(f"The server does not answer {self.name} over REST: {error}.") from None
        return Answer(response.status, json.loads(text) if text else {}, response.headers.get("ETag", ""))


class ByMail(Person):
    """Answers the mails that ask for something, and knows nothing else."""

    channel = "mail"

    def connect(self, program: MailProgram) -> None:
        """Have a mail program."""
        self.asleep = False
        self._program = program
        self._answered: set[str] = set()
        self._tried: set[choices.Choice] = set()

    def open(self, letter: Letter) -> None:
        """Read a mail, and answer it if it asks for something."""
        if letter.understood:
            self.sent.append(Sent(*letter.understood))
        if self.asleep:
            return
        if letter.invites:
            self._program.answer(letter, "YES")
        elif letter.choices and (letter.reply_to not in self._answered or letter.refuses):
            self._answer_with_a_move(letter)

    def _answer_with_a_move(self, letter: Letter) -> None:
        if letter.reply_to not in self._answered:
            self._answered.add(letter.reply_to)
            self._tried.clear()
        offered = [choice for choice in letter.choices if choice not in self._tried] or letter.choices
        chosen = choices.detective(EDITION.board, offered, letter.suspects, self.rng)
        self._tried.add(chosen)
        ticket, station = chosen
        wording = self.rng.choice(WORDINGS)
        line = wording.format(ticket=ticket, Ticket=ticket.capitalize(), t=ticket[0], station=station)
        self._program.answer(letter, line)


_TABLE: tuple[tuple[str, str, type[Person]], ...] = (
    ("Ada", "mr_x", ByRest),
    ("Ben", "purple", ByMail),
    ("Cleo", "red", ByRest),
    ("Dan", "green", ByMail),
    ("Eve", "yellow", ByRest),
    ("Finn", "blue", ByMail),
)
_PROGRAMS = {"Ben": letters.gmail, "Dan": letters.outlook, "Finn": letters.apple_mail}


def arrive(server: OwnServer, rng: random.Random) -> Iterator[Person]:
    """The six, as the server gets to know them; Mr. X first, then in the order of play."""
    with ThreadPoolExecutor(2) as two_at_a_time:
        added = two_at_a_time.map(
            lambda name: server.command("player", "add", name, f"{name.lower()}@example.org", "--zone", ZONE),
            [name for name, _, _ in _TABLE],
        )
        for (name, pawn, kind), known in zip(_TABLE, added, strict=True):
            person = kind(name, pawn, known["id"], known["email"], random.Random(rng.random()))  # noqa: S311 his choices
            if isinstance(person, ByRest):
                person.connect(server, known["token"])
            elif isinstance(person, ByMail):
                person.connect(MailProgram(server.smtp, name, person.email, _PROGRAMS[name]))
            yield person
