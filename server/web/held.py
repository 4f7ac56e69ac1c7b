"""The buttons of a held move on the page of the game."""

from collections.abc import Callable, Sequence

from server.application.game import situations
from server.house_rules.draft import Draft
from server.house_rules.holding import Placed, play_held, stop_held
from server.house_rules.standing import HeldMove
from server.models import Player
from server.vocabulary.errors import Problem, refusal
from server.web import forms
from server.web.game.answers import shows_refusals

PLAY, STOP = "play", "stop"
_COMMANDS: dict[str, Callable[[Draft, str, str | None], Sequence[Placed | HeldMove]]] = {
    PLAY: play_held,
    STOP: stop_held,
}


@shows_refusals
def on_page(game_id: str, player: Player) -> None:
    """Play or stop what the visitor holds in a game, as the button says, and show the game again."""
    command = _COMMANDS.get(forms.text("do"))
    if command is None:
        raise refusal("form", "Choose whether the move is played now or not at all.")
    name = forms.text("hold") or None
    for each in situations.act(game_id, player, command, name).answer:
        if isinstance(each, Placed) and isinstance(each.outcome, Problem):
            raise each.outcome
