"""Check stored games against their invariant: everything that the rows of one game have to agree on.

A game is its committed moves and its public events; every other row follows from these. So a finding is of one of two
kinds. Either a row differs from what moves and events say, and can be rebuilt from them (`repairs`). Or moves and
events themselves are not sound, and the game can only be ended void.

Findings are sentences for the operator. They name events, moves and timers by number, and never a station of Mr. X's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import LargeBinary, Row, bindparam, select, type_coerce

from server import engine
from server.application.game import sealed_log, timers
from server.application.game.access import locked
from server.application.game.choices import choices
from server.application.game.state import cache_key, initial_state
from server.application.game.waiting import phase_of
from server.engine.events import REASONS
from server.models import (
    Ballot,
    Deadline,
    Event,
    Game,
    Motion,
    Move,
    MoveAhead,
    Seat,
    rows,
    session,
    transaction,
)
from server.models.types import Encrypted
from server.runtime import runtime
from server.runtime.keyring import WrongKey

OF_A_TURN = ("timeout", "reminder", "move")
_GAME: Any = bindparam("game")
_EVENTS = select(Event.number, Event.kind, Event.moves, Event.data, Event.head, Event.at)
_EVENTS = _EVENTS.where(Event.game_id == _GAME).order_by(Event.number)
# Sealed columns are read as they are stored, so that one which does not open is a finding and no traceback.
_MOVES = select(Move.turn, Move.pawn, type_coerce(Move.notation, LargeBinary).label("sealed"), Move.by, Move.made_at)
_MOVES = _MOVES.where(Move.game_id == _GAME).order_by(Move.turn)
_AHEAD = select(
    MoveAhead.pawn, MoveAhead.seat, MoveAhead.round, type_coerce(MoveAhead.notation, LargeBinary).label("sealed")
)
_AHEAD = _AHEAD.where(MoveAhead.game_id == _GAME).order_by(MoveAhead.pawn)
_ARMED = select(Deadline.id, Deadline.kind, Deadline.side, Deadline.round, Deadline.seat, Deadline.due_at)
_ARMED = _ARMED.where(Deadline.game_id == _GAME, Deadline.state == "armed").order_by(Deadline.due_at, Deadline.id)
_MOTIONS = select(Motion.id, Motion.kind, Motion.wish, Motion.closes_at)
_MOTIONS = _MOTIONS.where(Motion.game_id == _GAME, Motion.state == "open").order_by(Motion.opened_at, Motion.id)
_BALLOTS = select(Ballot.seat).join(Motion, Motion.id == Ballot.motion_id).where(Motion.game_id == _GAME)
_NOTATION = Encrypted("moves.notation")
_NOTATION_AHEAD = Encrypted("moves_ahead.notation")


class Finding(NamedTuple):
    """One thing that does not hold. `is_mendable`: the row can be rebuilt from moves and events."""

    sentence: str
    is_mendable: bool = True


@dataclass(frozen=True)
class Story:
    """The state of a game as its public events tell it. `is_damaged`: the operator ended it as beyond repair."""

    status: str = "open"
    first: int | None = None  # the number of the event `started`
    winner: str | None = None
    reason: str | None = None
    is_final: bool = False
    is_damaged: bool = False


@dataclass
class Report:
    """The outcome of a check.

    `table` is the game after the first `sound` moves, None where nothing of it can be rebuilt. `story` is what its
    events say, `half` the phase that follows (side, round). `armed` are its timers, `motions` its open votes.
    `lost` are moves that are public and have no row, with the columns of one; `surplus` turns that have a row and were
    never made public. `stale_ahead` are pawns whose queued move cannot be played; `unclosed` is when the last open vote
    closes of those that no timer closes.
    """

    game: Game
    events: Sequence[Row[Any]]
    story: Story
    armed: Sequence[Row[Any]]
    motions: Sequence[Row[Any]]
    head: str | None = None
    newest: int = 0
    table: engine.Game | None = None
    sound: int = 0
    half: tuple[str | None, int | None] = (None, None)
    lost: list[dict[str, Any]] = field(default_factory=list)
    surplus: list[int] = field(default_factory=list)
    stale_ahead: list[str] = field(default_factory=list)
    unclosed: datetime | None = None
    findings: list[Finding] = field(default_factory=list)

    @property
    def is_mendable(self) -> bool:
        """Return whether all that was found can be rebuilt from moves and events."""
        return all(finding.is_mendable for finding in self.findings)

    @property
    def unsound(self) -> list[str]:
        """Return the sentences on what cannot be rebuilt."""
        return [finding.sentence for finding in self.findings if not finding.is_mendable]

    @property
    def remedy(self) -> str:
        """Return the command with which the operator mends the game, or ends it."""
        return f"blackticket game {'repair' if self.is_mendable else 'end'} {self.game.id} --reason TEXT"

    def add(self, sentence: str, *, is_mendable: bool = True) -> None:
        """Note something that does not hold."""
        self.findings.append(Finding(sentence, is_mendable))

    def need(self, holds: bool, sentence: str) -> None:
        """Note a row that can be rebuilt, unless it is right."""
        if not holds:
            self.add(sentence)


def broken_games(since: datetime | None = None) -> Iterator[Report]:
    """Check every game, or those in which something happened `since`; yield a report of each that does not hold."""
    query = select(Game.id).order_by(Game.created_at, Game.id)
    for game_id in session.scalars(query if since is None else query.where(Game.happened_at > since)).all():
        found = check(_read(game_id))
        if found.findings:
            # Somebody may have moved between two reads.
            with transaction():
                found = check(locked(game_id))
            if found.findings:
                yield found


def _read(game_id: str) -> Game:
    return session.get_one(Game, game_id, populate_existing=True)


def check(game: Game) -> Report:
    """Check one game; the report has no findings when everything holds. Nothing is written."""
    events = rows(_EVENTS, game=game.id)
    found = Report(game, events, _told(events), rows(_ARMED, game=game.id), rows(_MOTIONS, game=game.id))
    _check_events(found)
    if found.story.is_damaged:
        _check_damaged(found)
        return found
    _check_chain(found)
    _replay(found)
    _check_row(found)
    _check_seats(found)
    _check_timers(found)
    _check_ahead(found)
    _check_motions(found)
    _check_memory(found)
    return found


# What the events say ------------------------------------------------------------------------------


def _told(events: Sequence[Row[Any]]) -> Story:
    story = Story()
    for event in events:
        match event.kind:
            case "started":
                story = replace(story, status="running", first=event.number)
            case "ended":
                winner, reason, is_final = (event.data.get(name) for name in ("winner", "reason", "final"))
                story = replace(story, status="over", winner=winner, reason=reason, is_final=bool(is_final))
            case "final":
                story = replace(story, is_final=True)
            case "expired":
                story = replace(story, status="over", winner="draw", reason="expired", is_final=True)
            case "reinstated":
                story = replace(story, status="running", winner=None, reason=None)
            case "voided":
                story = replace(story, is_damaged=story.is_damaged or bool(event.data.get("damaged")))
    return story


def _check_events(found: Report) -> None:
    """Check that events are numbered without a gap, and that the game knows the newest."""
    game, events = found.game, found.events
    numbers = [event.number for event in events]
    found.newest, found.head = (numbers[-1], events[-1].head) if events else (0, None)
    if found.story.is_damaged:
        return
    whole = numbers == list(range(1, len(numbers) + 1)) and bool(events) and events[0].kind == "opened"
    # The head of the game binds what was published: of a counter that is wrong it is that of the newest event.
    if whole and game.events > found.newest and game.head not in (None, found.head):
        whole, found.newest, found.head = False, game.events, game.head
    if not whole:
        found.add("A public event is missing: its events have a gap.", is_mendable=False)
    found.need(game.events == found.newest, f"It counts {game.events} events, and there are {found.newest}.")
    moved = 0
    for event in events:
        moved += event.kind == "moved"
        found.need(event.moves == moved, f"Event {event.number} counts {event.moves} moves, and there were {moved}.")
    if events:
        found.need(game.happened_at == events[-1].at, "The time of its newest event is another one.")
    found.need(game.head == found.head, "Its head is not that of its newest event.")


def _check_chain(found: Report) -> None:
    """Check that the chain over all public events since the start is whole."""
    game, first = found.game, found.story.first
    if game.header is None:
        # Not begun, or begun before this server sealed its games.
        if any(event.head for event in found.events):
            found.add("What its sealed log begins with is missing.", is_mendable=False)
        return
    if game.header.get("first") != first:
        found.add("Its sealed log does not begin with the start.", is_mendable=False)
        return
    head = sealed_log.first_head(game)
    for event in found.events:
        if event.number < game.header["first"]:
            continue
        head = sealed_log.head_after(head, event)
        if event.head != head:
            found.add(f"The sealed log is not whole: event {event.number} was changed.", is_mendable=False)
            return


# What the moves lead to -----------------------------------------------------------------------------


def _replay(found: Report) -> None:
    """Play the moves again, and compare each with its public event."""
    game, story = found.game, found.story
    kept = {row.turn: row for row in rows(_MOVES, game=game.id)}
    public = [event for event in found.events if event.kind == "moved"]
    found.surplus = sorted(turn for turn in kept if not 1 <= turn <= len(public))
    for turn in found.surplus:
        found.add(f"Move {turn} has a row and was never made public.")
    if story.first is None:
        if public:
            found.add("There are moves, and the game was never started.", is_mendable=False)
        return
    found.table = _start(found)
    if found.table is None:
        return
    found.half = phase_of(found.table) if found.table.outcome is None else (None, found.table.round)
    for turn, event in enumerate(public, 1):
        wrong = _play(found, turn, event, kept.get(turn))
        if wrong:
            found.add(wrong, is_mendable=False)
            return
        found.sound = turn
    _check_end(found)


def _start(found: Report) -> engine.Game | None:
    """Return the game as it was dealt, bound by the header of its seal."""
    game = found.game
    try:
        table, _ = initial_state(game), game.seal
        header = game.header or {}
        same: dict[str, Any] = {
            "game": game.id,
            "edition": game.edition,
            "options": game.options,
            "seats": [list(pawns) for pawns in table.seats],
            "starts": game.starts,
        }
        fits = all(header.get(name) == value for name, value in same.items()) if header else True
        if fits and header:
            fits = game.seal is not None and header["start"] == sealed_log.of_start(game, table)
    except (AssertionError, WrongKey, engine.EngineError, KeyError, TypeError, ValueError):
        fits = False
    if not fits:
        found.add("What it began with cannot be rebuilt: start cards, key or rules are not those of its seal.",
                  is_mendable=False)  # fmt: skip
    return table if fits else None


def _play(found: Report, turn: int, event: Row[Any], row: Row[Any] | None) -> str | None:
    """Play one move that is public; return what is not sound about it. A lost row of a detective's is noted."""
    game, table, data = found.game, found.table, event.data
    assert table is not None
    notation = _opened(_NOTATION, row.sealed) if row else data.get("notation")
    if row is None and data.get("pawn") == "mr_x":
        return f"Move {turn} is public, and its row is missing; where Mr. X went is not public."
    if notation is None:
        return f"The row of move {turn} cannot be opened."
    before = phase_of(table)
    try:
        happenings = table.play(notation)
    except engine.EngineError:
        return f"Move {turn} is not legal where it stands."
    made = next(one for one in happenings if isinstance(one, engine.Moved))
    told = {
        "pawn": made.pawn,
        "notation": table.redacted(made),
        "by": row.by if row else data.get("by"),
        "passed_over": [one.pawn for one in happenings if isinstance(one, engine.PassedOver)],
        **(sealed_log.facts_of_move(game, table, made.windows) if game.header else {}),
    }
    if data != told or (row is not None and row.pawn != made.pawn):
        return f"The row of move {turn} and its public event {event.number} say different things."
    found.half = before if table.outcome is not None else phase_of(table)
    if row is None:
        found.add(f"Move {turn} is public, and its row is missing.")
        lost = {"game_id": game.id, "turn": turn, "pawn": made.pawn, "notation": notation, "by": data["by"]}
        found.lost.append(lost | {"made_at": event.at})
    return None


