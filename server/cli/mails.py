"""`blackticket inbox ...`, `blackticket outbox ...`: the envelopes of mails, of all players."""

from collections.abc import Callable

import click

from server.cli.context import application, as_json, show, writing

of_game = click.option("--game", "game_id", metavar="ID", help="Only the mails of this game.")


def in_state(*states: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the option that lists only the mails in one state."""
    return click.option("--state", type=click.Choice(states), help="Only the mails in this state.")


@click.group()
def inbox() -> None:
    """Incoming mails: their envelopes, never their text."""


@click.group()
def outbox() -> None:
    """Outgoing mails: their envelopes, never their text."""


@inbox.command("list")
@of_game
@in_state("new", "done", "aside")
@as_json
def received(game_id: str | None, state: str | None, as_json: bool) -> None:
    """List the incoming mails: sender, time, and whether they were read."""
    from server.application.mail import envelopes  # noqa: PLC0415 start-up time

    with application():
        facts = envelopes.incoming(game_id, state)
    _show(facts, "No such mail has come in.", as_json=as_json)


@inbox.command("retry")
@click.argument("mail_id")
@as_json
def read_again(mail_id: str, as_json: bool) -> None:
    """Read a mail again that was set aside after three failures. It counts as of its arrival."""
    from server.application.mail import envelopes  # noqa: PLC0415 start-up time

    with writing():
        facts = envelopes.read_again(mail_id)
    show(facts, f"The server reads mail {mail_id} again.", as_json=as_json)


@outbox.command("list")
@of_game
@in_state("held", "pending", "gathered", "sent", "bounced", "superseded", "suppressed", "dead", "restored")
@as_json
def sent(game_id: str | None, state: str | None, as_json: bool) -> None:
    """List the outgoing mails: recipient, kind, and what became of them."""
    from server.application.mail import envelopes  # noqa: PLC0415 start-up time

    with application():
        facts = envelopes.outgoing(game_id, state)
    _show(facts, "No such mail was written.", as_json=as_json)


@outbox.command("show")
@click.argument("mail_id")
@as_json
def show_one(mail_id: str, as_json: bool) -> None:
    """Show the envelope of one outgoing mail."""
    from server.application.mail import envelopes  # noqa: PLC0415 start-up time
    from server.cli.output import facts_text  # noqa: PLC0415

    with application():
        facts = envelopes.one_outgoing(mail_id)
    show(facts, facts_text(facts), as_json=as_json)


@outbox.command("retry")
@click.argument("mail_id")
@as_json
def send_again(mail_id: str, as_json: bool) -> None:
    """Send a dead letter again, or a pending mail now, with as many attempts as a new mail."""
    from server.application.mail import envelopes  # noqa: PLC0415 start-up time

    with writing():
        facts = envelopes.send_again(mail_id)
    show(facts, f"The server sends mail {mail_id} again.", as_json=as_json)


def _show(mails: list[dict[str, object]], none: str, *, as_json: bool) -> None:
    from server.cli.output import rows_text  # noqa: PLC0415 start-up time

    show(mails, rows_text(mails) if mails else none, as_json=as_json)
