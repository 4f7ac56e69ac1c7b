"""The catalogues of translations: `make words` brings them up to date with the code, and `make lint` checks them.

The sentences of `server`, `templates/mail`, `templates/web` and the scripts of the pages are found in them. A new
sentence stands in `messages.po` of each language without a translation; a sentence that is gone is removed.
"""

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from inspect import signature
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from server.engine.options import Option
from server.language.forms import CommandForm
from server.vocabulary.errors import Entry
from server.vocabulary.events import EventKind
from server.vocabulary.limits import Limit
from server.vocabulary.mails import MailKind
from server.vocabulary.preferences import Choice, Preference
from server.vocabulary.votes import VoteKind
from server.web.scripts import SAID
from server.wording.mail_frequencies import Frequency
from server.wording.options import About
from server.wording.rules import Rule

ROOT = Path(__file__).parent.parent
LOCALE = ROOT / "server" / "locale"
KEYWORDS = {"gettext": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2), "npgettext": ((1, "c"), 2, 3)}
# Which arguments of a function are a sentence, or its two forms; that in front of them is its context where it has one.
CALLS = {
    "gettext": (0,), "gettext_noop": (0,), "pgettext": (1,), "pgettext_noop": (1,),
    "ngettext": (0, 1), "npgettext": (1, 2), "counted": (1, 2),
    "check_open": (0,), "check_running": (0,), "check_host": (1,), "check_may_arrange": (2,), "check_may_seat": (2,),
    "refusal": (1,), "_by_role": (1,),
    "Reason": (1,), "_at_odds": (1,), "OutOfTurn": (0,),  # of the engine, which says them in English
}  # fmt: skip
WITH_CONTEXT = {"pgettext", "pgettext_noop", "npgettext", "_by_role"}
# Rows of tables in the module of their class, with the fields that are sentences and the context of each.
ROWS: dict[Callable[..., object], dict[str, str]] = {
    CommandForm: {"example": "command", "does": "", "more": ""},
    Entry: {"title": ""},
    EventKind: {"sentence": ""},
    MailKind: {"about": ""},
    Limit: {"reason": ""},
    Choice: {"label": "", "hint": "", "sentence": ""},
    Preference: {"name": "typed", "sentence": "", "title": "", "without_pages": ""},
    VoteKind: {"words": "motion", "misfit": "", "noun": "majority", "title": "", "at_most": "", "button": ""},
    About: {"sentence": "", "values": ""},
    Option: {"says": ""},
    Rule: {"name": ""},
    Frequency: {"title": "", "meaning": "", "name": "how much mail"},
}


def of_code(file: BinaryIO, *_: object, **__: object) -> Iterator[tuple[int, str, tuple[str, ...], list[str]]]:
    """Return the sentences of Python, as Babel wants them: those of calls, and of the rows and tables among them."""
    rows = {row.__name__: row for row in ROWS if sys.modules[row.__module__].__file__ == file.name}
    code = ast.parse(file.read())
    tables = {name: line.value for line in code.body if isinstance(line, ast.Assign) and (name := _name(line))}
    for call in ast.walk(code):
        name = _name(call)
        if not isinstance(call, ast.Call) or not name:
            continue
        if (places := CALLS.get(name)) is not None:
            given = call.args[places[0] : places[-1] + 1]
            forms = [list(_strings(tables.get(_name(each), each))) for each in given]
            context = next(_strings(call.args[0]), "") if name in WITH_CONTEXT else ""
            found = [(context, words) for words in zip(*forms, strict=True)]
        elif (row := rows.get(name)) is not None:
            given = dict(zip(signature(row).parameters, call.args, strict=False))
            given |= {each.arg: each.value for each in call.keywords if each.arg}
            found = [(context, (each,)) for field, context in ROWS[row].items() for each in _strings(given.get(field))]
        else:
            continue
        for context, words in found:
            function = f"{'n' * (len(words) - 1)}{'p' * bool(context)}gettext"
            yield call.lineno, function, (context, *words) if context else words, []


