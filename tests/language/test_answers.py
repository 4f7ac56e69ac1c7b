"""A yes to several things, in five languages."""

from server.language.answers import answer_in, is_to_both, is_to_several

TO_BOTH = (
    "Yes, both of them please", "yes both", "Both please!", "Ja, beide bitte", "Oui, les deux", "sí, los dos",
    "Ja, allebei graag", "yes, both of them",
)  # fmt: skip
TO_ONE = ("yes", "Yes please, sounds fun!", "Ja, gerne", "Oui, merci", "OK")


def test_a_yes_to_two_things_is_told_from_one_to_all_and_from_one():
    for text in TO_BOTH:
        assert (answer_in(text), is_to_several(text), is_to_both(text)) == ("yes", True, True), text
    text = "yes, all of them"
    assert (answer_in(text), is_to_several(text), is_to_both(text)) == ("yes", True, False)
    assert [text for text in TO_ONE if is_to_several(text) or is_to_both(text)] == []
