"""Lists of games, with more than one seat to each."""

from server.application.lists.listing import games, waiting_for
from server.models import Player, session
from server.runtime.game_cache import GameCache
from tests.profiles import IS_CAMPAIGN
from tests.scenes import quiet
from tests.statements import statements
from tests.table import Playing, Table

MOST_STATEMENTS = 8  # of any list, that on the caller's token included


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


LISTS = (
    "/games", "/games?mine=true", "/games?waiting=true", "/games?status=open", "/games?label=league", "/me/waiting",
    "/me/events", "/me/deliveries", "/labels/league",
)  # fmt: skip


def test_a_list_takes_as_many_statements_for_many_games_as_for_one(table: Table) -> None:
    people = table.people(3)
    quiet(table, "Ben", "Cleo")  # Ada's mails are what /me/deliveries lists

    def asked() -> dict[str, int]:
        counted = {}
        for path in LISTS:
            table.app.extensions["blackticket"].game_cache = GameCache()
            people[0].get(path)
            table.app.extensions["blackticket"].game_cache = GameCache()
            with statements(table) as sent:
                assert people[0].get(path).status_code == 200
            counted[path] = len(sent)
        return counted

    def open_two(n: int) -> None:
        for _ in range(n):
            table.game(people, label="league")
            game = table.game([people[1], people[0], people[2]], label="league")
            game.move(game.people[0])
            people[0].post("/games", {"edition": "condensed", "seats": [{"role": "mr_x", "invite": "eve@example.org"}]})
        table.clock.turn(hours=60)
        table.tick()

    open_two(1)
    with_few = asked()
    open_two(2 if IS_CAMPAIGN else 1)
    assert asked() == with_few
    assert max(with_few.values()) <= MOST_STATEMENTS, with_few
