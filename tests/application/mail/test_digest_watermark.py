"""Players who change their mail frequency at any time are told everything once, in order, and nothing private."""

import random
import re
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from server.models import Game, Outgoing, session
from server.vocabulary.mails import MAIL_KINDS
from tests.kept import again
from tests.scenes import text_of
from tests.table import Person, Playing, Table

GATHERING = ("daily 06:45", "daily 12:15", "daily 19:30")
CHOICES = ("usual", "moves", "reminders", "off", "inherit", *GATHERING)
STEPS = ["move"] * 8 + ["ahead", "say", "choose", "later", "later", "later", "work", "work"]
LENGTH = 35


class Story:
    """Two games of the same three people, and what is chosen, done and told in them."""

    def __init__(self, table: Table) -> None:
        first = again(table, _first)
        ada, ben, cleo = self.people = first.people
        second = table.game([ben, cleo, ada])
        self.table, self.games = table, [first, second]
        self.said = 0
        # Of whom: after how many mails he need not hear of what had happened in a game until an event.
        self.unheard: dict[str, list[tuple[int, str, int]]] = defaultdict(list)

    def step(self, what: str, n: int) -> None:
        game, person = self.games[n % 2], self.people[n // 2 % 3]
        match what:
            case "move" if game.view()["status"] == "running":
                mover = game.mover()
                moves = game.legal(mover)
                assert game.move(mover, moves[n % len(moves)]).status_code in (201, 202)
            case "ahead" if moves := game.legal(person):
                assert game.move(person, moves[n % len(moves)]).status_code in (201, 202)
            case "say":
                self.said += 1
                assert person.post(f"{game.path}/messages", {"to": "all", "text": f"number {self.said}"}).status_code
            case "choose":
                self.choose(person, CHOICES[n // 6 % len(CHOICES)], game if n % 5 else None)
            case "later":
                self.table.clock.turn(minutes=1 + n % 200)
            case "work":
                self.table.tick()

    def choose(self, person: Person, mail: str, game: Playing | None) -> None:
        if game is None and mail == "inherit":
            return
        # What is under way is sent, as whoever chooses otherwise is told from then on as he has chosen.
        self.table.tick()
        path = f"{game.path}/preferences" if game else "/me/preferences"
        before = self._heard_by(person)
        assert person.request("PATCH", path, json={"mail": mail}).status_code == 200
        for one in self._heard_by(person) - before:
            self.unheard[person.name].append((len(person.mails), one, _events_of(self.table, one)))
        self.table.tick()

    def _heard_by(self, person: Person) -> set[str]:
        """The games of which he is told what happens."""
        applies = {game.id: person.get(f"{game.path}/preferences").json["applies"] for game in self.games}
        return {game_id for game_id, mail in applies.items() if mail not in ("reminders", "off")}

    def end(self) -> None:
        """All that is still held comes, each mail by itself."""
        for person in self.people:
            for game in self.games:
                self.choose(person, "inherit", game)
            self.choose(person, "usual", None)


def _first(table: Table) -> Playing:
    return table.dealt(3)


class Reader:
    """Checks the mails of one person against the lists of events that everybody may read."""

    def __init__(self, story: Story, person: Person) -> None:
        self.person = person
        self.events = {game.id: _events(game) for game in story.games}
        self.pawns = {game.id: game.view(person)["you"]["pawns"] for game in story.games}
        self.told: dict[str, int] = defaultdict(int)
        self.texts: list[str] = []

    def read(self, mail: Any, kind: str) -> None:
        """One mail, which must tell what none before it told."""
        text = " ".join(text_of(mail).split())
        self.texts += re.findall(r'"(number \d+)"', text)
        if kind == "digest":
            for game_id, number, part in self._parts(mail, text):
                wanted = [event for event in self.events[game_id] if self.told[game_id] < event["number"] <= number]
                assert _moves_told(part) == [words for event in wanted if (words := self._words(game_id, event))]
                assert number >= self.told[game_id]
                self.told[game_id] = number
        elif MAIL_KINDS[kind].is_covering:
            ((game_id, number, _),) = self._parts(mail, text)
            self.told[game_id] = max(self.told[game_id], number)

    def _parts(self, mail: Any, text: str) -> list[tuple[str, int, str]]:
        """Each game of a mail: its id, the newest event told, and the text about it until the state of the table."""
        if root := re.match(r"<(\w+)\.", mail["References"] or ""):
            return [(root[1], int(re.search(r"Seal, event (\d+)", text)[1]), _before_the_table(text))]
        parts = re.split(r"Seal of \[[^\]]+\], event \d+, (?:after move \d+|before the first move):(?: \w{4}){5}", text)
        seals = re.findall(r"Seal of \[([^\]]+)\], event (\d+)", text)
        return [
            (self._game(called), int(number), _before_the_table(part))
            for (called, number), part in zip(seals, parts, strict=False)
        ]

    def _game(self, called: str) -> str:
        return next(game_id for game_id in self.events if self.events[game_id][0]["called"] == called)

    def _words(self, game_id: str, event: dict[str, Any]) -> str | None:
        """Return how the sentence about a move begins; None for the reader's own moves, which need not be told."""
        is_own = event.get("pawn") in self.pawns[game_id] and event.get("by") in ("player", "ahead")
        if event["kind"] != "moved" or is_own:
            return None
        return "Mr. X" if event["pawn"] == "mr_x" else f"{event['pawn'].capitalize()} {event['notation'].split()[2]}"


def _events_of(table: Table, game_id: str) -> int:
    with table.app.app_context():
        return session.get_one(Game, game_id).events


def _events(game: Playing) -> list[dict[str, Any]]:
    with game.table.app.app_context():
        called = session.get_one(Game, game.id).name
        session.remove()
    found: list[dict[str, Any]] = []
    while page := game.people[0].get(f"{game.path}/events?after={found[-1]['number'] if found else 0}").json["events"]:
        found += page
    return [event | event["data"] | {"called": called} for event in found]


def _before_the_table(text: str) -> str:
    return re.split(
        r"Your move is due|Your own time begins|It is the turn of|Mr\. X can be on|You can go|You are at", text
    )[0]


def _moves_told(text: str) -> list[str]:
    """Of each sentence about a move: whose it was, and where a detective went."""
    found = re.finditer(
        r"(Mr\. X) (?:took|made a double move)|(Purple|Red|Green|Yellow|Blue) (?:went )?to (\d+)(?: with|,| and)", text
    )
    return [move[1] or f"{move[2]} {move[3]}" for move in found]


@settings(max_examples=settings.default.max_examples // 100, phases=[Phase.generate])
@given(seed=st.integers(0, 2**32))
def test_each_event_is_told_once_and_in_order_by_whatever_was_chosen(seed: int):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Table(Path(folder), sandbox="1", min_turn="PT1S"))
        for person in story.people:
            story.choose(person, rng.choice(GATHERING), None)
        for _ in range(LENGTH):
            story.step(rng.choice(STEPS), rng.randrange(10_000))
        story.end()
        for person in story.people:
            check(story, person)


def check(story: Story, person: Person) -> None:
    with story.table.app.app_context():
        rows = session.query(Outgoing).filter_by(player_id=person.id).all()
        kinds = {row.id: row.kind for row in rows}
        assert {row.state for row in rows} <= {"sent", "gathered", "superseded", "suppressed"}
        session.remove()
    reader = Reader(story, person)
    for count, mail in enumerate(person.mails):
        for _, game_id, event in (entry for entry in story.unheard[person.name] if entry[0] == count):
            reader.told[game_id] = max(reader.told[game_id], event)
        reader.read(mail, kinds[mail["Message-ID"][1:17]])
    assert len(reader.texts) == len(set(reader.texts))
