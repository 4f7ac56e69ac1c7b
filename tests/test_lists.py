"""Each list of names stands once, as the rows of a table, and what belongs to a row is found by its name."""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from sqlalchemy import Boolean

from server.application.accounts import preferences
from server.application.decisions import votes
from server.application.decisions.vote_table import BY_NAME
from server.application.people.preference_table import PREFERENCES
from server.mail.commands import handlers, joining, without_game
from server.mail.language.forms import COMMANDS, Trait, names_with
from server.models import Player
from server.settings import NOT_GIVEN, Settings
from server.settings.parsing import PARSERS
from tests.test_layers import modules, name_of, nodes_of

DOCS = Path(__file__).parents[1] / "docs"
# The names of each table, and the modules where they may stand together.
TABLES = {
    "preferences": (
        {row.name for row in PREFERENCES},
        {"server/application/people/preference_table.py"},
    ),
    "kinds of votes": ({*BY_NAME}, {"server/application/decisions/vote_table.py"}),
    "commands of mails": (
        {form.name for form in COMMANDS},
        # The last two have words that people write, in five languages.
        {
            "server/mail/language/forms.py",
            "server/mail/language/command_words.py",
            "server/mail/language/prose_words.py",
        },
    ),
}
# Dictionaries of the functions that belong to rows. Other tests here compare their keys with the names.
FUNCTIONS = {"READERS", "HANDLERS", "WAYS_IN", "CARRY_OUT"}
MOST_ELSEWHERE = 2  # of the names of a table, in one literal


def lists_in(path: Path) -> Iterator[tuple[int, set[str]]]:
    """Yield the line and names of each literal, of each list of arguments, and of each pattern with alternatives."""
    nodes = nodes_of(path)
    of_functions = [node.value for node in nodes if isinstance(node, ast.AnnAssign) and _name(node) in FUNCTIONS]
    for node in nodes:
        match node:
            case ast.Tuple() | ast.List() | ast.Set():
                yield node.lineno, _texts(node.elts)
            case ast.Dict() if node not in of_functions:
                yield node.lineno, _texts(node.keys)
            case ast.Call():
                yield node.lineno, {keyword.arg or "" for keyword in node.keywords}
            case ast.FunctionDef():
                yield node.lineno, {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
            case ast.Constant(value=str(text)) if "|" in text:
                yield from ((node.lineno, set(words.split("|"))) for words in re.findall(r"\w+(?:\|\w+)+", text))
            case _:
                pass


def _name(node: ast.AnnAssign) -> str:
    return node.target.id if isinstance(node.target, ast.Name) else ""


def _texts(nodes: list[ast.expr] | list[ast.expr | None]) -> set[str]:
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.parametrize("table", TABLES)
def test_no_other_list_in_the_server_has_names_of_a_table(table: str):
    names, homes = TABLES[table]
    found = [
        (name_of(path), line, sorted(texts & names))
        for path in modules()
        for line, texts in lists_in(path)
        if len(texts & names) > MOST_ELSEWHERE
    ]
    assert [place for place in found if place[0] not in homes] == []


# Preferences --------------------------------------------------------------------------------------


def test_each_preference_without_choices_is_read_by_the_function_of_its_name():
    assert preferences.READERS.keys() == {row.name for row in PREFERENCES if not row.choices}


def test_a_new_player_has_the_default_of_each_preference():
    defaults = {row.name: getattr(Player.__table__.c[row.column].default, "arg", None) for row in PREFERENCES}
    words = {True: "on", False: "off", None: "off"}
    assert {name: words.get(value, value) for name, value in defaults.items()} == {
        row.name: row.default for row in PREFERENCES
    }


def test_of_a_player_who_leaves_no_preference_is_kept():
    columns = Player.__table__.c
    player = Player(
        **{row.column: True if isinstance(columns[row.column].type, Boolean) else "own" for row in PREFERENCES}
    )
    preferences.reset(player)
    assert preferences.preferences_of(player) == {row.name: row.default for row in PREFERENCES}


def test_a_page_of_the_documentation_explains_each_preference():
    pages = "".join(path.read_text() for path in DOCS.glob("*.md"))
    assert [row.name for row in PREFERENCES if not re.search(rf"SET\s{row.name} ", pages)] == []


# Commands of mails ---------------------------------------------------------------------------------


def test_each_command_is_done_by_the_function_of_its_name():
    assert {*handlers.HANDLERS, "move"} == {form.name for form in COMMANDS}


def test_a_command_of_newcomers_that_enters_a_game_does_so_without_a_seat():
    assert joining.WAYS_IN.keys() == names_with(Trait.FOR_NEWCOMERS) & names_with(Trait.ENTERS)


def test_without_a_game_the_commands_of_nobody_s_game_and_of_the_player_are_done():
    assert without_game.HANDLERS.keys() <= names_with(Trait.HARMLESS) | names_with(Trait.OF_PLAYER)


def test_what_contradicts_an_answer_is_a_command():
    assert {name for form in COMMANDS for name in form.against} <= {form.name for form in COMMANDS}


# Votes ---------------------------------------------------------------------------------------------


def test_each_kind_of_vote_is_carried_out_by_the_function_of_its_name():
    assert votes.CARRY_OUT.keys() == BY_NAME.keys()


# Settings ------------------------------------------------------------------------------------------


def test_each_setting_is_read_by_the_function_of_its_name():
    """A value of one without a function would be passed over."""
    assert PARSERS.keys() == {setting.name.upper() for setting in fields(Settings)} - NOT_GIVEN
