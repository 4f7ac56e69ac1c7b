"""Editions and boards as plain data, for whoever asks."""

from typing import Any

from server.engine import Board, Edition, OptionError


def editions() -> list[dict[str, Any]]:
    """Every edition with its options."""
    return [{"name": name, "options": Edition.named(name).options} for name in Edition.names()]


def board_names() -> tuple[str, ...]:
    """The boards there are."""
    return Board.names()


def board(name: str) -> dict[str, Any] | None:
    """One board; None where there is none of that name."""
    try:
        return Board.named(name).to_json()
    except OptionError:
        return None
