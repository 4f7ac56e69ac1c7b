"""No address of the server's own becomes a player's, and a mail that comes from one is a loop."""

from collections.abc import Callable

import pytest

from server.application.people.accounts import addresses, importing, sign_up
from server.application.people.players import add_player
from server.vocabulary.errors import Problem
from tests.mail.commands.test_dispatch import verdict, write
from tests.scenes import hunt
from tests.table import Table

OWN = ("play@localhost", "turn+aaaaaaaaaaaaaaaa@localhost", "turn@localhost", "postmaster@localhost", "abuse@localhost")
WAYS: dict[str, Callable[[str, str], object]] = {
    "the command line": lambda _, own: add_player("Gwen", own),
    "an import": lambda _, own: importing.add_all(f"Gwen,{own}\n"),
    "a sign-up": lambda _, own: sign_up.request_code("Gwen", own),
    "one more address": addresses.ask_for,
    "one more address that the operator vouches for": addresses.vouch_for,
    "one more address after a mail from there": addresses.add,
}


def test_no_way_makes_an_address_of_the_server_a_players(table: Table):
    ada = table.person("Ada")
    with table.app.app_context():
        for way, make in WAYS.items():
            for own in OWN:
                with pytest.raises(Problem) as refused:
                    make(ada.id, own)
                assert "address of this server itself" in str(refused.value), (way, own)


def test_nobody_is_invited_at_an_address_of_the_server(table: Table):
    ada = table.person("Ada")
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "invite": OWN[0]}]
    made = ada.post("/games", {"edition": "condensed", "seats": seats})
    assert (made.status_code, "this server itself" in made.json["detail"]) == (422, True)


def test_a_mail_from_an_address_of_the_server_is_a_loop_and_asks_nobody_anything(table: Table):
    game = hunt(table)
    ben, before = game.people[1], len(table.post.sent)
    for sender in (*OWN, "Turn <TURN+x@LocalHost>"):
        table.clock.turn(minutes=1)
        ben.reply("bus 102", sender=sender)
        write(ben, "HELP", From=sender)
        table.tick()
        assert verdict(table) == "loop", sender
        assert len(table.post.sent) == before, sender
