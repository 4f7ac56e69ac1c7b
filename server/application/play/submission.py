"""A move that a player sends: it is played at once or queued; and moves that are taken back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from server.application.game.deciding import Decided, use_case
from server.application.game.look import sight_of
from server.application.game.situations import carry_out, decided, load, load_visible, sources
from server.house_rules.draft import decide
from server.house_rules.standing import Sight
from server.house_rules.submission import (
    Chosen,
    RequestedMove,
    check_in_order,
    check_owner,
    place,
    place_all,
)
from server.models import Account, Player, transaction
from server.vocabulary.errors import Problem


@dataclass(frozen=True)
class Submitted:
    """A move that was accepted: played now, or queued (`is_queued`). `notation` is the whole move as understood.

    `game` is what the player finds after it.
    """

    game: Sight
    notation: str
    is_queued: bool


def submit(game_id: str, player: Account, read: Callable[[], RequestedMove], named: Mapping[str, Any]) -> Submitted:
    """Commit a move of `player`, or queue it for its turn.

    The order of checks is fixed: the game and the seat are checked before the form, which `read` checks, and nothing
    secret is looked at before the move is irrevocable. `named` is the request as it came: a pawn that it names must be
    the player's, however malformed the rest is.
    """
    with transaction():
        situation = load_visible(game_id, player)
        check_owner(situation, player.id, named)
        requested = read()
        decision = carry_out(situation, lambda draft: place(draft, player.id, requested))
    chosen = decision.answer
    return Submitted(sight_of(decision.after, player.id), str(chosen.move), chosen.is_queued)


@use_case
def place_in(game_id: str, player: Player, requested: Sequence[RequestedMove]) -> Decided[list[Chosen | Problem]]:
    """Commit or queue moves, all in one decision.

    Beside each is the `Problem` if the ones before it leave no room for it.
    """
    outcome = decided(load(game_id), lambda draft: place_all(draft, player.id, requested))
    return outcome.then(attrgetter("answer"))


def check_moves(game_id: str, player: Player, requested: Sequence[RequestedMove]) -> None:
    """Raise the `Problem` of the first of these moves that cannot be sent after those before it, by public facts."""
    check_in_order(load(game_id), player.id, requested)


def check_move(game_id: str, player: Player, notation: str) -> str:
    """Return the whole notation of a move that `player` could send now; raise the `Problem` of `submit` otherwise."""
    requested = RequestedMove(notation, dry_run=True)
    return str(decide(load(game_id), lambda draft: place(draft, player.id, requested), sources()).answer.move)
