"""The situation of a game as sentences: what pawns can do, where they are, and how a game ended.

They hold for mails too, of which no line may read as a command: see `server.mail.writing.sentences`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import takewhile
from typing import NamedTuple

from server import engine
from server.engine import BoardView, LogEntry, ShownPawn
from server.engine.ticket_kinds import PLAIN
from server.vocabulary.translation import gettext, gettext_noop, ngettext, npgettext, pgettext, pgettext_noop
from server.vocabulary.words import cards, counted, join, line, number, pawn_name, pawn_names, ticket_name, typed

MOST_PLACES = 12  # places of Mr. X that are listed unasked
MOST_PLACES_IN_SHORT = 8  # the same in a mail that has much else to tell
MOST_STATIONS = 7  # in one item of a list of places


class Choice(NamedTuple):
    """A line of choices with one kind of ticket, its `stations` as they stand in it, and the move that takes each."""

    line: str
    ticket: str
    stations: str
    moves: Mapping[int, engine.Move]


def choices(moves: Sequence[engine.Move], tickets: Mapping[str, int | None]) -> list[Choice]:
    """Return what one pawn can do: a line for each kind of ticket that takes it somewhere; each ends in words."""
    lines = []
    for ticket in (*PLAIN, "black"):
        there = {move.station: move for move in moves if not move.double and move.legs[0].ticket == ticket}
        if there:
            stations = join([str(station) for station in there], "or")
            left = _left(tickets[ticket])
            words = gettext("by {line} to {stations} ({left})", line=line(ticket), stations=stations, left=left)
            lines.append(Choice(words, ticket, stations, there))
    if example := double_example(moves):
        words = gettext('by a double move: "{example}" ({left})', example=example, left=_left(tickets["double"]))
        lines.append(Choice(words, "double", "", {}))
    return lines


def heading_of_choices(pawn: str, station: int | None, *, is_only: bool) -> str:
    """Return the line above the choices of a pawn; `is_only`: the reader moves no other."""
    if is_only:
        return gettext("You can go from {station}", station=station)
    return gettext("{pawn} can go from {station}", pawn=pawn_name(pawn), station=station)


def double_example(moves: Sequence[engine.Move]) -> str:
    """Return the form of a double move among these, which is no command: `double taxi NN bus NN`; empty without one.

    It spends no black ticket if it need not, and takes two kinds of tickets if one of the moves does.
    """
    doubles = [[leg.ticket for leg in move.legs] for move in moves if move.double]
    if not doubles:
        return ""
    kinds = (*PLAIN, "black")
    first, second = min(doubles, key=lambda pair: ("black" in pair, pair[0] == pair[1], [*map(kinds.index, pair)]))
    return typed(f"double {first} NN {second} NN")


def are_tickets_told(moves: Sequence[engine.Move], tickets: Mapping[str, int | None]) -> bool:
    """Return True if `choices` tells of all tickets that a pawn holds."""
    told = {move.legs[0].ticket for move in moves if not move.double}
    return told.issuperset(ticket for ticket in PLAIN if tickets[ticket] != 0)


def _left(held: int | None) -> str:
    if held is None:
        return gettext("no limit")
    return gettext("{n} left", n=held) if held else gettext("none left")


_STATES = gettext_noop({
    "active": "{pawn} has no move to make now.",
    "blocked": "{pawn} cannot move: every station within reach is taken.",
    "stranded": "{pawn} is stranded: no ticket fits.",
})  # fmt: skip
_SHORT_STATES = pgettext_noop("state", {"active": "", "blocked": "blocked", "stranded": "stranded"})


def short_state(facts: ShownPawn) -> str:
    """Return `blocked` or `stranded`; "" for a pawn that is neither."""
    name = _SHORT_STATES[facts.get("state", "active")]
    return pgettext("state", name) if name else ""


def state(pawn: str, facts: ShownPawn, *, is_only: bool) -> str:
    """Return why a detective has no move now, and where it is; `is_only`: the reader moves no other."""
    told, name, station = facts["state"], pawn_name(pawn), facts["station"]
    if not is_only:
        return gettext(_STATES[told], pawn=pgettext("state", "{pawn}, at {station},", pawn=name, station=station))
    at = gettext("You are at {station}.", station=station)
    return f"{at} {gettext(_STATES[told], pawn=name)}"


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
        name, station = pawn_name(pawn), facts["station"]
        at = name if pawn in told else pgettext("stand", "{pawn} at {station}", pawn=name, station=station)
        holds = "" if facts["state"] == "stranded" else f" {tickets_left(view, pawn)}"
        why = f" ({short})" if (short := short_state(facts)) else ""
        parts.append(f"{at}{holds}{why}")
    return ", ".join(parts)


def tickets_left(view: BoardView, pawn: str) -> str:
    """Return the taxi, bus and underground tickets that a pawn holds: `10/8/4`, with any for one without limit."""
    held = view["pawns"][pawn]["tickets"]
    return "/".join(gettext("any") if held[ticket] is None else str(held[ticket]) for ticket in PLAIN)


def own_tickets(view: BoardView, pawn: str, *, is_only: bool) -> str:
    """Return the tickets of a pawn of the reader's: `Red 10/8/4`, or `you 10/8/4` where it is their only one."""
    tickets = tickets_left(view, pawn)
    return gettext("you {tickets}", tickets=tickets) if is_only else f"{pawn_name(pawn)} {tickets}"


