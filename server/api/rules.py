"""Editions and boards as data, open to anybody."""

import json

from flask import jsonify
from flask.typing import ResponseReturnValue
from marshmallow import fields

from server.api.access import ANYBODY
from server.api.endpoints import Section
from server.api.schemas.values import Answer, answer, described
from server.application.game import rules
from server.engine import Board, Edition, PlainBoard
from server.engine.board import PlainLine, PlainStation
from server.vocabulary.errors import Problem
from server.wording.options import ABOUT
from server.wording.rules import edition_in_brief


class EditionView(Answer):
    name = fields.String()
    about = fields.String(**described("what tells it from others, in words"))
    options = fields.Dict(**described("all options, with the values of this edition"))


class OptionView(Answer):
    about = fields.String(**described("the option in a sentence"))
    values = fields.Dict(**described("what its values mean, if they are few; else empty"))


class EditionList(Answer):
    editions = fields.List(fields.Nested(EditionView))
    options = fields.Dict(
        keys=fields.String(), values=fields.Nested(OptionView), **described("what each option is about")
    )


Station = answer("Station", PlainStation)


Line = answer("Line", PlainLine)


BoardView = answer("BoardView", PlainBoard)


section = Section("rules", __name__, "The rules and the boards")


@section.endpoint("GET /editions", access=ANYBODY, answers=EditionList, about="Every edition with its options")
def editions() -> ResponseReturnValue:
    """List all editions with all their options."""
    found = [each | {"about": edition_in_brief(Edition.named(each["name"]))} for each in rules.editions()]
    options = {
        name: {"about": about.sentence, "values": {_written(value): words for value, words in about.values.items()}}
        for name, about in ABOUT.items()
    }
    return jsonify({"editions": found, "options": options})


def _written(value: object) -> str:
    """Return the value of an option as JSON has it, for a name."""
    return value if isinstance(value, str) else json.dumps(value)


@section.endpoint("GET /boards/<name>", access=ANYBODY, answers=BoardView, about="Stations, lines and start cards")
def board(name: str) -> ResponseReturnValue:
    """Return a board: stations with their places on the picture, lines, start cards."""
    found = rules.board(name)
    if found is None:
        raise Problem("not-found", f"There is no such board; the boards are {', '.join(Board.names())}.")
    return jsonify(found)
