"""Reasons why a move is not legal: a code and a sentence.

Whose turn it is has been looked at before, in `house_rules.submission`. These functions run only after a move was found
illegal, so they need not be fast. A reason for a detective's move is made of public facts: Mr. X's station is read only
when the move is his.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from server.engine.move import Leg, Move
from server.engine.rules import State
from server.engine.ticket_kinds import LINES_OF, is_for_mr_x_only

Reason = tuple[str, str]


def explain(state: State, move: Move) -> Reason:
    """Return the first reason why a move is illegal, apart from voluntary surfacing."""
    if move.pawn == "mr_x":
        return _explain_mr_x(state, move)
    if move.double:
        return "mr-x-only", "Only Mr. X makes double moves; a detective makes one trip."
    if move.surface is not None:
        return "mr-x-only", "Only Mr. X surfaces; a detective always stands in the open."
    return _explain_leg(state, move.pawn, state.stations[move.pawn], move.legs[0]) or _UNKNOWN


def explain_surface(state: State, move: Move) -> Reason | None:
    """Return why Mr. X may not surface on a move that is legal otherwise; None if he may."""
    if not state.edition.rules["voluntary_surfacing"]:
        return (
            "no-voluntary-surfacing",
            "In this game Mr. X shows himself only where the log says so.",
        )
    window = state.log_used + len(move.legs)
    if window in state.surfacing:
        return (
            "surfaces-anyway",
            f"On window {window} Mr. X shows himself anyway and takes nothing.",
        )
    taken = dict(move.surface or ())
    for pawn in state.stations:
        if pawn == "mr_x":
            continue
        held = [kind for kind, number in state.tickets[pawn].items() if number]
        ticket = taken.pop(pawn, None)
        if held and ticket is None:
            return (
                "ticket-to-take-missing",
                f"Surfacing takes one ticket from every pawn; name {_or(held)} for {_name(pawn)}.",
            )
        if ticket is not None and ticket not in held:
            have = f"it holds {_and(held)}" if held else "it holds none, so leave it out"
            return (
                "ticket-to-take-not-held",
                f"{_name(pawn)} has no {ticket} ticket to take; {have}.",
            )
    if taken:
        return "no-such-pawn", f"{_name(next(iter(taken)))} is not in this game."
    return None


# Never seen: `explain` is called only for moves that the rules refuse.
_UNKNOWN: Reason = ("illegal", "This move is not among the legal ones.")


def _explain_mr_x(state: State, move: Move) -> Reason:
    tickets, windows = state.tickets["mr_x"], state.windows_left()
    if windows < len(move.legs):
        need = "a double move needs two" if move.double else "a move needs one"
        left = f"{windows} free window{'s' * (windows != 1)}"
        return "no-window-left", f"The log has {left}; {need}."
    if move.double and not tickets["double"]:
        return "no-double-card", "Mr. X has no double-move card left; make a single move."
    here = state.stations["mr_x"]
    for leg in move.legs:
        wrong = _explain_leg(state, "mr_x", here, leg)
        if wrong:
            which = ("First leg: ", "Second leg: ")[leg is not move.legs[0]] if move.double else ""
            return wrong[0], which + wrong[1]
        here = leg.station
    if move.double and move.legs[0].ticket == move.legs[1].ticket:
        return (
            "no-ticket",
            f"Mr. X has one {move.legs[0].ticket} ticket; this double move needs two.",
        )
    return _UNKNOWN


def _explain_leg(state: State, pawn: str, here: int, leg: Leg) -> Reason | None:
    ticket, station = leg
    who, mr_x = _name(pawn), pawn == "mr_x"
    if is_for_mr_x_only(ticket) and not mr_x:
        return (
            "mr-x-only",
            "Only Mr. X has black tickets; a detective pays taxi, bus or underground.",
        )
    if station not in state.board.stations:
        first, last = min(state.board.stations), max(state.board.stations)
        there = f"the stations are {first} to {last}{_gap(state)}"
        return "no-such-station", f"There is no station {station}; {there}."
    if station == here:
        return (
            "stay",
            f"{who} stands on {station} already; nobody may stay, move to another station.",
        )
    return _explain_ticket(state, who, here, leg) or _explain_way(state, who, here, leg)


def _explain_ticket(state: State, who: str, here: int, leg: Leg) -> Reason | None:
    ticket, station = leg
    mr_x = who == "Mr. X"
    lines = state.board.transports(here, station)
    stops = [stop for stop in state.board.reach[ticket][here] if stop not in _taken(state, mr_x)]
    if stops:
        leads = f"{ticket} leads from there to {_and(stops)}"
    else:
        is_served = state.board.reach[ticket][here]
        leads = f"no {ticket} leads from there to a free station" if is_served else f"no {ticket} stops there"
    if not lines:
        return (
            "not-connected",
            f"{who} stands on {here}, and no line joins it to {station}; {leads}.",
        )
    if lines == ("ferry",) and "ferry" not in LINES_OF[ticket]:
        if mr_x:
            return "ferry-needs-black", f"Only the ferry joins {here} and {station}; pay black."
        return (
            "ferry-mr-x-only",
            f"Only the ferry joins {here} and {station}, and it takes Mr. X only.",
        )
    if station not in state.board.reach[ticket][here]:
        by = _or([line for line in lines if line != "ferry"])
        instead = ", and a detective stands there" if station in _taken(state, mr_x) else f"; go there by {by}"
        return "wrong-ticket", f"No {ticket} runs from {here} to {station}{instead}."
    held = state.tickets["mr_x" if mr_x else who.lower()]
    if not held[ticket]:
        left = [kind for kind, number in held.items() if number and kind != "double"]
        return (
            "no-ticket",
            f"{who} has no {ticket} ticket left, only {_and(left) if left else 'none'}.",
        )
    return None


def _taken(state: State, mr_x: bool) -> Collection[int]:
    """Return the stations on which a detective bars the way."""
    may_enter = mr_x and state.edition.rules["mr_x_onto_detective"] != "forbidden"
    return () if may_enter else state.occupied


def _explain_way(state: State, who: str, here: int, leg: Leg) -> Reason | None:
    ticket, station = leg
    if station in state.occupied:
        if who != "Mr. X":
            return "occupied", f"Another detective stands on {station}; move to a free station."
        if state.edition.rules["mr_x_onto_detective"] == "forbidden":
            return "onto-detective", f"A detective stands on {station}; move to a free station."
    if who == "Mr. X" and state.board.transport(ticket, here, station, state.closed()) is None:
        return (
            "cut-off",
            f"A pawn cuts off the way from {here} to {station}; take a line that passes over none.",
        )
    return None


def _name(pawn: str) -> str:
    return "Mr. X" if pawn == "mr_x" else pawn.capitalize()


def _gap(state: State) -> str:
    stations = state.board.stations
    missing = sorted(set(range(min(stations), max(stations))) - set(stations))
    return f", without {_and(missing)}" if missing else ""


def _and(items: Iterable[object]) -> str:
    return _joined(items, "and")


def _or(items: Iterable[object]) -> str:
    return _joined(items, "or")


def _joined(items: Iterable[object], word: str) -> str:
    words = [str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {word} {words[-1]}"
