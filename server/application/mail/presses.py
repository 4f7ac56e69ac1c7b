"""Answers that are pressed: the page behind a link of a question mail sends the word of the link as a mail.

It goes to the reply address of that mail, from the address of its reader, and is read like any other.
"""

from sqlalchemy import select

from server.application.game import reply_addresses
from server.application.game.reply_addresses import PrintedToken
from server.application.mail import arrivals
from server.models import Game, Player, ReplyToken, Seat, session
from server.runtime import runtime
from server.vocabulary.labels import LABELS

_LENGTH = 16  # letters of the hash of a reply token that name it in a link


def link_token(printed: PrintedToken) -> str:
    """Return the token of the links that answer the mail with this reply address; it does not tell that address."""
    return reply_addresses.mark(reply_addresses.ANSWER, reply_addresses.digest_of(printed)[:_LENGTH])


def find(token: str) -> ReplyToken | None:
    """Return the reply token that the token of a link is for; None if there is none, or nobody answers it any more."""
    beginning = reply_addresses.marked(token, reply_addresses.ANSWER)
    query = select(ReplyToken).where(ReplyToken.digest.startswith(beginning or "-"))
    found = session.scalar(query) if beginning else None
    return found if found is not None and _reader(found) else None


def name_of_game(token: ReplyToken) -> str:
    """Return the name of the game that an answer is about."""
    return session.get_one(Game, token.game_id).name


def press(token: ReplyToken, label: str) -> None:
    """Send the word of a label to a reply address, and commit."""
    reader = _reader(token)
    printed = PrintedToken(
        runtime().keyring.reply_token(token.game_id, token.seat, token.round, token.nonce),
        token.game_id, token.seat, token.round, token.nonce,
    )  # fmt: skip
    session.rollback()  # the mail is stored in a transaction of its own
    message_id = f"{runtime().new_id('page')}@{runtime().settings.mail_domain}"
    header = f"From: <{reader}>\r\nTo: {printed.written}\r\nMessage-ID: <{message_id}>\r\n"
    arrivals.store(f"{header}\r\n{LABELS[label]}\r\n".encode(), reader, [printed.written], "page")


def _reader(token: ReplyToken) -> str:
    """Return the address of the player or guest of the seat; "" if the token was printed for somebody before them."""
    seat = session.get_one(Seat, (token.game_id, token.seat))
    holder = seat.player_id or seat.invited_id
    if not token.nonce.startswith(seat.nonce):
        return ""
    if holder is not None:
        return session.get_one(Player, holder).email
    return (seat.invitation.email or "") if seat.invitation is not None else ""
