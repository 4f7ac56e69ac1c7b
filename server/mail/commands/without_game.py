"""The commands of a player who has no game, in a mail that answers none about one."""

from collections.abc import Callable, Sequence

from server.application.errors import Problem
from server.mail.commands import asking, joining, papers, settings
from server.mail.commands import reply as replies
from server.mail.commands.reply import Reply, reply_from_template
from server.mail.language import forms
from server.mail.trust.results import Authentication
from server.mail.writing import context
from server.models import Player

NEEDS_A_GAME = "That is done in an answer to a mail of ours about a game, which proves that you wrote it. {}"
# What changes the player
OF_PLAYER = frozenset({"set", "set_mail", "stop", "away", "block", "unblock"})


def reply_to(player: Player, commands: Sequence[forms.Command], authentication: Authentication) -> Reply:
    """Return the reply to the commands; empty if all of them are about a game."""
    known: dict[str, Callable[[forms.Command], Reply]] = {
        "help": lambda command: asking.help_with_all() if command.text.strip("? ") else Reply(),
        "list": lambda _: joining.list_for(player),
        "signup": lambda _: reply_from_template("signed_up_already"),
        "rules": lambda command: papers.rules_of(command.text),
        "map": lambda command: papers.map_of(command.text),
    }
    if authentication.is_proof:
        known |= {
            "stop": lambda _: settings.stop(player),
            "set": lambda command: settings.change(player, command),
            "set_mail": lambda command: settings.choose_mail(player, command),
        }
    return replies.combined([_reply_to_one(command, known.get(command.name)) for command in commands])


def _reply_to_one(command: forms.Command, act: Callable[[forms.Command], Reply] | None) -> Reply:
    if act is not None:
        return replies.attempted(command.line, lambda: act(command))
    return replies.refused(command.line, _needs_a_game()) if command.name in OF_PLAYER else Reply()


def _needs_a_game() -> Problem:
    page = context.site()
    way = f"Your settings are on {page}/me/settings." if page else "PLAY begins a game whose mails you can answer."
    return Problem("forbidden", NEEDS_A_GAME.format(way))
