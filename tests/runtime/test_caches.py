"""Each cache of the server, with its bound: none grows with the games that are played, the people who come, or time.

What is kept with an object and ends with it (`cached_property`, a dictionary of its own) is no cache in this sense.
"""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from server import runtime as parts
from server.runtime import game_cache
from server.runtime.lru import LRUCache
from server.web import static_files

SERVER = Path(__file__).parents[2] / "server"
MEGABYTE = 1_000_000
MOST_OF_A_PROCESS = 50 * MEGABYTE


class Recent(NamedTuple):
    """A cache of what was used last: how many values, how many bytes one takes with its key at most, and its sense."""

    most: int
    each: int
    holds: str


# Functions that keep what they returned last, by their place.
FUNCTIONS = {
    "application.game.state._edition": Recent(256, 4_000, "an edition with a host's options, for all their games"),
    "bots.following._moved": Recent(256, 20_000, "how likely Mr. X is where, for the next bot of the same game"),
    "bots.journeys.bits_of_stops": Recent(4_096, 200, "the stations one move away, as bits"),
    "bots.journeys.journeys": Recent(4_096, 300, "how far it is from a station, by kinds of tickets"),
    "bots.journeys.stops": Recent(4_096, 300, "the stations one move away, by kinds of tickets"),
    "bots.mixing._choices": Recent(256, 8_000, "what a policy chooses in a scene, for the next bot of the game"),
    "bots.mixing._step_of": Recent(16, 10_000, "a policy as a step"),
    "bots.plan._room": Recent(4_096, 150, "how much room a station has"),
    "bots.plan._wide": Recent(4_096, 200, "the stations two moves away, as bits"),
    "bots.public_game._after_trip": Recent(512, 1_000, "a scene after a trip"),
    "drawing.map_pictures._label": Recent(256, 2_000, "the sign with a number"),
    "drawing.figures._placed": Recent(512, 3_000, "where the figures of a board stand, by their stations"),
    "engine.deduction._edition": Recent(64, 4_000, "an edition, for deductions from views"),
    "engine.move._written": Recent(2_048, 400, "the notation of a move: each view holds all of its game"),
    "mail.writing.html._layout": Recent(16, 50_000, "the layout of mails in the colour of a pawn"),
    "mail.writing.links._quoted": Recent(2_048, 300, "a move as part of an address"),
    "web.game.trails._drawn": Recent(128, 8_000, "the last round as it is drawn"),
    "web.game.trails._way": Recent(2_048, 600, "a ride as it is drawn"),
    "web.legal.as_html": Recent(2, 100_000, "a text of the operator's"),
}

# Caches that are objects, by where they are held.
OBJECTS = {
    "runtime.__init__.view_cache": Recent(parts.MOST_VIEWS, 1, "bytes of views, for polls that find nothing new"),
    "runtime.__init__.seen_tokens": Recent(parts.MOST_SEEN_TOKENS, 250, "tokens that were good once"),
    "runtime.__init__.line_ends": Recent(parts.MOST_LINE_ENDS, 250, "ends of lines, and whether they are commands"),
    "runtime.__init__.pictures": Recent(parts.MOST_PICTURES, 1, "bytes of pictures"),
    "runtime.__init__.endings": Recent(parts.MOST_ENDINGS, 50_000, "what pages tell of ends"),
    "runtime.game_cache._kept": Recent(game_cache.MOST, 8_200, "games that go on, in their last states"),
    "runtime.game_cache._over": Recent(game_cache.MOST_OVER, 8_200, "games that are over"),
    "web.static_files._compressed": Recent(1_000_000, 1, "bytes of files, compressed"),
}

# Functions that keep all that they ever returned: what they are asked for is part of the program, and finite.
OF_THE_PROGRAM = {
    "models.statements.update_row": "tables, and columns that change together",
    "models.statements.delete_row": "tables",
    "app.template_words._plain": "a sentence of the program, and a language",
    "web.rules._picture": "a rule, a board, and a language",
    "application.lists.listing._page": "whose games, and filters of the API",
    "web.scripts._served": "a language",
    "web.scripts.version_of_scripts": "a language",
    "vocabulary.translation._looked_up": "a sentence of the program, and a language",
    "vocabulary.translation.report": "a sentence of the program",
    "drawing.city.city": "a board",
    "drawing.figures._offsets": "the shape of a figure",
    "drawing.figures._signs": "a board",
    "drawing.labels._near": "a station of a board",
    "drawing.map_pictures._disc": "a size of a halo in a style",
    "drawing.look.look": "a board",
    "drawing.look.template": "a template",
    "drawing.map_pictures._drawings": "a pawn with its letter, in all styles",
    "drawing.map_pictures._layer_with_words": "a board, in a language",
    "drawing.map_pictures._layers": "a board, in all styles",
    "drawing.map_pictures._mask_table": "the colours of the ground of a picture",
    "drawing.map_pictures._palette": "the same",
    "engine.board._load": "a board",
    "engine.edition._published": "an edition",
    "engine.rides.of": "a board",
    "house_rules.sealed_log._board_digest": "a board",
    "language.phrases._of_place": "a place of a line, such as its end",
    "language.talk._pattern": "a kind of lines of programs",
    "language.talk.vocabulary": "a language, and sections of its file",
    "language.wishes._beginnings": "a language",
    "language.wishes._days": "a language",
    "language.wishes._weights": "a language",
    "language.lexicon.examples": "a section of the lists of words",
    "language.lexicon.table": "a section of the lists of words",
    "language.lexicon.words": "a section of the lists of words",
    "models.statements._insert_new": "a table",
    "models.statements._insert_or_add": "a table, and columns that are given together",
    "models.statements.insert": "a model",
    "web.documentation._index": "a language",
    "web.documentation._reference": "a language",
    "web.documentation._guide": "a guide, and a language",
    "web.game.board._drawing": "a board, and its ground or its discs",
    "web.game.board._version": "the same",
    "web.guides._guide": "a guide, and a language",
    "web.rules._tour": "a language",
    "web.rules._of_edition": "an edition, and a language",
    "web.static_files._app_icon": "a size of the icon",
    "web.static_files._art": "a language",
    "web.static_files._example": "a language",
    "web.static_files._heading": "a language",
    "web.static_files._style": "a language",
    "web.static_files.version_of": "a part of pages, and a language",
}


