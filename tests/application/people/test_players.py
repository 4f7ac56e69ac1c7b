"""Players: names that are safe in a header, addresses that can be written to, tokens that are shown once."""

import pytest

from server.application.errors import Problem
from server.application.people import names
from server.application.people.players import add_player, authenticate, check_email, check_name, with_email
from server.models import Token, session
from tests.conftest import Table


@pytest.mark.parametrize("name", ["Ada", "Åsa Öberg", "O'Neil, Jr.", "李雷", "x" * 40, "Zoë"])
def test_names_of_people_are_taken_as_they_are(name: str):
    assert check_name(name) == name


def test_a_name_is_tidied():
    assert check_name("  Ada   King ") == "Ada King"
    assert check_name("Zoe\u0308") == "Zoë"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("Ada\nBcc: all@example.org", "one line"),
        ("Ada\r", "one line"),
        ("Ada\x00", "one line"),
        ("Ada\x85Byron", "one line"),
        ("Ada\u2028Byron", "one line"),
        ("Ada\u202eByron", "one line"),
        ("Ada\ud800", "one line"),
        ("=?UTF-8?Q?=0A?=", '"=?"'),
        ("Ada =?utf-8?b?Cg==?=", '"=?"'),
        ("Ada <ada@example.org>", "< > @"),
        ('Ada "the"', '"'),
        ("Ada\\", "\\"),
        ("", "1 to 40"),
        ("   ", "1 to 40"),
        ("x" * 41, "1 to 40"),
    ],
)
def test_a_name_that_could_break_a_header_is_refused(name: str, wrong: str):
    with pytest.raises(Problem) as refused:
        check_name(name)
    assert refused.value.code == "form"
    assert wrong in refused.value.sentence


@pytest.mark.parametrize(
    "email", ["", "ada", "ada@", "@example.org", "ada@example.org\nBcc: x@y.org", "a b@c.org", "ädä@example.org",
              "ada@" + "x" * 250 + ".org", "a@b@c.org", "ada@example.org\x00"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(email: str):
    with pytest.raises(Problem) as refused:
        check_email(email)
    assert refused.value.code == "form"
    assert "is no mail address" in refused.value.sentence


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


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../../etc/passwd", "europe/london"])
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


def test_where_all_small_numbers_are_taken_a_name_gets_a_random_one(table: Table, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(names, "MOST_TRIED", 2)
    with table.app.app_context():
        for wanted in ("Guest", "G" * 40):
            found = []
            for number in range(4):
                found.append(names.free_like(wanted))
                add_player(found[-1], f"{wanted.lower()}{number}@example.org")
            assert len(set(found)) == 4
            assert all(len(name) <= 40 for name in found)
