"""Answers that are pressed: the page behind a link of a mail sends what the link says as a mail.

It goes to the reply address of that mail, from the address of its reader, and is read like any other. Words beside a
move are kept for a day with an address of their own, so that its reader can pass them on; nobody else is shown them.
"""

from sqlalchemy import exists, select, update

from server.application.game import reply_addresses
from server.application.game.reply_addresses import PrintedToken, token_of
from server.application.mail import arrivals
from server.house_rules.standing import Seat as Place
from server.house_rules.standing import Standing
from server.models import Game, Player, ReplyToken, Seat, execute, session, transaction
from server.runtime import now, runtime
from server.vocabulary.durations import DAY
from server.vocabulary.labels import AUDIENCES, LABELS, MOVES, spoken

_LENGTH = 16  # letters of the hash of a reply token that name it in a link
_TALK = "talk"  # the name of the address with which words are kept, one a round


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


def words_of(token: ReplyToken, label: str) -> str | None:
    """Return what a label writes at a reply address; None for a move that is not asked about, and without talk."""
    if label in MOVES:
        offered = dict(zip(MOVES, (token.question or {}).get("offered", ()), strict=False))
        return offered.get(label)
    if label in LABELS:
        return LABELS[label]
    is_kept = token.talk is not None and token.created_at > now() - DAY
    return spoken(AUDIENCES[label], token.talk or "") if is_kept else None


def press(token: ReplyToken, label: str, words: str) -> None:
    """Send what a label writes to a reply address, and commit; what was kept is passed on once, however often."""
    reader = _reader(token)
    printed = PrintedToken(
        runtime().keyring.reply_token(token.game_id, token.seat, token.round, token.nonce),
        token.game_id, token.seat, token.round, token.nonce,
    )  # fmt: skip
    name = f"{AUDIENCES[label]}.{token.digest}" if label in AUDIENCES else runtime().new_id("page")
    session.rollback()  # the mail is stored in a transaction of its own
    header = f"From: <{reader}>\r\nTo: {printed.written}\r\nMessage-ID: <{name}@{runtime().settings.mail_domain}>\r\n"
    header += "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n"
    arrivals.store(f"{header}\r\n{words}\r\n".encode(), reader, [printed.written], "page")


def _reader(token: ReplyToken) -> str:
    """Return the address of the player or guest of the seat; "" if the token was printed for somebody before them."""
    seat = session.get_one(Seat, (token.game_id, token.seat))
    holder = seat.player_id or seat.invited_id
    if not token.nonce.startswith(seat.nonce):
        return ""
    if holder is not None:
        return session.get_one(Player, holder).email
    return (seat.invitation.email or "") if seat.invitation is not None else ""


# Words beside a move -----------------------------------------------------------------------------


def talk_token(game: Standing, seat: Place, round_: int) -> PrintedToken:
    """Return the token of the address with which the words of a player of this round are kept."""
    return token_of(game, seat, round_, _TALK)


def keep_talk(game: Standing, seat: Place, text: str) -> bool:
    """Keep what the player of a seat wrote beside a move; return False if that was done in this round before."""
    printed = talk_token(game, seat, reply_addresses.round_of(game))
    if session.get(ReplyToken, reply_addresses.digest_of(printed)) is not None:
        return False
    reply_addresses.store([printed])
    reply_addresses.row_of(printed).talk = text
    return True


def forget_talk() -> None:
    """Delete the words that were kept for a day, and those of players who do not have the seat any more."""
    seat = (Seat.game_id == ReplyToken.game_id) & (Seat.number == ReplyToken.seat)
    has_seat = exists().where(seat, ReplyToken.nonce.startswith(Seat.nonce))
    is_over = (ReplyToken.created_at <= now() - DAY) | ~has_seat
    with transaction():
        execute(update(ReplyToken).where(ReplyToken.talk.is_not(None), is_over).values(talk=None))