def _opened(kind: Any, sealed: bytes) -> str | None:
    try:
        notation: str = kind.process_result_value(sealed, None)
    except (WrongKey, ValueError):
        return None
    return notation


def _check_end(found: Report) -> None:
    """Check that the end that is public is the one the moves lead to."""
    table, story = found.table, found.story
    assert table is not None
    outcome = table.outcome
    if story.status == "running":
        found.need(outcome is None, "Its moves end the game, and no event says so.")
    elif (story.reason in REASONS or (outcome is not None and story.reason != "voided")) and (
        outcome is None or (outcome.winner, outcome.reason) != (story.winner, story.reason)
    ):
        found.add("The end that is public is not the one its moves lead to.", is_mendable=False)
    shown = [event.data["opening"] for event in found.events if "opening" in event.data]
    right = [sealed_log.opening(found.game, table)["opening"]] if story.is_final and found.game.header else []
    if shown != right:
        found.add("What the end opened of the travel log is not what was sealed.", is_mendable=False)


# The rows around them -------------------------------------------------------------------------------


def _check_row(found: Report) -> None:
    """Check that the row of the game says what moves and events say."""
    game, story = found.game, found.story
    turn = found.sound + 1 if found.table else None
    wanted: dict[str, Any] = {
        "status": story.status, "winner": story.winner, "reason": story.reason, "final": story.is_final,
    }  # fmt: skip
    if not found.unsound:
        wanted |= {"turn": turn, "side": found.half[0], "round": found.half[1]}
    for name, value in wanted.items():
        stored = getattr(game, name)
        found.need(stored == value, f"Its {name} is {_shown(stored)} and should be {_shown(value)}.")
    found.need((game.started_at is None) == (story.first is None), "The time of its start is missing, or too much.")
    found.need((game.ended_at is None) == (story.status != "over"), "The time of its end is missing, or too much.")


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)


