"""Mails that were damaged by chance: nothing is raised, nothing takes long, nothing quoted is obeyed."""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "mail"))

from fuzzing import check, mutant

EACH = 100


def case(seed: int) -> int:
    """EACH damaged mails."""
    rng = random.Random(f"mails {seed}")
    for number in range(EACH):
        raw = mutant(rng)
        try:
            check(raw)
        except Exception as error:
            raise AssertionError(f"mail {number} of seed {seed}: {raw[:2_000]!r}") from error
    return EACH
