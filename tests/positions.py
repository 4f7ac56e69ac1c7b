"""Positions for games that begin in the middle, as SANDBOX allows. Stations are those of the London board."""

from typing import Any

FULL = {"taxi": 10, "bus": 8, "underground": 4}
HIS = {"taxi": 4, "bus": 3, "underground": 3, "black": 2, "double": 2}


def position(
    mr_x: int, *, his: dict[str, int] | None = None, log_used: int = 0, to_move: str = "mr_x", **more: Any
) -> dict[str, Any]:
    """Mr. X at `mr_x` with the tickets `his`; each further name is a pawn: its station, or station and tickets.

    `last_seen` is (window, station).
    """
    seen = more.pop("last_seen", None)
    placed = {pawn: at if isinstance(at, tuple) else (at, FULL) for pawn, at in more.items()}
    return {
        "mr_x": {"station": mr_x, "tickets": HIS if his is None else his},
        "detectives": [
            {"pawn": pawn, "station": station, "tickets": tickets} for pawn, (station, tickets) in placed.items()
        ],
        "log_used": log_used,
        "to_move": to_move,
        "last_seen": seen and {"window": seen[0], "station": seen[1]},
    }
