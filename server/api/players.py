"""Sign-up, accounts, addresses, preferences, blocks and tokens of players."""

from typing import ClassVar

from flask import Response, jsonify
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from server.api.access import ANYBODY, current_player, for_player, for_viewer
from server.api.endpoints import Section
from server.api.reading import body, next_page, query
from server.api.schemas.games import GameList
from server.api.schemas.values import EMAIL, ID, NAME, Answer, WholeNumber, Written, answer, described, line, whole
from server.application.game.look import look
from server.application.lists import listing
from server.application.mail import deliveries, mail_choices
from server.application.people import tokens as player_tokens
from server.application.people.accounts import abuse_reports, blocks, renaming
from server.application.people.accounts import addresses as emails
from server.application.people.accounts.deletion import delete_account
from server.application.people.accounts.export import export_account
from server.application.people.accounts.preferences import change_preferences, preferences_of
from server.application.people.accounts.sign_up import confirm_code, request_code
from server.http import peer
from server.models import CALENDAR, SCOPES, Player
from server.vocabulary.preferences import BY_NAME, HOW_MUCH, MAIL, PREFERENCES, Preference

STATES = ["held", "pending", "gathered", "sent", "bounced", "superseded", "suppressed", "dead", "restored"]


class Me(Answer):
    id = fields.String()
    name = fields.String()
    email = fields.String()
    zone = fields.String()


def _field(row: Preference) -> fields.String:
    """Return the field of a preference."""
    text = (validate.Length(1, row.longest), whole(row.pattern, f"Write {row.about}."))
    return fields.String(validate=validate.OneOf(row.values) if row.choices else text, **described(row.about))


class ChangedMe(Schema):
    name = fields.String(validate=NAME)


class SignUp(Schema):
    name = fields.String(required=True, validate=NAME)
    email = fields.String(required=True, validate=EMAIL)
    zone = _field(BY_NAME["zone"])


class SignedUp(Answer):
    detail = fields.String()


class ConfirmAddress(Schema):
    code = fields.String(required=True, validate=line(40))


class Confirm(ConfirmAddress):
    name = fields.String(validate=NAME)
    game_code = fields.String(validate=line(40))


class NewPlayer(Answer):
    id = fields.String()
    token = fields.String(**described("shown this once"))


class NewToken(Schema):
    name = fields.String(required=True, validate=NAME)
    scopes = fields.List(
        fields.String(validate=validate.OneOf((*SCOPES, CALENDAR))),
        required=True,
        validate=validate.Length(1, len(SCOPES)),
    )
    expires_at = fields.AwareDateTime(format="iso", allow_none=True)


TokenView = answer("TokenView", player_tokens.OwnToken, last_used="a day")


class BrowserView(Answer):
    id = fields.String()
    browser = fields.String(**described("such as Firefox on Linux"))
    created_at = fields.String()
    last_used = fields.String(**described("a day"))
    is_this = fields.Boolean(**described("whether the request came from it"))


MadeToken = answer(
    "MadeToken",
    player_tokens.OwnToken,
    TokenView,
    token=fields.String(**described("shown this once")),
)


class TokenList(Answer):
    tokens = fields.List(fields.Nested(TokenView))


class Preferences(Schema):
    class Meta:
        include: ClassVar[dict[str, fields.String]] = {row.name: _field(row) for row in PREFERENCES}


class PreferencesView(Answer, Preferences):
    """All preferences of a player."""


class GamePreferences(Schema):
    mail = fields.String(
        validate=whole(f"inherit|{MAIL}", f"Choose one of {HOW_MUCH}; or inherit, which is as in all your games."),
        **described(f"{BY_NAME['mail'].about}; or inherit, as in all your games"),
    )


class GamePreferencesView(Answer, GamePreferences):
    applies = fields.String(**described("how much mail you get about the game as a result"))


class NewAddress(Schema):
    email = fields.String(required=True, validate=EMAIL)


class AddressView(Answer):
    id = fields.String()
    email = fields.String()
    primary = fields.Boolean(**described("the server sends all mail there"))
    confirmed_at = fields.String()
    bounced_at = fields.String(
        allow_none=True,
        **described("the time since which mails to it do not arrive; the server sends none there"),
    )


class AddressList(Answer):
    addresses = fields.List(fields.Nested(AddressView))


class NewBlock(Schema):
    player = fields.String(validate=validate.Length(1, 40), **described("an id"))
    who = fields.String(
        validate=validate.Length(1, 300),
        **described("the name of a player you met in a game or who invited you; or a mail address"),
    )


