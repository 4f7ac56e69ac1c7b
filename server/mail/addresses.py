"""Reply addresses: each belongs to one seat and one go of it, and is printed the same again in a reminder."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from sqlalchemy.dialects import postgresql, sqlite

from server.models import Game, ReplyToken, Seat, session
from server.runtime import now, runtime

INVITATION = 0  # the go before the first: an invitation, or a seat in a game that has not begun


@dataclass(frozen=True)
class PrintedToken:
    """A reply token as it stands in a mail, and what it belongs to."""

    token: str
    game_id: str
    seat: int
    go: int
    nonce: str

    @property
    def address(self) -> str:
        """The address to answer to."""
        return runtime().settings.reply_address.replace("{token}", self.token)


def go_of(game: Game) -> int:
    """The go that a mail about `game` as it stands now belongs to."""
    return INVITATION if game.status == "open" else game.round or INVITATION


def token_of(game: Game, seat: Seat, go: int) -> PrintedToken:
    """The token for answers to a mail about `go` of the seat: always the same one, until the seat changes hands."""
    token = runtime().keyring.reply_token(game.id, seat.number, go, seat.nonce)
    return PrintedToken(token, game.id, seat.number, go, seat.nonce)


def remember(printed: Iterable[PrintedToken]) -> None:
    """Keep tokens by their hashes, in the current transaction and before anybody can answer to them.

    Another sender may be about to print the same ones. In one order, so that neither waits for the other for ever.
    """
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    rows = [
        {
            "digest": _digest(token.token),
            "game_id": token.game_id,
            "seat": token.seat,
            "go": token.go,
            "nonce": token.nonce,
            "errors_told": 0,
            "created_at": now(),
        }
        for token in printed
    ]
    for row in sorted(rows, key=itemgetter("digest")):
        session.execute(insert(ReplyToken).values(row).on_conflict_do_nothing())


def find(recipient: str) -> ReplyToken | None:
    """The printed token `recipient` is the address of, be it still good or not."""
    pattern = re.escape(runtime().settings.reply_address).replace(re.escape("{token}"), r"([a-z2-7]{16})")
    match = re.fullmatch(pattern, recipient.strip(), re.IGNORECASE)
    return session.get(ReplyToken, _digest(match[1].lower())) if match else None


def is_play(recipient: str) -> bool:
    """Whether `recipient` is the address for commands without a token."""
    return recipient.strip().lower() == runtime().settings.play_address.lower()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
