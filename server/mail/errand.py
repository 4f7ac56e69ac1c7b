"""One mail on its way through the commands, and the answer that grows with it."""

from dataclasses import dataclass, field

from server import engine
from server.application import projection
from server.mail.reading import Reading
from server.models import Game, Incoming, Player, ReplyToken, Seat


@dataclass
class Errand:
    """One mail on its way: who wants what in which game, and what is to be answered.

    `token` is None for a mail to the play address, or to one that is good no longer.
    """

    row: Incoming
    reading: Reading
    token: ReplyToken | None
    game: Game
    seat: Seat
    player: Player
    others: list[tuple[Game, Seat]] = field(default_factory=list)  # to be told of too
    told: list[str] = field(default_factory=list)
    title: str = ""

    @property
    def stale(self) -> bool:
        """Whether the mail answers a turn mail of a go that is over."""
        return self.game.status == "running" and self.token is not None and self.token.go != self.game.round

    def legal(self) -> list[engine.Move]:
        """What the player may send now."""
        return [] if self.stale else projection.legal_moves(self.game, self.player)
