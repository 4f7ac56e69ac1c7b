"""A campaign that does next to nothing, for the tests of campaigns; its processes import it and little else."""

import os
import signal
from pathlib import Path

from campaign.running import Campaign

TINY = [Campaign("tiny", "tests.worlds.tiny", 40, 5)]


def case(seed: int) -> int:
    """Note that it ran; fail for the seed TINY_FAILS and end the whole campaign at TINY_KILLS."""
    with Path(os.environ["TINY_NOTES"]).open("a") as notes:
        notes.write(f"{seed}\n")
    if str(seed) == os.environ.get("TINY_KILLS"):
        os.kill(os.getppid(), signal.SIGKILL)
    assert str(seed) != os.environ.get("TINY_FAILS"), "a tiny fault"
    return 1
