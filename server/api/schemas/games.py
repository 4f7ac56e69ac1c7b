"""A game as its viewer may see it."""

from marshmallow import fields, validate

from server.api.schemas.values import Answer
from server.house_rules import guest_rules


class Tickets(Answer):
    sometimes = frozenset({"black", "double"})

    taxi = fields.Integer(allow_none=True, metadata={"description": "null is unlimited"})
    bus = fields.Integer(allow_none=True)
    underground = fields.Integer(allow_none=True)
    black = fields.Integer()
    double = fields.Integer()


class LastSeen(Answer):
    window = fields.Integer()
    station = fields.Integer()


class Pawn(Answer):
    sometimes = frozenset({"last_seen", "state"})

    station = fields.Integer(allow_none=True)
    last_seen = fields.Nested(LastSeen, allow_none=True)
    tickets = fields.Nested(Tickets)
    state = fields.String()
    seat = fields.Integer()


class Window(Answer):
    sometimes = frozenset({"surfaced", "transport"})

    window = fields.Integer()
    ticket = fields.String()
    station = fields.Integer(allow_none=True)
    surfaced = fields.Boolean()
    transport = fields.String()


class GuestRulesView(Answer):
    seats = fields.String(metadata={"description": f"which seats they may take: {', '.join(guest_rules.SEATS)}"})
    talk = fields.Boolean(metadata={"description": "whether they may write to the table"})
    stay = fields.String(
        metadata={"description": "after how long without a visit they lose the seat, before the game starts"}
    )
    pairs = fields.Boolean(metadata={"description": "whether two of them may play in one browser, both as detectives"})


class SeatView(Answer):
    seat = fields.Integer()
    role = fields.String()
    pawns = fields.List(fields.String())
    player = fields.String(allow_none=True)
    bot = fields.String(allow_none=True, metadata={"description": "the bot that sits there"})
    level = fields.String(allow_none=True, metadata={"description": "how well that bot plays: easy, fair or good"})
    invite = fields.String(allow_none=True, metadata={"description": "for the host: the address that was invited"})
    bank = fields.String(allow_none=True, metadata={"description": "the time left in its bank, if the clock has banks"})
    misses = fields.Integer(metadata={"description": "how many deadlines in a row it has missed"})
    offered = fields.Boolean(metadata={"description": "another player may take it over in the running game"})
    cover = fields.Integer(allow_none=True, metadata={"description": "the seat whose holder may move for it"})
    bounces = fields.Boolean(metadata={"description": "mails to its player do not arrive"})
    guest = fields.Boolean(metadata={"description": "its player is a guest, who has no address"})
    state = fields.String()


class You(Answer):
    seat = fields.Integer()
    pawns = fields.List(fields.String())


class OutcomeView(Answer):
    winner = fields.String()
    reason = fields.String()
    final = fields.Boolean()
    final_at = fields.String(allow_none=True)


class SealView(Answer):
    event = fields.Integer(metadata={"description": "the number of the newest event"})
    head = fields.String(metadata={"description": "the head of the sealed log after it"})


class Kept(Answer):
    pawn = fields.String()
    notation = fields.String()


class GameSummary(Answer):
    id = fields.String()
    name = fields.String()
    edition = fields.String()
    options = fields.Dict()
    clock = fields.Dict()
    visibility = fields.String()
    label = fields.String(allow_none=True)
    seating = fields.String()
    guests = fields.Nested(
        GuestRulesView, metadata={"description": "what people without an address may do, before the start"}
    )
    status = fields.String(validate=validate.OneOf(["open", "running", "over"]))
    host = fields.String()
    seats = fields.List(fields.Nested(SeatView))
    turn = fields.Integer(allow_none=True)
    round = fields.Integer(allow_none=True)
    created_at = fields.String()