def _check_seats(found: Report) -> None:
    """Check that seats are those of the edition, that one holds each, and none keeps what only a running game has."""
    game = found.game
    seats, over = game.seats, game.status == "over"
    if [seat.number for seat in seats] != list(range(1, len(seats) + 1)) or not seats:
        found.add("Its seats have a gap.", is_mendable=False)
    elif found.table and [tuple(seat.pawns) for seat in seats] != list(found.table.seats):
        found.add("Its seats do not hold the pawns they began with.")
    for seat in seats:
        where = f"Seat {seat.number}"
        if seat.player_id is not None and seat.bot is not None:
            found.add(f"{where} is held by two.", is_mendable=False)
        elif found.story.status == "running" and not seat.is_taken:
            found.add(f"{where} is held by nobody.", is_mendable=False)
        found.need(not (over and seat.wants_draw), f"{where} offers a draw, and the game is over.")
        found.need(not seat.is_kept or found.story.status == "open", f"{where} is kept for somebody after the start.")
        found.need(seat.bank is None or game.clock["kind"] == "bank", f"{where} has a time bank by a clock without.")
        found.need(may_be_covered(seat, seats), f"{where} is covered by somebody who cannot.")


def may_be_covered(seat: Seat, seats: Sequence[Seat]) -> bool:
    """Return whether the seat is covered by nobody, or by a fellow detective."""
    detectives = [other.number for other in seats if other.role == "detective" and other is not seat]
    return seat.cover is None or (seat.role == "detective" and seat.cover in detectives)


