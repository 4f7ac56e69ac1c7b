"""What is in doubt is asked about first, and YES, NO or other words answer the question."""

import pytest

from server.application.limits import answers
from tests.mail.commands.test_dispatch import answer, history, silence
from tests.table import Playing

ONLY_LOOK = (
    "TRY purpel taxi 115", "TRYY purple taxie 115", "tyr to 115 by taxi", "Please TRY the taxi to 115",
    "- TRY: taxi 115 ok", "Hi, TYR purpel taxi 115", "Hi Ada! TRY purpel taxi 115",
    "TRY\npurple taxi 115", "Try this:\npurple taxi 115", "Probier mal: purpel taxi 115", "LEGAL purple taxi 115",
    "BOARD purple taxie 115", "PROBIERE lial Taxi 115", "PROBIERE lila Taxie 115", "Probier lila Taxi 115",
    "PROBIEREN lila Taxi 115", "PROBIRE lila Taxi 115", "Bitte mal probieren: lila Taxi 115", "Versuch lila Taxie 115",
    "PROBIERE L\N{REPLACEMENT CHARACTER}LA Taxi 115", "STATUS lila Taxi 115", "probeer paars taxie 115",
    "CANCEL purpel taxi 115", "ABBRECHEN lial taxi 115", "STOP lila taxie 115",
    "MÖGLICHE ZÜGE lila Taxi 115", "Hallo PROBIERE lial Taxi 115", "Hi Ada! TRY purpel taxi 115. Thanks!",
)  # fmt: skip
QUESTIONS = (
    "Wäre lila Taxi 115 möglich?", "Is purple taxi 115 possible?", "Geht lila Taxi 115?",
    "Would the taxi to 115 be good?", "Can you reach 115 by taxi?",
    "Ist lila Taxi 115 erlaubt?", "Is the taxi to 115\nallowed?", "Lila mit dem Taxi auf 115, wäre das gut?",
    "Could purple take a taxi to 115 from here?", "Does a taxi run to 115?", "Fährt ein Taxi nach 115? Wäre ja was",
    "Hätte lila mit dem Taxi 115 eine Chance?", "Are there taxis to 115?",
    "Can you get to 115 by taxi? Thanks", "Wäre lila Taxi 115 möglich? Danke!",
)  # fmt: skip
WITHOUT_MARK = (
    "Wäre lila Taxi 115 möglich", "Hallo Ada, wäre lila taxi 115 erlaubt.", "Lila Taxi 115, geht das",
    "Könnte lila mit dem Taxi nach 115", "Taxi nach 115 noch möglich", "Ginge ein Taxi nach 115",
    "Would purple taxi 115 be possible", "Could purple take the taxi to 115", "Is the taxi to 115 allowed",
    "Hello Ada, could purple take the taxi to 115", "Is it possible to take the taxi to 115",
    "Sorry for the delay, can purple take taxi 115", "Und kann man mit dem Taxi nach 115", "* May I take a taxi to 115",
    "Waere lila Taxi 115 moeglich",
    "Is purple taxi 115 possible, please", "Could purple take the taxi to 115 now",
)  # fmt: skip
REQUESTS = (
    "Could you move purple by taxi to 115, please", "Can you move me to 115? Thanks", "Can you please take taxi 115?",
    "Kannst du mich mit dem Taxi nach 115 setzen", "Lila mit dem Taxi auf die 115, so schnell wie möglich",
    "Was lila betrifft: Taxi nach 115", "Kann lila bitte mit dem Taxi auf 115",
    "Can purple please go by taxi to 115. Thanks",
)  # fmt: skip


def test_two_moves_in_sentences_are_asked_about_and_yes_plays_both(pairs: Playing):
    """All such sentences are in `tests/language/test_matching.py`."""
    ben = pairs.people[1]
    doubted = "Purple could take the taxi to 15, Red perhaps the bus to 41"
    assert "found no move or command in your mail. Nothing was done." in answer(ben, doubted)
    said = answer(ben, "Morning!\n\nPurple takes the cab to 15 and Red hops on the bus to 41.\n\nTalk later,\nB.")
    assert 'Understood: "purple taxi 15" and "red bus 41". I play them at 18:15' in said
    assert history(pairs) == ["taxi ?"]
    assert 'played: "purple taxi 15" and "red bus 41".' in answer(ben, "yes, both please")


@pytest.mark.parametrize("text", [*ONLY_LOOK, *QUESTIONS, *WITHOUT_MARK])
def test_no_order_to_look_and_no_question_makes_a_move(hunted: Playing, text: str):
    answer(hunted.people[1], text)
    hunted.table.clock.turn(minutes=20)
    hunted.table.tick()
    assert history(hunted) == ["black ?"]


@pytest.mark.parametrize("text", ["Can you get to 115 by taxi? Thanks", *WITHOUT_MARK])
def test_a_question_without_its_mark_or_with_thanks_behind_is_asked_back(hunted: Playing, text: str):
    assert 'did you mean "purple taxi 115"?' in answer(hunted.people[1], text)


