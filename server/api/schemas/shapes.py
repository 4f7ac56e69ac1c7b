"""JSON Schemas of clocks, options and positions, which lower layers read, and of members that go together.

The OpenAPI document tells them to programs. The server does not check by them: the tests compare both.
"""

from collections.abc import Sequence
from typing import Any

from server import bots
from server.application.people.accounts.abuse_reports import INVITATION
from server.application.people.webhooks import ADDRESSES
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


def _text(pattern: str) -> JsonSchema:
    return {"type": "string", "pattern": f"^{pattern}$"}


def _choice(*values: str) -> JsonSchema:
    return {"type": "string", "enum": [*values]}


def _number(low: int, high: int) -> JsonSchema:
    return {"type": "integer", "minimum": low, "maximum": high}


def _list(items: JsonSchema, fewest: int = 0, **more: object) -> JsonSchema:
    return {"type": "array", "items": items, "minItems": fewest, **more}


def _object(properties: JsonSchema, *required: str, **more: object) -> JsonSchema:
    needed = {"required": [*required]} if required else {}
    return {"type": "object", "properties": properties, "additionalProperties": False, **needed, **more}


def _or_null(schema: JsonSchema) -> JsonSchema:
    return {**schema, "type": [schema["type"], "null"]}


_CLOCK_VALUES: JsonSchema = {
    **dict.fromkeys(kinds.LENGTHS, {"$ref": "#/components/schemas/Duration"}),
    **{name: _choice(*values) for name, values in kinds.LATE.items()},
    "zone": _text(ZONE),
    "days": _list(_choice(*WEEKDAYS), 1, uniqueItems=True),
    "days_off": _list(_choice(*WEEKDAYS), maxItems=6, uniqueItems=True),
    "at": _text(kinds.TIME_OF_DAY),
    "reminders": _list(SHARE, maxItems=kinds.MOST_REMINDERS, uniqueItems=True),
    "reminder": SHARE,
    "cover": FLAG,
    "open_after": _or_null(_number(1, 99)),
}
_COUNT, _WINDOW, _STATION = _number(0, options.MOST), _number(1, options.MOST), _number(1, 10**6)
_CARDS = _list(_STATION, uniqueItems=True)
_OPTIONS: JsonSchema = {
    **{name: _choice(*option.values) for name, option in options.OPTIONS.items() if option.values},
    **dict.fromkeys(("voluntary_surfacing", "cut_off", "deduction"), FLAG),
    "players": _list(_number(2, 6), 2, maxItems=2),
    "detective_tickets": _object(dict.fromkeys(PLAIN, _COUNT)),
    "mr_x_tickets": _object({**dict.fromkeys(PLAIN, _or_null(_COUNT)), "double": _COUNT}),
    "black": {"oneOf": [_COUNT, {"const": "per_pawn"}]},
    "surfacing": _list(_WINDOW),
    "log_windows": _WINDOW,
    "max_rounds": _or_null(_WINDOW),
    "start_cards": {"oneOf": [_CARDS, _object({"detectives": _CARDS, "mr_x": _CARDS}, "detectives", "mr_x")]},
}
_HELD = _or_null(_number(0, 10**9))
_NONE_HELD = {kind: _number(0, 0) for kind in MR_X_TICKETS if kind not in PLAIN}
_TICKETS = {"mr_x": dict.fromkeys(MR_X_TICKETS, _HELD), "detective": dict.fromkeys(PLAIN, _HELD) | _NONE_HELD}
_MR_X = _object({"station": _STATION, "tickets": _object(_TICKETS["mr_x"])}, "station", "tickets")
_PLACE = {"pawn": _choice(*DETECTIVES), "station": _STATION, "tickets": _object(_TICKETS["detective"])}
_POSITION: JsonSchema = {
    "mr_x": _MR_X,
    "detectives": _list(_object(_PLACE, *_PLACE), 1, maxItems=len(DETECTIVES)),
    "log_used": _COUNT,
    "to_move": _choice(*PAWNS),
    "moved": _or_null(_list(_choice(*DETECTIVES))),
    "last_seen": _or_null(_object({"window": _WINDOW, "station": _STATION}, "window", "station")),
    "dealt": FLAG,
}


