"""Files that a mail brings: the board to print, with the mail that welcomes a player too, and the pictures of a replay.

The board in a turn mail is no such file: `application.game.pictures` draws it. A row of the outbox names them in
`details["files"]`; they are made when the mail is composed.
"""

from collections.abc import Iterator

from server.application.game import pictures, story
from server.application.mail.outgoing import Mail
from server.drawing import picture, printing
from server.engine import USUAL, Board, Edition
from server.house_rules.standing import Standing
from server.mail.writing.mime import Attachment
from server.vocabulary.translation import pgettext

REPLAY = "replay"
_MAP = "map "


def attached(mail: Mail) -> list[Attachment]:
    """Return the files that a mail brings."""
    welcome = (name_of_map(Edition.named(USUAL)),) if mail.kind == "welcome" else ()
    names = (*welcome, *(mail.details or {}).get("files", ()))
    return [file for name in names for file in _files(name, mail.game)]


def name_of_map(edition: Edition) -> str:
    """Return the name under which the board of an edition is asked for."""
    return f"{_MAP}{edition.board.name}"


def _files(name: str, game: Standing | None) -> Iterator[Attachment]:
    if name.startswith(_MAP):
        board = Board.named(name.removeprefix(_MAP))
        yield Attachment(printing.file_name(board), "application/pdf", printing.pdf(board))
    elif name == REPLAY and game is not None:
        yield from _pictures(game)


def _pictures(game: Standing) -> Iterator[Attachment]:
    """Yield a picture for each time that Mr. X showed himself; none before the result is final."""
    for scene in story.scenes(game):
        drawn = picture.svg(scene.view, scene.possible)
        name = pgettext("file", "round-{round}-move-{move}.png", round=scene.round, move=scene.window)
        yield Attachment(name, "image/png", pictures.flat(drawn, _WIDTH))


_WIDTH = 760  # pixels: the number of a station is eleven high, and five pictures come in one mail
