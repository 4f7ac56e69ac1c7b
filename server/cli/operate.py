"""`blackticket db upgrade`, `doctor`: look after the database."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from server.cli.context import application, as_json, make_application, new_database_sentence, show

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.settings import Settings

TROUBLE = 2  # the exit status of `doctor` that monitoring programs read as a fault


@click.group()
def db() -> None:
    """The database."""


@db.command()
def upgrade() -> None:
    """Bring the database to this version, after a backup of an embedded one."""
    from server import migrations  # noqa: PLC0415 start-up time
    from server.models.in_use import Use  # noqa: PLC0415

    app = make_application()
    with app.app_context(), Use(app.extensions["blackticket"].settings.database_url):
        click.echo(upgrade_with_backup() or f"The database is at revision {migrations.newest()}.")


def upgrade_with_backup(meanwhile: Callable[[], object] | None = None) -> str | None:
    """Upgrade the database if needed; return a sentence on what was done, or None.

    With `meanwhile`, a process of its own upgrades it, and this one calls that at the same time.

    Raises:
        WrongKey: if the database was made with another secret key.
    """
    from server.application.integrity import key_check  # noqa: PLC0415

    done = _upgrade(meanwhile)
    key_check.require()
    return done


def _upgrade(meanwhile: Callable[[], object] | None) -> str | None:
    from server import migrations  # noqa: PLC0415
    from server.backups import copy_file  # noqa: PLC0415
    from server.cli.processes import run_apart  # noqa: PLC0415
    from server.models.base import is_sqlite  # noqa: PLC0415
    from server.runtime import now, runtime  # noqa: PLC0415

    before, newest = migrations.current(), migrations.newest()
    if before == newest:
        return None
    kept = ""
    if before is not None and is_sqlite(runtime().settings.database_url):
        target = runtime().settings.var / f"before-{newest}-{now():%Y%m%dT%H%M%S}.db"
        copy_file(target)
        kept = f"; a backup of the old one is {target}"
    if meanwhile is not None:
        run_apart(migrations.upgrade, meanwhile)
    else:
        migrations.upgrade()
    if before is None:
        return new_database_sentence()
    return f"The database was brought to revision {newest}{kept}."


@click.command()
@click.option("--mail", is_flag=True, help="Send a mail from this server to itself, and wait for it.")
@click.option("--patience", default=60.0, show_default=True, help="With --mail: how many seconds to wait.")
@click.option("--silence", multiple=True, metavar="NAME", help="Leave out advice or a fault of this name.")
@as_json
def doctor(mail: bool, patience: float, silence: tuple[str, ...], as_json: bool) -> None:
    """Report the state of the server, what is wrong, and what to do about it.

    It checks settings, database, secret key, games, waiting mail, deadlines, workers, clock, time zones, disk, fonts,
    and the DNS records of the mail domain. --mail needs a running listener, or a mailbox.

    The exit status is 0 if all is well or there is only advice, and 2 if there is a fault: no mail goes, no deadline
    fires, nothing can be stored, a game is broken, the secret key is wrong, or the mail of --mail did not come back.
    Advice and faults that begin with a name can be silenced by it.
    """
    from server.application.health import health  # noqa: PLC0415
    from server.application.integrity import key_check  # noqa: PLC0415
    from server.mail.setup import own_domain  # noqa: PLC0415
    from server.runtime import runtime  # noqa: PLC0415

    with application(any_key=True):
        report = health.report()
        warnings = [*report["warnings"], *health.named("dns", own_domain.warnings())]
        names = {sentence: sentence.partition(":")[0] for sentence in warnings}
        advice = [sentence for sentence, name in names.items() if name not in silence and name in health.ADVICE]
        faults = [sentence for sentence, name in names.items() if name not in silence and name not in health.ADVICE]
        facts: dict[str, object] = {**report, "advice": advice, "faults": faults}
        del facts["warnings"]
        if mail:
            key_check.require()
            facts["mail_round_trip"] = trip = _round_trip(patience)
            if not trip["came"]:
                report["troubles"].append(f"A mail of the server to itself did not come back: {trip['why_not']}.")
        all_is_well = _all_is_well(runtime().settings)
    broken_games, troubles = report["broken_games"], report["troubles"]
    is_faulty = bool(broken_games or troubles or faults)
    facts["state"] = "fault" if is_faulty else "advice" if advice else "ok"
    lists = ("broken_games", "troubles", "advice", "faults", "state")
    lines = [f"{name.replace('_', ' ')}: {_told(value)}" for name, value in facts.items() if name not in lists]
    lines += [*(f"Advice: {each}" for each in advice), *(f"Fault: {each}" for each in (*faults, *troubles))]
    for broken in broken_games:
        lines += [f"Game {broken['game']} is broken:", *(f"  {sentence}" for sentence in broken["findings"])]
        lines.append(f"  What to do: {broken['remedy']}")
    if facts["state"] == "ok":
        lines.append(all_is_well)
    show(facts, "\n".join(lines), as_json=as_json)
    if is_faulty:
        sys.exit(TROUBLE)


def _all_is_well(settings: Settings) -> str:
    if settings.smtp_url is not None:
        return "All is well."
    maildir = settings.var / "mail"
    return f"All is well for trying things out. No mail leaves this machine: all of it goes to the Maildir {maildir}."


def _round_trip(patience: float) -> dict[str, object]:
    from server.mail.setup import self_test  # noqa: PLC0415 start-up time

    outcome = self_test.of_this_server(patience, self_test.Outside(time.sleep))
    return {"came": outcome.came, "seconds": round(outcome.seconds, 1), "why_not": outcome.sentence or None}


def _told(value: object) -> object:
    """Return a fact as text for a person: a JSON object without its punctuation."""
    from server.models.counting import in_words  # noqa: PLC0415 start-up time

    if isinstance(value, dict):
        return ", ".join(
            f"{name.replace('_', ' ')} {_told(inner)}" for name, inner in value.items() if inner is not None
        )
    if isinstance(value, list):
        return "; ".join(map(str, map(_told, value))) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):  # all of them are counts
        return in_words(value)
    return "none" if value is None else value
