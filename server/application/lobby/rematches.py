"""A rematch: those of the same people who want one play again, and the next of them is Mr. X."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from sqlalchemy import select

from server.application.game.deciding import Decided, use_case
from server.application.game.look import look_at_any
from server.application.game.situations import carry_out, load_visible
from server.application.game.state import rebuild
from server.application.lobby import opening, seats, starting
from server.application.people import admission
from server.house_rules import guest_rules
from server.house_rules.draft import Draft
from server.house_rules.situation import Situation
from server.house_rules.standing import Seat, Sight, Standing
from server.models import Game, Player, session
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext


@use_case
def rematch(game_id: str, player: Player) -> Decided[Sight]:
    """Return the one rematch of a game that is over, in which the player has a seat; the first who asks opens it.

    Rules, clock, visibility, label and seating are the same. Each person is invited one seat further, so that another
    is Mr. X; bots keep their seats. It begins when all have asked. The result of the game may still be provisional.
    A guest opens none that everybody sees.
    """
    # `open_game` locks its host as well; players are locked before games, as in `absences.lock_with_games`.
    session.get_one(Player, player.id, with_for_update={"key_share": True})
    game = load_visible(game_id, player)
    game.seat_of_player(player.id)
    if game.status != "over":
        raise Problem("still-playing", gettext("This game is not over; a rematch comes after it."), games=[game.id])
    if game.rematch_id is not None:
        return _find_seat(game.rematch_id, player)
    if not may_open(game, player):
        raise refusal("forbidden", "To open this rematch takes an address: add yours, or wait until another opens it.")
    return _opening(game, player).then(lambda following: _noted(game, following))


def may_open(game: Standing, player: Player) -> bool:
    """Return True if the player may open the rematch of a game: a guest only one that friends alone see."""
    is_let_in = not player.is_guest or admission.lets_guests_host()
    return is_let_in and guest_rules.may_host(game, is_guest=player.is_guest)


def is_held_back(game: Standing) -> bool:
    """Return True while a rematch has to wait: it would begin where Mr. X began here, and that is not told yet."""
    return game.turn is not None and not game.final and rebuild(game).is_set_up


def _opening(game: Situation, host: Player) -> Decided[Sight]:
    if is_held_back(game):
        raise refusal("game-not-running", "Where Mr. X began here is told when the result is final; ask again then.")
    return opening.open_game.decide(
        host,
        game.edition,
        options=game.options,
        seats=_seats(game),
        clock=game.clock,
        visibility=game.visibility,
        label=game.label,
        seating=game.seating,
        guests=game.guests,
        starts_when_full=True,
        position=session.scalar(select(Game.position).where(Game.id == game.id)),
        then=_begin_if_full(game, host),
    )


def _begin_if_full(game: Situation, host: Player) -> Callable[[Draft], None]:
    """Return the command that starts a new game in which bots have all other seats, as nobody is waited for."""
    begin = starting.begin(game, host.id)
    return lambda draft: begin(draft) if draft.game.is_complete else None


def _noted(game: Situation, following: Sight) -> Sight:
    """Note the rematch in the game that it follows; return it."""

    def note(draft: Draft) -> None:
        draft.game.rematch_id = following.id

    carry_out(game, note)
    return following


def _seats(game: Standing) -> list[dict[str, Any]]:
    """Return the seats of the rematch: each person one seat further."""
    sitting = [seat.player_id for seat in game.seats if seat.player_id]
    following = iter([*sitting[1:], *sitting[:1]])
    return [{"role": seat.role, **_wanted(seat, following)} for seat in game.seats]


def _wanted(seat: Seat, following: Iterator[str]) -> dict[str, Any]:
    if seat.player_id is None:
        return {"bot": seat.bot, "level": seat.level} if seat.bot else {}
    player_id = next(following)
    return {} if session.get_one(Player, player_id).gone_at else {"player": player_id}


def _find_seat(game_id: str, player: Player) -> Decided[Sight]:
    """Give the player their seat in a rematch that another opened, or any open one; return the rematch."""
    game = look_at_any(game_id, player)
    if game.seat_held_by(player.id) is not None:
        return Decided(lambda: game)
    with suppress(Problem):  # it has started, or all seats are taken or reserved for others
        return seats.join.decide(game_id, player, code=game.code)
    raise refusal("seat-taken", "There is a rematch of this game already, and no seat is left in it.")
