"""The API describes itself: every call is in `/openapi.json`, and nothing that there is not."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Table

from server.application.errors import CATALOGUE


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(tmp_path_factory.mktemp("openapi"))


@pytest.fixture(scope="module")
def document(table: Table) -> dict[str, Any]:
    answer = table.client.get("/openapi.json")
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    found: dict[str, Any] = answer.json
    return found


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


def test_every_call_says_what_it_does_and_answers(document: dict[str, Any]):
    for method, path, call in calls(document):
        assert call.get("summary"), (method, path)
        assert [status for status in call["responses"] if status.startswith("2")], (method, path)
        assert call["responses"]["default"] == {"$ref": "#/components/responses/PROBLEM"}, (method, path)


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


def test_what_a_call_takes_is_described(document: dict[str, Any]):
    bodies = {
        path.removeprefix("/api/v1"): call["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        for method, path, call in calls(document)
        if "requestBody" in call
    }
    names = {path: reference.rpartition("/")[2] for path, reference in bodies.items()}
    assert names == {
        "/games": "NewGame", "/games/{game_id}/seats": "Join", "/games/{game_id}/moves": "NewMove",
        "/games/{game_id}/messages": "NewMessage", "/games/{game_id}/messages/muted": "MutedView",
        "/players": "SignUp", "/players/confirm": "Confirm", "/me": "Farewell", "/me/preferences": "Preferences",
        "/me/tokens": "NewToken",
    }  # fmt: skip


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


def test_only_rules_boards_and_signing_up_are_open_to_everybody(document: dict[str, Any]):
    assert document["security"] == [{"token": []}]
    free = {path.removeprefix("/api/v1") for _, path, call in calls(document) if call.get("security") == []}
    assert free == {"/editions", "/boards/{name}", "/players", "/players/confirm"}