def _name(call: ast.AST) -> str:
    """Return the name of what is called, of a constant, or of what is given to one."""
    match call:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) | ast.Name(id=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _strings(node: ast.AST | None) -> Iterator[str]:
    """Return the sentences of an argument: one, both of `a if b else c`, or those of a table."""
    match node:
        case ast.Constant(value=str(sentence)) if sentence:
            yield sentence
        case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            yield from (each for part in parts for each in _strings(part))
        case ast.IfExp(body=body, orelse=other):
            yield from (*_strings(body), *_strings(other))


def of_script(file: BinaryIO, *_: object, **__: object) -> Iterator[tuple[int, str, str, list[str]]]:
    """Return the sentences of a script, as Babel wants them; those that the server replaces."""
    for number, line in enumerate(file.read().decode().splitlines(), 1):
        yield from ((number, "say", json.loads(call[1]), []) for call in SAID.finditer(line))


SCRIPTS = "templates/web/scripts"
METHODS = {
    SCRIPTS: [("**.js", of_script)],
    "server": [("**.py", of_code)],
    "templates": [("**.html", "jinja2"), ("**.txt", "jinja2")],
}
ANYTHING_ELSE = re.compile(r"%\((\w+)\)s|(?<!%)%(?!%)|\{(\w*)\}")
LETTERS = "letter of a pawn"
OPTIONS = {"**": {"newstyle_gettext": "yes"}}  # as the templates are compiled: a percent sign is written twice


def extracted() -> Catalog:
    """Return the sentences of the code, in the order of its files."""
    catalog = Catalog(project="Black Ticket", charset="utf-8", fuzzy=False)
    for folder, methods in METHODS.items():
        keywords = {"say": None} if folder == SCRIPTS else KEYWORDS
        found = extract_from_dir(ROOT / folder, methods, keywords=keywords, options_map=OPTIONS)
        for file, _, message, comments, context in sorted(found, key=lambda each: (each[0], each[1])):
            catalog.add(message, None, [(f"{folder}/{file}", None)], auto_comments=comments, context=context)
    for message in catalog:
        message.locations = list(dict.fromkeys(message.locations))
    return catalog


def paths() -> list[Path]:
    """Return the catalogue of each language."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/messages.po"))


def read(path: Path) -> Catalog:
    """Return a catalogue from its file."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3])


def compiled(catalog: Catalog) -> bytes:
    """Return a catalogue as `gettext` loads it."""
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def update(path: Path, template: Catalog) -> None:
    """Bring a catalogue up to date, and compile it."""
    catalog = read(path)
    catalog.update(template, no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    with path.open("wb") as file:
        write_po(file, catalog, width=120, sort_by_file=True, include_lineno=False, omit_header=False)
    path.with_suffix(".mo").write_bytes(compiled(catalog))


def wrong(path: Path, template: Catalog) -> Iterator[str]:
    """Return what is wrong with a catalogue, a line each."""
    catalog = read(path)
    needed = {(message.context, _key(message)): message for message in template if message.id}
    has = {(message.context, _key(message)): message for message in catalog if message.id}
    for key, message in needed.items():
        if key not in has or not all(_forms(has[key].string)):
            yield f"has no translation: {_shown(message)}"
    for key, message in has.items():
        if key not in needed:
            yield f"has a sentence that the code has not: {_shown(message)}"
        if message.fuzzy:
            yield f"is not sure of: {_shown(message)}"
        english = _forms(message.id)
        allowed = [_values(each) for each in english]
        for form in filter(None, _forms(message.string)):
            if _values(form) not in allowed:
                yield f"has other values than the English: {_shown(message)}"
    letters = Counter(str(message.string) for message in catalog if message.context == LETTERS and message.string)
    yield from (f"has the letter {letter} for two pawns" for letter, number in letters.items() if number > 1)
    if not path.with_suffix(".mo").exists() or path.with_suffix(".mo").read_bytes() != compiled(catalog):
        yield "is not compiled"


def main(arguments: list[str]) -> int:
    """Bring the catalogues up to date; with `check`, print what is wrong with them and return 1 if anything is."""
    template = extracted()
    if arguments != ["check"]:
        for path in paths():
            update(path, template)
        return 0
    faults = [f"{path.relative_to(ROOT)} {fault}" for path in paths() for fault in wrong(path, template)]
    for fault in faults:
        print(fault)
    if faults:
        print("Run `make words`, and translate what it adds.")
    return int(bool(faults))


def _forms(text: object) -> tuple[str, ...]:
    return tuple(text) if isinstance(text, list | tuple) else (str(text or ""),)


def _key(message: Message) -> str:
    return _forms(message.id)[0]


def _values(text: str) -> frozenset[str]:
    return frozenset(match[0] for match in ANYTHING_ELSE.finditer(text))


def _shown(message: Message) -> str:
    context = f" ({message.context})" if message.context else ""
    return f'"{_key(message)}"{context}, {", ".join(file for file, _ in message.locations)}'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
