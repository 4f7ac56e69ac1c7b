"""Reply addresses: each belongs to one seat and one round; a reminder prints the same one again.

Other addresses belong to one mail that the server sent: one for bounces, one that stops all mail to its reader, and one
at which somebody without an account accepts the offer of one.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from sqlalchemy import bindparam, func, select

from server.house_rules.standing import Seat, Standing
from server.models import ReplyToken, execute, insert_new, rows, session
from server.runtime import now, runtime
from server.settings import OPERATORS

MOST_IN_A_FIELD = 10  # of a hostile header more is not looked at
BOUNCE, STOP, OFFER = "bounce", "stop", "offer"  # what an address of one mail is for
REPORT = "report"  # what the page is for to which the mail of an invitation links
ANSWER = "answer"  # the same of the pages to which a question mail links
INVITATION = 0  # before the first round: an invitation, or a seat in a game that has not begun


@dataclass(frozen=True)
class PrintedToken:
    """A reply token as it stands in a mail, with its game, seat and round."""

    token: str
    game_id: str
    seat: int
    round: int
    nonce: str

    @property
    def address(self) -> str:
        """Return the address to answer to."""
        return bare(self.written)

    @property
    def name(self) -> str:
        """Return the name before that address; it holds the token where a mailbox has one address only."""
        named = self.written.partition(" <")
        return named[0] if named[1] else runtime().settings.mail_name

    @property
    def written(self) -> str:
        """Return both for a text: the address alone, or `name <address>` where the token is in the name."""
        return _with(self.token)


def round_of(game: Standing) -> int:
    """Return the round that a mail about `game` belongs to now."""
    return INVITATION if game.status == "open" else game.round or INVITATION


def token_of(game: Standing, seat: Seat, round_: int, about: str = "") -> PrintedToken:
    """Return the token for answers to a mail about this round of the seat; it is the same until the seat changes hands.

    With `about`, at most 16 letters, one for answers to a question about that and to nothing else.
    """
    nonce = f"{seat.nonce}{about}"
    token = runtime().keyring.reply_token(game.id, seat.number, round_, nonce)
    return PrintedToken(token, game.id, seat.number, round_, nonce)


def is_good(token: ReplyToken, seat: Seat) -> bool:
    """Return True if the token was printed for the player who holds the seat now."""
    return token.nonce.startswith(seat.nonce)


def about(token: ReplyToken, seat: Seat) -> str:
    """Return the one question that a token of the seat answers; empty for a token that may answer anything."""
    return token.nonce.removeprefix(seat.nonce)


def count_questions(token: ReplyToken, seat: Seat, beginning: str) -> int:
    """Return how many questions of the same round that begin so have an address of their own."""
    same = (ReplyToken.game_id == token.game_id, ReplyToken.seat == token.seat, ReplyToken.round == token.round)
    such = ReplyToken.nonce.startswith(seat.nonce + beginning)
    return session.scalar(select(func.count()).select_from(ReplyToken).where(*same, such)) or 0


def store(printed: Iterable[PrintedToken]) -> None:
    """Store tokens by their hashes, in the current transaction and before anybody can answer to them.

    Another sender may be about to print the same ones. They are stored in one order, so that the two cannot wait for
    each other for ever.
    """
    new_rows = [
        {
            "digest": _digest(token.token),
            "game_id": token.game_id,
            "seat": token.seat,
            "go": token.round,
            "nonce": token.nonce,
            "created_at": now(),
        }
        for token in printed
    ]
    if new_rows:
        execute(insert_new(ReplyToken), [*sorted(new_rows, key=itemgetter("digest"))])


def row_of(printed: PrintedToken) -> ReplyToken:
    """Return the row of a token that was stored."""
    return session.get_one(ReplyToken, _digest(printed.token))


def digest_of(printed: PrintedToken) -> str:
    """Return the hash by which a token is stored."""
    return _digest(printed.token)


def find(recipient: str) -> ReplyToken | None:
    """Return the printed token of the address `recipient`, even if it is not good any more."""
    digest = _digest_in(recipient)
    return session.scalar(_TOKEN_OF, {"digest": digest}) if digest else None


def seat_of(recipient: str) -> tuple[str, int] | None:
    """Return the id of the token's game and the number of its seat; None if `recipient` was never printed."""
    digest = _digest_in(recipient)
    printed = rows(_SEAT, digest=digest) if digest else ()
    return (printed[0].game_id, printed[0].seat) if printed else None


_TOKEN_OF = select(ReplyToken).where(ReplyToken.digest == bindparam("digest"))
_SEAT = select(ReplyToken.game_id, ReplyToken.seat).where(ReplyToken.digest == bindparam("digest"))


