"""Change a player's name, also where public events tell it."""

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from server.application.game.deciding import Decided, use_case
from server.application.people import names
from server.application.people.players import check_name
from server.models import Event, Game, Player, Seat, session
from server.vocabulary.errors import Problem
from server.vocabulary.lookalikes import digest
from server.vocabulary.translation import gettext
from server.vocabulary.words import quoted


def rename(player_id: str, name: str, *, by_operator: bool = False) -> Player:
    """Change the player's name, also in games that have started.

    A name that an operator took away from the player comes back only by an operator.

    Raises:
        Problem: `form` or `name-taken`.
    """
    name = check_name(name)
    try:
        return change_name(player_id, name, by_operator=by_operator)
    except IntegrityError:
        sentence = gettext("A player has the name {name}, or one that looks like it.", name=quoted(name))
        raise Problem("name-taken", sentence) from None


@use_case
def change_name(player_id: str, name: str, *, by_operator: bool = False) -> Decided[Player]:
    """Do what `rename` does; where another player gets the same name meanwhile, the database refuses it."""
    name = check_name(name)
    player = session.get_one(Player, player_id, with_for_update={"key_share": True}, populate_existing=True)
    is_new = name != player.name  # a name that looks like another's may stay, if it is older than the check
    if is_new:
        names.check_free(name, player_id)
    if is_new and digest(name) in player.taken_skeletons and not by_operator:
        sentence = gettext("The operator has taken the name {name} away from you; choose another.", name=quoted(name))
        raise Problem("name-taken", sentence)

    def write() -> Player:
        player.taken_skeletons = [taken for taken in player.taken_skeletons if taken != digest(name)]
        rename_in_events(player, name)
        player.name, player.skeleton = name, digest(name)
        session.flush()
        return player

    return Decided(write if is_new else lambda: player)


def rename_in_events(player: Player, name: str) -> None:
    """Change the name in events before the start of a game, which are in no chain; later events name nobody."""
    for kind, member in (("opened", "host"), ("joined", "name")):
        query = select(Event).where(Event.kind == kind, Event.head.is_(None))
        for event in session.scalars(query.where(Event.data[member].as_string() == player.name)).all():
            if not _is_of_a_namesake(event, player):
                event.data = {**event.data, member: name}


def _is_of_a_namesake(event: Event, player: Player) -> bool:
    if event.kind == "opened":
        handed_over = select(Event.number).where(Event.game_id == event.game_id, Event.kind == "host")
        # The rows do not say who opened a game, so once it has another host the name is changed in any case.
        is_host = session.get_one(Game, event.game_id).host_id == player.id
        return not is_host and session.scalar(handed_over.limit(1)) is None
    seat = session.get_one(Seat, (event.game_id, event.data["seat"]))
    holder = session.get(Player, seat.player_id) if seat.player_id else None
    return holder is not None and holder.id != player.id and holder.name == player.name