@pytest.mark.parametrize("text", REQUESTS)
def test_a_polite_request_to_move_waits_as_an_order_does(hunted: Playing, text: str):
    assert 'Understood: "purple taxi 115". I play it at 18:15' in answer(hunted.people[1], text)


def test_a_question_about_another_move_does_not_take_the_place_of_one_that_waits(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "Can you move me to 115? Thanks")
    assert "I play it" not in answer(ben, "Not that. Could purple take the taxi to 126")


def test_no_to_that_question_does_nothing(hunted: Playing):
    answer(hunted.people[1], "I think I take the bus to 102 please")
    assert "All right, nothing of that was done." in answer(hunted.people[1], "No.")
    assert "There is no open question to answer with YES." in answer(hunted.people[1], "yes")
    assert len(history(hunted)) == 1


def test_a_question_that_is_not_asked_is_not_open(hunted: Playing, monkeypatch: pytest.MonkeyPatch):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    monkeypatch.setattr(answers, "schedule", lambda *_, **__: None)
    silence(ben, "I think I take the bus to 102 please", to=turn)
    silence(ben, "yes", to=turn)
    assert len(history(hunted)) == 1


def test_a_question_whose_move_is_no_longer_legal_is_refused(hunted: Playing):
    cleo = hunted.people[2]
    answer(cleo, "I think I take the bus to 102 please")
    question = cleo.mails[-1]
    hunted.move(hunted.people[1], "bus 102")
    hunted.table.tick()
    assert "Another detective stands on 102" in answer(cleo, "yes", to=question)


def test_yes_without_a_question_is_told_so(hunted: Playing):
    assert "There is no open question to answer with YES. Nothing was done." in answer(hunted.people[1], "YES")


def test_who_was_asked_which_move_they_mean_is_not_told_to_answer_yes(hunted: Playing):
    answer(hunted.people[1], "bus 102\nbus 65")
    said = answer(hunted.people[1], "Yes, but you know best!")
    assert "which does not settle it." in said
    assert 'I read "purple bus 102", and further down "purple bus 65".' in said
    assert "YES or NO" not in said


def test_beside_a_misspelt_line_for_the_other_pawn_a_move_waits(pairs: Playing):
    ben = pairs.people[1]
    assert '"erd bus 41" is unclear.' in answer(ben, "purple taxi 15\nerd bus 41")
    assert 'Understood and played: "purple taxi 15".' in answer(ben, "YES")


def test_of_a_pawn_that_has_moved_it_is_said_so(pairs: Playing):
    ben = pairs.people[1]
    answer(ben, "purple taxi 15")
    assert "Purple has already moved in this round. Nothing was done." in answer(ben, "purple 16")


def test_before_mr_x_has_begun_the_round_no_pawn_is_said_to_have_moved(pairs: Playing):
    pairs.play_round()
    pairs.table.tick()
    ben = pairs.people[1]
    answer(ben, "STATUS")
    assert "Purple has no move to make now. Nothing was done." in answer(ben, "purple 16")


def test_a_command_in_natural_words_is_done_and_a_wrong_one_is_explained(hunted: Playing):
    """In which words a command is known is in `tests/language/test_command_words.py`."""
    turn = hunted.people[1].mails[-1]
    for text, says in (
        ("BOARD foo", 'BOARD is a command, but "foo" cannot follow it. "BOARD 46"'),
        ("NEW standard 6 with ann@example.net, bob@example.net", "The editions are"),
        ("NEW 3 foo", "The editions are milton-bradley-1985, ravensburger-2000, condensed and ravensburger-2013."),
        ("NEW 2 1985", "The edition Milton Bradley 1985 is for 3 to 6 people, Mr. X included, not 2. For 2 there is"),
        ("NEW 3 ravensburger", "The rules are those of the edition Ravensburger 2000."),
        ("JOIN abc", "There is no game with that code"),
        ("DRAW off", "You have offered no draw, so there is nothing to take back."),
        ("please draw", "without a winner"),
        ("help me please", 'To move, answer this mail with a line such as "purple taxi NN"'),
        ("Regeln bitte", "These are the rules of"),
        ("Where is everybody?", "127"),
    ):
        assert says in answer(hunted.people[1], text, to=turn), text
    assert "Your mail about " in answer(hunted.people[2], "Wer ist dran?")


def test_a_yes_beside_a_move_that_has_nothing_to_answer_does_no_harm(hunted: Playing):
    said = answer(hunted.people[1], "Yes\nbus 102")
    assert 'played: "purple bus 102".' in said
    assert "Not done" not in said


def test_a_move_that_a_detective_tells_of_mr_x_is_not_their_own(hunted: Playing):
    for text in ("Mr. X takes the taxi to 115", "Mister X nimmt das Taxi zur 115", "TRY Mr. X taxi 115"):
        assert "Mr. X is not yours. Nothing was done." in answer(hunted.people[1], text), text
