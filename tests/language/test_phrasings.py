"""A plain move in the words of people is read as that move, and nothing beside it speaks against it."""

import pytest

from server.language.grammar import parse
from server.language.matching import Play, resolve
from server.language.prose import objection
from server.mail.reading.message import read
from server.mail.reading.quoting import MARKER
from tests.language.test_grammar import Legal
from tests.mail.phrasings import PLAYED, raw

LEGAL = [Legal("red", f"red taxi {station}") for station in (34, 46, 62)]


@pytest.mark.parametrize("title", PLAYED)
def test_a_move_in_any_words_is_read_as_one_that_nothing_speaks_against(title: str):
    parsed = parse((reading := read(raw(PLAYED[title]), marker=MARKER)).lines, wrapped_off=reading.wrapped_off)
    moves = {resolve(command.move, LEGAL) for command in parsed.commands if command.move}
    assert moves == {Play("red", "red taxi 46")}
    assert objection(parsed.free, ["red taxi 46"], LEGAL) is None
