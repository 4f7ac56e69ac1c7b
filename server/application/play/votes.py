"""Votes: what the players of a running game propose and vote on; `server.house_rules.votes` counts."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from operator import attrgetter
from typing import Any

from sqlalchemy import bindparam, select

from server.application.catalogues.votes import PROPOSALS, VoteKind
from server.application.deciding import Decided, use_case
from server.application.errors import Problem
from server.application.game.situations import decided, load_visible
from server.application.limits.daily_limits import again_at
from server.application.play import vacation
from server.durations import DAY, rfc3339
from server.house_rules import votes
from server.house_rules.standing import Motion, Seat, Sight, Standing
from server.house_rules.votes import MOST_OPENED, Proposal
from server.models import Motion as MotionRow
from server.models import Player, rows, session
from server.runtime import now, runtime

CLOSED = "That vote is closed."
_OPENED = (
    select(MotionRow.opened_at)
    .where(
        MotionRow.game_id == bindparam("game"),
        MotionRow.seat == bindparam("seat"),
        MotionRow.opened_at > bindparam("since"),
    )
    .order_by(MotionRow.opened_at)
)


@use_case
def propose(game_id: str, player: Player, kind: str, **wish: Any) -> Decided[Motion]:
    """Propose something to the others, or vote for it if the same is proposed already.

    Args:
        wish: `length` of an extension, such as `P2D`, or of a pause that is to be shorter than the longest; `clock`,
            the other clock.

    Raises:
        Problem: `form` if the wish is not valid, `enough` if the game had as many of these as it may have.
    """
    situation = load_visible(game_id, player)
    recent = _recent(game_id, situation.seat_of_player(player.id).number)
    proposal = Proposal(kind, wish, runtime().settings.min_turn, recent)
    return decided(situation, lambda draft: votes.put_to_vote(draft, player.id, proposal)).then(attrgetter("answer"))


@use_case
def vote(game_id: str, player: Player, motion_id: str, *, is_for: bool) -> Decided[Motion]:
    """Vote for or against an open motion; a vote can be changed until the motion is decided.

    Raises:
        Problem: `not-found` if the game has no such motion, `stale-turn` if it is decided or has expired.
    """
    situation = load_visible(game_id, player)
    try:
        outcome = decided(situation, lambda draft: votes.cast_vote(draft, player.id, motion_id, is_for=is_for))
    except Problem as problem:
        motion = session.get(MotionRow, motion_id) if problem.code == "not-found" else None
        if motion is None or motion.game_id != game_id:
            raise
        raise Problem("stale-turn", CLOSED) from None
    return outcome.then(attrgetter("answer"))


def unanswered(game: Sight, seat: Seat) -> list[Motion]:
    """Return the open motions on which the seat may vote and has not yet."""
    return [
        motion
        for motion in votes.open_motions(game)
        if may_answer(game, motion, seat) and seat.number not in motion.ballots
    ]


def may_answer(game: Standing, motion: Motion, seat: Seat) -> bool:
    """Return True if the seat may vote on the motion now, or change its vote."""
    return seat in _voters(game, motion)


def proposable(game: Sight, seat: Seat) -> list[VoteKind]:
    """Return the kinds of proposals that the seat may make now."""
    if game.status != "running" or not vacation.present([seat]):
        return []
    if again_at(_recent(game.id, seat.number), MOST_OPENED) is not None:
        return []
    carried = Counter(motion.kind for motion in game.motions if motion.state == "carried")
    paused, has_deadline = game.paused_until(now()) is not None, bool(game.timeouts())
    found = []
    for kind in PROPOSALS:
        with suppress(Problem):
            votes.check_possible(kind, paused, has_deadline=has_deadline, carried=carried[kind.name])
            found.append(kind)
    return found


def facts(motion: Motion) -> dict[str, Any]:
    """Return a motion as everybody sees it."""
    return {
        "id": motion.id,
        "kind": motion.kind,
        **motion.wish,
        "seat": motion.seat,
        "state": motion.state,
        "closes_at": rfc3339(motion.closes_at),
        "for": sorted(seat for seat, is_for in motion.ballots.items() if is_for),
        "against": sorted(seat for seat, is_for in motion.ballots.items() if not is_for),
    }


def _voters(game: Standing, motion: Motion) -> list[Seat]:
    is_asked = [seat for seat in game.seats if motion.kind != "claim" or seat.role == "detective"]
    return vacation.present(is_asked)


def _recent(game_id: str, number: int) -> Sequence[datetime]:
    """Return when the seat proposed things within a day, the oldest first."""
    return [row.opened_at for row in rows(_OPENED, game=game_id, seat=number, since=now() - DAY)]
