"""Reply addresses: each belongs to one seat and one go of it, and is printed the same again in a reminder.

Besides there are addresses that belong to one mail we sent: reports about it come back to one of them, and its reader
wants no more mail who writes to the other.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from sqlalchemy import bindparam, func, select

from server.models import Game, ReplyToken, Seat, insert_new, rows, session
from server.runtime import now, runtime
from server.settings import OPERATORS

MOST_IN_A_FIELD = 10  # of a hostile header more is not looked at
BOUNCE, STOP = "bounce", "stop"  # what an address of one mail is for
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
        return bare(self.written)

    @property
    def name(self) -> str:
        """The name before that address; the token is in it where a mailbox has one address only."""
        named = self.written.partition(" <")
        return named[0] if named[1] else runtime().settings.mail_name

    @property
    def written(self) -> str:
        """Both as they are told in a text: the address alone, or `name <address>` where the token is in the name."""
        return _with(self.token)


def go_of(game: Game) -> int:
    """The go that a mail about `game` as it stands now belongs to."""
    return INVITATION if game.status == "open" else game.round or INVITATION


def token_of(game: Game, seat: Seat, go: int, about: str = "") -> PrintedToken:
    """The token for answers to a mail about `go` of the seat: always the same one, until the seat changes hands.

    With `about`, at most 16 letters, one for answers to a question about that and to nothing else.
    """
    nonce = f"{seat.nonce}{about}"
    token = runtime().keyring.reply_token(game.id, seat.number, go, nonce)
    return PrintedToken(token, game.id, seat.number, go, nonce)


def is_good(token: ReplyToken, seat: Seat) -> bool:
    """Whether the seat is still in the hands for which the token was printed."""
    return token.nonce.startswith(seat.nonce)


def about(token: ReplyToken, seat: Seat) -> str:
    """The question that a token of the seat is for, and no other; empty for one that is for anything."""
    return token.nonce.removeprefix(seat.nonce)


def asked(token: ReplyToken, seat: Seat, beginning: str) -> int:
    """How many questions of the same go, of those that begin so, have an address of their own."""
    same = (ReplyToken.game_id == token.game_id, ReplyToken.seat == token.seat, ReplyToken.go == token.go)
    such = ReplyToken.nonce.startswith(seat.nonce + beginning)
    return session.scalar(select(func.count()).select_from(ReplyToken).where(*same, such)) or 0


def remember(printed: Iterable[PrintedToken]) -> None:
    """Keep tokens by their hashes, in the current transaction and before anybody can answer to them.

    Another sender may be about to print the same ones. In one order, so that neither waits for the other for ever.
    """
    given = [
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
    if given:
        insert_new(ReplyToken, *sorted(given, key=itemgetter("digest")))


def kept(printed: PrintedToken) -> ReplyToken:
    """The row of a token that was remembered."""
    return session.get_one(ReplyToken, _digest(printed.token))


def find(recipient: str) -> ReplyToken | None:
    """The printed token `recipient` is the address of, be it still good or not."""
    digest = _digest_in(recipient)
    return session.scalar(_TOKEN_OF, {"digest": digest}) if digest else None


def game_of(recipient: str) -> str | None:
    """The id of the game that the token is of; None where `recipient` is the address of none that was printed."""
    digest = _digest_in(recipient)
    found = rows(_GAME, digest=digest) if digest else ()
    return found[0].game_id if found else None


# Asked for every mail that comes, so they are built once; the game twice, and without an object.
_TOKEN_OF = select(ReplyToken).where(ReplyToken.digest == bindparam("digest"))
_GAME = select(ReplyToken.game_id).where(ReplyToken.digest == bindparam("digest"))


def _digest_in(recipient: str) -> str | None:
    match = re.fullmatch(_pattern(runtime().settings.reply_address, _TOKEN), recipient.strip(), re.IGNORECASE)
    return _digest(match[1].lower()) if match else None


def is_play(recipient: str) -> bool:
    """Whether `recipient` is the address for commands without a token."""
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
    """Whether `recipient` is an address that was printed, in a mail or on its envelope."""
    return game_of(recipient) is not None or of_mail(recipient) is not None


# Addresses of one mail ---------------------------------------------------------------------------


def mark(purpose: str, mail_id: str) -> str:
    """A token for one mail of the outbox that nobody can make up: for reports about it (`BOUNCE`), or `STOP`."""
    return mail_id + runtime().keyring.reply_token(purpose, mail_id)


def marked(token: str, purpose: str) -> str | None:
    """The id of the mail whose token for `purpose` this is."""
    mail_id = token.strip().lower()[:_LENGTH]
    return mail_id if hmac.compare_digest(mark(purpose, mail_id).encode(), token.strip().lower().encode()) else None


def of_mail(recipient: str) -> tuple[str, str] | None:
    """The purpose, and the id of the mail, that `recipient` is the address for."""
    settings = runtime().settings
    for purpose, form in ((BOUNCE, settings.bounce_address), (STOP, settings.reply_address)):
        match = re.fullmatch(_pattern(form, _MARK), recipient.strip(), re.IGNORECASE)
        mail_id = marked(match[1], purpose) if match and match.groups() else None
        if mail_id is not None:
            return purpose, mail_id
    return None


def bounce_address(mail_id: str) -> str:
    """The envelope sender of a mail, to which its recipient's server reports."""
    return runtime().settings.bounce_address.replace("{token}", mark(BOUNCE, mail_id))


def stop_address(mail_id: str) -> str | None:
    """An address that ends all mail to who got this one; None where a mailbox has one address only."""
    form = runtime().settings.reply_address
    return None if " <" in form else form.replace("{token}", mark(STOP, mail_id))


def in_names(field: str) -> list[str]:
    """The reply addresses that the To or Cc of a mail holds in its names, where tokens are printed there."""
    form = runtime().settings.reply_address
    if " <" not in form or bare(form).lower() not in field.lower():
        return []
    words = list(dict.fromkeys(word.lower() for word in re.findall(rf"\b{_TOKEN}\b", field, re.IGNORECASE)))
    return [address for address in map(_with, words[:MOST_IN_A_FIELD]) if find(address) is not None]


def may_lack_token(recipients: Iterable[str]) -> bool:
    """Whether one of them is the address of replies where tokens are in the name, which not every program keeps."""
    form = runtime().settings.reply_address
    return " <" in form and bare(form).lower() in map(str.lower, recipients)


def bare(form: str) -> str:
    """The address of `name <address>`, or of an address alone."""
    return form.partition(" <")[2].removesuffix(">") or form


_LENGTH = 16
_TOKEN = "[a-z2-7]{16}"  # noqa: S105 what one looks like
_MARK = "[a-z2-7]{32}"


def _pattern(form: str, token: str) -> str:
    return re.escape(form).replace(re.escape("{token}"), f"({token})")


def _with(token: str) -> str:
    """A reply address as the setting has it, `name <address>` or the address alone."""
    return runtime().settings.reply_address.replace("{token}", token)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
