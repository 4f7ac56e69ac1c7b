"""Newcomers to a running game: what decisions about them need, and what they are mailed of what happened before."""

from collections.abc import Callable
from functools import partial

from server.application.game.access import roles_once_held
from server.application.game.deciding import Decided, use_case
from server.application.game.look import sight_of
from server.application.game.reasons import check_reason
from server.application.game.situations import add_newcomer, decided, load
from server.application.mail import digest_watermark, mail_frequency
from server.house_rules.draft import Decision, Draft
from server.house_rules.situation import Situation
from server.house_rules.standing import Sight
from server.house_rules.substitution import Newcomer, give_seat
from server.models import Player


@use_case
def substitute(game_id: str, number: int, player: Player, reason: str) -> Decided[Sight]:
    """Give a seat of a running game to `player`, for the operator's reason; `Problem` as of `give_seat`."""
    game = load(game_id)
    checked = check_reason(game, reason, player.id)
    return seat_newcomer(game, player, partial(give_seat, number=number, reason=checked))


def seat_newcomer(game: Situation, player: Player, command: Callable[[Draft, Newcomer], None]) -> Decided[Sight]:
    """Decide on a command that seats `player` in a running game; digests tell them only what happens from then on."""
    newcomer = Newcomer(add_newcomer(game, player), player.name, roles_once_held(game.id, player))

    def settled(decision: Decision[None]) -> Sight:
        seated = next(event.number for event in decision.events if event.kind == "substituted")
        digest_watermark.advance(player.id, game.id, seated)
        mail_frequency.hear_again(game.id, player.id)
        return sight_of(decision.after, player.id)

    return decided(game, lambda draft: command(draft, newcomer)).then(settled)
