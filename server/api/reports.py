"""Reports on many games for an organiser, as JSON or CSV: how they stand or ended, and who is late."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, jsonify
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from server.api.access import current_player, for_player
from server.api.endpoints import File, Section
from server.api.reading import next_page, query
from server.api.schemas.answers import Answer
from server.api.schemas.values import ID, Whole, Written, line
from server.application.lists import reports

section = Section("reports", __name__, "Results and lateness, by label")


class ReportQuery(Schema):
    label = fields.String(validate=line(80))
    format = fields.String(validate=validate.OneOf(["json", "csv"]))
    limit = Written(1, 1000)


class ResultsQuery(ReportQuery):
    status = fields.String(validate=validate.OneOf(["open", "running", "over"]))
    after = fields.String(validate=ID)


class LateQuery(ReportQuery):
    after = fields.String(validate=Whole(r"^[a-z2-7]{1,32}\.[1-6]$", error="Not from a Link."))


class Sitter(Answer):
    seat = fields.Integer()
    role = fields.String()
    player = fields.String(allow_none=True)
    player_name = fields.String(allow_none=True)
    bot = fields.String(allow_none=True)


class Result(Answer):
    game = fields.String()
    name = fields.String()
    label = fields.String(allow_none=True)
    edition = fields.String()
    status = fields.String()
    winner = fields.String(allow_none=True)
    reason = fields.String(allow_none=True)
    final = fields.Boolean()
    rounds = fields.Integer(allow_none=True)
    started_at = fields.String(allow_none=True)
    ended_at = fields.String(allow_none=True)
    seats = fields.List(fields.Nested(Sitter))


class ResultList(Answer):
    results = fields.List(fields.Nested(Result))


class LateSeat(Answer):
    game = fields.String()
    name = fields.String()
    label = fields.String(allow_none=True)
    seat = fields.Integer()
    role = fields.String()
    player = fields.String(allow_none=True)
    player_name = fields.String(allow_none=True)
    due_at = fields.String(allow_none=True, metadata={"description": "null while the other phase runs"})
    late_since = fields.String()
    late_for = fields.String(metadata={"description": "a duration"})
    misses = fields.Integer(metadata={"description": "deadlines missed in a row"})


class LateList(Answer):
    late = fields.List(fields.Nested(LateSeat))


@section.endpoint(
    "GET /results", access=for_player("read"), query=ResultsQuery, answers=ResultList, also_as=File("text/csv")
)
def results() -> ResponseReturnValue:
    """List how the games you may see stand or ended, by label; the `Link` header names the next page."""
    wanted, as_csv = _wanted()
    found = reports.results(current_player(), **wanted)
    more = next_page(found[-1]["game"]) if len(found) == wanted["limit"] else {}
    return _sheet(reports.RESULTS, reports.flat_results(found), more) if as_csv else (jsonify(results=found), more)


@section.endpoint("GET /late", access=for_player("read"), query=LateQuery, answers=LateList, also_as=File("text/csv"))
def late() -> ResponseReturnValue:
    """List the players late in games you may see, who have not moved since, by label; `Link` names the next page."""
    wanted, as_csv = _wanted()
    found = reports.late(current_player(), **wanted)
    more = next_page(reports.place_of(found[-1])) if len(found) == wanted["limit"] else {}
    return _sheet(reports.LATE, found, more) if as_csv else (jsonify(late=found), more)


def _wanted() -> tuple[dict[str, Any], bool]:
    """Return the query, and whether the caller asks for CSV, of which a page is as long as it may be."""
    wanted = query()
    as_csv = wanted.pop("format", "json") == "csv"
    return {"limit": 1000 if as_csv else 100, **wanted}, as_csv


def _sheet(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], headers: dict[str, str]) -> Response:
    return Response(reports.as_csv(columns, rows), mimetype="text/csv", headers=headers)
