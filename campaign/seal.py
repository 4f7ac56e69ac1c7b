"""The verifier accepts honest games and refuses each way of tampering with them; the ways are in tests/seal/."""

import random
import tempfile

from seal.mails import heads, letter, verdict
from seal.tampering import LEFT, RELINKED, SEEN_IN_MAILS, tampered
from seal.test_tampering import is_refused
from seal.transcripts import honest

WAYS = [(table, name) for table in (LEFT, RELINKED, SEEN_IN_MAILS) for name in table]
EACH = 10


def case(seed: int) -> int:
    """An honest game and EACH tampered ones; how many that were."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        true = honest(seed)
        answer = verdict(folder, true, [letter(true, rng.choice(heads(true)))])
        assert answer[0] == 0, answer
        for table, name in rng.sample(WAYS, EACH):
            true, changed = tampered(table, name, seed)
            mails = [letter(true, heads(true)[-1])] if table is SEEN_IN_MAILS else []
            answer = verdict(folder, changed, mails)
            assert is_refused(answer), (name, answer)
    return 1 + EACH
