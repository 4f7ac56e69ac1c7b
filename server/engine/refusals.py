"""Reasons why a move is not legal.

Whose turn it is has been looked at before, in `house_rules.submission`. These functions run only after a move was found
illegal, so they need not be fast. A reason for a detective's move is made of public facts: Mr. X's station is read only
when the move is his.
"""

from __future__ import annotations

from collections.abc import Collection

from server.engine.move import Leg, Move
from server.engine.reasons import Or, Reason
from server.engine.rules import State
from server.engine.ticket_kinds import LINES_OF, is_for_mr_x_only


def explain(state: State, move: Move) -> Reason:
    """Return the first reason why a move is illegal, apart from voluntary surfacing."""
    if move.pawn == "mr_x":
        return _explain_mr_x(state, move)
    if move.double:
        return Reason("mr-x-only", "Only Mr. X makes double moves; a detective makes one trip.")
    if move.surface is not None:
        return Reason("mr-x-only", "Only Mr. X surfaces; a detective always stands in the open.")
    return _explain_leg(state, move.pawn, state.stations[move.pawn], move.legs[0]) or _UNKNOWN


def explain_surface(state: State, move: Move) -> Reason | None:
    """Return why Mr. X may not surface on a move that is legal otherwise; None if he may."""
    if not state.edition.rules["voluntary_surfacing"]:
        return Reason("no-voluntary-surfacing", "In this game Mr. X shows himself only where the log says so.")
    window = state.log_used + len(move.legs)
    if window in state.surfacing:
        return Reason(
            "surfaces-anyway", "On window {window} Mr. X shows himself anyway and takes nothing.", window=window
        )
    taken = dict(move.surface or ())
    for pawn in state.stations:
        if pawn == "mr_x":
            continue
        held = Or(kind for kind, number in state.tickets[pawn].items() if number)
        ticket = taken.pop(pawn, None)
        if held and ticket is None:
            return Reason(
                "ticket-to-take-missing", "Surfacing takes one ticket from every pawn; name {kinds} for {who}.",
                kinds=held, who=pawn,
            )  # fmt: skip
        if ticket is not None and ticket not in held:
            return Reason(
                "ticket-to-take-not-held",
                "{who} has no {card} to take; it holds {kinds}."
                if held
                else "{who} has no {card} to take; it holds none, so leave it out.",
                who=pawn, card=ticket, kinds=tuple(held),
            )  # fmt: skip
    if taken:
        return Reason("no-such-pawn", "{who} is not in this game.", who=next(iter(taken)))
    return None


# Never seen: `explain` is called only for moves that the rules refuse.
_UNKNOWN = Reason("illegal", "This move is not among the legal ones.")


def _explain_mr_x(state: State, move: Move) -> Reason:
    if state.windows_left() < len(move.legs):
        return Reason(
            "no-window-left",
            "The log has 0 free windows; a move needs one."
            if not move.double
            else "The log has 1 free window; a double move needs two."
            if state.windows_left()
            else "The log has 0 free windows; a double move needs two.",
        )
    if move.double and not state.tickets["mr_x"]["double"]:
        return Reason("no-double-card", "Mr. X has no double-move card left; make a single move.")
    here = state.stations["mr_x"]
    for leg in move.legs:
        wrong = _explain_leg(state, "mr_x", here, leg)
        if wrong and move.double:
            is_first = leg is move.legs[0]
            return Reason(wrong.code, "First leg: {reason}" if is_first else "Second leg: {reason}", reason=wrong)
        if wrong:
            return wrong
        here = leg.station
    if move.double and move.legs[0].ticket == move.legs[1].ticket:
        return Reason("no-ticket", "Mr. X has one {card}; this double move needs two.", card=move.legs[0].ticket)
    return _UNKNOWN


