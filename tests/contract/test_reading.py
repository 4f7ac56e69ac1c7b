"""Reading changes nothing: a robot asks for all there is to read and follows every link, and no row has changed."""

import html
import re
from typing import Any
from urllib.parse import urljoin, urlsplit

from werkzeug.test import TestResponse

from tests import databases
from tests.contract.world import API, PRINCIPALS, World, operations
from tests.profiles import IS_CAMPAIGN

# Columns and tables in which it is noted that somebody asked, and nothing of what he asked for.
NOTED = {
    "tokens.used_on": "the day of a token's last use",
    "browser_sessions.used_on": "the day of a browser's last use",
    "browser_sessions.expires_at": "the end of 90 days after it",
}
WHOLE = ("nobody", "detective")  # who ask with HEAD too
# Who ask for the pages too, which know nobody by a token.
AT_PAGES = WHOLE if IS_CAMPAIGN else ("nobody",)
# Outside a campaign two are left out: `elsewhere` has no more part in the game than `stranger`, and `read-only` is the
# detective with fewer scopes.
READERS = [who for who in PRINCIPALS if IS_CAMPAIGN or who not in ("elsewhere", "read-only")]
HTML_LINK = re.compile(r"""(?:href|src|action)=["']([^"']+)["']""")
JSON_LINK = re.compile(r'"((?:https?://localhost)?/[A-Za-z0-9][^"\s{}]*)"')
HEADER_LINK = re.compile(r"<([^>]+)>")


def dump(world: World) -> list[str]:
    """Every row of every table, but for what notes that somebody asked."""
    world.close()  # whatever is not committed by now never will be
    tables = databases.rows(world.table.app)
    return sorted(f"{name}: {_shown(name, row)}" for name in tables.keys() - NOTED for row in tables[name])


def _shown(table: str, row: dict[str, Any]) -> dict[str, Any]:
    return {column: value for column, value in row.items() if f"{table}.{column}" not in NOTED}


def places(world: World, game: str) -> list[str]:
    """Everything that can be asked for with GET: the operations of the API, and what is served beside them."""
    paths = [world.path(API + operation.path, game) for operation in operations(world) if operation.method == "GET"]
    rules = world.table.app.url_map.iter_rules()
    return [*paths, *(rule.rule for rule in rules if "GET" in (rule.methods or ()) and not rule.arguments)]


def links(answer: TestResponse, path: str) -> set[str]:
    """The addresses on this server to which an answer points."""
    text = answer.get_data(as_text=True) if answer.mimetype in ("text/html", "application/json") else ""
    found = HTML_LINK.findall(text) if answer.mimetype == "text/html" else JSON_LINK.findall(text)
    found += HEADER_LINK.findall(answer.headers.get("Link", "")) + answer.headers.getlist("Location")
    urls = (urlsplit(urljoin(f"http://localhost{path}", html.unescape(link))) for link in found)
    return {url._replace(scheme="", netloc="", fragment="").geturl() for url in urls if url.netloc == "localhost"}


def read_everything(world: World, who: str) -> dict[str, int]:
    """Ask for everything as this principal, and follow every link; return the statuses.

    One principal without a token asks for the pages too, in a campaign also one with a token; the two use HEAD.
    """
    waiting, statuses = places(world, PRINCIPALS[who].game), {}
    world.ask(who, "GET", f"{API}/me")  # the first request of a day notes that the token was used
    while waiting:
        path = waiting.pop()
        if path in statuses or (who not in AT_PAGES and not path.startswith(API)):
            continue
        answer = world.ask(who, "GET", path)
        statuses[path] = answer.status_code
        if who in WHOLE:
            head = world.ask(who, "HEAD", path)
            assert (head.status_code, head.data) == (answer.status_code, b""), path
            assert head.headers.get("Content-Type") == answer.headers.get("Content-Type"), path
            assert head.headers.get("ETag") == answer.headers.get("ETag"), path
        waiting += links(answer, path) - statuses.keys()
    return statuses


def test_a_robot_that_reads_everything_it_finds_changes_nothing(world: World):
    before = dump(world)
    world.table.clock.turn(days=1)
    seen = {who: read_everything(world, who) for who in READERS}
    assert dump(world) == before
    assert len(before) > 100
    assert {status for statuses in seen.values() for status in statuses.values()} <= {
        200,
        204,
        303,
        401,
        403,
        404,
        405,
        409,
    }
    assert len([path for path, status in seen["detective"].items() if status == 200]) > 20


def test_the_robot_follows_links(world: World):
    first = f"{API}/games?limit=1"
    pages = [first]
    while following := links(world.ask("detective", "GET", pages[-1]), pages[-1]) - set(pages):
        pages += [path for path in following if "after" in path]
    assert len(pages) > 3, "as many as the detective sees games"


def test_options_names_the_methods_of_a_place_to_everybody_and_changes_nothing(world: World):
    before = dump(world)
    for path in {operation.path for operation in operations(world)}:
        for who, game in (("nobody", "private"), ("stranger", "private"), ("detective", "private"), ("nobody", "none")):
            place = world.path(path, game)
            answer = world.ask(who, "OPTIONS", API + place)
            assert (answer.status_code, answer.data) == (200, b""), path
            assert set(re.split(", *", answer.headers["Allow"])) == offered(world, place), path
    assert dump(world) == before


def offered(world: World, place: str) -> set[str]:
    """The methods of all operations whose path may be `place`."""
    here = {
        operation.method
        for operation in operations(world)
        if re.fullmatch(re.sub("{[a-z_]+}", "[^/]+", operation.path), place)
    }
    return here | {"OPTIONS"} | ({"HEAD"} if "GET" in here else set())


# What a part of a path may be, by its kind in a rule.
PARTS = {"": "[^/]+", "int:": "[0-9]+", "path:": ".+"}
PART = re.compile(r"<(\w+:)?(\w+)>")


def test_every_place_of_the_server_says_which_methods_it_takes(world: World):
    """When asked with OPTIONS, and when it refuses another method; pages and what lies beside them too."""
    rules = list(world.table.app.url_map.iter_rules())
    patterns = [(PART.sub(lambda found: PARTS[found[1] or ""], rule.rule), rule.methods or ()) for rule in rules]
    assert len(rules) > 200
    for rule in rules:
        place = world.path(PART.sub(r"{\2}", rule.rule), "private", pixels="192")
        here = {method for pattern, methods in patterns if re.fullmatch(pattern, place) for method in methods}
        for method, status in (("OPTIONS", 200), ("TRACE", 405)):
            answer = world.ask("detective", method, place)
            assert answer.status_code == status, (method, place)
            assert set(re.split(", *", answer.headers["Allow"])) == here, (method, place)


def test_a_method_that_is_not_offered_is_refused_as_a_problem(world: World):
    for operation in operations(world):
        answer = world.ask("detective", "TRACE", world.path(API + operation.path, "private"))
        assert (answer.status_code, answer.json["type"]) == (405, "method-not-allowed"), operation.name
