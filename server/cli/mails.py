"""`blackticket inbox ...`, `blackticket outbox ...`: the envelopes of mails, of all players."""

from server.application.mail import envelopes
from server.cli.context import application, writing
from server.cli.output import facts_text, rows_text
from server.cli.terminal import Shown


def received(game_id: str | None, state: str | None) -> Shown:
    """List the incoming mails: sender, time, and whether they were read."""
    with application():
        facts = envelopes.incoming(game_id, state)
    return facts, rows_text(facts) if facts else "No such mail has come in."


def read_again(mail_id: str) -> Shown:
    """Read a mail again that was set aside after three failures. It counts as of its arrival."""
    with writing():
        facts = envelopes.read_again(mail_id)
    return facts, f"The server reads mail {mail_id} again."


def sent(game_id: str | None, state: str | None) -> Shown:
    """List the outgoing mails: recipient, kind, and what became of them."""
    with application():
        facts = envelopes.outgoing(game_id, state)
    return facts, rows_text(facts) if facts else "No such mail was written."


def show_one(mail_id: str) -> Shown:
    """Show the envelope of one outgoing mail."""
    with application():
        facts = envelopes.one_outgoing(mail_id)
    return facts, facts_text(facts)


def send_again(mail_id: str) -> Shown:
    """Send a dead letter again, or a pending mail now, with as many attempts as a new mail."""
    with writing():
        facts = envelopes.send_again(mail_id)
    return facts, f"The server sends mail {mail_id} again."
