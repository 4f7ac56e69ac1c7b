"""BLOCK and UNBLOCK: from whom a player wants no invitations and no talk."""

from server.application.accounts import blocks
from server.mail.commands.request import Errand
from server.mail.language import grammar
from server.mail.writing import sentences

BLOCKED = (
    "You have blocked {}. Invitations from there do not reach you any more, nor what they say to all. They are not "
    'told of it. What your team says among itself still reaches you. The line "UNBLOCK" with the same name ends it.'
)
BLOCKED_ADDRESS = (
    "You have blocked {}. Invitations from there do not reach you any more, and they are not told of it. To hear "
    'nothing of what a player says to all, block them by name. The line "UNBLOCK" with the same address ends it.'
)
UNBLOCKED = "You have unblocked {}. What came from there meanwhile is not sent to you afterwards."
NOBODY = 'You have blocked nobody. A line such as "BLOCK Ben" does.'


def block(errand: Errand, command: grammar.Command) -> None:
    """Block the player whom the command names; or list those who are blocked."""
    if command.text.lower() == "list":
        errand.title = errand.title or "whom you have blocked"
        errand.told.append(_list(errand))
        return
    made = blocks.facts(blocks.add(errand.player, {"who": command.text.strip('"')}))
    errand.title = errand.title or "blocked"
    form = BLOCKED if made["player"] else BLOCKED_ADDRESS
    errand.told.append(form.format(sentences.quoted(made["name"] or made["email"])))


def unblock(errand: Errand, command: grammar.Command) -> None:
    """End the block of the player whom the command names."""
    ended = blocks.facts(blocks.unblock(errand.player, command.text.strip('"')))
    errand.title = errand.title or "unblocked"
    errand.told.append(UNBLOCKED.format(sentences.quoted(ended["name"] or ended["email"])))


def _list(errand: Errand) -> str:
    names = [sentences.quoted(held["name"] or held["email"]) for held in blocks.of(errand.player)]
    return f"You have blocked {sentences.join(names)}." if names else NOBODY
