"""Games around the moves: open, find, join, leave, start, read."""

from typing import Any

from flask import Response, jsonify, request, url_for
from flask_smorest import Blueprint
from marshmallow import Schema, fields, validate

from server.api.access import (
    KEY,
    acts,
    asks,
    body,
    caller,
    known,
    needs,
    next_page,
    of_game,
    of_game_or_code,
    once,
    permit,
    private,
    query,
    takes,
    version,
)
from server.api.schemas.events import Transcript
from server.api.schemas.games import DeadlineView, Deduction, GameList, GameView, Log, OpenedGame
from server.api.schemas.opening import Guest, Join, NewGame, NewHost
from server.api.schemas.rules import Record
from server.api.schemas.values import ID, Written, WrittenBoolean, line
from server.application.game import sealed_log, views
from server.application.game.access import visible
from server.application.play import draws
from server.application.play.listing import games as list_games
from server.application.seats import hosting, lobby, opening, rematches, starting, substitution

blueprint = Blueprint("games", __name__, description="Games")
blueprint.after_request(private)


class GamesQuery(Schema):
    status = fields.String(validate=validate.OneOf(["open", "running", "over"]))
    mine = WrittenBoolean()
    waiting = WrittenBoolean()
    label = fields.String(validate=line(80))
    after = fields.String(validate=ID)
    limit = Written(1, 100)


@blueprint.post("/games")
@known
@takes(blueprint, NewGame, KEY)
@once
@needs("host")
@blueprint.response(201, OpenedGame)
def open_game() -> Any:
    """Open a game; only `edition` is required."""
    wanted = body(NewGame())
    game = opening.open_game(caller(), **wanted)
    view = views.project(game, caller()) | {"longest": views.longest(game)}
    return view, 201, {"Location": f"{request.base_url}/{game.id}"}


@blueprint.get("/games")
@known
@asks(blueprint, GamesQuery)
@blueprint.response(200, GameList)
def games() -> Any:
    """Games I may see, in pages: the `Link` header names the next."""
    wanted = query(GamesQuery())
    limit = wanted.setdefault("limit", 50)
    found = list_games(caller(), **wanted)
    return {"games": found}, next_page(found[-1]["id"]) if len(found) == limit else {}


@blueprint.get("/games/<game_id>")
@known
@of_game
@blueprint.response(200, GameView)
def game(game_id: str) -> Any:
    """The game as the caller may see it."""
    text = views.shown(game_id, caller(), version(), lambda view: jsonify(view).get_data())
    return Response(text, mimetype="application/json")


@blueprint.post("/games/<game_id>/seats")
@known
@of_game_or_code
@takes(blueprint, Join, KEY, required=False)
@once
@needs("play")
@blueprint.response(201, GameView)
def join(game_id: str) -> Any:
    """Take a seat, or accept the one kept for you; a private game also with its `code`."""
    return views.project(lobby.join(game_id, caller(), **body(Join())), caller())


@blueprint.put("/games/<game_id>/seats/<int:seat>")
@known
@of_game
@takes(blueprint, Guest, KEY)
@once
@needs("host")
@blueprint.response(200, GameView)
def invite(game_id: str, seat: int) -> Any:
    """Keep an open seat for somebody, or put a player of the house there; the host only."""
    hosting.check_host(visible(game_id, caller()), caller(), lobby.INVITES)
    return views.project(lobby.invite(game_id, caller(), seat, body(Guest())), caller())


@blueprint.delete("/games/<game_id>/seats/<int:seat>")
@known
@of_game
@needs("play", "host")
@blueprint.response(200, GameView)
def leave(game_id: str, seat: int) -> Any:
    """Leave before the start, or decline an invitation; the host may clear any seat."""
    if not _is_own(seat, game_id):
        permit("host")
    return views.project(lobby.leave(game_id, caller(), seat), caller())


def _is_own(number: int, game_id: str) -> bool:
    seats = visible(game_id, caller()).seats
    return any(number == seat.number and caller().id in (seat.player_id, seat.invited_id) for seat in seats)


