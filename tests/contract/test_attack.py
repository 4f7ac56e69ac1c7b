"""Every answer of the API is one that the OpenAPI document promises, for any request."""

import re

import jsonschema_rs
import pytest

from tests.contract.attack import LEFT_OFF, Attack
from tests.contract.beyond_a_schema import REFUSALS, Refusal
from tests.contract.world import API, SIX, World, operations

ADMITTED = ("detective", "mr-x", "host")


@pytest.fixture(scope="module")
def attack(made: World) -> Attack:
    """An attack for all principals: what schemathesis reads off the document, it reads once."""
    return Attack(made, SIX[0])


@pytest.mark.parametrize("who", SIX)
def test_every_answer_is_as_the_document_promises(world: World, attack: Attack, who: str):
    """A sample, the same each time; `make campaign` tries 100,000, and all boundaries as each of them.

    Those with a seat and the host share a sixth of the boundaries, as others are mostly turned away before a form is
    read; all six share the operations, and each asks its own at random.
    """
    attack.by(who)
    if who in ADMITTED:
        attack.boundaries(first=ADMITTED.index(who), every=6 * len(ADMITTED))
    attack.at_random(1, first=SIX.index(who), every=len(SIX))
    attack.in_order(1)
    assert not attack.failures, attack.told()


def test_what_is_left_off_is_about_operations_that_are_there(world: World):
    names = {operation.name for operation in operations(world)} | {"everywhere"}
    assert {name for where in LEFT_OFF.values() for name in where} <= names


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.sentence[:40])
def test_what_no_schema_can_say_is_refused_with_a_sentence_and_a_status_that_the_document_lists(
    world: World, refusal: Refusal
):
    operation = next(each for each in operations(world) if each.name == refusal.operation)
    path = world.path(API + operation.path, refusal.game)
    answer = world.ask(refusal.who, operation.method, f"{path}?{refusal.query}", refusal.body)
    assert (answer.status_code, answer.json["type"]) == (422, "form"), answer.json
    assert re.match(refusal.sentence, answer.json["detail"])
    assert "422" in operation.described["responses"]
    if refusal.body is not None:
        schema = operation.described["requestBody"]["content"]["application/json"]["schema"]
        jsonschema_rs.validate({**schema, "components": world.document["components"]}, refusal.body)
