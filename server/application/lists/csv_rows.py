"""Rows as CSV (RFC 4180), safe for spreadsheets."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

# A spreadsheet reads a cell that begins with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the rows as CSV with headings; None is an empty cell, and no text can be read as a formula."""
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    return sheet.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
