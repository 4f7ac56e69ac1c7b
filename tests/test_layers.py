"""The architecture as one table of folders: each uses only those on the lines above its own."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[1] / "server"
# Each is a folder of the server. The lowest comes first, and folders on one line do not use each other.
LAYERS = """
    sealing
    vocabulary
    engine
    clock  bots  drawing  settings
    language
    house_rules
    runtime
    models
    migrations
    application
    application.game
    application.limits
    application.mail
    application.people
    application.play
    application.lobby
    application.people.accounts  application.time  application.lists
    application.integrity
    application.health
    application.operator
    wording
    http
    api  web  webhooks
    mail.reading
    mail.trust
    mail.examination
    mail.writing
    mail.commands
    mail.transport
    mail.setup
    mail
    app
    worker
    cli
"""
LEVEL = {layer: level for level, layers in enumerate(LAYERS.strip().splitlines()) for layer in layers.split()}
# Edges of the server, which know the application and not one another, whatever their lines.
EDGES = ("api", "web", "webhooks", "mail")
# Libraries that belong to one part of the server.
ONLY_IN = {
    "flask_sqlalchemy": {"models"},
    "sqlite3": {"models"},
    "pysqlite3": {"models"},
    "flask_smorest": {"api"},
    "marshmallow": {"api", "application"},
    "aiosmtpd": {"mail"},
    "apscheduler": {"worker"},
    "tornado": {"http"},
    "click": {"cli"},
    "dns": {"vocabulary", "mail"},
    "imap_tools": {"mail"},
    "alembic": {"migrations"},
    "resvg_py": {"drawing"},
    "PIL": {"drawing"},
    "jinja2": {"app", "mail", "drawing"},
    "markdown_it": {"web"},
    "prometheus_client": {"web"},
    "werkzeug": {"api", "web"},
}


@cache
def modules() -> tuple[Path, ...]:
    return tuple(sorted(SERVER.rglob("*.py")))


def layer_of(module: str) -> str:
    """Return the layer a module is in: the longest of the table's names that its own begins with."""
    parts = module.removeprefix("server.").split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((name for name in names if name in LEVEL), parts[0])


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(SERVER.parent).with_suffix("").parts).removesuffix(".__init__")


