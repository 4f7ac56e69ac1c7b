"""Verify stored games: moves and public events agree, and the row of the game is what follows from them.

A game that fails is closed to moves until the operator has its rows rebuilt, or ends it. Sentences about one name
events and moves by number, and never a station of Mr. X's.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import LargeBinary, bindparam, exists, select, type_coerce

from server import engine
from server.application.game import transcripts
from server.application.game.access import locked
from server.application.game.state import initial_state
from server.application.game.transcripts import events_of, result_of
from server.engine.events import REASONS
from server.house_rules import sealed_log
from server.house_rules.draft import PublicEvent
from server.house_rules.turns import phase_of
from server.models import ARMED, Deadline, Game, Move, Unavailable, give_back, rows, session, transaction
from server.models.types import Encrypted
from server.runtime import runtime
from server.runtime.faults import fault
from server.runtime.keyring import WrongKey

log = logging.getLogger(__name__)
CANNOT_REBUILD = (AssertionError, WrongKey, engine.EngineError, KeyError, TypeError, ValueError)
"""What rebuilding a game raises whose rows are wrong."""
_ID: Any = bindparam("game")
# The notation is read as it is stored, so that one which cannot be decrypted is a finding and no traceback.
_MOVES = (
    select(Move.turn, Move.pawn, type_coerce(Move.notation, LargeBinary).label("encrypted"), Move.by)
    .where(Move.game_id == _ID)
    .order_by(Move.turn)
)
_IS_DUE = select(exists().where(Deadline.game_id == _ID, Deadline.state == ARMED))
_NOTATION = Encrypted("moves.notation")


class Unsound(Exception):
    """The moves and public events of a game do not agree; the message says where."""


@dataclass
class History:
    """The history of a game, by its moves and public events: `row` has the columns that follow from it, by name.

    `state` is the game in the engine, None before the start and of a game that was ended as damaged. `lost` are the
    moves that are public and have no row, with the columns of one; `surplus` the turns that have a row alone.
    """

    events: Sequence[PublicEvent]
    row: dict[str, object]
    state: engine.Game | None = None
    lost: list[dict[str, object]] = field(default_factory=list)
    surplus: list[int] = field(default_factory=list)


def verify(game: Game) -> str | None:
    """Return a sentence on the first thing that is wrong with a game, or None."""
    try:
        history = history_of(game)
    except Unsound as error:
        return str(error)
    for turn in history.surplus:
        return f"Move {turn} has a row and was never made public."
    for lost in history.lost:
        return f"Move {lost['turn']} is public, and its row is missing."
    for name, value in history.row.items():
        if getattr(game, name) != value:
            return f"Its column {name} is {getattr(game, name)} and should be {value}."
    if history.state is not None and _has_timer(game, history.state) and not rows(_IS_DUE, game=game.id)[0][0]:
        return "Nothing is due in it, and it is running."
    return None


def _has_timer(game: Game, state: engine.Game) -> bool:
    """Return True if a timer runs: by the clock, or for a bot. People who play without a clock are waited for."""
    is_bots_turn = any(seat.bot and {*seat.pawns} & {*state.to_move} for seat in game.seats)
    return game.status == "running" and (game.clock["kind"] != "none" or is_bots_turn)


def close_if_broken(game_id: str) -> None:
    """Verify a game; close it to moves and log it if it fails, for the operator to be told."""
    if verify(session.get_one(Game, game_id, populate_existing=True)) is None:
        return
    with transaction():  # somebody may have moved between two reads
        game = locked(game_id)
        game.broken = verify(game)
        if game.broken is not None:
            game.version = runtime().new_id("version")
            log.error("game %s is closed to moves: %s", game_id, game.broken)


def closed_games() -> dict[str, str]:
    """Return what is wrong with each game that is closed to moves, by its id."""
    closed = select(Game.id, Game.broken).where(Game.broken.is_not(None)).order_by(Game.id)
    return {row.id: str(row.broken) for row in session.execute(closed)}


def verify_moved(since: datetime) -> None:
    """Verify each game in which something happened since a time, and close it if it is broken."""
    for game_id in session.scalars(select(Game.id).where(Game.happened_at > since).order_by(Game.id)).all():
        try:
            close_if_broken(game_id)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 one game must not hold up the others
            log.error("game %s could not be verified: %s", game_id, fault(error))
        give_back()


def history_of(game: Game) -> History:
    """Return what moves and public events say of a game.

    Raises:
        Unsound: if they do not agree.
    """
    events = events_of(game.id)
    result = {name: value for name, value in result_of(events, game.clock).items() if name != "final_at"}
    history = History(events, result | {"turn": None, "side": None, "round": None})
    if is_damaged(events):
        return History(events, {"status": "over", "final": True})
    _check_events(game, events)
    history.row |= {"events": events[-1].number, "head": events[-1].head, "happened_at": events[-1].at}
    _check_chain(game, events)
    _replay(game, history)
    return history


def is_damaged(events: Sequence[PublicEvent]) -> bool:
    """Return whether the operator has ended the game as one that nobody could go on with."""
    return any(event.kind == "voided" and event.data.get("damaged") for event in events)


def _check_events(game: Game, events: Sequence[PublicEvent]) -> None:
    moved = 0
    for number, event in enumerate(events, 1):
        moved += event.kind == "moved"
        _need(event.number == number, "A public event is missing: its events have a gap.")
        _need(event.moves == moved, f"Event {number} counts {event.moves} moves, and there were {moved}.")
    # The head of the game binds what was published: of a counter that is wrong it is that of the newest event.
    is_newest = bool(events) and (game.events <= len(events) or game.head in (None, events[-1].head))
    _need(is_newest, "A public event is missing: the newest.")


def _check_chain(game: Game, events: Sequence[PublicEvent]) -> None:
    """Check that the chain over all public events since the start is whole."""
    first = next((event.number for event in events if event.kind == "started"), None)
    begins = None if game.header is None else game.header.get("first")
    _need(begins == first, "Its sealed log does not begin with the start.")
    head = None if first is None else transcripts.first_head(game)
    for event in events:
        if head is not None and event.number >= (first or 0):
            head = transcripts.head_after(head, event)
        _need(event.head == head or event.number < (first or 0),
              f"The sealed log is not whole: event {event.number} was changed.")  # fmt: skip


def _replay(game: Game, history: History) -> None:
    """Play the moves again, and compare each with its public event."""
    kept = {row.turn: row for row in rows(_MOVES, game=game.id)}
    public = [event for event in history.events if event.kind == "moved"]
    history.surplus = sorted(kept.keys() - range(1, len(public) + 1))
    if game.header is None:
        _need(not public, "There are moves, and the game was never started.")
        return
    state = history.state = _dealt(game)
    phase: tuple[str | None, int] = phase_of(state) if state.outcome is None else (None, state.round)
    for turn, event in enumerate(public, 1):
        phase = phase_of(state)  # a game that is over stays in that of its last move
        _play(game, history, turn, event, kept.get(turn))
    side, number = phase if state.outcome is not None else phase_of(state)
    history.row |= {"turn": len(public) + 1, "side": side, "round": number}
    _check_end(game, history)


def _dealt(game: Game) -> engine.Game:
    """Return the game as it was dealt, if that is the game its sealed log begins with."""
    same: dict[str, object] = {"game": game.id, "edition": game.edition, "options": game.options, "starts": game.starts}
    try:
        state = initial_state(game)
        same |= {
            "seats": [list(pawns) for pawns in state.seats],
            "start": sealed_log.commitment_to_start(game.id, game.log_secrets, state, runtime().commit),
        }
    except CANNOT_REBUILD:
        same = {}
    fits = bool(same) and game.header is not None and game.header.items() >= same.items()
    _need(fits, "What it began with cannot be rebuilt: start cards, key or rules are not those of its seal.")
    _need([seat.pawns for seat in game.seats] == same["seats"], "Its seats do not hold the pawns they began with.")
    return state


def _play(game: Game, history: History, turn: int, event: PublicEvent, row: Any) -> None:
    """Play one public move; note a lost row if the move is a detective's, whose event says all of it."""
    state, data = history.state, event.data
    assert state is not None
    is_known = row is not None or data.get("pawn") != "mr_x"
    _need(is_known, f"Move {turn} is public, and its row is missing; where Mr. X went is not public.")
    try:
        notation = data["notation"] if row is None else _NOTATION.opened(row.encrypted)
    except (WrongKey, ValueError):
        raise Unsound(f"The row of move {turn} cannot be decrypted.") from None
    try:
        happenings = state.play(notation)
    except engine.EngineError:
        raise Unsound(f"Move {turn} is not legal where it stands.") from None
    made = next(one for one in happenings if isinstance(one, engine.Moved))
    public = {
        "pawn": made.pawn,
        "notation": state.redacted(made),
        "by": data.get("by") if row is None else row.by,
        "passed_over": [one.pawn for one in happenings if isinstance(one, engine.PassedOver)],
        **sealed_log.facts_of_move(game.id, game.log_secrets, state, made.windows, runtime().commit),
    }
    is_same = data == public and (row is None or row.pawn == made.pawn)
    _need(is_same, f"The row of move {turn} and its public event {event.number} say different things.")
    if row is None:
        of_move = {"turn": turn, "pawn": made.pawn, "notation": notation, "by": data["by"], "made_at": event.at}
        history.lost.append({"game_id": game.id, **of_move})


def _check_end(game: Game, history: History) -> None:
    """Check that the end that is public is the one the moves lead to."""
    assert history.state is not None
    outcome, row = history.state.outcome, history.row
    reached = None if outcome is None else (outcome.winner, outcome.reason)
    if row["status"] == "running":
        _need(reached is None, "Its moves end the game, and no event says so.")
    elif row["reason"] in REASONS or (reached is not None and row["reason"] != "voided"):
        _need(reached == (row["winner"], row["reason"]), "The end that is public is not the one its moves lead to.")
    opened = [event.data["opening"] for event in history.events if "opening" in event.data]
    sealed = [sealed_log.opening(game.log_secrets, history.state)["opening"]] if row["final"] else []
    _need(opened == sealed, "What the end opened of the travel log is not what was sealed.")


def _need(holds: bool, sentence: str) -> None:
    if not holds:
        raise Unsound(sentence)
