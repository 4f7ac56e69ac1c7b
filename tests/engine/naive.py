"""The rules a second time: slow, plain, and sharing no code with the engine.

A state is a dictionary that is copied for every move, moves are their notation, and the deduction keeps
one whole state for every station Mr. X can be on. Written from the rule books to be held against the
engine, so it looks nothing up in it: boards are read from their files, options are given as plain data.
"""

import copy
import json
import re
from functools import cache
from pathlib import Path

import server.engine

BOARDS = Path(server.engine.__file__).parent / "boards"
ORDER = ["purple", "red", "green", "yellow", "blue"]
PLAIN = ["taxi", "bus", "underground"]


@cache
def edges(board):
    """(transport, from, to, stations passed over), each line in both directions."""
    data = json.loads((BOARDS / f"{board}.json").read_text())
    over = {(t, a, b): c for t, rows in data["passes_over"].items() for a, b, c in rows}
    found = []
    for transport, lines in data["lines"].items():
        for a, stops in lines.items():
            for b in stops:
                passed = set(over.get((transport, int(a), b), ()))
                found += [(transport, int(a), b, passed), (transport, b, int(a), passed)]
    return found


@cache
def edges_from(board, station):
    return [edge for edge in edges(board) if edge[1] == station]


def new_state(options, groups, position):
    """A state from a position with every field; `groups`: pawns that move in any order, in turn."""
    state = {
        "options": options,
        "groups": groups,
        "at": {d["pawn"]: d["station"] for d in position["detectives"]},
        "held": {d["pawn"]: dict(d["tickets"]) for d in position["detectives"]},
        "x": position["mr_x"]["station"],
        "x_held": dict(position["mr_x"]["tickets"]),
        "used": position["log_used"],
        "round": 1,
        "done": list(position["moved"]),
        "out": [],
        "half": "mr_x" if position["to_move"] == "mr_x" else "detectives",
        "over": None,
    }
    full = position["log_used"] == options["log_windows"]
    if full and options["full_log_wins"] == "at_once":
        return {**state, "over": ("mr_x", "log_full")}
    if state["half"] == "detectives":
        for group in groups:
            if position["to_move"] in group:
                break
            state["done"] += [pawn for pawn in group if pawn not in state["done"]]
    return settle(state)


def detective_trips(state, pawn):
    """Legal whoever's turn it is."""
    if pawn in state["out"]:
        return []
    return [
        (transport, to)
        for transport, _, to, _ in edges_from(state["options"]["board"], state["at"][pawn])
        if transport != "ferry" and state["held"][pawn][transport] and to not in state["at"].values()
    ]


def x_trips(state, here, held):
    options = state["options"]
    stands = set(state["at"].values())
    for transport, _, to, passed in edges_from(options["board"], here):
        if options["mr_x_onto_detective"] == "forbidden" and to in stands:
            continue
        if options["cut_off"] and passed & stands:
            continue
        for ticket in {transport, "black"} - {"ferry"}:
            if held[ticket] is None or held[ticket] > 0:
                yield ticket, to


def x_moves(state):
    free = state["options"]["log_windows"] - state["used"]
    held = state["x_held"]
    found = set()
    if free < 1:
        return found
    for ticket, to in set(x_trips(state, state["x"], held)):
        found.add(f"{ticket} {to}")
        if free >= 2 and held["double"]:
            rest = {**held, ticket: None if held[ticket] is None else held[ticket] - 1}
            for second, end in x_trips(state, to, rest):
                found.add(f"double {ticket} {to} {second} {end}")
    return found


def waiting(state):
    """The pawns of the first group that has any still to move."""
    for group in state["groups"]:
        left = [pawn for pawn in group if pawn not in state["done"]]
        if left:
            return left
    return []


def moves(state):
    """All legal moves as a set of notations."""
    if state["over"]:
        return set()
    if state["half"] == "mr_x":
        return x_moves(state)
    return {f"{p} {t} {s}" for p in waiting(state) for t, s in detective_trips(state, p)}


