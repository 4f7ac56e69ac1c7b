"""JSON Schemas of clocks, options and positions, which lower layers check, and the conditions between members.

The OpenAPI document tells them to programs. The server does not check by them: the tests compare both.
"""

from typing import Any

from server import bots
from server.application.people.accounts.abuse_reports import INVITATION
from server.clock import kinds
from server.clock.pauses import WEEKDAYS
from server.engine import DETECTIVES, PAWNS, options
from server.engine.ticket_kinds import MR_X_TICKETS, PLAIN
from server.house_rules.dealing import WAYS
from server.models import CALENDAR
from server.vocabulary.durations import PATTERN
from server.vocabulary.preferences import ZONE
from server.vocabulary.votes import PROPOSALS

JsonSchema = dict[str, Any]
FLAG: JsonSchema = {"type": "boolean"}
SHARE: JsonSchema = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}


def _number(low: int, high: int) -> JsonSchema:
    return {"type": "integer", "minimum": low, "maximum": high}


def _choice(*values: str) -> JsonSchema:
    return {"type": "string", "enum": [*values]}


def _list(items: JsonSchema, fewest: int, most: int, *, is_set: bool = True) -> JsonSchema:
    return {"type": "array", "items": items, "minItems": fewest, "maxItems": most, "uniqueItems": is_set}


def _object(properties: JsonSchema, *required: str) -> JsonSchema:
    return {"type": "object", "properties": properties, "additionalProperties": False, "required": [*required]}


def _or_null(schema: JsonSchema) -> JsonSchema:
    return {**schema, "type": [schema["type"], "null"]}


