"""Whole games by mail, in which everybody answers in time."""

import random

from server.engine import Board
from tests.scenes import dealing
from tests.table import Person, Playing, Table

EDITION = "milton-bradley-1985"


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


def notices(person: Person) -> int:
    """Return how many mails a player got besides answers to their own."""
    return sum(mail["Auto-Submitted"] != "auto-replied" for mail in person.mails)