def play(state, text):
    """The state after a legal move; the old one stays as it was."""
    options, state = state["options"], copy_of(state)
    words = text.split()
    if words[0] in ORDER:
        pawn, ticket, to = words[0], words[1], int(words[2])
        pay(state, pawn, ticket)
        state["at"][pawn] = to
        state["done"].append(pawn)
        if to == state["x"]:
            state["over"] = ("detectives", "captured")
            return state
        return settle(state)
    move, _, taken = text.partition(" surface")
    legs = re.findall(r"(taxi|bus|underground|black) (\d+)", move)
    if words[0] == "double":
        state["x_held"]["double"] -= 1
    for ticket, to in legs:
        if state["x_held"][ticket] is not None:
            state["x_held"][ticket] -= 1
        state["x"] = int(to)
        state["used"] += 1
        if state["x"] in state["at"].values():
            state["over"] = ("detectives", "captured")
            return state
    for pair in taken.split():
        pay(state, *pair.split(":"))
    state["half"] = "detectives"
    if options["full_log_wins"] == "at_once" and state["used"] == options["log_windows"]:
        state["over"] = ("mr_x", "log_full")
        return state
    return settle(state)


def copy_of(state):
    held = {pawn: dict(tickets) for pawn, tickets in state["held"].items()}
    copies = {key: copy.copy(state[key]) for key in ("at", "x_held", "done", "out")}
    return {**state, **copies, "held": held}


def pay(state, pawn, ticket):
    state["held"][pawn][ticket] -= 1
    if state["options"]["mr_x_supply"] == "counted" and state["x_held"][ticket] is not None:
        state["x_held"][ticket] += 1


def settle(state):
    """Passes pawns over that cannot move, ends the round, ends the game."""
    options = state["options"]
    ended_a_round = False
    while state["half"] == "detectives":
        left = waiting(state)
        if not left:
            state["half"], state["done"], ended_a_round = "mr_x", [], True
        elif any(detective_trips(state, pawn) for pawn in left):
            return state
        else:
            state["done"] += left
            if options["blocked"] == "out":
                state["out"] += left
    full = state["used"] == options["log_windows"] and options["full_log_wins"] != "no"
    nobody_moves = not any(detective_trips(state, pawn) for pawn in state["at"])
    if full:
        state["over"] = ("mr_x", "log_full")
    elif ended_a_round and options["max_rounds"] and state["round"] >= options["max_rounds"]:
        state["over"] = ("mr_x", "rounds_over")
    elif nobody_moves and not x_moves(state):
        state["over"] = (options["both_stuck"], "both_stuck")
    elif nobody_moves:
        state["over"] = ("mr_x", "detectives_stranded")
    elif not x_moves(state):
        state["over"] = ("detectives", "mr_x_trapped")
    else:
        state["round"] += ended_a_round
    return state


# The deduction


def first_worlds(state, cards, last_seen, dealt):
    """One state for every station Mr. X may start from, as far as the game goes on in all of them."""
    if dealt:
        stations = set(cards)
    elif last_seen and last_seen["window"] == state["used"]:
        stations = {last_seen["station"]}
    else:
        stations = {a for _, a, _, _ in edges(state["options"]["board"])}
    stations -= set(state["at"].values())
    if state["over"] == ("mr_x", "log_full"):
        return [{**state, "x": s} for s in stations]
    worlds = [settle({**copy_of(state), "x": s, "over": None}) for s in sorted(stations)]
    return [world for world in worlds if world["over"] == state["over"]]


def follow(worlds, true_after, text, surfaced):
    """The worlds that are still possible after a move whose public part is what it was in truth.

    text: the full notation; surfaced: of each window of the move, whether it was open to all
    """
    after = {}
    for world in worlds:
        for candidate in [text] if text.split()[0] in ORDER else x_moves_like(world, text):
            if not same_in_public(text, candidate, surfaced):
                continue
            state = play(world, candidate)
            if state["over"] != true_after["over"]:
                continue
            if state["over"] and state["over"][1] == "captured" and state["x"] != true_after["x"]:
                continue
            after[state["x"]] = state
    return list(after.values())


def x_moves_like(world, text):
    _, _, surface = text.partition(" surface")
    return [move + (f" surface{surface}" if " surface" in text else "") for move in x_moves(world)]


def same_in_public(truth, other, surfaced):
    if truth.split()[0] in ORDER:
        return truth == other
    a, b = (re.findall(r"(taxi|bus|underground|black) (\d+)", t) for t in (truth, other))
    return len(a) == len(b) and all(
        x[0] == y[0] and (x[1] == y[1] or not shown) for x, y, shown in zip(a, b, [*surfaced, False], strict=False)
    )
