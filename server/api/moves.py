"""Moves: what is legal, submitting one, and those kept for their turn."""

from typing import Any

from flask import jsonify, request
from flask_smorest import Blueprint

from server.api.access import KEY, body, caller, known, needs, of_game, once, private, raw_body, takes
from server.api.schemas.games import GameView
from server.api.schemas.moves import Ahead, DryRun, LegalMoves, NewMove
from server.application.errors import Problem
from server.application.game import queued_moves, views
from server.application.game.access import visible
from server.application.play import submission
from server.application.play.submission import RequestedMove

blueprint = Blueprint("moves", __name__, description="Moves")
blueprint.after_request(private)


NEW_MOVE = NewMove()


@blueprint.get("/games/<game_id>/legal-moves")
@known
@of_game
@blueprint.response(200, LegalMoves)
def legal_moves(game_id: str) -> Any:
    """What the caller may send now, doubles and moves ahead included; empty when it is not his."""
    game = visible(game_id, caller())
    moves = [*views.legal_moves(game, caller()), *views.covered_moves(game, caller())]
    legal = [move.to_json() for move in moves]
    return {"turn": game.turn, "moves": legal}


@blueprint.post("/games/<game_id>/moves")
@known
@of_game
@takes(blueprint, NewMove, KEY, {"in": "query", "name": "dry_run", "schema": {"type": "boolean"}})
@blueprint.alt_response(200, schema=DryRun, description="A dry run: it could be played or kept", success=True)
@blueprint.alt_response(202, schema=GameView, description="Kept for its turn", success=True)
@needs("play")
@once
@blueprint.response(201, GameView)
def submit(game_id: str) -> Any:
    """Play a move (201), or keep it for its turn (202); with `dry_run=true` only check it (200)."""
    submitted = submission.submit(game_id, caller(), _requested_move, raw_body())
    if _dry_run():
        return jsonify({"notation": submitted.notation, "ahead": submitted.is_queued})
    view = views.project(submitted.game, caller(), submitted.state)
    return jsonify(view), 202 if submitted.is_queued else 201


@blueprint.get("/games/<game_id>/ahead")
@known
@of_game
@blueprint.response(200, Ahead)
def ahead(game_id: str) -> Any:
    """The caller's kept moves."""
    return {"moves": queued_moves.of_player(visible(game_id, caller()), caller())}


@blueprint.delete("/games/<game_id>/ahead")
@known
@of_game
@needs("play")
@blueprint.response(200, Ahead)
def forget(game_id: str) -> Any:
    """Take the caller's kept moves back."""
    queued_moves.take_back(game_id, caller())
    return {"moves": []}


def _requested_move() -> RequestedMove:
    given = body(NEW_MOVE)
    turn, pawn = given.pop("turn"), given.pop("pawn", None)
    return RequestedMove(given.get("notation", given), turn, pawn, _dry_run())


def _dry_run() -> bool:
    text = request.args.get("dry_run", "false").lower()
    if text not in ("true", "false"):
        raise Problem("form", "dry_run is true or false.")
    return text == "true"
