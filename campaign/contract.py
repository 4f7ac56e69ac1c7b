"""Random requests to the API: every answer must be one that the OpenAPI document promises."""

import tempfile
from pathlib import Path

from tests.contract.attack import Attack
from tests.contract.world import SIX, World

MEMORY = Path("/dev/shm")


def case(seed: int) -> int:
    """Send the requests of one of the six principals, in turn; return their number."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        world = World(Path(folder))
        attack = Attack(world, SIX[seed % len(SIX)])
        if seed < len(SIX):
            attack.boundaries()
        attack.at_random(10, seed)
        attack.in_order(50, seed)
        world.table.check_games()
        world.close()
    assert not attack.failures, attack.told()
    return attack.requests
