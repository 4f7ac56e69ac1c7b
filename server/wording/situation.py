"""The situation of a game as sentences: what pawns can do, where they are, and how a game ended.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from server import engine
from server.engine import BoardView, LogEntry
from server.engine.ticket_kinds import PLAIN
from server.vocabulary.words import cards, counted, join, line, number, pawn_name, pawn_names

MOST_PLACES = 12  # places of Mr. X that are listed unasked
MOST_PLACES_IN_SHORT = 8  # the same in a mail that has much else to tell
MOST_STATIONS = 7  # in one item of a list of places


class Choice(NamedTuple):
    """A line of choices with one kind of ticket, and the move that takes each of its stations."""

    line: str
    moves: Mapping[int, engine.Move]


def choices(moves: Sequence[engine.Move], tickets: Mapping[str, int | None]) -> list[Choice]:
    """Return what one pawn can do: a line for each kind of ticket that takes it somewhere; each ends in words."""
    lines = []
    for ticket in (*PLAIN, "black"):
        there = {move.station: move for move in moves if not move.double and move.legs[0].ticket == ticket}
        if there:
            stations = join([str(station) for station in there], "or")
            lines.append(Choice(f"by {line(ticket)} to {stations} ({_left(tickets[ticket])})", there))
    if example := double_example(moves):
        held = _left(tickets["double"])
        lines.append(Choice(f'by a double move: "{example}" ({held})', {}))
    return lines


def heading_of_choices(pawn: str, station: int | None, *, is_only: bool) -> str:
    """Return the line above the choices of a pawn; `is_only`: the reader moves no other."""
    return f"You can go from {station}" if is_only else f"{pawn_name(pawn)} can go from {station}"


def double_example(moves: Sequence[engine.Move]) -> str:
    """Return the form of a double move among these, which is no command: `double taxi NN bus NN`; empty without one.

    It spends no black ticket if it need not, and takes two kinds of tickets if one of the moves does.
    """
    doubles = [[leg.ticket for leg in move.legs] for move in moves if move.double]
    if not doubles:
        return ""
    kinds = (*PLAIN, "black")
    first, second = min(doubles, key=lambda pair: ("black" in pair, pair[0] == pair[1], [*map(kinds.index, pair)]))
    return f"double {first} NN {second} NN"


def are_tickets_told(moves: Sequence[engine.Move], tickets: Mapping[str, int | None]) -> bool:
    """Return True if `choices` tells of all tickets that a pawn holds."""
    told = {move.legs[0].ticket for move in moves if not move.double}
    return told.issuperset(ticket for ticket in PLAIN if tickets[ticket] != 0)


def _left(held: int | None) -> str:
    return "no limit" if held is None else f"{held or 'none'} left"


STATES = {
    "active": "has no move to make now",
    "blocked": "cannot move: every station within reach is taken",
    "stranded": "is stranded: no ticket fits",
}


def moved_this_round(view: BoardView) -> set[str]:
    """Return the detectives that have moved in this round: none while Mr. X is to move, who begins it."""
    if list(view["to_move"]) == ["mr_x"]:
        return set()
    movers = [notation.split()[0] for notation in reversed(view["history"])]
    return set(takewhile(lambda mover: mover in view["pawns"], movers))


def stand(view: BoardView, pawns: Iterable[str], told: Collection[str] = ()) -> str:
    """Return where detectives are and the tickets they hold: `Red at 46 10/8/4, Green at 13 9/8/4 (stranded)`.

    The stations of the pawns `told` are left out: the reader has been told them in the same mail. The tickets of a
    stranded pawn are of no use to it, and left out as well.
    """
    parts = []
    for pawn in pawns:
        facts = view["pawns"][pawn]
        at = "" if pawn in told else f" at {facts['station']}"
        holds = "" if facts["state"] == "stranded" else f" {tickets_left(view, pawn)}"
        state = f" ({facts['state']})" if facts["state"] != "active" else ""
        parts.append(f"{pawn_name(pawn)}{at}{holds}{state}")
    return ", ".join(parts)


def tickets_left(view: BoardView, pawn: str) -> str:
    """Return the taxi, bus and underground tickets that a pawn holds: `10/8/4`, with any for one without limit."""
    held = view["pawns"][pawn]["tickets"]
    return "/".join("any" if held[ticket] is None else str(held[ticket]) for ticket in PLAIN)


def own_tickets(view: BoardView, pawn: str, *, is_only: bool) -> str:
    """Return the tickets of a pawn of the reader's: `Red 10/8/4`, or `you 10/8/4` where it is their only one."""
    tickets = tickets_left(view, pawn)
    return f"you {tickets}" if is_only else f"{pawn_name(pawn)} {tickets}"


def hands(view: BoardView, pawns: Iterable[str]) -> str:
    """Return a sentence for each pawn on the tickets that it holds: `Red has one taxi ticket and two bus tickets.`"""
    return " ".join(f"{pawn_name(pawn)} has {_hand(view['pawns'][pawn]['tickets'])}." for pawn in pawns)


