"""The API describes itself: every call is in `/openapi.json`, and nothing that there is not."""

import json
import os
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import jsonschema_rs
import openapi_spec_validator
import pytest

from server.vocabulary.errors import CATALOGUE
from server.vocabulary.resources import docs
from tests.rows import for_each
from tests.table import Table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(tmp_path_factory.mktemp("openapi"))


@pytest.fixture(scope="module")
def document(table: Table) -> dict[str, Any]:
    answer = table.client.get("/openapi.json")
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    found: dict[str, Any] = answer.json
    return found


def test_the_copy_in_the_documentation_is_up_to_date(document: dict[str, Any]):
    """After a change, `UPDATE_GOLDEN=1 python -m pytest tests/api/test_openapi.py` renews it."""
    copy, told = docs() / "openapi.json", json.dumps(document, indent=1) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        copy.write_text(told)
    assert copy.read_text() == told, test_the_copy_in_the_documentation_is_up_to_date.__doc__


def test_it_is_valid(document: dict[str, Any]):
    openapi_spec_validator.validate(document)


def test_every_call_belongs_to_a_chapter(document: dict[str, Any]):
    chapters = {tag["name"]: tag["description"] for tag in document["tags"]}
    for method, path, call in calls(document):
        assert len(call["tags"]) == 1, (method, path)
        assert chapters[call["tags"][0]], (method, path)


