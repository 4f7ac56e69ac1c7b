"""Check the history of a stored game: its public events, the sealed log, and the moves, which are replayed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, TypedDict

from sqlalchemy import LargeBinary, bindparam, select, type_coerce

from server import engine
from server.application.catalogues.by_name import ByName
from server.application.catalogues.events import EVENT_KINDS
from server.application.game import transcripts
from server.application.game.state import initial_state
from server.application.integrity.findings import Report, Story
from server.engine.events import REASONS
from server.house_rules import sealed_log
from server.house_rules.draft import PublicEvent
from server.house_rules.turns import phase_of
from server.models import Event, Game, Move, rows
from server.models.types import Encrypted
from server.runtime import runtime
from server.runtime.keyring import WrongKey

_EVENTS = select(Event.number, Event.kind, Event.moves, Event.data, Event.head, Event.at)
_EVENTS = _EVENTS.where(Event.game_id == bindparam("game")).order_by(Event.number)
# Encrypted columns are read as they are stored, so that one which does not open is a finding and no traceback.
_MOVES = select(Move.turn, Move.pawn, type_coerce(Move.notation, LargeBinary).label("encrypted"), Move.by, Move.made_at)
_MOVES = _MOVES.where(Move.game_id == bindparam("game")).order_by(Move.turn)
_NOTATION = Encrypted("moves.notation")


class StoredMove(NamedTuple):
    """A row of a move; its notation is as it is stored."""

    turn: int
    pawn: str
    encrypted: bytes
    by: str
    made_at: datetime


def events_of(game: Game) -> list[PublicEvent]:
    """Return the public events of a game, in their order."""
    return [PublicEvent(*tuple(row)) for row in rows(_EVENTS, game=game.id)]


def story_of(events: Sequence[PublicEvent]) -> Story:
    """Return the state of a game as its public events tell it."""
    story = Story()
    for event in events:
        if event.kind in _CHANGES:
            story = replace(story, **_CHANGES[event.kind](event))
    return story


class Change(TypedDict, total=False):
    """The fields of a `Story` that an event changes."""

    status: str
    first: int
    winner: str | None
    reason: str | None
    is_final: bool
    is_damaged: bool


_CHANGES: ByName[Callable[[PublicEvent], Change]] = ByName(EVENT_KINDS)


@_CHANGES.add
def _started(event: PublicEvent) -> Change:
    return {"status": "running", "first": event.number}


@_CHANGES.add
def _ended(event: PublicEvent) -> Change:
    winner, reason, is_final = (event.data.get(name) for name in ("winner", "reason", "final"))
    return {"status": "over", "winner": winner, "reason": reason, "is_final": bool(is_final)}


@_CHANGES.add
def _final(_event: PublicEvent) -> Change:
    return {"is_final": True}


@_CHANGES.add
def _expired(_event: PublicEvent) -> Change:
    return {"status": "over", "winner": "draw", "reason": "expired", "is_final": True}


@_CHANGES.add
def _reinstated(_event: PublicEvent) -> Change:
    return {"status": "running", "winner": None, "reason": None}


@_CHANGES.add
def _voided(event: PublicEvent) -> Change:
    return {"is_damaged": True} if event.data.get("damaged") else {}


def check_events(found: Report) -> None:
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


def check_moves(found: Report) -> None:
    """Check the sealed log and the moves: note the game they lead to, and whatever does not hold."""
    _check_chain(found)
    _replay(found)


def _check_chain(found: Report) -> None:
    """Check that the chain over all public events since the start is whole."""
    game, first = found.game, found.story.first
    if game.header is None:
        if first is not None or any(event.head for event in found.events):
            found.add("What its sealed log begins with is missing.", is_mendable=False)
        return
    if game.header.get("first") != first:
        found.add("Its sealed log does not begin with the start.", is_mendable=False)
        return
    head = transcripts.first_head(game)
    for event in found.events:
        if event.number < game.header["first"]:
            continue
        head = transcripts.head_after(head, event)
        if event.head != head:
            found.add(f"The sealed log is not whole: event {event.number} was changed.", is_mendable=False)
            return


def _replay(found: Report) -> None:
    """Play the moves again, and compare each with its public event."""
    game, story = found.game, found.story
    kept = {row.turn: row for row in (StoredMove(*tuple(each)) for each in rows(_MOVES, game=game.id))}
    public = [event for event in found.events if event.kind == "moved"]
    found.surplus = sorted(turn for turn in kept if not 1 <= turn <= len(public))
    for turn in found.surplus:
        found.add(f"Move {turn} has a row and was never made public.")
    if story.first is None:
        if public:
            found.add("There are moves, and the game was never started.", is_mendable=False)
        return
    found.state = _start(found)
    if found.state is None:
        return
    found.phase = phase_of(found.state) if found.state.outcome is None else (None, found.state.round)
    for turn, event in enumerate(public, 1):
        wrong = _play(found, turn, event, kept.get(turn))
        if wrong:
            found.add(wrong, is_mendable=False)
            return
        found.sound = turn
    _check_end(found)


def _start(found: Report) -> engine.Game | None:
    """Return the game as it was dealt, if that is the game its sealed log begins with; else note it."""
    game = found.game
    try:
        state = initial_state(game)
        header = game.header
        same: dict[str, object] = {
            "game": game.id,
            "edition": game.edition,
            "options": game.options,
            "seats": [list(pawns) for pawns in state.seats],
            "starts": game.starts,
        }
        fits = header is not None and header.items() >= same.items()
        fits = (
            fits
            and header is not None
            and header["start"] == sealed_log.commitment_to_start(game.id, game.log_secrets, state, runtime().commit)
        )
    except (AssertionError, WrongKey, engine.EngineError, KeyError, TypeError, ValueError):
        fits = False
    if not fits:
        found.add("What it began with cannot be rebuilt: start cards, key or rules are not those of its seal.",
                  is_mendable=False)  # fmt: skip
    return state if fits else None


def _play(found: Report, turn: int, event: PublicEvent, row: StoredMove | None) -> str | None:
    """Play one public move; return a sentence if it is not sound. Note a lost row if the move is a detective's."""
    game, state, data = found.game, found.state, event.data
    assert state is not None
    notation = decrypted(_NOTATION, row.encrypted) if row else data.get("notation")
    if row is None and data.get("pawn") == "mr_x":
        return f"Move {turn} is public, and its row is missing; where Mr. X went is not public."
    if notation is None:
        return f"The row of move {turn} cannot be opened."
    before = phase_of(state)
    try:
        happenings = state.play(notation)
    except engine.EngineError:
        return f"Move {turn} is not legal where it stands."
    made = next(one for one in happenings if isinstance(one, engine.Moved))
    told = {
        "pawn": made.pawn,
        "notation": state.redacted(made),
        "by": row.by if row else data.get("by"),
        "passed_over": [one.pawn for one in happenings if isinstance(one, engine.PassedOver)],
        **sealed_log.facts_of_move(game.id, game.log_secrets, state, made.windows, runtime().commit),
    }
    if data != told or (row is not None and row.pawn != made.pawn):
        return f"The row of move {turn} and its public event {event.number} say different things."
    found.phase = before if state.outcome is not None else phase_of(state)
    if row is None:
        found.add(f"Move {turn} is public, and its row is missing.")
        found.lost.append(
            {
                "game_id": game.id, "turn": turn, "pawn": made.pawn, "notation": notation, "by": data["by"],
                "made_at": event.at,
            }
        )  # fmt: skip
    return None


def decrypted(kind: Encrypted, encrypted: bytes) -> str | None:
    """Return the notation in an encrypted column of this kind, or None if the key does not decrypt it."""
    try:
        notation: str = kind.opened(encrypted)
    except (WrongKey, ValueError):
        return None
    return notation


def _check_end(found: Report) -> None:
    """Check that the end that is public is the one the moves lead to."""
    state, story = found.state, found.story
    assert state is not None
    outcome = state.outcome
    if story.status == "running":
        found.need(outcome is None, "Its moves end the game, and no event says so.")
    elif (story.reason in REASONS or (outcome is not None and story.reason != "voided")) and (
        outcome is None or (outcome.winner, outcome.reason) != (story.winner, story.reason)
    ):
        found.add("The end that is public is not the one its moves lead to.", is_mendable=False)
    shown = [event.data["opening"] for event in found.events if "opening" in event.data]
    right = [sealed_log.opening(found.game.log_secrets, state)["opening"]] if story.is_final else []
    if shown != right:
        found.add("What the end opened of the travel log is not what was sealed.", is_mendable=False)
