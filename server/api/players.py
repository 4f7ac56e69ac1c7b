"""Who am I, and which games wait for me."""

from typing import Any

from flask_smorest import Blueprint

from server.api import schemas
from server.api.access import caller, known, private
from server.application import listing

blueprint = Blueprint("players", __name__, description="Players")
blueprint.after_request(private)


@blueprint.get("/me")
@known
@blueprint.response(200, schemas.Me)
def me() -> Any:
    """The player this token belongs to."""
    return caller()


@blueprint.get("/me/waiting")
@known
@blueprint.response(200, schemas.GameList)
def waiting() -> Any:
    """The games that wait for a move of mine."""
    return {"games": listing.waiting_for(caller())}
