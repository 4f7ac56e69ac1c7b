"""Sign-up, accounts, addresses, preferences, blocks and tokens of players."""

from typing import Any

from flask import Response, jsonify
from marshmallow import Schema, fields

from server.api.access import ANYBODY, caller, player, viewer
from server.api.endpoints import Section
from server.api.limits import network
from server.api.reading import body, next_page, query
from server.api.schemas.games import GameList
from server.api.schemas.people import (
    AddressList,
    AddressView,
    BlockList,
    BlockView,
    ChangedMe,
    Confirm,
    ConfirmAddress,
    DeliveryList,
    Export,
    Farewell,
    GamePreferences,
    GamePreferencesView,
    MadeToken,
    Me,
    NewAddress,
    NewBlock,
    NewPlayer,
    NewToken,
    Preferences,
    PreferencesView,
    SignedUp,
    SignUp,
    TokenList,
)
from server.api.schemas.values import ID, Written
from server.application.accounts import addresses as emails
from server.application.accounts import blocks, renaming
from server.application.accounts.deletion import delete_account
from server.application.accounts.export import export_account
from server.application.accounts.preferences import change_preferences, preferences_of
from server.application.accounts.sign_up import confirm_code, request_code
from server.application.game.access import visible
from server.application.mail import deliveries
from server.application.news import mail_choices
from server.application.people import players
from server.application.play import listing

section = Section("players", __name__, "Players")


class DeliveriesQuery(Schema):
    after = fields.String(validate=ID)
    limit = Written(1, 100)


SIGNED_UP = {"detail": "If mail can be sent to this address, one is on its way."}


@section.endpoint("POST /players", who=ANYBODY, body=SignUp, answers=SignedUp, status=202)
def sign_up() -> Any:
    """Sign up: the server mails a code to the address. The answer is the same if the address is known."""
    request_code(**body(), network=network())
    return SIGNED_UP


@section.endpoint("POST /players/confirm", who=ANYBODY, body=Confirm, answers=NewPlayer, status=201)
def confirm() -> Any:
    """Confirm the sign-up with the code that came by mail, and become a player."""
    player, token = confirm_code(**body())
    return {"id": player.id, "token": token}


@section.endpoint("GET /me", who=player("read"), answers=Me)
def me() -> Any:
    """Return the player whom this token belongs to."""
    return caller()


@section.endpoint("PATCH /me", who=player("admin"), body=ChangedMe, needs_body=False, answers=Me)
def rename() -> Any:
    """Change your name, in running games too."""
    wanted = body()
    return renaming.rename(caller().id, **wanted) if wanted else caller()


@section.endpoint("DELETE /me", who=player("admin"), body=Farewell, answers=None, status=204)
def take_away() -> None:
    """Delete your account: name, address, tokens and mails. The body repeats the name, as a confirmation."""
    delete_account(caller().id, **body())


@section.endpoint("GET /me/waiting", who=player("read"), answers=GameList)
def waiting() -> Any:
    """List the games that wait for your move."""
    return {"games": listing.waiting_for(caller())}


@section.endpoint("GET /me/export", who=player("read"), answers=Export)
def export() -> Response:
    """Return everything that the server has stored about you."""
    return jsonify(export_account(caller()))


@section.endpoint("GET /me/preferences", who=player("read"), answers=PreferencesView)
def preferences() -> Any:
    """Return your preferences: time zone, how much mail you get, and how moves by mail are confirmed."""
    return preferences_of(caller())


@section.endpoint(
    "PATCH /me/preferences", who=player("admin"), body=Preferences, needs_body=False, answers=PreferencesView
)
def prefer() -> Any:
    """Change any of your preferences."""
    return preferences_of(change_preferences(caller().id, **body()))


@section.endpoint("GET /games/<game_id>/preferences", who=viewer("read"), answers=GamePreferencesView)
def game_preferences(game_id: str) -> Any:
    """Return how much mail you get about one game, if that differs from your other games."""
    return mail_choices.preferences(visible(game_id, caller()), caller())


@section.endpoint(
    "PATCH /games/<game_id>/preferences",
    who=viewer("play"),
    body=GamePreferences,
    needs_body=False,
    answers=GamePreferencesView,
)
def prefer_for_game(game_id: str) -> Any:
    """Change how much mail you get about one game."""
    return mail_choices.choose_for_game(game_id, caller(), **body())


@section.endpoint("GET /me/addresses", who=player("read"), answers=AddressList)
def addresses() -> Any:
    """List your mail addresses."""
    return {"addresses": emails.of(caller())}


@section.endpoint("POST /me/addresses", who=player("admin"), body=NewAddress, answers=SignedUp, status=202)
def add_address() -> Any:
    """Ask for one more address: the server mails a code to it. The answer is the same if it is another player's."""
    emails.ask_for(caller().id, **body())
    return SIGNED_UP


@section.endpoint(
    "POST /me/addresses/confirm", who=player("admin"), body=ConfirmAddress, answers=AddressView, status=201
)
def confirm_address() -> Any:
    """Confirm an address with the code that was mailed to it."""
    return emails.confirm(caller().id, **body())


@section.endpoint("POST /me/addresses/<address_id>/primary", who=player("admin"), answers=AddressView)
def make_primary(address_id: str) -> Any:
    """Get all mail at this address from now on."""
    return emails.make_primary(caller().id, address_id)


@section.endpoint("DELETE /me/addresses/<address_id>", who=player("admin"), answers=None, status=204)
def remove_address(address_id: str) -> None:
    """Remove an address; the primary one cannot be removed."""
    emails.remove(caller().id, address_id)


@section.endpoint("GET /me/blocks", who=player("read"), answers=BlockList)
def my_blocks() -> Any:
    """List your blocks: those whose invitations and messages to all you do not get."""
    return {"blocks": blocks.of(caller())}


@section.endpoint("POST /me/blocks", who=player("admin"), body=NewBlock, once=True, answers=BlockView, status=201)
def block() -> Any:
    """Block somebody, named by one of `player` and `who`. They are not told."""
    return jsonify(blocks.facts(blocks.add(caller(), body()))), 201


@section.endpoint("DELETE /me/blocks/<block_id>", who=player("admin"), answers=None, status=204)
def unblock(block_id: str) -> None:
    """Remove a block. Messages that came during the block are not delivered later."""
    blocks.remove(caller(), block_id)


@section.endpoint("GET /me/deliveries", who=player("read"), query=DeliveriesQuery, answers=DeliveryList)
def my_deliveries() -> Any:
    """List the mails sent to you and their states, the newest first, in pages: the `Link` header names the next."""
    wanted = {"limit": 50, **query()}
    found = deliveries.of(caller(), **wanted)
    return {"deliveries": found}, next_page(found[-1]["id"]) if len(found) == wanted["limit"] else {}


@section.endpoint("GET /me/tokens", who=player("read"), answers=TokenList)
def tokens() -> Any:
    """List your tokens, without their secrets."""
    return {"tokens": players.tokens_of(caller())}


@section.endpoint("POST /me/tokens", who=player("admin"), body=NewToken, answers=MadeToken, status=201)
def add_token() -> Any:
    """Make a token; its secret is shown only now."""
    token, secret = players.add_token(caller().id, **body())
    return {**players.token_facts(token), "token": secret}


@section.endpoint("DELETE /me/tokens/<token_id>", who=player("admin"), answers=None, status=204)
def revoke(token_id: str) -> None:
    """Revoke a token; the server refuses it from now on."""
    players.revoke(token_id, caller())
