"""Authorisation: every operation of the API for every kind of caller, against authorisation.md.

With UPDATE_GOLDEN=1 the table is written anew from what the server answers; then read what has changed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from tests.contract.world import API, BODIES, NOWHERE, PRINCIPALS, Operation, World, operations
from tests.profiles import IS_CAMPAIGN

PAGE = Path(__file__).with_name("authorisation.md")
HEADING = "| operation | "
# Headers that say when an answer was made and how much its caller has asked, and nothing of what for.
OF_THE_MOMENT = ("Date", "RateLimit", "RateLimit-Policy")


def answers(world: World, operation: Operation) -> dict[str, int]:
    """Return the answer to each principal, each in an untouched world."""
    found = {}
    for who, principal in PRINCIPALS.items():
        world.restore()
        path = world.path(API + operation.path, principal.game)
        found[who] = world.ask(who, operation.method, path, operation.body).status_code
    return found


def row(operation: Operation, found: dict[str, int]) -> str:
    return f"| `{operation.name}` | {' | '.join(str(status) for status in found.values())} |"


def table() -> dict[str, str]:
    """The rows of the page by the names of their operations."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    return {line.split("`")[1]: line for line in lines if " /" in line.split("`")[1]}


def write_table(rows: list[str]) -> None:
    before, _, rest = PAGE.read_text().partition(HEADING)
    after = rest.partition("\n\n")[2]
    head = [f"{HEADING}{' | '.join(PRINCIPALS)} |", f"|---|{'---|' * len(PRINCIPALS)}"]
    PAGE.write_text(before + "\n".join([*head, *rows]) + "\n" + (f"\n{after}" if after else ""))


def test_every_operation_answers_every_kind_of_caller_as_the_table_says(world: World):
    rows = {operation.name: row(operation, answers(world, operation)) for operation in operations(world)}
    if "UPDATE_GOLDEN" in os.environ:
        write_table(list(rows.values()))
    expected, wrong = table(), []
    for name, seen in rows.items():
        if name not in expected:
            wrong.append(
                f"{name} has no row in authorisation.md. The server answers as below: if that is what "
                f"ought to be, add it; if it is not sent what it takes, add a body to BODIES in world.py.\n{seen}"
            )
        elif seen != expected[name]:
            wrong.append(f"authorisation.md says\n{expected[name]}\nand the server answers\n{seen}")
    assert not wrong, "\n\n".join(wrong)


def test_the_table_names_no_operation_that_is_not_there_and_all_kinds_of_callers(world: World):
    assert table().keys() <= {operation.name for operation in operations(world)}
    text = PAGE.read_text()
    assert f"{HEADING}{' | '.join(PRINCIPALS)} |" in text
    for who, principal in PRINCIPALS.items():
        assert f"| `{who}` | {principal.what} |" in text, f"{who} is not, or otherwise, explained"


def test_who_has_no_good_token_is_answered_nothing_else(world: World):
    """Nobody, expired and revoked look alike, to the byte; what is open to everybody is open to them."""
    for operation in operations(world):
        if "security" not in operation.described:  # else it is open, or asks for something else than a token
            asked = [ask(world, who, operation, "private") for who in ("nobody", "expired", "revoked")]
            assert {answer.status_code for answer in asked} == {401}, operation.name
            assert len({seen(answer) for answer in asked}) == 1, operation.name
            assert asked[0].headers["WWW-Authenticate"] == "Bearer", operation.name


def test_without_a_token_a_public_game_is_read_and_all_others_look_alike(world: World):
    """A private game, one with a former Mr. X and one that is not there are one to the byte; so is a bad token."""
    opened = [operation for operation in operations(world) if {} in operation.described.get("security", ())]
    games = [operation for operation in opened if operation.in_game]
    assert {operation.method for operation in games} == {"GET"}
    assert len(games) == 11
    for operation in games:
        is_for_the_end = operation.path.endswith(("/view", "/story"))  # there is nothing yet
        assert ask(world, "nobody", operation, "public").status_code == (404 if is_for_the_end else 200), operation.name
        refused = [ask(world, "nobody", operation, game) for game in ("private", "open", "handed-on", NOWHERE)]
        refused += [ask(world, who, operation, "public") for who in ("expired", "revoked")]
        assert {seen(answer) for answer in refused} == {seen(refused[0])}, operation.name
        assert (refused[0].status_code, refused[0].headers["WWW-Authenticate"]) == (401, "Bearer")


def test_without_a_token_a_public_game_is_what_a_spectator_sees(world: World):
    for path in ("", "/log", "/events", "/deduction"):
        at = f"{API}/games/{world.games['public']}{path}"
        answers = [world.ask(who, "GET", at, None) for who in ("passer-by", "spectator")]
        assert answers[0].json == answers[1].json, path


@pytest.mark.parametrize("who", ["stranger", "elsewhere", "former-mr-x"])
def test_a_game_that_is_not_to_be_seen_is_one_that_is_not_there_to_the_byte(world: World, who: str):
    """In every way to ask for one of the three, for the others as it should be; in a campaign in every way for all."""
    game = PRINCIPALS[who].game
    for operation in operations(world):
        ways = list(variants(operation)) if operation.in_game else []
        for variant in ways if IS_CAMPAIGN or who == "stranger" else ways[:1]:
            hidden, missing = (ask(world, who, operation, at, **variant) for at in (game, NOWHERE))
            assert (hidden.status_code, seen(hidden)) == (404, seen(missing)), (operation.name, variant)


def variants(operation: Operation) -> Iterator[dict[str, object]]:
    """Ways to ask: as it should be, without a body or with another, under a key, with an ETag."""
    yield {}
    if operation.method == "GET":
        yield {"method": "HEAD"}
        yield {"headers": {"If-None-Match": "*"}}
    else:
        yield {"headers": {"Idempotency-Key": "key"}}
        yield {"data": b"{"}
        yield {"json": {"code": "wrong", "turn": 99}}


def ask(world: World, who: str, operation: Operation, game: str, **variant: object) -> TestResponse:
    path = world.path(API + operation.path, game)
    headers = world.headers(who) | variant.pop("headers", {})  # type: ignore[operator]
    sent = variant if variant.keys() & {"json", "data"} else {"json": operation.body, **variant}
    return world.table.client.open(path, headers=headers, **{"method": operation.method, **sent})


def seen(answer: TestResponse) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
    headers = [(name, value) for name, value in answer.headers if name not in OF_THE_MOMENT]
    return answer.status_code, tuple(headers), answer.data


def test_bodies_are_for_operations_that_are_there(world: World):
    assert BODIES.keys() <= {operation.name for operation in operations(world)}
