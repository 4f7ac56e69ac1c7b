"""Events of games, for clients that poll, or wait for them. Moves are hours apart, so nothing is streamed."""

from typing import Any

from flask import Response, jsonify, request
from marshmallow import Schema, fields, validate

from server.api.access import current_player, for_player, for_viewer
from server.api.endpoints import Section
from server.api.reading import query
from server.api.schemas.events import GameEvents, MyEvents
from server.api.schemas.values import Page, Written
from server.application.game.look import look
from server.application.news import feed, marks
from server.http import waiting

section = Section("events", __name__, "What happened")

RETRY_AFTER = 60  # seconds between two polls
LONGEST_WAIT = 60  # seconds


class OfPlayer(Schema):
    after = fields.String(validate=validate.Length(1, 100_000))
    limit = Written(1, 1000)
    wait = Written(0, LONGEST_WAIT, metadata={"description": "seconds to wait while there is no event; then 304"})


@section.endpoint(
    "GET /games/<game_id>/events", access=for_viewer("read"), query=Page, answers=GameEvents, retry_after=RETRY_AFTER
)
def of_one_game(game_id: str) -> Any:
    """List the events of one game behind number `after`; send `next` as the `after` of your next request."""
    return jsonify(feed.of_game(look(game_id, current_player()), **query()))


@section.endpoint(
    "GET /me/events", access=for_player("read"), query=OfPlayer, answers=MyEvents, retry_after=RETRY_AFTER
)
def of_all_games() -> Any:
    """List the events of all your games behind `after`, which is the `next` of an earlier answer; `wait` for some."""
    wanted = query()
    wait = wanted.pop("wait", None)
    name = f"{marks.PLAYER}{current_player().id}"
    as_seen = marks.for_server([name]) if wait else {}  # before the events are read, so that none is missed in between
    found = feed.of_player(current_player(), **wanted)
    if found["events"] or wait is None:
        return jsonify(found)
    is_held = waiting.hold(request.environ, as_seen, wait)
    return Response(status=304, headers={} if is_held else {"Retry-After": str(RETRY_AFTER)})
