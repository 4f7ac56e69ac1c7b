"""`blackticket` with bots that need no time to think and news that may be asked for each second."""

from datetime import timedelta

import blackticket
from server.api import events
from server.house_rules import moves


def main() -> None:
    """Run the command of this process."""
    moves.THINKING = timedelta(0)
    events.RETRY_SOON_AFTER = 1
    blackticket.main()
