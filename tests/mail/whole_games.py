"""Whole games by mail, in which everybody answers in time, and how many mails and words that brings each player.

`python -m tests.mail.whole_games` plays one of six players and one of three, and prints a line of JSON for each.
"""

import json
import random
import resource
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from server.engine import Board
from server.models import Outgoing, session
from tests.scenes import dealing, text_of
from tests.table import Person, Playing, Table

EDITION = "milton-bradley-1985"


@dataclass
class Tally:
    """The mails and words that one player got: answers to their own mails, and all others."""

    notices: int = 0
    answers: int = 0
    words: int = 0
    words_of_answers: int = 0
    bytes: int = 0
    kinds: Counter[str] = field(default_factory=Counter)


def play_by_mail(table: Table, players: int, rounds: int = 22) -> Playing:
    """Play `rounds` rounds by mail; in every other one the detectives answer backwards, so that most send ahead."""
    rng = random.Random(players)
    with dealing(table, 172, 198, 13, 26, 29, 34, 53):
        game = table.game(table.people(players), EDITION)
    table.tick()
    for number in range(rounds):
        if game.view()["status"] != "running":
            break
        _answer(game, game.people[0], rng)
        waiting = game.people[1:] if number % 2 else game.people[:0:-1]
        for person in waiting:
            _answer(game, person, rng)
        while game.view()["status"] == "running" and game.view()["to_move"] != ["mr_x"]:
            _answer(game, game.mover(), rng)  # whose move ahead came back
        table.clock.turn(hours=3)
    return game


def _answer(game: Playing, person: Person, rng: random.Random) -> None:
    """Answer the newest mail with a move for each pawn that has one; no detective goes where Mr. X is."""
    station = game.view(game.people[0])["pawns"]["mr_x"]["station"]
    taken = {facts["station"] for facts in game.view(person)["pawns"].values()}
    queued = {kept["notation"].split()[-1] for kept in game.view(person).get("ahead", [])}
    chosen: dict[str, str] = {}
    for move in sorted(game.legal(person), key=lambda _: rng.random()):
        words = move.split()
        pawn = "mr_x" if person is game.people[0] else words[0]
        goal = int(words[-1]) if words[-1].isdigit() else 0
        near = _near(goal, taken) if pawn == "mr_x" else words[-1] in queued
        if goal != station and not near and "double" not in words and goal not in map(_goal, chosen.values()):
            chosen.setdefault(pawn, move)
    if not chosen and person is game.people[0]:
        chosen = {"mr_x": next(move for move in game.legal(person) if "double" not in move)}
    if chosen:
        person.reply("\n".join(chosen.values()))
        game.table.tick()


def _goal(move: str) -> int:
    return int(move.rsplit(maxsplit=1)[-1])


def _near(station: int, others: set[int | None]) -> bool:
    """Return True if a detective stands there or could go there at once."""
    reach = Board.named("london-milton-bradley").reach["black"].get(station, ())
    return bool({station, *reach} & others)


def tallies(game: Playing) -> list[Tally]:
    """Return what each player got, Mr. X first."""
    made = [Tally() for _ in game.people]
    for tally, person in zip(made, game.people, strict=True):
        for mail in person.mails:
            words = len(text_of(mail).split())
            is_answer = mail["Auto-Submitted"] == "auto-replied"
            tally.answers += is_answer
            tally.notices += not is_answer
            tally.words += words
            tally.words_of_answers += words * is_answer
            tally.bytes += len(mail.as_bytes())
        with game.table.app.app_context():
            query = select(Outgoing.kind, func.count()).where(Outgoing.player_id == person.id, Outgoing.state == "sent")
            tally.kinds.update(dict(session.execute(query.group_by(Outgoing.kind)).all()))
    return made


def figures(players: int, folder: Path) -> dict[str, Any]:
    """Return the figures of a whole game."""
    game = play_by_mail(Table(folder, sandbox="1", min_turn="PT1S"), players)
    made = tallies(game)
    detectives = made[1:]

    def mean(name: str) -> int:
        return round(sum(getattr(tally, name) for tally in detectives) / len(detectives))

    return {
        "players": players, "round": game.view()["round"], "status": game.view()["status"],
        "notices of Mr. X": made[0].notices, "most notices of a detective": max(t.notices for t in detectives),
        "words of Mr. X": made[0].words, "words of a detective": mean("words"),
        "of these in answers": mean("words_of_answers"),
        "words of all": sum(t.words for t in made), "kilobytes of all": sum(t.bytes for t in made) // 1000,
        "kinds of a detective": dict(detectives[-1].kinds),
        "processor seconds": round(resource.getrusage(resource.RUSAGE_SELF).ru_utime, 1),
    }  # fmt: skip


if __name__ == "__main__":
    for number in (6, 3):
        with tempfile.TemporaryDirectory() as temporary:
            print(json.dumps(figures(number, Path(temporary))))  # noqa: T201 a command prints
