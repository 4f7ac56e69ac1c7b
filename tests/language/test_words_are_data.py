"""No words of a language that people write stand in the code that reads mails: they are in the files of languages."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from server.language import lexicon, phrases

FOLDER = Path(lexicon.__file__).parents[1]
# The language of commands is one of its own, which the table of commands is: these have its words and its sentences.
OF_COMMANDS = {"forms.py", "dates.py"}
# These have names of elements of HTML, and of fields of the header with their values.
OF_MACHINES = {"html.py", "automatic.py"}
LEAST = 4  # letters of a word that is looked for; shorter ones are names of fields and ends of numbers as well
FEW = 2  # words that may stand together: names of tables, and such as "mr_x"
NAMES = {name for _, name in phrases.KINDS} | set(lexicon.table("tickets").values())
# Names of pawns and tickets in the notation, of kinds of phrases, and what machines and HTML have.
ALLOWED = NAMES | {
    "purple", "green", "yellow", "blue", "double", "surface", "signature", "sign", "talk", "answers", "move", "against",
    "phrases", "questions", "words", "station", "number", "pawn", "ticket", "name", "else", "subject", "date", "from",
    "reply", "message", "original", "unknown", "human", "loop", "list", "report", "read", "vacation",
}  # fmt: skip


@cache
def vocabulary() -> frozenset[str]:
    """Return the words of all files that say something by themselves."""
    places = [*phrases.KINDS, *(("move", name) for name in ("verbs", "please", "lead_ins", "endings", "introductions"))]
    found = {word for place in places for entry in lexicon.words(*place) for word in re.findall(r"[^\W\d_]+", entry)}
    return frozenset(word for word in found if len(word) >= LEAST) - ALLOWED


def texts(tree: ast.AST) -> Iterator[str]:
    """Yield what patterns, tables of words and split texts of a module say."""
    for node in ast.walk(tree):
        is_call = isinstance(node, ast.Call)
        if is_call and ast.unparse(node.func).startswith("re."):
            yield " ".join(strings(node))
        elif is_call and ast.unparse(node.func).endswith(".split") and isinstance(node.func.value, ast.Constant):
            yield str(node.func.value.value)
        elif isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
            yield " ".join(strings(node))


def strings(node: ast.AST) -> list[str]:
    return [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def found_in(source: str) -> list[set[str]]:
    said = [set(re.findall(r"[^\W\d_]+", lexicon.folded(text))) & vocabulary() for text in texts(ast.parse(source))]
    return [words for words in said if len(words) > FEW]


@pytest.mark.parametrize(
    "path", sorted((*FOLDER.glob("language/*.py"), *FOLDER.glob("reading/*.py"))), ids=lambda path: path.name
)
def test_no_pattern_and_no_table_of_the_code_has_words_of_a_language(path: Path):
    assert path.name in OF_COMMANDS | OF_MACHINES or found_in(path.read_text("utf-8")) == []


def test_a_table_and_a_pattern_of_words_would_be_found():
    assert found_in('WORDS = frozenset("maybe perhaps wait".split())')
    assert found_in('AGAINST = re.compile(r"\\b(?:vielleicht|doch nicht|warte)\\b")')
    assert found_in('THANKS = ("merci", "danke", "gracias")')
