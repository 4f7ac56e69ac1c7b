"""Draws board.svg, the picture of the README: a game as a detective knows it.

The game is game.txt beside this file, replayed by the engine; the drawing is that of the server. Run it from the
repository with `.venv/bin/python docs/images/draw.py`.
"""

from pathlib import Path

from server import engine, picture

HERE = Path(__file__).parent


def draw(game: engine.Game) -> str:
    """The SVG of `game` through the eyes of everybody."""
    view = game.view("spectator")
    return picture.svg(view, engine.deduce(view))


if __name__ == "__main__":
    (HERE / "board.svg").write_text(draw(engine.Game.replay((HERE / "game.txt").read_text())))
