"""Time: what the players of a game decide about it, who moves for whom, and when a player is away."""

from typing import Any

from flask import jsonify
from flask_smorest import Blueprint
from marshmallow import Schema, fields, validate

from server.api.access import KEY, body, caller, known, needs, of_game, once, private, takes
from server.api.schemas.answers import Answer
from server.api.schemas.games import GameView
from server.api.schemas.values import TrueOrFalse, WholeNumber, line
from server.application.game import views
from server.application.game.access import seat_of, visible
from server.application.game.cover import name_cover
from server.application.time import vacation, votes

blueprint = Blueprint("clocks", __name__, description="Votes about time, and absences")
blueprint.after_request(private)


class NewAbsence(Schema):
    begin = fields.Date(data_key="from", required=True)
    end = fields.Date(data_key="to", required=True)


class AbsenceView(Answer):
    id = fields.String()
    begin = fields.String()
    end = fields.String()
    automatic = fields.Boolean(metadata={"description": "it was taken so that the player was not late"})


class Absences(Answer):
    absences = fields.List(fields.Nested(AbsenceView))
    days_left = fields.Integer(metadata={"description": "of this year's vacation"})


class NewVote(Schema):
    kind = fields.String(required=True, validate=validate.OneOf(list(votes.KINDS)))
    length = fields.String(validate=line(40))
    clock = fields.Dict(keys=fields.String())


class Ballot(Schema):
    is_for = TrueOrFalse(data_key="for", required=True)


class VoteView(Answer):
    sometimes = frozenset({"length", "clock", "round"})

    id = fields.String()
    kind = fields.String()
    length = fields.String(metadata={"description": "of a pause or an extension"})
    clock = fields.Dict()
    round = fields.Integer(metadata={"description": "of a claim"})
    seat = fields.Integer(allow_none=True, metadata={"description": "who proposed it; null is the clock"})
    state = fields.String(metadata={"description": "open, carried, or lost"})
    closes_at = fields.String()
    ayes = fields.List(fields.Integer(), data_key="for")
    noes = fields.List(fields.Integer(), data_key="against")


class Votes(Answer):
    votes = fields.List(fields.Nested(VoteView))


class Cover(Schema):
    seat = WholeNumber(2, 6, required=True, allow_none=True)


@blueprint.get("/games/<game_id>/votes")
@known
@of_game
@blueprint.response(200, Votes)
def open_votes(game_id: str) -> Any:
    """What is open to be voted on."""
    return jsonify({"votes": [votes.facts(motion) for motion in votes.of(visible(game_id, caller()))]})


@blueprint.post("/games/<game_id>/votes")
@known
@of_game
@takes(blueprint, NewVote, KEY)
@once
@needs("play")
@blueprint.response(201, VoteView)
def propose(game_id: str) -> Any:
    """Propose a pause, its end, more time, or another clock; or vote for it where the same is open."""
    seat_of(visible(game_id, caller()), caller())
    return jsonify(votes.facts(votes.propose(game_id, caller(), **body(NewVote())))), 201


@blueprint.post("/games/<game_id>/votes/<vote_id>")
@known
@of_game
@takes(blueprint, Ballot, KEY)
@once
@needs("play")
@blueprint.response(200, VoteView)
def vote(game_id: str, vote_id: str) -> Any:
    """Vote for or against it. A vote can be changed until it is decided."""
    seat_of(visible(game_id, caller()), caller())
    return jsonify(votes.facts(votes.vote(game_id, caller(), vote_id, **body(Ballot()))))


@blueprint.put("/games/<game_id>/cover")
@known
@of_game
@takes(blueprint, Cover)
@needs("play")
@blueprint.response(200, GameView)
def cover(game_id: str) -> Any:
    """Name the fellow detective who may move for me in this game; null is nobody."""
    seat_of(visible(game_id, caller()), caller())
    name_cover(game_id, caller(), body(Cover())["seat"])
    return views.project(visible(game_id, caller()), caller())


@blueprint.get("/me/absences")
@known
@blueprint.response(200, Absences)
def my_absences() -> Any:
    """When I am away, and how many days of this year's vacation are left."""
    return vacation.of(caller())


@blueprint.post("/me/absences")
@known
@takes(blueprint, NewAbsence, KEY)
@once
@needs("play")
@blueprint.response(201, AbsenceView)
def take() -> Any:
    """Be away from one day to another, both included, by my own calendar."""
    wanted = body(NewAbsence())
    return vacation.facts(vacation.take(caller().id, wanted["begin"], wanted["end"])), 201


@blueprint.delete("/me/absences/<absence_id>")
@known
@needs("play")
@blueprint.response(204)
def cancel(absence_id: str) -> None:
    """Be there after all: that absence ends now, or never begins."""
    vacation.cancel(caller().id, absence_id)
