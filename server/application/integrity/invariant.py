"""Check stored games against their invariant: everything that the rows of one game have to agree on.

A game is its committed moves and its public events; every other row follows from these. So a finding is of one of two
kinds. Either a row differs from what moves and events say, and `repairs` can rebuild it from them. Or moves and events
themselves are not sound (`history_check`), and the operator can only end the game void.

Findings are sentences for the operator. They name events, moves and timers by number, and never a station of Mr. X's.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlalchemy import CompoundSelect, LargeBinary, bindparam, select, type_coerce, union
from sqlalchemy.orm import undefer

from server.application.game.access import locked
from server.application.game.look import standing_of
from server.application.game.state import cache_key
from server.application.integrity import history_check
from server.application.integrity.findings import OpenMotion, Report, Scheduled
from server.house_rules.standing import Seat as Place
from server.house_rules.timers import seats_on_clock
from server.house_rules.turns import choices, phase_of
from server.models import (
    ARMED,
    OPEN,
    OVER,
    RUNNING,
    Ballot,
    Deadline,
    Game,
    HeldMove,
    Motion,
    QueuedMove,
    rows,
    session,
    transaction,
    unfinished,
)
from server.models.types import Encrypted
from server.runtime import runtime
from server.runtime.keyring import WrongKey

_ALL = select(Game.id).order_by(Game.created_at, Game.id)
# All columns are needed, and each that is deferred would take a statement.
_ALL_COLUMNS = [undefer("*")]
OF_A_TURN = ("timeout", "reminder", "move")
_AHEAD = select(
    QueuedMove.pawn, QueuedMove.seat, QueuedMove.round, type_coerce(QueuedMove.notation, LargeBinary).label("encrypted")
)
_AHEAD = _AHEAD.where(QueuedMove.game_id == bindparam("game")).order_by(QueuedMove.pawn)
_HELD = select(HeldMove.pawn, HeldMove.seat).where(HeldMove.game_id == bindparam("game")).order_by(HeldMove.pawn)
_SCHEDULED = select(Deadline.id, Deadline.kind, Deadline.side, Deadline.round, Deadline.seat, Deadline.due_at)
_SCHEDULED = _SCHEDULED.where(Deadline.game_id == bindparam("game"), Deadline.state == ARMED).order_by(
    Deadline.due_at, Deadline.id
)
_MOTIONS = select(Motion.id, Motion.kind, Motion.wish, Motion.closes_at)
_MOTIONS = _MOTIONS.where(Motion.game_id == bindparam("game"), Motion.state == OPEN).order_by(
    Motion.opened_at, Motion.id
)
_BALLOTS = select(Ballot.seat).join(Motion, Motion.id == Ballot.motion_id).where(Motion.game_id == bindparam("game"))
_NOTATION_AHEAD = Encrypted("moves_ahead.notation")


def broken_games(since: datetime | None = None) -> Iterator[Report]:
    """Check every game, or those in which something happened `since`; yield a report of each that does not hold."""
    for game_id in session.scalars(_ALL if since is None else _recent(since)).all():
        found = check(_read(game_id))
        if found.findings:
            # Somebody may have moved between two reads.
            with transaction():
                found = check(locked(game_id))
            if found.findings:
                yield found


def _recent(since: datetime) -> CompoundSelect[str]:
    """Return the query of the games in which something happened `since`: an index answers each of its parts."""
    recent = select(Game.id).where(Game.happened_at > since)
    going_on = (recent.where(unfinished(Game.status, status)) for status in (OPEN, RUNNING))
    return union(*going_on, recent.where(Game.status == OVER))


def _read(game_id: str) -> Game:
    try:
        return session.get_one(Game, game_id, populate_existing=True, options=_ALL_COLUMNS)
    except (WrongKey, ValueError):  # where one cannot be decrypted, that is a finding
        return session.get_one(Game, game_id, populate_existing=True)


def check(game: Game) -> Report:
    """Check one game; the report has no findings when everything holds. Nothing is written."""
    events = history_check.events_of(game)
    story = history_check.story_of(events)
    scheduled = [Scheduled(*tuple(row)) for row in rows(_SCHEDULED, game=game.id)]
    motions = [OpenMotion(*tuple(row)) for row in rows(_MOTIONS, game=game.id)]
    found = Report(game, events, story, scheduled, motions)
    history_check.check_events(found)
    if found.story.is_damaged:
        _check_damaged(found)
        return found
    history_check.check_moves(found)
    _check_row(found)
    _check_seats(found)
    _check_timers(found)
    _check_ahead(found)
    _check_held(found)
    _check_motions(found)
    _check_memory(found)
    return found


def _check_row(found: Report) -> None:
    """Check that the row of the game says what moves and events say."""
    game, story = found.game, found.story
    turn = found.sound + 1 if found.state else None
    wanted: dict[str, object] = {
        "status": story.status, "winner": story.winner, "reason": story.reason, "final": story.is_final,
    }  # fmt: skip
    if not found.unsound:
        wanted |= {"turn": turn, "side": found.phase[0], "round": found.phase[1]}
    for name, value in wanted.items():
        stored = getattr(game, name)
        found.need(stored == value, f"Its {name} is {_shown(stored)} and should be {_shown(value)}.")
    found.need((game.started_at is None) == (story.first is None), "The time of its start is missing, or too much.")
    found.need((game.ended_at is None) == (story.status != "over"), "The time of its end is missing, or too much.")


def _shown(value: object) -> str:
    return "none" if value is None else str(value)


def _check_seats(found: Report) -> None:
    """Check the seats: pawns as dealt, one holder each, and no draw offer, time bank or cover that cannot be."""
    game = found.game
    standing = standing_of(game)
    seats, over = standing.seats, game.status == "over"
    if [seat.number for seat in seats] != list(range(1, len(seats) + 1)) or not seats:
        found.add("Its seats have a gap.", is_mendable=False)
    elif found.state and [tuple(seat.pawns) for seat in seats] != list(found.state.seats):
        found.add("Its seats do not hold the pawns they began with.")
    free, late = standing.number_free, standing.number_late
    found.need(game.free_seats == free, f"It counts {game.free_seats} free seats, and has {free}.")
    found.need(game.late_seats == late, f"It counts {game.late_seats} late seats, and has {late}.")
    for seat in seats:
        where = f"Seat {seat.number}"
        if seat.player_id is not None and seat.bot is not None:
            found.add(f"{where} is held by two.", is_mendable=False)
        elif found.story.status == "running" and not seat.is_taken:
            found.add(f"{where} is held by nobody.", is_mendable=False)
        found.need(not (over and seat.wants_draw), f"{where} offers a draw, and the game is over.")
        found.need(
            not seat.is_reserved or found.story.status == "open", f"{where} is reserved for somebody after the start."
        )
        found.need(seat.bank is None or game.clock["kind"] == "bank", f"{where} has a time bank by a clock without.")
        found.need(may_be_covered(seat, seats), f"{where} is covered by somebody who cannot.")


def may_be_covered(seat: Place, seats: Sequence[Place]) -> bool:
    """Return whether the seat is covered by nobody, or by a teammate."""
    detectives = [other.number for other in seats if other.role == "detective" and other is not seat]
    return seat.cover is None or (seat.role == "detective" and seat.cover in detectives)


def _check_timers(found: Report) -> None:
    """Check that scheduled timers are those of the phase, and that the game knows the first deadline."""
    game, story, scheduled = found.game, found.story, found.scheduled
    timeouts = [row for row in scheduled if row.kind == "timeout"]
    of_a_turn = [row for row in scheduled if row.kind in OF_A_TURN]
    if story.status == "running" and found.state and not found.unsound and found.state.outcome is None:
        _check_running(found, timeouts, of_a_turn)
    elif story.status != "running":
        found.need(not of_a_turn, f"A timer of a turn is scheduled, and the game is {story.status}.")
        found.need(game.due_at is None, f"It has a deadline, and is {story.status}.")
    finals = [row.due_at for row in scheduled if row.kind == "final"]
    wanted = [game.final_at] if story.status == "over" and not story.is_final else []
    found.need(finals == wanted, "The timer of its final result is not scheduled as it should be.")
    kept = [seat.number for seat in standing_of(game).seats if seat.is_reserved] if story.status == "open" else []
    invited = sorted(row.seat for row in scheduled if row.kind == "invitation")
    found.need(invited == kept, "The timers of its invitations are not those of the reserved seats.")


def _check_running(found: Report, timeouts: Sequence[Scheduled], of_a_turn: Sequence[Scheduled]) -> None:
    game, state = found.game, found.state
    assert state is not None
    timed, wanted = sorted(row.seat for row in timeouts), sorted(seats_on_clock(standing_of(game), state.to_move))
    # While the detectives vote on a late Mr. X no time runs.
    asked = not timed and any(_is_asked(row, found.phase) for row in found.motions)
    found.need(timed == wanted or asked, f"Timers run for seats {timed}, and should for {wanted} (0 is a side).")
    stale = sorted({row.kind for row in of_a_turn if (row.side, row.round) != found.phase})
    found.need(not stale, f"A timer ({', '.join(stale)}) of another phase is scheduled.")
    lonely = [row.seat for row in of_a_turn if row.kind == "reminder" and row.seat not in timed]
    found.need(not lonely, "A reminder is scheduled of a time that does not run.")
    bots = [seat for seat in game.seats if seat.bot and set(seat.pawns) & set(state.to_move)]
    called = any(row.kind == "move" for row in of_a_turn)
    found.need(called or not bots, "A bot is to move, and nothing wakes it.")
    first = min((row.due_at for row in timeouts), default=None)
    found.need(game.due_at == first or asked, "Its deadline is not the first that its timers have.")


def _is_asked(motion: OpenMotion, phase: tuple[str | None, int | None]) -> bool:
    return motion.kind == "claim" and phase == ("mr_x", motion.wish.get("round"))


def _check_ahead(found: Report) -> None:
    """Check that queued moves are for a turn that is still to come in this phase of a running game."""
    state, game = found.state, found.game
    for row in rows(_AHEAD, game=game.id):
        fits = found.story.status == "running" and state is not None
        if fits and state and not found.unsound:
            seat = next((seat for seat in game.seats if seat.number == row.seat), None)
            fits = (
                seat is not None and row.pawn in seat.pawns and phase_of(state) == ("detectives", row.round)
                and row.pawn not in state.to_move and bool(choices(state, row.pawn))
                and history_check.decrypted(_NOTATION_AHEAD, row.encrypted) is not None
            )  # fmt: skip
        if not fits:
            found.stale_ahead.append(row.pawn)
            found.add(f"A queued move of {row.pawn} waits for a turn that does not come.")


def _check_held(found: Report) -> None:
    """Check that held moves are of somebody who can make a move in this phase of a running game."""
    state, game = found.state, found.game
    holders = {pawn: seat.number for seat in game.seats if seat.player_id is not None for pawn in seat.pawns}
    for row in rows(_HELD, game=game.id):
        fits = found.story.status == "running" and state is not None and holders.get(row.pawn) == row.seat
        if fits and state and not found.unsound:
            fits = bool(choices(state, row.pawn))
        if not fits:
            found.stale_held.append(row.pawn)
            found.add(f"A held move of {row.pawn} waits for a turn that does not come.")


def _check_motions(found: Report) -> None:
    """Check that an open vote closes at a time, and that only players with a seat vote."""
    open_ones = found.motions
    closing = [row.due_at for row in found.scheduled if row.kind == "vote"]
    unclosed = [motion.closes_at for motion in open_ones if not any(at >= motion.closes_at for at in closing)]
    found.unclosed = max(unclosed, default=None)
    found.need(not unclosed, "A vote is open, and nothing closes it.")
    seats = {seat.number for seat in found.game.seats}
    if open_ones and not {row.seat for row in rows(_BALLOTS, game=found.game.id)} <= seats:
        found.add("Somebody has voted who has no seat.", is_mendable=False)


def _check_memory(found: Report) -> None:
    """Check that the game cache of this process has the game that the rows tell."""
    if found.state is None or found.unsound:
        return
    played = found.state.history
    for kept in runtime().game_cache.kept_of(cache_key(standing_of(found.game))):
        same = kept.history == played[: len(kept.history)] and kept.starts == found.state.starts
        found.need(same, f"This process keeps another game in memory after {len(kept.history)} moves.")


def _check_damaged(found: Report) -> None:
    """Check that a game that was ended as beyond repair is over for good, and nothing else of it."""
    game = found.game
    found.need(game.status == "over" and game.final, "It was ended as damaged, and is not over.")
    found.need((game.events, game.head) == (found.newest, found.head), "It does not know its newest event.")
    ahead = rows(_AHEAD, game=game.id)
    found.need(not found.scheduled and game.due_at is None, "It was ended as damaged, and a timer is scheduled.")
    found.need(not ahead, "It was ended as damaged, and a queued move waits.")
