"""Players: adding them, their tokens, and the checks of what they write."""

import base64
import hashlib
import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from marshmallow import ValidationError
from marshmallow.validate import Email
from sqlalchemy import bindparam, delete, func, or_, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import make_transient_to_detached
from sqlalchemy.orm.attributes import manager_of_class

from server.application.errors import Problem
from server.application.game.access import game_parameters, has_queue_for, version_for
from server.application.people import names
from server.application.people.address_marks import address_mark
from server.application.people.blocked import has_blocked
from server.clock import unknown_zone, zones
from server.durations import rfc3339
from server.lookalikes import digest, is_visible
from server.models import (
    CALENDAR,
    SCOPES,
    Address,
    Invitation,
    Player,
    Seat,
    Token,
    change,
    rows_alone,
    session,
    table_of,
    transaction,
)
from server.runtime import now, runtime

TOKEN_PREFIX = "bt_"  # noqa: S105 the public part of every token
LONGEST_NIGHT = 12  # hours
LONGEST_LIFE = timedelta(days=3660)  # of a token that expires
MOST_TOKENS = 20  # of one player
# The first tokens had no checksum.
_TOKEN = re.compile(r"bt_(?P<secret>[a-z2-7]{32})(?P<sum>[a-z2-7]{6})?", re.ASCII)
_is_email = Email()
_TOKEN_COLUMNS = (Token.digest, Token.scopes, Token.used_on, Token.expires_at)
_PLAYER_COLUMNS = tuple(table_of(Player).columns)
_PLAYER_NAMES = tuple(column.name for column in _PLAYER_COLUMNS)
_WITH_TOKEN = select(*_TOKEN_COLUMNS, *_PLAYER_COLUMNS).join(Token.player).where(Token.digest == bindparam("digest"))
_WITH_TOKEN_AND_GAME = _WITH_TOKEN.add_columns(
    version_for(Player.id).label("version"), has_queue_for(Player.id).label("has_queue")
)
_WITH_EMAIL = select(Player).join(Address, Address.player_id == Player.id).where(Address.email == bindparam("email"))


def add_player(name: str, email: str, zone: str = "UTC") -> tuple[Player, str]:
    """Add a player; return them with their first token, shown this once. The caller vouches for the address."""
    with transaction():
        player = add_player_without_token(name, email, zone)
        _, secret = add_token(player.id)
    return player, secret


def add_player_without_token(name: str, email: str, zone: str = "UTC") -> Player:
    """Add a player without a token, who plays by mail alone."""
    name, email, zone = check_name(name), check_email(email), check_zone(zone)
    with transaction():
        if with_email(email) is not None:
            raise Problem("email-taken", f"{email} belongs to a player already.")
        names.check_free(name)
        player = Player(
            id=runtime().new_id("player"), name=name, skeleton=digest(name), email=email, zone=zone, created_at=now()
        )
        session.add(player)
        session.flush()
        session.add(Address(id=runtime().new_id("address"), email=email, player_id=player.id, confirmed_at=now()))
        claim_invitations(player, email)
    return player


def claim_invitations(player: Player, email: str) -> None:
    """Reserve for a player the seats that are reserved for their address, except those of hosts they have blocked."""
    query = select(Seat, Invitation).join(Seat.invitation).where(Invitation.address == address_mark(email))
    for seat, invitation in session.execute(query):
        seat.invited_id = None if has_blocked(player.id, invitation.host_id) else player.id
        invitation.guest_id, invitation.digest = player.id, None


def with_email(email: str) -> Player | None:
    """Return the player of this address, in any case of letters."""
    return session.scalar(_WITH_EMAIL, {"email": email.strip().lower()})


def names_of(ids: Iterable[str | None]) -> dict[str | None, str]:
    """Return the names of players, by their ids; None among the ids is nobody."""
    found = session.execute(select(Player.id, Player.name).where(Player.id.in_({each for each in ids if each})))
    return {row.id: row.name for row in found}


def named(player: str) -> Player:
    """Return the player of this id or mail address; `Problem` not-found when there is none, or none any more."""
    person = session.get(Player, player) or with_email(player)
    if person is None or person.gone_at is not None:
        listed = "`blackticket player list` shows ids and addresses"
        raise Problem("not-found", f"There is no player {player}; {listed}.")
    return person


