"""The architecture: engine <- application <- {api, mail, web, worker, cli}, and nothing the other way round."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[1] / "server"
# What knows nothing of games, so that everybody may use it.
LEAVES = {
    "clock",
    "durations",
    "faults",
    "keyring",
    "names",
    "networks",
    "recent",
    "records",
    "runtime",
    "seal",
    "settings",
    "shares",
    "shipped",
    "tables",
    "targets",
}
MAY_USE = {
    "engine": set(),
    "house": {"engine"},
    "models": LEAVES,
    "migrations": {"models", "names"},
    "application": {"engine", "house", "models", "migrations", "picture", *LEAVES},
    "api": {"application", "models", *LEAVES},
    "mail": {"application", "engine", "models", *LEAVES},
    "web": {"application", "models", *LEAVES},
    "webhooks": {"application", "models", *LEAVES},
    "worker": {"application", "mail", "models", "webhooks", *LEAVES},
    "app": {"api", "application", "web", "migrations", "models", "proxies", *LEAVES},
    "processes": {"http_server", "mail", *LEAVES},
    "http_server": LEAVES,
    "cli": {
        "app",
        "application",
        "client",
        "engine",
        "mail",
        "migrations",
        "models",
        "processes",
        "verifier",
        "worker",
        *LEAVES,
    },
    "__main__": {"cli"},
    "clock": {"durations"},
    "durations": set(),
    "faults": set(),
    "keyring": set(),
    "names": set(),
    "networks": {"settings"},
    "recent": set(),
    "records": set(),
    "seal": set(),
    "settings": {"durations"},
    "shares": set(),
    "tables": {"engine", "recent"},
    "targets": set(),
    "shipped": set(),
    "picture": {"engine", "shipped"},
    "proxies": {"networks", "settings"},
    "client": set(),
    "verifier": set(),
    "runtime": {"keyring", "recent", "records", "seal", "settings", "shares", "tables", "targets"},
}
# Libraries that belong to one layer.
ONLY_IN = {
    "flask_sqlalchemy": {"models"},
    "flask_smorest": {"api"},
    "marshmallow": {"api", "application"},
    "aiosmtpd": {"mail"},
    "apscheduler": {"worker"},
    "tornado": {"http_server"},
    "click": {"cli"},
    "dns": {"mail", "records"},
    "imap_tools": {"mail"},
    "alembic": {"migrations"},
    "resvg_py": {"picture"},
    "jinja2": {"picture"},
    "markdown_it": {"web"},
    "prometheus_client": {"web"},
    "werkzeug": {"api"},
}


def modules() -> list[Path]:
    return sorted(SERVER.rglob("*.py"))


def layer_of(path: Path) -> str:
    return layer(path.relative_to(SERVER).parts[0].removesuffix(".py"))


def layer(name: str) -> str:
    """The demo is a command in a package of its own."""
    return "cli" if name == "demo" else name


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module a file imports, wherever in it, by its full name; those from a package with the name in it."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(SERVER.parent).parent.parts
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield from (f"{module}.{alias.name}" for alias in node.names)


def in_server(path: Path) -> set[str]:
    """The layers a file uses, its own left out."""
    used = {layer(name.split(".")[1]) for name in imports(path) if name.startswith("server.")}
    return used - {layer_of(path)}


def libraries(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imports(path)} - {"server"}


def name_of(path: Path) -> str:
    return str(path.relative_to(SERVER.parent))


@pytest.mark.parametrize("path", [path for path in modules() if path.stat().st_size], ids=name_of)
def test_a_module_uses_only_what_its_layer_may(path: Path):
    assert in_server(path) <= MAY_USE[layer_of(path)]


ALONE = ("engine", "verifier", "client")


@pytest.mark.parametrize("path", [path for path in modules() if layer_of(path) in ALONE], ids=name_of)
def test_engine_verifier_and_client_need_nothing_but_the_standard_library(path: Path):
    assert libraries(path) <= sys.stdlib_module_names


@pytest.mark.parametrize("name", ["random", "secrets", "time", "datetime", "socket", "sqlite3", "os", "threading"])
def test_the_engine_has_no_clock_no_dice_and_no_wire(name: str):
    assert not [name_of(path) for path in modules() if layer_of(path) == "engine" and name in libraries(path)]


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_stays_in_its_layer(library: str):
    assert {layer_of(path) for path in modules() if library in libraries(path)} <= ONLY_IN[library]


def test_leaving_flask_sqlalchemy_costs_one_file():
    users = {name_of(path) for path in modules() if "flask_sqlalchemy" in libraries(path)}
    assert users == {"server/models/base.py"}
    handles = [name_of(path) for path in modules() if "server.models.base.db" in imports(path)]
    assert handles == ["server/models/__init__.py"]


def test_the_application_knows_of_no_request():
    for path in modules():
        if layer_of(path) == "application":
            assert not {"flask", "werkzeug", "smtplib", "email"} & libraries(path), name_of(path)


def test_only_the_runtime_reads_a_clock_or_rolls_dice():
    """`datetime.now`, `time.time`, `random.random` and the like would not be those that tests inject."""
    for path in modules():
        if layer_of(path) not in ("application", "models", "api", "mail", "worker"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                asked = f"{node.value.id}.{node.attr}"
                assert asked not in CLOCKS_AND_DICE, f"{name_of(path)}:{node.lineno}"


CLOCKS_AND_DICE = {
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.sleep",
    "random.random", "random.choice", "random.randint", "random.shuffle", "secrets.choice", "secrets.randbelow",
}  # fmt: skip


def test_every_layer_is_described():
    assert {layer_of(path) for path in modules()} - {"__init__"} == set(MAY_USE)


def test_no_layer_can_be_reached_from_itself():
    """A circle would let a layer use what it may not by way of another."""

    def beyond(layer: str, seen: tuple[str, ...] = ()) -> None:
        assert layer not in seen, " -> ".join((*seen, layer))
        for used in MAY_USE[layer]:
            beyond(used, (*seen, layer))

    for layer in MAY_USE:
        beyond(layer)


# What holds or opens where Mr. X is. What leaves the server is made from a view, and never from these.
SEALED = {
    "server.models.Move", "server.models.MoveAhead", "server.application.play.games.rebuild",
    "server.application.play.games.keep", "server.keyring.Keyring", "server.engine.Game",
}  # fmt: skip
OUTLETS = ("api", "mail", "web", "cli")
# They use some of it all the same, for records that were given out already.
USE_THE_SEALED = {"server/cli/replay.py", "server/demo/checking.py"}


def uses_the_sealed(path: Path) -> bool:
    """Whether a file imports any of it, or reaches it through a module it imports."""
    attributes = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute))
    reached = {ast.unparse(node) for node in attributes}
    by_module = {f"{name.split('.')[-2]}.{name.split('.')[-1]}" for name in SEALED}
    return bool(imports(path) & SEALED or reached & by_module)


def test_an_outlet_uses_nothing_that_is_sealed():
    outlets = [path for path in modules() if layer_of(path) in OUTLETS]
    assert {name_of(path) for path in outlets if uses_the_sealed(path)} == USE_THE_SEALED


def test_the_application_does_use_what_is_sealed():
    users = {name_of(path) for path in modules() if uses_the_sealed(path)}
    assert {"server/application/play/projection.py", "server/application/play/moves.py"} <= users


def test_nothing_depends_on_how_many_rows_a_driver_counts():
    """`rowcount` is -1 on one of two databases for INSERT … ON CONFLICT DO NOTHING; a statement returns its rows."""
    assert not [name_of(path) for path in modules() if "rowcount" in path.read_text()]