class Made(NamedTuple):
    """A cache that the code makes: where, by which name, and whether its values depend on arguments."""

    place: str
    maker: str
    has_arguments: bool


def made() -> Iterator[Made]:
    """Yield the caches of the server; not those of one call, which are made within a function and end with it."""
    for path in sorted(SERVER.rglob("*.py")):
        module = ".".join(path.relative_to(SERVER).with_suffix("").parts)
        for owner in _owners(ast.parse(path.read_text(encoding="utf-8"))):
            yield from (Made(f"{module}.{each.place}", *each[1:]) for each in _of(owner))


def _owners(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in tree.body:
        yield node
        if isinstance(node, ast.ClassDef):
            yield from node.body
            yield from (each for method in node.body if isinstance(method, ast.FunctionDef) for each in method.body)


def _of(node: ast.stmt) -> Iterator[Made]:
    if isinstance(node, ast.FunctionDef):
        for decorator in node.decorator_list:
            if (maker := _name(decorator)) in ("cache", "lru_cache"):
                has_arguments = bool(node.args.args or node.args.vararg or node.args.kwonlyargs)
                yield Made(node.name, maker, has_arguments)
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        makers = {_name(each) for each in ast.walk(node.value) if isinstance(each, ast.Call)}
        if caches := makers & {"LRUCache", "WeakKeyDictionary", "WeakValueDictionary", "cache", "lru_cache"}:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            yield Made(_name(target), caches.pop(), has_arguments=True)


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        return _name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def test_every_cache_is_listed_with_its_bound_and_no_other():
    asked = {each.place for each in made() if each.has_arguments or each.maker != "cache"}
    assert asked == FUNCTIONS.keys() | OBJECTS.keys() | OF_THE_PROGRAM.keys()


def test_what_keeps_all_it_ever_returned_is_of_the_program():
    whole = {each.place for each in made() if each.maker not in ("lru_cache", "LRUCache") and each.has_arguments}
    assert whole == OF_THE_PROGRAM.keys()


@pytest.mark.parametrize("place", FUNCTIONS)
def test_a_function_keeps_as_many_values_as_are_listed(place: str):
    module, name = f"server.{place}".rsplit(".", 1)
    assert getattr(import_module(module), name).cache_parameters()["maxsize"] == FUNCTIONS[place].most


def test_an_object_keeps_as_much_as_is_listed():
    fields = parts.Runtime.__dataclass_fields__
    games = game_cache.GameCache()
    caches: dict[str, LRUCache[object, object]] = {
        "runtime.game_cache._kept": games._kept,
        "runtime.game_cache._over": games._over,
        "web.static_files._compressed": static_files._compressed,
        **{place: fields[name].default_factory() for place in OBJECTS if (name := place.split(".")[-1]) in fields},
    }
    assert {place: kept.most for place, kept in caches.items()} == {place: row.most for place, row in OBJECTS.items()}


def test_full_caches_take_less_than_fifty_megabytes():
    assert sum(row.most * row.each for row in (*FUNCTIONS.values(), *OBJECTS.values())) < MOST_OF_A_PROCESS


def test_a_cache_that_weighs_its_values_drops_the_oldest_until_they_are_light_enough():
    kept: LRUCache[str, bytes] = LRUCache(10, len)
    for name, size in (("first", 4), ("second", 4), ("third", 4)):
        kept.put(name, b"." * size)
    assert [name for name, _ in kept.items()] == ["second", "third"]
    kept.put("second", b".")
    kept.put("fourth", b"." * 5)
    assert [name for name, _ in kept.items()] == ["third", "second", "fourth"]
    kept.drop("third")
    kept.put("fifth", b"." * 4)
    assert [name for name, _ in kept.items()] == ["second", "fourth", "fifth"]


def test_a_value_that_weighs_more_than_a_cache_holds_is_not_kept():
    kept: LRUCache[str, bytes] = LRUCache(10, len)
    kept.put("heavy", b"." * 11)
    assert kept.items() == []
    kept.put("light", b"." * 10)
    assert kept.get("light") is not None
