"""Who lets a link show the replay of a private game to everybody."""

from dataclasses import replace
from typing import Any

import pytest

from server.house_rules import endings
from server.house_rules.replays import is_shown, want_shown
from server.vocabulary.errors import Problem
from tests.house_rules.situations import Match, begun
from tests.rows import for_each


def ended(**more: Any) -> Match:
    """A private game of Ada, who was Mr. X, Ben and Cleo, whose result is final."""
    match = begun(players=3, **more)
    match.do(lambda draft: endings.end(draft, endings.AGREED))
    match.game.visibility = "private"
    return match


@for_each(
    "bots, who, shown",
    [
        ((), (), False), ((), ("Ada",), False), ((), ("Ben", "Cleo"), False), ((), ("Ada", "Cleo"), True),
        ((1,), (), False), ((1,), ("Cleo",), True), ((2, 3), ("Ada",), True),
    ],
)  # fmt: skip
def test_one_player_of_each_side_has_to_want_it_and_bots_always_do(bots: Any, who: Any, shown: bool):
    match = ended(bots=bots)
    for player in who:
        match.do(lambda draft, player=player: want_shown(draft, player, "pawn"))
    assert is_shown(match.game) == shown


def test_who_withdraws_it_closes_it():
    match = ended()
    for player, wish in (("Ada", "name"), ("Ben", "pawn"), ("Ada", None)):
        match.do(lambda draft, player=player, wish=wish: want_shown(draft, player, wish))
    assert not is_shown(match.game)


@pytest.mark.parametrize(
    ("changed", "who", "wish", "code"),
    [
        ({}, "Hal", "pawn", "forbidden"),
        ({}, "Ada", "face", "form"),
        ({"visibility": "public"}, "Ada", "pawn", "form"),
        ({"final": False}, "Ada", "pawn", "game-not-running"),
        ({"turn": None}, "Ada", "pawn", "game-not-running"),
    ],
)
def test_what_is_refused(changed: dict[str, Any], who: str, wish: str, code: str):
    match = ended()
    match.game = replace(match.game, **changed)
    with pytest.raises(Problem) as refused:
        match.do(lambda draft: want_shown(draft, who, wish))
    assert refused.value.code == code