def _check_timers(found: Report) -> None:
    """Check that armed timers are those of the phase, and that the game knows the first deadline."""
    game, story, armed = found.game, found.story, found.armed
    timeouts = [row for row in armed if row.kind == "timeout"]
    of_a_turn = [row for row in armed if row.kind in OF_A_TURN]
    if story.status == "running" and found.table and not found.unsound and found.table.outcome is None:
        _check_running(found, timeouts, of_a_turn)
    elif story.status != "running":
        found.need(not of_a_turn, f"A timer of a turn is armed, and the game is {story.status}.")
        found.need(game.due_at is None, f"It has a deadline, and is {story.status}.")
    finals = [row.due_at for row in armed if row.kind == "final"]
    wanted = [game.final_at] if story.status == "over" and not story.is_final else []
    found.need(finals == wanted, "The timer of its final result is not armed as it should be.")
    kept = [seat.number for seat in game.seats if seat.is_kept] if story.status == "open" else []
    invited = sorted(row.seat for row in armed if row.kind == "invitation")
    found.need(invited == kept, "The timers of its invitations are not those of the seats that are kept.")


def _check_running(found: Report, timeouts: Sequence[Row[Any]], of_a_turn: Sequence[Row[Any]]) -> None:
    game, table = found.game, found.table
    assert table is not None
    timed, wanted = sorted(row.seat for row in timeouts), sorted(timers.on_clock(game, table))
    # While the detectives vote on a late Mr. X no time runs.
    asked = not timed and any(_is_asked(row, found.half) for row in found.motions)
    found.need(timed == wanted or asked, f"Timers run for seats {timed}, and should for {wanted} (0 is a side).")
    stale = sorted({row.kind for row in of_a_turn if (row.side, row.round) != found.half})
    found.need(not stale, f"A timer ({', '.join(stale)}) of another phase is armed.")
    lonely = [row.seat for row in of_a_turn if row.kind == "reminder" and row.seat not in timed]
    found.need(not lonely, "A reminder is armed of a time that does not run.")
    bots = [seat for seat in game.seats if seat.bot and set(seat.pawns) & set(table.to_move)]
    called = any(row.kind == "move" for row in of_a_turn)
    found.need(called or not bots, "A bot is to move, and nothing wakes it.")
    first = min((row.due_at for row in timeouts), default=None)
    found.need(game.due_at == first or asked, "Its deadline is not the first that its timers have.")


