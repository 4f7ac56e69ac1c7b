"""A list of players as CSV: all of them are added or none, and an error names the line and the column."""

import pytest

from server.application.people.accounts import importing
from server.models import Player, session
from server.vocabulary.errors import Problem
from tests.rows import for_each
from tests.table import Table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    made = Table(tmp_path_factory.mktemp("importing"))
    made.person("Ada")
    return made


def there(table: Table) -> set[str]:
    with table.app.app_context():
        return {player.email for player in session.query(Player)}


def test_a_list_is_added_and_the_second_time_changes_nothing(table: Table):
    text = 'Name,Email,Zone\r\n"King, Ben",BEN@example.org,Europe/London\r\n\r\n Cleo , cleo@example.org ,\r\n'
    text += "Somebody,ada@example.org\r\n"
    with table.app.app_context():
        first, second = importing.add_all(text), importing.add_all(text)
        assert [(row["name"], row["email"]) for row in first] == [
            ("King, Ben", "ben@example.org"), ("Cleo", "cleo@example.org"), ("Ada", "ada@example.org"),
        ]  # fmt: skip
        assert [row["token"] is None for row in first + second] == [False, False, True, True, True, True]
        assert [row["id"] for row in first] == [row["id"] for row in second]
        assert session.get_one(Player, first[0]["id"]).zone == "Europe/London"


@for_each(
    "text, says",
    [
        ("", "There is nobody on this list."),
        ("name,email\n", "There is nobody on this list."),
        ("Dan,dan@example.org\nEve,eve", "Line 2, column 2 (email): 'eve' is no mail address"),
        ("Dan,dan@example.org\n\n,eve@example.org", "Line 3, column 1 (name): A name has 1 to 40 characters."),
        ("Dan,dan@example.org,Mars", "Line 1, column 3 (zone): 'Mars' is no time zone"),
        ("Dan;dan@example.org", "Line 1 has 1 column. A line reads name,email"),
        ("Dan,dan@example.org,UTC,x", "Line 1 has 4 columns."),
        ("Dan,dan@example.org\nEve,DAN@example.org", "Line 2, column 2 (email): dan@example.org stands in line 1"),
        ('Dan,dan@example.org\n"Eve', "Line 2 is no CSV"),
        ("Dan\x00,dan@example.org", "Line 1, column 1 (name): A name is one line of letters"),
    ],
)
def test_a_list_with_anything_wrong_adds_nobody(table: Table, text: str, says: str):
    before = there(table)
    with table.app.app_context(), pytest.raises(Problem) as refused:
        importing.add_all(text)
    assert refused.value.sentence.startswith(says)
    assert there(table) == before
