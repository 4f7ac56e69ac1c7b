"""The six players: three know the server by mail alone, three by REST alone."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from blackticket.demo import choices
from blackticket.demo.letters import Letter, MailProgram
from blackticket.demo.own_server import OwnServer
from blackticket.standalone.client import Client, Game, LegalMove, Problem
from server.engine import Edition, deduce

EDITION = Edition.named("milton-bradley-1985")
ZONE = "Europe/London"
# Refusals of a move because somebody else was quicker.
OVERTAKEN = ("stale-turn", "not-your-turn", "illegal", "game-not-running")
# A move may be written in many ways.
WORDINGS = ("{ticket} {station}", "{Ticket} to {station}.", "{station} by {ticket}", "{t} {station}")


class Sent(NamedTuple):
    """A move as the server understood it, and whether it was queued for its turn."""

    notation: str
    ahead: bool


@dataclass
class Person:
    """A player of the demo."""

    name: str
    pawn: str
    id: str
    email: str
    rng: random.Random
    # The moves the server took from this person, oldest first, until they are told.
    sent: list[Sent] = field(default_factory=list)

    channel = ""

    def take_sent(self, notation: str) -> Sent | None:
        """Take the sent move `notation` from the list, with those before it, which were refused; return it or None."""
        for i, sent in enumerate(self.sent):
            if sent.notation == notation:
                del self.sent[: i + 1]
                return sent
        return None


class ByRest(Person):
    """A player who polls the game, and moves when the server lists moves."""

    channel = "REST"

    def connect(self, server: OwnServer, token: str) -> None:
        """Connect to the server with a token."""
        self.client = Client(server.url, token, tries=3)
        self.view: Any = {}

    def look(self, game_id: str) -> bool:
        """Fetch the view, and move if it is new and there is a move to make; return whether a move was played."""
        view = self.client.game(game_id)
        if view is self.view:
            return False
        self.view = view
        mine = set(view["to_move"]) == {"mr_x"} if self.pawn == "mr_x" else view["to_move"] != ["mr_x"]
        if view["status"] != "running" or not mine or self.pawn in [kept["pawn"] for kept in view["ahead"]]:
            return False
        return self._move(game_id, view)

    def _move(self, game_id: str, view: Game) -> bool:
        legal = self.client.legal_moves(game_id)
        if not legal["moves"]:
            return False
        notation = self._choose(view, legal["moves"])
        try:
            moved = self.client.move(game_id, legal["turn"], notation)
        except Problem as problem:
            if problem.type not in OVERTAKEN:
                raise
            self.view = {}  # look again
            return False
        self.view = moved.game
        self.sent.append(Sent(notation, moved.kept))
        return True

    def _choose(self, view: Game, moves: list[LegalMove]) -> str:
        board = EDITION.board
        if self.pawn == "mr_x":
            stations = [facts["station"] for pawn, facts in view["pawns"].items() if pawn != "mr_x"]
            detectives = [station for station in stations if station is not None]
            return str(choices.mr_x(board, moves, detectives, self.rng)["notation"])
        offered = [choices.Choice(move["ticket"], move["to"]) for move in moves]
        chosen = choices.detective(board, offered, deduce(view), self.rng)
        return f"{self.pawn} {chosen.ticket} {chosen.station}"


class ByMail(Person):
    """A player who answers the mails that ask for something, and knows nothing else."""

    channel = "mail"

    def connect(self, program: MailProgram) -> None:
        """Set up the mail program."""
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


def arrive(server: OwnServer, rng: random.Random) -> Iterator[Person]:
    """Add the six players to the server and yield them: Mr. X first, then in the order of play."""
    players = server.folder / "players.csv"
    players.write_text("".join(f"{name},{name.lower()}@example.org,{ZONE}\n" for name, _, _ in _TABLE))
    added = server.command("player", "import", players.name)
    for (name, pawn, kind), known in zip(_TABLE, added, strict=True):
        person = kind(name, pawn, known["id"], known["email"], random.Random(rng.random()))  # noqa: S311 their choices
        if isinstance(person, ByRest):
            person.connect(server, known["token"])
        elif isinstance(person, ByMail):
            person.connect(MailProgram(server.smtp, name, person.email))
        yield person
