"""Votes: the players of a running game decide to pause it, to resume it, on more time, or on another clock.

A player who proposes something is for it. A pause, its end, and more time need more than half of the players who are
not away, and never only one where there are several; another clock needs all of them. Bots do not vote. The votes and
their result are public. A vote on more time expires with the deadline it is about, see `motions.expire_extensions`.

If the clock says so, the server asks the detectives when Mr. X is late again (`lateness.AskDetectives`): there the
majority of those who answer counts.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select

from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.game import motions, notices, timers
from server.application.game.access import check_running, seat_of, visible
from server.application.game.events import record_event
from server.application.game.state import rebuild
from server.application.play import moves
from server.application.time import lateness, vacation
from server.durations import DAY, format_duration, parse_duration, rfc3339
from server.models import Ballot, Deadline, Game, Motion, Player, Seat, session, transaction
from server.runtime import now, runtime, seconds_until

KINDS = ("pause", "resume", "extend", "clock")
OPEN_FOR = 3 * DAY
LONGEST_PAUSE = 14 * DAY
LONGEST_EXTENSION = 7 * DAY
MOST = {"pause": 3, "extend": 5}  # carried in one game
MOST_OPENED = 10  # proposals of one seat in a day


def propose(game_id: str, player: Player, kind: str, **wish: Any) -> Motion:
    """Propose something to the others, or vote for it if the same is proposed already.

    Args:
        wish: `length` of an extension, such as `P2D`, or of a pause that is to be shorter than the longest; `clock`,
            the other clock.

    Raises:
        Problem: `form` if the wish is not valid, `enough` if the game had as many of these as it may have.
    """
    with transaction():
        game, seat = _at_the_table(game_id, player)
        checked = _checked(kind, wish)
        same = next((motion for motion in of(game) if (motion.kind, motion.wish) == (kind, checked)), None)
        _check_may_vote(kind, seat)
        if same is not None:
            begin_to_write()
            _cast(game, same, seat, is_for=True)
            return same
        _check_possible(game, kind)
        _check_not_too_many(game, seat)
        begin_to_write()
        motion = motions.open_motion(game, kind, checked, _closes_at(game, kind), seat)
        _cast(game, motion, seat, is_for=True)
        if motion.state == "open":
            notices.post_vote(motion, game, seat, _voters(game, motion))
    return motion


def vote(game_id: str, player: Player, motion_id: str, *, is_for: bool) -> Motion:
    """Vote for or against an open motion; a vote can be changed until the motion is decided.

    Raises:
        Problem: `not-found` if no such motion is open.
    """
    with transaction():
        game, seat = _at_the_table(game_id, player)
        motion = next((motion for motion in of(game) if motion.id == motion_id), None)
        if motion is None:
            raise Problem("not-found", "There is no such vote open in this game.")
        _check_may_vote(motion.kind, seat)
        begin_to_write()
        _cast(game, motion, seat, is_for=is_for)
    return motion


def of(game: Game) -> list[Motion]:
    """Return the open motions of the game, the oldest first. One about a late Mr. X ends when he moves."""
    mine = (Motion.game_id == game.id, Motion.state == "open")
    found = session.scalars(select(Motion).where(*mine).order_by(Motion.opened_at, Motion.id)).all()
    return [motion for motion in found if game.status == "running" and _still_asked(game, motion)]


def unanswered(game: Game, seat: Seat) -> list[Motion]:
    """Return the open motions on which the seat may vote and has not yet."""
    return [
        motion
        for motion in of(game)
        if seat in _voters(game, motion) and seat.number not in {ballot.seat for ballot in motion.ballots}
    ]


def facts(motion: Motion) -> dict[str, Any]:
    """Return a motion as everybody sees it."""
    return {
        "id": motion.id,
        "kind": motion.kind,
        **motion.wish,
        "seat": motion.seat,
        "state": motion.state,
        "closes_at": rfc3339(motion.closes_at),
        "for": [ballot.seat for ballot in motion.ballots if ballot.is_for],
        "against": [ballot.seat for ballot in motion.ballots if not ballot.is_for],
    }


def close(game: Game, row: Deadline) -> None:
    """Decide the motions whose time is up by the votes that were cast."""
    mine = (Motion.game_id == game.id, Motion.state == "open", Motion.closes_at <= row.due_at)
    for motion in session.scalars(select(Motion).where(*mine).order_by(Motion.id)).all():
        if game.status == "running" and _still_asked(game, motion):
            _decide(game, motion, closing=True)
        else:
            motion.state = "lapsed"


# Casting and counting -------------------------------------------------------------------------------------------


def _at_the_table(game_id: str, player: Player) -> tuple[Game, Seat]:
    game = visible(game_id, player, lock=True)
    seat = seat_of(game, player)
    check_running(game, "there is nothing to vote on")
    return game, seat


def _still_asked(game: Game, motion: Motion) -> bool:
    return motion.kind != "claim" or (game.side, game.round) == ("mr_x", motion.wish["round"])


def _closes_at(game: Game, kind: str) -> datetime:
    """Return when a vote closes: one on more time no later than the last deadline that it could extend."""
    latest = now() + OPEN_FOR
    return min(latest, max(row.due_at for row in timers.running(game))) if kind == "extend" else latest


def _cast(game: Game, motion: Motion, seat: Seat, *, is_for: bool) -> None:
    mine = next((ballot for ballot in motion.ballots if ballot.seat == seat.number), None)
    if mine is not None and mine.is_for == is_for:
        return
    if mine is None:
        motion.ballots.append(Ballot(motion_id=motion.id, seat=seat.number, is_for=is_for))
    else:
        mine.is_for = is_for
    session.flush()
    record_event(game, "voted", vote=motion.id, seat=seat.number, pawns=seat.pawns, is_for=is_for)
    _decide(game, motion)


def _check_may_vote(kind: str, seat: Seat) -> None:
    if kind == "claim" and seat.role == "mr_x":
        raise Problem("forbidden", "That is for the detectives to decide; you can still move.")
    if seat.player_id in vacation.away([seat.player_id or ""]):
        raise Problem("forbidden", "You are away, and who is away has no vote; end your absence first.")


def _voters(game: Game, motion: Motion) -> list[Seat]:
    """Return the seats that have a vote now: those of people who are not away."""
    return lateness.claim_voters(game) if motion.kind == "claim" else vacation.present(game.seats)


def _decide(game: Game, motion: Motion, *, closing: bool = False) -> None:
    """Settle the motion if the votes cast decide it, or if it is `closing` and no more will come."""
    voters = {seat.number for seat in _voters(game, motion)}
    ayes = {ballot.seat for ballot in motion.ballots if ballot.is_for} & voters
    noes = {ballot.seat for ballot in motion.ballots if not ballot.is_for} & voters
    if motion.kind == "claim":
        if closing or ayes | noes == voters:
            _settle(game, motion, carried=len(ayes) > len(noes))
    elif len(ayes) >= _needed(game, motion, voters):
        _settle(game, motion, carried=True)
    elif closing or len(voters - noes) < _needed(game, motion, voters):
        _settle(game, motion, carried=False)


def _needed(game: Game, motion: Motion, voters: set[int]) -> int:
    people = sum(seat.player_id is not None for seat in game.seats)
    if motion.kind == "clock":
        return max(len(voters), min(2, people))
    return max(len(voters) // 2 + 1, min(2, people))


def _settle(game: Game, motion: Motion, *, carried: bool) -> None:
    motion.state = "carried" if carried else "lost"
    record_event(game, "decided", vote=motion.id, what=motion.kind, **motion.wish, carried=carried)
    if motion.kind == "claim":
        _settle_claim(game, claimed=carried)
        return
    if carried:
        _CARRY_OUT[motion.kind](game, motion.wish)
    notices.post_decision(motion, game)


def _settle_claim(game: Game, *, claimed: bool) -> None:
    if claimed:
        lateness.forfeit(game)
    else:
        lateness.give_mr_x_another_turn(game)


# Carrying out ------------------------------------------------------------------------------------


def _pause(game: Game, wish: Mapping[str, Any]) -> None:
    end = now() + parse_duration(wish["length"])
    game.pauses = [*game.pauses, [now().isoformat(), end.isoformat(), "paused by vote"]]
    timers.recompute(game, serial=game.events)


def _resume(game: Game, _wish: Mapping[str, Any]) -> None:
    game.pauses = [
        [pause.begin.isoformat(), min(pause.end, max(now(), pause.begin)).isoformat(), pause.why]
        for pause in timers.pauses_of(game)
    ]
    timers.recompute(game, serial=game.events, earlier=True)


def _extend(game: Game, wish: Mapping[str, Any]) -> None:
    timers.extend(game, wish["length"], "by vote", serial=game.events)


def _change_clock(game: Game, wish: Mapping[str, Any]) -> None:
    """Change the clock, and give the seats to move their full time by it."""
    game.clock = wish["clock"]
    for seat in game.seats:
        seat.bank = None
    moves.restart_timers(game, rebuild(game), serial=game.events)


_CARRY_OUT = {"pause": _pause, "resume": _resume, "extend": _extend, "clock": _change_clock}


# Checking proposals ----------------------------------------------------------------------------


def _checked(kind: str, wish: Mapping[str, Any]) -> dict[str, Any]:
    if kind not in KINDS:
        raise Problem("form", f"kind: {' or '.join(KINDS)}, not {kind!r}.")
    fitting = {"pause": {"length"}, "resume": set(), "extend": {"length"}, "clock": {"clock"}}[kind]
    if extra := sorted(wish.keys() - fitting):
        raise Problem("form", f"{extra[0]}: there is nothing of that in a vote to {kind}.")
    if kind == "pause":
        return {"length": _length(wish.get("length", format_duration(LONGEST_PAUSE)), LONGEST_PAUSE)}
    if kind == "extend":
        return {"length": _length(wish.get("length"), LONGEST_EXTENSION)}
    return {"clock": timers.check_clock(wish.get("clock"), runtime().settings.min_turn)} if kind == "clock" else {}


def _length(text: Any, longest: timedelta) -> str:
    try:
        length = parse_duration(text)
    except ValueError as error:
        raise Problem("form", f"length: {error}.") from None
    if not timedelta(0) < length <= longest:
        raise Problem("form", f"length: {text} is not more than none and at most {longest.days} days.")
    return format_duration(length)


def _check_possible(game: Game, kind: str) -> None:
    paused = any(pause.begin <= now() < pause.end for pause in timers.pauses_of(game))
    if kind == "resume" and not paused:
        raise Problem("form", "The game is not paused, so there is nothing to resume.")
    if kind == "pause" and paused:
        raise Problem("form", "The game is paused already.")
    if kind == "extend" and game.due_at is None:
        raise Problem("form", "There is no deadline now that could be extended.")
    if kind in MOST and _count(game, kind) >= MOST[kind]:
        raise Problem("enough", f"There were {MOST[kind]} of these in this game, as many as there may be.")


def _count(game: Game, kind: str) -> int:
    mine = (Motion.game_id == game.id, Motion.kind == kind, Motion.state == "carried")
    return session.scalar(select(func.count()).select_from(Motion).where(*mine)) or 0


def _check_not_too_many(game: Game, seat: Seat) -> None:
    """Raise `Problem` too-many if the seat proposed too much within a day, as all players get a mail each time."""
    mine = (Motion.game_id == game.id, Motion.seat == seat.number, Motion.opened_at > now() - DAY)
    query = select(Motion.opened_at).where(*mine).order_by(Motion.opened_at.desc()).limit(MOST_OPENED)
    times = session.scalars(query).all()
    if len(times) == MOST_OPENED:
        told = f"You have proposed {MOST_OPENED} things within a day, as many as may be."
        raise Problem("too-many", told, retry_after=seconds_until(times[-1] + DAY))
