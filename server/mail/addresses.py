"""Reply addresses: each belongs to one seat and one go of it, and is printed the same again in a reminder."""

import hashlib
import re

from server.models import Game, ReplyToken, Seat, session
from server.runtime import now, runtime

INVITATION = 0  # the go before the first: an invitation, or a seat in a game that has not begun


def reply_address(game: Game, seat: Seat) -> str:
    """The address for answers to a mail sent now. Remembers the token by its hash in the current transaction."""
    go = INVITATION if game.status == "open" else game.round or INVITATION
    token = runtime().keyring.reply_token(game.id, seat.number, go, seat.nonce)
    digest = _digest(token)
    if session.get(ReplyToken, digest) is None:
        session.add(
            ReplyToken(
                digest=digest,
                game_id=game.id,
                seat=seat.number,
                go=go,
                nonce=seat.nonce,
                errors_told=0,
                created_at=now(),
            )
        )
        session.flush()
    return runtime().settings.reply_address.replace("{token}", token)


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
