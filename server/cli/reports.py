"""`blackticket game results`, `blackticket game late`: reports on many games, by label."""

from collections.abc import Mapping, Sequence

import click

from server.application.lists import csv_rows, reports
from server.cli.context import application
from server.cli.group import is_for_program
from server.cli.output import rows_text
from server.cli.terminal import Shown

EVERYTHING = 1_000_000  # rows


def results(label: str | None, as_csv: bool) -> Shown | None:
    """Show how games stand or ended, and who sits in them."""
    with application():
        found = reports.results(label=label, limit=EVERYTHING)
    return _shown(found, reports.RESULTS, reports.flat_results(found), as_csv=as_csv)


def late(label: str | None, as_csv: bool) -> Shown | None:
    """Show who has missed deadlines in running games and has not moved since."""
    with application():
        found = reports.late(label=label, limit=EVERYTHING)
    return _shown(found, reports.LATE, found, as_csv=as_csv)


def _shown(
    found: object, columns: Sequence[str], rows: Sequence[Mapping[str, object]], *, as_csv: bool
) -> Shown | None:
    """Return what the command prints; None if it has printed CSV."""
    if not as_csv or is_for_program():
        return found, rows_text(rows) if rows else "There are none."
    click.echo(csv_rows.write(columns, rows), nl=False)
    return None
