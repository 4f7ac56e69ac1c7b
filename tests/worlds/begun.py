"""Two worlds as they stand where scenes begin: each pair is brought there once, and taken up for every scene."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.worlds import beginnings
from tests.worlds.histories import Pair
from tests.worlds.twins import Twin

Before = Callable[[Twin], None]


class Begun:
    """The worlds of each pair, at the places where scenes begin; a later place is reached from an earlier one."""

    def __init__(self, folder: Path, language: str = "en") -> None:
        self._folder, self._language = folder, language
        self._twins: dict[Callable[[], Pair], Twin] = {}
        self._kept: dict[tuple[Callable[[], Pair], Before], Any] = {}

    def take_up(
        self,
        pair: Callable[[], Pair],
        before: Before,
        *,
        noise: bool = False,
        loud: bool = False,
        one_only: bool = False,
    ) -> Twin:
        """Return the worlds of a pair where `before` leads; nothing of an earlier scene is left in memory."""
        if pair not in self._twins:
            self._twins[pair] = Twin(self._folder / str(len(self._twins)), pair(), language=self._language)
            self._kept[pair, beginnings.nothing] = self._twins[pair].keep()
        twin = self._twins[pair]
        if (pair, before) not in self._kept:
            earlier, act = beginnings.EARLIER.get(before, (beginnings.nothing, before))
            act(self.take_up(pair, earlier))
            self._kept[pair, before] = twin.keep()
        twin.restore(self._kept[pair, before])
        for world in twin.worlds:
            world.restart()
        twin.noise, twin.loud, twin.one_only = noise, loud, one_only
        return twin

    def close(self) -> None:
        """Let go of all worlds."""
        for twin in self._twins.values():
            twin.close()
