"""`blackticket backup`, `restore`, `release`: make a backup, restore it, and release the mails and deadlines in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from server.cli.context import application, as_json, make_application, show

if TYPE_CHECKING:
    from server.application.integrity.restoration import RestorationReport

# The sentence for each reason that a backup is not restored.
_REFUSALS = {
    "no-backup": "{} is no backup of this server; `blackticket backup` makes one.",
    "damaged": "{} is damaged; take another backup.",
    "incomplete": "{} is incomplete: it {}; take another backup.",
    "is-used": "There is a database already; --replace puts the backup in its place, and keeps it beside.",
    "server-runs": "The server, or another command, uses this database; stop the server first, and try again.",
}


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
def backup(target: Path) -> None:
    """Copy the database to the new file TARGET while the server runs. Keep the secret key elsewhere.

    A backup can be restored into SQLite and into PostgreSQL.
    """
    from server import backups  # noqa: PLC0415 start-up time
    from server.application.errors import Problem  # noqa: PLC0415
    from server.runtime import now, runtime  # noqa: PLC0415

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


@click.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--replace", "replaces", is_flag=True, help="Replace the present database; it is kept beside.")
@as_json
def restore(source: Path, replaces: bool, as_json: bool) -> None:
    """Restore the backup SOURCE into the database of the settings. Stop the server first.

    Afterwards no mail goes and no deadline fires until `blackticket release`: mails may have gone since the backup was
    made, and deadlines passed. The secret key has to be that of the backup.
    """
    from server import backups  # noqa: PLC0415 start-up time
    from server.application.errors import Problem  # noqa: PLC0415
    from server.application.integrity import restoration  # noqa: PLC0415
    from server.runtime.keyring import WrongKey  # noqa: PLC0415
    from server.settings import Settings, environment  # noqa: PLC0415
    from server.settings.folder import SECRET_KEY_FILE  # noqa: PLC0415

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
    show(facts, f"The backup was restored.\n{where}{_in_words(report)}", as_json=as_json)


@click.command()
@click.option("--send-mails", "sends", is_flag=True, help="Send the mails that waited when the backup was made.")
@click.option("--drop-mails", "drops", is_flag=True, help="Do not send them: they have gone meanwhile.")
@as_json
def release(sends: bool, drops: bool, as_json: bool) -> None:
    """Show what waits after a backup was restored; with one of the options, let it go on.

    Every deadline moves by the time since the backup was made, and everybody whose turn it is gets a new turn mail.
    """
    from server.application.errors import Problem  # noqa: PLC0415 start-up time
    from server.application.integrity import restoration  # noqa: PLC0415

    if sends and drops:
        raise Problem("form", "Give --send-mails or --drop-mails, not both.")
    with application():
        facts = restoration.report()
        if sends or drops:
            restoration.release(send=sends)
    if not (sends or drops):
        show(facts, _in_words(facts), as_json=as_json)
        return
    what = "The mails of before go now" if sends else "The mails of before are dropped"
    show(facts, f"{what}, and deadlines move by {facts['deadlines_move_by']}.", as_json=as_json)


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