class GameView(GameSummary):
    sometimes = frozenset({"players", "position"})

    you = fields.Nested(You, allow_none=True)
    code = fields.String(
        allow_none=True, metadata={"description": "for players of the game: the code with which a friend joins"}
    )
    rematch = fields.String(allow_none=True, metadata={"description": "for the players: the id of the rematch"})
    to_move = fields.List(fields.String())
    due_at = fields.String(allow_none=True)
    starts = fields.Dict(keys=fields.String(), values=fields.Integer())
    pawns = fields.Dict(keys=fields.String(), values=fields.Nested(Pawn))
    players = fields.Integer(
        metadata={"description": "once it has begun: the number of players for which the tickets were dealt"}
    )
    position = fields.Dict(
        allow_none=True, metadata={"description": "the public part of the position that it began from"}
    )
    log = fields.List(fields.Nested(Window))
    history = fields.List(fields.String())
    draw = fields.List(fields.Integer(), metadata={"description": "the seats that offer or agree to a draw"})
    ahead = fields.List(fields.Nested(Kept))
    outcome = fields.Nested(OutcomeView, allow_none=True)
    seal = fields.Nested(SealView, allow_none=True)


class SeatKnowledge(Answer):
    sometimes = frozenset({"position"})

    seat = fields.Integer()
    edition = fields.String()
    options = fields.Dict()
    players = fields.Integer()
    position = fields.Dict(metadata={"description": "the public part of the position that it began from"})
    turn = fields.Integer(metadata={"description": "the turn that was next; 1 is before the first move"})
    round = fields.Integer()
    to_move = fields.List(fields.String())
    starts = fields.Dict(keys=fields.String(), values=fields.Integer())
    pawns = fields.Dict(keys=fields.String(), values=fields.Nested(Pawn))
    log = fields.List(fields.Nested(Window))
    history = fields.List(fields.String())
    stations = fields.List(
        fields.Integer(),
        allow_none=True,
        metadata={"description": "where Mr. X could be by the public record; null in a game that did not tell"},
    )
    outcome = fields.Nested(OutcomeView, allow_none=True, metadata={"description": "at the end: the result"})


class OpenedGame(GameView):
    longest = fields.String(
        allow_none=True, metadata={"description": "how long it takes at most if nobody is late or away"}
    )


class GameList(Answer):
    games = fields.List(fields.Nested(GameSummary))


class Log(Answer):
    log = fields.List(fields.Nested(Window))


class Deduction(Answer):
    turn = fields.Integer()
    stations = fields.List(fields.Integer())


class GoView(Answer):
    seat = fields.Integer(allow_none=True, metadata={"description": "null is all seats of the phase"})
    due_at = fields.String()
    steps = fields.List(fields.String())


class DeadlineView(Answer):
    due_at = fields.String(allow_none=True)
    steps = fields.List(fields.String())
    goes = fields.List(fields.Nested(GoView))


class EventView(Answer):
    number = fields.Integer()
    kind = fields.String()
    at = fields.String()
    data = fields.Dict()


class GameEvents(Answer):
    events = fields.List(fields.Nested(EventView))
    next = fields.Integer()


class MyEvent(EventView):
    game = fields.String()


class MyEvents(Answer):
    events = fields.List(fields.Nested(MyEvent))
    next = fields.String()


class Transcript(Answer):
    format = fields.String()
    name = fields.String()
    header = fields.Dict()
    events = fields.List(fields.Nested(EventView))
    event = fields.Integer()
    head = fields.String()


class Record(Answer):
    """A game to its last move, as the engine replays it. It has `starts`, or the `position` that it began from."""

    sometimes = frozenset({"starts", "position", "seal"})

    engine = fields.String(metadata={"description": "the version of the rules"})
    edition = fields.String()
    options = fields.Dict(metadata={"description": "the options that differ from the edition"})
    board = fields.String()
    seats = fields.List(fields.List(fields.String()), metadata={"description": "the pawns of each seat"})
    starts = fields.Dict(keys=fields.String(), values=fields.Integer())
    position = fields.Dict(keys=fields.String())
    result = fields.String(metadata={"description": "* while the game runs"})
    date = fields.String()
    seal = fields.String(metadata={"description": "number and head of the newest event"})
    moves = fields.List(fields.List(fields.String()), metadata={"description": "a list for each round"})
