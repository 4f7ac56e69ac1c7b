"""Players: their accounts, addresses, tokens and mail."""

from marshmallow import Schema, fields, validate

from server.api.schemas.answers import Answer
from server.api.schemas.values import line
from server.application.people import mail_frequency
from server.models import CALENDAR, SCOPES

HOW_MUCH = f"how much mail comes: {mail_frequency.HINT}"
STATES = ["held", "pending", "gathered", "sent", "bounced", "superseded", "suppressed", "dead", "restored"]


class Me(Answer):
    id = fields.String()
    name = fields.String()
    email = fields.String()
    zone = fields.String()


class ChangedMe(Schema):
    name = fields.String(validate=validate.Length(1, 200))


class SignUp(Schema):
    name = fields.String(required=True, validate=validate.Length(1, 200))
    email = fields.String(required=True, validate=validate.Length(1, 300))
    zone = fields.String(validate=line(64))


class SignedUp(Answer):
    detail = fields.String()


class ConfirmAddress(Schema):
    code = fields.String(required=True, validate=line(40))


class Confirm(ConfirmAddress):
    name = fields.String(validate=validate.Length(1, 200))
    game_code = fields.String(validate=line(40))


class NewPlayer(Answer):
    id = fields.String()
    token = fields.String(metadata={"description": "shown this once"})


class NewToken(Schema):
    name = fields.String(required=True, validate=line(40))
    scopes = fields.List(
        fields.String(validate=validate.OneOf((*SCOPES, CALENDAR))),
        required=True,
        validate=validate.Length(1, len(SCOPES)),
    )
    expires_at = fields.AwareDateTime(format="iso", allow_none=True)


class TokenView(Answer):
    id = fields.String()
    name = fields.String()
    scopes = fields.List(fields.String())
    created_at = fields.String()
    expires_at = fields.String(allow_none=True)
    last_used = fields.String(allow_none=True, metadata={"description": "a day"})


class BrowserView(Answer):
    id = fields.String()
    browser = fields.String(metadata={"description": "such as Firefox on Linux"})
    created_at = fields.String()
    last_used = fields.String(metadata={"description": "a day"})
    is_this = fields.Boolean(metadata={"description": "whether the request came from it"})


class MadeToken(TokenView):
    token = fields.String(metadata={"description": "shown this once"})


class TokenList(Answer):
    tokens = fields.List(fields.Nested(TokenView))


class Preferences(Schema):
    zone = fields.String(validate=line(64))
    mail = fields.String(validate=validate.Length(1, 60), metadata={"description": HOW_MUCH})
    ask = fields.String(
        validate=validate.OneOf(["on", "off"]),
        metadata={"description": "whether the server asks you to confirm a move by mail"},
    )
    night = fields.String(
        validate=validate.Length(1, 20), metadata={"description": "hours such as 23:00-07:00, or off"}
    )
    vacation = fields.String(
        validate=validate.OneOf(["on", "off"]),
        metadata={"description": "whether the server takes vacation days before you miss a deadline"},
    )
    picture = fields.String(
        validate=validate.OneOf(["on", "own", "off"]),
        metadata={"description": "whether mails have the board as a picture; own shows Mr. X his station in his"},
    )
    station = fields.String(
        validate=validate.OneOf(["mail", "page"]),
        metadata={"description": "whether Mr. X's mails tell where he is, or link to the page of the game instead"},
    )


class PreferencesView(Answer, Preferences):
    """All preferences of a player."""


class GamePreferences(Schema):
    mail = fields.String(
        validate=validate.Length(1, 60), metadata={"description": f"{HOW_MUCH}; or inherit, as in all your games"}
    )


class GamePreferencesView(Answer, GamePreferences):
    applies = fields.String(metadata={"description": "how much mail you get about the game as a result"})


class NewAddress(Schema):
    email = fields.String(required=True, validate=validate.Length(1, 300))


class AddressView(Answer):
    id = fields.String()
    email = fields.String()
    primary = fields.Boolean(metadata={"description": "the server sends all mail there"})
    confirmed_at = fields.String()
    bounced_at = fields.String(
        allow_none=True,
        metadata={"description": "the time since which mails to it do not arrive; the server sends none there"},
    )


class AddressList(Answer):
    addresses = fields.List(fields.Nested(AddressView))


class NewBlock(Schema):
    player = fields.String(validate=validate.Length(1, 40), metadata={"description": "an id"})
    who = fields.String(
        validate=validate.Length(1, 300),
        metadata={"description": "the name of a player you met in a game or who invited you; or a mail address"},
    )


class BlockView(Answer):
    id = fields.String()
    player = fields.String(allow_none=True)
    name = fields.String(allow_none=True)
    email = fields.String(
        allow_none=True, metadata={"description": "if an address was named; it is then only about invitations"}
    )
    since = fields.String()


class BlockList(Answer):
    blocks = fields.List(fields.Nested(BlockView))


class Delivery(Answer):
    id = fields.String()
    kind = fields.String()
    game = fields.String(allow_none=True)
    state = fields.String(validate=validate.OneOf(STATES))
    attempts = fields.Integer()
    error = fields.String(allow_none=True)
    created_at = fields.String()
    not_before = fields.String(
        allow_none=True, metadata={"description": "when the server sends it, or tries again; null if it does not"}
    )
    sent_at = fields.String(allow_none=True)
    told_in = fields.String(allow_none=True, metadata={"description": "the digest that has its content"})


class DeliveryList(Answer):
    deliveries = fields.List(fields.Nested(Delivery))


class Farewell(Schema):
    name = fields.String(required=True, validate=validate.Length(1, 200))


class Export(Answer):
    player = fields.Dict()
    addresses = fields.List(fields.Nested(AddressView))
    tokens = fields.List(fields.Nested(TokenView))
    browsers = fields.List(fields.Nested(BrowserView))
    webhooks = fields.List(fields.Dict())
    games = fields.List(fields.Dict())
    mails_to_me = fields.List(fields.Nested(Delivery))
    mails_from_me = fields.List(fields.Dict())
    kept_answers = fields.List(fields.Dict())
    absences = fields.List(fields.Dict())
    blocks = fields.List(fields.Nested(BlockView))
    reports = fields.List(fields.Dict())
    sign_ups = fields.List(fields.String())
    invitations = fields.List(fields.String())
