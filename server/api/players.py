"""Players: signing up, who am I and which games wait for me, tokens, preferences, and leaving for good."""

from typing import Any

from flask import Response, jsonify
from flask_smorest import Blueprint
from marshmallow import Schema, fields

from server.api.access import KEY, asks, body, caller, known, needs, next_page, of_game, once, private, query, takes
from server.api.limits import anybody, network
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
from server.application.accounts import accounts, blocks
from server.application.accounts import addresses as emails
from server.application.game.access import visible
from server.application.mail import deliveries
from server.application.news import mail_choices
from server.application.people import players
from server.application.play import listing

blueprint = Blueprint("players", __name__, description="Players")
blueprint.after_request(private)


class DeliveriesQuery(Schema):
    after = fields.String(validate=ID)
    limit = Written(1, 100)


SIGNED_UP = {"detail": "If mail can be sent to this address, one is on its way."}


@blueprint.post("/players")
@blueprint.doc(security=[])
@anybody
@takes(blueprint, SignUp)
@blueprint.response(202, SignedUp)
def sign_up() -> Any:
    """Sign up: a code is mailed to the address. The answer is the same for an address that is known."""
    accounts.sign_up(**body(SignUp()), network=network())
    return SIGNED_UP


@blueprint.post("/players/confirm")
@blueprint.doc(security=[])
@anybody
@takes(blueprint, Confirm)
@blueprint.response(201, NewPlayer)
def confirm() -> Any:
    """Become a player with the code that came by mail."""
    player, token = accounts.confirm(**body(Confirm()))
    return {"id": player.id, "token": token}


@blueprint.get("/me")
@known
@blueprint.response(200, Me)
def me() -> Any:
    """The player this token belongs to."""
    return caller()


@blueprint.patch("/me")
@known
@needs("admin")
@takes(blueprint, ChangedMe, required=False)
@blueprint.response(200, Me)
def rename() -> Any:
    """Be called something else; games that run name me so as well."""
    wanted = body(ChangedMe())
    return accounts.rename(caller().id, **wanted) if wanted else caller()


@blueprint.delete("/me")
@known
@needs("admin")
@takes(blueprint, Farewell)
@blueprint.response(204)
def take_away() -> None:
    """End the account: name, address, tokens and mails are gone. The body repeats the name, as a confirmation."""
    accounts.take_away(caller().id, **body(Farewell()))


@blueprint.get("/me/waiting")
@known
@blueprint.response(200, GameList)
def waiting() -> Any:
    """The games that wait for a move of mine."""
    return {"games": listing.waiting_for(caller())}


@blueprint.get("/me/export")
@known
@blueprint.response(200, Export)
def export() -> Response:
    """Everything the server holds of me."""
    return jsonify(accounts.export(caller()))


@blueprint.get("/me/preferences")
@known
@blueprint.response(200, PreferencesView)
def preferences() -> Any:
    """My time zone, whether I get mail, and whether I am asked before a mailed move counts."""
    return accounts.preferences(caller())


@blueprint.patch("/me/preferences")
@known
@needs("admin")
@takes(blueprint, Preferences, required=False)
@blueprint.response(200, PreferencesView)
def prefer() -> Any:
    """Change any of them."""
    return accounts.preferences(accounts.prefer(caller().id, **body(Preferences())))


@blueprint.get("/games/<game_id>/preferences")
@known
@of_game
@blueprint.response(200, GamePreferencesView)
def game_preferences(game_id: str) -> Any:
    """How much mail comes to me about one game, where that is not as in all others."""
    return mail_choices.preferences(visible(game_id, caller()), caller())


@blueprint.patch("/games/<game_id>/preferences")
@known
@of_game
@takes(blueprint, GamePreferences, required=False)
@needs("play")
@blueprint.response(200, GamePreferencesView)
def prefer_for_game(game_id: str) -> Any:
    """Change that."""
    return mail_choices.choose_for_game(game_id, caller(), **body(GamePreferences()))


@blueprint.get("/me/addresses")
@known
@blueprint.response(200, AddressList)
def addresses() -> Any:
    """My mail addresses."""
    return {"addresses": emails.of(caller())}


@blueprint.post("/me/addresses")
@known
@needs("admin")
@takes(blueprint, NewAddress)
@blueprint.response(202, SignedUp)
def add_address() -> Any:
    """Ask for one more address: a code is mailed to it. The answer is the same for one that is somebody's."""
    emails.ask_for(caller().id, **body(NewAddress()))
    return SIGNED_UP


@blueprint.post("/me/addresses/confirm")
@known
@needs("admin")
@takes(blueprint, ConfirmAddress)
@blueprint.response(201, AddressView)
def confirm_address() -> Any:
    """The address is mine to which this code was mailed."""
    return emails.confirm(caller().id, **body(ConfirmAddress()))


@blueprint.post("/me/addresses/<address_id>/primary")
@known
@needs("admin")
@blueprint.response(200, AddressView)
def make_primary(address_id: str) -> Any:
    """Get all mail at this one of my addresses from now on."""
    return emails.make_primary(caller().id, address_id)


@blueprint.delete("/me/addresses/<address_id>")
@known
@needs("admin")
@blueprint.response(204)
def remove_address(address_id: str) -> None:
    """Take an address away; the primary one stays."""
    emails.remove(caller().id, address_id)


@blueprint.get("/me/blocks")
@known
@blueprint.response(200, BlockList)
def my_blocks() -> Any:
    """From whom I want no invitations and nothing of what they say to all."""
    return {"blocks": blocks.of(caller())}


@blueprint.post("/me/blocks")
@known
@takes(blueprint, NewBlock, KEY)
@once
@needs("admin")
@blueprint.response(201, BlockView)
def block() -> Any:
    """Block somebody: one of `player` and `who`. They are not told, and notice nothing."""
    return jsonify(blocks.facts(blocks.add(caller(), body(NewBlock())))), 201


@blueprint.delete("/me/blocks/<block_id>")
@known
@needs("admin")
@blueprint.response(204)
def unblock(block_id: str) -> None:
    """End a block. What came meanwhile is not delivered later."""
    blocks.remove(caller(), block_id)


@blueprint.get("/me/deliveries")
@known
@asks(blueprint, DeliveriesQuery)
@blueprint.response(200, DeliveryList)
def my_deliveries() -> Any:
    """What was mailed to me and what became of it, the newest first, in pages: the `Link` header names the next."""
    wanted = {"limit": 50, **query(DeliveriesQuery())}
    found = deliveries.of(caller(), **wanted)
    return {"deliveries": found}, next_page(found[-1]["id"]) if len(found) == wanted["limit"] else {}


@blueprint.get("/me/tokens")
@known
@blueprint.response(200, TokenList)
def tokens() -> Any:
    """My tokens, without their secrets."""
    return {"tokens": players.tokens_of(caller())}


@blueprint.post("/me/tokens")
@known
@needs("admin")
@takes(blueprint, NewToken)
@blueprint.response(201, MadeToken)
def add_token() -> Any:
    """Make a token; its secret is shown this once."""
    token, secret = players.add_token(caller().id, **body(NewToken()))
    return {**players.token_facts(token), "token": secret}


@blueprint.delete("/me/tokens/<token_id>")
@known
@needs("admin")
@blueprint.response(204)
def revoke(token_id: str) -> None:
    """Take a token away; it is refused from then on."""
    players.revoke(token_id, caller())