def named(name: str) -> JsonSchema:
    """Return a reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def all_of(*conditions: JsonSchema) -> JsonSchema:
    """Return the members of a schema with these conditions; programs that make types of others see no `then`."""
    return {"if": {}, "then": {"allOf": [*conditions]}}


def _not_both(*members: str) -> JsonSchema:
    return {"not": {"required": [*members]}}


def _is(member: str, *values: object) -> JsonSchema:
    return {"properties": {member: {"enum": [*values]}}, "required": [member]}


def _one_seat(what: JsonSchema) -> JsonSchema:
    return {"properties": {"seats": {"contains": what, "minContains": 1, "maxContains": 1}}, "required": ["seats"]}


_CLOCK: JsonSchema = {
    **dict.fromkeys(kinds.LENGTHS, named("Duration")),
    **{name: named(name.title().replace("_", "")) for name in kinds.LATE},
    "zone": {"type": "string", "pattern": f"^{ZONE}$"},
    "days": _list(named("Weekday"), 1, 7),
    "days_off": _list(named("Weekday"), 0, 6),
    "at": {"type": "string", "pattern": f"^{kinds.TIME_OF_DAY}$"},
    "reminders": _list(SHARE, 0, kinds.MOST_REMINDERS),
    "reminder": SHARE,
    "cover": FLAG,
    "open_after": _or_null(_number(1, 99)),
}
_GRACE = {"properties": {"grace": {"pattern": "[1-9]"}}, "required": ["grace"]}


def _clock(kind: str) -> JsonSchema:
    """Return the schema of a clock of one kind; one that is per phase need not say so."""
    values = {name: _CLOCK[name] for name in (*kinds.KINDS[kind], *kinds.ANY, "reminder")}
    whole = _object({"kind": {"type": "string", "const": kind}, **values}, *["kind"][kind == "per_phase" :])
    return whole | all_of({"if": _is("cover", True), "then": _GRACE}, _not_both("reminder", "reminders"))


_CLOCKS = {f"Clock{kind.title().replace('_', '')}": _clock(kind) for kind in kinds.KINDS}
_COUNT, _WINDOW, _STATION = _number(0, options.MOST), _number(1, options.MOST), _number(1, 10**6)
_CARDS = _list(_STATION, 0, options.MOST_CARDS)
_HELD: JsonSchema = {"type": ["integer", "null"], "minimum": 0, "exclusiveMaximum": 1e20}
_OPTIONS: JsonSchema = {
    **{name: _choice(*option.values) for name, option in options.OPTIONS.items() if option.values},
    **dict.fromkeys(("voluntary_surfacing", "cut_off", "deduction"), FLAG),
    "players": _list(_number(2, 6), 2, 2, is_set=False),
    "detective_tickets": _object(dict.fromkeys(PLAIN, _COUNT)),
    "mr_x_tickets": _object(dict.fromkeys(PLAIN, _or_null(_COUNT)) | {"double": _COUNT}),
    "black": {"oneOf": [_COUNT, {"const": "per_pawn"}]},
    "surfacing": _list(_WINDOW, 0, options.MOST, is_set=False),
    "log_windows": _WINDOW,
    "max_rounds": _or_null(_WINDOW),
    "start_cards": {"oneOf": [_CARDS, _object({"detectives": _CARDS, "mr_x": _CARDS}, "detectives", "mr_x")]},
}
_TICKETS = dict.fromkeys(MR_X_TICKETS, _number(0, 0)) | dict.fromkeys(PLAIN, _HELD)
_MR_X = {"station": _STATION, "tickets": _object(dict.fromkeys(MR_X_TICKETS, _HELD))}
_DETECTIVE = {"pawn": _choice(*DETECTIVES), "station": _STATION, "tickets": _object(_TICKETS)}
_POSITION: JsonSchema = {
    "mr_x": _object(_MR_X, *_MR_X),
    "detectives": _list(_object(_DETECTIVE, *_DETECTIVE), 1, len(DETECTIVES)),
    "log_used": _COUNT,
    "to_move": _choice(*PAWNS),
    "moved": {"type": ["array", "null"], "items": _choice(*DETECTIVES)},
    "last_seen": _or_null(_object({"window": _WINDOW, "station": _STATION}, "window", "station")),
    "dealt": FLAG,
}
SCHEMAS: dict[str, JsonSchema] = {
    "Duration": {"type": "string", "pattern": f"^{PATTERN}$"},
    "Weekday": _choice(*WEEKDAYS),
    **{name.title().replace("_", ""): _choice(*values) for name, values in kinds.LATE.items()},
    "Clock": {"oneOf": [*map(named, _CLOCKS)]},
    **_CLOCKS,
    "Options": _object(_OPTIONS),
    "Position": _object(_POSITION, "mr_x", "detectives"),
    "Surface": _object(dict.fromkeys(DETECTIVES, _choice(*PLAIN))),
}
# Members of other schemas that are one of these.
MEMBERS = {
    "clock": ("Clock", ("NewGame", "NewVote", "GameSummary", "GameView", "OpenedGame", "VoteView")),
    "length": ("Duration", ("NewVote",)),
    "options": ("Options", ("NewGame", "GameSummary", "GameView", "OpenedGame")),
    "position": ("Position", ("NewGame",)),
    "surface": ("Surface", ("NewMove",)),
}
_ONE_OF = {"oneOf": [{"required": [name]} for name in ("player", "invite", "bot")]}
_LEVEL = {"dependentRequired": {"level": ["bot"]}}
_PAIRS = {"properties": {"guests": {"properties": {"pairs": {"enum": [False]}}}}}
_HAS_CALENDAR = {"properties": {"scopes": {"contains": {"const": CALENDAR}}}}
_LENGTH_OF_VOTE = [kind.name for kind in PROPOSALS if "length" in kind.takes and not kind.has_usual_length]
# The conditions of a body beside those of its single members.
CONDITIONS: dict[str, list[JsonSchema]] = {
    "Guest": [_ONE_OF, _LEVEL],
    "NewBlock": [{"oneOf": [{"required": ["player"]}, {"required": ["who"]}]}],
    "NewGame": [
        {"if": {"required": ["seats"]}, "then": _one_seat(_is("role", "mr_x"))},
        {"if": {"required": ["seed"]}, "then": _one_seat(_not_both("bot"))},
        {"if": _is("seating", *WAYS[1:]), "then": _PAIRS},
    ],
    "NewMove": [
        {"oneOf": [{"required": [name]} for name in ("notation", "ticket", "double")]},
        {"dependentRequired": {"ticket": ["to"], "to": ["ticket"]}},
        _not_both("notation", "surface"),
    ],
    "NewReport": [{"anyOf": [_is("kind", INVITATION), {"required": ["number"]}]}],
    "NewSeat": [
        {"oneOf": [*_ONE_OF["oneOf"], {"properties": dict.fromkeys(("player", "invite", "bot"), False)}]},
        _LEVEL,
        *({"if": _is("bot", name), "then": _is("role", bot.role)} for name, bot in bots.BOTS.items()),
    ],
    "NewToken": [{"if": _HAS_CALENDAR, "then": {"properties": {"scopes": {"maxItems": 1}}}}],
    "NewVote": [
        {
            "if": {"required": ["length"]},
            "then": _is("kind", *(kind.name for kind in PROPOSALS if "length" in kind.takes)),
        },
        {
            "if": {"required": ["clock"]},
            "then": _is("kind", *(kind.name for kind in PROPOSALS if "clock" in kind.takes)),
        },
        {"if": _is("kind", *_LENGTH_OF_VOTE), "then": {"required": ["length"]}},
    ],
}
