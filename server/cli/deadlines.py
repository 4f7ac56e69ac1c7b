"""`blackticket deadline ...`: list, extend and credit deadlines."""

import click

from server.cli.context import application, as_json, show, writing
from server.cli.games import reason


@click.group()
def deadline() -> None:
    """Deadlines of running games."""


@deadline.command("list")
@click.option("--due", is_flag=True, help="Only those that are due, and will be fired at the next tick.")
@as_json
def list_(due: bool, as_json: bool) -> None:
    """List what is scheduled, the next first: reminders, time-outs, moves of bots, final results."""
    from server.application.time import deadlines  # noqa: PLC0415 start-up time
    from server.cli.output import rows_text  # noqa: PLC0415

    with application():
        facts = deadlines.scheduled(due_only=due)
    none = "Nothing is due." if due else "There is no deadline."
    show(facts, rows_text(facts) if facts else none, as_json=as_json)


@deadline.command()
@click.argument("game_id")
@click.argument("duration")
@reason
@as_json
def extend(game_id: str, duration: str, reason: str, as_json: bool) -> None:
    """Give the players to move in a game more time, such as "2 days" or P2D.

    It is a public event, and all players get a mail.
    """
    from server.application.operator import remedies  # noqa: PLC0415 start-up time
    from server.durations import rfc3339  # noqa: PLC0415
    from server.mail.language.spans import read_span  # noqa: PLC0415

    with writing():
        game = remedies.extend(game_id, read_span(duration) or duration, reason)
        facts = {"game": game.id, "due_at": rfc3339(game.due_at)}
        name = game.name
    show(facts, f"The deadline in {name} is now {facts['due_at']}.", as_json=as_json)


@deadline.command()
@click.option("--none", "refused", is_flag=True, help="Give nothing back: what is due is fired at the next tick.")
@as_json
def credit(refused: bool, as_json: bool) -> None:
    """Give back the time of an outage of more than a day: every deadline moves by it.

    Until you decide, nothing fires. The server gives back an outage of a day or less without asking.
    """
    from server.application.time import outages  # noqa: PLC0415 start-up time
    from server.durations import rfc3339  # noqa: PLC0415

    with application():
        begin, end = outages.confirm(granted=not refused)
        facts = {"begin": rfc3339(begin), "end": rfc3339(end), "granted": not refused}
    what = "Nothing is given back of" if refused else "Every deadline moves by"
    show(facts, f"{what} the time from {facts['begin']} to {facts['end']}.", as_json=as_json)