def part_of(path: Path) -> str:
    """Return the first part of the name of the layer that a file is in."""
    return module_of(path).removeprefix("server.").split(".")[0]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a file's tree, walked once for all tests."""
    return tuple(ast.walk(tree_of(path)))


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the full name of every module a file imports, with the name it takes from a package."""
    return frozenset(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(SERVER.parent).parent.parts
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield from (f"{module}.{alias.name}" for alias in node.names)


def layers_used(path: Path) -> set[str]:
    """Return the layers whose modules a file imports, its own left out; imports for types count."""
    used = {layer_of(name) for name in imports(path) if name.startswith("server.")}
    return used - {layer_of(module_of(path))}


def libraries(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imports(path)} - {"server"}


def name_of(path: Path) -> str:
    return str(path.relative_to(SERVER.parent))


def test_a_module_uses_only_layers_below_its_own():
    written = [path for path in modules() if path.stat().st_size]
    too_high = [
        (name_of(path), used)
        for path in written
        for used in sorted(layers_used(path))
        if LEVEL[used] >= LEVEL[layer_of(module_of(path))]
    ]
    assert too_high == []
    assert len(written) > 100


def test_the_edges_do_not_know_each_other():
    edges = [path for path in modules() if part_of(path) in EDGES]
    others = [
        (name_of(path), ({used.split(".")[0] for used in layers_used(path)} & {*EDGES}) - {part_of(path)})
        for path in edges
    ]
    assert [(name, known) for name, known in others if known] == []
    assert {part_of(path) for path in edges} == {*EDGES}


def test_no_module_is_part_of_a_circle():
    names = {module_of(path): path for path in modules()}

    def used(name: str) -> set[str]:
        found = imports(names[name])
        return {use if use in names else use.rpartition(".")[0] for use in found if use.startswith("server.")} - {name}

    done: set[str] = set()

    def follow(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join((*way, name))
        if name in names and name not in done:
            for use in used(name):
                follow(use, (*way, name))
            done.add(name)

    for name in names:
        follow(name, ())


PROGRAMS = SERVER.parent / "blackticket"
# What the demo knows of the server: the rules, distances, their words, and how a travel log is printed.
KNOWN_TO_THE_DEMO = (
    "server.engine", "server.bots.journeys", "server.vocabulary.words", "server.cli.output.log_text",
)  # fmt: skip


def test_engine_verifier_and_client_need_nothing_but_the_standard_library():
    engine = [path for path in modules() if part_of(path) == "engine"]
    alone = sorted((PROGRAMS / "standalone").glob("*.py"))
    assert {"client.py", "verifier.py"} <= {path.name for path in alone}
    assert not [(path, found) for path in (*engine, *alone) if (found := libraries(path) - sys.stdlib_module_names)]
    assert not [(name_of(path), used) for path in engine if (used := layers_used(path))]
    assert not [(path.name, name) for path in alone for name in imports(path) if name.startswith("server")]


def test_the_demo_stands_over_the_client():
    demo = sorted((PROGRAMS / "demo").glob("*.py"))
    names = {name for path in demo for name in imports(path)}
    assert "blackticket.standalone.client.Client" in names
    assert not [name for name in names if name.startswith("server.") and not name.startswith(KNOWN_TO_THE_DEMO)]


def test_the_server_uses_what_it_hands_out_in_its_commands_alone():
    users = {part_of(path) for path in modules() if any(name.startswith("blackticket.") for name in imports(path))}
    assert users == {"cli"}


@pytest.mark.parametrize("name", ["random", "secrets", "time", "datetime", "socket", "sqlite3", "os", "threading"])
def test_the_engine_has_no_clock_no_dice_and_no_wire(name: str):
    assert not [name_of(path) for path in modules() if part_of(path) == "engine" and name in libraries(path)]


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_stays_in_its_part(library: str):
    assert {part_of(path) for path in modules() if library in libraries(path)} <= ONLY_IN[library]


def test_the_reading_of_mails_needs_nothing_of_the_server_but_the_words_of_languages():
    files = [path for path in modules() if layer_of(module_of(path)) == "mail.reading"]
    assert set().union(*map(layers_used, files)) <= {"language"}


def test_every_layer_is_a_folder():
    assert [name for name in LEVEL if not SERVER.joinpath(*name.split(".")).is_dir()] == []
    assert {path.name for path in SERVER.glob("*.py")} == {"__init__.py"}


def test_leaving_flask_sqlalchemy_costs_one_file():
    users = {name_of(path) for path in modules() if "flask_sqlalchemy" in libraries(path)}
    assert users == {"server/models/base.py"}
    handles = [name_of(path) for path in modules() if "server.models.base.db" in imports(path)]
    assert handles == ["server/models/__init__.py"]


def test_the_application_knows_of_no_request():
    for path in modules():
        if part_of(path) in ("application", "house_rules"):
            assert not {"flask", "werkzeug", "smtplib", "email"} & libraries(path), name_of(path)


def test_only_the_runtime_reads_a_clock_or_rolls_dice():
    """`datetime.now`, `time.time`, `random.random` and the like would not be those that tests inject."""
    for path in modules():
        if part_of(path) not in ("application", "house_rules", "models", "api", "mail", "worker"):
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                asked = f"{node.value.id}.{node.attr}"
                assert asked not in CLOCKS_AND_DICE, f"{name_of(path)}:{node.lineno}"


CLOCKS_AND_DICE = {
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.sleep",
    "random.random", "random.choice", "random.randint", "random.shuffle", "secrets.choice", "secrets.randbelow",
}  # fmt: skip


def test_every_module_has_a_layer():
    written = [module_of(path) for path in modules() if path.stat().st_size]
    assert not [name for name in written if layer_of(name) not in LEVEL]


# What holds or opens where Mr. X is. What leaves the server is made from a view, and never from these.
SEALED = {
    "server.models.Move", "server.models.QueuedMove", "server.application.game.state.rebuild",
    "server.application.game.state.cache_state", "server.application.game.situations.load",
    "server.house_rules.situation.Situation", "server.runtime.keyring.Keyring", "server.engine.Game",
}  # fmt: skip
OUTLETS = ("api", "mail", "web", "cli")
# They use some of it all the same, for records that were given out already.
USE_THE_SEALED = {"server/cli/replay.py"}


@cache
def uses_the_sealed(path: Path) -> bool:
    """Return True if a file imports any of it, or reaches it through a module it imports."""
    by_module = {f"{name.split('.')[-2]}.{name.split('.')[-1]}" for name in SEALED}
    last = {name.split(".")[-1] for name in SEALED}
    attributes = (node for node in nodes_of(path) if isinstance(node, ast.Attribute) and node.attr in last)
    reached = {ast.unparse(node) for node in attributes}
    return bool(imports(path) & SEALED or reached & by_module)


def test_an_outlet_uses_nothing_that_is_sealed():
    outlets = [path for path in modules() if part_of(path) in OUTLETS]
    assert {name_of(path) for path in outlets if uses_the_sealed(path)} == USE_THE_SEALED


def test_the_application_does_use_what_is_sealed():
    users = {name_of(path) for path in modules() if uses_the_sealed(path)}
    assert {"server/application/game/projection.py", "server/application/game/situations.py"} <= users


def test_nothing_depends_on_how_many_rows_a_driver_counts():
    """`rowcount` is -1 on one of two databases for INSERT … ON CONFLICT DO NOTHING; a statement returns its rows."""
    assert not [name_of(path) for path in modules() if "rowcount" in path.read_text()]


# Docstrings say with a verb what a function does or returns; these words begin a sentence that says something else.
NOT_A_BEGINNING = {
    "What", "Who", "Whoever", "Whose", "Whom", "Where", "Wherever", "Whatever", "When", "Which", "How", "Until",
    "Whether", "That", "As",
}  # fmt: skip


def unclear_docstrings() -> Iterator[str]:
    """Yield the place and the first line of each docstring that begins with such a word."""
    for path in modules():
        for node in nodes_of(path):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                line = (ast.get_docstring(node) or "").partition("\n")[0]
                if re.split(r"\W", line)[0] in NOT_A_BEGINNING:
                    yield f"{name_of(path)}:{getattr(node, 'lineno', 1)}: {line}"


def test_a_docstring_says_what_the_function_does():
    found = list(unclear_docstrings())
    assert not found, f"{len(found)} docstrings begin with a relative clause:\n" + "\n".join(found)


# What templates show, rows of a query that is put together, and what libraries without types hand over is `Any`.
MOST_WITHOUT_A_TYPE = 417


def test_hardly_any_value_is_without_a_type():
    untyped = {name_of(path): len(re.findall(r"\bAny\b", path.read_text())) for path in modules()}
    assert sum(untyped.values()) <= MOST_WITHOUT_A_TYPE, sorted(untyped.items(), key=lambda each: -each[1])[:20]


LONGEST = 600  # lines of a file of tests; a longer one has more than one subject


def test_a_file_of_tests_is_short():
    tests = Path(__file__).parent
    lengths = {str(path.relative_to(tests)): len(path.read_text().splitlines()) for path in tests.rglob("*.py")}
    assert [name for name, length in lengths.items() if length > LONGEST] == []


def commands_of(folder: str, first: str) -> set[str]:
    """Return the names of the public functions in a folder of the server whose first parameter has this name."""
    functions = (
        node
        for path in modules()
        if name_of(path).startswith(folder)
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    )
    return {node.name for node in functions if node.args.args and node.args.args[0].arg == first}


def test_a_decision_and_the_use_case_that_has_it_written_have_names_of_their_own():
    decisions, use_cases = commands_of("server/house_rules/", "draft"), commands_of("server/application/", "game_id")
    assert {"cast_vote", "take_seat", "deal_and_begin"} <= decisions
    assert {"join", "start"} <= use_cases
    of_a_timer = {"start", "close", "remind"}  # what a vote or a turn does when its time is over or begins
    assert decisions & use_cases == of_a_timer


def test_a_subject_of_a_running_game_is_one_pure_file():
    """What the edges carry out with `act` stands in `house_rules` alone."""
    pure, beside = (
        {path.stem for path in (SERVER / folder).glob("*.py")} for folder in ("house_rules", "application/play")
    )
    assert pure & beside == {"__init__"}
