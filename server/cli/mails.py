"""`blackticket inbox list`, `blackticket outbox list`: mails by their envelopes, for all players alike."""

from typing import Any

import click

from server.cli.context import application, as_json, show

of_game = click.option("--game", "game_id", metavar="ID", help="Only the mails of this game.")


@click.group()
def inbox() -> None:
    """Mails that came in; never what they say."""


@click.group()
def outbox() -> None:
    """Mails that go out; never what they say."""


@inbox.command("list")
@of_game
@as_json
def received(game_id: str | None, as_json: bool) -> None:
    """List the mails that came in: from whom, when, and whether they were read."""
    from server.application import envelopes  # noqa: PLC0415 start-up time

    with application():
        facts = envelopes.incoming(game_id)
    _show(facts, "No mail has come in yet.", as_json=as_json)


@outbox.command("list")
@of_game
@as_json
def sent(game_id: str | None, as_json: bool) -> None:
    """List the mails that go out: to whom, of what kind, and what became of them."""
    from server.application import envelopes  # noqa: PLC0415 start-up time

    with application():
        facts = envelopes.outgoing(game_id)
    _show(facts, "No mail was written yet.", as_json=as_json)


def _show(mails: list[dict[str, Any]], none: str, *, as_json: bool) -> None:
    from server.cli.tables import mails_table  # noqa: PLC0415 start-up time

    show(mails, mails_table(mails) if mails else none, as_json=as_json)
