"""BLOCK and UNBLOCK: from whom a player wants no invitations and no talk."""

from collections.abc import Mapping
from typing import Any

from server.application.people.accounts import blocks
from server.mail.commands.reply import Handler, Reply, Says, reply_from_template
from server.mail.commands.request import Request
from server.mail.language import forms
from server.mail.writing import sentences


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


HANDLERS: dict[str, Handler] = {"block": block, "unblock": unblock}
