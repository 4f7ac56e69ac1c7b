"""`blackticket inbox ...`, `blackticket outbox ...`: the envelopes of mails, of all players."""

from server.application.mail import envelopes
from server.cli.context import application, writing
from server.cli.output import facts_text, rows_text
from server.cli.terminal import show


def received(game_id: str | None, state: str | None, as_json: bool) -> None:
    """List the incoming mails: sender, time, and whether they were read."""
    with application():
        facts = envelopes.incoming(game_id, state)
    _show(facts, "No such mail has come in.", as_json=as_json)


def read_again(mail_id: str, as_json: bool) -> None:
    """Read a mail again that was set aside after three failures. It counts as of its arrival."""
    with writing():
        facts = envelopes.read_again(mail_id)
    show(facts, f"The server reads mail {mail_id} again.", as_json=as_json)


def sent(game_id: str | None, state: str | None, as_json: bool) -> None:
    """List the outgoing mails: recipient, kind, and what became of them."""
    with application():
        facts = envelopes.outgoing(game_id, state)
    _show(facts, "No such mail was written.", as_json=as_json)


def show_one(mail_id: str, as_json: bool) -> None:
    """Show the envelope of one outgoing mail."""
    with application():
        facts = envelopes.one_outgoing(mail_id)
    show(facts, facts_text(facts), as_json=as_json)


def send_again(mail_id: str, as_json: bool) -> None:
    """Send a dead letter again, or a pending mail now, with as many attempts as a new mail."""
    with writing():
        facts = envelopes.send_again(mail_id)
    show(facts, f"The server sends mail {mail_id} again.", as_json=as_json)


def _show(mails: list[dict[str, object]], none: str, *, as_json: bool) -> None:

    show(mails, rows_text(mails) if mails else none, as_json=as_json)
