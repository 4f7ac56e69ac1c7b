"""Outages in one game: the time that it is credited with, and timers of a clock that was days ahead."""

from datetime import datetime, timedelta

from server.house_rules import holding, motions, moves, notices, timers
from server.house_rules.draft import Draft
from server.house_rules.situation import Outage
from server.house_rules.turns import awaited_seats
from server.vocabulary.durations import format_duration, rfc3339


def credit(draft: Draft) -> None:
    """Credit the game with the outages that it was not yet credited with."""
    owed, draft.game.owed = draft.game.owed, []
    for outage in owed:
        draft.game.outages = outage.number
        if outage.end > draft.game.created_at:
            _credit(draft, outage)


def credit_wait_for_mail(begin: datetime, draft: Draft) -> None:
    """Credit the game with the time since `begin`, in which a mail of it could not be read."""
    _credit(draft, Outage(draft.game.outages, "mailbox", begin, draft.now))


def _credit(draft: Draft, outage: Outage) -> None:
    game, lost = draft.game, timers.whole_seconds(outage.end - outage.begin)
    holding.put_off(game, outage.begin, outage.end)
    given = timers.credit_outage(draft, outage.begin, outage.end, outage.cause, game.events + 1)
    if _move_along(draft, lost) or given:
        # In whole seconds, and as much as the steps of the deadline say.
        begin = outage.begin.replace(microsecond=0)
        span = {"from": rfc3339(begin), "until": rfc3339(begin + lost)}
        told = {"cause": outage.cause, **span, "by": format_duration(given or lost)}
        draft.publish("outage", **told, due_at=rfc3339(game.due_at))
    if outage.cause == "restore" and game.status == "running":
        notices.post_to(draft, awaited_seats(game, draft.state, game.queue), "turn")


def _move_along(draft: Draft, lost: timedelta) -> bool:
    """Move the timers that belong to no turn: votes, invitations, provisional results; return whether any moved."""
    game, others = draft.game, draft.game.armed("vote", "invitation", "final")
    for timer in others:
        timers.put_off(timer, lost)
    if any(timer.kind == "vote" for timer in others):
        for motion in motions.open_ones(draft.game):
            motion.closes_at += lost
    if game.final_at is not None and not game.final:
        game.final_at += lost
    return bool(others)


def restart_timers_ahead(draft: Draft, limit: datetime, invited_for: timedelta) -> None:
    """Restart timers, votes and seats that begin after `limit`: they were scheduled while the clock was days ahead.

    An invited seat is kept for `invited_for`.
    """
    game = draft.game
    _wake_bots(draft, limit)
    holding.hold_again(draft, limit)
    are_turns = timers.restart(draft, limit, serial=game.events + 1)
    others = [_correct_votes(draft, limit), _correct_result(draft, limit), _keep_seats(draft, limit, invited_for)]
    if are_turns or any(others):
        draft.publish("corrected", due_at=rfc3339(game.due_at), final_at=rfc3339(game.final_at))
    if are_turns:
        notices.post_to(draft, awaited_seats(game, draft.state, game.queue), "turn")


def _wake_bots(draft: Draft, limit: datetime) -> None:
    """Let bots move as soon as if their turn began now."""
    for timer in draft.game.armed("move"):
        if timer.due_at > limit:
            timers.put_off(timer, draft.now + moves.THINKING - timer.due_at)


def _correct_votes(draft: Draft, limit: datetime) -> bool:
    """Give open votes their whole time from now; return whether there were any."""
    found = [motion for motion in motions.open_ones(draft.game) if motion.opened_at > limit]
    for motion in found:
        ahead = motion.opened_at - draft.now
        _move(draft, "vote", motion.closes_at, -ahead)
        motion.opened_at, motion.closes_at = draft.now, motion.closes_at - ahead
    return bool(found)


def _correct_result(draft: Draft, limit: datetime) -> bool:
    """Give a provisional result its whole time from now; return whether there is one."""
    game = draft.game
    if game.final or game.final_at is None or game.ended_at is None or game.ended_at <= limit:
        return False
    ahead = game.ended_at - draft.now
    _move(draft, "final", game.final_at, -ahead)
    game.ended_at, game.final_at = draft.now, game.final_at - ahead
    return True


def _keep_seats(draft: Draft, limit: datetime, invited_for: timedelta) -> bool:
    """Keep invited seats for their whole time from now; return whether there were any."""
    found = [timer for timer in draft.game.armed("invitation") if timer.due_at > limit + invited_for]
    for timer in found:
        timers.put_off(timer, draft.now + invited_for - timer.due_at)
    return bool(found)


def _move(draft: Draft, kind: str, due_at: datetime, by: timedelta) -> None:
    """Move one timer that is due then; two votes may end at the same time."""
    timer = next((timer for timer in draft.game.armed(kind) if timer.due_at == due_at), None)
    if timer is not None:
        timers.put_off(timer, by)
