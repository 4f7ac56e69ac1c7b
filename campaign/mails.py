"""Mails that were damaged at random: no error, no long delay, and no quoted line is obeyed.

And answers as programs of all kinds write them: what was meant is found, and nothing else.
"""

import random

from tests.mail.reading.fuzzing import check, mutant
from tests.mail.reading.letters import letter, misread

EACH = 100


def case(seed: int) -> int:
    """Read EACH damaged mails, and as many answers; return their number."""
    rng = random.Random(f"mails {seed}")
    for number in range(EACH):
        raw = mutant(rng)
        try:
            check(raw)
        except Exception as error:
            raise AssertionError(f"mail {number} of seed {seed}: {raw[:2_000]!r}") from error
        wrong = misread(letter(rng))
        assert wrong is None, f"answer {number} of seed {seed}: {wrong}"
    return 2 * EACH
