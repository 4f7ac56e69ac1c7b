"""Reply addresses: each belongs to one seat and one go of it, and is printed the same again in a reminder."""

import hashlib
import re
from dataclasses import dataclass

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


def remember(printed: PrintedToken) -> None:
    """Keep the token by its hash, in the current transaction and before anybody can answer to it."""
    digest = _digest(printed.token)
    if session.get(ReplyToken, digest) is None:
        session.add(
            ReplyToken(
                digest=digest,
                game_id=printed.game_id,
                seat=printed.seat,
                go=printed.go,
                nonce=printed.nonce,
                errors_told=0,
                created_at=now(),
            )
        )


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
