"""Which lines block somebody, and which are words about the game."""

import pytest

from server.language.grammar import parse_line


@pytest.mark.parametrize(
    "line",
    [
        "block the bridge",
        "Block Mr. X",
        "BLOCK red",
        "Block Purple",
        "block 46",
        "block",
        "BLOCK constable's way",
        "block 46 Red",
    ],
)
def test_words_about_the_game_are_no_command(line: str):
    assert parse_line(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "BLOCK Ben",
        "block: Ben.",
        "Unblock Ada L.",
        'BLOCK "ben the 2nd"',
        "BLOCK x@example.org",
        "BLOCK K {0}",
        "BLOCK Kä %s",
        "BLOCK Guest 2",
        "BLOCK %(name)s %S Ben",
    ],
)
def test_names_and_addresses_are(line: str):
    command = parse_line(line)
    assert command is not None
    assert command.name in ("block", "unblock")
