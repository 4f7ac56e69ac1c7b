"""The shapes of requests and answers."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from server.models import SCOPES

TICKETS = ("taxi", "bus", "underground", "black")


class WholeNumber(fields.Integer):
    """An integer that is one in JSON too: neither "3", nor 3.0, nor true."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(strict=True, validate=validate.Range(low, high), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValidationError("Not a whole number.")
        return super()._deserialize(value, attr, data, **kwargs)


class Written(fields.Integer):
    """A whole number as it stands in a query."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(low, high), **kwargs)


class Page(Schema):
    """Which part of a numbered list is asked for."""

    after = Written(0, 10**9)
    limit = Written(1, 1000)


def line(longest: int) -> list[validate.Validator]:
    """What makes a text one line of at most `longest` characters."""
    one_line = validate.Regexp(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]*\Z", error="One line of text.")
    return [validate.Length(1, longest), one_line]


ID = validate.Regexp(r"[a-z2-7]{1,32}\Z", error="Not an id.")


class NewSeat(Schema):
    role = fields.String(required=True, validate=validate.OneOf(["mr_x", "detective"]))
    player = fields.String(validate=ID)
    bot = fields.String(validate=line(16))


class NewGame(Schema):
    edition = fields.String(required=True, validate=line(40))
    options = fields.Dict(keys=fields.String())
    clock = fields.Dict(keys=fields.String())
    seats = fields.List(fields.Nested(NewSeat), validate=validate.Length(2, 6))
    players = WholeNumber(1, 99)
    visibility = fields.String(validate=validate.OneOf(["public", "private"]))
    label = fields.String(validate=line(80), allow_none=True)
    position = fields.Dict(keys=fields.String())


class Join(Schema):
    seat = WholeNumber(1, 6)
    role = fields.String(validate=validate.OneOf(["mr_x", "detective"]))
    code = fields.String(validate=validate.Length(1, 32))


class Trip(Schema):
    ticket = fields.String(required=True, validate=validate.OneOf(TICKETS))
    to = WholeNumber(-(10**9), 10**9, required=True)


class NewMove(Schema):
    """One of `notation`, `ticket` with `to`, or `double`."""

    turn = WholeNumber(1, 10**6, required=True)
    pawn = fields.String(validate=validate.OneOf(["mr_x", "purple", "red", "green", "yellow", "blue"]))
    notation = fields.String(validate=validate.Length(1, 300))
    ticket = fields.String(validate=validate.OneOf(TICKETS))
    to = WholeNumber(-(10**9), 10**9)
    double = fields.List(fields.Nested(Trip), validate=validate.Length(equal=2))
    surface = fields.Dict(keys=fields.String(), values=fields.String())

    @validates_schema
    def _one_form(self, data: dict[str, Any], **_: Any) -> None:
        forms = ("notation" in data) + ("double" in data) + ("ticket" in data or "to" in data)
        if forms != 1 or ("ticket" in data) != ("to" in data):
            raise ValidationError("A move is one of: notation; ticket and to; double.")
        if "notation" in data and "surface" in data:
            raise ValidationError("With notation, surface is written in it.")


class Tickets(Schema):
    taxi = fields.Integer(allow_none=True, metadata={"description": "null is unlimited"})
    bus = fields.Integer(allow_none=True)
    underground = fields.Integer(allow_none=True)
    black = fields.Integer()
    double = fields.Integer()


class LastSeen(Schema):
    window = fields.Integer()
    station = fields.Integer()


class Pawn(Schema):
    station = fields.Integer(allow_none=True)
    last_seen = fields.Nested(LastSeen, allow_none=True)
    tickets = fields.Nested(Tickets)
    state = fields.String()
    seat = fields.Integer()


class Window(Schema):
    window = fields.Integer()
    ticket = fields.String()
    station = fields.Integer(allow_none=True)
    surfaced = fields.Boolean()
    transport = fields.String()


class SeatView(Schema):
    seat = fields.Integer()
    role = fields.String()
    pawns = fields.List(fields.String())
    player = fields.String(allow_none=True)
    bot = fields.String(allow_none=True, metadata={"description": "the player of the house who sits there"})
    state = fields.String()


class You(Schema):
    seat = fields.Integer()
    pawns = fields.List(fields.String())


class OutcomeView(Schema):
    winner = fields.String()
    reason = fields.String()
    final = fields.Boolean()
    final_at = fields.String(allow_none=True)


class SealView(Schema):
    event = fields.Integer(metadata={"description": "the number of the newest event"})
    head = fields.String(metadata={"description": "the head of the sealed chain after it"})


class EventView(Schema):
    number = fields.Integer()
    kind = fields.String()
    at = fields.String()
    data = fields.Dict()


class GameEvents(Schema):
    events = fields.List(fields.Nested(EventView))
    next = fields.Integer()


class MyEvent(EventView):
    game = fields.String()


class MyEvents(Schema):
    events = fields.List(fields.Nested(MyEvent))
    next = fields.String()


class Transcript(Schema):
    format = fields.String()
    name = fields.String()
    header = fields.Dict()
    events = fields.List(fields.Nested(EventView))
    event = fields.Integer()
    head = fields.String()


class Kept(Schema):
    pawn = fields.String()
    notation = fields.String()


class GameSummary(Schema):
    id = fields.String()
    name = fields.String()
    edition = fields.String()
    options = fields.Dict()
    clock = fields.Dict()
    visibility = fields.String()
    label = fields.String(allow_none=True)
    status = fields.String(validate=validate.OneOf(["open", "running", "over"]))
    host = fields.String()
    seats = fields.List(fields.Nested(SeatView))
    turn = fields.Integer(allow_none=True)
    round = fields.Integer(allow_none=True)
    created_at = fields.String()


class GameView(GameSummary):
    you = fields.Nested(You, allow_none=True)
    code = fields.String(allow_none=True, metadata={"description": "for who is in the game: what a friend joins by"})
    to_move = fields.List(fields.String())
    due_at = fields.String(allow_none=True)
    starts = fields.Dict(keys=fields.String(), values=fields.Integer())
    pawns = fields.Dict(keys=fields.String(), values=fields.Nested(Pawn))
    log = fields.List(fields.Nested(Window))
    history = fields.List(fields.String())
    ahead = fields.List(fields.Nested(Kept))
    outcome = fields.Nested(OutcomeView, allow_none=True)
    seal = fields.Nested(SealView, allow_none=True)


class GameList(Schema):
    games = fields.List(fields.Nested(GameSummary))


class MoveView(Schema):
    pawn = fields.String()
    notation = fields.String()
    ticket = fields.String()
    to = fields.Integer()
    double = fields.List(fields.Dict())


class LegalMoves(Schema):
    turn = fields.Integer(allow_none=True)
    moves = fields.List(fields.Nested(MoveView))


class DryRun(Schema):
    notation = fields.String()
    ahead = fields.Boolean(metadata={"description": "it would be kept for its turn"})


class Ahead(Schema):
    moves = fields.List(fields.Nested(Kept))


class Log(Schema):
    log = fields.List(fields.Nested(Window))


class DeadlineView(Schema):
    due_at = fields.String(allow_none=True)
    steps = fields.List(fields.String())


class Me(Schema):
    id = fields.String()
    name = fields.String()
    email = fields.String()
    zone = fields.String()


class SignUp(Schema):
    name = fields.String(required=True, validate=validate.Length(1, 200))
    email = fields.String(required=True, validate=validate.Length(1, 300))
    zone = fields.String(validate=line(64))


class SignedUp(Schema):
    detail = fields.String()


class Confirm(Schema):
    code = fields.String(required=True, validate=line(40))


class NewPlayer(Schema):
    id = fields.String()
    token = fields.String(metadata={"description": "shown this once"})


class NewToken(Schema):
    name = fields.String(required=True, validate=line(40))
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)), required=True, validate=validate.Length(1, len(SCOPES))
    )
    expires_at = fields.AwareDateTime(format="iso", allow_none=True)


class TokenView(Schema):
    id = fields.String()
    name = fields.String()
    scopes = fields.List(fields.String())
    created_at = fields.String()
    expires_at = fields.String(allow_none=True)
    last_used = fields.String(allow_none=True, metadata={"description": "a day"})


class MadeToken(TokenView):
    token = fields.String(metadata={"description": "shown this once"})


class TokenList(Schema):
    tokens = fields.List(fields.Nested(TokenView))


class Preferences(Schema):
    zone = fields.String(validate=line(64))
    mail = fields.String(validate=validate.OneOf(["all", "off"]))


class Farewell(Schema):
    name = fields.String(required=True, validate=validate.Length(1, 200))


class Export(Schema):
    player = fields.Dict()
    tokens = fields.List(fields.Nested(TokenView))
    games = fields.List(fields.Dict())
    mails_to_me = fields.List(fields.Dict())
    mails_from_me = fields.List(fields.Dict())
    kept_answers = fields.List(fields.Dict())
    sign_ups = fields.List(fields.String())