# Tokens ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GoodToken:
    """A token that is good, with its player, and the version of the game that was asked for if they may see that.

    `has_queue`: they have a seat in that game, and its detectives have queued moves; only views of theirs depend on it.
    """

    digest: str
    scopes: tuple[str, ...]
    used_on: date | None
    player: Player
    version: str | None = None
    has_queue: bool = False


def authenticate(secret: str, game_id: str | None = None) -> GoodToken | None:
    """Return the token of these letters if it is good, with the version of a game if one is named."""
    digest = token_digest(secret)
    return None if digest is None else good_token(digest, game_id)


def good_token(digest: str, game_id: str | None = None) -> GoodToken | None:
    """Return the token of this digest like `authenticate`.

    One statement reads all that lets a request in, and without the session, because every request waits for it. The
    player is detached, so that no transaction reads them again.
    """
    query = _WITH_TOKEN if game_id is None else _WITH_TOKEN_AND_GAME
    found = rows_alone(query, digest=digest, **({} if game_id is None else game_parameters(game_id)))
    if not found or (found[0].expires_at is not None and found[0].expires_at <= now()):
        return None
    facts, first = found[0], len(_TOKEN_COLUMNS)
    player: Player = manager_of_class(Player).new_instance()  # the constructor would set column by column
    vars(player).update(zip(_PLAYER_NAMES, facts[first : first + len(_PLAYER_NAMES)], strict=True))
    make_transient_to_detached(player)
    of_game = () if game_id is None else (facts.version, bool(facts.has_queue))
    return GoodToken(facts.digest, tuple(facts.scopes.split()), facts.used_on, player, *of_game)


def token_digest(secret: str) -> str | None:
    """Return the hash by which a token is found; None for letters that cannot be a token."""
    return _digest(secret) if _is_token(secret) else None


def add_token(
    player_id: str, name: str = "first", scopes: Sequence[str] = SCOPES, expires_at: datetime | None = None
) -> tuple[Token, str]:
    """Make a token, and return it with the secret that is shown this once: `bt_`, 32 random letters, 6 of a checksum.

    The scope `calendar` stands alone: the secret of such a token is part of a URL, so it may do nothing else.
    `Problem` enough when the player has as many tokens as there may be.
    """
    name = check_line(name, "The name of a token", 40)
    if list(scopes) != [CALENDAR] and (not scopes or set(scopes) - set(SCOPES)):
        raise Problem("form", f"scopes: one or more of {', '.join(SCOPES)}; or {CALENDAR} alone.")
    if expires_at is not None and not now() < expires_at <= now() + LONGEST_LIFE:
        raise Problem("form", "expires_at: a time to come, within ten years.")
    letters = runtime().new_id("token") + runtime().new_id("token")
    secret = f"{TOKEN_PREFIX}{letters}{checksum(letters)}"
    token = Token(
        digest=_digest(secret),
        player_id=player_id,
        name=name,
        scopes=" ".join(scope for scope in (*SCOPES, CALENDAR) if scope in scopes),
        created_at=now(),
        expires_at=expires_at and expires_at.astimezone(UTC),
    )
    with transaction():
        _make_room_for_token(player_id)
        session.add(token)
        session.flush()
    return token, secret


def _make_room_for_token(player_id: str) -> None:
    """Remove the player's expired tokens where room is needed; `Problem` enough if there is none then."""
    session.get_one(Player, player_id, with_for_update={"key_share": True})
    mine = Token.player_id == player_id
    if (session.scalar(select(func.count()).select_from(Token).where(mine)) or 0) < MOST_TOKENS:
        return
    expired = delete(Token).where(mine, Token.expires_at <= now()).returning(Token.digest)
    if not change(expired).all():
        raise Problem("enough", f"A player has at most {MOST_TOKENS} tokens; take one away that is not used any more.")


def tokens_of(player: Player) -> list[dict[str, Any]]:
    """Return the player's tokens as `token_facts`, the oldest first."""
    query = select(Token).where(Token.player_id == player.id).order_by(Token.created_at, Token.id)
    return [token_facts(token) for token in session.scalars(query)]


def tokens_for_others(player: Player) -> list[dict[str, Any]]:
    """Return the player's tokens for the operator, who does not see when they were used."""
    return [{name: value for name, value in token.items() if name != "last_used"} for token in tokens_of(player)]


