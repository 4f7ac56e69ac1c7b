"""The commands of who runs a server: its processes, its database, its mails."""

from pathlib import Path

import click

from server.cli.group import Option, command, group, reason

of_game = click.option("--game", "game_id", metavar="ID", help="Only the mails of this game.")


def in_state(*states: str) -> Option:
    """Return the option that lists only the mails in one state."""
    return click.option("--state", type=click.Choice(states), help="Only the mails in this state.")


group("db", "The database.")
group("key", "The secret key.")
group("inbox", "Incoming mails: their envelopes, never their text.")
group("outbox", "Outgoing mails: their envelopes, never their text.")
group("deadline", "Deadlines of running games.")


@command("setup", "setup.setup", "--address yard@example.org --operator you@example.com")
@click.option("--address", metavar="ADDRESS", help="The address of the mailbox; asked for if left out.")
@click.option("--name", metavar="NAME", help="The name under which mails are sent; asked for if left out.")
@click.option(
    "--password-file", type=click.File(), help="A file with the password, - for standard input; asked for if left out."
)
@click.option(
    "--operator",
    metavar="ADDRESS",
    help="Where you want to hear of trouble, and get mail to postmaster and "
    "abuse; asked for if not given, but with --password-file.",
)
@click.option("--user", metavar="USER", help="The user name, if it is neither the address nor what is before its @.")
@click.option("--imap", metavar="URL", help="The server to read from, if it is not found: imaps://mail.example.org")
@click.option("--smtp", metavar="URL", help="The server to send by, if it is not found: smtps://mail.example.org")
@click.option("--own/--shared", "is_own", default=None, help="Whether the mailbox is the server's alone, so that it "
              "answers all that players write there; asked for if not given, but with --password-file.")  # fmt: skip
@click.option("--patience", default=60.0, show_default=True, help="How many seconds a mail may take to come back.")
@click.option("--yes", is_flag=True, help="Do not ask before the password goes to a server outside the domain.")
@click.option("--to", "target", default="blackticket.env", show_default=True, type=click.Path(path_type=Path),
              help="Where to write the settings.")  # fmt: skip
def setup() -> None:
    """Set up a server on an ordinary mailbox: find its servers, try them out, write the settings.

    Mails are sent from the mailbox to itself, and deleted when they have come back. Nothing is written unless one does.
    """


@command("serve", "serve.serve", has_json=False)
def serve() -> None:
    """Run everything: HTTP, the mail listener, the ticker, the sender."""


@command("web", "web.web", has_json=False)
def web() -> None:
    """Run HTTP only; any number of these may run, each on its own address."""


@command("worker", "worker_process.worker", has_json=False)
def worker() -> None:
    """Run the mail listener, the ticker and the sender, without HTTP; any number of these may run."""


@command("db upgrade", "database.upgrade", has_json=False)
def db_upgrade() -> None:
    """Bring the database to this version, after a backup of an embedded one."""


@command("doctor", "doctor.doctor", "--mail")
@click.option("--mail", is_flag=True, help="Send a mail from this server to itself, and wait for it.")
@click.option("--patience", default=60.0, show_default=True, help="With --mail: how many seconds to wait.")
@click.option("--silence", multiple=True, metavar="NAME", help="Leave out advice or a fault of this name.")
def doctor() -> None:
    """Report the state of the server, what is wrong, and what to do about it.

    It checks settings, database, secret key, games, waiting mail, deadlines, workers, clock, time zones, disk, fonts,
    and the DNS records of the mail domain. --mail needs a running listener, or a mailbox.

    The exit status is 0 if all is well or there is only advice, and 2 if there is a fault: no mail goes, no deadline
    fires, nothing can be stored, a game is broken, the secret key is wrong, or the mail of --mail did not come back.
    Advice and faults that begin with a name can be silenced by it.
    """


@command("backup", "backups.backup", "/var/backups/blackticket/2026-11-21.db", has_json=False)
@click.argument("target", type=click.Path(path_type=Path))
def backup() -> None:
    """Copy the database to the new file TARGET while the server runs. Keep the secret key elsewhere.

    A backup can be restored into SQLite and into PostgreSQL.
    """


@command("restore", "backups.restore", "/var/backups/blackticket/2026-11-21.db --replace")
@click.argument("source", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--replace", "replaces", is_flag=True, help="Replace the present database; it is kept beside.")
def restore() -> None:
    """Restore the backup SOURCE into the database of the settings. Stop the server first.

    Afterwards no mail goes and no deadline fires until `blackticket release`: mails may have gone since the backup was
    made, and deadlines passed. The secret key has to be that of the backup.
    """


@command("release", "backups.release", "--drop-mails")
@click.option("--send-mails", "sends", is_flag=True, help="Send the mails that waited when the backup was made.")
@click.option("--drop-mails", "drops", is_flag=True, help="Do not send them: they have gone meanwhile.")
def release() -> None:
    """Show what waits after a backup was restored; with one of the options, let it go on.

    Every deadline moves by the time since the backup was made, and everybody whose turn it is gets a new turn mail.
    """


@command("key rotate", "keys.rotate", has_json=False)
def key_rotate() -> None:
    """Encrypt all encrypted columns with a new key while the server runs.

    It takes a minute at least. If it is ended before that, run it again: it goes on. Every process of the server has to
    read its key from the same file. The former key is kept beside that file, because backups of before need it.
    """


@command("inbox list", "operating.received", "--state aside")
@of_game
@in_state("new", "done", "aside")
def inbox_list() -> None:
    """List the incoming mails: sender, time, and whether they were read."""


@command("inbox retry", "operating.read_again", "6wq2m4xkbd7lzzpa")
@click.argument("mail_id")
def inbox_retry() -> None:
    """Read a mail again that was set aside after three failures. It counts as of its arrival."""


@command("outbox list", "operating.sent", "--state dead")
@of_game
@in_state("held", "pending", "gathered", "sent", "bounced", "superseded", "suppressed", "dead", "restored")
def outbox_list() -> None:
    """List the outgoing mails: recipient, kind, and what became of them."""


@command("outbox show", "operating.show_one", "6wq2m4xkbd7lzzpa")
@click.argument("mail_id")
def outbox_show() -> None:
    """Show the envelope of one outgoing mail."""


@command("outbox retry", "operating.send_again", "6wq2m4xkbd7lzzpa")
@click.argument("mail_id")
def outbox_retry() -> None:
    """Send a dead letter again, or a pending mail now, with as many attempts as a new mail."""


@command("deadline list", "operating.list_deadlines", "--json")
@click.option("--due", is_flag=True, help="Only those that are due, and will be fired at the next tick.")
def deadline_list() -> None:
    """List what is scheduled, the next first: reminders, time-outs, moves of bots, final results."""


@command("deadline extend", "operating.extend", 'qdkh42kairbh6ktx "2 days" --reason "mail was down"')
@click.argument("game_id")
@click.argument("duration")
@reason
def deadline_extend() -> None:
    """Give the players to move in a game more time, such as "2 days" or P2D.

    It is a public event, and all players get a mail.
    """


@command("deadline credit", "operating.credit", "--none")
@click.option("--none", "refused", is_flag=True, help="Give nothing back: what is due is fired at the next tick.")
def deadline_credit() -> None:
    """Give back the time of an outage of more than a day: every deadline moves by it.

    Until you decide, nothing fires. The server gives back an outage of a day or less without asking.
    """