def hands(view: BoardView, pawns: Iterable[str]) -> str:
    """Return a sentence for each pawn on the tickets that it holds: `Red has one taxi ticket and two bus tickets.`"""
    held = {pawn_name(pawn): _hand(view["pawns"][pawn]["tickets"]) for pawn in pawns}
    return " ".join(gettext("{pawn} has {tickets}.", pawn=name, tickets=hand) for name, hand in held.items())


def _hand(held: Mapping[str, int | None]) -> str:
    return join([cards(n, kind) for kind, n in held.items() if n != 0] or [gettext("no ticket")])


def mr_x_holds(view: BoardView, is_reader: bool = False) -> str:
    """Return `Mr. X 10/8/5, four black and two doubles`."""
    held = view["pawns"]["mr_x"]["tickets"]
    tickets, black = own_tickets(view, "mr_x", is_only=is_reader), counted(held["black"], "one black", "{n} black")
    doubles = counted(held["double"], "one double", "{n} doubles")
    return gettext("{tickets}, {black} and {doubles}", tickets=tickets, black=black, doubles=doubles)


def short_log(view: BoardView) -> str:
    """Return the travel log since Mr. X was last seen, as everybody may know it; nothing while it is empty.

    Of each ticket it has the letter: `Travel log since 141 (move 3): TTX.`
    """
    log = view["log"]
    if not log:
        return ""
    seen = max((i for i, entry in enumerate(log) if entry.get("surfaced")), default=None)
    tickets = "".join(_LETTERS[entry["ticket"]] for entry in log[0 if seen is None else seen + 1 :])
    move, station = log[seen or 0]["window"], log[seen or 0]["station"]
    if seen is None and move == 1:
        return gettext("Travel log: {tickets}.", tickets=tickets)
    if seen is None:
        return gettext("Travel log from move {move}: {tickets}.", move=move, tickets=tickets)
    if not tickets:
        return gettext("Travel log: seen at {station} on move {move}, just now.", station=station, move=move)
    return gettext("Travel log since {station} (move {move}): {tickets}.", station=station, move=move, tickets=tickets)


_LETTERS = {"taxi": "T", "bus": "B", "underground": "U", "black": "X"}


def travel_log(view: BoardView, *, is_over: bool = False) -> str:
    """Return the travel log in full, move by move."""
    if not view["log"]:
        return gettext("The travel log is empty.")
    moves = "; ".join(map(_window, view["log"]))
    if is_over:
        return gettext("The travel log, move by move: {moves}; and that is all.", moves=moves)
    return gettext("The travel log, move by move: {moves}; and no more so far.", moves=moves)


def _window(entry: LogEntry) -> str:
    text = f"{entry['window']} {ticket_name(entry['ticket'])}"
    if entry["station"] is not None:
        text = pgettext("travel log", "{move} to {station}", move=text, station=entry["station"])
    if entry["ticket"] == "black" and "transport" in entry:
        text = pgettext("travel log", "{move} by {line}", move=text, line=line(entry["transport"]))
    return pgettext("travel log", "{move} (seen)", move=text) if entry.get("surfaced") else text


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
        beginning = gettext("Mr. X can be on any of {n} stations:", n=len(possible))
        *others, last = items
        lines = [gettext("{stations}, or", stations=each) for each in others]
        return "\n - ".join([beginning, *lines, gettext("{stations}, and nowhere else.", stations=last)])
    if len(possible) > (MOST_PLACES_IN_SHORT if in_short else MOST_PLACES):
        return gettext("Mr. X can be on any of {n} stations.", n=len(possible))
    stations = join([str(station) for station in possible], "or")
    return gettext(_PLACES[len(possible) == 1, in_short], stations=stations)


_PLACES = {  # by whether there is one place, and `in_short`
    (True, True): gettext_noop("Mr. X is on {stations}."),
    (True, False): gettext_noop("Mr. X is on {stations}: there is no other station where he can be."),
    (False, True): gettext_noop("Mr. X can be on {stations}."),
    (False, False): gettext_noop("Mr. X can be on {stations}, and nowhere else."),
}


def prospect(view: BoardView, move: engine.Move) -> str:
    """Return on how many stations Mr. X could be for the others after this move; `view` is a spectator's.

    It is empty in a game in which players find out by themselves where he can be, and where he would step onto a
    detective, which ends the game.
    """
    if not view["options"]["deduction"] or {leg.station for leg in move.legs} & detectives_at(view):
        return ""
    if move.surface is not None or engine.windows_used(view) + len(move.legs) in view["options"]["surfacing"]:
        return gettext("Everybody would see you there.")
    possible = len(engine.deduce_after(view, move))
    if possible > 1:
        return gettext("You could then be on {n} stations.", n=possible)
    return gettext("The others would know that you are there.")


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
    then = gettext("{pawn} could not move again.", pawn=pawn_name(move.pawn))
    if is_only:
        then = gettext("you could not move again.")
    if not kinds:
        return gettext("It is the last ticket: {then}", then=then)
    lines = join([pgettext("stop there", _SERVICES[kind]) for kind in stop_there])
    return gettext("At {station} only {lines} stop: {then}", station=at, lines=lines, then=then)


