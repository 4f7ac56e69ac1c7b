"""The scripts of the pages. Those of a game's page are one file as well, put together here: a browser asks for one.

Each is a module in `templates/web/scripts`, whose imports and exports stand on lines of their own.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256

from flask import Response, abort

from server import engine
from server.engine.ticket_kinds import TRANSPORTS
from server.vocabulary.resources import templates
from server.vocabulary.translation import ENGLISH, catalogues, current
from server.web.static_files import kept

GAME = "game"
# Each behind those that it uses.
TOGETHER = (
    "words",
    "turn",
    "replacing",
    "sending",
    "stream",
    "news",
    "tabs",
    "boards",
    "placing",
    "view",
    "look_back",
    "board",
    "times",
)
_COMMENT = re.compile(r"""^//.*|\s//\s[^"'`]*$""")  # where a quote follows, it may stand in a text
_IMPORT = re.compile(r'import \{ (.+) \} from "\./(\w+)\.js";')
_EXPORT = re.compile(r"export (?:const|class|function|async function) (\w+)")
SAID = re.compile(r'\bsay\(("(?:[^"\\]|\\.)*")')


def script(name: str, version: str = "") -> Response:
    """Return a script; `version` is in the path, so that those that it imports have the same.

    It ends in the language of the script, if that is not English.
    """
    language = version.partition("-")[2] if version else current()
    language = language if language in catalogues() else ENGLISH
    if name not in _served(language):
        abort(404)
    return kept(_served(language)[name], "text/javascript", is_this_version=version == version_of_scripts(language))


@cache
def version_of_scripts(language: str) -> str:
    """Return what the addresses of scripts name; they import each other, so all of them have one version."""
    digest = sha256("".join(text for _, text in sorted(_served(language).items())).encode()).hexdigest()[:12]
    return digest if language == ENGLISH else f"{digest}-{language}"


@cache
def _served(language: str) -> dict[str, str]:
    folder = templates() / "web" / "scripts"
    texts = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.js")}
    modules = {name: _bare(_in_language(text, language)) for name, text in texts.items()}
    modules["boards"] = f"export const BOARDS = {json.dumps(_boards(), separators=(',', ':'))};"
    together = "\n".join(line for name in TOGETHER for line in _in_function(name, modules[name]))
    return {GAME: together, **modules}


def _in_language(text: str, language: str) -> str:
    """Return a script with the sentences of a language in place of the English ones."""
    say = catalogues()[language].gettext
    return SAID.sub(lambda call: f"say({json.dumps(say(json.loads(call[1])), ensure_ascii=False)}", text)


def _bare(text: str) -> str:
    """Return a script without its comments and indentation."""
    lines = (_COMMENT.sub("", line.strip()) for line in text.splitlines())
    return "\n".join(filter(None, lines))


def _in_function(name: str, text: str) -> Iterator[str]:
    """Yield the lines of a module in a function that returns what it exports."""
    exported = ", ".join(_EXPORT.findall(text))
    yield f"const ${name} = (() => {{"
    for line in text.splitlines():
        yield _IMPORT.sub(r"const { \1 } = $\2;", line).removeprefix("export ")
    yield f"return {{ {exported} }};"
    yield "})();"


def _boards() -> dict[str, str]:
    """Return the stations of each board, from 1 on: `190,47tb` is a place and the initials of its lines.

    For a number that is no station nothing stands between two spaces.
    """
    return {name: " ".join(_stations(engine.Board.named(name))) for name in engine.Board.names()}


def _stations(board: engine.Board) -> Iterator[str]:
    for number in range(1, max(board.stations) + 1):
        stopping = (line[0] for line in TRANSPORTS if board.links[line].get(number))
        yield ",".join(map(str, board.stations[number])) + "".join(stopping) if number in board.stations else ""
