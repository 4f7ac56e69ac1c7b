"""Games kept in memory between requests, so that not every request plays a game from its start."""

import threading
from collections import OrderedDict

from server.engine import Game

MOST = 512


class Tables:
    """The least recently used are forgotten. What is kept is never handed out itself, only copies of it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], Game] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, game_id: str, moves: int) -> Game | None:
        """A copy of the game after `moves` moves, or after one less; None when neither is kept."""
        with self._lock:
            # The move before is nearly always there: it was the one looked at last.
            for n in (moves, moves - 1):
                kept = self._kept.get((game_id, n))
                if kept is not None:
                    self._kept.move_to_end((game_id, n))
                    return kept.copy()
        return None

    def put(self, game_id: str, game: Game) -> None:
        """Keep a copy of a game all of whose moves are committed."""
        with self._lock:
            self._kept[game_id, len(game.history)] = game.copy()
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
