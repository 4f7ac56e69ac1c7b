"""Opening a game, and its seats."""

from collections.abc import Mapping

from marshmallow import Schema, ValidationError, fields, validate

from server import bots
from server.api.schemas.answers import Answer
from server.api.schemas.values import ID, WholeNumber, line
from server.engine import PositionError, check_members
from server.house_rules import guest_rules
from server.house_rules.dealing import WAYS


class NewSeat(Schema):
    role = fields.String(required=True, validate=validate.OneOf(["mr_x", "detective"]))
    player = fields.String(validate=ID)
    invite = fields.String(
        validate=line(254), metadata={"description": "a mail address, or the name of a player you have met in a game"}
    )
    bot = fields.String(validate=line(16))
    level = fields.String(
        validate=validate.OneOf(bots.LEVELS), metadata={"description": f"of a bot; {bots.USUAL}, if left out"}
    )


class Guest(NewSeat):
    """The one that a seat is for: one of `player`, `invite`, `bot`."""

    words = fields.String(
        validate=line(200), metadata={"description": "of the host to whom they invite, without addresses and links"}
    )

    class Meta:
        exclude = ("role",)


def _has_known_members(position: Mapping[str, object]) -> None:
    try:
        check_members(position)
    except PositionError as error:
        raise ValidationError(str(error).removeprefix("position: ")) from None


class GuestRules(Schema):
    """The rules for people without an address; what is left out is as usual."""

    seats = fields.String(validate=validate.OneOf(guest_rules.SEATS))
    talk = fields.Boolean()
    stay = fields.String(validate=validate.OneOf(guest_rules.STAYS))
    pairs = fields.Boolean()


class NewGame(Schema):
    edition = fields.String(required=True, validate=line(40))
    options = fields.Dict(keys=fields.String())
    clock = fields.Dict(keys=fields.String())
    seats = fields.List(fields.Nested(NewSeat), validate=validate.Length(2, 6))
    players = WholeNumber(1, 99)
    visibility = fields.String(validate=validate.OneOf(["public", "private"]))
    name = fields.String(
        validate=line(40), metadata={"description": "of the game; one such as `Foggy Thames`, if left out"}
    )
    label = fields.String(validate=line(80), allow_none=True)
    seating = fields.String(
        validate=validate.OneOf(WAYS), metadata={"description": "how Mr. X and the other seats are chosen at the start"}
    )
    guests = fields.Nested(
        GuestRules, metadata={"description": "what people without an address may do who have the link"}
    )
    position = fields.Dict(keys=fields.String(), validate=_has_known_members)
    seed = fields.String(
        validate=line(40), metadata={"description": "of a practice game: the same one deals and draws the same again"}
    )


class ChangedGame(Schema):
    name = fields.String(validate=line(40))
    visibility = fields.String(
        validate=validate.OneOf(["public"]), metadata={"description": "a public game does not become private again"}
    )
    guests = fields.Nested(GuestRules, metadata={"description": "what is left out stays as it is"})


class LinkForGuest(Answer):
    name = fields.String(metadata={"description": "of the guest"})
    link = fields.String(metadata={"description": "opens their seat, once; shown this once"})


class Join(Schema):
    seat = WholeNumber(1, 6)
    role = fields.String(validate=validate.OneOf(["mr_x", "detective"]))
    code = fields.String(validate=validate.Length(1, 32))


class NewHost(Schema):
    seat = WholeNumber(1, 6, required=True)