_SERVICES = pgettext_noop("stop there", {"taxi": "taxis", "bus": "buses", "underground": "undergrounds"})


def detectives_at(view: BoardView) -> set[int]:
    stations = (facts["station"] for pawn, facts in view["pawns"].items() if pawn != "mr_x")
    return {station for station in stations if station is not None}


def next_surfacing(view: BoardView, is_reader: bool = False, *, in_short: bool = False) -> str:
    """Return at which move Mr. X must show himself next: `You will see him after move 8, in four moves.`

    `in_short` leaves out in how many moves that is.
    """
    used = engine.windows_used(view)
    move = next((window for window in view["options"]["surfacing"] if window > used), 0)
    form = "never" if not move else "next" if move == used + 1 else "short" if in_short else "later"
    left = npgettext("in", "one move", "{n} moves", move - used, n=number(move - used))
    return gettext(_SURFACING[form][is_reader], move=move, moves=left)


_SURFACING = gettext_noop({  # to the detectives, and to him
    "never": ("He need not show himself any more.", "You need not show yourself any more."),
    "next": ("You will see him after his next move.", "You must show yourself after your next move."),
    # In this order no line ends in the number.
    "short": ("After move {move} you will see him.", "After move {move} you must show yourself."),
    "later": ("You will see him after move {move}, in {moves}.",
              "You must show yourself after move {move}, in {moves}."),
})  # fmt: skip


def to_move(pawns: Sequence[str], named: str = "") -> str:
    """Return `Red and Green are to move.`; `pawns` holds one at least, and `named` is what else they are called."""
    who = named or pawn_names(pawns)
    return ngettext("{who} is to move.", "{who} are to move.", len(pawns), who=who)


def sent_ahead(pawn: str, notations: Sequence[str]) -> str:
    """Return what a queued order does: `Red goes by taxi to 46, or else by bus to 58, when it is Red's turn.`"""
    legs = [engine.Move.parse(notation).legs[0] for notation in notations]
    rides = [gettext("by {line} to {station}", line=line(leg.ticket), station=leg.station) for leg in legs]
    ways = reduce(lambda ways, last: gettext("{ways}, or else {last}", ways=ways, last=last), rides)
    if len(rides) > 1:
        return gettext("{pawn} goes {ways}, when it is {pawn}'s turn.", pawn=pawn_name(pawn), ways=ways)
    return gettext("{pawn} goes {ways} when it is {pawn}'s turn.", pawn=pawn_name(pawn), ways=ways)


def capture(view: BoardView, round_: int | None, called: Mapping[str, str]) -> str:
    """Return `Red (Ben) caught Mr. X on 89 in round 14` of a game that ended so; "" if no detective moved onto him.

    `round_` is its last one, and `called` has what each detective is called.
    """
    pawn, *_, station = view["history"][-1].split() if view["history"] else ("", "")
    is_detective = pawn in view["pawns"]  # a notation of Mr. X's begins with its ticket
    if not is_detective:
        return ""
    return gettext("{who} caught Mr. X on {station} in round {n}", who=called[pawn], station=station, n=round_)


def result(outcome: Mapping[str, object], caught: str = "") -> str:
    """Return who won, and why; `caught` is what `capture` returned, where the caller tells of it."""
    winner, reason = str(outcome["winner"]), str(outcome["reason"])
    if reason == "resigned":
        why = gettext("the detectives gave the game up") if winner == "mr_x" else gettext("Mr. X gave the game up")
    elif reason == "captured" and caught:
        why = caught
    else:
        why = gettext(_REASONS[reason]) if reason in _REASONS else reason
    return gettext(_RESULTS["voided" if reason == "voided" and winner == "draw" else winner], why=why)


_RESULTS = gettext_noop({
    "mr_x": "Mr. X has won: {why}.",
    "detectives": "The detectives have won: {why}.",
    "draw": "The game is a draw: {why}.",
    "voided": "The game is over without a winner: {why}.",
})  # fmt: skip
_REASONS = gettext_noop({
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
})  # fmt: skip


def reason_in_brief(reason: str) -> str:
    """Return why a game ended, for a column of a table."""
    return pgettext("reason", reason.replace("_", " "))


# The codes of `_REASONS` and of giving up, in words.
_IN_BRIEF = pgettext_noop("reason", (
    "captured", "log full", "rounds over", "detectives stranded", "mr x trapped", "resigned", "out of time",
    "both stuck", "agreed", "voided", "abandoned", "expired",
))  # fmt: skip
