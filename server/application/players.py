"""Players: adding one, and telling who a token belongs to."""

import hashlib
import re
import unicodedata
from zoneinfo import available_timezones

from marshmallow import ValidationError
from marshmallow.validate import Email
from sqlalchemy import bindparam, select

from server.application.errors import Problem
from server.models import Player, Token, session, transaction
from server.runtime import now, runtime

TOKEN_PREFIX = "bt_"  # noqa: S105 the public part of every token
_is_email = Email()
# Every request begins with this, so it is built once.
_WITH_TOKEN = select(Player).join(Token, Token.player_id == Player.id).where(Token.digest == bindparam("digest"))


def add_player(name: str, email: str, zone: str = "UTC") -> tuple[Player, str]:
    """A new player and his first token, which is shown this once. The caller vouches for the address."""
    name, email = check_name(name), check_email(email)
    if zone not in available_timezones():
        raise Problem("form", f"{zone!r} is no time zone; write one such as Europe/London.")
    secret = TOKEN_PREFIX + runtime().new_id("token") + runtime().new_id("token")
    with transaction():
        if session.scalar(select(Player.id).where(Player.email == email)):
            raise Problem("email-taken", f"{email} belongs to a player already.")
        player = Player(id=runtime().new_id("player"), name=name, email=email, zone=zone, created_at=now())
        session.add(player)
        session.flush()
        session.add(Token(digest=_digest(secret), player_id=player.id, created_at=now()))
    return player, secret


def authenticate(secret: str) -> Player | None:
    """The player a bearer token belongs to."""
    return session.scalar(_WITH_TOKEN, {"digest": _digest(secret)})


def with_email(email: str) -> Player | None:
    """The player whose address this is, whatever its case."""
    return session.scalar(select(Player).where(Player.email == email.strip().lower()))


def check_name(name: str) -> str:
    """`name` as it may stand in a subject line and a header; `Problem` form otherwise."""
    return check_line(name, "A name", 40)


def check_line(text: str, what: str, longest: int) -> str:
    """`text` as it may stand in a mail, header included; `Problem` form otherwise. `what` begins its sentences."""
    tidy = re.sub(" +", " ", unicodedata.normalize("NFC", text)).strip(" ")
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn") for letter in tidy):
        raise Problem("form", f"{what} is one line of letters, without line breaks or control characters.")
    # An encoded word would turn into something else, a line break perhaps, in the header of a mail.
    if "=?" in tidy or re.search(r'[<>@"\\]', tidy):
        raise Problem("form", f'{what} cannot contain "=?" or any of < > @ " and \\.')
    if not 1 <= len(tidy) <= longest:
        raise Problem("form", f"{what} has 1 to {longest} characters.")
    return tidy


def check_email(email: str) -> str:
    """`email` in lower case; `Problem` form when it is no address."""
    try:
        if not email.isascii() or len(email) > 254:
            raise ValidationError("not plain")
        return str(_is_email(email.strip())).lower()
    except ValidationError:
        raise Problem("form", f"{email!r} is no mail address; write one such as ada@example.org.") from None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
