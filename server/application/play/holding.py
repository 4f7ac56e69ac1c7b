"""Held moves: a player holds moves, plays them before their time, or stops them; `house_rules/holding.py` decides."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from operator import attrgetter

from server.application.game.deciding import Decided, use_case
from server.application.game.situations import carry_out, decided, load, load_visible
from server.house_rules import holding
from server.house_rules.holding import Placed
from server.house_rules.standing import HeldMove, Seat, Standing
from server.house_rules.submission import RequestedMove, check_owner, place
from server.models import Player, transaction
from server.runtime import runtime
from server.vocabulary.preferences import ALWAYS


def length(game: Standing, seat: Seat) -> timedelta | None:
    """Return how long a move of the seat is held; None where moves of this game are not held."""
    return holding.length(game, seat, runtime().settings.hold)


@use_case
def hold(game_id: str, player: Player, requested: Sequence[RequestedMove], wait: timedelta) -> Decided[list[HeldMove]]:
    """Hold moves of the player together for so long; they are played then unless they are stopped."""
    outcome = decided(load(game_id), lambda draft: holding.put_on_hold(draft, player.id, requested, wait))
    return outcome.then(attrgetter("answer"))


@use_case
def play_now(game_id: str, player_id: str, name: str | None = None) -> Decided[list[Placed]]:
    """Play or queue the held moves of a player, or those of the hold of that name; `Problem` form if none waits."""
    return decided(load(game_id), lambda draft: holding.play_held(draft, player_id, name)).then(attrgetter("answer"))


@use_case
def call_off(game_id: str, player_id: str, name: str | None = None) -> Decided[list[HeldMove]]:
    """Forget the held moves of a player, or those of the hold of that name; `Problem` form if none waits."""
    return decided(load(game_id), lambda draft: holding.let_go(draft, player_id, name)).then(attrgetter("answer"))


def submit(game_id: str, player: Player, read: Callable[[], RequestedMove], named: Mapping[str, object]) -> None:
    """Do what `submission.submit` does with a move of a page, or hold it if the player wishes that of all.

    Where moves cannot be held it is played at once: on a page nobody could be asked once more.
    """
    with transaction():
        situation = load_visible(game_id, player)
        check_owner(situation, player.id, named)
        requested = read()
        seat = situation.seat_of_player(player.id)
        wait = length(situation, seat) if player.hold == ALWAYS else None
        if wait is not None and holding.may_wait(situation, player.id, [requested]):
            carry_out(situation, lambda draft: holding.put_on_hold(draft, player.id, [requested], wait))
        else:
            carry_out(situation, lambda draft: place(draft, player.id, requested))
