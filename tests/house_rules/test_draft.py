"""Decisions in random games: nothing but what a decision says changes, and a game always fits together."""

from copy import deepcopy
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from server.clock import is_shared
from server.house_rules import sealed_log
from server.house_rules.draft import Decision, decide
from server.house_rules.situation import Situation
from server.house_rules.turns import phase_of, seats_to_move
from server.sealing import hash_chain
from server.vocabulary.errors import Problem
from tests.house_rules.commands import CLOCKS, COMMANDS, HAPPENINGS
from tests.house_rules.situations import (
    Match,
    Webhook,
    begun,
    plain,
)

EDITIONS = (
    ("ravensburger-2000", 4, {}), ("ravensburger-2000", 3, {"log_windows": 3}), ("condensed", 2, {}),
    ("milton-bradley-1985", 4, {"turn_order": "fixed"}), ("ravensburger-2013", 5, {}),
)  # fmt: skip
ACTS = st.lists(st.tuples(st.sampled_from((*COMMANDS, *HAPPENINGS)), st.integers(0, 9999)), min_size=30, max_size=60)
EXAMPLES = settings.default.max_examples  # of the profile
FEWER = 1 if EXAMPLES > 100 else 4
GAMES = st.tuples(st.sampled_from(EDITIONS), st.sampled_from(CLOCKS), st.sampled_from([(), (), (2,), (1,)]))


def opened(chosen: Any) -> Match:
    """Return the game that was chosen of GAMES, as it begins."""
    (edition, players, options), clock, bots = chosen
    hooks = [Webhook("hook 1", "Ada"), Webhook("hook 2", "Ben"), Webhook("hook 3", "a stranger")]
    return begun(edition, players, options=options, clock=clock, bots=bots, webhooks=hooks)


def act(match: Match, make: Any, number: int) -> Decision[Any] | Problem | None:
    """Carry out a command or a happening; return the decision or the refusal, None if there was nothing to do."""
    rng = Random(number)
    if make in HAPPENINGS:
        before = len(match.decisions)
        make(match, rng)
        return match.decisions[-1] if len(match.decisions) > before else None
    command = make(match.game, match.now, rng)
    if command is None:
        return None
    try:
        return match.do(command)
    except Problem as problem:
        return problem


@settings(max_examples=EXAMPLES // FEWER)
@given(GAMES, ACTS)
def test_a_game_fits_together_after_every_decision(chosen: Any, acts: Any):
    match = opened(chosen)
    assert_fits(match.game)
    for make, number in acts:
        if isinstance(act(match, make, number), Decision):
            assert_told(match.decisions[-1])
            assert_fits(match.game)


@settings(max_examples=EXAMPLES // 2 // FEWER)
@given(GAMES, ACTS)
def test_a_decision_changes_nothing_of_what_it_was_given_and_the_same_comes_again(chosen: Any, acts: Any):
    match = opened(chosen)
    for make, number in acts:
        if make in HAPPENINGS:
            make(match, Random(number))
            continue
        before = deepcopy(match.game)
        outcomes = [tried(match, make, number) for _ in range(2)]
        assert plain(match.game) == plain(before), "whether it is refused or not"
        assert outcomes[0] == outcomes[1]
        act(match, make, number)


def tried(match: Match, make: Any, number: int) -> Any:
    """Return all that follows from a command as values to be compared, without carrying it out."""
    command = make(match.game, match.now, Random(number))
    if command is None:
        return None
    try:
        made = decide(match.game, command, match.sources())
    except Problem as problem:
        return problem.code, problem.sentence
    return plain(made.after), made.moves, made.events, made.mails, made.deliveries


@settings(max_examples=EXAMPLES // 4 // FEWER)
@given(GAMES, ACTS)
def test_the_state_is_what_a_replay_of_the_moves_gives(chosen: Any, acts: Any):
    match = opened(chosen)
    replayed = match.state.copy()
    seen = 0
    for make, number in acts:
        act(match, make, number)
        for made in (move for decision in match.decisions[seen:] for move in decision.moves):
            assert made.turn == replayed.turn
            replayed.play(made.notation)
        seen = len(match.decisions)
        assert replayed.record_json(opened=True) == match.state.record_json(opened=True)


def assert_told(decision: Decision[Any]) -> None:
    """Fail unless the events are numbered and chained, and everything a decision says hangs on one of them."""
    before, after = decision.before, decision.after
    head, turn = before.head, before.turn
    at = before.happened_at
    for number, event in enumerate(decision.events, before.events + 1):
        assert event.number == number
        head = hash_chain.link(head or "", sealed_log.facts(event.number, event.kind, event.at, event.data))
        assert event.head == head
        assert at is None or at <= event.at
        at = event.at
    assert (after.head, after.events) == (head, before.events + len(decision.events))
    for number, made in enumerate(decision.moves, turn or 0):
        assert made.turn == number
    assert after.turn == (turn or 0) + len(decision.moves)
    assert [made.pawn for made in decision.moves] == [e.data["pawn"] for e in decision.events if e.kind == "moved"]
    people = {seat.player_id for seat in (*before.seats, *after.seats)}
    assert all(mail.event <= after.events and mail.player_id in people for mail in decision.mails)
    ids = [each.id for each in (*decision.mails, *decision.deliveries)]
    assert len({*ids}) == len(ids)
    assert {delivery.webhook_id for delivery in decision.deliveries} <= {"hook 1", "hook 2"}


def assert_fits(game: Situation) -> None:
    """Fail unless the timers, the motions and the columns of a game say the same as the engine."""
    state = game.state
    assert state is not None
    assert game.turn == state.turn
    kinds = [timer.kind for timer in game.timers if timer.state == "armed"]
    timeouts = sorted(timer.seat for timer in game.timers if (timer.kind, timer.state) == ("timeout", "armed"))
    keys = [(t.kind, t.round, t.side, t.seat, t.step, t.serial) for t in game.timers]
    assert len({*keys}) == len(keys)
    if game.status == "over":
        assert {*kinds} <= {"final", "vote"}
        assert kinds.count("final") == (not game.final)
        assert (game.due_at, game.queue) == (None, [])
        assert game.winner
        assert (game.final_at is None) <= game.final
        return
    assert state.outcome is None
    assert (game.side, game.round) == phase_of(state)
    assert (game.winner, game.reason, game.final, game.final_at, game.ended_at) == (None, None, False, None, None)
    phase = ("mr_x", game.round)
    asked = any((m.kind, m.state) == ("claim", "open") and phase == (game.side, m.wish["round"]) for m in game.motions)
    shared, to_move = [0], sorted(seats_to_move(game.seats, state))
    expected = [] if asked or game.clock["kind"] == "none" else shared if is_shared(game.clock) else to_move
    assert timeouts == expected
    first = min((t.due_at for t in game.timers if (t.kind, t.state) == ("timeout", "armed")), default=None)
    assert game.due_at == first or asked, "the deadline that Mr. X let pass stays until the detectives have decided"
    for timer in game.timers:
        if timer.kind != "vote":
            assert (timer.side, timer.round) == (game.side, game.round)
    bots = any(seat.bot for seat in game.seats if set(seat.pawns) & set(state.to_move))
    assert ("move" in kinds) >= bots
    ends = [timer.due_at for timer in game.timers if (timer.kind, timer.state) == ("vote", "armed")]
    assert all(motion.closes_at in ends for motion in game.motions if motion.state == "open")
    able = {pawn for seat in game.seats for pawn in seat.pawns if state.moves_ahead(pawn) or pawn in state.to_move}
    assert {queued.pawn for queued in game.queue} <= able - set(state.to_move)
