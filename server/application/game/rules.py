"""Editions and boards as plain data."""

from typing import TypedDict

from server.engine import Board, Edition, OptionError, Options, PlainBoard


class PlainEdition(TypedDict):
    """An edition with its options."""

    name: str
    options: Options


def editions() -> list[PlainEdition]:
    """Return every edition with its options."""
    return [{"name": name, "options": Edition.named(name).options} for name in Edition.names()]


def board(name: str) -> PlainBoard | None:
    """Return one board; None if there is none of that name."""
    try:
        return Board.named(name).to_json()
    except OptionError:
        return None
