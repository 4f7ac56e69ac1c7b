"""The game record: a text or JSON document with everything about a game, which replays to the same end.

The text has a title, headers, a blank line, and then one line for each round:

    Black Ticket game record
    Engine: 1
    Edition: ravensburger-2000
    Options: {"cut_off": true}
    Board: london
    Seats: mr_x, purple, red+green
    Starts: mr_x 104, purple 91, red 26, green 34
    Result: mr_x, log_full

    1. taxi 86; purple taxi 72; red bus 15

"Options" names those that differ from the edition. A game set up from a position has "Position" in
the place of "Starts". The result of a game that goes on is "*".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NoReturn, NotRequired, Protocol, Self, TypedDict, TypeGuard, TypeVar

from server.engine import view
from server.engine.edition import Edition
from server.engine.errors import EngineError, MoveError, RecordError, shown
from server.engine.events import REASONS, WINNERS, Event
from server.engine.move import Move
from server.engine.position import PlainPosition

TITLE = "Black Ticket game record"
ENGINE_VERSION = "1"
UNFINISHED = "*"
_LEFT_OUT = "Stations of Mr. X's are left out of this record, so it cannot be replayed."
_JSON = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,:]*")
_OWN = ("engine", "edition", "options", "board", "seats", "starts", "position", "result", "moves")


class Record(TypedDict):
    """A record as plain data: `options` that differ from the edition's, the pawns of each seat, moves of each round.

    `date` and `seal` are the headers of the server; there may be others. `begin` checks starts and position.
    """

    engine: str
    edition: str
    options: dict[str, object]
    board: str
    seats: list[list[str]]
    starts: NotRequired[dict[str, int]]
    position: NotRequired[PlainPosition]
    result: str
    date: NotRequired[str]
    seal: NotRequired[str]
    moves: list[list[str]]


class Recorded(view.Shown, Protocol):
    """The facts of a game that a record is written from, and how one is played again; `server.engine.Game` has them."""

    def __init__(self, edition: Edition, players: int, starts: Mapping[str, int]) -> None: ...
    @classmethod
    def at(cls, edition: Edition, position: Mapping[str, object]) -> Self: ...
    @property
    def position(self) -> PlainPosition | None: ...
    @property
    def rounds(self) -> tuple[int, ...]: ...
    def play(self, move: Move | str) -> tuple[Event, ...]: ...


G = TypeVar("G", bound=Recorded)


def write(game: Recorded, viewer: str | None, opened: bool, headers: Mapping[str, str]) -> Record:
    """Return the record as plain data; "moves" is one list of notations for each round.

    `headers` may not use the names of the record itself, except "result" for a game the rules did not end.
    """
    sees_all = opened or viewer in (None, "mr_x")
    own: dict[str, object] = {
        "engine": ENGINE_VERSION,
        "edition": game.edition.name,
        "options": _changed(game.edition),
        "board": game.edition.board.name,
        "seats": [list(pawns) for pawns in game.seats],
    }
    seen = view.build(game, viewer or "mr_x", opened)
    if game.is_set_up:
        own["position"] = game.position if sees_all else seen["position"]
    else:
        own["starts"] = seen["starts"]
    own["result"] = result(game)
    extra = {name.lower(): value for name, value in headers.items()}
    for name, value in extra.items():
        if (name in _OWN and (name != "result" or game.outcome)) or len(f"{name}: {value}.".splitlines()) > 1:
            raise RecordError(f"The header {shown(name)} cannot be set to {shown(value)}.", code="bad-header")
    data = {**own, **extra, "moves": _by_round(game, sees_all)}
    assert _is_record(data)
    return data


def _by_round(game: Recorded, sees_all: bool) -> list[list[str]]:
    """Return the moves of each round; a round in which nobody could move is empty."""
    rounds: list[list[str]] = [[] for _ in range(max(game.rounds, default=0))]
    for number, text in zip(game.rounds, view.history(game, sees_all), strict=True):
        rounds[number - 1].append(text)
    return rounds


def to_text(data: Record) -> str:
    """Return a record, given as plain data, as text."""
    head = {
        **data,
        "options": json.dumps(data["options"]),
        "seats": ", ".join("+".join(pawns) for pawns in data["seats"]),
    }
    if "starts" in data:
        head["starts"] = ", ".join(f"{pawn} {s}" for pawn, s in data["starts"].items())
    else:
        head["position"] = json.dumps(data["position"])
    lines = [TITLE]
    lines += [f"{name.capitalize()}: {value}" for name, value in head.items() if name != "moves"]
    lines.append("")
    lines += [f"{number}. {'; '.join(moves)}".rstrip() for number, moves in enumerate(data["moves"], 1)]
    return "\n".join(lines) + "\n"


def replay(game_class: type[G], source: str | Mapping[str, object]) -> G:
    """Return the game of a full record; RecordError says what is wrong in it, and the line in a text."""
    data, lines = read(source)
    game = begin(game_class, data, lines)
    for number, moves in enumerate(data["moves"], 1):
        line = lines.get(f"round {number}", 0)
        for text in moves:
            if "?" in text.split():
                _fault(_LEFT_OUT, line, "redacted")
            try:
                game.play(text)
            except MoveError as error:
                _fault(f"Round {number}, {shown(text)}: {error}", line, "wrong-move")
            if game.rounds[-1] != number:
                _fault(f"The move {shown(text)} is in round {game.rounds[-1]}, not {number}.", line, "wrong-round")
    if data["moves"] and len(data["moves"]) != max(game.rounds, default=0):
        number = len(data["moves"])
        _fault(f"Round {number} has no moves.", lines.get(f"round {number}", 0), "wrong-round")
    check_result(game, data["result"], lines.get("result", 0))
    return game


def check_result(game: Recorded, said: str, line: int) -> None:
    """Raise RecordError if the moves contradict the result; lateness or a resignation may have ended a game too."""
    winner, _, reason = said.partition(", ")
    if said != UNFINISHED and (winner not in WINNERS or not reason):
        _fault(f'The result is "*", or who won and why like "mr_x, log_full"; not {shown(said)}.', line, "wrong-result")
    if said != result(game) if game.outcome else reason in REASONS:
        _fault(f'The moves lead to "{result(game)}", but the record says {shown(said)}.', line, "wrong-result")


def begin(game_class: type[G], data: Record, lines: Mapping[str, int]) -> G:
    """Return the game of a record before its first move; data and lines are those of `read`."""
    edition = edition_of(data, lines)
    at = "position" if "position" in data else "starts"
    try:
        if "position" in data:
            game = game_class.at(edition, data["position"])
        else:
            game = game_class(edition, len(data["seats"]), data["starts"])
    except EngineError as error:
        if is_redacted(data):
            _fault(_LEFT_OUT, lines.get(at, 0), "redacted")
        _fault(str(error), lines.get(at, 0))
    if data["board"] != edition.board.name:
        _fault(f"The board of this game is {edition.board.name}.", lines.get("board", 0))
    if [list(pawns) for pawns in game.seats] != data["seats"]:
        _fault("The seats do not fit the edition.", lines.get("seats", 0))
    return game


def edition_of(data: Record, lines: Mapping[str, int]) -> Edition:
    """Return the edition of a record with its options; RecordError if another rules engine played it."""
    if data["engine"] != ENGINE_VERSION:
        _fault(
            f"This record was played by rules engine {shown(data['engine'])}; this is {ENGINE_VERSION}.",
            lines.get("engine", 0),
            "other-engine",
        )
    try:
        edition = Edition.named(data["edition"])
    except EngineError as error:
        _fault(str(error), lines.get("edition", 0))
    try:
        return edition.with_options(**data["options"])
    except EngineError as error:
        _fault(str(error), lines.get("options", 0))


def is_redacted(data: Record) -> bool:
    """Return True if Mr. X's start is left out of a record."""
    if "position" in data:
        his = data["position"].get("mr_x") if isinstance(data["position"], Mapping) else None
        return isinstance(his, Mapping) and "station" not in his
    return isinstance(data["starts"], Mapping) and "mr_x" not in data["starts"]


