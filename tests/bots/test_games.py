"""Twenty games between bots, which end as they always did: whatever changes one has changed how bots play."""

import hashlib
import json
import random
from pathlib import Path

import pytest

from server import bots
from server.engine import Edition

from .match import at_level, played

GOLDEN = Path(__file__).parent / "games.json"
EDITIONS = ("ravensburger-2000", "milton-bradley-1985", "ravensburger-2013", "condensed")
PAIRS = [(detectives, mr_x) for detectives in bots.LEVELS for mr_x in bots.LEVELS]


def game(number):
    """Return what became of a game: the levels, the edition, how it ended, and a hash of all its moves."""
    edition, (detectives, mr_x) = Edition.named(EDITIONS[number % 4]), PAIRS[number % 9]
    people = random.Random(number).randint(*edition.option("players"))
    over = played(edition, people, number, at_level("constable", detectives), at_level("fugitive", mr_x))
    moves = hashlib.sha256("\n".join(map(str, over.history)).encode()).hexdigest()
    return [edition.name, people, detectives, mr_x, over.outcome.winner, over.outcome.reason, over.log_used, moves[:16]]


@pytest.mark.long
@pytest.mark.parametrize(
    "numbers",
    [range(10), pytest.param(range(10, 20), marks=pytest.mark.campaign)],
    ids=["first ten", "last ten"],
)
def test_twenty_games_end_as_they_did(numbers):
    """To take new ones after a change that is meant: `python -m tests.bots.test_games`."""
    golden = json.loads(GOLDEN.read_text())
    assert [game(number) for number in numbers] == [golden[number] for number in numbers]


def test_every_level_plays_every_other():
    assert {(row[2], row[3]) for row in json.loads(GOLDEN.read_text())} == set(PAIRS)


if __name__ == "__main__":
    rows = ",\n ".join(json.dumps(game(number)) for number in range(20))
    GOLDEN.write_text(f"[{rows}]\n")
