"""The table of the games with one label, for their host, as JSON or CSV: who owes a move, and who has won how often."""

from flask import Response
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from server.api.access import current_player, for_player
from server.api.endpoints import File, Section
from server.api.reading import next_page, query
from server.api.schemas.values import ID, Written, answer, described
from server.application.lists import reports

section = Section("reports", __name__, "Tables of games, by label")


class TableQuery(Schema):
    csv = fields.String(validate=validate.OneOf(["players", "games"]), **described("which of the two, as a sheet"))
    after = fields.String(validate=ID)
    limit = Written(1, reports.MOST_GAMES)


Sitter = answer("Sitter", reports.Sitter)


GameOfLabel = answer(
    "GameOfLabel",
    reports.GameOfLabel,
    waits_for="the seats that are to move",
    paused_until="null where it does not stand still by a vote",
    counts="its result is in the lines of the players",
    resigned="the seats whose players resigned",
    replaced="the seats that went to somebody else",
)


PlayerOfLabel = answer(
    "PlayerOfLabel",
    reports.PlayerOfLabel,
    player_name="null for a player who deleted their account",
    running="games that run",
    missed="deadlines",
    left="games in which they resigned or were replaced",
)


LabelTable = answer("LabelTable", reports.LabelTable)


@section.endpoint(
    "GET /labels/<path:label>",
    access=for_player("read"),
    query=TableQuery,
    answers=LabelTable,
    also_as=File("text/csv"),
)
def table(label: str) -> ResponseReturnValue:
    """Return the table of the games with a label that you host; `Link` names the next page of games.

    Who owes a move in which game by when, what is over and how, and a line for each player.
    """
    wanted = {"limit": 100, **query()}
    which = wanted.pop("csv", None)
    found, after = reports.of_label(label, current_player(), **wanted)
    more = next_page(after) if after else {}
    if which is None:
        return {**found}, more
    return Response(reports.sheet(which, found["players"], found["games"]), mimetype="text/csv", headers=more)
