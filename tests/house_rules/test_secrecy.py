"""Nothing of what a hidden Mr. X hides is in an event, a mail or a refusal.

Two games differ in nothing but his station. The same happens in both, and by what is told they cannot be told apart.
"""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from server.vocabulary.errors import Problem
from tests.house_rules.commands import (
    CLOCKS,
    COMMANDS,
    HAPPENINGS,
    move,
)
from tests.house_rules.situations import Match, Webhook, begun
from tests.house_rules.test_draft import act
from tests.positions import position
from tests.profiles import IS_CAMPAIGN

ACTS = st.lists(st.tuples(st.sampled_from((*COMMANDS, *HAPPENINGS)), st.integers(0, 9999)), min_size=20, max_size=60)
STATIONS = st.sampled_from([19, 46, 69, 86, 104, 117, 137, 154, 171, 190])
HIDDEN_MOVES = 3  # Mr. X shows himself with move 8 of the travel log


def blind(*_facts: object) -> str:
    """Return the same commitment for everything, as a hash tells nothing, but differs."""
    return "sealed"


def world(station: int, clock: dict[str, Any], bots: tuple[int, ...]) -> Match:
    """Return a game with a hidden Mr. X at this station."""
    place = position(station, log_used=4, purple=1, red=94, green=50)
    hooks = [Webhook(f"hook of {name}", name) for name in ("Ada", "Ben", "Cleo")]
    return begun(players=4, position=place, clock=clock, bots=bots, webhooks=hooks, commit=blind)


def told(worlds: list[Match], make: Any, number: int) -> list[Any]:
    """Let the same happen in both worlds; return what is told in each."""
    outcomes = []
    for one in worlds:
        result = act(one, make, number)
        if isinstance(result, Problem):
            outcomes.append((result.code, result.sentence, result.facts))
        elif result is None:
            outcomes.append(None)
        else:
            outcomes.append((result.events, result.mails, result.deliveries))
    return outcomes


def ride(worlds: list[Match], rng: Random) -> list[Any] | None:
    """Let both Mr. X move with the same ticket; return what is told in each, None if they cannot."""
    legal = [
        {str(each).split()[0]: str(each) for each in reversed(one.state.legal_moves("mr_x")) if "+" not in str(each)}
        for one in worlds
    ]
    tickets = sorted(legal[0].keys() & legal[1].keys() - {"double"})
    if not tickets:
        return None
    ticket = rng.choice(tickets)
    his = worlds[0].game.seat_of_pawn("mr_x").player_id or "Nobody"
    made = [one.move(his, each[ticket]) for one, each in zip(worlds, legal, strict=True)]
    return [(each.events, each.mails, each.deliveries) for each in made]


@settings(max_examples=settings.default.max_examples // (2 if IS_CAMPAIGN else 5))
@given(st.tuples(STATIONS, STATIONS), st.sampled_from(CLOCKS), st.sampled_from([(), (2,)]), ACTS)
def test_two_games_that_differ_in_his_station_cannot_be_told_apart(
    stations: tuple[int, int], clock: dict[str, Any], bots: tuple[int, ...], acts: Any
):
    worlds = [world(station, clock, bots) for station in stations]
    rides = 0
    for make, number in acts:
        is_his = worlds[0].state.to_move == ("mr_x",) and make is move and worlds[0].game.status == "running"
        if is_his:
            rides += 1
            outcomes = ride(worlds, Random(number)) if rides <= HIDDEN_MOVES else None
            if outcomes is None:
                return
        else:
            outcomes = told(worlds, make, number)
        if any(one.state.outcome or one.game.final for one in worlds):
            return  # he was met in one of them, or the log is open
        assert outcomes[0] == outcomes[1]
