"""Sentences in the language of the reader, and in English where a catalogue has none that fits."""

import gettext as gnu
import io
import logging
from collections.abc import Iterator

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from jinja2 import Environment

from server.app import template_words
from server.vocabulary import translation
from server.vocabulary.translation import catalogues, current, gettext, languages, ngettext, pgettext, speak, speaking

FISH = "xx"


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """A language with a catalogue that lacks sentences and has wrong ones; what it tells the log."""
    catalog = Catalog(locale="de")
    catalog.add("English", "Fish", context="this language")
    catalog.add("{who} swims.", "Blub {who}.")
    catalog.add("{who} dives.", "Blub {whom}.")
    catalog.add("{who} sinks.", "Blub {0}.")
    catalog.add("{who} floats.", "Blub {who.")
    catalog.add("%(who)s jumps.", "Blub %(whom)s.")
    catalog.add("%(who)s eats.", "Blub %(who)s, 100%.")
    catalog.add("%(who)s jumps & eats.", "%(who)s hüpft & frisst.")
    catalog.add(("%(n)s <b>fish</b>", "%(n)s <b>fishes</b>"), ("%(n)s <b>Blub</b>", "%(n)s <b>Blubs</b>"))
    catalog.add("bank", "Ufer", context="of a river")
    catalog.add(("{n} fish", "{n} fishes"), ("{n} Blub", "{n} Blubs"))
    file = io.BytesIO()
    write_mo(file, catalog)
    file.seek(0)
    catalogues()[FISH] = catalogue = gnu.GNUTranslations(file)
    catalogue.add_fallback(translation._Missing())
    translation.report.cache_clear()
    caplog.set_level(logging.WARNING)
    with speaking(FISH):
        yield caplog
    del catalogues()[FISH]


def test_a_sentence_is_in_the_language_that_is_spoken(told: pytest.LogCaptureFixture):
    assert gettext("{who} swims.", who="Ada") == "Blub Ada."
    assert (ngettext("{n} fish", "{n} fishes", 1), ngettext("{n} fish", "{n} fishes", 2)) == ("1 Blub", "2 Blubs")
    assert pgettext("of a river", "bank") == "Ufer"
    assert languages()[FISH] == "Fish"
    assert told.records == []


@pytest.mark.parametrize("english", ["{who} dives.", "{who} sinks.", "{who} floats.", "{who} sleeps."])
def test_one_that_is_missing_or_has_other_values_is_in_english_and_logged_once(
    told: pytest.LogCaptureFixture, english: str
):
    for _ in range(2):
        assert gettext(english, who="Ada") == english.format(who="Ada")
    (line,) = told.messages
    assert english in line


@pytest.mark.parametrize("english", ["%(who)s jumps.", "%(who)s eats.", "%(who)s sleeps."])
def test_one_of_a_template_likewise_and_its_values_are_escaped(told: pytest.LogCaptureFixture, english: str):
    environment = Environment(autoescape=True)
    template_words.add_to(environment)
    page = environment.from_string("{{ gettext(sentence, who='<Ada>') }}")
    assert page.render(sentence=english) == english % {"who": "&lt;Ada&gt;"}
    assert [english in line for line in told.messages] == [True]


def test_a_block_of_a_template_is_in_the_language_of_each_reader_and_its_values_are_escaped(
    told: pytest.LogCaptureFixture,
):
    environment = Environment(autoescape=True)
    template_words.add_to(environment)
    page = environment.from_string(
        "{% trans who='<Ada>' %}{{ who }} jumps & eats.{% endtrans %}"
        "{% trans 'of a river' %}bank{% endtrans %}"
        "{% trans n=fish | length %}{{ n }} <b>fish</b>{% pluralize %}{{ n }} <b>fishes</b>{% endtrans %} 100 %"
    )
    assert page.render(fish=["A"]) == "&lt;Ada&gt; hüpft & frisst.Ufer1 <b>Blub</b> 100 %"
    with speaking("en"):
        assert page.render(fish=["A", "B"]) == "&lt;Ada&gt; jumps & eats.bank2 <b>fishes</b> 100 %"


def test_a_language_that_there_is_not_is_english():
    with speaking("klingon"):
        assert current() == "en"
    with speaking("de"):
        speak("klingon")
        assert current() == "en"
    assert current() == "en"


def test_nothing_in_nothing_out_and_not_the_head_of_the_catalogue(told: pytest.LogCaptureFixture):
    assert gettext("") == ""
    assert told.records == []
