"""Votes about time, absences, and who may move for a detective."""

from flask import jsonify
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from server.api.access import current_player, for_player, for_viewer
from server.api.endpoints import Section
from server.api.reading import body
from server.api.schemas.games import GameView
from server.api.schemas.values import Answer, TrueOrFalse, WholeNumber, described
from server.application.game import projection
from server.application.game.look import look
from server.application.game.situations import act
from server.application.play.absences import absences_of, end_absences, take_vacation
from server.house_rules.submission import name_cover
from server.house_rules.vacation import absences_as_json
from server.house_rules.votes import cast_vote, open_motions, put_to_vote
from server.runtime import now
from server.vocabulary.durations import PATTERN as DURATION
from server.vocabulary.votes import PROPOSED

section = Section("clocks", __name__, "Votes about time, and absences")


class NewAbsence(Schema):
    begin = fields.Date(data_key="from", required=True)
    end = fields.Date(data_key="to", required=True)


class AbsenceView(Answer):
    id = fields.String()
    begin = fields.String()
    end = fields.String()
    automatic = fields.Boolean(**described("the server took it, so that the player would not miss a deadline"))


class Absences(Answer):
    absences = fields.List(fields.Nested(AbsenceView))
    days_left = fields.Integer(**described("of this year's vacation"))


class NewVote(Schema):
    kind = fields.String(required=True, validate=validate.OneOf(PROPOSED))
    length = fields.String(validate=validate.Length(1, 40), metadata={"pattern": f"^{DURATION}$"})
    clock = fields.Dict(keys=fields.String())


class Ballot(Schema):
    is_for = TrueOrFalse(data_key="for", required=True)


class VoteView(Answer):
    sometimes = frozenset({"length", "side", "clock", "round"})

    id = fields.String()
    kind = fields.String()
    length = fields.String(**described("of a pause or an extension"))
    side = fields.String(**described("of an extension: who gets the time, mr_x or detectives"))
    clock = fields.Dict()
    round = fields.Integer(**described("of a claim"))
    seat = fields.Integer(allow_none=True, **described("the seat that proposed it; null is the clock"))
    state = fields.String(**described("open, carried, or lost"))
    closes_at = fields.String()
    ayes = fields.List(fields.Integer(), data_key="for")
    noes = fields.List(fields.Integer(), data_key="against")


class Votes(Answer):
    votes = fields.List(fields.Nested(VoteView))


class Cover(Schema):
    seat = WholeNumber(2, 6, required=True, allow_none=True)


@section.endpoint("GET /games/<game_id>/votes", access=for_viewer("read"), answers=Votes)
def open_votes(game_id: str) -> ResponseReturnValue:
    """List the open votes."""
    return jsonify({"votes": [motion.as_json for motion in open_motions(look(game_id, current_player()))]})


@section.endpoint(
    "POST /games/<game_id>/votes", access=for_viewer("play"), body=NewVote, once=True, answers=VoteView, status=201
)
def propose(game_id: str) -> ResponseReturnValue:
    """Propose a pause, its end, more time, or another clock; if the same proposal is open, vote for it."""
    look(game_id, current_player()).seat_of_player(current_player().id)
    return jsonify(act(game_id, current_player(), put_to_vote, **body()).answer.as_json), 201


@section.endpoint(
    "POST /games/<game_id>/votes/<vote_id>", access=for_viewer("play"), body=Ballot, once=True, answers=VoteView
)
def vote(game_id: str, vote_id: str) -> ResponseReturnValue:
    """Vote for or against a proposal. You can change your vote until the proposal is decided."""
    look(game_id, current_player()).seat_of_player(current_player().id)
    return jsonify(act(game_id, current_player(), cast_vote, vote_id, **body()).answer.as_json)


@section.endpoint("PUT /games/<game_id>/cover", access=for_viewer("play"), body=Cover, answers=GameView)
def cover(game_id: str) -> ResponseReturnValue:
    """Name the detective who may move for you in this game; null is nobody."""
    look(game_id, current_player()).seat_of_player(current_player().id)
    named = act(game_id, current_player(), name_cover, body()["seat"])
    return projection.project(named.game, current_player())


@section.endpoint("GET /me/absences", access=for_player("read"), answers=Absences)
def my_absences() -> ResponseReturnValue:
    """List your absences, and how many days of this year's vacation are left."""
    player = current_player()
    return absences_as_json(absences_of(player), player.zone, now())


@section.endpoint(
    "POST /me/absences", access=for_player("play"), body=NewAbsence, once=True, answers=AbsenceView, status=201
)
def take() -> ResponseReturnValue:
    """Be away from one day to another, both included, in your own time zone."""
    wanted = body()
    return take_vacation(current_player().id, wanted["begin"], wanted["end"]).as_json, 201


@section.endpoint("DELETE /me/absences/<absence_id>", access=for_player("play"), answers=None, status=204)
def cancel(absence_id: str) -> None:
    """Cancel an absence: it ends now, or never begins."""
    end_absences(current_player().id, absence_id)
