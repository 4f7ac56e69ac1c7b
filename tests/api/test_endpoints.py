"""Every view is declared: who may call it has to be said, for those that are open to anybody too."""

from pathlib import Path

import pytest
from flask import Flask
from marshmallow import Schema

from server.api.access import ANYBODY, for_player, for_viewer
from server.api.endpoints import Section, Undeclared, require_declarations
from server.app import create_app
from server.settings import Settings


@pytest.fixture
def section() -> Section:
    return Section("stray", __name__, "Some views")


def view() -> str:
    return "anything"


def test_a_view_of_the_api_without_a_declaration_fails_at_start_up(tmp_path: Path):
    def stray(app: Flask) -> None:
        app.add_url_rule("/api/v1/stray", "stray", view)

    with pytest.raises(Undeclared, match="/api/v1/stray"):
        create_app(Settings.from_environ({}, tmp_path), add_routes=stray)


def test_a_section_takes_no_view_in_any_other_way(section: Section):
    for add in (section.get("/stray"), section.route("/stray"), lambda view: section.add_url_rule("/", "", view)):
        with pytest.raises(Undeclared):
            add(view)


def test_a_declaration_that_does_not_say_who_may_call_is_none(section: Section):
    with pytest.raises(TypeError, match="access"):
        section.endpoint("GET /stray", answers=Schema)


def test_a_view_that_says_it_is_open_to_anybody_is(section: Section):
    section.endpoint("GET /stray", access=ANYBODY, answers=Schema)(view)
    app = Flask("stray")
    app.register_blueprint(section, url_prefix="/api/v1")
    require_declarations(app)


@pytest.mark.parametrize("route", ["GET /games/<game_id>/stray", "POST /games/<game_id>/stray"])
def test_a_game_in_the_path_is_for_those_who_may_see_it(section: Section, route: str):
    scope = "read" if route.startswith("GET") else "play"
    for access in (ANYBODY, for_player(scope)):
        with pytest.raises(ValueError, match="who may see it"):
            section.endpoint(route, access=access, answers=Schema)
    section.endpoint(route, access=for_viewer(scope), answers=Schema)


@pytest.mark.parametrize(("route", "scope"), [("GET /stray", "play"), ("POST /stray", "read"), ("GET /stray", "all")])
def test_a_scope_is_one_that_there_is_and_fits_the_method(section: Section, route: str, scope: str):
    with pytest.raises(ValueError, match="scope"):
        section.endpoint(route, access=for_player(scope), answers=Schema)


def test_a_key_is_only_taken_from_a_player(section: Section):
    with pytest.raises(ValueError, match="belongs to a player"):
        section.endpoint("POST /stray", access=ANYBODY, answers=Schema, once=True)
