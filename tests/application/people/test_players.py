"""Players: addresses that belong to one, zones that there are, tokens that are shown once."""

import pytest

from server.application.people import names
from server.application.people.players import add_player, with_email
from server.models import Token, session
from server.vocabulary.errors import Problem
from tests.rows import for_each
from tests.table import Table
from tests.tokens import authenticate


def test_an_address_is_kept_in_lower_case_and_found_in_any(table: Table):
    with table.app.app_context():
        player, _ = add_player("Ada", "Ada.King@Example.ORG")
        assert player.email == "ada.king@example.org"
        assert with_email(" ADA.KING@example.org ").id == player.id
        assert with_email("ben@example.org") is None


def test_an_address_belongs_to_one_player(table: Table):
    with table.app.app_context():
        add_player("Ada", "ada@example.org")
        with pytest.raises(Problem) as refused:
            add_player("Another", "ADA@example.org")
        assert refused.value.code == "email-taken"
        assert "ada@example.org" in refused.value.sentence


@for_each("zone", ["Mars/Olympus", "", "../../etc/passwd", "europe/london"])
def test_a_time_zone_that_there_is_not_is_refused(table: Table, zone: str):
    with table.app.app_context(), pytest.raises(Problem) as refused:
        add_player("Ada", "ada@example.org", zone)
    assert repr(zone) in refused.value.sentence


def test_a_token_lets_its_player_in_and_only_its_hash_is_kept(table: Table):
    with table.app.app_context():
        player, token = add_player("Ada", "ada@example.org")
        assert token.startswith("bt_")
        assert authenticate(token).player.id == player.id
        assert authenticate(token[:-1]) is None
        assert authenticate("") is None
        assert token not in session.query(Token).one().digest


def test_where_all_small_numbers_are_taken_a_name_gets_a_random_one(table: Table):
    with table.app.app_context():
        for wanted in ("Gwen", "G" * 40):
            taken = [wanted, *(f"{wanted[:37]} {number}" for number in range(2, names.MOST_TRIED + 1))]
            for number, name in enumerate(taken[:-1]):
                add_player(name, f"{wanted.lower()}{number}@example.org")
            for number in range(3):
                free = names.free_like(wanted)
                assert len(free) <= 40
                assert (free == taken[-1]) == (number == 0)
                add_player(free, f"{wanted.lower()}x{number}@example.org")
