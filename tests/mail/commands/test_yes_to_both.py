"""A yes to several moves: "Yes, both of them please"."""

from tests.mail.commands.test_dispatch import answer
from tests.mail.commands.test_unread import cleo, shared, told
from tests.mail.test_phrasings import forget, queued
from tests.table import Person, Playing

__all__ = ["cleo", "shared"]  # fixtures


def test_yes_to_both_answers_a_question_about_two_moves(shared: Playing, cleo: Person):
    """In which words it is said is in `tests/language/test_answers.py`."""
    for text in ("Yes, both of them please", "yes, all of them"):
        forget(shared, cleo)
        told(cleo, "sorry, I meant:\ngreen bus 46\nyellow taxi 38")
        answer(cleo, text)
        assert queued(shared) == ["green bus 46", "yellow taxi 38"], text


def test_yes_to_both_does_not_answer_a_question_about_one_thing(shared: Playing, cleo: Person):
    for asked in ("hmm\ngreen bus 46", "RESIGN"):
        told(cleo, asked)
        assert 'I read "Yes, both of them please"' in " ".join(answer(cleo, "Yes, both of them please").split()), asked
        assert queued(shared) == []
