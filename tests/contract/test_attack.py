"""Every answer of the API is one that the OpenAPI document promises, for any request."""

import pytest

from tests.contract.attack import LEFT_OFF, MORE_THAN_A_SCHEMA_SAYS, Attack
from tests.contract.world import SIX, World, operations

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
    assert MORE_THAN_A_SCHEMA_SAYS.keys() <= names
