"""`blackticket game results`, `blackticket game late`: reports on many games, by label."""

from collections.abc import Mapping, Sequence

import click

from server.application.lists import reports
from server.cli.context import application
from server.cli.output import rows_text
from server.cli.terminal import show

EVERYTHING = 1_000_000  # rows


def results(label: str | None, as_csv: bool, as_json: bool) -> None:
    """Show how games stand or ended, and who sits in them."""
    with application():
        found = reports.results(label=label, limit=EVERYTHING)
    _show(found, reports.RESULTS, reports.flat_results(found), as_csv=as_csv, as_json=as_json)


def late(label: str | None, as_csv: bool, as_json: bool) -> None:
    """Show who has missed deadlines in running games and has not moved since."""
    with application():
        found = reports.late(label=label, limit=EVERYTHING)
    _show(found, reports.LATE, found, as_csv=as_csv, as_json=as_json)


def _show(
    found: object, columns: Sequence[str], rows: Sequence[Mapping[str, object]], *, as_csv: bool, as_json: bool
) -> None:

    if as_csv and not as_json:
        click.echo(reports.as_csv(columns, rows), nl=False)
    else:
        show(found, rows_text(rows) if rows else "There are none.", as_json=as_json)
