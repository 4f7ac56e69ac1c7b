"""A move that a player sends: it is played at once or queued; and moves that are taken back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from server import engine
from server.application.decisions import queue
from server.application.decisions.draft import Draft
from server.application.decisions.situation import Situation
from server.application.decisions.submission import RequestedMove, check_in_order, check_owner, place
from server.application.game.situations import carry_out, load, load_seen
from server.models import Game, Player, session, transaction


@dataclass(frozen=True)
class Submitted:
    """A move that was accepted: played now, or queued (`is_queued`). `notation` is the whole move as understood.

    `state` is the state of the game after it.
    """

    game_id: str
    state: engine.Game
    notation: str
    is_queued: bool

    @property
    def game(self) -> Game:
        """Return the game as it is after the move."""
        return session.get_one(Game, self.game_id)


def submit(game_id: str, player: Player, read: Callable[[], RequestedMove], named: Mapping[str, Any]) -> Submitted:
    """Commit a move of `player`, or queue it for its turn.

    The order of checks is fixed: the game and the seat are checked before the form, which `read` checks, and nothing
    secret is looked at before the move is irrevocable. `named` is the request as it came: a pawn that it names must be
    the player's, however malformed the rest is.
    """
    with transaction():
        situation = load_seen(game_id, player)
        check_owner(situation, player.id, named)
        return _place(situation, player, read())


def place_in(game: Game, player: Player, requested: RequestedMove) -> Submitted:
    """Commit or queue a move whose form is known, within a transaction that is already open."""
    return _place(load(game.id), player, requested)


def check_moves(game: Game, player: Player, requested: Sequence[RequestedMove]) -> None:
    """Raise the `Problem` of the first of these moves that cannot be sent after those before it, by public facts."""
    check_in_order(load(game.id), player.id, requested)


def check_move(game: Game, player: Player, notation: str) -> str:
    """Return the whole notation of a move that `player` could send now; raise the `Problem` of `submit` otherwise."""
    return place_in(game, player, RequestedMove(notation, dry_run=True)).notation


def take_back(game_id: str, player: Player) -> int:
    """Delete the queued moves of `player`; return how many there were."""
    with transaction():
        return carry_out(load_seen(game_id, player), partial(_take_back, player.id)).answer


def _place(situation: Situation, player: Player, requested: RequestedMove) -> Submitted:
    decision = carry_out(situation, lambda draft: place(draft, player.id, requested))
    assert decision.after.state is not None
    move, _, is_queued = decision.answer
    return Submitted(situation.id, decision.after.state, str(move), is_queued)


def _take_back(player_id: str, draft: Draft) -> int:
    return queue.take_back(draft, draft.game.seat_of_player(player_id))