class BlockView(Answer):
    id = fields.String()
    player = fields.String(allow_none=True)
    name = fields.String(allow_none=True)
    email = fields.String(allow_none=True, **described("if an address was named; it is then only about invitations"))
    since = fields.String()


class BlockList(Answer):
    blocks = fields.List(fields.Nested(BlockView))


class NewReport(Schema):
    kind = fields.String(required=True, validate=validate.OneOf(abuse_reports.KINDS))
    number = WholeNumber(
        0,
        10**9,
        **described("of the message; or of the seat whose player has the name, 0 for the host's"),
    )


Delivery = answer(
    "Delivery",
    deliveries.MailView,
    state=fields.String(validate=validate.OneOf(STATES)),
    not_before="when the server sends it, or tries again; null if it does not",
    told_in="the digest that has its content",
)


class DeliveryList(Answer):
    deliveries = fields.List(fields.Nested(Delivery))


class Farewell(Schema):
    name = fields.String(required=True, validate=NAME)


class Export(Answer):
    player = fields.Dict()
    addresses = fields.List(fields.Nested(AddressView))
    tokens = fields.List(fields.Nested(TokenView))
    browsers = fields.List(fields.Nested(BrowserView))
    webhooks = fields.List(fields.Dict())
    devices = fields.List(fields.Dict())
    games = fields.List(fields.Dict())
    mails_to_me = fields.List(fields.Nested(Delivery))
    mails_from_me = fields.List(fields.Dict())
    kept_answers = fields.List(fields.Dict())
    absences = fields.List(fields.Dict())
    blocks = fields.List(fields.Nested(BlockView))
    reports = fields.List(fields.Dict())
    sign_ups = fields.List(fields.String())
    invitations = fields.List(fields.String())


section = Section("players", __name__, "Players")


class DeliveriesQuery(Schema):
    after = fields.String(validate=ID)
    limit = Written(1, 100)


SIGNED_UP = {"detail": "If mail can be sent to this address, one is on its way."}


@section.endpoint("POST /players", access=ANYBODY, body=SignUp, answers=SignedUp, status=202)
def sign_up() -> ResponseReturnValue:
    """Sign up: the server mails a code to the address. The answer is the same if the address is known."""
    request_code(**body(), network=peer.network())
    return SIGNED_UP


@section.endpoint("POST /players/confirm", access=ANYBODY, body=Confirm, answers=NewPlayer, status=201)
def confirm() -> ResponseReturnValue:
    """Confirm the sign-up with the code that came by mail, and become a player.

    `game_code` is the code of a game, for somebody new where only invited people may come in.
    """
    player, token = confirm_code(**body())
    return {"id": player.id, "token": token}


@section.endpoint("GET /me", access=for_player("read"), answers=Me)
def me() -> Player:
    """Return the player whom this token belongs to."""
    return current_player()


@section.endpoint("PATCH /me", access=for_player("admin"), body=ChangedMe, needs_body=False, answers=Me)
def rename() -> Player:
    """Change your name, in running games too."""
    wanted = body()
    return renaming.rename(current_player().id, **wanted) if wanted else current_player()


@section.endpoint("DELETE /me", access=for_player("admin"), body=Farewell, answers=None, status=204)
def take_away() -> None:
    """Delete your account: name, address, tokens and mails. The body repeats the name, as a confirmation."""
    delete_account(current_player().id, **body())


@section.endpoint("GET /me/waiting", access=for_player("read"), answers=GameList)
def waiting() -> ResponseReturnValue:
    """List the games that wait for your move."""
    return {"games": listing.waiting_for(current_player())}


@section.endpoint("GET /me/export", access=for_player("read"), answers=Export)
def export() -> Response:
    """Return everything that the server has stored about you."""
    return jsonify(export_account(current_player()))


@section.endpoint("GET /me/preferences", access=for_player("read"), answers=PreferencesView)
def preferences() -> ResponseReturnValue:
    """Return your preferences: time zone, how much mail you get, and how moves by mail are confirmed."""
    return preferences_of(current_player())


@section.endpoint(
    "PATCH /me/preferences", access=for_player("admin"), body=Preferences, needs_body=False, answers=PreferencesView
)
def prefer() -> ResponseReturnValue:
    """Change any of your preferences."""
    return preferences_of(change_preferences(current_player().id, **body()))


