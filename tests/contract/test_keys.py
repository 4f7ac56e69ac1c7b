"""Every call that makes or moves something takes an Idempotency-Key, and keeps what it promises."""

import pytest
from werkzeug.test import TestResponse

from tests.contract.world import API, Operation, World, operations

KEY = {"Idempotency-Key": "key"}
# POSTs that take no key, and why.
WITHOUT = {
    "POST /players": "nobody is known yet whose key it could be; sent again, it mails another code",
    "POST /players/confirm": "nobody is known yet, and the answer holds a secret; a code is good once",
    "POST /me/tokens": "the answer holds a secret, which is kept nowhere; sent again, it makes another token",
    "POST /webhooks": "the answer holds a secret, which is kept nowhere",
    "POST /webhooks/{webhook_id}/secret": "the answer holds a secret, which is kept nowhere",
    "POST /webhooks/{webhook_id}/test": "sent again, it sends another test",
    "POST /devices": "sent again, it is the same device",
    "POST /me/addresses": "sent again, it mails another code, a few a day",
    "POST /me/addresses/confirm": "a code is good once",
    "POST /me/addresses/{address_id}/primary": "done twice, it is as good as done once",
    "POST /games/{game_id}/seats/{seat}/link": "the answer holds a secret, which is kept nowhere",
    "POST /games/{game_id}/reports": "while a report is open, the same one adds nothing",
    "POST /inbound/{provider}": "a provider knows of no keys; a mail is known by its bytes",
}


def takes_a_key(operation: Operation) -> bool:
    return any(given.get("name") == "Idempotency-Key" for given in operation.described.get("parameters", []))


def test_every_post_takes_a_key_or_says_why_not(world: World):
    posts = {operation.name: takes_a_key(operation) for operation in operations(world) if operation.method == "POST"}
    without = {name for name, taken in posts.items() if not taken}
    assert without == WITHOUT.keys(), "put `once` and KEY on it, or name it in WITHOUT with a reason"


def first_success(world: World, operation: Operation) -> tuple[str, str, TestResponse] | None:
    """Return who can do it, where, and the answer under the key; None if nobody can.

    Public games first: who has handed a private one on does not see it, nor an answer about it, any more.
    """
    for game in ("public", *world.games) if operation.in_game else ("none",):
        for who in ("detective", "host", "mr-x", "elsewhere"):
            world.restore()
            path = world.path(API + operation.path, game)
            answer = world.ask(who, operation.method, path, operation.body, headers=KEY)
            if answer.status_code < 300:
                return who, path, answer
    return None


# What nobody can do in the world as it is made.
NOT_TRIED = {
    "POST /games/{game_id}/start": "every game whose seats are taken has begun; tests/api does it",
    "POST /games/{game_id}/seats/{seat}/remind": "no invitation is a day old; tests/api does it",
    "POST /games/{game_id}/again": "the game that is over was so when it began; tests/application/lobby does it",
}


def test_a_call_that_takes_a_key_has_one_effect_under_it(world: World):
    for operation in operations(world):
        if not takes_a_key(operation) or operation.name in NOT_TRIED:
            continue
        found = first_success(world, operation)
        assert found is not None, f"nobody can {operation.name}: give it a body in world.py, or name it in NOT_TRIED"
        who, path, first = found
        done = world.version()
        again = world.ask(who, operation.method, path, operation.body, headers=KEY)
        assert (again.status_code, again.data) == (first.status_code, first.data), operation.name
        assert again.headers.get("Location") == first.headers.get("Location"), operation.name
        assert world.version() == done, f"{operation.name} was done again"
        other = world.ask(who, operation.method, f"{path}?other=1", operation.body, headers=KEY)
        assert (other.status_code, other.json["type"]) == (422, "key-reused"), operation.name


@pytest.mark.parametrize("name", NOT_TRIED)
def test_what_is_not_tried_is_there_and_cannot_be_done(world: World, name: str):
    (operation,) = [operation for operation in operations(world) if operation.name == name]
    assert first_success(world, operation) is None
