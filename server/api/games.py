"""Games around the moves: open, find, join, leave, start, read."""

from typing import Any

from flask import Response, jsonify, request, url_for
from flask_smorest import Blueprint
from marshmallow import Schema, fields, validate

from server.api import schemas
from server.api.access import (
    KEY,
    body,
    caller,
    check_key,
    known,
    needs,
    of_game,
    of_game_or_code,
    once,
    permit,
    private,
    query,
    takes,
)
from server.application import custody, lobby, projection, sealing
from server.application.games import visible
from server.application.listing import games as list_games

blueprint = Blueprint("games", __name__, description="Games")
blueprint.after_request(private)


class GamesQuery(Schema):
    status = fields.String(validate=validate.OneOf(["open", "running", "over"]))
    mine = fields.Boolean()
    waiting = fields.Boolean()
    label = fields.String(validate=schemas.line(80))
    after = fields.String(validate=schemas.ID)
    limit = fields.Integer(validate=validate.Range(1, 100))


@blueprint.post("/games")
@known
@takes(blueprint, schemas.NewGame)
@once
@needs("host")
@blueprint.response(201, schemas.GameView)
def open_game() -> Any:
    """Open a game; only `edition` is required."""
    wanted = body(schemas.NewGame())
    game = lobby.open_game(caller(), **wanted)
    return projection.project(game, caller()), 201, {"Location": f"{request.base_url}/{game.id}"}


@blueprint.get("/games")
@known
@blueprint.doc(parameters=[{"in": "query", "name": n, "schema": {"type": "string"}} for n in GamesQuery().fields])
@blueprint.response(200, schemas.GameList)
def games() -> Any:
    """Games I may see, in pages: the `Link` header names the next."""
    wanted = query(GamesQuery())
    limit = wanted.setdefault("limit", 50)
    found = list_games(caller(), **wanted)
    headers = {}
    if len(found) == limit:
        following = url_for("games.games", **{**request.args.to_dict(), "after": found[-1]["id"]})
        headers["Link"] = f'<{following}>; rel="next"'
    return {"games": found}, headers


@blueprint.get("/games/<game_id>")
@known
@of_game
@blueprint.response(200, schemas.GameView)
def game(game_id: str) -> Any:
    """The game as the caller may see it."""
    return jsonify(projection.project(visible(game_id, caller()), caller()))


@blueprint.post("/games/<game_id>/seats")
@known
@of_game_or_code
@takes(blueprint, schemas.Join, required=False)
@once
@needs("play")
@blueprint.response(201, schemas.GameView)
def join(game_id: str) -> Any:
    """Take a seat, or accept the one kept for you; a private game also with its `code`."""
    return projection.project(lobby.join(game_id, caller(), **body(schemas.Join())), caller())


@blueprint.delete("/games/<game_id>/seats/<int:seat>")
@known
@of_game
@needs("play", "host")
@blueprint.response(200, schemas.GameView)
def leave(game_id: str, seat: int) -> Any:
    """Leave before the start, or decline an invitation; the host may clear any seat."""
    if not _is_own(seat, game_id):
        permit("host")
    return projection.project(lobby.leave(game_id, caller(), seat), caller())


def _is_own(number: int, game_id: str) -> bool:
    seats = visible(game_id, caller()).seats
    return any(number == seat.number and caller().id in (seat.player_id, seat.invited_id) for seat in seats)


@blueprint.post("/games/<game_id>/start")
@known
@of_game
@blueprint.doc(parameters=[KEY])
@once
@needs("host")
@blueprint.response(200, schemas.GameView)
def start(game_id: str) -> Any:
    """Deal and begin; the host only."""
    check_key()
    return projection.project(lobby.start(game_id, caller()), caller())


@blueprint.post("/games/<game_id>/resign")
@known
@of_game
@blueprint.doc(parameters=[KEY])
@once
@needs("play")
@blueprint.response(200, schemas.GameView)
def resign(game_id: str) -> Any:
    """Give the game up: Mr. X for his side; a detective hands his seat to the house, the last one gives up for all."""
    check_key()
    return projection.project(custody.resign(game_id, caller()), caller())


@blueprint.get("/games/<game_id>/log")
@known
@of_game
@blueprint.response(200, schemas.Log)
def log(game_id: str) -> Any:
    """The travel log."""
    return {"log": projection.project(visible(game_id, caller()), caller())["log"]}


@blueprint.get("/games/<game_id>/record")
@known
@of_game
@blueprint.alt_response(200, description="The game record", success=True)
def record(game_id: str) -> Response:
    """The game record, redacted until the result is final."""
    return jsonify(projection.record(visible(game_id, caller()), caller()))


@blueprint.get("/games/<game_id>/transcript")
@known
@of_game
@blueprint.response(200, schemas.Transcript)
def transcript(game_id: str) -> Any:
    """All that happened in public, with the sealed chain over it: what `verify` checks."""
    return jsonify(sealing.transcript(visible(game_id, caller())))


@blueprint.get("/games/<game_id>/deadline")
@known
@of_game
@blueprint.response(200, schemas.DeadlineView)
def deadline(game_id: str) -> Any:
    """The deadline, and how it came about."""
    return projection.deadline(visible(game_id, caller()))
