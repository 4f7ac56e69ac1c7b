"""Photograph the pages of docs/images/pages in Chromium: a game, a replay, my games, the form of a new game, the rules.

Run it after a change of the pages, from the repository: `.venv/bin/python -m docs.images.photograph_pages`.
"""

import io
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from tests.conftest import Person, Playing, Table
from tests.scenes import CHASE
from tests.web.chromium import PHONE, Chromium, launched

PAGES = Path(__file__).parent / "pages"
COLOURS = 128  # of a picture, which is small then
CLOCK = {"kind": "per_phase", "provisional": "PT0S"}


def photograph(chromium: Chromium) -> None:
    """Take every picture again."""
    game, over = _game(chromium), _over(chromium)
    ada, _, cleo, *_ = chromium.people
    _take(chromium, "game", cleo, f"/games/{game.id}", viewport={"width": 1280, "height": 860})
    _take(chromium, "replay", ada, f"/games/{over.id}/replay?ply=9", viewport={"width": 1280, "height": 860})
    _take(chromium, "how-to-play", None, "/how-to-play", viewport={"width": 1280, "height": 800})
    _take(chromium, "my-games", cleo, "/me", **PHONE | {"viewport": {"width": 390, "height": 1100}})
    _take(chromium, "new-game", cleo, "/games", **PHONE | {"viewport": {"width": 390, "height": 1500}})


def _game(chromium: Chromium) -> Playing:
    """Return a game in which it is Cleo's turn."""
    game = chromium.table.game(chromium.people, position=CHASE)
    ada, ben, *_ = game.people
    game.move(ada, "black 100")
    ben.post(f"{game.path}/messages", {"to": "team", "text": "I think that he is at the river. Can you cover 100?"})
    game.move(ben, "purple taxi 126")
    return game


def _over(chromium: Chromium) -> Playing:
    """Return a game whose result is final."""
    game = chromium.table.game(chromium.people, clock=CLOCK)
    for _ in range(3):
        game.play_round()
    game.people[0].post(f"{game.path}/resign")
    chromium.table.tick()
    return game


def _take(chromium: Chromium, name: str, person: Person | None, path: str, **how: Any) -> None:
    with chromium.page(person, **how) as page:
        page.goto(path)
        page.wait_for_timeout(500)  # the board is drawn
        photo = Image.open(io.BytesIO(page.screenshot()))
    photo.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(PAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, launched(Table(Path(folder), sandbox="1")) as found:
        photograph(found)
