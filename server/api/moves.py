"""Legal moves, playing a move, and queued moves."""

from collections.abc import Mapping

from flask import jsonify, request
from flask.typing import ResponseReturnValue
from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from server.api.access import caller, current_player, for_mover, for_viewer
from server.api.endpoints import Section
from server.api.reading import body, is_dry_run, raw_body
from server.api.schemas.games import GameView, Kept
from server.api.schemas.values import Answer, WholeNumber, described
from server.application.game import held_moves, projection
from server.application.game.look import look
from server.application.game.situations import act
from server.engine import DETECTIVES, PAWNS
from server.engine.ticket_kinds import PLAIN, TICKETS
from server.house_rules import queue
from server.house_rules.submission import RequestedMove, place_as_read
from server.vocabulary.errors import Problem


class Trip(Schema):
    ticket = fields.String(required=True, validate=validate.OneOf(TICKETS))
    to = WholeNumber(-(10**9), 10**9, required=True)


class NewMove(Schema):
    """One of `notation`, `ticket` with `to`, or `double`."""

    turn = WholeNumber(1, 10**6, required=True)
    pawn = fields.String(validate=validate.OneOf(PAWNS))
    notation = fields.String(validate=validate.Length(1, 300))
    ticket = fields.String(validate=validate.OneOf(TICKETS))
    to = WholeNumber(-(10**9), 10**9)
    double = fields.List(fields.Nested(Trip), validate=validate.Length(equal=2))
    surface = fields.Dict(
        keys=fields.String(validate=validate.OneOf(DETECTIVES)),
        values=fields.String(validate=validate.OneOf(PLAIN)),
    )

    @validates_schema
    def _one_form(self, data: Mapping[str, object], **_: object) -> None:
        forms = ("notation" in data) + ("double" in data) + ("ticket" in data or "to" in data)
        if forms != 1 or ("ticket" in data) != ("to" in data):
            raise ValidationError("A move is one of: notation; ticket and to; double.")
        if "notation" in data and "surface" in data:
            raise ValidationError("With notation, surface is written in it.")


class MoveView(Answer):
    sometimes = frozenset({"ticket", "to", "double"})

    pawn = fields.String()
    notation = fields.String()
    ticket = fields.String()
    to = fields.Integer()
    double = fields.List(fields.Dict())


class LegalMoves(Answer):
    turn = fields.Integer(allow_none=True)
    moves = fields.List(fields.Nested(MoveView))


class DryRun(Answer):
    notation = fields.String()
    ahead = fields.Boolean(**described("it would be queued for its turn"))


class OwnKept(Kept):
    sometimes = frozenset({"plays_at"})

    plays_at = fields.String(**described("when a move is played that you can still stop"))


class Ahead(Answer):
    moves = fields.List(fields.Nested(OwnKept))


section = Section("moves", __name__, "Moves")


@section.endpoint("GET /games/<game_id>/legal-moves", access=for_viewer("read"), answers=LegalMoves)
def legal_moves(game_id: str) -> ResponseReturnValue:
    """List the moves you may send now, double moves and moves ahead included, for pawns without a queued move."""
    game = look(game_id, current_player())
    queued = {each.pawn for each in game.queue}
    legal = [move for move in projection.sendable_moves(game, current_player()) if move.pawn not in queued]
    return {"turn": game.turn, "moves": [move.to_json() for move in legal]}


@section.endpoint(
    "POST /games/<game_id>/moves",
    access=for_mover("play"),
    body=NewMove,
    parameters=({"in": "query", "name": "dry_run", "schema": {"type": "boolean"}},),
    once=True,
    answers=GameView,
    status=201,
    also={200: (DryRun, "A dry run: the move could be played or queued"), 202: (GameView, "Queued for its turn")},
)
def submit(game_id: str) -> ResponseReturnValue:
    """Play a move (201), or queue it for its turn (202); with `dry_run=true` only check it (200)."""
    game, placed = act(game_id, caller(), place_as_read, _requested_move, raw_body())
    if is_dry_run():
        return jsonify({"notation": str(placed.move), "ahead": placed.is_queued})
    return jsonify(projection.project(game, caller())), 202 if placed.is_queued else 201


@section.endpoint("GET /games/<game_id>/ahead", access=for_viewer("read"), answers=Ahead)
def ahead(game_id: str) -> ResponseReturnValue:
    """List your queued moves, and those that wait to be played: each of these has `plays_at`."""
    game = look(game_id, current_player())
    own = game.seat_of_player(current_player().id)
    held = map(held_moves.held_as_json, held_moves.held_by_seat(game, own))
    return {"moves": [*(queued.as_json for queued in game.queue if queued.seat == own.number), *held]}


@section.endpoint("DELETE /games/<game_id>/ahead", access=for_viewer("play"), answers=Ahead)
def forget(game_id: str) -> ResponseReturnValue:
    """Withdraw your queued moves, and those that wait to be played."""
    act(game_id, current_player(), queue.take_back)
    return {"moves": []}


def _requested_move() -> RequestedMove:
    given = body()
    turn, pawn = given.pop("turn"), given.pop("pawn", None)
    return RequestedMove(given.get("notation", given), turn, pawn, _dry_run())


def _dry_run() -> bool:
    if request.args.get("dry_run", "false").lower() not in ("true", "false"):
        raise Problem("form", "dry_run is true or false.")
    return is_dry_run()
