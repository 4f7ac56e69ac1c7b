"""Lists of games, with more than one seat to each."""

from server.application.play.listing import games, waiting_for
from server.models import Player, session
from tests.conftest import Playing, Table


def test_a_game_of_six_is_listed_once(table: Table, game: Playing) -> None:
    with table.app.app_context():
        ada = session.get_one(Player, game.people[0].id)
        assert [found["id"] for found in games(ada, mine=True)] == [game.id]


def test_a_game_waits_for_who_is_to_move_and_is_listed_once(table: Table, game: Playing) -> None:
    with table.app.app_context():
        ada, ben = (session.get_one(Player, person.id) for person in game.people[:2])
        assert [found["id"] for found in waiting_for(ada)] == [game.id]
        assert waiting_for(ben) == []


def test_a_page_holds_as_many_games_as_were_asked_for(table: Table) -> None:
    people = table.people(6)
    opened = sorted(table.game(people).id for _ in range(3))
    with table.app.app_context():
        ada = session.get_one(Player, people[0].id)
        assert [found["id"] for found in games(ada, limit=2)] == opened[:2]
        assert [found["id"] for found in games(ada, limit=2, after=opened[1])] == opened[2:]
