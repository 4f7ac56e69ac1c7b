"""Two worlds at the level of whole applications: nobody but Mr. X can tell them apart by anything that leaves them."""

import random
import tempfile
from pathlib import Path

from tests.worlds.histories import KINDS, pairs
from tests.worlds.schedule import run
from tests.worlds.twins import Twin

LONGEST = 30  # moves of a game that are played
MEMORY = Path("/dev/shm")


def case(seed: int) -> int:
    """Play a pair of games in two applications to the end or the 30th move; return 1."""
    rng = random.Random(seed)
    pair = next(pairs(f"apps {seed}", rng.choice(KINDS)))
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        twin = Twin(Path(folder), pair, noise=rng.random() < 0.5)
        try:
            run(twin, rng, moves=rng.randrange(1, LONGEST), acts=rng.choice((1, 2, 3)))
            for world in twin.worlds:
                world.table.check_games()
        finally:
            twin.close()
    return 1
