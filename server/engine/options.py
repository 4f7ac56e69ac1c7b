"""The options of an edition: the values of each, and which values go together.

`resolve` turns the options that a host requests into values the rules can use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, NoReturn, TypedDict, TypeGuard

from server.engine.board import Board
from server.engine.errors import OptionError, shown
from server.engine.reasons import Or, Reason
from server.engine.seats import PAWN_RULES
from server.engine.ticket_kinds import PLAIN

_MR_X_KINDS = (*PLAIN, "double")
# Far above any game ever played; it keeps a typing slip from becoming a log of a million windows.
MOST = 1000
MOST_CARDS = 250  # more than a board has stations


class SideCards(TypedDict):
    """The start cards of each side."""

    detectives: list[int]
    mr_x: list[int]


class Options(TypedDict):
    """Every option of an edition, as plain data; docs/rules.md says what each is about. None is unlimited."""

    board: str
    players: list[int]
    pawns: str
    detective_tickets: dict[str, int]
    mr_x_tickets: dict[str, int | None]
    black: int | Literal["per_pawn"]
    mr_x_supply: str
    surfacing: list[int]
    log_windows: int
    max_rounds: int | None
    full_log_wins: str
    turn_order: str
    start_cards: list[int] | SideCards
    blocked: str
    voluntary_surfacing: bool
    cut_off: bool
    mr_x_onto_detective: str
    both_stuck: str
    team_talk: str
    deduction: bool


def resolve(values: Options, changes: Mapping[str, object]) -> Options:
    """Return `values` (complete) with `changes` (any of them), read and checked; OptionError otherwise.

    The result is plain data and holds every option under its name.
    """
    unknown = sorted(set(changes) - set(OPTIONS))
    if unknown:
        reason = Reason(
            "bad-option", "There is no option {option}; the options are {options}.",
            option=shown(unknown[0]), options=", ".join(OPTIONS),
        )  # fmt: skip
        raise OptionError(reason, unknown[0])
    usual: Mapping[str, object] = values
    merged = {name: option.read(name, changes.get(name, usual[name]), usual[name]) for name, option in OPTIONS.items()}
    assert _is_complete(merged)
    _follow(merged, changes)
    _check(merged)
    return merged


def _is_complete(read: Mapping[str, object]) -> TypeGuard[Options]:
    """Return True if there is a value for every option; its reader has checked each."""
    return read.keys() == Options.__required_keys__


def last_round(options: Options, windows_used: int = 0, *, is_mr_x_to_move: bool = True, current_round: int = 1) -> int:
    """Return the number of the last round that the game can reach.

    A full travel log ends the game, whatever `full_log_wins` says: without a window Mr. X cannot move. Each of his
    moves fills one window, or two if it is a double move.

    Args:
        windows_used: the windows that are filled now.
        is_mr_x_to_move: False if only the detectives still move in this round, which then needs no window.
    """
    windows_left: int = options["log_windows"] - windows_used
    rounds_to_come = windows_left - 1 if is_mr_x_to_move else windows_left
    by_log = current_round + max(0, rounds_to_come)
    return min(by_log, options["max_rounds"] or by_log)


class Option(NamedTuple):
    """An option. `read(name, value, default)` returns the plain value; `says` describes the right values,
    unless `values` are all there are, of an option that is one of a few words.
    """

    read: Callable[[str, object, object], object]
    says: str
    values: Sequence[str] = ()


def _wrong(name: str, value: object) -> NoReturn:
    _, says, choices = OPTIONS[name]
    right = Or(f'"{choice}"' for choice in choices) or Reason("bad-option", says, most=MOST)
    values = {"option": name, "value": shown(value), "choices": right}
    raise OptionError(Reason("bad-option", "The option {option} cannot be {value}; it is {choices}.", **values), name)


def _is_number(value: object, low: int, high: int = MOST) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _choice(*allowed: str) -> Option:
    def read(name: str, value: object, _: object) -> object:
        return value if value in allowed else _wrong(name, value)

    return Option(read, "", allowed)


def _flag(name: str, value: object, _: object) -> bool:
    return value if isinstance(value, bool) else _wrong(name, value)


def _number(low: int, *others: str | None) -> Callable[[str, object, object], object]:
    """Return the reader of a whole number from `low`, or of one of these other values."""

    def read(name: str, value: object, _: object) -> object:
        return value if value in others or _is_number(value, low) else _wrong(name, value)

    return read


def _surfacing(name: str, value: object, _: object) -> list[int]:
    if not _is_numbers(value, 1):
        _wrong(name, value)
    return sorted(set(value))


def _players(name: str, value: object, _: object) -> list[int]:
    if not _is_numbers(value, 2, 6) or len(value) != 2:
        _wrong(name, value)
    return list(value) if value[0] <= value[1] else _wrong(name, value)


def _tickets(kinds: tuple[str, ...], nullable: tuple[str, ...]) -> Callable[[str, object, object], object]:
    """Return a reader of tickets by kind; kinds that are not named keep their number."""

    def read(name: str, value: object, default: object) -> dict[str, int | None]:
        if not isinstance(value, Mapping) or not isinstance(default, Mapping) or set(value) - set(kinds):
            _wrong(name, value)
        held = {kind: value.get(kind, default[kind]) for kind in kinds}
        for kind, number in held.items():
            if not (_is_number(number, 0) or (number is None and kind in nullable)):
                _wrong(name, value)
        return held

    return read


def _start_cards(name: str, value: object, _: object) -> object:
    if isinstance(value, Mapping):
        if set(value) != {"detectives", "mr_x"}:
            _wrong(name, value)
        return {side: _cards(name, value[side]) for side in ("detectives", "mr_x")}
    return _cards(name, value)


def _cards(name: str, value: object) -> list[int]:
    if not _is_numbers(value, 1, 10**6):
        _wrong(name, value)
    if len(set(value)) != len(value) or len(value) > MOST_CARDS:
        _wrong(name, value)
    return list(value)


def _is_numbers(value: object, low: int, high: int = MOST) -> TypeGuard[Sequence[int]]:
    return isinstance(value, (list, tuple)) and all(_is_number(number, low, high) for number in value)


OPTIONS: Mapping[str, Option] = {
    "board": _choice(*Board.names()),
    "players": Option(_players, "a pair [fewest, most] of people between 2 and 6"),
    "pawns": _choice(*PAWN_RULES),
    "detective_tickets": Option(_tickets(PLAIN, ()), "an object with whole numbers from 0 for taxi, bus, underground"),
    "mr_x_tickets": Option(
        _tickets(_MR_X_KINDS, PLAIN),
        "an object with whole numbers from 0 for taxi, bus, underground (or null), and double",
    ),
    "black": Option(_number(0, "per_pawn"), 'a whole number from 0, or "per_pawn"'),
    "mr_x_supply": _choice("counted", "unlimited"),
    "surfacing": Option(_surfacing, "a list of windows, each a whole number from 1; it may be empty"),
    "log_windows": Option(_number(1), "a whole number from 1 to {most}"),
    "max_rounds": Option(_number(1, None), "a whole number from 1 to {most}, or null for no limit"),
    "full_log_wins": _choice("after_reply", "at_once", "no"),
    "turn_order": _choice("seats", "fixed", "any"),
    "start_cards": Option(
        _start_cards,
        'a list of different stations, or {{"detectives": [...], "mr_x": [...]}} for the two sides',
    ),
    "blocked": _choice("retry", "out"),
    "voluntary_surfacing": Option(_flag, "true or false"),
    "cut_off": Option(_flag, "true or false"),
    "mr_x_onto_detective": _choice("forbidden", "loses"),
    "both_stuck": _choice("mr_x", "draw", "detectives"),
    "team_talk": _choice("private", "open"),
    "deduction": Option(_flag, "true or false"),
}


def _follow(values: Options, changes: Mapping[str, object]) -> None:
    """Adjust the options that were not named to those that were: a shorter log has fewer surfacing windows,
    and an unlimited supply has no numbers."""
    if "surfacing" not in changes:
        values["surfacing"] = [w for w in values["surfacing"] if w <= values["log_windows"]]
    if values["mr_x_supply"] == "unlimited":
        named = changes.get("mr_x_tickets")
        for kind in PLAIN:
            if isinstance(named, Mapping) and named.get(kind) is not None:
                _at_odds(
                    "mr_x_tickets",
                    "The option mr_x_tickets gives Mr. X {number} {kinds} tickets, but "
                    'mr_x_supply is "unlimited"; leave the number out or make it "counted".',
                    number=named[kind], kinds=kind,
                )  # fmt: skip
            values["mr_x_tickets"][kind] = None


def _check(values: Options) -> None:
    """Raise OptionError for options that are right one by one and wrong together."""
    late = [w for w in values["surfacing"] if w > values["log_windows"]]
    if late:
        _at_odds(
            "surfacing", "The option surfacing names window {late}, but the log has only "
            "{windows} windows; name none beyond, or make log_windows longer.",
            late=late[0], windows=values["log_windows"],
        )  # fmt: skip
    tickets = values["mr_x_tickets"]
    if values["mr_x_supply"] == "counted" and all(tickets[kind] is None for kind in PLAIN):
        _at_odds(
            "mr_x_supply", 'The option mr_x_supply is "counted", but mr_x_tickets leaves every kind unlimited; '
            "give numbers for taxi, bus and underground.",
        )  # fmt: skip
    if not values["black"] and not any(tickets[kind] is None or tickets[kind] for kind in PLAIN):
        _at_odds("mr_x_tickets", "Mr. X has no ticket for his first move; give him one in mr_x_tickets or black.")
    _check_pawns(values)
    _check_cards(values)


def _check_pawns(values: Options) -> None:
    rule = PAWN_RULES[values["pawns"]]
    fewest, most = values["players"]
    for people in range(fewest, most + 1):
        if people not in rule.holders:
            _at_odds(
                "players",
                'The option players goes from {fewest} to {most}, but pawns "{rule}" '
                "is for {least} to {greatest} people. {reason}"
                if rule.otherwise
                else 'The option players goes from {fewest} to {most}, but pawns "{rule}" '
                "is for {least} to {greatest} people.",
                fewest=fewest, most=most, rule=values["pawns"], least=min(rule.holders), greatest=max(rule.holders),
                reason=rule.otherwise,
            )  # fmt: skip


def _check_cards(values: Options) -> None:
    board, cards = Board.named(values["board"]), values["start_cards"]
    split = isinstance(cards, dict)
    theirs, his = (cards["detectives"], cards["mr_x"]) if isinstance(cards, dict) else (cards, [])
    strange = [station for station in (*theirs, *his) if station not in board.stations]
    if strange:
        _at_odds(
            "start_cards", "The start card {station} is no station of the {board} board.",
            station=strange[0], board=board.name,
        )  # fmt: skip
    both = [station for station in theirs if station in his]
    if both:
        _at_odds("start_cards", "The start card {station} is on both sides; it can be on one only.", station=both[0])
    holders = PAWN_RULES[values["pawns"]].holders
    needed = max(sum(map(len, holders[n])) for n in range(values["players"][0], values["players"][1] + 1))
    if len(theirs) < needed + (not split) or (split and not his):
        _at_odds(
            "start_cards",
            "There are too few start cards for {needed} detectives and Mr. X; each needs one.", needed=needed,
        )  # fmt: skip


def _at_odds(option: str, template: str, **values: object) -> NoReturn:
    raise OptionError(Reason("options-at-odds", template, **values), option)
