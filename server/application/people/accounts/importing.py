"""Import players from a CSV list: a line each with name, mail address and perhaps a time zone."""

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any

from server.application.people.players import add_player, check_email, check_name, check_zone, with_email
from server.models import transaction
from server.vocabulary.errors import Problem

# The cells of a line, and what they must be.
COLUMNS: dict[str, Callable[[str], str]] = {"name": check_name, "email": check_email, "zone": check_zone}
FORM = "A line reads name,email or name,email,zone"


def add_all(text: str) -> list[dict[str, Any]]:
    """Add every player on the list who is not there yet, or nobody if anything is wrong with the list.

    A first line with the names of the columns is skipped. Players who are there already are not changed.

    Returns:
        A row for each line: `id`, `name`, `email`, and `token`, shown this once; None for a player who was there.

    Raises:
        Problem: `form`, with the line and column that is wrong.
    """
    rows = list(_read(text))
    if not rows:
        raise Problem("form", f"There is nobody on this list. {FORM}.")
    with transaction():
        return [_added(**cells) for cells in rows]


def _added(name: str, email: str, zone: str = "UTC") -> dict[str, Any]:
    player, token = with_email(email), None
    if player is None:
        player, token = add_player(name, email, zone)
    return {"id": player.id, "name": player.name, "email": email, "token": token}


def _read(text: str) -> Iterator[dict[str, str]]:
    """Yield the checked cells of each line, by column."""
    first_with: dict[str, int] = {}
    for line, cells in _lines(text):
        if len(cells) not in (2, 3):
            raise Problem("form", f"Line {line} has {len(cells)} column{'s'[: len(cells) != 1]}. {FORM}.")
        row = {
            name: _checked(cell, name, line)
            for name, cell in zip(COLUMNS, cells, strict=False)
            if cell or name != "zone"
        }
        earlier = first_with.setdefault(row["email"], line)
        if earlier != line:
            raise Problem("form", f"Line {line}, column 2 (email): {row['email']} stands in line {earlier} already.")
        yield row


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line that is not empty, with the line's number; leave out the headings."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise Problem("form", f"Line {line} is no CSV ({error}). {FORM}.") from None
        if any(cells) and not (line == 1 and [cell.lower() for cell in cells] == list(COLUMNS)[: len(cells)]):
            yield line, cells


def _checked(cell: str, name: str, line: int) -> str:
    try:
        return COLUMNS[name](cell)
    except Problem as problem:
        column = list(COLUMNS).index(name) + 1
        raise Problem("form", f"Line {line}, column {column} ({name}): {problem.sentence}") from None
