"""Players: adding and finding them, and the checks of their names and addresses."""

import re
import unicodedata
from collections.abc import Iterable

from marshmallow import ValidationError
from marshmallow.validate import Email
from sqlalchemy import ColumnElement, bindparam, exists, or_, select

from server.application.people import names, tokens
from server.clock import unknown_zone, zones
from server.models import Address, Block, Invitation, Message, Player, Seat, rows, session, transaction
from server.runtime import now, runtime
from server.runtime.address_marks import address_mark
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.lines import check_unlinked
from server.vocabulary.lookalikes import digest, first_ligature, is_visible, most_marks
from server.vocabulary.translation import current, gettext, pgettext
from server.vocabulary.words import quoted

LONGEST_NAME = 40  # characters
MOST_MARKS = 2  # on a letter of a name; more would cover the lines above and below
_is_email = Email()
_AT = select(Player.id, Player.name).join(Seat, Seat.player_id == Player.id).where(Seat.game_id == bindparam("game"))
_OF_THESE = select(Player.id, Player.name).where(Player.id.in_(bindparam("players", expanding=True)))
_WITH_EMAIL = select(Player).join(Address, Address.player_id == Player.id).where(Address.email == bindparam("email"))


def add_player(name: str, email: str, zone: str = "UTC") -> tuple[Player, str]:
    """Add a player; return them with their first token, shown this once. The caller vouches for the address."""
    with transaction():
        player = add_player_without_token(name, email, zone)
        _, secret = tokens.add(player.id)
    return player, secret


def add_player_without_token(name: str, email: str, zone: str = "UTC") -> Player:
    """Add a player without a token, who plays by mail alone."""
    name, email, zone = check_name(name), check_email(email), check_zone(zone)
    with transaction():
        check_new(name, email)
        player = Player(
            id=runtime().new_id("player"), name=name, skeleton=digest(name), email=email, zone=zone,
            language=current(), created_at=now(),
        )  # fmt: skip
        session.add(player)
        session.flush()
        session.add(Address(id=runtime().new_id("address"), email=email, player_id=player.id, confirmed_at=now()))
        claim_invitations(player, email)
    return player


def check_new(name: str, email: str) -> None:
    """Raise a `Problem` if a new player cannot have this name, or this address."""
    checked = check_name(name)
    if with_email(email) is not None:
        raise refusal("email-taken", "{email} belongs to a player already.", email=email)
    names.check_free(checked)


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
    people = [*{each for each in ids if each}]
    if not people:
        return {}
    return {row.id: row.name for row in rows(_OF_THESE, players=people)}


def names_at(game_id: str) -> dict[str | None, str]:
    """Return the names of the players of a game that have a seat there, by their ids."""
    return {row.id: row.name for row in rows(_AT, game=game_id)}


def named(player: str) -> Player:
    """Return the player of this id or mail address; `Problem` not-found when there is none, or none any more."""
    person = session.get(Player, player) or with_email(player)
    if person is None or person.gone_at is not None:
        listed = "`blackticket player list` shows ids and addresses"
        raise Problem("not-found", f"There is no player {player}; {listed}.")
    return person


# Checks ----------------------------------------------------------------------------------------


def check_known(player_id: str) -> str:
    """Return the id of a player; `Problem` form when there is none, or none any more."""
    if session.scalar(select(Player.id).where(Player.id == player_id, Player.gone_at.is_(None))) is None:
        raise refusal("form", "There is no player {player_id}.", player_id=quoted(player_id))
    return player_id


def check_name(name: str) -> str:
    """Return `name` as it may stand in a subject line, a header and a mail; `Problem` form if it cannot.

    Mail programs make no link of it, and nobody reads it as a command.
    """
    tidy = check_unlinked(name, gettext("A name"), LONGEST_NAME)
    if names.reads_as_command(tidy):
        sentence = gettext(
            "{name} reads as a command that players mail to this server; choose another name.", name=quoted(tidy)
        )
        raise Problem("form", sentence)
    if not is_visible(tidy):
        raise refusal("form", "A name has at least one letter or digit.")
    if most_marks(tidy) > MOST_MARKS:
        raise refusal("form", "A letter of a name has at most {most} accents or other marks.", most=MOST_MARKS)
    if (ligature := first_ligature(tidy)) is not None:
        letters = unicodedata.normalize("NFKC", ligature)
        raise refusal(
            "form", "A name has no character for several letters: write {letters} and not {ligature}.",
            letters=quoted(letters), ligature=quoted(ligature),
        )  # fmt: skip
    return tidy


def name_like(text: str, otherwise: str = "") -> str:
    """Return `text` as a name if it can be one, shortened if it is too long, or else `otherwise`, or `Guest`."""
    try:
        return check_name(text.strip()[:LONGEST_NAME])
    except Problem:
        return otherwise or pgettext("name", "Guest")


def check_email(email: str) -> str:
    """Return `email` in lower case; `Problem` form when it is no address, or one of this server itself."""
    try:
        if not email.isascii() or len(email) > 254 or "[" in email:  # a domain, and no address of a machine
            raise ValidationError("not plain")
        address = str(_is_email(email.strip())).lower()
    except ValidationError:
        sentence = gettext("{email} is no mail address; write one such as ada@example.org.", email=quoted(email))
        raise Problem("form", sentence) from None
    if runtime().settings.owns(address):
        sentence = gettext("{address} is an address of this server itself, and can be nobody else's.", address=address)
        raise Problem("form", sentence)
    return address


def has_blocked(player_id: str, other_id: str) -> bool:
    """Return True if the player wants no invitations from the other one now."""
    addresses = session.scalars(select(Address.email).where(Address.player_id == other_id)).all()
    named = or_(Block.blocked_id == other_id, Block.address.in_(list(map(address_mark, addresses))))
    query = select(Block.id).where(Block.player_id == player_id, Block.ended_at.is_(None), named)
    return session.scalar(query.limit(1)) is not None


def is_hidden_from(player_id: str | ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition of a message to all that a player does not read: its author was blocked when it was written.

    It stays hidden when the block ends, and what was said before the block stays to be read. So the messages that a
    player may read, and their numbers, never change afterwards.
    """
    lasted = (Block.created_at <= Message.at) & (Block.ended_at.is_(None) | (Block.ended_at > Message.at))
    block = exists().where(Block.player_id == player_id, Block.blocked_id == Message.player_id, lasted)
    return (Message.audience == "all") & block


LONGEST_NIGHT = 12  # hours


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
        raise refusal("form", "{night} is no night; write one such as 23:00-07:00, or off.", night=quoted(night))
    begin, end = hours[0] * 60 + hours[1], hours[2] * 60 + hours[3]
    if not 0 < (end - begin) % (24 * 60) <= LONGEST_NIGHT * 60:
        raise refusal("form", "A night has at most {hours} hours, and more than none.", hours=LONGEST_NIGHT)
    return "{:02}:{:02}-{:02}:{:02}".format(*hours)


def zone_like(text: str) -> str:
    """Return the time zone that `text` names in any case of letters; `text` itself where there is none."""
    return next((zone for zone in zones() if zone.lower() == text.lower()), text)