def result(game: Recorded) -> str:
    return f"{game.outcome.winner}, {game.outcome.reason}" if game.outcome else UNFINISHED


def _changed(edition: Edition) -> dict[str, object]:
    usual: Mapping[str, object] = Edition.named(edition.name).options
    return {name: value for name, value in edition.options.items() if value != usual[name]}


# Reading


def read(source: str | Mapping[str, object]) -> tuple[Record, dict[str, int]]:
    """Read a record, a redacted one too, as plain data of the right shape; RecordError otherwise.

    Return it with the lines, in the text, of every header by its name and of "round 1", "round 2", ...
    """
    lines: dict[str, int] = {}
    if isinstance(source, str) and not source.lstrip().startswith("{"):
        data, lines = _from_text(source)
    elif isinstance(source, str):
        data, lines = _from_json(source)
    elif isinstance(source, Mapping):
        data = dict(source)
    else:
        _fault(f"A record is a text or an object, not {shown(source)}.", 0, "unreadable")
    for name, shape in _SHAPES.items():
        if name not in data:
            _fault(f"The record has no {name}.", 0, "missing")
        if not shape(data[name]):
            _fault(f"The {name} of this record cannot be read.", lines.get(name, 0), "unreadable")
    assert _is_record(data)
    if ("starts" in data) == ("position" in data):
        _fault("The record must have either starts or a position.", 0, "missing")
    return data, lines


