"""The choices of a player about mail and people: SET, SET mail, STOP, BLOCK and UNBLOCK."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from server.application.game.deciding import Decided
from server.application.mail import mail_choices
from server.application.people.accounts import blocks, renaming
from server.application.people.accounts.preferences import change_preferences, in_words
from server.application.people.players import zone_like
from server.language import forms
from server.language.lexicon import language_like
from server.mail.commands.reply import About, Handler, Mark, Outcome, Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.writing import sentences
from server.models import Player
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.preferences import BY_NAME
from server.vocabulary.translation import gettext, languages, speak

# How a value is read that is not a word in small letters.
_AS_MAILED: dict[str, Callable[[str], str]] = {"zone": zone_like, "night": str}


def change(player: Player, command: forms.Command) -> Outcome:
    """SET one of the settings; raise `Problem` if its value cannot be."""
    setting, value = _setting(command)
    if setting == "name":
        return renaming.change_name.decide(player.id, value).then(_renamed)
    is_named = setting in BY_NAME and BY_NAME[setting].is_named
    read = language_like if is_named else _AS_MAILED.get(setting, str.lower)
    with _naming(value, f"SET {setting}"):
        changed = change_preferences.decide(player.id, **{setting: read(value)})
    return changed.then(lambda changed: _in_new_language(player, changed.language))


def speak_as_set(commands: Iterable[forms.Command]) -> None:
    """Speak the language that a mail sets in one of its lines, so that the whole answer is in it."""
    for setting, value in (_setting(command) for command in commands if command.name == "set"):
        if setting == "language" and (language := language_like(value)) in languages():
            speak(language)


def _setting(command: forms.Command) -> tuple[str, str]:
    what, _, value = command.text.partition(" ")
    return what.rstrip(":").lower(), value


def _in_new_language(player: Player, language: str) -> Reply:
    """Return the reply that tells all settings, in the player's language."""
    speak(language)
    return _settings(player, gettext("your settings"))


def _renamed(player: Player) -> Reply:
    renamed = reply_from_template("renamed", Mark.OF_PLAYER, name=sentences.quoted(player.name))
    told = _settings(player, gettext("your settings"))
    return replace(told, blocks=(*renamed.blocks, *told.blocks))


def choose_mail(player: Player, command: forms.Command, game_id: str | None = None) -> Outcome:
    """SET mail: how much of it comes, with HERE about the game; raise `Problem` if that cannot be."""
    mail, is_here = forms.how_much(command.text)
    if is_here and game_id is None:
        raise refusal("form", "HERE means one game, and this mail is about none. Leave the word out.", is_public=True)
    with _naming(mail, "SET mail"):
        chosen: Decided[Any] = (
            mail_choices.choose_for_game.decide(game_id, player, mail)
            if is_here and game_id is not None
            else change_preferences.decide(player.id, mail=mail)
        )
    return chosen.then(lambda _: _settings(player, gettext("how much mail comes"), is_of_mail=True))


@contextmanager
def _naming(value: str, setting: str) -> Iterator[None]:
    """Name the words that cannot follow a setting, before the choices of a refusal that does not name them."""
    try:
        yield
    except Problem as problem:
        if problem.code != "form" or value in problem.sentence:
            raise
        value, setting = sentences.quoted(sentences.typed(value)), sentences.typed(setting)
        reason = gettext('{value} cannot follow "{setting}". {why}', value=value, setting=setting, why=problem.in_words)
        raise Problem(problem.code, reason) from None


def stop(player: Player) -> Outcome:
    """STOP: no more mail but answers."""
    stopped = mail_choices.stop_all.decide(player.id)
    return stopped.then(lambda _: _settings(player, gettext("no more mail"), is_of_mail=True))


def _settings(player: Player, title: str, *, is_of_mail: bool = False) -> Reply:
    """Return the reply that tells all settings; first how much mail comes, if that `is_of_mail`."""
    own_choices = [(game, mail) for game, mail in mail_choices.own_choices(player) if game.status != "over"]
    told = reply_from_template(
        "settings",
        Mark.OF_PLAYER,
        preferences=in_words(player),
        player=player,
        own_choices=own_choices,
        is_of_mail=is_of_mail,
    )
    return replace(told, title=title, blocks=tuple(replace(block, about=About.SETTINGS) for block in told.blocks))


def block(request: Request, command: forms.Command) -> Outcome:
    """Block the player or the address that the command names; or list those who are blocked."""
    if command.text.lower() == "list":
        return reply_from_template(
            "block_list", Mark.OF_PLAYER, names=[_name(held) for held in blocks.blocks_of(request.player)]
        )
    added = blocks.add.decide(request.player, {"who": command.text.strip('"')}).then(blocks.facts)
    return added.then(
        lambda made: reply_from_template("block", Mark.OF_PLAYER, who=_name(made), is_player=bool(made["player"]))
    )


def unblock(request: Request, command: forms.Command) -> Outcome:
    """End the block of the player or the address that the command names."""
    ended = blocks.unblock.decide(request.player, command.text.strip('"')).then(blocks.facts)
    return ended.then(lambda made: reply_from_template("unblock", Mark.OF_PLAYER, who=_name(made)))


def _name(block: Mapping[str, Any]) -> str:
    return sentences.quoted(block["name"] or block["email"])


HANDLERS: dict[str, Handler] = {
    "set": lambda request, command: change(request.player, command),
    "set_mail": lambda request, command: choose_mail(request.player, command, request.game.id),
    "block": block,
    "unblock": unblock,
}
