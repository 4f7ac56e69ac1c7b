"""`blackticket backup`, `restore`, `release`: make a backup, restore it, and release the mails and deadlines in it."""

from pathlib import Path

import click

from server.app import backups
from server.application.integrity import restoration
from server.application.integrity.restoration import RestorationReport
from server.cli.context import application, make_application
from server.cli.terminal import Shown
from server.runtime import now, runtime
from server.runtime.keyring import WrongKey
from server.settings import Settings, environment
from server.settings.folder import SECRET_KEY_FILE
from server.vocabulary.errors import Problem

# The sentence for each reason that a backup is not restored.
_REFUSALS = {
    "no-backup": "{} is no backup of this server; `blackticket backup` makes one.",
    "damaged": "{} is damaged; take another backup.",
    "incomplete": "{} is incomplete: it {}; take another backup.",
    "is-used": "There is a database already; --replace puts the backup in its place, and keeps it beside.",
    "server-runs": "The server, or another command, uses this database; stop the server first, and try again.",
}


def backup(target: Path) -> None:
    with application():
        settings = runtime().settings
        try:
            backups.make(target, settings, now())
        except FileExistsError:
            raise Problem("form", f"{target} exists already; name a new file.") from None
        except OSError as error:
            raise Problem("form", f"{target} cannot be written ({error.strerror}); name another file.") from None
        where = settings.secret_key_from
    click.echo(f"The database was copied to {target}. It can be read only with the secret key, which is not in it.")
    click.echo(f"The key is in {where}; keep a copy of it, and not beside the backups.")


def restore(source: Path, replaces: bool) -> Shown:
    key = Path("var", SECRET_KEY_FILE).resolve()
    had_key = key.exists()
    settings = Settings.from_environ(environment())
    try:
        kept = backups.restore(source, settings, replaces=replaces, make=make_application)
    except backups.RestoreRefused as refused:
        raise Problem("form", _REFUSALS[refused.reason].format(source, refused.lost)) from None
    except WrongKey:
        if had_key or settings.secret_key_from != str(key):
            raise
        key.unlink()  # it was made a moment ago, and would be in the way of the one that belongs there
        raise Problem("form", f"There is no secret key yet: put that of the backup into {key} first.") from None
    with application():
        report = restoration.report()
    facts = {**report, "replaced": str(kept) if kept else None}
    where = f"The database of before is kept as {kept}.\n" if kept else ""
    return facts, f"The backup was restored.\n{where}{_in_words(report)}"


def release(sends: bool, drops: bool) -> Shown:
    if sends and drops:
        raise Problem("form", "Give --send-mails or --drop-mails, not both.")
    with application():
        facts = restoration.report()
        if sends or drops:
            restoration.release(send=sends)
    if not (sends or drops):
        return facts, _in_words(facts)
    what = "The mails of before go now" if sends else "The mails of before are dropped"
    return facts, f"{what}, and deadlines move by {facts['deadlines_move_by']}."


def _in_words(facts: RestorationReport) -> str:
    mails = ", ".join(f"{count} {kind}" for kind, count in facts["mails_by_kind"].items()) or "none"
    return (
        f"The backup was made at {facts['backup_made_at']}. Until you release it no mail goes and no deadline fires.\n"
        f"Games that run: {facts['running_games']}. Deadlines that will move by {facts['deadlines_move_by']}: "
        f"{facts['deadlines']}.\n"
        f"Mails that waited when the backup was made: {mails}. They may have gone since; "
        "`blackticket outbox list --state restored` lists them.\n"
        "Start the server, and then release: blackticket release --drop-mails, or --send-mails."
    )
