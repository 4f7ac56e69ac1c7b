"""Editions and boards as plain data."""

from typing import Any

from server.engine import Board, Edition, OptionError


def editions() -> list[dict[str, Any]]:
    """Return every edition with its options."""
    return [{"name": name, "options": Edition.named(name).options} for name in Edition.names()]


def board_names() -> tuple[str, ...]:
    """Return the names of the boards."""
    return Board.names()


def board(name: str) -> dict[str, Any] | None:
    """Return one board; None if there is none of that name."""
    try:
        return Board.named(name).to_json()
    except OptionError:
        return None
