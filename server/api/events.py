"""Events of games, for clients that poll, and a stream that says when to. No request for events waits."""

from flask import Response, jsonify
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from server.api.access import current_player, digest, for_anybody, for_player, reader
from server.api.endpoints import File, Section
from server.api.reading import query
from server.api.schemas.games import GameEvents, MyEvents
from server.api.schemas.values import NoQuery, Page, Written, described
from server.application.game.look import look
from server.application.lists import feed
from server.http import streams
from server.http.streams import Watch
from server.models import topics
from server.wording.practice import why

section = Section("events", __name__, "What happened")

RETRY_AFTER = 60  # seconds between two polls
RETRY_SOON_AFTER = 5  # seconds, for a client that would wait
LONGEST_WAIT = 60  # seconds
ABOUT_WAIT = "of clients of version 0.2: if there is no event, a 304 comes at once; `GET /me/stream` says when to ask"


class OfPlayer(Schema):
    after = fields.String(validate=validate.Length(1, 100_000), metadata={"pattern": "^[A-Za-z0-9_=-]+$"})
    limit = Written(1, 1000)
    wait = Written(0, LONGEST_WAIT, **described(ABOUT_WAIT))


@section.endpoint(
    "GET /games/<game_id>/events", access=for_anybody("read"), query=Page, answers=GameEvents, retry_after=RETRY_AFTER
)
def of_one_game(game_id: str) -> ResponseReturnValue:
    """List the events of one game behind number `after`; send `next` as the `after` of your next request."""
    return jsonify(feed.of_game(look(game_id, reader()), why, **query()))


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


@section.endpoint(
    "GET /me/stream",
    access=for_player("read"),
    query=NoQuery,
    answers=File("text/event-stream"),
    about="`data: ask` whenever there may be new events; a line with a colon alone is a sign of life",
    also={204: (None, "No stream: there is none here, or none left for you; ask now and then")},
)
def stream() -> Response:
    """Hold a stream of server-sent events open that says `ask` when `GET /me/events` may have something new.

    Ask once when it opens, and then each time with the `after` that you have. It ends within ten minutes, and when the
    token is revoked; open another one then.
    """
    player = current_player()
    heard = frozenset((topics.to_ask(player.id), topics.end_of(player.id), topics.end_of(digest())))
    return streams.answer(Watch("player", player.id, heard, feed.has_seat(player)))
