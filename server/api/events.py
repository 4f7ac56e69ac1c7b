"""What happened since: to be asked for every now and then. Moves are hours apart, so nothing is streamed."""

from typing import Any

from flask import Response, jsonify
from flask_smorest import Blueprint
from marshmallow import Schema, fields, validate

from server.api.access import asks, caller, known, of_game, private, query
from server.api.schemas.events import GameEvents, MyEvents
from server.api.schemas.values import Page, Written
from server.application.game.access import visible
from server.application.news import feed

blueprint = Blueprint("events", __name__, description="What happened")
blueprint.after_request(private)

# Seconds after which it makes sense to ask again.
RETRY_AFTER = 60


class OfPlayer(Schema):
    after = fields.String(validate=validate.Length(1, 100_000))
    limit = Written(1, 1000)


@blueprint.after_request
def ask_again(response: Response) -> Response:
    """Say when there may be more."""
    if response.status_code in (200, 304):
        response.headers["Retry-After"] = str(RETRY_AFTER)
    return response


@blueprint.get("/games/<game_id>/events")
@known
@of_game
@asks(blueprint, Page)
@blueprint.response(200, GameEvents)
def of_one_game(game_id: str) -> Any:
    """What happened in one game behind number `after`; `next` is the `after` of the next question."""
    return jsonify(feed.of_game(visible(game_id, caller()), **query(Page())))


@blueprint.get("/me/events")
@known
@asks(blueprint, OfPlayer)
@blueprint.response(200, MyEvents)
def of_all_games() -> Any:
    """What happened in all my games behind `after`, which is the `next` of an earlier answer."""
    return jsonify(feed.of_player(caller(), **query(OfPlayer())))