def _clock(kind: str) -> JsonSchema:
    """Return the schema of a clock of one kind; the kind may be left out of one that is per phase."""
    values = {name: _CLOCK_VALUES[name] for name in (*kinds.KINDS[kind], *kinds.ANY, "reminder")}
    grace_for_cover = _if_then(_is("cover", True), properties={"grace": {"pattern": "[1-9]"}}, required=["grace"])
    return _object(
        {"kind": {"type": "string", "const": kind}, **values}, *(() if kind == "per_phase" else ("kind",)),
        allOf=[grace_for_cover, {"not": {"required": ["reminder", "reminders"]}}],
    )  # fmt: skip


# Members that go together, as conditions


def _is(member: str, *values: object) -> JsonSchema:
    return {"properties": {member: {"enum": [*values]}}, "required": [member]}


def _if_then(condition: JsonSchema, **consequence: object) -> JsonSchema:
    return {"if": condition, "then": consequence}


def _not_both(*members: str) -> JsonSchema:
    return {"not": {"required": [*members]}}


def _one_of(*groups: tuple[str, ...]) -> list[JsonSchema]:
    """Return the conditions of exactly one of these groups of members."""
    together = [{one: [other for other in group if other != one] for one in group} for group in groups if group[1:]]
    return [{"oneOf": [{"required": [*group]} for group in groups]}, *({"dependentRequired": each} for each in together)]


def _one_seat(what: JsonSchema) -> JsonSchema:
    return {"seats": {"contains": what, "minContains": 1, "maxContains": 1}}


_ONE_MR_X, _ONE_PERSON = _one_seat(_is("role", "mr_x")), _one_seat({"not": {"required": ["bot"]}})
_NO_PAIRS = {"guests": {"properties": {"pairs": {"enum": [False]}}}}
_BOTS = {role: {"bot": {"enum": [*bots.names(role)]}} for role in ("mr_x", "detective")}
_HAS_CALENDAR = {"properties": {"scopes": {"contains": {"const": CALENDAR}}}}
_LEVEL = {"dependentRequired": {"level": ["bot"]}}
CONDITIONS: dict[str, list[JsonSchema]] = {
    "Guest": [*_one_of(("player",), ("invite",), ("bot",)), _LEVEL],
    "NewBlock": _one_of(("player",), ("who",)),
    "NewGame": [
        _not_both("players", "seats"),
        _if_then({"required": ["seats"]}, properties=_ONE_MR_X),
        _if_then({"required": ["seed"]}, properties=_ONE_PERSON, required=["seats"]),
        _if_then(_is("seating", *WAYS[1:]), properties=_NO_PAIRS),
    ],
    "NewMove": [*_one_of(("notation",), ("ticket", "to"), ("double",)), _not_both("notation", "surface")],
    "NewReport": [{"anyOf": [_is("kind", INVITATION), {"required": ["number"]}]}],
    "NewSeat": [
        *(_not_both(*pair) for pair in (("player", "invite"), ("player", "bot"), ("invite", "bot"))), _LEVEL,
        *(_if_then(_is("role", role), properties=bot) for role, bot in _BOTS.items()),
    ],
    "NewToken": [_if_then(_HAS_CALENDAR, properties={"scopes": {"maxItems": 1}})],
    "NewVote": [
        _if_then(_is("kind", kind.name), properties={name: False for name in ("length", "clock") if name not in kind.takes},
                 required=["length"] if "length" in kind.takes and not kind.has_usual_length else [])
        for kind in PROPOSALS
    ],
    "NewWebhook": [
        _if_then(_is("format", name), properties={"url": {"pattern": f"^{pattern}"}})
        for name, (pattern, _) in ADDRESSES.items()
    ],
}  # fmt: skip
CLOCKS = {f"Clock{kind.title().replace('_', '')}": _clock(kind) for kind in kinds.KINDS}
SCHEMAS: dict[str, JsonSchema] = {
    "Duration": _text(PATTERN),
    "NewClock": {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in CLOCKS]},
    "NewOptions": _object(_OPTIONS),
    "NewPosition": _object(_POSITION, "mr_x", "detectives"),
    "Surface": _object(dict.fromkeys(DETECTIVES, _choice(*PLAIN))),
    **CLOCKS,
}
# Of which of these a member of a body is, by its name.
MEMBERS = {
    ("NewGame", "clock"): "NewClock", ("NewVote", "clock"): "NewClock", ("NewVote", "length"): "Duration",
    ("NewGame", "options"): "NewOptions", ("NewGame", "position"): "NewPosition", ("NewMove", "surface"): "Surface",
}  # fmt: skip
