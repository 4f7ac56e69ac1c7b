"""A player whom the operator adds is told how to begin."""

from server.application.people.accounts import sign_up
from tests.scenes import text_of
from tests.table import Table


def test_the_welcome_of_a_new_player_ends_in_a_first_move(table: Table):
    with table.app.app_context():
        sign_up.add_vouched_player("Gwen", "gwen@example.org")
    table.tick()
    (mail,) = table.post.of("gwen@example.org")
    said = " ".join(text_of(mail).split())
    assert said.startswith("You are a player here.")
    assert said.endswith("A practice game against bots begins, and its first turn comes to you in a minute.")
    assert mail["Reply-To"].addresses[0].addr_spec == "play@localhost"
