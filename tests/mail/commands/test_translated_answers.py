"""Answers in other languages: the commands that they print are read, and no line of theirs is one."""

import re
from collections.abc import Iterator
from pathlib import Path

from server.language.forms import COMMANDS
from server.language.grammar import parse_line
from server.vocabulary.translation import languages, speaking
from tests import catalogues
from tests.mail.wrapped import commands_in
from tests.rows import for_each

OURS = ("templates/mail/answer/", "server/mail/commands/")
VALUES = {"pawn": "Rot", "role": "Rot und Grün", "moves": "„lila taxi 46“", "station": "46", "stations": "46 oder 91"}


@for_each("language", languages())
def test_each_command_is_read_as_it_is_printed(language: str):
    with speaking(language):
        read = [parse_line(form.syntax) for form in COMMANDS]
    assert [command and command.name for command in read] == [form.name for form in COMMANDS]


@for_each("path", catalogues.paths())
def test_no_sentence_of_an_answer_is_a_command_however_it_is_wrapped(path: Path):
    found = {sentence: commands for sentence in _sentences(path) if (commands := commands_in(sentence))}
    assert found == {}


def _sentences(path: Path) -> Iterator[str]:
    """Yield the sentences of answers with values, without the words that stand in them."""
    for message in catalogues.read(path):
        if message.id and not message.context and any(place.startswith(OURS) for place, _ in message.locations):
            for text in [message.string] if isinstance(message.string, str) else message.string:
                yield re.sub(r"%\((\w+)\)s|\{(\w+)\}", lambda name: VALUES.get(name[1] or name[2], "„Wort“"), text)
