"""Two worlds at the level of views: nobody but Mr. X can tell histories apart that are equal to the public."""

import random

from tests.worlds.comparing import difference, now_and_then
from tests.worlds.histories import tell

EACH = 24
# How often each kind is chosen; the rare ones take many games to find.
SHARES = {"any": 10, "black": 6, "start": 2, "last": 3, "caught": 1}


def case(seed: int) -> int:
    """Compare a random game with up to EACH others that are equal to it in public; return their number."""
    rng = random.Random(seed)
    (kind,) = rng.choices(list(SHARES), list(SHARES.values()))
    worlds = tell(rng, kind, EACH)
    found = difference(worlds, now_and_then(worlds, rng))
    assert found is None, found
    return len(worlds.paths)
