"""The seats of a game in words: the pawns of each, and who plays them."""

from collections.abc import Mapping
from typing import Any

from server.application.game.replay import is_known
from server.application.people import players
from server.house_rules.standing import Seat, Standing
from server.models import Player
from server.vocabulary.translation import gettext
from server.wording.seats import bot_name, seat_label


def seats_in_words(game: Standing, names: Mapping[str | None, str]) -> list[dict[str, Any]]:
    """Return each seat in words, with the name of its player if there is one; `names` has these names, by id."""
    return [
        {
            "number": seat.number,
            "label": seat_label(seat),
            "pawns": () if seat.is_to_be_drawn else seat.pawns,
            "name": names.get(seat.player_id, ""),
            "who": _person(seat, names) or (bot_name(seat.bot, seat.level) if seat.bot else None),
            "is_reserved": seat.is_reserved,
        }
        for seat in game.seats
    ]


def names_in_replay(game: Standing, player: Player | None) -> Mapping[str | None, str]:
    """Return the names of the players of a game, by their ids, as far as the reader of its replay may know them."""
    names = players.names_at(game.id)
    if is_known(game, player):
        return names
    return {seat.player_id: names[seat.player_id] for seat in game.seats if seat.replay == "name"}


def _person(seat: Seat, names: Mapping[str | None, str]) -> str | None:
    name = names.get(seat.player_id)
    return gettext("{name}, guest", name=name) if name and seat.is_guest else name


def named(seat: Mapping[str, Any]) -> str:
    """Return `Red (Ben)`, or `Red` if nobody plays there; `seat` is one of `seats_in_words`."""
    return f"{seat['label']} ({seat['who']})" if seat["who"] else str(seat["label"])
