"""A command request: one mail with commands, who wrote it, and about which game."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from server import engine
from server.application.game import projection, reply_addresses
from server.application.game.look import look_at_any
from server.application.people.players import check_email, with_email
from server.house_rules.standing import Seat, Sight, Standing
from server.language import grammar
from server.mail.reading.message import Reading
from server.mail.trust.results import Authentication
from server.models import Incoming, Player, ReplyToken
from server.vocabulary.errors import Problem


def parse(reading: Reading) -> grammar.Parsed:
    """Return the commands of a mail."""
    return grammar.parse(reading.lines, reading.subject, wrapped_off=reading.wrapped_off, author=reading.from_name)


@dataclass(frozen=True)
class Mail:
    """A mail as it came: its row in the inbox, what was read in it, and how sure its sender is."""

    row: Incoming
    reading: Reading
    authentication: Authentication

    @cached_property
    def parsed(self) -> grammar.Parsed:
        """Return the commands of the mail."""
        return parse(self.reading)

    @property
    def names(self) -> set[str]:
        return {command.name for command in self.parsed.commands}

    @property
    def own_words(self) -> Sequence[str]:
        """Return the lines that its author wrote, with the subject if they wrote it."""
        return grammar.own_words(self.reading.lines, self.reading.subject)


class Place(NamedTuple):
    """A seat of a game."""

    game: Standing
    seat: Seat

    @staticmethod
    def of(game: Standing, player: Player) -> "Place":
        """Return the seat that a player holds in a game; `Problem` forbidden if they have none."""
        return Place(game, game.seat_of_player(player.id))


@dataclass(frozen=True)
class Request:
    """A mail with commands: its author, and the game that it is about.

    `token` is that of the reply address; None for a mail to the play address, or to an address that is no longer valid.
    `is_authentic`: the author was found to be who From says, as far as it takes to do what changes something;
    `has_passed`: as far as it takes to answer. `is_urgent`: the mail is answered at once, however many came before it
    from its author, if that is proved. `has_command`: its author wrote a command in it. `others`: games and seats of
    the player that the answer mentions.
    """

    row: Incoming
    reading: Reading
    token: ReplyToken | None
    game: Sight
    seat: Seat
    player: Player
    others: tuple[Place, ...] = ()
    is_authentic: bool = False
    has_passed: bool = False
    is_urgent: bool = False
    has_command: bool = False

    @property
    def is_proved(self) -> bool:
        """Return True if the player is known to have written the mail."""
        return self.token is not None or self.is_authentic

    @property
    def is_from_proven_sender(self) -> bool:
        """Return True if an answer goes to somebody who has written for certain, or whose domain says so."""
        return self.is_proved or self.has_passed

    @property
    def about(self) -> str:
        """Return the name of the question that alone has this address, see `reply_addresses.about`; else ""."""
        return reply_addresses.about(self.token, self.seat) if self.token else ""

    @property
    def is_stale(self) -> bool:
        """Return True if the mail answers a mail about an earlier round."""
        return self.game.status == "running" and self.token is not None and self.token.round != self.game.round

    def anew(self) -> "Request":
        """Return the request with the game as it is now, after something was done in it."""
        game = look_at_any(self.game.id, self.player)
        return replace(self, game=game, seat=game.seat_of_number(self.seat.number))

    def turned_to(self, place: Place | None) -> "Request":
        """Return the request as it is about another `place` from now on; the answer mentions the game before it."""
        if place is None:
            return self
        is_left = place.game.id != self.game.id and self.game.status != "over"
        is_still_theirs = self.player.id in (self.seat.player_id, self.seat.invited_id)
        others = (Place(self.game, self.seat), *self.others) if is_left and is_still_theirs else self.others
        game = look_at_any(place.game.id, self.player)
        return replace(self, game=game, seat=game.seat_of_number(place.seat.number), others=others)

    def queue(self) -> dict[str, str]:
        """Return the queued moves of the player's team, by their pawns."""
        return {queued.pawn: queued.notation for queued in self.game.queue}

    def view(self) -> engine.BoardView:
        """Return the engine's view of the game for the player; that of an open game is empty."""
        return projection.engine_view(self.game, projection.viewer_of(self.game, self.player))

    def legal_moves(self, pawn: str | None = None) -> list[engine.Move]:
        """Return the moves that the player may send now; those for a teammate's pawn only if `pawn` names it."""
        if self.is_stale:
            return []
        if pawn is not None and pawn not in self.seat.pawns:
            return [move for move in projection.covered_moves(self.game, self.player) if move.pawn == pawn]
        return projection.legal_moves(self.game, self.player)


# The author of a mail ----------------------------------------------------------------------------


_PLAIN = re.compile(r'[^\s"]+')  # can be quoted in a mail of ours


def sender_address(reading: Reading) -> str | None:
    """Return the one address in From, in lower case, if it could be a player's; else None."""
    try:
        (address,) = reading.from_addresses
        return check_email(address) if _PLAIN.fullmatch(address) else None
    except (Problem, ValueError):
        return None


def player_in_from(reading: Reading) -> Player | None:
    """Return the player to whom the one address in From belongs; it is not proved that they wrote."""
    return with_email(reading.from_addresses[0]) if len(reading.from_addresses) == 1 else None


def seat_of_token(game: Standing, token: ReplyToken) -> Seat | None:
    """Return the seat that the token acts for; None if it was printed for an earlier player, or nobody has the seat."""
    seat = next((seat for seat in game.seats if seat.number == token.seat), None)
    if seat is None or not (seat.is_taken or seat.is_reserved):
        return None
    return seat if reply_addresses.is_good(token, seat) else None


def counts_as_from(player: Player, in_from: Player | None, authentication: Authentication) -> bool:
    """Return True if a mail to a reply address of `player` counts as theirs; `in_from` is the player in From."""
    return in_from == player and not authentication.is_failing
