"""The game cache: games kept in memory between requests, so that not every request replays a game from its start."""

from __future__ import annotations

from server.engine import Game
from server.runtime.lru import LRUCache

MOST = 512
MOST_OVER = 32  # games that are over, each in its last state; they come to outnumber those that go on
STATES = 4  # of a game that goes on: those before are rarely asked for
LOOK_BACK = 24  # moves: more than are made in two rounds


class GameCache:
    """A cache of games, which stores and returns copies.

    The cache of a transaction has the cache of the process `behind` it, and looks there for games it does not have. Its
    own games are visible to others once they are published.
    """

    def __init__(self, behind: GameCache | None = None) -> None:
        self._behind = behind
        self._kept: LRUCache[tuple[str, int], Game] = LRUCache(MOST)
        self._over: LRUCache[tuple[str, int], Game] = LRUCache(MOST_OVER)

    def get(self, game_id: str, moves: int) -> Game | None:
        """Return a copy of the game after `moves` moves or at most `LOOK_BACK` less, the nearest; None without one.

        A request finds the move before. A sender of mails may find the last mail's event, some moves before.
        """
        nearest = range(moves, max(moves - LOOK_BACK, 0) - 1, -1)
        kept = next((game for number in nearest if (game := self._get(game_id, number))), None)
        if kept is None and self._behind:
            return self._behind.get(game_id, moves)
        return kept and kept.copy()

    def put(self, game_id: str, game: Game) -> None:
        """Keep a copy of a game whose moves are committed, or were made in the transaction that this cache serves."""
        moves = len(game.history)
        (self._kept if game.to_move else self._over).put((game_id, moves), game.copy())
        for before in range(STATES if game.to_move else 1, STATES + 1):
            self._kept.drop((game_id, moves - before))

    def _get(self, game_id: str, moves: int) -> Game | None:
        return self._kept.get((game_id, moves)) or self._over.get((game_id, moves))

    def publish(self) -> None:
        """Move all games to the cache behind this one, once their moves are committed."""
        assert self._behind is not None
        for (game_id, _), game in (*self._kept.take_all(), *self._over.take_all()):
            self._behind.put(game_id, game)
