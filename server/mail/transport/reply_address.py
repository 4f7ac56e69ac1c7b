"""The reply address of the mail that a player answers, if their mail program has left out the name that it stands in.

It is found by our Message-ID that the answer follows. As everybody who got the answer can read that, it counts only
from the player to whom our mail went; what they may do with the address is for `dispatch` to say, as ever.
"""

import re
from collections.abc import Iterator

from sqlalchemy import select

from server.application.game import reply_addresses
from server.application.game.as_of import of_standing
from server.application.game.look import standing_of
from server.application.game.reply_addresses import INVITATION, token_of
from server.house_rules.standing import Seat, Standing
from server.mail.commands import questions, sending
from server.mail.reading.headers import Headers
from server.mail.writing import seating
from server.models import Incoming, Outgoing, Player, ReplyToken, session
from server.runtime import runtime


def reply_address(headers: Headers, player: Player) -> str | None:
    """Return the address printed in the newest mail to `player` that the mail with this header follows, or None."""
    for mail_id in _followed(headers):
        row = session.get(Outgoing, mail_id)
        address = _printed_in(row, player) if row is not None and row.player_id == player.id else None
        if address is not None:
            return address
    return None


def own_mail_ids(field: str) -> list[str]:
    """Return the ids of mails of ours that a header field names, in its order."""
    return re.findall(rf"<([a-z2-7]{{16}})@{re.escape(runtime().settings.mail_domain)}>", field)


def _followed(headers: Headers) -> Iterator[str]:
    """Yield the ids of mails of ours, beginning with the one that was answered."""
    for name in ("in-reply-to", "references"):
        for value in headers.get(name, ())[:1]:
            yield from own_mail_ids(value)[: -reply_addresses.MOST_IN_A_FIELD - 1 : -1]


def _printed_in(row: Outgoing, player: Player) -> str | None:
    game = None if row.game is None else standing_of(row.game)
    seat = seating.find_seat(game, player) if game is not None else None
    if game is None or seat is None or row.event is None:
        return None
    about = _about(row)
    round_ = _round_asked_in(game, seat, about) if about else None
    if round_ is None:
        about, round_ = "", of_standing(game, row.event).phase[1] or INVITATION
    address = token_of(game, seat, round_, about).written
    return address if reply_addresses.find(address) is not None else None


def _about(row: Outgoing) -> str:
    """Return the name of the question that a mail may have asked, at an address of its own."""
    if row.kind == "vote":
        return row.cause
    written = session.get(Incoming, row.cause) if row.cause else None
    if written is None:
        return ""
    return questions.name_of(written.id) if written.author is None else sending.about_sender(written)


def _round_asked_in(game: Standing, seat: Seat, about: str) -> int | None:
    mine = (ReplyToken.game_id == game.id, ReplyToken.seat == seat.number, ReplyToken.nonce == seat.nonce + about)
    return session.scalar(select(ReplyToken.round).where(*mine).order_by(ReplyToken.created_at.desc()).limit(1))
