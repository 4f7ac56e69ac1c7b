"""Reports on many games for an organiser, as JSON or CSV: how they stand or ended, and who is late."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, jsonify
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from server.api.access import current_player, for_player
from server.api.endpoints import File, Section
from server.api.reading import next_page, query
from server.api.schemas.values import ID, Answer, Whole, Written, answer, line
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


Sitter = answer("Sitter", reports.Sitter)


Result = answer("Result", reports.GameResult)


class ResultList(Answer):
    results = fields.List(fields.Nested(Result))


LateSeat = answer(
    "LateSeat",
    reports.LateSeat,
    due_at="null while the other phase runs",
    late_for="a duration",
    misses="deadlines missed in a row",
)


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


def _sheet(columns: Sequence[str], rows: Sequence[Mapping[str, object]], headers: dict[str, str]) -> Response:
    return Response(reports.as_csv(columns, rows), mimetype="text/csv", headers=headers)
