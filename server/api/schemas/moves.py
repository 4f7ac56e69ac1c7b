"""Moves, played and to be played."""

from collections.abc import Mapping

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from server.api.schemas.answers import Answer
from server.api.schemas.games import Kept
from server.api.schemas.values import WholeNumber
from server.engine.ticket_kinds import TICKETS


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
    def _one_form(self, data: Mapping[str, object], **_: object) -> None:
        forms = ("notation" in data) + ("double" in data) + ("ticket" in data or "to" in data)
        if forms != 1 or ("ticket" in data) != ("to" in data):
            raise ValidationError("A move is one of: notation; ticket and to; double.")
        if "notation" in data and "surface" in data:
            raise ValidationError("With notation, surface is written in it.")


class MoveView(Answer):
    sometimes = frozenset({"ticket", "to", "double"})

    pawn = fields.String()
    notation = fields.String()
    ticket = fields.String()
    to = fields.Integer()
    double = fields.List(fields.Dict())


class LegalMoves(Answer):
    turn = fields.Integer(allow_none=True)
    moves = fields.List(fields.Nested(MoveView))


class DryRun(Answer):
    notation = fields.String()
    ahead = fields.Boolean(metadata={"description": "it would be queued for its turn"})


class OwnKept(Kept):
    sometimes = frozenset({"plays_at"})

    plays_at = fields.String(metadata={"description": "when a move is played that you can still stop"})


class Ahead(Answer):
    moves = fields.List(fields.Nested(OwnKept))
