"""Every option of an edition is explained."""

import pytest

from server.engine import Edition
from server.engine.options import OPTIONS
from server.wording.options import ABOUT, value_in_words


def test_every_option_has_a_sentence():
    assert set(ABOUT) == set(Edition.named("condensed").options)
    assert all(about.sentence.endswith(".") for about in ABOUT.values())


@pytest.mark.parametrize("name", [name for name, about in ABOUT.items() if about.values])
def test_the_values_that_are_explained_are_those_there_are(name: str):
    option, usual = OPTIONS[name], Edition.named("ravensburger-2000").option(name)
    assert all(option.read(name, value, usual) == value for value in ABOUT[name].values)
    assert all(value_in_words(Edition.named(edition), name) for edition in Edition.names())


def test_values_are_shown_in_words():
    edition = Edition.named("ravensburger-2013")
    shown = [value_in_words(edition, name) for name in ("surfacing", "mr_x_tickets", "black", "both_stuck")]
    assert shown == ["3, 8, 13, 18, 24", "any number of taxi, any number of bus, any number of underground, 2 double",
                     "5", "nobody: it is a draw"]  # fmt: skip