def _explain_leg(state: State, pawn: str, here: int, leg: Leg) -> Reason | None:
    ticket, station = leg
    if is_for_mr_x_only(ticket) and pawn != "mr_x":
        return Reason("mr-x-only", "Only Mr. X has black tickets; a detective pays taxi, bus or underground.")
    if station not in state.board.stations:
        first, last = min(state.board.stations), max(state.board.stations)
        missing = _gap(state)
        return Reason(
            "no-such-station",
            "There is no station {station}; the stations are {first} to {last}, without {missing}."
            if missing
            else "There is no station {station}; the stations are {first} to {last}.",
            station=station, first=first, last=last, missing=missing,
        )  # fmt: skip
    if station == here:
        return Reason(
            "stay", "{who} stands on {station} already; nobody may stay, move to another station.",
            who=pawn, station=station,
        )  # fmt: skip
    return _explain_ticket(state, pawn, here, leg) or _explain_way(state, pawn, here, leg)


def _gap(state: State) -> tuple[int, ...]:
    """Return the numbers between the first and the last station that no station has."""
    stations = state.board.stations
    return tuple(sorted({*range(min(stations), max(stations))} - {*stations}))


def _explain_ticket(state: State, pawn: str, here: int, leg: Leg) -> Reason | None:
    ticket, station = leg
    mr_x = pawn == "mr_x"
    lines, reached = state.board.transports(here, station), state.board.reach[ticket][here]
    if not lines:
        stops = tuple(stop for stop in reached if stop not in _taken(state, mr_x))
        return Reason(
            "not-connected",
            "{who} stands on {here}, and no line joins it to {station}; {ticket} leads from there to {stops}."
            if stops
            else "{who} stands on {here}, and no line joins it to {station}; "
            "no {ticket} leads from there to a free station."
            if reached
            else "{who} stands on {here}, and no line joins it to {station}; no {ticket} stops there.",
            who=pawn, here=here, station=station, ticket=ticket, stops=stops,
        )  # fmt: skip
    if lines == ("ferry",) and "ferry" not in LINES_OF[ticket]:
        return Reason(
            "ferry-needs-black" if mr_x else "ferry-mr-x-only",
            "Only the ferry joins {here} and {station}; pay black."
            if mr_x
            else "Only the ferry joins {here} and {station}, and it takes Mr. X only.",
            here=here, station=station,
        )  # fmt: skip
    if station not in reached:
        return Reason(
            "wrong-ticket",
            "No {ticket} runs from {here} to {station}, and a detective stands there."
            if station in _taken(state, mr_x)
            else "No {ticket} runs from {here} to {station}; go there by {lines}.",
            here=here, station=station, ticket=ticket, lines=Or(line for line in lines if line != "ferry"),
        )  # fmt: skip
    if state.tickets[pawn][ticket]:
        return None
    left = tuple(kind for kind, number in state.tickets[pawn].items() if number and kind != "double")
    return Reason(
        "no-ticket", "{who} has no {card} left, only {kinds}." if left else "{who} has no {card} left, only none.",
        who=pawn, card=ticket, kinds=left,
    )  # fmt: skip


def _taken(state: State, mr_x: bool) -> Collection[int]:
    """Return the stations on which a detective bars the way."""
    may_enter = mr_x and state.edition.rules["mr_x_onto_detective"] != "forbidden"
    return () if may_enter else state.occupied


def _explain_way(state: State, pawn: str, here: int, leg: Leg) -> Reason | None:
    ticket, station = leg
    if station in state.occupied:
        if pawn != "mr_x":
            return Reason("occupied", "Another detective stands on {station}; move to a free station.", station=station)
        if state.edition.rules["mr_x_onto_detective"] == "forbidden":
            return Reason("onto-detective", "A detective stands on {station}; move to a free station.", station=station)
    if pawn == "mr_x" and state.board.transport(ticket, here, station, state.closed()) is None:
        return Reason(
            "cut-off", "A pawn cuts off the way from {here} to {station}; take a line that passes over none.",
            here=here, station=station,
        )  # fmt: skip
    return None
