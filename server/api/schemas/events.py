"""Events."""

from marshmallow import fields

from server.api.schemas.answers import Answer


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
