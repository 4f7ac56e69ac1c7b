"""Start a game, when every seat is taken."""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import aliased

from server.application.game.deciding import Decided, use_case
from server.application.game.look import sight_of
from server.application.game.projection import invited_address
from server.application.game.situations import decided, load_visible
from server.application.game.state import edition_of
from server.application.people import players
from server.house_rules.before_start import check_may_arrange
from server.house_rules.dealing import deal_and_begin
from server.house_rules.draft import Decision, Draft
from server.house_rules.standing import Seat, Sight, Standing
from server.models import Game, Message, Player, execute, session
from server.models import Seat as SeatRow
from server.vocabulary.errors import Problem
from server.vocabulary.translation import gettext, ngettext, pgettext
from server.vocabulary.words import join, pawn_names


@use_case
def start(game_id: str, player: Player) -> Decided[Sight]:
    """Start the game: deal, and begin the first phase. Only the host may, and only when every seat is taken."""
    game = load_visible(game_id, player)
    check_may_arrange(game, player.id, "Only the host starts the game.")
    missing = [seat.number for seat in game.seats if not seat.is_taken]
    if missing:
        sentence = gettext("The game cannot start: {why}.", why=_why(game, player))
        raise Problem("seats-open", sentence, open=missing)
    begun = decided(game, begin(game))
    return begun.then(lambda decision: with_messages(decision, player))


def when_full(game: Standing, newcomer: Player, take_seat: Callable[[Draft], None]) -> Callable[[Draft], None]:
    """Return `take_seat`, with the start of the game if the newcomer takes its last seat and it starts by itself."""
    if not game.starts_when_full:
        return take_seat
    begin_it = begin(game, newcomer.id)

    def command(draft: Draft) -> None:
        take_seat(draft)
        if draft.game.is_complete:
            begin_it(draft)

    return command


def begin(game: Standing, *newcomers: str) -> Callable[[Draft], None]:
    """Return the command that starts a game; `newcomers` take their seats before it."""
    edition, last = edition_of(game), _last_as_mr_x(game, *newcomers)
    return lambda draft: deal_and_begin(draft, edition, last)


def with_messages(decision: Decision[Any], player: Player) -> Sight:
    """Give earlier messages to the seats that their authors have now; return the game as the player finds it."""
    for seat in decision.after.seats:
        was = decision.before.seat_held_by(seat.player_id)
        if was is not None and was.number != seat.number:
            theirs = (Message.game_id == decision.after.id, Message.player_id == seat.player_id)
            execute(update(Message).where(*theirs).values(seat=seat.number))
    return sight_of(decision.after, player.id)


def _last_as_mr_x(game: Standing, *newcomers: str) -> Mapping[str, float]:
    """Return for a rotation when each of the players was Mr. X last, in games with another of them."""
    if game.seating != "rotation":
        return {}
    people = [*newcomers, *(seat.player_id for seat in game.seats if seat.player_id)]
    own, other = aliased(SeatRow), aliased(SeatRow)
    query = (
        select(own.player_id, func.max(Game.started_at))
        .join(Game, Game.id == own.game_id)
        .join(other, other.game_id == own.game_id)
        .where(own.number == 1, own.player_id.in_(people), Game.started_at.is_not(None))
        .where(other.player_id.in_(people), other.player_id != own.player_id)
        .group_by(own.player_id)
    )
    return {player_id: at.timestamp() for player_id, at in session.execute(query) if player_id and at}


def _why(game: Standing, host: Player) -> str:
    """Return which seats nobody has taken, and whose answer is missing, as `host` named them."""
    free = [_called(seat) for seat in game.seats if seat.is_free]
    reserved = [seat for seat in game.seats if not seat.is_taken and seat.is_reserved]
    names = players.names_of(_guest(seat) for seat in reserved)
    said = [ngettext("{seats} is open", "{seats} are open", len(free), seats=join(free))] if free else []
    for seat in reserved:
        who = invited_address(seat, host) or names.get(_guest(seat)) or gettext("somebody")
        said.append(gettext("{who} has not accepted {seat} yet", who=who, seat=_called(seat)))
    return reduce(lambda first, last: pgettext("clauses", "{first}, and {last}", first=first, last=last), said)


def _guest(seat: Seat) -> str | None:
    """Return the player who was invited by name, None for the reader of an address, who stays unknown."""
    if seat.invitation is None:
        return seat.invited_id
    return seat.invitation.guest_id if seat.invitation.email is None else None


def _called(seat: Seat) -> str:
    """Return `seat 3 (Red and Green)`, or `seat 3` before the pawns are drawn."""
    if seat.is_to_be_drawn:
        return gettext("seat {number}", number=seat.number)
    return gettext("seat {number} ({pawns})", number=seat.number, pawns=pawn_names(seat.pawns))
