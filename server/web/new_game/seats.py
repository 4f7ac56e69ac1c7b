"""The seats of the form: who sits on each."""

from collections.abc import Mapping

from server import bots
from server.application.lobby import opening
from server.models import Player
from server.vocabulary.errors import refusal
from server.vocabulary.translation import gettext_noop

MINE = gettext_noop({"detective": "a detective", "mr_x": "Mr. X", "none": "nobody: I only set the game up"})
OTHERS = gettext_noop({
    "open": "stay open for people, whom you invite with a link",
    "bots": "go to bots, and the game starts at once",
})  # fmt: skip
YOU_ARE = gettext_noop({
    "detective": "You are a detective.", "mr_x": "You are Mr. X.", "none": "You are nobody: I only set the game up.",
})  # fmt: skip


def chosen(given: Mapping[str, str], player: Player, people: int) -> list[dict[str, str]]:
    """Return the seats as `opening.open_game` takes them, Mr. X's first; `Problem` form where the form is wrong."""
    sits, others = given.get("seat") or "detective", given.get("others") or "open"
    if sits not in MINE:
        raise refusal("form", "one of {choices}.", choices=", ".join(MINE), field="seat")
    if others not in OTHERS:
        raise refusal("form", "Choose what becomes of the other seats.")
    if sits == "none" and others == "bots":
        raise refusal("form", "Somebody has to play: take a seat, or leave the others open.")
    roles = ["mr_x", *["detective"] * (people - 1)]
    own = roles.index(sits) if sits in roles else None
    return [
        {"role": role, "player": player.id}
        if number == own
        else {"role": role} | _other(given, others, role, number + 1)
        for number, role in enumerate(roles)
    ]


def _other(given: Mapping[str, str], others: str, role: str, number: int) -> dict[str, str]:
    """Return who gets a seat that is not the host's: a bot, somebody invited, or nobody yet."""
    if others == "bots":
        return {"bot": bots.names(role)[0]} | ({"level": level} if (level := given.get("level")) else {})
    bot, who = given.get(f"bot_{number}"), given.get(f"who_{number}")
    return {"invite": who} if who else opening.read_guest(bot) if bot else {}
