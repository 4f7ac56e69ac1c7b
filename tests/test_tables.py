"""A list of names stands in one table, and what belongs to a row is found by the row's name."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Boolean

from server.application.game import outbox_rows
from server.application.people.accounts import preferences
from server.house_rules import votes
from server.house_rules.draft import decide
from server.language.forms import COMMANDS, Trait, names_with
from server.mail.commands import dispatch, handlers, joining
from server.mail.writing import disposition
from server.models import Player, transaction
from server.vocabulary.by_name import ByName, names_in
from server.vocabulary.events import EVENT_KINDS
from server.vocabulary.mails import MAIL_KINDS
from server.vocabulary.preferences import PREFERENCES
from server.vocabulary.resources import templates
from server.vocabulary.votes import BY_NAME
from server.wording import events
from tests.house_rules.situations import situation, sources
from tests.rows import for_each
from tests.table import Table
from tests.test_layers import modules, name_of, tree_of

DOCS = Path(__file__).parents[1] / "docs"
# The names of each table, and the modules where they may stand together.
TABLES: Mapping[str, tuple[Collection[str], set[str]]] = {
    "kinds of mail": (MAIL_KINDS, {"server/vocabulary/mails.py"}),
    "kinds of event": (
        EVENT_KINDS,
        {"server/vocabulary/events.py", "server/vocabulary/mails.py"},
    ),
    "preferences": ({row.name for row in PREFERENCES}, {"server/vocabulary/preferences.py"}),
    "kinds of votes": (BY_NAME, {"server/vocabulary/votes.py"}),
    "commands of mails": (
        {form.name for form in COMMANDS},
        {"server/language/forms.py"},
    ),
}
# Dictionaries of the functions that belong to rows. Other tests here compare their keys with the names.
FUNCTIONS = {"READERS", "HANDLERS", "WAYS_IN", "CARRY_OUT"}
MOST = 2  # names of one table that may stand together elsewhere
# Lists of something else, in which names of a table occur, by their modules.
OF_SOMETHING_ELSE = {
    "server/house_rules/outage_credit.py": ("timers", {"vote", "invitation", "final"}),
    "server/application/time/deadlines.py": ("timers", {"vote", "invitation", "reminder", "final"}),
    "server/application/time/outages.py": ("timers", {"vote", "invitation", "reminder", "final"}),
    "server/application/lists/reports.py": ("columns", {"final", "resigned"}),
    "server/wording/situation.py": ("reasons for an end", {"captured", "expired", "resigned", "agreed", "voided"}),
    "server/web/game/table.py": ("parts of a page", {"draw", "offered", "talk"}),
    "server/web/game/invitation.py": ("parts of a page", {"address", "board", "code", "host", "rules"}),
}


def groups(tree: ast.AST) -> Iterator[tuple[int, set[str]]]:
    """Yield the line and the texts of each literal, call and `match`, and what a function compares something with."""
    nodes = list(ast.walk(tree))
    of_functions = [
        node.value for node in nodes if isinstance(node, ast.AnnAssign) and name_of_target(node) in FUNCTIONS
    ]
    for node in nodes:
        match node:
            case ast.Set(elts=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Call(args=parts):
                yield node.lineno, texts(parts)
            case ast.Dict(keys=keys) if node not in of_functions:
                yield node.lineno, texts(key for key in keys if key is not None)
            case ast.Match(cases=cases):
                yield node.lineno, texts(part for case in cases for part in ast.walk(case.pattern))
            case ast.Constant(value=str(words)) if re.fullmatch(r"\s*\w+(\s+\w+)+\s*", words):
                yield node.lineno, set(words.split())
            case ast.Constant(value=str(pattern)) if "|" in pattern:
                yield from ((node.lineno, set(words.split("|"))) for words in re.findall(r"\w+(?:\|\w+)+", pattern))
            case ast.FunctionDef():
                yield node.lineno, {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
                yield from comparisons(node)
        if isinstance(node, ast.Call):
            yield node.lineno, {keyword.arg or "" for keyword in node.keywords}


def name_of_target(node: ast.AnnAssign) -> str:
    return node.target.id if isinstance(node.target, ast.Name) else ""


def texts(parts: Any) -> set[str]:
    """Return the texts among nodes, and those that a tuple among them begins with."""
    first = (part.elts[0] if isinstance(part, ast.Tuple) and part.elts else part for part in parts)
    values = (part.value for part in first if isinstance(part, ast.Constant))
    return {value for value in values if isinstance(value, str)}


def comparisons(function: ast.FunctionDef) -> Iterator[tuple[int, set[str]]]:
    """Yield what a function compares each expression with, by `if` and `elif` or one after the other."""
    compared: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            for right in node.comparators:
                compared[ast.unparse(node.left)] |= texts(getattr(right, "elts", [right]))
    yield from ((function.lineno, words) for words in compared.values())


@cache
def groups_of(path: Path) -> list[tuple[int, set[str]]]:
    return list(groups(tree_of(path)))


def repeated(found: Iterable[tuple[int, set[str]]], names: Collection[str]) -> list[tuple[int, set[str]]]:
    """Return the line and the names of each group that lists more than `MOST` of them."""
    listed = ((line, words & set(names)) for line, words in found)
    return [(line, words) for line, words in listed if len(words) > MOST]


def test_no_other_module_lists_the_names_of_a_table():
    seen = {
        (name_of(path), line, title, ", ".join(sorted(words)))
        for title, (names, homes) in TABLES.items()
        for path in modules()
        if name_of(path) not in homes
        for line, words in repeated(groups_of(path), names)
        if not words <= OF_SOMETHING_ELSE.get(name_of(path), ("", set()))[1]
    }
    assert sorted(seen) == []


def test_each_list_of_something_else_is_there():
    names = {name for names, _ in TABLES.values() for name in names}
    listed = {name_of(path) for path in modules() if repeated(groups_of(path), names)}
    assert OF_SOMETHING_ELSE.keys() <= listed


@for_each(
    "text",
    [
        'KINDS = ("turn", "go", "late")',
        'KINDS = {"turn": 1, "go": 2, "late": 3}',
        'KINDS = "turn go late".split()',
        'KINDS = case(("turn", 1), ("go", 2), ("late", 3))',
        "def f(kind):\n match kind:\n  case 'turn' | 'go': pass\n  case 'late': pass",
        "def f(row):\n if row.kind in ('turn', 'go'): pass\n elif row.kind == 'late': pass",
        "def f(row):\n if row.kind == 'turn': pass\n if row.kind == 'go': pass\n if row.kind == 'late': pass",
    ],
)
def test_a_list_is_found_however_it_is_written(text: str):
    assert [words for _, words in repeated(groups(ast.parse(text)), MAIL_KINDS)] == [{"turn", "go", "late"}]


# What belongs to a row ---------------------------------------------------------------------------


@cache
def templates_of_mails() -> dict[str, str]:
    """Return the text of the subject and of the body of each kind of mail that has them."""
    folders = [path for path in (templates() / "mail").iterdir() if path.is_dir()]
    return {folder.name: (folder / "subject.txt").read_text() + (folder / "body.txt").read_text() for folder in folders}


def test_a_kind_of_mail_has_templates_unless_it_is_shown_as_another_and_never_written():
    assert templates_of_mails().keys() == MAIL_KINDS.keys() - {"withheld"}


def test_a_template_of_a_mail_reads_no_details_but_those_of_its_kind():
    read = {(kind, key) for kind, text in templates_of_mails().items() for key in re.findall(r"\bdetails\.(\w+)", text)}
    keys = {(row.name, key) for row in MAIL_KINDS.values() for key in names_in(row.details)[0]}
    assert read - keys == set()
    assert len(read) > 40


def test_mails_name_other_kinds_and_events_that_there_are():
    assert {kind for row in MAIL_KINDS.values() for kind in row.superseded_by} <= MAIL_KINDS.keys()
    assert {row.tells for row in MAIL_KINDS.values()} - {""} <= EVENT_KINDS.keys()
    assert {row.shown_as for row in MAIL_KINDS.values()} - {""} <= MAIL_KINDS.keys()


def test_each_check_that_a_row_names_is_a_function_and_each_function_is_named():
    assert disposition._CHECKS.keys() == {row.only_if for row in MAIL_KINDS.values()} - {""}
    assert events._SENTENCES.keys() == {row.name for row in EVENT_KINDS.values() if row.sentence == ""}


def test_a_function_of_no_row_or_the_second_of_one_is_refused():
    def _turn() -> None: ...
    def _trun() -> None: ...

    functions: ByName[Callable[[], None]] = ByName(MAIL_KINDS)
    assert functions.add(_turn) is functions["turn"]
    for function in (_trun, _turn):
        with pytest.raises(ValueError, match="is not a name of the table, or has a function already"):
            functions.add(function)


# What is posted and published --------------------------------------------------------------------

OF_ANOTHER_KIND = [
    ("draw", {"pawn": ["red"]}, "a mail draw lacks ['pawns'] and may not have ['pawn']"),
    ("draw", None, "a mail draw lacks ['pawns'] and may not have []"),
    ("turn", {"pawns": ["red"]}, "a mail turn lacks [] and may not have ['pawns']"),
    ("code", {"to": "ada@example.org", "code": "a" * 16}, "a mail code is for: address"),
]


@for_each("kind, details, error", OF_ANOTHER_KIND)
def test_a_mail_with_the_details_or_the_reader_of_another_kind_is_not_posted(
    table: Table, kind: str, details: dict[str, Any] | None, error: str
):
    game = situation()
    with pytest.raises(ValueError, match=re.escape(error)):
        decide(game, lambda draft: draft.post(game.host_id, kind, details), sources())
    with table.app.app_context(), transaction(), pytest.raises(ValueError, match=re.escape(error)):
        outbox_rows.post("ada", kind, details=details)


def test_a_kind_of_mail_or_event_that_no_table_has_is_neither_posted_nor_published():
    game = situation()
    with pytest.raises(KeyError, match="trun"):
        decide(game, lambda draft: draft.post(game.host_id, "trun"), sources())
    with pytest.raises(KeyError, match="strated"):
        decide(game, lambda draft: draft.publish("strated"), sources())


def test_an_event_with_the_data_of_another_kind_is_not_published():
    with pytest.raises(ValueError, match=re.escape("an event left lacks ['seat'] and may not have ['pawns']")):
        decide(situation(), lambda draft: draft.publish("left", pawns=["red"]), sources())


# Preferences --------------------------------------------------------------------------------------


def test_each_preference_without_choices_is_read_by_the_function_of_its_name():
    assert preferences.READERS.keys() == {row.name for row in PREFERENCES if not row.choices}


def test_a_new_player_has_the_default_of_each_preference():
    columns = {row.name: Player.__table__.c[row.column] for row in PREFERENCES}
    defaults = {name: getattr(each.default or each.server_default, "arg", None) for name, each in columns.items()}
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
    assert dispatch.HANDLERS.keys() <= names_with(Trait.HARMLESS) | names_with(Trait.OF_PLAYER)


def test_what_contradicts_an_answer_is_a_command():
    assert {name for form in COMMANDS for name in form.against} <= {form.name for form in COMMANDS}


# Votes ---------------------------------------------------------------------------------------------


def test_each_kind_of_vote_is_carried_out_by_the_function_of_its_name():
    assert votes.CARRY_OUT.keys() == BY_NAME.keys()
