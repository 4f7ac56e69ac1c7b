"""Who is told what by a stream of news, over HTTP: that something changed which they may know, and nothing else."""

import http.client
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from server.application.people.accounts import browsers
from tests.scenes import CHASE
from tests.serving import serving
from tests.table import Person, Playing, Table

WAIT = 30  # seconds, for a machine that is busy


class Reader:
    """Somebody who has the page of a game open."""

    def __init__(self, port: int, games: list[Playing], secret: str = "", **headers: str) -> None:
        self.secret = secret
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
        cookie = {"Cookie": f"blackticket={secret}"} if secret else {}
        query = "&".join(f"game={game.id}" for game in games)
        self._line.request("GET", f"/news-stream?{query}", headers=cookie | headers)
        self.answer = self._line.getresponse()

    def hears(self) -> str:
        """Return the game of which it hears next, empty when the stream has ended."""
        while said := self.answer.readline():
            if said.startswith(b"data: "):
                return said[6:].decode().strip()
        return ""

    def close(self) -> None:
        self.answer.close()
        self._line.close()


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
    assert [team.hears(), team.hears()] == [game.id, other.id]
    assert [mr_x.hears(), spectator.hears()] == [other.id] * 2


def test_talk_to_the_team_is_told_to_the_team_alone(read: Any, game: Playing, other: Playing):
    mr_x, team, spectator = (read(person, game, other) for person in (game.people[0], game.people[2], None))
    said = game.people[1].post(f"{game.path}/messages", {"to": "team", "text": "There he is"})
    assert said.status_code == 201
    other.move(other.people[0], "black 100")
    assert [team.hears(), team.hears()] == [game.id, other.id]
    assert [mr_x.hears(), spectator.hears()] == [other.id] * 2


def test_who_sits_down_in_a_rematch_is_told_to_those_who_played(read: Any, game: Playing, other: Playing):
    game.people[0].post(f"{game.path}/resign")
    game.people[1].post(f"{game.path}/rematch")
    player, spectator = (read(person, game, other) for person in (game.people[3], None))
    game.people[2].post(f"{game.path}/rematch")
    other.move(other.people[0], "black 100")
    assert [player.hears(), player.hears()] == [game.id, other.id]
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
    assert [read(person, game).answer.status for person in (host, guest)] == [200, 204]


def test_another_site_gets_no_stream_and_nobody_one_of_a_game_that_is_not_there(read: Any, game: Playing):
    assert read(game.people[0], game, **{"Sec-Fetch-Site": "cross-site"}).answer.status == 204
    assert read(game.people[0], Playing(game.table, "nowhere", [])).answer.status == 204


def test_under_another_server_a_page_is_told_that_there_is_no_stream(table: Table, game: Playing):
    assert table.client.get(f"/news-stream?game={game.id}").status_code == 204
