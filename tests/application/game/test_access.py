"""Access to a game: one decision, whichever statement asks for it."""

import itertools

import pytest
from sqlalchemy import delete, update

from server.application.game.access import visible_version
from server.application.game.look import look
from server.models import FormerHolder, Game, Player, Seat, session, transaction
from server.vocabulary.errors import Problem
from tests.table import Table
from tests.tokens import authenticate


@pytest.mark.breaks_games
def test_a_token_tells_the_version_of_exactly_the_games_that_its_player_may_see(table: Table):
    """In every combination of what gives or takes the sight of a game."""
    ada, ben = table.people(2)
    gus = table.person("Gus")
    game = table.game([ada, ben], edition="condensed")
    seen = []
    with table.app.app_context():
        for relation in itertools.product([False, True], repeat=6):
            relate(game.id, gus.id, ada.id, *relation)
            expected = version_if_visible(game.id, gus.id)
            assert authenticate(gus.token, game.id).version == expected, relation
            seen.append(expected)
        assert authenticate(gus.token, "missing").version is None
        assert authenticate(gus.token).version is None
    assert 0 < seen.count(None) < len(seen)


def version_if_visible(game_id: str, player_id: str) -> str | None:
    player = session.get_one(Player, player_id)
    try:
        version = visible_version(game_id, player)
    except Problem:
        with pytest.raises(Problem):
            look(game_id, player)
        return None
    assert look(game_id, player).version == version
    return version


def relate(
    game_id: str, player_id: str, other_id: str, public: bool, final: bool, hosts: bool, sits: bool, asked: bool,
    was_mr_x: bool,
) -> None:  # fmt: skip
    """Bring the game and the player into this relation."""
    seat = (Seat.game_id == game_id, Seat.number == 2)
    host = player_id if hosts else other_id
    visibility = "public" if public else "private"
    with transaction():
        session.execute(update(Game).where(Game.id == game_id).values(visibility=visibility, final=final, host_id=host))
        session.execute(
            update(Seat)
            .where(*seat)
            .values(player_id=player_id if sits else None, invited_id=player_id if asked else None)
        )
        session.execute(delete(FormerHolder).where(FormerHolder.game_id == game_id))
        if was_mr_x:
            session.add(FormerHolder(game_id=game_id, player_id=player_id, role="mr_x"))
