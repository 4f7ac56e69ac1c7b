"""Every answer of the API is one that the OpenAPI document promises, for any request."""

import pytest

from tests.contract.attack import LEFT_OFF, MORE_THAN_A_SCHEMA_SAYS, Attack
from tests.contract.world import SIX, World, operations


@pytest.fixture(scope="module")
def attack(made: World) -> Attack:
    """An attack for all principals: what schemathesis reads off the document, it reads once."""
    return Attack(made, SIX[0])


@pytest.mark.parametrize("who", SIX)
def test_every_answer_is_as_the_document_promises(world: World, attack: Attack, who: str):
    """A sample, the same each time; `make campaign` tries 100,000.

    The principals share the boundaries, and each asks every other operation at random.
    """
    attack.by(who)
    number = SIX.index(who)
    attack.boundaries(first=number, every=len(SIX))
    attack.at_random(1, first=number % 3, every=3)
    attack.in_order(2)
    assert not attack.failures, attack.told()


def test_what_is_left_off_is_about_operations_that_are_there(world: World):
    names = {operation.name for operation in operations(world)} | {"everywhere"}
    assert {name for where in LEFT_OFF.values() for name in where} <= names
    assert MORE_THAN_A_SCHEMA_SAYS.keys() <= names
