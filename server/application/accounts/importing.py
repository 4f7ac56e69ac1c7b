"""Many players at once, from a list as CSV: a line each with name, mail address and perhaps a time zone."""

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any

from server.application.errors import Problem
from server.application.people.players import add_player, check_email, check_name, check_zone, with_email
from server.models import transaction

# The cells of a line, and what they must be.
COLUMNS: dict[str, Callable[[str], str]] = {"name": check_name, "email": check_email, "zone": check_zone}
FORM = "A line reads name,email or name,email,zone"


def add_all(text: str) -> list[dict[str, Any]]:
    """Add every player of the list that is not there yet: all of them, or none where anything is wrong with it.

    A row a line: `id`, `name`, `email`, and `token`, which is shown this once; who is there already keeps what he has,
    and his `token` is None. A first line with the names of the columns is skipped. A `Problem` names line and column.
    """
    wanted = list(_read(text))
    if not wanted:
        raise Problem("form", f"There is nobody on this list. {FORM}.")
    with transaction():
        return [_added(**cells) for cells in wanted]


def _added(name: str, email: str, zone: str = "UTC") -> dict[str, Any]:
    player, token = with_email(email), None
    if player is None:
        player, token = add_player(name, email, zone)
    return {"id": player.id, "name": player.name, "email": email, "token": token}


def _read(text: str) -> Iterator[dict[str, str]]:
    """The cells of each line by column, checked."""
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
    """Each line that has something in it, with the number of where it begins; that of headings is left out."""
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