def _is_record(data: Mapping[str, object]) -> TypeGuard[Record]:
    """Return True if everything is there and has its shape, but for what `begin` checks."""
    return all(name in data and shape(data[name]) for name, shape in _SHAPES.items())


def _is_lists_of_text(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(part, list) and all(isinstance(text, str) for text in part) for part in value
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_object(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


_SHAPES = {
    "engine": _is_text,
    "edition": _is_text,
    "options": _is_object,
    "board": _is_text,
    "seats": _is_lists_of_text,
    "result": _is_text,
    "moves": _is_lists_of_text,
}


def _from_json(text: str) -> tuple[dict[str, object], dict[str, int]]:
    try:
        return json.loads(text), _lines(text)
    except json.JSONDecodeError as error:
        _fault(f"This record is no JSON: {error.msg}.", error.lineno, "unreadable")
    except (ValueError, RecursionError):  # a number or a nesting no record has
        _fault("This record is no JSON anybody could have written.", 0, "unreadable")


def _lines(text: str) -> dict[str, int]:
    """Return the lines on which the headers and rounds of a JSON record begin."""
    lines: dict[str, int] = {}
    for name, start, line in _items(text, text.index("{") + 1, named=True):
        lines[name] = line
        if name == "moves" and text[start] == "[":
            lines |= {f"round {number}": at for number, (_, _, at) in enumerate(_items(text, start + 1), 1)}
    return lines


def _items(text: str, place: int, named: bool = False) -> Iterator[tuple[str, int, int]]:
    """Yield the name, the place and the line of each item of a JSON object or list; `place` is after its bracket."""
    name = ""
    while (place := _skip(text, place)) < len(text) and text[place] not in "}]":
        line = text.count("\n", 0, place) + 1
        if named:
            name, place = _JSON.raw_decode(text, place)
            place = _skip(text, place)
        yield name, place, line
        _, place = _JSON.raw_decode(text, place)


def _skip(text: str, place: int) -> int:
    """Return the place of the next value or closing bracket."""
    found = _BETWEEN.match(text, place)
    return found.end() if found else place


def _from_text(text: str) -> tuple[dict[str, object], dict[str, int]]:
    rows = text.splitlines()
    if not rows or rows[0].strip() != TITLE:
        _fault(f'A record begins with the line "{TITLE}".', 1, "unreadable")
    moves: list[list[str]] = []
    data: dict[str, object] = {"moves": moves}
    lines: dict[str, int] = {}
    for number, row in enumerate(rows[1:], 2):
        if not row.strip():
            continue
        left, mark, right = row.partition(".") if row.lstrip()[:1].isdigit() else row.partition(":")
        name, value = left.strip().lower(), right.strip()
        if not mark:
            _fault("This line is neither a header nor a round.", number, "unreadable")
        if mark == ".":
            if name != str(len(moves) + 1):
                _fault(f"Round {len(moves) + 1} is missing here.", number, "wrong-round")
            lines[f"round {name}"] = number
            moves.append([move.strip() for move in value.split(";") if move.strip()])
        elif name in data:
            _fault(f"The header {name} is there twice.", number, "unreadable")
        else:
            lines[name] = number
            data[name] = _header(name, value, number)
    return data, lines


def _header(name: str, value: str, line: int) -> object:
    if name not in _HEADERS:
        return value
    read, says = _HEADERS[name]
    try:
        return read(value)
    except (ValueError, RecursionError):
        _fault(f"The header {name} cannot be read; it is {says}.", line, "unreadable")


def _seats(value: str) -> list[list[str]]:
    return [pawns.strip().split("+") for pawns in value.split(",")]


def _starts(value: str) -> dict[str, int]:
    pairs = [pair.split() for pair in value.split(",")]
    starts = {pawn: int(station) for pawn, station in pairs}
    if len(starts) < len(pairs):
        raise ValueError("a pawn is named twice")
    return starts


# The content of headers that are not plain text.
_HEADERS: Mapping[str, tuple[Callable[[str], object], str]] = {
    "options": (json.loads, "an object in JSON"),
    "position": (json.loads, "an object in JSON"),
    "seats": (_seats, 'the pawns of each seat, like "mr_x, purple+yellow, red"'),
    "starts": (_starts, 'every pawn once with its station, like "mr_x 104, red 26"'),
}


def _fault(sentence: str, line: int = 0, code: str = "bad-record") -> NoReturn:
    raise RecordError(f"Line {line}: {sentence}" if line else sentence, line, code)
