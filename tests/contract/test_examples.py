"""The OpenAPI document shows an example of everything that is sent and answered as JSON.

With UPDATE_GOLDEN=1 they are made anew: what is sent from BODIES in world.py, what is answered by asking.
"""

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

import jsonschema_rs
import pytest

from server.api import openapi
from server.vocabulary.resources import docs
from tests.contract.world import API, World, operations

LONGEST = 6  # entries of a list; of a longer one the first few are enough
SECRETS = {"bt_": "bt_" + "a" * 38, "whsec_": "whsec_" + "A" * 43 + "="}  # which nobody could take for true ones


def name_of(part: dict[str, Any]) -> str | None:
    """The schema of a JSON body or answer."""
    schema = part.get("content", {}).get("application/json", {}).get("schema", {})
    return str(schema["$ref"]).rpartition("/")[2] if "$ref" in schema else None


def shown(document: dict[str, Any]) -> set[str]:
    """The schemas of all bodies and of all answers that are no errors."""
    calls = [call for methods in document["paths"].values() for at, call in methods.items() if at != "parameters"]
    answers = [answer for call in calls for status, answer in call["responses"].items() if status < "300"]
    return {name for part in [*(call.get("requestBody", {}) for call in calls), *answers] if (name := name_of(part))}


def made(world: World) -> Iterator[tuple[str, Any]]:
    """Examples by the names of their schemas."""
    for operation in operations(world):
        if (name := name_of(operation.described.get("requestBody", {}))) and operation.body:
            yield name, operation.body
        for game in ("offered", "over", "private", "public") if operation.in_game else ("none",):
            for who in ("nobody", "host", "detective", "mr-x"):
                world.restore()
                answer = world.ask(who, operation.method, world.path(API + operation.path, game), operation.body)
                described = operation.described["responses"].get(str(answer.status_code), {})
                if answer.status_code < 300 and (name := name_of(described)):
                    yield name, shortened(answer.json)


def shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: shortened(part) for name, part in value.items()}
    if isinstance(value, list):
        return [shortened(part) for part in (value if len(value) <= LONGEST else value[:3])]
    if isinstance(value, str):
        return next((secret for begin, secret in SECRETS.items() if value.startswith(begin)), value)
    return value


def telling(examples: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Of each the longest, which shows most."""
    found: dict[str, Any] = {}
    for name, example in examples:
        if len(json.dumps(example)) > len(json.dumps(found.get(name))):
            found[name] = example
    return found


def by_hand(world: World) -> dict[str, Any]:
    """Return examples for the schemas of which the world holds none."""
    me = world.people["Ben"].get("/me").json
    return {
        "NewPlayer": {"id": me["id"], "token": SECRETS["bt_"]},
        "Confirm": {"code": "abcdefghijklmnop"},
        "ConfirmAddress": {"code": "abcdefghijklmnop"},
        "Join": {"role": "detective"},
        "Again": {"ply": 9, "side": "detectives"},
        "NewGame": {"edition": "condensed", "seats": [{"role": "mr_x"}, {"role": "detective", "bot": "constable"}]},
        "Hint": {"round": 4, "stations": [{"station": 128, "chance": 0.6812}, {"station": 142, "chance": 0.3188}]},
        "DryRun": {"notation": "red taxi 116", "ahead": False},
        "Farewell": {"name": "Ben"},
        "TakenIn": {"stored": 1},
        "ChangedGame": {"name": "Friday night", "guests": {"seats": "any", "talk": False}},
        "LinkForGuest": {"name": "Anna", "link": "https://play.example.org/continue/abcdefghijklmnop"},
        "ShownReplay": {"shows": "name"},
        "ReplayLink": {"link": "https://play.example.org/games/yst7xfnebmwieq72/replay"},
        "GamePreferences": {"mail": "reminders"},
        "PostmarkMail": {"RawEmail": "From: Ben <ben@example.org>...", "OriginalRecipient": "turn+a2b3c4@play.example"},
    }


def test_everything_that_is_sent_and_answered_has_an_example_that_fits(request: pytest.FixtureRequest):
    document = json.loads((docs() / "openapi.json").read_text())
    if os.environ.get("UPDATE_GOLDEN"):
        world = request.getfixturevalue("world")
        found, document = {**telling(made(world)), **by_hand(world)}, world.document
        told = json.dumps({name: found[name] for name in sorted(shown(document) & found.keys())}, indent=1)
        openapi.EXAMPLES.write_text(told + "\n")
    examples = openapi.examples()
    missing = shown(document) - examples.keys()
    assert not missing, f"make examples anew; what nobody can do as things stand is written in `by_hand`: {missing}"
    assert examples.keys() <= shown(document)
    for name, example in examples.items():
        schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
        wrong = [str(error) for error in jsonschema_rs.validator_for(schema).iter_errors(example)]
        assert not wrong, f"the example of {name} does not fit any more; UPDATE_GOLDEN=1 makes them anew: {wrong}"
