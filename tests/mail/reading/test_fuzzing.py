"""Damaged mails: nothing is raised, and nothing quoted is obeyed. `make campaign` goes on longer."""

import random

import pytest

from server.mail.reading.quoting import MARKER
from tests.mail.reading.fuzzing import check, mutant, seeds, written_by_hand

SEEDS = [pytest.param(seed, marks=[pytest.mark.campaign] * (seed >= 10)) for seed in range(20)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_mail_is_read_without_harm(seed: int):
    rng = random.Random(seed)
    for _ in range(20):
        check(mutant(rng))


def test_the_mails_that_are_damaged_are_read_without_harm_themselves():
    assert len(seeds()) > 10
    for raw in seeds():
        check(raw)


def test_the_second_reading_knows_a_quote():
    lines = ["taxi 46", "> bus 34", "\u200b>bus 34", "taxi 73", MARKER, "bus 34"]
    assert written_by_hand(lines) == ["taxi 46", "taxi 73"]
