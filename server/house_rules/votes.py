"""Votes: the players of a running game decide to pause it, to resume it, on more time, or on another clock.

A player who proposes something is for it. A pause, its end, and more time need more than half of the players who are
not away, and never only one where there are several; another clock needs all of them. Bots do not vote. The votes and
their result are public. A vote on more time expires with the deadline it is about, see `motions.expire_extensions`.

If the clock says so, the server asks the detectives when Mr. X is late again (`lateness.AskDetectives`): there the
majority of those who answer counts.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from server.house_rules import (
    lateness,
    motions,
    moves,
    notices,
    timers,
    vacation,
)
from server.house_rules.draft import Draft
from server.house_rules.situation import Situation
from server.house_rules.standing import (
    Motion,
    Seat,
    Sight,
    Standing,
    Timer,
)
from server.vocabulary.durations import DAY, format_duration, parse_duration
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.limits import PROPOSALS_A_DAY
from server.vocabulary.translation import gettext_noop
from server.vocabulary.votes import BY_NAME, CLAIM, PROPOSALS, PROPOSED, VoteKind, VoteWish
from server.vocabulary.words import either, quoted

OPEN_FOR = 3 * DAY
CLOSED = gettext_noop("That vote is closed.")


def put_to_vote(draft: Draft, player_id: str, /, kind: str, **wish: object) -> Motion:
    """Propose something to the others, or vote for it if the same is proposed already.

    Args:
        wish: `length` of an extension, such as `P2D`, or of a pause that is to be shorter than the longest; `clock`,
            the other clock.

    Raises:
        Problem: `form` if the wish is not valid or fits nothing now, `enough` if the game had as many of these as
            it may have, `too-many` if the seat proposed too much within a day, `forbidden` if the player has no vote,
            `game-not-running`.
    """
    seat = _voter(draft, player_id)
    details = _checked(draft, kind, wish)
    if BY_NAME[kind].is_about_deadline:
        details["side"] = draft.game.side  # whose deadline it is, also where it is told when that is over
    same = next((motion for motion in open_motions(draft.game) if (motion.kind, motion.wish) == (kind, details)), None)
    _check_may_vote(draft, kind, seat)
    if same is not None:
        _cast(draft, same, seat, is_for=True)
        return same
    check_possible(draft.game, BY_NAME[kind], draft.now)
    PROPOSALS_A_DAY.check(_lately(draft.game, seat, draft.now), draft.now)
    motion = motions.open_motion(draft, kind, details, _closes_at(draft, kind), seat)
    _cast(draft, motion, seat, is_for=True)
    if motion.state == "open":
        notices.post_vote(draft, motion, seat, voters(draft.game, motion, draft.now))
    return motion


def cast_vote(draft: Draft, player_id: str, motion_id: str, *, is_for: bool) -> Motion:
    """Vote for or against an open motion; a vote can be changed until the motion is decided.

    Raises:
        Problem: `not-found` if there is no such motion, `stale-turn` if it is decided or has expired, `forbidden` if
            the player has no vote on it, `game-not-running`.
    """
    seat = _voter(draft, player_id)
    motion = next((motion for motion in draft.game.motions if motion.id == motion_id), None)
    if motion is None:
        raise refusal("not-found", "There is no such vote open in this game.")
    if motion not in open_motions(draft.game):
        raise refusal("stale-turn", CLOSED)
    _check_may_vote(draft, motion.kind, seat)
    _cast(draft, motion, seat, is_for=is_for)
    return motion


def close(draft: Draft, timer: Timer) -> None:
    """Decide the motions whose time is up by the votes that were cast."""
    due = [motion for motion in motions.open_ones(draft.game) if motion.closes_at <= timer.due_at]
    for motion in sorted(due, key=lambda motion: motion.id):
        if motion.state != "open":  # the one before has ended it
            continue
        if draft.game.status == "running" and is_still_asked(draft.game, motion):
            _decide(draft, motion, closing=True)
        else:
            motion.state = "expired"


def open_motions(game: Sight) -> list[Motion]:
    """Return the open motions of the game, the oldest first. One about a late Mr. X ends when he moves."""
    is_running = game.status == "running"
    return [motion for motion in motions.open_ones(game) if is_running and is_still_asked(game, motion)]


def is_still_asked(game: Standing, motion: Motion) -> bool:
    """Return False for a motion about a late Mr. X who has moved since."""
    return motion.kind != "claim" or (game.side, game.round) == ("mr_x", motion.wish["round"])


def voters(game: Sight, motion: Motion, now: datetime) -> list[Seat]:
    """Return the seats that have a vote now: of people who are not away; about a late Mr. X, as `claim_voters` says."""
    is_claim = motion.kind == CLAIM.name
    return lateness.claim_voters(game, now) if is_claim else vacation.not_away(game, game.seats, now)


def unanswered(game: Sight, seat: Seat, now: datetime) -> list[Motion]:
    """Return the open motions on which the seat may vote and has not yet."""
    return [each for each in open_motions(game) if seat.number not in each.ballots and seat in voters(game, each, now)]


def proposable(game: Sight, seat: Seat, now: datetime) -> list[VoteKind]:
    """Return the kinds of proposals that the seat may make now."""
    may_propose = game.status == "running" and seat.player_id and not vacation.is_away(game, seat, now)
    if not may_propose or PROPOSALS_A_DAY.again_at(_lately(game, seat, now)) is not None:
        return []
    found = []
    for kind in PROPOSALS:
        with suppress(Problem):
            check_possible(game, kind, now)
            found.append(kind)
    return found


# Casting and counting -------------------------------------------------------------------------------------------


def _voter(draft: Draft, player_id: str) -> Seat:
    seat = draft.game.seat_of_player(player_id)
    draft.game.check_running("there is nothing to vote on")
    return seat


def _closes_at(draft: Draft, kind: str) -> datetime:
    """Return when a vote closes: one on more time no later than the last deadline that it could extend."""
    latest = draft.now + OPEN_FOR
    is_about_deadline = BY_NAME[kind].is_about_deadline
    return min(latest, max(timer.due_at for timer in draft.game.timeouts())) if is_about_deadline else latest


def _cast(draft: Draft, motion: Motion, seat: Seat, *, is_for: bool) -> None:
    if motion.ballots.get(seat.number) == is_for:
        return
    motion.ballots[seat.number] = is_for
    draft.publish("voted", vote=motion.id, seat=seat.number, pawns=seat.pawns, is_for=is_for)
    _decide(draft, motion)


def _check_may_vote(draft: Draft, kind: str, seat: Seat) -> None:
    if kind == "claim" and seat.role == "mr_x":
        raise refusal("forbidden", "That is for the detectives to decide; you can still move.")
    if vacation.is_away(draft.game, seat, draft.now):
        raise refusal("forbidden", "You are away, and who is away has no vote; end your absence first.")


def _decide(draft: Draft, motion: Motion, *, closing: bool = False) -> None:
    """Settle the motion if the votes cast decide it, or if it is `closing` and no more will come."""
    able = {seat.number for seat in voters(draft.game, motion, draft.now)}
    ayes = {seat for seat, is_for in motion.ballots.items() if is_for} & able
    noes = {seat for seat, is_for in motion.ballots.items() if not is_for} & able
    if motion.kind == "claim":
        if not closing and ayes | noes != able:
            return
        if lateness.has_mr_x_moved(draft):
            motion.state = "lapsed"
        else:
            _settle(draft, motion, carried=len(ayes) > len(noes))
    elif len(ayes) >= _needed(draft, motion, able):
        _settle(draft, motion, carried=True)
    elif closing or len(able - noes) < _needed(draft, motion, able):
        _settle(draft, motion, carried=False)


def _needed(draft: Draft, motion: Motion, able: set[int]) -> int:
    least = 1 if draft.game.is_practice else 2
    return max(least, len(able) if BY_NAME[motion.kind].needs_all else len(able) // 2 + 1)


def _settle(draft: Draft, motion: Motion, *, carried: bool) -> None:
    motion.state = "carried" if carried else "lost"
    draft.publish("decided", vote=motion.id, what=motion.kind, **motion.public_wish, carried=carried)
    if carried:
        CARRY_OUT[motion.kind](draft, motion.wish)
    elif motion.kind == CLAIM.name:
        lateness.give_mr_x_another_turn(draft, by_vote=True)
    if motion.kind != CLAIM.name:
        notices.post_decision(draft, motion)


# Carrying out ------------------------------------------------------------------------------------


def _by(game: Situation) -> str:
    """Return the code of who gave more time, or paused the game."""
    return "player" if game.is_practice else "vote"


def _pause(draft: Draft, wish: VoteWish) -> None:
    game, end = draft.game, draft.now + parse_duration(wish["length"])
    game.pauses = [*game.pauses, [draft.now.isoformat(), end.isoformat(), _by(game)]]
    timers.recompute(draft, serial=game.events)


def _resume(draft: Draft, _wish: VoteWish) -> None:
    draft.game.pauses = [
        [pause.begin.isoformat(), min(pause.end, max(draft.now, pause.begin)).isoformat(), pause.why]
        for pause in draft.game.pause_spans()
    ]
    timers.recompute(draft, serial=draft.game.events, earlier=True)


def _change_clock(draft: Draft, wish: VoteWish) -> None:
    """Change the clock, and give the seats to move their full time by it."""
    motions.expire_extensions(draft)
    motions.expire_claims(draft)
    draft.game.clock = wish["clock"]
    for seat in draft.game.seats:
        seat.bank = None
    moves.restart_timers(draft, serial=draft.game.events)


CARRY_OUT: dict[str, Callable[[Draft, VoteWish], None]] = {
    "pause": _pause,
    "resume": _resume,
    "extend": lambda draft, wish: timers.grant(draft, wish["length"], _by(draft.game), serial=draft.game.events),
    "clock": _change_clock,
    "claim": lambda draft, _wish: lateness.forfeit(draft),
}


# Checking proposals ----------------------------------------------------------------------------


def _checked(draft: Draft, name: str, wish: Mapping[str, object]) -> VoteWish:
    if name not in PROPOSED:
        raise refusal("form", "{choices}, not {value}.", choices=either(PROPOSED), value=quoted(name), field="kind")
    kind = BY_NAME[name]
    if extra := sorted(wish.keys() - set(kind.takes)):
        raise refusal("form", "there is nothing of that in a vote to {kind}.", kind=kind.name, field=extra[0])
    asked, checked = {**kind.usual, **wish}, VoteWish()
    if "length" in kind.takes:
        checked["length"] = _length(asked.get("length"), kind.longest)
    if "clock" in kind.takes:
        clock = asked.get("clock")
        checked["clock"] = timers.check_clock(clock if isinstance(clock, Mapping) else None, draft.sources.shortest)
    return checked


def _length(text: object, longest: timedelta) -> str:
    try:
        length = parse_duration(text)
    except ValueError as error:
        raise Problem("form", f"{error}.", field="length") from None
    if not timedelta(0) < length <= longest:
        raise refusal("form", "choose more than zero and at most {days} days.", days=longest.days, field="length")
    return format_duration(length)


def check_possible(game: Sight, kind: VoteKind, now: datetime) -> None:
    """Raise the `Problem` of a proposal that fits nothing now."""
    paused = game.paused_until(now) is not None
    if not kind.is_possible(paused=paused, has_deadline=bool(game.timeouts())):
        raise refusal("form", kind.misfit, is_public=True)
    carried = sum((motion.kind, motion.state) == (kind.name, "carried") for motion in game.motions)
    if kind.most is not None and carried >= kind.most:
        raise refusal("enough", "There were {most} of these in this game, as many as there may be.", most=kind.most)


def _lately(game: Sight, seat: Seat, now: datetime) -> list[datetime]:
    """Return when the seat proposed things within a day, the oldest first."""
    return sorted(each.opened_at for each in game.motions if each.seat == seat.number and each.opened_at > now - DAY)
