"""Players: signing up, who am I and which games wait for me, tokens, preferences, and leaving for good."""

from typing import Any

from flask import Response, jsonify
from flask_smorest import Blueprint
from marshmallow import Schema

from server.api import schemas
from server.api.access import body, caller, known, needs, private
from server.application import accounts, listing, players

blueprint = Blueprint("players", __name__, description="Players")
blueprint.after_request(private)
SIGNED_UP = {"detail": "If mail can be sent to this address, one is on its way."}


def _takes(schema: type[Schema]) -> Any:
    """Documents the body. What is answered here may hold a secret that is kept nowhere, so there is no key."""
    return blueprint.doc(requestBody={"content": {"application/json": {"schema": schema}}, "required": True})


@blueprint.post("/players")
@blueprint.doc(security=[])
@_takes(schemas.SignUp)
@blueprint.response(202, schemas.SignedUp)
def sign_up() -> Any:
    """Sign up: a code is mailed to the address. The answer is the same for an address that is known."""
    accounts.sign_up(**body(schemas.SignUp()))
    return SIGNED_UP


@blueprint.post("/players/confirm")
@blueprint.doc(security=[])
@_takes(schemas.Confirm)
@blueprint.response(201, schemas.NewPlayer)
def confirm() -> Any:
    """Become a player with the code that came by mail."""
    player, token = accounts.confirm(**body(schemas.Confirm()))
    return {"id": player.id, "token": token}


@blueprint.get("/me")
@known
@blueprint.response(200, schemas.Me)
def me() -> Any:
    """The player this token belongs to."""
    return caller()


@blueprint.delete("/me")
@known
@needs("admin")
@_takes(schemas.Farewell)
@blueprint.response(204)
def take_away() -> None:
    """End the account: name, address, tokens and mails are gone. The body repeats the name, as a confirmation."""
    accounts.take_away(caller().id, **body(schemas.Farewell()))


@blueprint.get("/me/waiting")
@known
@blueprint.response(200, schemas.GameList)
def waiting() -> Any:
    """The games that wait for a move of mine."""
    return {"games": listing.waiting_for(caller())}


@blueprint.get("/me/export")
@known
@blueprint.response(200, schemas.Export)
def export() -> Response:
    """Everything the server holds of me."""
    return jsonify(accounts.export(caller()))


@blueprint.get("/me/preferences")
@known
@blueprint.response(200, schemas.Preferences)
def preferences() -> Any:
    """My time zone, and whether I get mail."""
    return accounts.preferences(caller())


@blueprint.patch("/me/preferences")
@known
@needs("admin")
@_takes(schemas.Preferences)
@blueprint.response(200, schemas.Preferences)
def prefer() -> Any:
    """Change one of them, or both."""
    return accounts.preferences(accounts.prefer(caller().id, **body(schemas.Preferences())))


@blueprint.get("/me/tokens")
@known
@blueprint.response(200, schemas.TokenList)
def tokens() -> Any:
    """My tokens, without their secrets."""
    return {"tokens": players.tokens_of(caller())}


@blueprint.post("/me/tokens")
@known
@needs("admin")
@_takes(schemas.NewToken)
@blueprint.response(201, schemas.MadeToken)
def add_token() -> Any:
    """Make a token; its secret is shown this once."""
    token, secret = players.add_token(caller().id, **body(schemas.NewToken()))
    return {**players.token_facts(token), "token": secret}


@blueprint.delete("/me/tokens/<token_id>")
@known
@needs("admin")
@blueprint.response(204)
def revoke(token_id: str) -> None:
    """Take a token away; it is refused from then on."""
    players.revoke(token_id, caller())
