"""`blackticket game results`, `blackticket game late`: reports on many games, by label."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from server.cli.context import application, as_json, show

EVERYTHING = 1_000_000  # rows


def of_label(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a report to a command."""
    for option in (
        click.option("--label", help="Only games with this label."),
        click.option("--csv", "as_csv", is_flag=True, help="Print CSV, for a spreadsheet."),
        as_json,
    ):
        command = option(command)
    return command


@click.command()
@of_label
def results(label: str | None, as_csv: bool, as_json: bool) -> None:
    """Show how games stand or ended, and who sits in them."""
    from server.application.lists import reports  # noqa: PLC0415 start-up time

    with application():
        found = reports.results(label=label, limit=EVERYTHING)
    _show(found, reports.RESULTS, reports.flat_results(found), as_csv=as_csv, as_json=as_json)


@click.command()
@of_label
def late(label: str | None, as_csv: bool, as_json: bool) -> None:
    """Show who has missed deadlines in running games and has not moved since."""
    from server.application.lists import reports  # noqa: PLC0415 start-up time

    with application():
        found = reports.late(label=label, limit=EVERYTHING)
    _show(found, reports.LATE, found, as_csv=as_csv, as_json=as_json)


def _show(
    found: Any, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], *, as_csv: bool, as_json: bool
) -> None:
    from server.application.lists import csv_rows  # noqa: PLC0415 start-up time
    from server.cli.output import rows_text  # noqa: PLC0415

    if as_csv and not as_json:
        click.echo(csv_rows.write(columns, rows), nl=False)
    else:
        show(found, rows_text(rows) if rows else "There are none.", as_json=as_json)
