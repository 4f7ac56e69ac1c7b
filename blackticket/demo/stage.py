"""The demo's game: mails are delivered, REST players poll, and one detective sleeps through a deadline."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from blackticket.demo import choices
from blackticket.demo.letters import Letter, Mailbox
from blackticket.demo.own_server import DemoFailed, OwnServer
from blackticket.demo.people import EDITION, ByMail, ByRest, Person
from blackticket.demo.telling import Teller, explain, say
from blackticket.standalone import verifier
from server.cli.output import log_text
from server.vocabulary.words import pawn_name

# Long enough that only the sleeper is late, on a slow machine too; Mr. X has no reason to hurry.
CLOCK = {"kind": "per_phase", "mr_x": "PT2M", "detectives": "PT6S", "reminder": 0.5}
FIRST_SLEEP = 2  # the round from which somebody may sleep: in the first all are awake
PAUSES = (0.03, 0.25)  # seconds between two looks at everything: while something happens, and while nothing does
PATIENCE = 60  # seconds without anything happening, after which something is wrong
MOST_GAMES = 3


class Stage:
    """Six people and a server."""

    def __init__(self, server: OwnServer, people: list[Person]) -> None:
        self._server = server
        self._people = people
        self._rest = [person for person in people if isinstance(person, ByRest)]
        self._host, self._watcher = self._rest[0], self._rest[1]  # Mr. X, and a detective whose view is told
        self._sleeper = [person for person in people if isinstance(person, ByMail)][-1]
        self._mailbox = Mailbox(server.mailbox)
        self._began = time.monotonic()

    def play(self) -> None:
        """Play a game to a final result in which somebody slept, and open it; it rarely takes a second one."""
        for _ in range(MOST_GAMES):
            self._open_game()
            self._play_game()
            if self._sleeper.pawn in self._teller.late and self._watcher.view["outcome"]["final"]:
                return self._show_the_end()
            explain("The result is not final, or nobody slept; so the log stays closed, and they play again.")
        raise DemoFailed(f"In {MOST_GAMES} games none came to a final end.")

    # Before the game

    def _open_game(self) -> None:
        seats = [
            {"role": "mr_x" if person.pawn == "mr_x" else "detective", "player": person.id} for person in self._people
        ]
        game = self._host.client.open_game(EDITION.name, clock=CLOCK, seats=seats)
        self._name, self._id = game["name"], game["id"]
        self._letters = 0
        self._ended: dict[str, Letter] = {}
        self._sleep_round = 0
        self._announced = False
        self._teller = Teller(self._people)
        for person in self._rest[1:]:
            person.client.join(self._id)
        self._until("all seats are taken", self._is_complete)
        *names, last = [person.name for person in self._people if isinstance(person, ByMail)]
        self._host.client.start(self._id)
        explain(
            f"{game['name']}, a game of {EDITION.name}, begins: {', '.join(names)} and {last} answered their "
            "invitations with YES, the others took their seats by REST. Mr. X has two minutes for a move, the "
            "detectives have six seconds together. A move marked + was sent ahead of its turn."
        )
        self._teller.head()

    def _is_complete(self) -> bool:
        self._deliver()
        return all(seat["state"] == "taken" for seat in self._host.client.game(self._id)["seats"])

    # The game

    def _play_game(self) -> None:
        self._until("the game is over", self._go_on)
        self._until("the end is mailed to all", self._everybody_knows)
        self._teller.tell(self._watcher.view, to_the_end=True)
        how = self._watcher.view["outcome"]["reason"].replace("_", " ")
        sentence = next(iter(self._ended.values())).subject.partition("] ")[2]
        say(f"\n{sentence} ({how}). The end is mailed to all six.", bold=True)

    def _go_on(self) -> bool:
        """Let everybody read, poll and move once; return whether the game is over."""
        self._deliver()
        for person in self._rest:
            if person.look(self._id) and person is self._host:
                self._put_to_sleep()
        view = self._watcher.view
        told = self._teller.tell(view)
        if self._sleeper.asleep:
            self._watch_the_sleeper(view, told=told)
        return bool(view["status"] == "over")

    def _put_to_sleep(self) -> None:
        """Put one detective to sleep for one deadline, while no detective can reach Mr. X.

        A result of an automatic move is provisional: if the server caught Mr. X, the log would stay closed.
        """
        view = self._host.view
        his, *others = (facts["station"] for facts in view["pawns"].values())
        far = all(choices.out_of_reach(EDITION.board, his, of=station) for station in others)
        if far and view["round"] >= FIRST_SLEEP and not self._sleep_round and view["status"] == "running":
            self._sleep_round = view["round"]
            self._sleeper.asleep = True

    def _watch_the_sleeper(self, view: Mapping[str, Any], *, told: bool) -> None:
        """Say that the game waits for the sleeper once all others have moved; wake them after their deadline."""
        pawn = self._sleeper.pawn
        if view["round"] > self._sleep_round or view["status"] == "over":
            self._sleeper.asleep = False
            # The sleeper has sent nothing, so the server made the last move of their pawn.
            self._teller.server_moves.add([move for move in view["history"] if move.startswith(pawn)][-1])
        elif view["to_move"] == [pawn] and told and not self._announced:
            self._announced = True
            who = f"{pawn_name(pawn)} is to move, but {self._sleeper.name} sleeps"
            self._teller.note(f"{who}; the deadline is {view['due_at'][11:-1]} UTC.")

    def _deliver(self) -> None:
        """Hand over the mails that have arrived."""
        for letter in self._mailbox.fetch():
            person = next(person for person in self._people if person.email == letter.to)
            if letter.ends:
                self._ended[letter.to] = letter
            elif self._name in letter.subject:
                self._letters += 1
            self._teller.server_moves |= letter.server_moves
            if isinstance(person, ByMail):
                if person.asleep and letter.reminds:
                    self._teller.note(f"A reminder is mailed to {person.name}, who sleeps on.")
                person.open(letter)

    def _everybody_knows(self) -> bool:
        self._deliver()
        self._teller.tell(self._watcher.view)
        return len(self._ended) == len(self._people)

    # The end

    def _show_the_end(self) -> None:
        view = self._watcher.client.game(self._id)
        say(f"\nThe opened travel log; Mr. X's start card was {view['starts']['mr_x']}.", bold=True)
        say(log_text(view))
        say()
        say("Checked by the verifier that players download:")
        for sentence in self._verified().splitlines():
            explain(sentence)
        late = Counter(map(pawn_name, self._teller.late)).items()
        times = ", ".join(pawn if n == 1 else f"{pawn} {n} times" for pawn, n in late)
        say(f"Moved by the server: {times}. Played in {time.monotonic() - self._began:.0f} seconds.")

    def _verified(self) -> str:
        """Return what the verifier says of the transcript and of all mails; raise `DemoFailed` if it finds a fault."""
        transcript = self._server.folder / "transcript.json"
        transcript.write_text(json.dumps(self._watcher.client.transcript(self._id)))
        status, _, sentences = verifier.examine([str(transcript), str(self._server.mailbox)])
        if status:
            raise DemoFailed(f"The sealed log does not hold: {sentences}")
        return sentences

    def _until(self, what: str, done: Callable[[], bool]) -> None:
        """Go on until `done`; raise `DemoFailed` if nothing happens any more."""
        changed, state, pause = time.monotonic(), None, PAUSES[0]
        while not done():
            self._server.check_alive()
            now = (len(self._ended), self._letters, self._watcher.view.get("turn"))
            if now != state:
                changed, state, pause = time.monotonic(), now, PAUSES[0]
            elif time.monotonic() - changed > PATIENCE:
                raise DemoFailed(f"Nothing happened for {PATIENCE} seconds, and it is not so that {what}.")
            time.sleep(pause)
            pause = min(pause * 1.5, PAUSES[1])
