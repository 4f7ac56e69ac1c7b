"""Events of games, for clients that poll. Moves are hours apart, so nothing is streamed."""

from typing import Any

from flask import jsonify
from marshmallow import Schema, fields, validate

from server.api.access import current_player, for_player, for_viewer
from server.api.endpoints import Section
from server.api.reading import query
from server.api.schemas.events import GameEvents, MyEvents
from server.api.schemas.values import Page, Written
from server.application.game.access import visible
from server.application.news import feed

section = Section("events", __name__, "What happened")

RETRY_AFTER = 60  # seconds between two polls


class OfPlayer(Schema):
    after = fields.String(validate=validate.Length(1, 100_000))
    limit = Written(1, 1000)


@section.endpoint(
    "GET /games/<game_id>/events", access=for_viewer("read"), query=Page, answers=GameEvents, retry_after=RETRY_AFTER
)
def of_one_game(game_id: str) -> Any:
    """List the events of one game behind number `after`; send `next` as the `after` of your next request."""
    return jsonify(feed.of_game(visible(game_id, current_player()), **query()))


@section.endpoint(
    "GET /me/events", access=for_player("read"), query=OfPlayer, answers=MyEvents, retry_after=RETRY_AFTER
)
def of_all_games() -> Any:
    """List the events of all your games behind `after`, which is the `next` of an earlier answer."""
    return jsonify(feed.of_player(current_player(), **query()))
