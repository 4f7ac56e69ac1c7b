"""`blackticket inbox ...`, `blackticket outbox ...`: mails by their envelopes, for all players alike."""

from collections.abc import Callable
from typing import Any

import click

from server.cli.context import application, as_json, show

of_game = click.option("--game", "game_id", metavar="ID", help="Only the mails of this game.")


def in_state(*states: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option by which only mails in one state are listed."""
    return click.option("--state", type=click.Choice(states), help="Only the mails in this state.")


@click.group()
def inbox() -> None:
    """Mails that came in; never what they say."""


@click.group()
def outbox() -> None:
    """Mails that go out; never what they say."""


@inbox.command("list")
@of_game
@in_state("new", "done", "aside")
@as_json
def received(game_id: str | None, state: str | None, as_json: bool) -> None:
    """List the mails that came in: from whom, when, and whether they were read."""
    from server.application.mail import envelopes  # noqa: PLC0415 start-up time

    with application():
        facts = envelopes.incoming(game_id, state)
    _show(facts, "No such mail has come in.", as_json=as_json)


@inbox.command("retry")
@click.argument("mail_id")
@as_json
def read_again(mail_id: str, as_json: bool) -> None:
    """Have a mail read again that was set aside after three failures. It counts as of when it came."""
    from server.application.mail import envelopes  # noqa: PLC0415 start-up time

    with application():
        facts = envelopes.read_again(mail_id)
    show(facts, f"Mail {mail_id} is read again.", as_json=as_json)


@outbox.command("list")
@of_game
@in_state("held", "pending", "gathered", "sent", "bounced", "superseded", "suppressed", "dead")
@as_json
def sent(game_id: str | None, state: str | None, as_json: bool) -> None:
    """List the mails that go out: to whom, of what kind, and what became of them."""
    from server.application.mail import envelopes  # noqa: PLC0415 start-up time

    with application():
        facts = envelopes.outgoing(game_id, state)
    _show(facts, "No such mail was written.", as_json=as_json)


@outbox.command("show")
@click.argument("mail_id")
@as_json
def show_one(mail_id: str, as_json: bool) -> None:
    """Show the envelope of one mail that goes out."""
    from server.application.mail import envelopes  # noqa: PLC0415 start-up time
    from server.cli.output import facts_table  # noqa: PLC0415

    with application():
        facts = envelopes.one_outgoing(mail_id)
    show(facts, facts_table(facts), as_json=as_json)


@outbox.command("retry")
@click.argument("mail_id")
@as_json
def send_again(mail_id: str, as_json: bool) -> None:
    """Send a dead letter again: one that was given up, with as many attempts as a new one."""
    from server.application.mail import envelopes  # noqa: PLC0415 start-up time

    with application():
        facts = envelopes.send_again(mail_id)
    show(facts, f"Mail {mail_id} is sent again.", as_json=as_json)


def _show(mails: list[dict[str, Any]], none: str, *, as_json: bool) -> None:
    from server.cli.output import rows_table  # noqa: PLC0415 start-up time

    show(mails, rows_table(mails) if mails else none, as_json=as_json)
