"""Find guests of a game who came from one network, for its host: two windows of one person look like that, too."""

from collections import defaultdict

from sqlalchemy import select

from server.house_rules.standing import Standing
from server.models import Player, Seat, session


def names_by_network(game: Standing) -> list[list[str]]:
    """Return, for each network from which several guests of the game came, their names in the order of their seats."""
    query = select(Player.name, Player.network).join(Seat, Seat.player_id == Player.id)
    query = query.where(Seat.game_id == game.id, Player.network.is_not(None)).order_by(Seat.number)
    of_network: defaultdict[str | None, list[str]] = defaultdict(list)
    for name, network in session.execute(query):
        of_network[network].append(name)
    return [names for names in of_network.values() if len(names) > 1]
