"""`blackticket` with bots that need no time to think and news that come at once."""

from datetime import timedelta

import blackticket
from server.application.decisions import moves
from server.http import waiting


def main() -> None:
    """Run the command of this process."""
    moves.THINKING = timedelta(0)
    waiting.LOOKS, waiting.LONGEST_REST = 0.1, 0.1
    blackticket.main()
