"""The verifier accepts honest games and refuses each way of tampering with them; the ways are in tests/standalone/."""

import random
import tempfile

from tests.standalone.mails import heads, letter, verdict
from tests.standalone.tampering import LEFT, RELINKED, SEEN_IN_MAILS, tampered
from tests.standalone.test_tampering import is_refused
from tests.standalone.transcripts import honest

WAYS = [(table, name) for table in (LEFT, RELINKED, SEEN_IN_MAILS) for name in table]
EACH = 10


def case(seed: int) -> int:
    """Verify an honest game and EACH tampered ones; return their number."""
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