def _is_asked(motion: Row[Any], half: tuple[str | None, int | None]) -> bool:
    return motion.kind == "claim" and half == ("mr_x", motion.wish.get("round"))


def _check_ahead(found: Report) -> None:
    """Check that queued moves are for a turn that is still to come in this phase of a running game."""
    table, game = found.table, found.game
    for row in rows(_AHEAD, game=game.id):
        fits = found.story.status == "running" and table is not None
        if fits and table and not found.unsound:
            seat = next((seat for seat in game.seats if seat.number == row.seat), None)
            fits = (
                seat is not None and row.pawn in seat.pawns and phase_of(table) == ("detectives", row.round)
                and row.pawn not in table.to_move and bool(choices(table, row.pawn))
                and _opened(_NOTATION_AHEAD, row.sealed) is not None
            )  # fmt: skip
        if not fits:
            found.stale_ahead.append(row.pawn)
            found.add(f"A queued move of {row.pawn} waits for a turn that does not come.")


def _check_motions(found: Report) -> None:
    """Check that an open vote closes at a time, and that only players with a seat vote."""
    open_ones = found.motions
    closing = [row.due_at for row in found.armed if row.kind == "vote"]
    unclosed = [motion.closes_at for motion in open_ones if not any(at >= motion.closes_at for at in closing)]
    found.unclosed = max(unclosed, default=None)
    found.need(not unclosed, "A vote is open, and nothing closes it.")
    seats = {seat.number for seat in found.game.seats}
    if open_ones and not {row.seat for row in rows(_BALLOTS, game=found.game.id)} <= seats:
        found.add("Somebody has voted who has no seat.", is_mendable=False)


def _check_memory(found: Report) -> None:
    """Check that this process keeps in memory what the rows of the game say."""
    if found.table is None or found.unsound:
        return
    played = found.table.history
    for kept in runtime().game_cache.kept_of(cache_key(found.game)):
        same = kept.history == played[: len(kept.history)] and kept.starts == found.table.starts
        found.need(same, f"This process keeps another game in memory after {len(kept.history)} moves.")


def _check_damaged(found: Report) -> None:
    """Check that a game that was ended as beyond repair is over for good, and nothing else of it."""
    game = found.game
    found.need(game.status == "over" and game.final, "It was ended as damaged, and is not over.")
    found.need((game.events, game.head) == (found.newest, found.head), "It does not know its newest event.")
    ahead = rows(_AHEAD, game=game.id)
    found.need(not found.armed and game.due_at is None, "It was ended as damaged, and a timer is armed.")
    found.need(not ahead, "It was ended as damaged, and a queued move waits.")
