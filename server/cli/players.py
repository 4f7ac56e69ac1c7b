"""`blackticket player ...`."""

import click

from server.cli.context import application, as_json, show


@click.group()
def player() -> None:
    """Players and their tokens."""


@player.command()
@click.argument("name")
@click.argument("email")
@click.option("--zone", default="UTC", show_default=True, help="Time zone for mails, such as Europe/London.")
@as_json
def add(name: str, email: str, zone: str, as_json: bool) -> None:
    """Add a player; you vouch for the address. The token is shown this once."""
    from server.application.players import add_player  # noqa: PLC0415 start-up time

    with application():
        made, token = add_player(name, email, zone)
        facts = {"id": made.id, "name": made.name, "email": made.email, "token": token}
    show(facts, f"{made.name} <{made.email}> is player {made.id}. Token, shown only now:\n{token}", as_json=as_json)


@player.command("list")
@as_json
def list_(as_json: bool) -> None:
    """List the players."""
    from sqlalchemy import select  # noqa: PLC0415

    from server.models import Player, session  # noqa: PLC0415

    with application():
        found = session.scalars(select(Player).order_by(Player.name)).all()
        facts = [{"id": p.id, "name": p.name, "email": p.email} for p in found]
    lines = "\n".join(f"{p['id']}  {p['name']} <{p['email']}>" for p in facts)
    show(facts, lines or "There are no players yet: blackticket player add NAME EMAIL", as_json=as_json)
