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


def test_yes_to_both_does_not_answer_a_question_about_one_move(shared: Playing, cleo: Person):
    told(cleo, "hmm\ngreen bus 46")
    said = " ".join(answer(cleo, "Yes, both of them please").split())
    assert 'Your answer is to several moves, and the question is about "green bus 46".' in said
    assert queued(shared) == []


def test_yes_to_both_is_no_answer_where_no_moves_were_asked_about(shared: Playing, cleo: Person):
    told(cleo, "RESIGN")
    said = answer(cleo, "Yes, both of them please")
    assert "you were asked about one" in said


def test_yes_to_both_where_nothing_was_asked_is_told_so_and_what_to_send(shared: Playing, cleo: Person):
    said = answer(cleo, "yes, both of them")
    assert "no question is open. Send what you want itself, such as" in said
    assert "you were asked" not in said
    assert queued(shared) == []
