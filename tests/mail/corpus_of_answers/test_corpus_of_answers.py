"""What must never become of an answer, whatever its words; the figures are `python -m tests.mail.corpus_of_answers`."""

import pytest

from tests.mail.corpus_of_answers.mails import corpus
from tests.mail.corpus_of_answers.runner import Outcome, outcome


def is_never_to_be(each: Outcome) -> bool:
    """Return True if a move was played against its writer, an answer taken the other way, or a machine answered."""
    return each.is_against or each.is_turned or (each.sample.kind == "machine" and not each.is_right)


@pytest.mark.parametrize("language", ["", pytest.param("de", marks=pytest.mark.campaign)])
def test_no_answer_is_taken_against_its_writer_and_at_most_one_machine_is_answered(language: str):
    outcomes = [outcome(sample, language) for sample in corpus()]
    faults = [each for each in outcomes if is_never_to_be(each)]
    new = [each.sample.place for each in faults if not each.sample.known and each.sample.kind != "machine"]
    machines = [each.sample.place for each in faults if not each.sample.known and each.sample.kind == "machine"]
    gone = [each.sample.place for each in outcomes if each.sample.known and each not in faults]
    assert new == []
    assert len(machines) <= 1, machines
    assert gone == [], "these faults are gone: take the mark off"