def token_facts(token: Token) -> dict[str, Any]:
    """Return a token as its owner sees it; `last_used` is a day."""
    return {
        "id": token.id,
        "name": token.name,
        "scopes": token.scopes.split(),
        "created_at": rfc3339(token.created_at),
        "expires_at": rfc3339(token.expires_at),
        "last_used": token.used_on and token.used_on.isoformat(),
    }


def revoke(token_id: str, player: Player | None = None) -> None:
    """Revoke a token, of any player where none is named; `Problem` not-found when there is none."""
    with transaction():
        token = session.scalar(select(Token).where(Token.id == token_id))
        if token is None or (player is not None and token.player_id != player.id):
            raise Problem("not-found", "There is no such token.")
        session.delete(token)


def store_use(token: GoodToken) -> None:
    """Store the day of the token's last use, in a transaction of its own, and once a day.

    The request is done by then, so a failure loses nothing but the day.
    """
    today = now().date()
    if token.used_on == today:
        return
    mine = (Token.digest == token.digest, or_(Token.used_on.is_(None), Token.used_on < today))
    statement = update(Token).where(*mine).values(used_on=today)
    with suppress(OperationalError), transaction():
        change(statement)


def checksum(letters: str) -> str:
    """Return the first 30 bits of the CRC-32 of `letters`, in base32; it tells a token from other text."""
    return base64.b32encode(zlib.crc32(letters.encode()).to_bytes(4))[:6].decode().lower()


def _is_token(secret: str) -> bool:
    match = _TOKEN.fullmatch(secret)
    return match is not None and match["sum"] in (None, checksum(match["secret"]))


# Checks ----------------------------------------------------------------------------------------


def check_zone(zone: str) -> str:
    """Return `zone` if there is such a time zone; `Problem` form otherwise."""
    if zone not in zones():
        raise Problem("form", unknown_zone(zone))
    return zone


def check_night(night: str) -> str | None:
    """Return the hours of a night as they are stored, None for `off`; `Problem` form when they make no sense."""
    if night.strip().lower() == "off":
        return None
    match = re.fullmatch(r"(\d\d?):(\d\d) ?(?:-|to) ?(\d\d?):(\d\d)", night.strip())
    hours = [int(part) for part in match.groups()] if match else []
    if not match or max(hours[0], hours[2]) > 23 or max(hours[1], hours[3]) > 59:
        raise Problem("form", f"{night!r} is no night; write one such as 23:00-07:00, or off.")
    begin, end = hours[0] * 60 + hours[1], hours[2] * 60 + hours[3]
    if not 0 < (end - begin) % (24 * 60) <= LONGEST_NIGHT * 60:
        raise Problem("form", f"A night has at most {LONGEST_NIGHT} hours, and more than none.")
    return "{:02}:{:02}-{:02}:{:02}".format(*hours)


def zone_like(text: str) -> str:
    """Return the time zone that `text` names in any case of letters; `text` itself where there is none."""
    return next((zone for zone in zones() if zone.lower() == text.lower()), text)


def check_name(name: str) -> str:
    """Return `name` as it may stand in a subject line and a header; `Problem` form if it cannot, or shows nothing."""
    tidy = check_line(name, "A name", 40)
    if not is_visible(tidy):
        raise Problem("form", "A name has at least one letter or digit.")
    return tidy


def name_like(text: str, otherwise: str = "Guest") -> str:
    """Return `text` as a name if it can be one, shortened if it is too long, or else `otherwise`."""
    try:
        return check_name(text.strip()[:40])
    except Problem:
        return otherwise


def check_line(text: str, what: str, longest: int) -> str:
    """Return `text` as it may stand in a mail and its header; `Problem` form otherwise. `what` begins its sentences."""
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
    """Return `email` in lower case; `Problem` form when it is no address, or one of this server itself."""
    try:
        if not email.isascii() or len(email) > 254 or "[" in email:  # a domain, and no address of a machine
            raise ValidationError("not plain")
        address = str(_is_email(email.strip())).lower()
    except ValidationError:
        raise Problem("form", f"{email!r} is no mail address; write one such as ada@example.org.") from None
    if runtime().settings.owns(address):
        raise Problem("form", f"{address} is an address of this server itself, and can be nobody else's.")
    return address


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
