"""Find guests of a game who came from one network, for its host: two windows of one person look like that, too."""

from collections import defaultdict

from sqlalchemy import select

from server.house_rules.standing import Standing
from server.models import Player, Seat, session


def guests_by_network(game: Standing) -> dict[str | None, list[str]]:
    """Return, for each guest who shares a network with another guest of the game, the names of all who do."""
    query = select(Player.id, Player.name, Player.network).join(Seat, Seat.player_id == Player.id)
    query = query.where(Seat.game_id == game.id, Player.network.is_not(None)).order_by(Seat.number)
    of_network: defaultdict[str | None, list[tuple[str, str]]] = defaultdict(list)
    for player_id, name, network in session.execute(query):
        of_network[network].append((player_id, name))
    together = (people for people in of_network.values() if len(people) > 1)
    return {player_id: [name for _, name in people] for people in together for player_id, _ in people}
