"""A game as its viewer may see it."""

from marshmallow import fields, validate

from server.api.schemas.values import Answer, answer, described
from server.application.game import practice, projection, replay, transcripts
from server.application.lists import feed
from server.bots.hunt import Point
from server.engine import LogEntry, ShownPawn, Sighting
from server.house_rules import guest_rules
from server.house_rules.sealed_log import Published


class Tickets(Answer):
    sometimes = frozenset({"black", "double"})

    taxi = fields.Integer(allow_none=True, **described("null is unlimited"))
    bus = fields.Integer(allow_none=True)
    underground = fields.Integer(allow_none=True)
    black = fields.Integer()
    double = fields.Integer()


LastSeen = answer("LastSeen", Sighting)


Pawn = answer("Pawn", ShownPawn, tickets=fields.Nested(Tickets))


Window = answer("Window", LogEntry)


GuestRulesView = answer(
    "GuestRulesView",
    projection.GuestsView,
    seats=f"which seats they may take: {', '.join(guest_rules.SEATS)}",
    talk="whether they may write to the table",
    stay="after how long without a visit they lose the seat, before the game starts",
    pairs="whether two of them may play in one browser, both as detectives",
)


SeatView = answer(
    "SeatView",
    projection.SeatView,
    bot="the bot that sits there",
    level="how well that bot plays: easy, fair or good",
    invite="for the host: the address that was invited",
    bank="the time left in its bank, if the clock has banks",
    misses="how many deadlines in a row it has missed",
    offered="another player may take it over in the running game",
    cover="the seat whose holder may move for it",
    bounces="mails to its player do not arrive",
    guest="its player is a guest, who has no address",
)


SealView = answer(
    "SealView",
    transcripts.Head,
    event="the number of the newest event",
    head="the head of the sealed log after it",
)


class Kept(Answer):
    pawn = fields.String()
    notation = fields.String()


You = answer("You", projection.OwnSeat)


OutcomeView = answer("OutcomeView", projection.Outcome, winner=fields.String(), reason=fields.String())


GameSummary = answer(
    "GameSummary",
    projection.Summary,
    due_at="the earliest deadline, while it runs",
    to_move="the pawns that may move now",
    guests="what people without an address may do, before the start",
    starts_when_full="it starts as soon as somebody takes its last seat",
    status=fields.String(validate=validate.OneOf(["open", "running", "over"])),
)


GameView = answer(
    "GameView",
    projection.GameView,
    GameSummary,
    code="for players of the game: the code with which a friend joins",
    rematch="for the players: the id of the rematch",
    players="once it has begun: the number of players for which the tickets were dealt",
    position=fields.Dict(allow_none=True, **described("the public part of the position that it began from")),
    draw="the seats that offer or agree to a draw",
    ahead=fields.List(fields.Nested(Kept)),
)


SeatKnowledge = answer(
    "SeatKnowledge",
    replay.SeatKnowledge,
    always="players",
    position="the public part of the position that it began from",
    turn="the turn that was next; 1 is before the first move",
    stations="where Mr. X could be by the public record; null in a game that did not tell",
    outcome="at the end: the result",
)


StoryPoint = answer(
    "StoryPoint",
    Point,
    ply="how many moves had been made",
    pawn="the pawn that made the last one; null before the first",
    window="the newest of the travel log that was filled; 0 before its first",
    shown="where the move showed Mr. X, if it did",
    stations="on how many stations he could be by the public record",
    even="how likely his station was if all of these were alike",
    belief="how likely it was by the learnt belief",
    likeliest="the likeliest station by that belief",
    rides="how many rides they were from him; 40 if they could not get there",
    ways="the stations to which he could go in one ride, and no detective could",
    ruled_out="the stations that this move of a detective ruled out",
    closed="the ways that this move of a detective closed",
)


class StoryMoment(Answer):
    ply = fields.Integer(**described("how many moves had been made"))
    kind = fields.String(**described("such as `missed`: a detective could have caught him"))
    text = fields.String()


class StoryView(Answer):
    curve = fields.List(fields.Nested(StoryPoint))
    moments = fields.List(
        fields.Nested(StoryMoment),
        **described("three at most, in the order of time; none after more than 250 moves"),
    )


OpenedGame = answer(
    "OpenedGame",
    projection.GameView,
    GameView,
    longest=fields.String(allow_none=True, **described("how long it takes at most if nobody is late or away")),
)


class GameList(Answer):
    games = fields.List(fields.Nested(GameSummary))


class Log(Answer):
    log = fields.List(fields.Nested(Window))


class Deduction(Answer):
    turn = fields.Integer()
    stations = fields.List(fields.Integer())


Likelihood = answer("Likelihood", practice.Likelihood)


Hint = answer("Hint", practice.Hint, stations="the likeliest first")


GoView = answer("GoView", projection.TurnDeadline, seat="null is all seats of the phase")


DeadlineView = answer("DeadlineView", projection.DeadlineView)


EventView = answer("EventView", Published)


GameEvent = answer("GameEvent", feed.EventOfGame, why="in a practice game: what the move of a bot detective was for")


GameEvents = answer("GameEvents", feed.EventsOfGame)


MyEvent = answer("MyEvent", feed.EventOfPlayer, number="null if you alone are told: reminded, said or asked")


MyEvents = answer("MyEvents", feed.EventsOfPlayer)


Transcript = answer("Transcript", transcripts.Transcript, head=fields.String())


class Record(Answer):
    """A game to its last move, as the engine replays it. It has `starts`, or the `position` that it began from."""

    sometimes = frozenset({"starts", "position", "seal"})

    engine = fields.String(**described("the version of the rules"))
    edition = fields.String()
    options = fields.Dict(**described("the options that differ from the edition"))
    board = fields.String()
    seats = fields.List(fields.List(fields.String()), **described("the pawns of each seat"))
    starts = fields.Dict(keys=fields.String(), values=fields.Integer())
    position = fields.Dict(keys=fields.String())
    result = fields.String(**described("* while the game runs"))
    date = fields.String()
    seal = fields.String(**described("number and head of the newest event"))
    moves = fields.List(fields.List(fields.String()), **described("a list for each round"))
