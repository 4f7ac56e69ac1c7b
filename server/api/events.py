"""Events of games, for clients that poll. Moves are hours apart, so nothing is streamed, and no request waits."""

from flask import Response, jsonify
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from server.api.access import current_player, for_anybody, for_player, reader
from server.api.endpoints import Section
from server.api.reading import query
from server.api.schemas.games import GameEvents, MyEvents
from server.api.schemas.values import Page, Written, described
from server.application.game.look import look
from server.application.lists import feed

section = Section("events", __name__, "What happened")

RETRY_AFTER = 60  # seconds between two polls
RETRY_SOON_AFTER = 5  # seconds, for a client that would wait
LONGEST_WAIT = 60  # seconds
ABOUT_WAIT = (
    "seconds for which you would wait for an event: if there is none, a 304 comes at once, with a Retry-After that "
    "says when to ask again"
)


class OfPlayer(Schema):
    after = fields.String(validate=validate.Length(1, 100_000), metadata={"pattern": "^[A-Za-z0-9_=-]+$"})
    limit = Written(1, 1000)
    wait = Written(0, LONGEST_WAIT, **described(ABOUT_WAIT))


@section.endpoint(
    "GET /games/<game_id>/events", access=for_anybody("read"), query=Page, answers=GameEvents, retry_after=RETRY_AFTER
)
def of_one_game(game_id: str) -> ResponseReturnValue:
    """List the events of one game behind number `after`; send `next` as the `after` of your next request."""
    return jsonify(feed.of_game(look(game_id, reader()), **query()))


@section.endpoint(
    "GET /me/events", access=for_player("read"), query=OfPlayer, answers=MyEvents, retry_after=RETRY_AFTER
)
def of_all_games() -> ResponseReturnValue:
    """List the events of all your games, and what you alone are told, since `after`, an earlier `next`."""
    wanted = query()
    would_wait = wanted.pop("wait", None) is not None
    found = feed.of_player(current_player(), **wanted)
    if would_wait and not found["events"]:
        return Response(status=304, headers={"Retry-After": str(RETRY_SOON_AFTER)})
    return jsonify(found)
