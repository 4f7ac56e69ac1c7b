"""Who is told what by a stream of news, over HTTP: that something changed which they may know, and nothing else."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from server.application.people.accounts import browsers
from tests.scenes import CHASE
from tests.serving import serving
from tests.streaming import Listener, wait_for_news
from tests.table import Person, Playing, Table


class Reader(Listener):
    """Somebody who has the page of a game open."""

    def __init__(self, port: int, games: list[Playing], secret: str = "", **headers: str) -> None:
        self.secret = secret
        cookie = {"Cookie": f"blackticket={secret}"} if secret else {}
        super().__init__(port, f"/news-stream?{'&'.join(f'game={game.id}' for game in games)}", **cookie | headers)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(tmp_path_factory.mktemp("streams"), sandbox="1")


@pytest.fixture
def read(table: Table) -> Iterator[Callable[..., Reader]]:
    with serving(table.app, has_streams=True) as port, ExitStack() as stack:

        def begin(person: Person | None, *games: Playing, **headers: str) -> Reader:
            secret = ""
            if person is not None:
                with table.app.app_context():
                    secret = browsers.sign_in(person.id, "Firefox")
            wait_for_news(table, port)
            reader = Reader(port, [*games], secret, **headers)
            stack.callback(reader.close)
            return reader

        yield begin


@pytest.fixture(scope="module")
def people(table: Table) -> list[Person]:
    return table.people(6)


@pytest.fixture
def game(table: Table, people: list[Person]) -> Playing:
    return table.game(people, position=CHASE, visibility="public")


@pytest.fixture
def other(table: Table, game: Playing) -> Playing:
    """Another game of the same people; what is heard of it comes behind all that was heard of the first."""
    return table.game(game.people, position=CHASE, visibility="public")


def test_a_move_is_told_to_all_who_see_the_game(read: Any, game: Playing):
    readers = [read(person, game) for person in (game.people[0], game.people[3], None)]
    game.move(game.people[0], "black 100")
    assert [reader.hears() for reader in readers] == [game.id] * 3


def test_a_move_sent_ahead_is_told_to_the_team_alone(read: Any, game: Playing, other: Playing):
    game.move(game.people[0], "black 100")
    mr_x, team, spectator = (read(person, game, other) for person in (game.people[0], game.people[3], None))
    assert game.move(game.people[2], "red taxi 68").status_code == 202
    other.move(other.people[0], "black 100")
    assert {team.hears(), team.hears()} == {game.id, other.id}
    assert [mr_x.hears(), spectator.hears()] == [other.id] * 2


def test_talk_to_the_team_is_told_to_the_team_alone(read: Any, game: Playing, other: Playing):
    mr_x, team, spectator = (read(person, game, other) for person in (game.people[0], game.people[2], None))
    said = game.people[1].post(f"{game.path}/messages", {"to": "team", "text": "There he is"})
    assert said.status_code == 201
    other.move(other.people[0], "black 100")
    assert {team.hears(), team.hears()} == {game.id, other.id}
    assert [mr_x.hears(), spectator.hears()] == [other.id] * 2


def test_talk_to_all_is_told_to_all_who_are_signed_in_and_see_the_game(
    table: Table, read: Any, game: Playing, other: Playing
):
    watching = table.person("Uma")
    seated, signed_in, anybody = (read(person, game, other) for person in (game.people[0], watching, None))
    said = game.people[1].post(f"{game.path}/messages", {"to": "all", "text": "Good luck"})
    assert said.status_code == 201
    other.move(other.people[0], "black 100")
    assert {seated.hears(), seated.hears()} == {game.id, other.id}
    assert {signed_in.hears(), signed_in.hears()} == {game.id, other.id}
    assert anybody.hears() == other.id


def test_talk_to_all_of_somebody_whom_others_have_blocked_is_told_to_the_players_alone(
    table: Table, read: Any, game: Playing, other: Playing
):
    watching, author = table.person("Vic"), game.people[1]
    assert watching.post("/me/blocks", {"player": author.id}).status_code == 201
    seated, signed_in = (read(person, game, other) for person in (game.people[0], watching))
    author.post(f"{game.path}/messages", {"to": "all", "text": "Good luck"})
    other.move(other.people[0], "black 100")
    assert [seated.hears(), signed_in.hears()] == [game.id, other.id]


def test_who_sits_down_in_a_rematch_is_told_to_those_who_played(read: Any, game: Playing, other: Playing):
    game.people[0].post(f"{game.path}/resign")
    game.people[1].post(f"{game.path}/rematch")
    player, spectator = (read(person, game, other) for person in (game.people[3], None))
    game.people[2].post(f"{game.path}/rematch")
    other.move(other.people[0], "black 100")
    assert {player.hears(), player.hears()} == {game.id, other.id}
    assert spectator.hears() == other.id


def test_a_stream_ends_when_its_reader_signs_out(table: Table, read: Any, game: Playing):
    reader, beside = read(game.people[1], game), read(game.people[1], game)
    with table.app.app_context():
        browsers.sign_out(reader.secret)
    game.move(game.people[0], "black 100")
    assert (reader.hears(), beside.hears()) == ("", game.id)


def test_who_has_left_a_private_game_hears_of_it_no_more(table: Table, read: Any):
    host, guest = table.persons("Gwen", "Hugo")
    seats = [{"role": "mr_x", "player": host.id}, {"role": "detective", "player": guest.id}]
    opened = host.post("/games", {"edition": "condensed", "seats": seats, "visibility": "private"}).json["id"]
    game = Playing(table, opened, [host, guest])
    assert game.view(guest)
    stays, leaves = read(host, game), read(guest, game)
    assert guest.request("DELETE", f"{game.path}/seats/2").status_code < 300
    assert [stays.hears(), leaves.hears()] == [game.id] * 2
    assert [stays.hears(), leaves.hears()] == ["", ""]
    assert [read(person, game).status for person in (host, guest)] == [200, 204]


def test_another_site_gets_no_stream_and_nobody_one_of_a_game_that_is_not_there(read: Any, game: Playing):
    assert read(game.people[0], game, **{"Sec-Fetch-Site": "cross-site"}).status == 204
    assert read(game.people[0], Playing(game.table, "nowhere", [])).status == 204


def test_under_another_server_a_page_is_told_that_there_is_no_stream(table: Table, game: Playing):
    assert table.client.get(f"/news-stream?game={game.id}").status_code == 204