def calls(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            if method != "parameters":
                yield method.upper(), path, call


def inside(part: Any) -> Iterator[dict[str, Any]]:
    """Every object within, however deep."""
    if isinstance(part, dict):
        yield part
    for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from inside(value)


def test_it_is_an_openapi_document(document: dict[str, Any]):
    assert document["openapi"] == "3.1.0"
    assert document["info"]["title"] == "Black Ticket"
    assert document["components"]["securitySchemes"]["token"] == {"type": "http", "scheme": "bearer"}


def test_every_call_of_the_api_is_in_it(table: Table, document: dict[str, Any]):
    served = {
        (method, re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in table.app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    assert len(served) > 15
    assert {(method, path) for method, path, _ in calls(document)} == served


def test_an_operation_keeps_its_name_for_good(document: dict[str, Any]):
    """Programs that are made from the document call it so. A new one gets a line in operations.txt, and stays."""
    named = {f"{call['operationId']} {method} {path.removeprefix('/api/v1')}" for method, path, call in calls(document)}
    assert named == set(Path(__file__).with_name("operations.txt").read_text().splitlines())
    names = [call["operationId"] for _, _, call in calls(document)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z]+([A-Z][a-z]+)*", name) for name in names)


def test_the_document_says_of_which_release_it_is_and_where_its_server_is(document: dict[str, Any]):
    assert document["info"]["version"] == metadata.version("blackticket")
    assert [server["url"] for server in document["servers"]] == ["/"]


def test_every_body_and_every_answer_in_json_has_an_example(document: dict[str, Any]):
    for method, path, call in calls(document):
        parts = [call.get("requestBody", {}), *(a for status, a in call["responses"].items() if status.startswith("2"))]
        for part in parts:
            schema = part.get("content", {}).get("application/json", {}).get("schema")
            if schema is not None:
                assert document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]["examples"], (method, path)


TOO_LONG = "a" * 41
SEATS = [{"role": "mr_x"}, {"role": "detective"}]


@for_each(
    "name, body, is_valid",
    [
        ("NewMove", {"turn": 1, "notation": "taxi 46"}, True),
        ("NewMove", {"turn": 1, "ticket": "taxi", "to": 46}, True),
        ("NewMove", {"turn": 1, "ticket": "taxi"}, False),
        ("NewMove", {"turn": 1}, False),
        ("NewMove", {"turn": 1, "notation": "taxi 46", "ticket": "taxi", "to": 46}, False),
        ("NewBlock", {"who": "Ben"}, True),
        ("NewBlock", {}, False),
        ("NewBlock", {"who": "Ben", "player": "abc"}, False),
        ("Guest", {"bot": "constable", "level": "easy"}, True),
        ("Guest", {"level": "easy"}, False),
        ("ChangedMe", {"name": TOO_LONG}, False),
        ("SignUp", {"name": "Ben", "email": f"{'a' * 250}@example.org"}, False),
        ("NewMessage", {"to": "all", "text": ""}, False),
        ("NewMessage", {"to": "all", "text": " \n"}, False),
        ("NewMove", {"turn": 1, "notation": "taxi 46", "surface": {"red": "taxi"}}, False),
        (
            "Preferences",
            {"zone": "America/Argentina/Buenos_Aires", "mail": "daily 18:00", "night": "23:00-07:00"},
            True,
        ),
        ("Preferences", {"zone": "not a zone"}, False),
        ("NewToken", {"name": "phone", "scopes": ["calendar"]}, True),
        ("NewToken", {"name": "phone", "scopes": ["calendar", "read"]}, False),
        ("NewVote", {"kind": "extend"}, False),
        ("NewVote", {"kind": "resume", "length": "P1D"}, False),
        ("NewReport", {"kind": "message"}, False),
        ("NewGame", {"edition": "condensed", "seats": [{"role": "mr_x"}, {"role": "mr_x"}]}, False),
        ("NewGame", {"edition": "condensed", "seats": SEATS, "seed": "a"}, False),
        ("NewSeat", {"role": "mr_x", "bot": "constable"}, False),
        ("NewSeat", {"role": "mr_x", "level": "easy"}, False),
        ("Clock", {"kind": "bank", "bank": "P10D"}, True),
        ("Clock", {"mr_x": "P2D", "days_off": ["sun"]}, True),
        ("Clock", {"kind": "none", "mr_x": "P2D"}, False),
        ("Clock", {"cover": True}, False),
        ("Options", {"speed": 1}, False),
    ],
)
def test_the_schema_says_what_a_body_needs(document: dict[str, Any], name: str, body: dict[str, Any], is_valid: bool):
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    assert jsonschema_rs.is_valid(schema, body) == is_valid


def test_every_call_says_what_it_does_and_answers(document: dict[str, Any]):
    for method, path, call in calls(document):
        assert call.get("summary"), (method, path)
        assert [status for status in call["responses"] if status.startswith("2")], (method, path)
        assert call["responses"]["5XX"] == {"$ref": "#/components/responses/PROBLEM"}, (method, path)


def test_every_reference_leads_somewhere(document: dict[str, Any]):
    for part in inside(document):
        if "$ref" in part:
            found: Any = document
            for step in part["$ref"].removeprefix("#/").split("/"):
                found = found[step]


def test_errors_are_described_with_every_type_there_is(document: dict[str, Any]):
    problem = document["components"]["schemas"]["Problem"]
    assert set(problem["properties"]["type"]["enum"]) == set(CATALOGUE)
    assert set(problem["required"]) == {"type", "title", "status", "detail"}
    described = document["components"]["responses"]["PROBLEM"]["content"]
    assert described == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


def test_what_a_call_takes_is_described_by_a_schema_with_members(document: dict[str, Any]):
    taking = [(method, path, call["requestBody"]) for method, path, call in calls(document) if "requestBody" in call]
    assert len(taking) > 10
    for method, path, body in taking:
        reference = body["content"]["application/json"]["schema"]["$ref"]
        schema = document["components"]["schemas"][reference.rpartition("/")[2]]
        assert (schema["type"], bool(schema["properties"])) == ("object", True), (method, path)


def test_the_parameters_of_a_path_are_described(document: dict[str, Any]):
    for path, methods in document["paths"].items():
        given = {p["name"] for part in methods.values() for p in (part if isinstance(part, list) else [])}
        assert set(re.findall(r"{(\w+)}", path)) <= given | {
            p["name"] for method, _, call in calls({"paths": {path: methods}}) for p in call.get("parameters", [])
        }, path


def test_a_move_may_be_played_kept_or_tried(document: dict[str, Any]):
    call = document["paths"]["/api/v1/games/{game_id}/moves"]["post"]
    assert {"200", "201", "202"} <= set(call["responses"])
    kept = call["responses"]["202"]["content"]["application/json"]["schema"]
    assert kept == call["responses"]["201"]["content"]["application/json"]["schema"]
    named = {parameter["name"]: parameter["in"] for parameter in call["parameters"]}
    assert named["dry_run"] == "query"
    assert named["Idempotency-Key"] == "header"


def test_refusals_that_a_call_can_answer_are_described(document: dict[str, Any]):
    refusals = {entry.status for entry in CATALOGUE.values()}
    for _, path, call in calls(document):
        described = {int(status) for status in call["responses"] if status.isdigit()} & refusals
        expected = set() if call.get("security") == [] else {401, 403}
        expected |= {404} if "{" in path else set()
        expected |= {413, 422} if "requestBody" in call else set()
        assert expected <= described, path


def test_only_rules_boards_signing_up_and_secret_addresses_need_no_token(document: dict[str, Any]):
    assert document["security"] == [{"token": []}]
    free = {path.removeprefix("/api/v1") for _, path, call in calls(document) if call.get("security") == []}
    assert free == {"/editions", "/boards/{name}", "/players", "/players/confirm", "/calendars/{secret}"}
