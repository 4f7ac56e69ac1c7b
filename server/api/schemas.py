"""The shapes of requests and answers."""

import re
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from server.application.seats.seating import WAYS
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


class TrueOrFalse(fields.Boolean):
    """true or false, and neither 1 nor "yes"."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Written(fields.Integer):
    """A whole number as it stands in a query: digits, and nothing else."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(low, high), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not re.fullmatch("-?[0-9]{1,18}", value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class WrittenBoolean(fields.Boolean):
    """`true` or `false` as it stands in a query."""

    truthy = {"true"}  # noqa: RUF012 as marshmallow has it
    falsy = {"false"}  # noqa: RUF012


class Page(Schema):
    """Which part of a numbered list is asked for."""

    after = Written(0, 10**9)
    limit = Written(1, 1000)


class Whole(validate.Regexp):
    """All of a text is as the pattern says, which begins with ^ and ends with $, as other languages read it too."""

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self.error)
        return value


def line(longest: int) -> list[validate.Validator]:
    """What makes a text one line of at most `longest` characters."""
    one_line = Whole(r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$", error="One line of text.")
    return [validate.Length(1, longest), one_line]


ID = Whole("^[a-z2-7]{1,32}$", error="Not an id.")


class NewSeat(Schema):
    role = fields.String(required=True, validate=validate.OneOf(["mr_x", "detective"]))
    player = fields.String(validate=ID)
    invite = fields.String(
        validate=line(254), metadata={"description": "a mail address, or the name of a player you have met in a game"}
    )
    bot = fields.String(validate=line(16))


class Guest(NewSeat):
    """Whom a seat is for: one of `player`, `invite`, `bot`."""

    class Meta:
        exclude = ("role",)


class NewGame(Schema):
    edition = fields.String(required=True, validate=line(40))
    options = fields.Dict(keys=fields.String())
    clock = fields.Dict(keys=fields.String())
    seats = fields.List(fields.Nested(NewSeat), validate=validate.Length(2, 6))
    players = WholeNumber(1, 99)
    visibility = fields.String(validate=validate.OneOf(["public", "private"]))
    label = fields.String(validate=line(80), allow_none=True)
    seating = fields.String(
        validate=validate.OneOf(WAYS), metadata={"description": "who becomes Mr. X, and who sits where, at the start"}
    )
    position = fields.Dict(keys=fields.String())


class Join(Schema):
    seat = WholeNumber(1, 6)
    role = fields.String(validate=validate.OneOf(["mr_x", "detective"]))
    code = fields.String(validate=validate.Length(1, 32))


class NewHost(Schema):
    seat = WholeNumber(1, 6, required=True)


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
    invite = fields.String(allow_none=True, metadata={"description": "for the host: the address that he invited"})
    bank = fields.String(allow_none=True, metadata={"description": "the time left to it, where the clock has banks"})
    misses = fields.Integer(metadata={"description": "how often in a row its time ran out"})
    offered = fields.Boolean(metadata={"description": "somebody else may take it, though the game runs"})
    cover = fields.Integer(allow_none=True, metadata={"description": "the seat whose holder may move for it"})
    bounces = fields.Boolean(metadata={"description": "mails to whoever sits there do not arrive"})
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
    seating = fields.String()
    status = fields.String(validate=validate.OneOf(["open", "running", "over"]))
    host = fields.String()
    seats = fields.List(fields.Nested(SeatView))
    turn = fields.Integer(allow_none=True)
    round = fields.Integer(allow_none=True)
    created_at = fields.String()


class GameView(GameSummary):
    you = fields.Nested(You, allow_none=True)
    code = fields.String(allow_none=True, metadata={"description": "for who is in the game: what a friend joins by"})
    rematch = fields.String(allow_none=True, metadata={"description": "for the players: the game they play on in"})
    to_move = fields.List(fields.String())
    due_at = fields.String(allow_none=True)
    starts = fields.Dict(keys=fields.String(), values=fields.Integer())
    pawns = fields.Dict(keys=fields.String(), values=fields.Nested(Pawn))
    players = fields.Integer(metadata={"description": "how many people the tickets are counted for"})
    position = fields.Dict(allow_none=True, metadata={"description": "the public part of the one it began from"})
    log = fields.List(fields.Nested(Window))
    history = fields.List(fields.String())
    draw = fields.List(fields.Integer(), metadata={"description": "the seats whose holders would end it in a draw"})
    ahead = fields.List(fields.Nested(Kept))
    outcome = fields.Nested(OutcomeView, allow_none=True)
    seal = fields.Nested(SealView, allow_none=True)


class OpenedGame(GameView):
    longest = fields.String(
        allow_none=True, metadata={"description": "how long it takes at most if nobody is late or away"}
    )


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


class Deduction(Schema):
    turn = fields.Integer()
    stations = fields.List(fields.Integer())


class GoView(Schema):
    seat = fields.Integer(allow_none=True, metadata={"description": "null is the whole side"})
    due_at = fields.String()
    steps = fields.List(fields.String())


class DeadlineView(Schema):
    due_at = fields.String(allow_none=True)
    steps = fields.List(fields.String())
    goes = fields.List(fields.Nested(GoView))


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


class ConfirmAddress(Schema):
    code = fields.String(required=True, validate=line(40))


class Confirm(ConfirmAddress):
    name = fields.String(validate=validate.Length(1, 200))


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
    ask = fields.String(
        validate=validate.OneOf(["on", "off"]),
        metadata={"description": "whether a move by mail is shown before it counts"},
    )
    night = fields.String(
        validate=validate.Length(1, 20), metadata={"description": "hours such as 23:00-07:00, or off"}
    )
    vacation = fields.String(
        validate=validate.OneOf(["on", "off"]),
        metadata={"description": "whether days of vacation are taken before I am late"},
    )
    picture = fields.String(
        validate=validate.OneOf(["on", "own", "off"]),
        metadata={"description": "whether mails have the board as a picture; own shows Mr. X his station in his"},
    )


class NewAddress(Schema):
    email = fields.String(required=True, validate=validate.Length(1, 300))


class AddressView(Schema):
    id = fields.String()
    email = fields.String()
    primary = fields.Boolean(metadata={"description": "what the server sends goes there"})
    confirmed_at = fields.String()
    bounced_at = fields.String(
        allow_none=True, metadata={"description": "since when mails to it do not arrive, so that none is sent there"}
    )


class AddressList(Schema):
    addresses = fields.List(fields.Nested(AddressView))


class Delivery(Schema):
    id = fields.String()
    kind = fields.String()
    game = fields.String(allow_none=True)
    state = fields.String(validate=validate.OneOf(["pending", "sent", "bounced", "superseded", "suppressed", "dead"]))
    attempts = fields.Integer()
    error = fields.String(allow_none=True)
    created_at = fields.String()
    not_before = fields.String(allow_none=True, metadata={"description": "when it is tried next; null if it is not"})
    sent_at = fields.String(allow_none=True)


class DeliveryList(Schema):
    deliveries = fields.List(fields.Nested(Delivery))


class Farewell(Schema):
    name = fields.String(required=True, validate=validate.Length(1, 200))


class Export(Schema):
    player = fields.Dict()
    addresses = fields.List(fields.Nested(AddressView))
    tokens = fields.List(fields.Nested(TokenView))
    webhooks = fields.List(fields.Dict())
    games = fields.List(fields.Dict())
    mails_to_me = fields.List(fields.Nested(Delivery))
    mails_from_me = fields.List(fields.Dict())
    kept_answers = fields.List(fields.Dict())
    absences = fields.List(fields.Dict())
    sign_ups = fields.List(fields.String())
    invitations = fields.List(fields.String())
