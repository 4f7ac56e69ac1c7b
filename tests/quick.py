"""Selection of test files by their imports: those that need an application or a database, and those that need neither.

With QUICK in the environment, as in `make quick`, only the files that need neither are collected; with
TEST_DATABASE=postgresql only the others, as nothing in the former differs between two databases.
"""

import ast
import os
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A file that imports one of these, itself or through a helper, has an application, a database or processes of its own.
NEEDED = (
    "server.app", "server.cli.main", "server.migrations", "server.models", "server.worker", "socket", "subprocess",
)  # fmt: skip
CHOSEN = {"QUICK": False, "postgresql": True}.get("QUICK" if "QUICK" in os.environ else os.environ.get("TEST_DATABASE"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the test files that are not asked for, unless they are named on the command line."""
    if CHOSEN is None or not collection_path.name.startswith("test_") or _is_named(collection_path, config):
        return None
    return needs_an_application(collection_path) is not CHOSEN or None


def _is_named(path: Path, config: pytest.Config) -> bool:
    named = (argument.partition("::")[0] for argument in config.invocation_params.args if isinstance(argument, str))
    return any(Path(name).resolve() == path for name in named)


def needs_an_application(path: Path) -> bool:
    """Return True if a test file, or a helper it imports, imports anything that is NEEDED."""
    seen: set[str] = set()
    files = [path]
    while files:
        names = imported(files.pop()) - seen
        if any(name == need or name.startswith(f"{need}.") for name in names for need in NEEDED):
            return True
        seen |= names
        helpers = (ROOT / f"{name.replace('.', '/')}.py" for name in names if name.startswith("tests."))
        files += [helper for helper in helpers if helper.exists()]
    return False


@cache
def imported(path: Path) -> frozenset[str]:
    """Return the full name of each module a file imports, and of each name it takes from one."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = ".".join((*_package(path, node.level), *filter(None, [node.module])))
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def _package(path: Path, level: int) -> tuple[str, ...]:
    """Return the package that a relative import of this level starts from; nothing for an absolute one."""
    return path.relative_to(ROOT).parts[:-level] if level else ()
