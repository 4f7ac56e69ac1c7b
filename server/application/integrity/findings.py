"""The report of a check: what was found wrong with a stored game, and what moves and events say instead."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, TypedDict

from server import engine
from server.application.catalogues.votes import VoteWish
from server.house_rules.draft import PublicEvent
from server.models import Game


class Finding(NamedTuple):
    """One thing that does not hold. `is_mendable`: the row can be rebuilt from moves and events."""

    sentence: str
    is_mendable: bool = True


@dataclass(frozen=True)
class Story:
    """The state of a game as its public events tell it. `is_damaged`: the operator ended it as beyond repair."""

    status: str = "open"
    first: int | None = None  # the number of the event `started`
    winner: str | None = None
    reason: str | None = None
    is_final: bool = False
    is_damaged: bool = False


class Scheduled(NamedTuple):
    """A timer that is to fire: columns of `server.models.Deadline`."""

    id: str
    kind: str
    side: str
    round: int
    seat: int
    due_at: datetime


class OpenMotion(NamedTuple):
    """A vote that is open: columns of `server.models.Motion`."""

    id: str
    kind: str
    wish: VoteWish
    closes_at: datetime


class LostMove(TypedDict):
    """A move that is public and has no row, with the columns of one."""

    game_id: str
    turn: int
    pawn: str
    notation: str
    by: str
    made_at: datetime


@dataclass
class Report:
    """The outcome of a check.

    `state` is the game after the first `sound` moves, None where nothing of it can be rebuilt. `story` is what its
    events say, `phase` the one that follows (side, round). `scheduled` are its timers, `motions` its open votes.
    `lost` are moves that are public and have no row, with the columns of one; `surplus` turns that have a row and were
    never made public. `stale_ahead` are pawns whose queued move cannot be played, `stale_held` those with a held one;
    `unclosed` is when the last open vote closes of those that no timer closes.
    """

    game: Game
    events: Sequence[PublicEvent]
    story: Story
    scheduled: Sequence[Scheduled]
    motions: Sequence[OpenMotion]
    head: str | None = None
    newest: int = 0
    state: engine.Game | None = None
    sound: int = 0
    phase: tuple[str | None, int | None] = (None, None)
    lost: list[LostMove] = field(default_factory=list)
    surplus: list[int] = field(default_factory=list)
    stale_ahead: list[str] = field(default_factory=list)
    stale_held: list[str] = field(default_factory=list)
    unclosed: datetime | None = None
    findings: list[Finding] = field(default_factory=list)

    @property
    def is_mendable(self) -> bool:
        """Return whether all that was found can be rebuilt from moves and events."""
        return all(finding.is_mendable for finding in self.findings)

    @property
    def unsound(self) -> list[str]:
        """Return the sentences on what cannot be rebuilt."""
        return [finding.sentence for finding in self.findings if not finding.is_mendable]

    @property
    def remedy(self) -> str:
        """Return the command with which the operator mends the game, or ends it."""
        return f"blackticket game {'repair' if self.is_mendable else 'end'} {self.game.id} --reason TEXT"

    def add(self, sentence: str, *, is_mendable: bool = True) -> None:
        """Note something that does not hold."""
        self.findings.append(Finding(sentence, is_mendable))

    def need(self, holds: bool, sentence: str) -> None:
        """Note a row that can be rebuilt, unless it is right."""
        if not holds:
            self.add(sentence)
