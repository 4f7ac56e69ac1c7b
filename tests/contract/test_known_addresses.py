"""No caller learns whether a mail address is known: every call that takes one does and says the same."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from werkzeug.test import TestResponse

from server.models import db
from tests.contract.world import API, World, operations

KNOWN, UNKNOWN = "cleo@example.org", "ivy1@example.org"  # as long as each other
Call = Callable[[World, str], TestResponse]


def signs_up(world: World, address: str) -> TestResponse:
    return world.ask("nobody", "POST", f"{API}/players", {"name": "Ivy", "email": address})


def adds_an_address(world: World, address: str) -> TestResponse:
    return world.ask("detective", "POST", f"{API}/me/addresses", {"email": address})


def opens_a_game_with(world: World, address: str) -> TestResponse:
    seats = [{"role": "mr_x"}, {"role": "detective", "invite": address}]
    return world.ask("detective", "POST", f"{API}/games", {"edition": "condensed", "seats": seats})


def invites(world: World, address: str) -> TestResponse:
    path = world.path(f"{API}/games/{{game_id}}/seats/{{seat}}", "offered", seat="3")
    return world.ask("host", "PUT", path, {"invite": address})


def blocks(world: World, address: str) -> TestResponse:
    return world.ask("detective", "POST", f"{API}/me/blocks", {"who": address})


CALLS: dict[str, Call] = {
    "POST /players": signs_up,
    "POST /me/addresses": adds_an_address,
    "POST /games": opens_a_game_with,
    "POST /me/blocks": blocks,
    "PUT /games/{game_id}/seats/{seat}": invites,
}


@contextmanager
def statements(world: World) -> Iterator[list[str]]:
    """Record which tables are read and written meanwhile, in their order."""
    sent: list[str] = []
    with world.table.app.app_context():
        engine = db.engine

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        verb, *_rest = statement.split(maxsplit=1)
        sent.append(" ".join([verb, *re.findall(r"(?:FROM|INTO|UPDATE|JOIN) (\w+)", statement)]))

    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)


def told(world: World, call: Call, address: str) -> tuple[Any, ...]:
    """Status, headers, body, and what the database was asked; ids and the address itself look alike."""
    world.restore()
    call(world, "warm@example.org")
    world.restore()
    with statements(world) as sent:
        answer = call(world, address)
    body = re.sub(r"\b[a-z2-7]{16}\b", "an id", answer.get_data(as_text=True).replace(address, "the address"))
    headers = [(name, re.sub(r"\b[a-z2-7]{16}\b", "an id", value)) for name, value in answer.headers if name != "Date"]
    return answer.status_code, headers, body, sent


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_takes_an_address_does_not_tell_whether_it_is_known(world: World, name: str):
    known, unknown = (told(world, CALLS[name], address) for address in (KNOWN, UNKNOWN))
    assert known == unknown
    assert known[0] < 300
    assert len(known[3]) > 3


def test_every_call_that_takes_an_address_is_tried(world: World):
    taking = {
        operation.name
        for operation in operations(world)
        if "requestBody" in operation.described
        and _takes_an_address(operation.described["requestBody"], world.document)
    }
    assert taking == CALLS.keys(), "add a call to CALLS that names an address"


def _takes_an_address(part: Any, document: Any) -> bool:
    """Return True if any member, at any depth, is called `email`, `invite` or `who`."""
    if isinstance(part, list):
        return any(_takes_an_address(value, document) for value in part)
    if not isinstance(part, dict):
        return False
    if "$ref" in part:
        return _takes_an_address(document["components"]["schemas"][part["$ref"].rpartition("/")[2]], document)
    properties = part.get("properties", {})
    return bool({"email", "invite", "who"} & properties.keys()) or any(
        _takes_an_address(value, document) for value in part.values()
    )
