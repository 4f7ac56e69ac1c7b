"""Rows as CSV (RFC 4180), safe for spreadsheets, and CSV as rows."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

# With these a spreadsheet takes what stands in a cell for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows with a line of headings; what is None is empty, and no text can be taken for a formula."""
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    return sheet.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
