"""The commands of a player who has no game, in a mail that answers none about one."""

from collections.abc import Callable, Sequence

from server.application.errors import Problem
from server.mail.commands import asking, joining, papers, settings
from server.mail.commands import reply as replies
from server.mail.commands.reply import Reply, Says, reply_from_template
from server.mail.language import forms
from server.mail.language.forms import Trait
from server.mail.trust.results import Authentication
from server.mail.writing import context
from server.models import Player

NEEDS_A_GAME = "That is done in an answer to a mail of ours about a game, which proves that you wrote it. {}"
OF_PLAYER = forms.names_with(Trait.OF_PLAYER)


def reply_to(player: Player, commands: Sequence[forms.Command], authentication: Authentication) -> Reply:
    """Return the reply to the commands; empty if all of them are about a game."""
    return replies.combined([_reply_to_one(player, command, authentication) for command in commands])


def _reply_to_one(player: Player, command: forms.Command, authentication: Authentication) -> Reply:
    act = HANDLERS.get(command.name)
    if act is not None and (authentication.is_proof or command.name not in OF_PLAYER):
        return replies.attempted(command.line, lambda: act(player, command))
    return replies.refused(command.line, _needs_a_game()) if command.name in OF_PLAYER else Reply()


def _needs_a_game() -> Problem:
    page = context.site()
    way = f"Your settings are on {page}/me/settings." if page else "PLAY begins a game whose mails you can answer."
    return Problem("forbidden", NEEDS_A_GAME.format(way))


def _help(_player: Player, command: forms.Command) -> Reply:
    return asking.help_with_all() if command.text.strip("? ") else Reply()


HANDLERS: dict[str, Callable[[Player, forms.Command], Reply]] = {
    "help": _help,
    "list": lambda player, _: joining.list_for(player),
    "signup": lambda _, __: reply_from_template("signed_up_already", Says.NO_GAME),
    "rules": lambda _, command: papers.rules_of(command.text),
    "map": lambda _, command: papers.map_of(command.text),
    "set": settings.change,
    "set_mail": settings.choose_mail,
    "stop": lambda player, _: settings.stop(player),
}
