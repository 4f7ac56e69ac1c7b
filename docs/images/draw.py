"""Draw board.svg, the picture of the README: a game as a detective sees it.

The engine replays game.txt, and the server's own code draws it. Run it from the repository with
`.venv/bin/python docs/images/draw.py`.
"""

from pathlib import Path

from server import engine
from server.drawing import picture

HERE = Path(__file__).parent


def draw(game: engine.Game) -> str:
    """Return the SVG of `game` as every viewer but Mr. X sees it."""
    view = game.view("spectator")
    return picture.svg(view, engine.deduce(view))


if __name__ == "__main__":
    (HERE / "board.svg").write_text(draw(engine.Game.replay((HERE / "game.txt").read_text())))
