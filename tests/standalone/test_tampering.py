"""The verifier refuses every changed transcript and names the place; the changes are in tampering.py."""

import pytest

from tests.profiles import IS_CAMPAIGN

from .mails import heads, letter, verdict
from .tampering import LEFT, RELINKED, SEEN_IN_MAILS, tampered

# Games from which each way is tried.
SEEDS = (0, 24, 48) if IS_CAMPAIGN else (0, 24)


def is_refused(answer):
    """It is no transcript any more, or an event that fails is named."""
    status, facts, _ = answer
    return status == 2 or (status == 1 and (facts["where"] == "header" or facts["where"].startswith("event ")))


@pytest.mark.parametrize("name", LEFT)
def test_a_change_under_the_old_head_is_refused(name, tmp_path):
    for seed in SEEDS:
        _, changed = tampered(LEFT, name, seed)
        answer = verdict(tmp_path, changed)
        assert is_refused(answer), (seed, answer)


@pytest.mark.parametrize("name", RELINKED)
def test_an_operator_who_makes_the_whole_chain_anew_is_refused(name, tmp_path):
    for seed in SEEDS:
        _, changed = tampered(RELINKED, name, seed)
        answer = verdict(tmp_path, changed)
        assert is_refused(answer), (seed, answer)


@pytest.mark.parametrize("name", SEEN_IN_MAILS)
def test_another_game_that_might_have_been_is_refused_by_a_mail_of_the_true_one(name, tmp_path):
    for seed in SEEDS:
        true, changed = tampered(SEEN_IN_MAILS, name, seed)
        assert verdict(tmp_path, changed)[0] == 0
        mail = letter(true, heads(true)[-1])
        answer = verdict(tmp_path, changed, [mail])
        assert is_refused(answer), (seed, answer)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_missed_capture_names_the_move_and_where_mr_x_was(seed, tmp_path):
    _, changed = tampered(RELINKED, "a capture that was missed", seed)
    status, facts, sentence = verdict(tmp_path, changed)
    assert status == 1
    assert facts["why"].endswith("but the game went on")
    assert "ended its move on Mr. X's station (" in sentence


@pytest.mark.parametrize("seed", SEEDS)
def test_a_result_after_a_capture_that_is_none_names_the_end(seed, tmp_path):
    _, changed = tampered(RELINKED, "a capture that is kept quiet", seed)
    _, facts, _ = verdict(tmp_path, changed)
    assert facts["where"].endswith("(ended)")
    assert "ended its move on Mr. X's station" in facts["why"]