@section.endpoint("GET /games/<game_id>/preferences", access=for_viewer("read"), answers=GamePreferencesView)
def game_preferences(game_id: str) -> ResponseReturnValue:
    """Return how much mail you get about one game, if that differs from your other games."""
    return mail_choices.preferences(look(game_id, current_player()), current_player())


@section.endpoint(
    "PATCH /games/<game_id>/preferences",
    access=for_viewer("play"),
    body=GamePreferences,
    needs_body=False,
    answers=GamePreferencesView,
)
def prefer_for_game(game_id: str) -> ResponseReturnValue:
    """Change how much mail you get about one game."""
    return mail_choices.choose_for_game(game_id, current_player(), **body())


@section.endpoint("GET /me/addresses", access=for_player("read"), answers=AddressList)
def addresses() -> ResponseReturnValue:
    """List your mail addresses."""
    return {"addresses": emails.addresses_of(current_player())}


@section.endpoint("POST /me/addresses", access=for_player("admin"), body=NewAddress, answers=SignedUp, status=202)
def add_address() -> ResponseReturnValue:
    """Ask for one more address: the server mails a code to it. The answer is the same if it is another player's."""
    emails.ask_for(current_player().id, **body())
    return SIGNED_UP


@section.endpoint(
    "POST /me/addresses/confirm", access=for_player("admin"), body=ConfirmAddress, answers=AddressView, status=201
)
def confirm_address() -> ResponseReturnValue:
    """Confirm an address with the code that was mailed to it."""
    return emails.confirm(current_player().id, **body())


@section.endpoint("POST /me/addresses/<address_id>/primary", access=for_player("admin"), answers=AddressView)
def make_primary(address_id: str) -> ResponseReturnValue:
    """Get all mail at this address from now on."""
    return emails.make_primary(current_player().id, address_id)


@section.endpoint("DELETE /me/addresses/<address_id>", access=for_player("admin"), answers=None, status=204)
def remove_address(address_id: str) -> None:
    """Remove an address; the primary one cannot be removed."""
    emails.remove(current_player().id, address_id)


@section.endpoint("GET /me/blocks", access=for_player("read"), answers=BlockList)
def my_blocks() -> ResponseReturnValue:
    """List your blocks: those whose invitations and messages to all you do not get."""
    return {"blocks": blocks.blocks_of(current_player())}


@section.endpoint(
    "POST /me/blocks", access=for_player("admin"), body=NewBlock, once=True, answers=BlockView, status=201
)
def block() -> ResponseReturnValue:
    """Block somebody, named by one of `player` and `who`. They are not told."""
    return jsonify(blocks.facts(blocks.add(current_player(), body()))), 201


@section.endpoint("DELETE /me/blocks/<block_id>", access=for_player("admin"), answers=None, status=204)
def unblock(block_id: str) -> None:
    """Remove a block. Messages that came during the block are not delivered later."""
    blocks.remove(current_player(), block_id)


@section.endpoint("POST /games/<game_id>/reports", access=for_viewer("play"), body=NewReport, answers=None, status=204)
def report(game_id: str) -> None:
    """Report a message, a player's name or an invitation to the operator. The player is not told."""
    abuse_reports.report(game_id, current_player(), **{"number": None, **body()})


@section.endpoint("GET /me/deliveries", access=for_player("read"), query=DeliveriesQuery, answers=DeliveryList)
def my_deliveries() -> ResponseReturnValue:
    """List the mails sent to you and their states, the newest first, in pages: the `Link` header names the next."""
    wanted = {"limit": 50, **query()}
    found = deliveries.mails_to(current_player(), **wanted)
    return {"deliveries": found}, next_page(found[-1]["id"]) if len(found) == wanted["limit"] else {}


@section.endpoint("GET /me/tokens", access=for_player("read"), answers=TokenList)
def tokens() -> ResponseReturnValue:
    """List your tokens, without their secrets."""
    return {"tokens": player_tokens.tokens_of(current_player())}


@section.endpoint("POST /me/tokens", access=for_player("admin"), body=NewToken, answers=MadeToken, status=201)
def add_token() -> ResponseReturnValue:
    """Make a token; its secret is shown only now."""
    token, secret = player_tokens.add(current_player().id, **body())
    return {**player_tokens.facts(token), "token": secret}


@section.endpoint("DELETE /me/tokens/<token_id>", access=for_player("admin"), answers=None, status=204)
def revoke(token_id: str) -> None:
    """Revoke a token; the server refuses it from now on."""
    player_tokens.revoke(token_id, current_player())
