"""One mail on its way through the commands, and the answer that grows with it."""

from dataclasses import dataclass, field
from typing import Any

from server import engine
from server.application.errors import Problem
from server.application.game import views
from server.mail.reading.message import Reading
from server.models import Game, Incoming, Player, ReplyToken, Seat


@dataclass
class Errand:
    """One mail on its way: who wants what in which game, and what is to be answered.

    `token` is None for a mail to the play address, or to one that is good no longer. `is_authentic`: its sender was
    found to be who its From says.
    """

    row: Incoming
    reading: Reading
    token: ReplyToken | None
    game: Game
    seat: Seat
    player: Player
    others: list[tuple[Game, Seat]] = field(default_factory=list)  # to be told of too
    told: list[str] = field(default_factory=list)
    refused: list[tuple[str, Problem]] = field(default_factory=list)  # lines that could not be done, and why
    title: str = ""
    is_authentic: bool = False
    question: dict[str, Any] | None = None  # the one that was open when the mail came: YES and NO are about it
    about: str = ""  # what a question is about that has a reply address of its own, see `addresses.token_of`

    @property
    def is_proved(self) -> bool:
        """Whether it was surely the player who wrote."""
        return self.token is not None or self.is_authentic

    @property
    def stale(self) -> bool:
        """Whether the mail answers a turn mail of a go that is over."""
        return self.game.status == "running" and self.token is not None and self.token.go != self.game.round

    def turn_to(self, game: Game, seat: Seat) -> None:
        """From now on the mail is about this game; of the one it was about is told too."""
        if game.id != self.game.id and self.game.status != "over":
            self.others.insert(0, (self.game, self.seat))
        self.game, self.seat = game, seat

    def refuse(self, line: str, problem: Problem) -> None:
        """Note that one line could not be done when its turn came; what was done before it stands."""
        self.refused.append((line, problem))

    def legal(self, pawn: str | None = None) -> list[engine.Move]:
        """What the player may send now; for the pawn of a teammate only where it is named."""
        if self.stale:
            return []
        if pawn is not None and pawn not in self.seat.pawns:
            return [move for move in views.covered_moves(self.game, self.player) if move.pawn == pawn]
        return views.legal_moves(self.game, self.player)
