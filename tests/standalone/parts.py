"""Parts of a transcript that a change takes up: its moves, its end, its opening, and where somebody stood."""

import itertools
from functools import cache

from server.engine import Board

from .transcripts import opened_of, opening_of, relinked

PLAIN = ("taxi", "bus", "underground")
BY_PLAY = {"captured", "log_full", "rounds_over", "detectives_stranded", "mr_x_trapped", "both_stuck"}


def with_another_value(data, rng, node):
    """`data` with one value within `node` changed to another one of its kind, or taken away."""
    holder, name = rng.choice(list(leaves(node)))
    value = holder[name]
    if isinstance(holder, dict) and rng.random() < 0.1:
        del holder[name]
    elif isinstance(value, bool):
        holder[name] = not value
    elif isinstance(value, int):
        holder[name] = value + rng.choice([-1, 1, 7])
    elif isinstance(value, str) and value:
        holder[name] = with_another_letter(value, rng.randrange(len(value)), "abcdef0123456789", rng)
    elif value is None:
        holder[name] = 1
    else:
        holder[name] = ["red"]
    return data


def leaves(node):
    for name, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, dict | list) and value:
            yield from leaves(value)
        else:
            yield node, name


def with_another_letter(text, place, letters, rng):
    return text[:place] + other(letters, text[place], rng) + text[place + 1 :]


def other(values, value, rng):
    return rng.choice([one for one in values if one != value])


def random_hex(rng):
    return rng.randbytes(32).hex()


def numbered(data):
    for number, event in enumerate(data["events"], data["header"]["first"]):
        event["number"] = number
    return data


def relinked_in_time(data):
    """With numbers and times as if nothing had been taken out or put in."""
    data["events"] = [dict(event) for event in data["events"]]
    at = ""
    for event in data["events"]:
        event["at"] = at = max(at, event["at"])
    return relinked(numbered(data))


def moves_of(data):
    return [event for event in data["events"] if event["kind"] == "moved"]


def his_moves(data):
    return [move for move in moves_of(data) if move["data"]["pawn"] == "mr_x"]


def moves_before_his_last(data):
    """After these he moved again, so that they cannot be missing."""
    his = his_moves(data)
    return [move for move in moves_of(data) if his and move["number"] < his[-1]["number"]]


def detective_s(data, rng):
    """A detective's move: the event, pawn, ticket and station."""
    moves = [move for move in moves_of(data) if move["data"]["pawn"] != "mr_x"]
    if not moves:
        return None, None, None, None
    move = rng.choice(moves)
    pawn, ticket, station = move["data"]["notation"].split()
    return move, pawn, ticket, int(station)


def standing(data, move):
    """Return the stations of the detectives before a move."""
    stations = dict(data["header"]["starts"])
    for other in moves_of(data):
        if other["number"] < move["number"] and other["data"]["pawn"] != "mr_x":
            pawn, _, station = other["data"]["notation"].split()
            stations[pawn] = int(station)
    return stations


def spent(data):
    """Return the tickets each pawn used by its own choice, as {(pawn, kind): number}."""
    spent = {}
    for move in moves_of(data):
        if move["data"]["pawn"] != "mr_x":
            pawn, kind, _ = move["data"]["notation"].split()
            spent[pawn, kind] = spent.get((pawn, kind), 0) + 1
    return spent


def board_of(data):
    return board_named(data["header"]["options"]["board"])


@cache
def board_named(name):
    return Board.named(name)


def end_of(data):
    """The data of the last end, None while the game runs."""
    ends = [event["data"] for event in data["events"] if event["kind"] == "ended"]
    return ends[-1] if ends else None


def caught_on(data):
    end, his = end_of(data), his_moves(data)
    caught = end is not None and end["reason"] == "captured" and his
    return {his[-1]["data"]["sealed"][-1]["window"]} if caught else set()


def with_a_surfacing(data, rng, change):
    shown = [move for move in moves_of(data) if opened_of(move)]
    if not shown:
        return None
    opened = rng.choice(shown)["data"]["opened"]
    place = rng.randrange(len(opened))
    opened[place] = change(opened[place])
    return relinked(data)


def with_another_end(data, field, choose):
    end = end_of(data)
    if end is None or end["reason"] not in BY_PLAY:
        return None
    values = {"winner": ["mr_x", "detectives", "draw"], "reason": sorted(BY_PLAY)}[field]
    end[field] = choose([value for value in values if value != end[field]])
    return relinked(data)


def with_the_opening(data, change):
    holders = [event["data"] for event in data["events"] if "opening" in event["data"]]
    if not holders:
        return None
    holders[0]["opening"] = change(holders[0]["opening"]) or holders[0]["opening"]
    return relinked(data)


def tickets(data):
    """The ticket on each window."""
    return [ticket for move in his_moves(data) for ticket in rides(move)[: len(move["data"]["sealed"])]]


def rides(move):
    words = move["data"]["notation"].removeprefix("double ").split(" surface")[0].split()
    return words[::2]


def windows(data):
    """For each window, the move that filled it and whether it was the last of that; none without an opening."""
    moves = his_moves(data) if opening_of(data) else []
    return [(move, sealed is move["data"]["sealed"][-1]) for move in moves for sealed in move["data"]["sealed"]]


def fits(data, place, station):
    """Return True if ticket and lines would have allowed `station` on this window instead."""
    opening = opening_of(data)
    if station == opening["stations"][place + 1]:
        return False
    return way(data, place, opening["stations"][place], station) is not None


def leads_on(data, place, station):
    """Return True if Mr. X's next step, which must exist, could have begun at `station`."""
    stations = opening_of(data)["stations"]
    return place + 2 < len(stations) and way(data, place + 1, station, stations[place + 2]) is not None


def way(data, place, start, station):
    """A transport from `start` to `station` that the ticket on this window pays for."""
    board, ticket = board_of(data), tickets(data)[place]
    ways = ["ferry", *PLAIN] if ticket == "black" else [ticket]
    pairs = {tuple(sorted((start, station)))}
    return next((way for way in ways if pairs & set(map(tuple, map(sorted, board.lines[way])))), None)


def lead(data, place, station):
    """Let him have gone to `station` on this window, and on from there if he can."""
    opening = opening_of(data)
    opening["transports"][place] = way(data, place, opening["stations"][place], station)
    if leads_on(data, place, station):
        opening["transports"][place + 1] = way(data, place + 1, station, opening["stations"][place + 2])
    opening["stations"][place + 1] = station


def destinations_after(data, move):
    """Return the stations where detectives ended moves before Mr. X's next move; none if that one surfaces."""
    if "opened" in move["data"]:
        return []
    following = itertools.takewhile(
        lambda event: event["data"]["pawn"] != "mr_x", (m for m in moves_of(data) if m["number"] > move["number"])
    )
    return [int(event["data"]["notation"].split()[2]) for event in following]
