"""Draws board.svg, the picture of the README: a game as a detective knows it.

The game is game.txt beside this file, replayed by the engine; stations and lines are those of its board. Everything
else is drawn here. Run it from the repository with `.venv/bin/python docs/images/draw.py`.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from server import engine

HERE = Path(__file__).parent
MARGIN, TOP = 40, 26
WIDTH, HEIGHT = 1080, 896

NIGHT, FOG, PAPER, INK = "#171e2b", "#8f9bb0", "#e9e4d6", "#1b1f27"
AMBER = "#ffc64d"
LINES = {"underground": "#d0566a", "bus": "#3fa79a", "taxi": "#c9b45f", "ferry": "#6f9fe0"}
WIDTHS = {"underground": 5.5, "bus": 3, "taxi": 1.6, "ferry": 2.4}
TICKETS = LINES | {"black": "#07090d"}
PAWNS = {"purple": "#a678e0", "red": "#ef5350", "green": "#57b65c", "yellow": "#f2d544", "blue": "#4f8ff0"}
SHIFT = {"underground": 0.0, "bus": 2.6, "taxi": -1.6, "ferry": 0.0}  # lines side by side, not on one another


def draw(game: engine.Game) -> str:
    """The SVG of `game` through the eyes of everybody."""
    view, board = game.view("spectator"), game.edition.board
    suspects = sorted(engine.deduce(view))
    parts = [
        *_frame(len(suspects), view),
        f'<g transform="translate({MARGIN} {TOP})">',
        *_lines(board),
        *(_halo(*board.stations[station]) for station in suspects),
        *(_station(board, number, number in suspects) for number in board.stations),
        *_pieces(board, view),
        "</g>",
        *_travel_log(view),
        *_legend(view, len(suspects)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _frame(places: int, view: dict[str, Any]) -> Iterator[str]:
    seen = view["pawns"]["mr_x"]["last_seen"]
    told = f"Five detectives around Mr. X, who was last seen at {seen['station']} and can be on {places} stations."
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-labelledby="title" font-family="Verdana, DejaVu Sans, sans-serif">'
    )
    yield f'<title id="title">{told}</title>'
    yield (
        '<defs><radialGradient id="glow">'
        f'<stop offset="0.3" stop-color="{AMBER}" stop-opacity="0.75"/>'
        f'<stop offset="1" stop-color="{AMBER}" stop-opacity="0"/></radialGradient></defs>'
    )
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" rx="18" fill="{NIGHT}"/>'


def _lines(board: engine.Board) -> Iterator[str]:
    for transport, colour in LINES.items():
        dash = ' stroke-dasharray="1 6"' if transport == "ferry" else ""
        yield (
            f'<g stroke="{colour}" stroke-width="{WIDTHS[transport]}" stroke-linecap="round" '
            f'stroke-opacity="{0.75 if transport == "underground" else 0.85}"{dash}>'
        )
        for a, b in board.lines[transport]:
            (x1, y1), (x2, y2) = board.stations[a], board.stations[b]
            length = math.dist((x1, y1), (x2, y2))
            dx, dy = (y1 - y2) / length * SHIFT[transport], (x2 - x1) / length * SHIFT[transport]
            yield f'<line x1="{x1 + dx:.1f}" y1="{y1 + dy:.1f}" x2="{x2 + dx:.1f}" y2="{y2 + dy:.1f}"/>'
        yield "</g>"


def _halo(x: float, y: float) -> str:
    return f'<circle cx="{x}" cy="{y}" r="25" fill="url(#glow)"/>'


def _station(board: engine.Board, number: int, suspect: bool) -> str:
    x, y = board.stations[number]
    served = next(transport for transport in ("underground", "bus", "taxi") if number in board.links[transport])
    fill, ring = (AMBER, INK) if suspect else (PAPER, LINES[served])
    return (
        f'<circle cx="{x}" cy="{y}" r="8.6" fill="{fill}" stroke="{ring}" stroke-width="1.6"/>'
        f"{_text(x, y + 2.6, str(number), INK, 7.2, 'middle', bold=suspect)}"
    )


def _pieces(board: engine.Board, view: dict[str, Any]) -> Iterator[str]:
    seen = view["pawns"]["mr_x"]["last_seen"]["station"]
    pieces = {pawn: view["pawns"][pawn]["station"] for pawn in PAWNS} | {"mr_x": seen}
    for pawn, station in sorted(pieces.items(), key=lambda item: board.stations[item[1]].y):
        x, y = board.stations[station]
        yield f'<circle cx="{x}" cy="{y}" r="9.8" fill="none" stroke="{PAWNS.get(pawn, "#fff")}" stroke-width="2.6"/>'
        yield _pawn(x, y - 8, PAWNS[pawn]) if pawn in PAWNS else _fugitive(x, y - 8)


def _pawn(x: float, y: float, colour: str) -> str:
    return (
        f'<g transform="translate({x} {y})" fill="{colour}" stroke="{INK}" stroke-width="1.4">'
        '<path d="M-10 0 C-10 -5 -4 -6 -4 -16 L4 -16 C4 -6 10 -5 10 0 Z"/><circle cy="-20" r="6.6"/></g>'
    )


def _fugitive(x: float, y: float) -> str:
    return (
        f'<g transform="translate({x} {y})" stroke="#fff" stroke-width="1.6">'
        f'<path d="M-12 0 C-12 -7 -5 -8 -5 -20 L5 -20 C5 -8 12 -7 12 0 Z" fill="{NIGHT}"/>'
        f'<circle cy="-27" r="12" fill="{NIGHT}"/></g>'
        f"{_text(x, y - 20.8, '?', '#fff', 17, 'middle', bold=True)}"
    )


def _travel_log(view: dict[str, Any]) -> Iterator[str]:
    wide, gap, top = 36.0, 5.9, HEIGHT - 92
    windows = {entry["window"]: entry for entry in view["log"]}
    for number in range(1, view["options"]["log_windows"] + 1):
        left = MARGIN - 3 + (number - 1) * (wide + gap)
        entry = windows.get(number)
        fill = TICKETS[entry["ticket"]] if entry else "none"
        ring = "#fff" if number in view["options"]["surfacing"] else FOG
        yield (
            f'<rect x="{left:.1f}" y="{top}" width="{wide}" height="28" rx="5" fill="{fill}" '
            f'stroke="{ring}" stroke-width="{2 if ring == "#fff" else 1}" stroke-opacity="0.8"/>'
        )
        middle = left + wide / 2
        if entry and entry["station"]:
            colour = "#fff" if entry["ticket"] == "black" else INK
            yield _text(middle, top + 19, str(entry["station"]), colour, 13, "middle", bold=True)
        elif not entry:
            yield _text(middle, top + 18, str(number), FOG, 9, "middle")


def _legend(view: dict[str, Any], places: int) -> Iterator[str]:
    seen = view["pawns"]["mr_x"]["last_seen"]
    since = ", ".join(entry["ticket"] for entry in view["log"][seen["window"] :])
    line = f"Mr. X was seen at {seen['station']} on window {seen['window']}, then took {since}:"
    yield _text(MARGIN - 3, HEIGHT - 30, f"{line} he is on one of {places} stations.", PAPER, 13, "start")
    x = WIDTH - 404
    for name, colour in LINES.items():
        dash = ' stroke-dasharray="1 6"' if name == "ferry" else ""
        yield (
            f'<line x1="{x}" y1="{HEIGHT - 34.5}" x2="{x + 22}" y2="{HEIGHT - 34.5}" stroke="{colour}" '
            f'stroke-width="{WIDTHS[name] + 0.6}" stroke-linecap="round"{dash}/>'
        )
        yield _text(x + 31, HEIGHT - 30, name, FOG, 12, "start")
        x += 50 + 8.2 * len(name)


def _text(x: float, y: float, text: str, colour: str, size: float, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}"{weight}>{text}</text>'
    )


if __name__ == "__main__":
    (HERE / "board.svg").write_text(draw(engine.Game.replay((HERE / "game.txt").read_text())))
