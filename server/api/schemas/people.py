"""Players: their accounts, addresses, tokens and mail."""

from typing import Any, ClassVar

from marshmallow import Schema, fields, validate

from server.api.schemas.answers import Answer
from server.api.schemas.values import WholeNumber, line
from server.application.people.accounts import abuse_reports
from server.models import CALENDAR, SCOPES
from server.vocabulary.preferences import BY_NAME, PREFERENCES, Preference

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


def _field(row: Preference) -> fields.String:
    """Return the field of a preference."""
    allowed: Any = validate.Length(1, row.longest)
    if row.choices:
        allowed = validate.OneOf(row.values)
    elif row.is_line:
        allowed = line(row.longest)
    return fields.String(validate=allowed, metadata={"description": row.about} if row.about else {})


class Preferences(Schema):
    class Meta:
        include: ClassVar[dict[str, fields.String]] = {row.name: _field(row) for row in PREFERENCES}


class PreferencesView(Answer, Preferences):
    """All preferences of a player."""


class GamePreferences(Schema):
    mail = fields.String(
        validate=validate.Length(1, 60),
        metadata={"description": f"{BY_NAME['mail'].about}; or inherit, as in all your games"},
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


class NewReport(Schema):
    kind = fields.String(required=True, validate=validate.OneOf(abuse_reports.KINDS))
    number = WholeNumber(
        0,
        10**9,
        metadata={"description": "of the message; or of the seat whose player has the name, 0 for the host's"},
    )


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
