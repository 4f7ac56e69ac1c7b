"""Draw board.svg, the picture of the README: a game as a detective sees it; board-de.svg for the German first page.

The engine replays game.txt, and the server's own code draws it in each language. Run it from the repository with
`.venv/bin/python docs/images/draw.py`.
"""

from pathlib import Path

from server import engine
from server.drawing import picture
from server.vocabulary.translation import ENGLISH, languages, speaking

HERE = Path(__file__).parent
PATHS = {code: HERE / ("board.svg" if code == ENGLISH else f"board-{code}.svg") for code in languages()}


def draw(game: engine.Game, language: str) -> str:
    """Return the SVG of `game` as every viewer but Mr. X sees it."""
    view = game.view("spectator")
    with speaking(language):
        return picture.svg(view, engine.deduce(view))


if __name__ == "__main__":
    for code, path in PATHS.items():
        path.write_text(draw(engine.Game.replay((HERE / "game.txt").read_text()), code))
