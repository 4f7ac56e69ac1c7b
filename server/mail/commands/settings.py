"""The choices of a player about mail and people: SET, SET mail, STOP, BLOCK and UNBLOCK."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from server.application.errors import Problem
from server.application.mail import mail_choices
from server.application.people.accounts import blocks, renaming
from server.application.people.accounts.preferences import change_preferences, in_words
from server.application.people.players import zone_like
from server.mail.commands.reply import About, Handler, Reply, Says, reply_from_template
from server.mail.commands.request import Request
from server.mail.language import forms
from server.mail.writing import sentences
from server.models import Player

# How a value is read that is not a word in small letters.
_AS_MAILED: dict[str, Callable[[str], str]] = {"zone": zone_like, "night": str}


def change(player: Player, command: forms.Command) -> Reply:
    """SET one of the settings; raise `Problem` if its value cannot be."""
    what, _, value = command.text.partition(" ")
    setting = what.rstrip(":").lower()
    if setting == "name":
        renaming.change_name(player.id, value)
        renamed = reply_from_template("renamed", Says.OF_PLAYER, name=sentences.quoted(player.name))
        told = _settings(player, "your settings")
        return replace(told, blocks=(*renamed.blocks, *told.blocks))
    with _naming(value, f"SET {setting}"):
        change_preferences(player.id, **{setting: _AS_MAILED.get(setting, str.lower)(value)})
    return _settings(player, "your settings")


def choose_mail(player: Player, command: forms.Command, game_id: str | None = None) -> Reply:
    """SET mail: how much of it comes, with HERE about the game; raise `Problem` if that cannot be."""
    mail, is_here = forms.how_much(command.text)
    if is_here and game_id is None:
        raise Problem("form", "HERE means one game, and this mail is about none. Leave the word out.", is_public=True)
    with _naming(mail, "SET mail"):
        if is_here and game_id is not None:
            mail_choices.choose_for_game(game_id, player, mail)
        else:
            change_preferences(player.id, mail=mail)
    return _settings(player, "how much mail comes")


@contextmanager
def _naming(value: str, setting: str) -> Iterator[None]:
    """Name the words that cannot follow a setting, before the choices of a refusal that does not name them."""
    try:
        yield
    except Problem as problem:
        if problem.code != "form" or value in problem.sentence:
            raise
        told = f'{sentences.quoted(value)} cannot follow "{setting}". {problem.in_words}'
        raise Problem(problem.code, told) from None


def stop(player: Player) -> Reply:
    """STOP: no more mail but answers."""
    mail_choices.stop_all(player.id)
    return _settings(player, "no more mail")


def _settings(player: Player, title: str) -> Reply:
    own_choices = [(game, mail) for game, mail in mail_choices.own_choices(player) if game.status != "over"]
    told = reply_from_template(
        "settings", Says.OF_PLAYER, preferences=in_words(player), player=player, own_choices=own_choices
    )
    return replace(told, title=title, blocks=tuple(replace(block, about=About.SETTINGS) for block in told.blocks))


def block(request: Request, command: forms.Command) -> Reply:
    """Block the player or the address that the command names; or list those who are blocked."""
    if command.text.lower() == "list":
        return reply_from_template(
            "block_list", Says.OF_PLAYER, names=[_name(held) for held in blocks.of(request.player)]
        )
    made = blocks.facts(blocks.add(request.player, {"who": command.text.strip('"')}))
    return reply_from_template("block", Says.OF_PLAYER, who=_name(made), is_player=bool(made["player"]))


def unblock(request: Request, command: forms.Command) -> Reply:
    """End the block of the player or the address that the command names."""
    ended = blocks.facts(blocks.unblock(request.player, command.text.strip('"')))
    return reply_from_template("unblock", Says.OF_PLAYER, who=_name(ended))


def _name(block: Mapping[str, Any]) -> str:
    return sentences.quoted(block["name"] or block["email"])


HANDLERS: dict[str, Handler] = {
    "set": lambda request, command: change(request.player, command),
    "set_mail": lambda request, command: choose_mail(request.player, command, request.game.id),
    "block": block,
    "unblock": unblock,
    "stop": lambda request, _: stop(request.player),
}
