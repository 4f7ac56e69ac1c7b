"""Commands for games of `situations`, drawn by chance: those that are carried out and those that are refused."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

from server.clock import OUTAGES
from server.house_rules import (
    draws,
    endings,
    outage_credit,
    queue,
    remedies,
    resignation,
    substitution,
    vacation,
    votes,
)
from server.house_rules.draft import Draft
from server.house_rules.situation import Outage, Situation
from server.house_rules.submission import RequestedMove, place
from server.house_rules.turns import choices
from tests.house_rules.situations import (
    DAY,
    HOUR,
    Match,
    fire,
    holder,
    settle,
)

Command = Callable[[Draft], Any]
TOLD = {"reason": "their mail provider was down"}
CLOCKS = (
    {"kind": "per_phase", "mr_x": "P1D", "detectives": "PT6H"},
    {"kind": "per_phase", "grace": "PT6H", "cover": True, "open_after": 1, "mr_x_late": "vote"},
    {"kind": "per_phase", "reminders": [0.25, 0.5], "mr_x_late": "vote", "provisional": "PT0S"},
    {"kind": "per_phase", "days_off": ["sat", "sun"], "zone": "Europe/Berlin", "open_after": 2},
    {"kind": "per_move", "mr_x": "PT12H", "detectives": "PT6H", "open_after": 1},
    {"kind": "per_move", "grace": "PT1H", "cover": True, "mr_x_late": "vote"},
    {"kind": "bank", "bank": "P2D", "increment": "PT6H", "cap": "P3D", "mr_x_late": "vote"},
    {"kind": "bank", "bank": "P1D", "increment": "PT1H", "cap": "P1D", "grace": "PT2H"},
    {"kind": "schedule", "at": "20:00", "days": ["mon", "wed", "fri"]},
    {"kind": "none"},
)


def _player(game: Situation, rng: Random) -> str:
    return rng.choice([*(seat.player_id for seat in game.seats if seat.player_id), "Nobody"])


def move(game: Situation, _now: datetime, rng: Random) -> Command:
    """Send a legal move of a pawn, to be played or queued, or now and then another one."""
    assert game.state is not None
    pawns = game.state.to_move if rng.random() < 0.7 else tuple(pawn for seat in game.seats for pawn in seat.pawns)
    pawn = rng.choice(pawns or ("mr_x",))
    legal = choices(game.state, pawn)
    notation = str(rng.choice(legal)) if legal and rng.random() < 0.9 else f"{pawn} taxi {rng.randint(1, 199)}"
    sender = game.seat_of_pawn(pawn).player_id if rng.random() < 0.9 else _player(game, rng)
    turn = rng.choice([None, None, None, 1, game.turn])
    return lambda draft: place(draft, sender or "Nobody", RequestedMove(notation, turn))


def take_back(game: Situation, _now: datetime, rng: Random) -> Command:
    """Take queued moves back."""
    seat = rng.choice([queued.seat for queued in game.queue] or [1])
    return lambda draft: queue.clear(draft, draft.game.seat_of_number(seat))


def resign(game: Situation, _now: datetime, rng: Random) -> Command:
    """Resign."""
    player = _player(game, rng)
    return lambda draft: resignation.give_up(draft, player)


def offer(game: Situation, now: datetime, rng: Random) -> Command:
    """Offer a draw, or agree to one; now and then too often."""
    player, changes = _player(game, rng), [(rng.choice(game.seats).number, now)] * rng.choice([0, 0, 0, 6])

    def command(draft: Draft) -> None:
        draft.game.draw_changes = [*draft.game.draw_changes, *changes]
        draws.offer_draw(draft, player)

    return command


def withdraw(game: Situation, _now: datetime, rng: Random) -> Command:
    """Withdraw an offer."""
    player = _player(game, rng)
    return lambda draft: draws.withdraw(draft, player)


def propose(game: Situation, _now: datetime, rng: Random) -> Command:
    """Propose a pause, its end, more time, or another clock; now and then something that makes no sense."""
    wish: tuple[str, dict[str, Any]] = rng.choice(
        [
            ("pause", {}), ("pause", {"length": "P3D"}), ("resume", {}), ("extend", {"length": "P1D"}),
            ("extend", {"length": "P9D"}), ("clock", {"clock": rng.choice(CLOCKS)}), ("claim", {}),
        ]
    )  # fmt: skip
    player = _player(game, rng)
    return lambda draft: votes.put_to_vote(draft, player, wish[0], **wish[1])


def vote(game: Situation, _now: datetime, rng: Random) -> Command:
    """Vote on an open motion, more often for it than against."""
    motion = rng.choice([motion.id for motion in game.motions if motion.state == "open"] or ["none"])
    player, is_for = _player(game, rng), rng.random() < 0.7
    return lambda draft: votes.cast_vote(draft, player, motion, is_for=is_for)


def hand_on(game: Situation, _now: datetime, rng: Random) -> Command | None:
    """Give a seat to somebody new."""
    number, newcomer = rng.choice(game.seats).number, holder(f"newcomer {game.events}")
    if game.status != "running":
        return None
    return lambda draft: substitution.hand_on(draft, number, newcomer, rng.choice([None, "illness"]))


def extend(game: Situation, _now: datetime, _rng: Random) -> Command | None:
    """Give more time, as the operator."""
    is_timed = game.status == "running" and game.due_at is not None
    return (lambda draft: remedies.give_time(draft, "P1D", {**TOLD, "by": "P1D"})) if is_timed else None


def void(game: Situation, _now: datetime, _rng: Random) -> Command | None:
    """End the game, as the operator."""
    return (lambda draft: remedies.end_void(draft, TOLD)) if game.status == "running" else None


def reinstate(game: Situation, _now: datetime, _rng: Random) -> Command | None:
    """Take the game up again, as the operator."""
    can_be = game.status == "over" and not game.final and game.reason in endings.CAN_BE_TAKEN_UP
    return (lambda draft: remedies.take_up_again(draft, TOLD)) if can_be else None


def time_runs_out(game: Situation, now: datetime, _rng: Random) -> Command | None:
    """Fire the timer that is due first, if it is due."""
    due = [timer for timer in game.timers if timer.state == "armed" and timer.due_at <= now]
    return partial(fire, min(due, key=lambda timer: timer.due_at).id) if due else None


USUAL = (move, move, move, move, time_runs_out, time_runs_out, time_runs_out, propose, vote, vote)
RARE = (take_back, resign, offer, withdraw, hand_on, extend, void)
COMMANDS = (*USUAL * 6, *(reinstate,) * 10, *RARE)


# What happens around a game ----------------------------------------------------------------------


def time_passes(match: Match, rng: Random) -> None:
    """Turn the clock by some hours, or to the next timer."""
    timers_ = match.timers()
    to_the_next = timers_ and rng.random() < 0.7
    match.now = max(match.now, timers_[0].due_at) if to_the_next else match.now + rng.randint(1, 30) * HOUR


def somebody_goes_away(match: Match, rng: Random) -> None:
    """Let a player be away; the deadlines that wait for them move."""
    seat = rng.choice(match.game.seats)
    if seat.player_id:
        begin = match.now + rng.choice([-HOUR, 12 * HOUR])
        match.away(seat.number, begin, begin + rng.randint(1, 3) * DAY)
        match.do(partial(vacation.wait_for_player, player_id=seat.player_id))


def somebody_changes_settings(match: Match, rng: Random) -> None:
    """Let a player choose a night, automatic vacation, or a mail for every move."""
    seat = rng.choice(match.game.seats)
    if seat.holder and seat.player_id:
        seat.holder.night = rng.choice([None, "17:00-02:00", "23:00-07:00"])
        seat.holder.spends_vacation = rng.random() < 0.5
        seat.holder.wants_moves = rng.random() < 0.5
        match.do(partial(vacation.wait_for_player, player_id=seat.player_id))


def somebody_covers(match: Match, rng: Random) -> None:
    """Let a detective name a teammate."""
    one, other = rng.sample(match.game.seats[1:], 2) if len(match.game.seats) > 2 else (None, None)
    if one and other and one.player_id:
        one.cover = other.number


def the_server_was_out(match: Match, rng: Random) -> None:
    """Let an outage end now, and credit the game with it."""
    begin, match.now = match.now, match.now + rng.randint(1, 20) * HOUR
    match.game.owed.append(Outage(match.game.outages + 1, rng.choice([*OUTAGES]), begin, match.now))
    match.do(settle)


def the_clock_was_ahead(match: Match, _rng: Random) -> None:
    """Set the clock back by two days: what began since then restarts."""
    match.now -= 2 * DAY
    match.do(lambda draft: outage_credit.restart_timers_ahead(draft, match.now + DAY, timedelta(days=3)))


HAPPENINGS = (
    *(time_passes,) * 25, somebody_goes_away, somebody_changes_settings, somebody_covers, the_server_was_out,
    the_clock_was_ahead,
)  # fmt: skip
