"""Play a game with the moves of bots, and photograph it for the README: its page, and the mail of the same turn.

Run it after a change of the page of a game or of turn mails, from the repository:
`.venv/bin/python -m docs.images.photograph_game`.
"""

import random
import tempfile
from pathlib import Path

from PIL import Image

from docs.images import photograph_mails, photograph_pages
from server import bots
from server.application.game.look import standing_of
from server.application.game.state import rebuild
from server.models import Game, session
from tests.scenes import name
from tests.table import Playing, Table
from tests.web.chromium import Chromium, launched

PICTURE = Path(__file__).parent / "game.png"
LARGEST = 220_000  # bytes
SIZE = (1200, 844)  # pixels of the page; the mail beside it is as high
ROUNDS = 8  # that are over when the picture is taken
CLEO = 2  # who plays Red
SEED = 5  # of a game in which Mr. X is still free then, and was seen a moment ago


def play(chromium: Chromium) -> Playing:
    """Return a game of six people who move as bots do, when it is Cleo's turn."""
    game = chromium.table.game(chromium.people)
    name(chromium.table, game.id)
    cleo = game.people[CLEO]
    while game.view()["round"] <= ROUNDS or game.mover() is not cleo:
        chromium.table.clock.turn(hours=3)
        mover = game.mover()
        assert game.move(mover, _choice(game)).status_code == 201
        chromium.table.tick()
    return game


def _choice(game: Playing) -> str:
    with game.table.app.app_context():
        state = rebuild(standing_of(session.get_one(Game, game.id)))
    pawn = state.to_move[0]
    rng = random.Random(game.turn)  # noqa: S311 so that the game is the same each time
    bot, level = ("fugitive", "good") if pawn == "mr_x" else ("constable", "fair")
    return str(bots.choose(bot, state.view(pawn), state.legal_moves(pawn), rng, level))


def photograph(chromium: Chromium) -> None:
    """Play the game, and take the picture."""
    game = play(chromium)
    size = {"width": SIZE[0], "height": SIZE[1]}
    page, _ = photograph_pages.shot(chromium, CLEO, f"/games/{game.id}", viewport=size)
    mail = next(mail for mail in reversed(game.people[CLEO].mails) if "your move" in mail["Subject"])
    html = photograph_mails.page_of(mail)
    beside = photograph_mails.shot(chromium.browser, html, photograph_mails.PHONE, "light")
    both = photograph_mails.beside(page, Image.new("RGB", (12, SIZE[1]), "#888"), beside)
    photograph_pages.save(both, PICTURE, photograph_pages.COLOURS_OF_BOARD)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, launched(Table(Path(folder), SEED)) as found:
        photograph(found)