def _digest_in(recipient: str) -> str | None:
    match = re.fullmatch(_pattern(runtime().settings.reply_address, _TOKEN), recipient.strip(), re.IGNORECASE)
    return _digest(match[1].lower()) if match else None


def is_play(recipient: str) -> bool:
    """Return True if `recipient` is the address for commands without a token."""
    return recipient.strip().lower() == runtime().settings.play_address.lower()


def is_ours(recipient: str) -> bool:
    """Return True if mail to `recipient` is for this server: a printed address, the play address, or the operator's."""
    return is_play(recipient) or is_operators(recipient) or has_token(recipient)


def is_operators(recipient: str) -> bool:
    """Return True if `recipient` is an address that every mail domain has: `postmaster` or `abuse`.

    RFC 5321 wants `postmaster` taken without a domain too.
    """
    name, _, domain = bare(recipient).strip().lower().partition("@")
    return name in OPERATORS and domain in (runtime().settings.mail_domain, "" if name == "postmaster" else None)


def has_token(recipient: str) -> bool:
    """Return True if `recipient` was printed in a mail or on its envelope."""
    return seat_of(recipient) is not None or of_mail(recipient) is not None


# Addresses of one mail ---------------------------------------------------------------------------


def mark(purpose: str, mail_id: str) -> str:
    """Return a token that nobody can make up: for bounces of a mail of the outbox (`BOUNCE`), `STOP`, `REPORT`.

    For `ANSWER` it is of the beginning of a hash, in the place of a mail.
    """
    return mail_id + runtime().keyring.reply_token(purpose, mail_id)


def marked(token: str, purpose: str) -> str | None:
    """Return the id of the mail whose token for `purpose` this is, or None."""
    mail_id = token.strip().lower()[:_LENGTH]
    return mail_id if hmac.compare_digest(mark(purpose, mail_id).encode(), token.strip().lower().encode()) else None


def of_mail(recipient: str) -> tuple[str, str] | None:
    """Return the purpose, and the id of the mail, that `recipient` is the address for; None for another address."""
    settings = runtime().settings
    forms = (BOUNCE, settings.bounce_address), (STOP, settings.reply_address), (OFFER, settings.reply_address)
    for purpose, form in forms:
        match = re.fullmatch(_pattern(form, _MARK), recipient.strip(), re.IGNORECASE)
        mail_id = marked(match[1], purpose) if match and match.groups() else None
        if mail_id is not None:
            return purpose, mail_id
    return None


def bounce_address(mail_id: str) -> str:
    """Return the envelope sender of a mail, to which the recipient's server sends bounces."""
    return runtime().settings.bounce_address.replace("{token}", mark(BOUNCE, mail_id))


def stop_address(token: str) -> str | None:
    """Return an address that stops all mail to the reader of the mail so marked; None where a mailbox has but one."""
    form = runtime().settings.reply_address
    return None if " <" in form else form.replace("{token}", token)


def offer_address(answer_id: str) -> tuple[str, str]:
    """Return the name and the address to which somebody without an account answers."""
    written = _with(mark(OFFER, answer_id))
    named = written.partition(" <")
    return (named[0] if named[1] else runtime().settings.mail_name), bare(written)


def in_names(field: str) -> list[str]:
    """Return the reply addresses that the names in a To or Cc hold, where tokens are printed in names."""
    form = runtime().settings.reply_address
    if " <" not in form or bare(form).lower() not in field.lower():
        return []
    words = list(dict.fromkeys(word.lower() for word in re.findall(rf"\b(?:{_TOKEN}|{_MARK})\b", field, re.IGNORECASE)))
    return [address for address in map(_with, words[:MOST_IN_A_FIELD]) if find(address) is not None or of_mail(address)]


def may_lack_token(recipients: Iterable[str]) -> bool:
    """Return True if one of them is the reply address that has its token in the name: some mail programs drop names."""
    form = runtime().settings.reply_address
    return " <" in form and bare(form).lower() in map(str.lower, recipients)


def bare(form: str) -> str:
    """Return the address of `name <address>`, or of an address alone."""
    return form.partition(" <")[2].removesuffix(">") or form


_LENGTH = 16
_TOKEN = "[a-z2-7]{16}"  # noqa: S105 what one looks like
_MARK = "[a-z2-7]{32}"


def _pattern(form: str, token: str) -> str:
    return re.escape(form).replace(re.escape("{token}"), f"({token})")


def _with(token: str) -> str:
    """Return a reply address in the form of the setting, `name <address>` or the address alone."""
    return runtime().settings.reply_address.replace("{token}", token)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
