"""`blackticket game ...` and the demo. The operator sees what a spectator sees."""

import click

from server.cli.context import application, as_json, show


@click.group()
def game() -> None:
    """Games, as a spectator sees them."""


@game.command("list")
@as_json
def list_(as_json: bool) -> None:
    """List the games."""
    from sqlalchemy import select  # noqa: PLC0415 start-up time

    from server.application.projection import summary  # noqa: PLC0415
    from server.models import Game, session  # noqa: PLC0415

    with application():
        facts = [summary(found) for found in session.scalars(select(Game).order_by(Game.created_at)).unique()]
    lines = "\n".join(f"{f['id']}  {f['name']}, {f['edition']}, {f['status']}" for f in facts)
    show(facts, lines or "There are no games yet.", as_json=as_json)


@game.command("show")
@click.argument("game_id")
@as_json
def show_(game_id: str, as_json: bool) -> None:
    """Show one game: who sits where, the table, the travel log, whose turn it is."""
    from server.application.errors import Problem  # noqa: PLC0415
    from server.application.projection import project  # noqa: PLC0415
    from server.cli.tables import game_table  # noqa: PLC0415
    from server.models import Game, session  # noqa: PLC0415

    with application():
        found = session.get(Game, game_id)
        if found is None:
            raise Problem("not-found", f"There is no game {game_id}.")
        view = project(found, None)
    show(view, game_table(view), as_json=as_json)


@game.command()
@click.argument("game_id")
@click.option("--reason", required=True, help="Why; it is told to the players.")
def reinstate(game_id: str, reason: str) -> None:
    """Take up again a game that lateness ended, while that result is provisional."""
    from server.application import deadlines  # noqa: PLC0415

    with application():
        taken_up = deadlines.reinstate(game_id, reason)
        click.echo(f"{taken_up.name} goes on; Mr. X has until {taken_up.due_at:%Y-%m-%d %H:%M} UTC.")


@click.command()
@click.option("--seed", type=int, help="Play the same game again.")
def demo(seed: int | None) -> None:
    """Play a whole game on a server of its own: three by mail, three by REST, one asleep for a deadline."""
    from server.demo import play  # noqa: PLC0415 start-up time

    play(seed)