@blueprint.post("/games/<game_id>/start")
@known
@of_game
@acts(blueprint)
@needs("host")
@blueprint.response(200, GameView)
def start(game_id: str) -> Any:
    """Deal and begin; the host only."""
    return views.project(starting.start(game_id, caller()), caller())


@blueprint.post("/games/<game_id>/resign")
@known
@of_game
@acts(blueprint)
@needs("play")
@blueprint.response(200, GameView)
def resign(game_id: str) -> Any:
    """Give the game up: Mr. X for his side; a detective hands his seat to the house, the last one gives up for all."""
    return views.project(substitution.resign(game_id, caller()), caller())


@blueprint.post("/games/<game_id>/draw")
@known
@of_game
@acts(blueprint)
@needs("play")
@blueprint.response(200, GameView)
def offer_draw(game_id: str) -> Any:
    """Offer a draw, or agree to one; when all at the table agree the game is over, provisionally."""
    return views.project(draws.offer(game_id, caller()), caller())


@blueprint.delete("/games/<game_id>/draw")
@known
@of_game
@needs("play")
@blueprint.response(200, GameView)
def withdraw_draw(game_id: str) -> Any:
    """Take my offer of a draw back, or my word for it."""
    return views.project(draws.withdraw(game_id, caller()), caller())


@blueprint.post("/games/<game_id>/host")
@known
@of_game
@takes(blueprint, NewHost, KEY)
@once
@needs("host")
@blueprint.response(200, GameView)
def hand_over(game_id: str) -> Any:
    """Hand the duties of the host to whoever sits on a seat; the host only."""
    hosting.check_host(visible(game_id, caller()), caller(), hosting.HANDS_OVER)
    return views.project(hosting.hand_over(game_id, caller(), body(NewHost())["seat"]), caller())


@blueprint.post("/games/<game_id>/rematch")
@known
@of_game
@acts(blueprint)
@needs("host")
@blueprint.response(201, GameView)
def rematch(game_id: str) -> Any:
    """The game in which the players of this one play again; whoever asks first opens it."""
    following = rematches.rematch(game_id, caller())
    location = url_for("games.game", game_id=following.id, _external=True)
    return views.project(following, caller()), 201, {"Location": location}


@blueprint.get("/games/<game_id>/log")
@known
@of_game
@blueprint.response(200, Log)
def log(game_id: str) -> Any:
    """The travel log."""
    return {"log": views.project(visible(game_id, caller()), caller())["log"]}


@blueprint.get("/games/<game_id>/record")
@known
@of_game
@blueprint.alt_response(200, schema=Record, description="The game record", success=True)
@blueprint.alt_response(409, "PROBLEM")
def record(game_id: str) -> Response:
    """The game record, redacted until the result is final."""
    return jsonify(views.record(visible(game_id, caller()), caller()))


@blueprint.get("/games/<game_id>/transcript")
@known
@of_game
@blueprint.response(200, Transcript)
@blueprint.alt_response(409, "PROBLEM")
def transcript(game_id: str) -> Any:
    """All that happened in public, with the sealed chain over it: what `verify` checks."""
    return jsonify(sealed_log.transcript(visible(game_id, caller())))


@blueprint.get("/games/<game_id>/deadline")
@known
@of_game
@blueprint.response(200, DeadlineView)
def deadline(game_id: str) -> Any:
    """The deadline, and how it came about."""
    return views.deadline(visible(game_id, caller()), caller())


@blueprint.get("/games/<game_id>/deduction")
@known
@of_game
@blueprint.response(200, Deduction)
@blueprint.alt_response(409, "PROBLEM")
def deduction(game_id: str) -> Any:
    """The stations on which Mr. X can be, as the public log tells: the same for everybody, Mr. X too."""
    game = visible(game_id, caller())
    return {"turn": game.turn, "stations": views.deduction(game)}
