"""The inventory: everything by which something can leave the server, read off the code.

A new endpoint, problem, mail, command, event, log line or column is in it by itself, and the build fails until the
fixed run goes through it, or until it stands in `NOT_GONE_THROUGH` with a reason.
"""

import ast
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click

from server.cli import main
from server.language.forms import COMMANDS
from server.models import Base
from server.settings import Settings
from server.vocabulary.errors import CATALOGUE
from server.vocabulary.events import EVENT_KINDS
from server.vocabulary.mails import MAIL_KINDS
from tests.injected import application

ROOT = Path(__file__).parents[2]
LEVELS = ("debug", "info", "warning", "error", "exception", "critical", "log")

Outlet = tuple[str, str]
"""What it is (endpoint, problem, mail, mail command, command, event, log, column), and its name."""

# What stands for the arguments of a rule.
ARGUMENTS = {
    "game_id": "{game}", "seat": "2", "name": "london", "token_id": "aaaa", "address_id": "aaaa",
    "webhook_id": "aaaa", "device_id": "aaaa", "pixels": "192", "vote_id": "aaaa", "absence_id": "aaaa",
    "block_id": "aaaa",
    "session_id": "aaaa", "code": "a" * 16, "guide": "api", "provider": "mailgun", "secret": "bt_" + "a" * 32,
    "token": "a" * 32, "edition": "condensed", "mail_id": "aaaa",
    "report_id": "aaaa", "label": "league", "version": "0", "act": "play",
}  # fmt: skip


@cache
def inventory() -> frozenset[Outlet]:
    """All outlets there are."""
    kinds = {
        "endpoint": endpoints(), "problem": set(CATALOGUE), "mail": mails(), "command": commands(),
        "mail command": {form.name for form in COMMANDS}, "event": events(), "log": log_lines(), "column": columns(),
    }  # fmt: skip
    return frozenset((kind, name) for kind, names in kinds.items() for name in names)


def endpoints() -> set[str]:
    """`GET /healthz` and the like, with the development mailbox."""
    with tempfile.TemporaryDirectory() as folder:
        app = application(Settings.from_environ({"BLACKTICKET_DEV_MAIL": "1"}, Path(folder)))
    return {f"{method} {rule.rule}" for rule in app.url_map.iter_rules() for method in rule.methods or ()}


def mails() -> set[str]:
    """The kinds of mails."""
    return set(MAIL_KINDS)


def commands(group: Any = main, *before: str) -> set[str]:
    """The commands of the command line."""
    found: set[str] = set()
    for name, command in group.commands.items():
        path = (*before, name)
        found |= commands(command, *path) if isinstance(command, click.Group) else {" ".join(path)}
    return found


def events() -> set[str]:
    """The kinds of public events."""
    return set(EVENT_KINDS)


def log_lines() -> set[str]:
    """The place and the words of each line that the server logs."""
    return {
        f"{module}: {_text(node.args[0])}"
        for level in LEVELS
        for module, node in _calls(level)
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in ("log", "logging", "logger")
    }


def columns() -> set[str]:
    """`table.column` of all tables."""
    return {f"{name}.{column.name}" for name, table in Base.metadata.tables.items() for column in table.c}


def _calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call of a function of that name in the server, with the module it is in."""
    yield from _all_calls()[name]


@cache
def _all_calls() -> dict[str, list[tuple[str, ast.Call]]]:
    """Return the calls in the server of the functions that the inventory asks for; of all others nothing is kept."""
    found: dict[str, list[tuple[str, ast.Call]]] = {name: [] for name in LEVELS}
    for path in sorted((ROOT / "server").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text()
        if not any(f"{name}(" in text for name in found):
            continue  # to parse all of the server takes seconds
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and (name := _name(node)) in found:
                found[name].append((module, node))
    return found


def _name(call: ast.Call) -> str:
    return str(getattr(call.func, "id", "") or getattr(call.func, "attr", ""))


def _text(node: ast.expr) -> str:
    """A text of the code; what is no plain one is its own source, which no run can have gone through."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)
