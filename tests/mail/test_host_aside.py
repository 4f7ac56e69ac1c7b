"""A host without a seat gets mails of the start, of who is late or resigns, of a changed clock, and of the end."""

from collections.abc import Sequence
from typing import Any

import pytest

from server.models import FormerHolder, session, transaction
from tests.scenes import dealing, text_of
from tests.table import Person, Playing, Table

CLOCK = {"kind": "per_phase", "mr_x": "P1D", "detectives": "P1D", "grace": "PT0S"}


def hosted(table: Table, host: Person, players: Sequence[Person], **clock: Any) -> Playing:
    """A game that somebody hosts for others, not yet started."""
    body = {"edition": "ravensburger-2000", "players": len(players), "clock": CLOCK | clock}
    game = Playing(table, host.post("/games", body).json["id"], list(players))
    for number, player in enumerate(players, 1):
        assert player.post(f"{game.path}/seats", {"seat": number}).status_code == 201
    table.tick()
    return game


@pytest.fixture
def hosts(table: Table) -> tuple[Person, Playing]:
    """A host, and their game of three, which has just begun."""
    host, *players = table.people(4)
    game = hosted(table, host, players)
    with dealing(table, 172, 198, 13, 26, 29):
        host.post(f"{game.path}/start")
    table.tick()
    return host, game


def subjects(person: Person) -> list[str]:
    """What the mails to a person are about, after the name of the game, and without deadlines."""
    return [mail["Subject"].split("] ")[1].split(", until")[0] for mail in person.mails]


def test_of_the_start_in_words_of_their_own(hosts: tuple[Person, Playing]):
    host, _ = hosts
    assert subjects(host)[-1] == "The hunt begins"
    said = " ".join(text_of(host.mails[-1]).split())
    assert "You have no seat in it. As its host you hear who is late or resigns" in said
    assert "When he has moved, you get a mail" not in said


def test_a_start_by_mail_is_answered_by_the_mail_of_the_start(table: Table):
    host, *players = table.people(4)
    hosted(table, host, players)
    before = len(host.mails)
    host.reply("START", to=host.mails[-1])
    table.tick()
    (mail,) = host.mails[before:]
    assert mail["Subject"].endswith("The hunt begins")


def test_of_nothing_while_all_play(hosts: tuple[Person, Playing]):
    host, game = hosts
    before = len(host.mails)
    game.play_round()
    game.table.tick()
    assert len(host.mails) == before


def test_of_late_players_of_either_side_and_of_the_end(hosts: tuple[Person, Playing]):
    host, game = hosts
    game.move(game.people[0])
    for _ in range(5):
        game.table.clock.turn(hours=25)
        game.table.tick()
    game.table.clock.turn(days=3)
    game.table.tick()
    assert subjects(host)[-4:] == [
        "The server has moved for Purple, Red, Green and Yellow",
        "Round 2: Mr. X was late and gets one more turn",
        "The game is over: the detectives have won",
        "The result is final, and the travel log is open",
    ]
    assert "you are asked" not in " ".join(map(text_of, host.mails))


def test_of_a_resignation(hosts: tuple[Person, Playing]):
    host, game = hosts
    game.people[1].post(f"{game.path}/resign")
    game.table.tick()
    assert "Ben" in text_of(host.mails[-1]) or "Cleo" in text_of(host.mails[-1])
    assert "has resigned" in text_of(host.mails[-1])


def test_of_more_time_that_the_players_decide_on(hosts: tuple[Person, Playing]):
    host, game = hosts
    _, ben, cleo = game.people
    game.people[0].post(f"{game.path}/votes", {"kind": "extend", "length": "P2D"})
    for person in (ben, cleo):
        (asked,) = person.get(f"{game.path}/votes").json["votes"] or [None]
        if asked:
            person.post(f"{game.path}/votes/{asked['id']}", {"for": True})
    game.table.tick()
    assert "The players decided to" in " ".join(text_of(host.mails[-1]).split())


def test_but_of_nothing_before_the_result_is_final_if_they_have_been_mr_x(hosts: tuple[Person, Playing]):
    host, game = hosts
    with game.table.app.app_context(), transaction():
        session.add(FormerHolder(game_id=game.id, player_id=host.id, role="mr_x"))
    before = len(host.mails)
    for _ in range(2):
        game.table.clock.turn(hours=25)
        game.table.tick()
    assert len(host.mails) == before
    game.table.clock.turn(days=4)
    game.table.tick()
    assert subjects(host)[before:] == ["The result is final, and the travel log is open"]
