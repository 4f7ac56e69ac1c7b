"""Editions, boards, and games as records."""

from marshmallow import fields

from server.api.schemas.answers import Answer


class EditionView(Answer):
    name = fields.String()
    about = fields.String(metadata={"description": "what tells it from others, in words"})
    options = fields.Dict(metadata={"description": "all options, with the values of this edition"})


class OptionView(Answer):
    about = fields.String(metadata={"description": "the option in a sentence"})
    values = fields.Dict(metadata={"description": "what its values mean, if they are few; else empty"})


class EditionList(Answer):
    editions = fields.List(fields.Nested(EditionView))
    options = fields.Dict(
        keys=fields.String(), values=fields.Nested(OptionView), metadata={"description": "what each option is about"}
    )


class Station(Answer):
    id = fields.Integer()
    x = fields.Integer()
    y = fields.Integer()


class Line(Answer):
    transport = fields.String()
    origin = fields.Integer(data_key="from")
    to = fields.Integer()
    passes_over = fields.List(fields.Integer())


class BoardView(Answer):
    """Stations with their places on a picture of `width` times `height`; every line can be travelled both ways."""

    name = fields.String()
    width = fields.Integer()
    height = fields.Integer()
    stations = fields.List(fields.Nested(Station))
    lines = fields.List(fields.Nested(Line))
    start_cards = fields.List(fields.Integer())


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