def _hand(held: Mapping[str, int | None]) -> str:
    return join([cards(n, kind) for kind, n in held.items() if n != 0] or ["no ticket"])


def mr_x_holds(view: BoardView, is_reader: bool = False) -> str:
    """Return `Mr. X 10/8/5, four black and two doubles`."""
    held = view["pawns"]["mr_x"]["tickets"]
    tickets, black, doubles = (
        tickets_left(view, "mr_x"),
        number(held["black"]),
        counted(held["double"], "one double", "{n} doubles"),
    )
    if is_reader:
        return f"you {tickets}, {black} black and {doubles}"
    return f"Mr. X {tickets}, {black} black and {doubles}"


def short_log(view: BoardView) -> str:
    """Return the travel log since Mr. X was last seen, as everybody may know it; nothing while it is empty.

    Of each ticket it has the letter: `Travel log since 141 (move 3): TTX.`
    """
    log = view["log"]
    if not log:
        return ""
    seen = max((i for i, entry in enumerate(log) if entry.get("surfaced")), default=None)
    tickets = "".join(_LETTERS[entry["ticket"]] for entry in log[0 if seen is None else seen + 1 :])
    if seen is None and log[0]["window"] == 1:
        return f"Travel log: {tickets}."
    if seen is None:
        return f"Travel log from move {log[0]['window']}: {tickets}."
    if not tickets:
        return f"Travel log: seen at {log[seen]['station']} on move {log[seen]['window']}, just now."
    return f"Travel log since {log[seen]['station']} (move {log[seen]['window']}): {tickets}."


_LETTERS = {"taxi": "T", "bus": "B", "underground": "U", "black": "X"}


def travel_log(view: BoardView, *, is_over: bool = False) -> str:
    """Return the travel log in full, move by move."""
    if not view["log"]:
        return "The travel log is empty."
    windows = "; ".join(map(_window, view["log"]))
    if is_over:
        return f"The travel log, move by move: {windows}; and that is all."
    return f"The travel log, move by move: {windows}; and no more so far."


def _window(entry: LogEntry) -> str:
    text = f"{entry['window']} {entry['ticket']}"
    if entry["station"] is not None:
        text += f" to {entry['station']}"
    if entry["ticket"] == "black" and "transport" in entry:
        text += f" by {entry['transport']}"
    if entry.get("surfaced"):
        text += " (seen)"
    return text


def places(
    view: BoardView, known: Collection[int] | None = None, *, in_full: bool = False, in_short: bool = False
) -> str:
    """Return where Mr. X can be by the public log; nothing in a game in which players find that out themselves.

    `known` are these stations where the caller has deduced them already. More than `MOST_PLACES` are counted only,
    unless they are wanted `in_full`: then as a list whose items end in words. `in_short` lists fewer, and leaves out
    the closing words. The caller then adds a sentence to the line, because a line that ends in the number of a station
    may read as a command.
    """
    if not view["options"]["deduction"]:
        return ""
    possible = sorted(engine.deduce(view) if known is None else known)
    if not possible:
        return ""
    if in_full and len(possible) > MOST_PLACES:
        listed = [str(station) for station in possible]
        items = [", ".join(listed[i : i + MOST_STATIONS]) for i in range(0, len(listed), MOST_STATIONS)]
        stations = ", or\n - ".join(items)
        return f"Mr. X can be on any of {len(possible)} stations:\n - {stations}, and nowhere else."
    if len(possible) > (MOST_PLACES_IN_SHORT if in_short else MOST_PLACES):
        return f"Mr. X can be on any of {len(possible)} stations."
    sentence = _PLACES[len(possible) == 1, in_short]
    return sentence.format(join([str(station) for station in possible], "or"))


_PLACES = {  # by whether there is one place, and `in_short`
    (True, True): "Mr. X is on {}.",
    (True, False): "Mr. X is on {}: there is no other station where he can be.",
    (False, True): "Mr. X can be on {}.",
    (False, False): "Mr. X can be on {}, and nowhere else.",
}


def prospect(view: BoardView, move: engine.Move) -> str:
    """Return on how many stations Mr. X could be for the others after this move; `view` is a spectator's.

    It is empty in a game in which players find out by themselves where he can be, and where he would step onto a
    detective, which ends the game.
    """
    if not view["options"]["deduction"] or {leg.station for leg in move.legs} & detectives_at(view):
        return ""
    if move.surface is not None or engine.windows_used(view) + len(move.legs) in view["options"]["surfacing"]:
        return "Everybody would see you there."
    possible = len(engine.deduce_after(view, move))
    return f"You could then be on {possible} stations." if possible > 1 else "The others would know that you are there."


def stranding(view: BoardView, move: engine.Move, *, is_only: bool) -> str:
    """Return that a detective could not move again after this move: `At 91 only taxis stop: you could not move again.`

    It is empty for a move after which the pawn has a ticket that leads on. `is_only`: the reader moves no other pawn.
    """
    ((ticket, at),) = move.legs
    held = view["pawns"][move.pawn]["tickets"]
    kinds = {kind for kind in PLAIN if held[kind] != (kind == ticket)}
    board = engine.Board.named(view["options"]["board"])
    stop_there = [kind for kind in PLAIN if at in board.links[kind]]
    if kinds.intersection(stop_there):
        return ""
    who = "you" if is_only else pawn_name(move.pawn)
    why = f"At {at} only {join([_SERVICES[kind] for kind in stop_there])} stop" if kinds else "It is the last ticket"
    return f"{why}: {who} could not move again."


_SERVICES = {"taxi": "taxis", "bus": "buses", "underground": "undergrounds"}


def detectives_at(view: BoardView) -> set[int]:
    """Return the stations of the detectives."""
    stations = (facts["station"] for pawn, facts in view["pawns"].items() if pawn != "mr_x")
    return {station for station in stations if station is not None}


def next_surfacing(view: BoardView, is_reader: bool = False, *, in_short: bool = False) -> str:
    """Return at which move Mr. X must show himself next: `You will see him after move 8, in four moves.`

    `in_short` leaves out in how many moves that is.
    """
    used = engine.windows_used(view)
    coming = [window for window in view["options"]["surfacing"] if window > used]
    form = "never" if not coming else "next" if coming[0] == used + 1 else "short" if in_short else "later"
    sentence = (_SURFACING_OF_READER if is_reader else _SURFACING)[form]
    return (
        sentence.format(move=coming[0], moves=counted(coming[0] - used, "one move", "{n} moves"))
        if coming
        else sentence
    )


_SURFACING = {
    "never": "He need not show himself any more.",
    "next": "You will see him after his next move.",
    "short": "After move {move} you will see him.",  # in this order no line ends in the number
    "later": "You will see him after move {move}, in {moves}.",
}
_SURFACING_OF_READER = {
    "never": "You need not show yourself any more.",
    "next": "You must show yourself after your next move.",
    "short": "After move {move} you must show yourself.",
    "later": "You must show yourself after move {move}, in {moves}.",
}


def to_move(pawns: Sequence[str], named: str = "") -> str:
    """Return `Red and Green are to move.`; `pawns` holds one at least, and `named` is what else they are called."""
    who = named or pawn_names(pawns)
    return f"{who} are to move." if len(pawns) > 1 else f"{who} is to move."


def sent_ahead(pawn: str, notations: Sequence[str]) -> str:
    """Return what a queued order does: `Red goes by taxi to 46, or else by bus to 58, when it is Red's turn.`"""
    legs = [engine.Move.parse(notation).legs[0] for notation in notations]
    rides = ", or else ".join(f"by {line(leg.ticket)} to {leg.station}" for leg in legs)
    name = pawn_name(pawn)
    return f"{name} goes {rides}{',' if len(legs) > 1 else ''} when it is {name}'s turn."


def capture(view: BoardView, round_: int | None, called: Mapping[str, str]) -> str:
    """Return `Red (Ben) caught Mr. X on 89 in round 14` of a game that ended so; "" if no detective moved onto him.

    `round_` is its last one, and `called` has what each detective is called.
    """
    pawn, *_, station = view["history"][-1].split() if view["history"] else ("", "")
    is_detective = pawn in view["pawns"]  # a notation of Mr. X's begins with its ticket
    return f"{called[pawn]} caught Mr. X on {station} in round {round_}" if is_detective else ""


def result(outcome: Mapping[str, object], caught: str = "") -> str:
    """Return who won, and why; `caught` is what `capture` returned, where the caller tells of it."""
    loser, reason = "Mr. X" if outcome["winner"] == "detectives" else "the detectives", str(outcome["reason"])
    why = f"{loser} gave the game up" if reason == "resigned" else _REASONS.get(reason, reason)
    if reason == "captured" and caught:
        why = caught
    if reason == "voided" and outcome["winner"] == "draw":
        return f"The game is over without a winner: {why}."
    if outcome["winner"] == "draw":
        return f"The game is a draw: {why}."
    who = "Mr. X has" if outcome["winner"] == "mr_x" else "The detectives have"
    return f"{who} won: {why}."


_REASONS = {
    "captured": "Mr. X was caught",
    "log_full": "the travel log is full, and Mr. X was not caught",
    "rounds_over": "the last round is over, and Mr. X was not caught",
    "detectives_stranded": "no detective can move any more",
    "mr_x_trapped": "Mr. X could not move",
    "both_stuck": "neither side can move any more",
    "out_of_time": "Mr. X let his time run out more than once",
    "abandoned": "nothing has happened for months",
    "expired": "it did not begin",
    "agreed": "all players have agreed on it",
    "voided": "the operator has ended it",
}
