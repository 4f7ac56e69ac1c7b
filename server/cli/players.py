"""`blackticket player ...`: players, their addresses and tokens."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import click

from server.cli.context import application, as_json, read, show, writing


@click.group()
def player() -> None:
    """Players and their tokens."""


@player.command()
@click.argument("name")
@click.argument("email")
@click.option("--zone", default="UTC", show_default=True, help="Time zone for mails, such as Europe/London.")
@as_json
def add(name: str, email: str, zone: str, as_json: bool) -> None:
    """Add a player; you vouch for the address. They get a mail on how to begin. The token is shown only now."""
    from server.application.people.accounts import welcome  # noqa: PLC0415 start-up time

    with writing():
        made, token = welcome.add_player(name, email, zone)
        facts = {"id": made.id, "name": made.name, "email": made.email, "token": token}
    show(facts, f"{made.name} <{made.email}> is player {made.id}. Token, shown only now:\n{token}", as_json=as_json)


@player.command("import")
@click.argument("file")
@as_json
def import_(file: str, as_json: bool) -> None:
    """Add all players of a CSV file (- is standard input), or none if anything is wrong with it.

    One line for each player: name,email or name,email,zone. A first line with these words is skipped. You vouch for the
    addresses. Each new token is shown only now. Players who exist already are listed and not changed.
    """
    from server.application.people.accounts import importing  # noqa: PLC0415 start-up time

    text = read(file, "list of players")
    with writing():
        facts = importing.add_all(text)
    show(facts, "\n".join(map(_imported, facts)), as_json=as_json)


def _imported(row: Mapping[str, Any]) -> str:
    who = f"{row['name']} <{row['email']}> is player {row['id']}"
    return f"{who} already." if row["token"] is None else f"{who}. Token, shown only now: {row['token']}"


@player.command("show")
@click.argument("player")
@as_json
def show_(player: str, as_json: bool) -> None:
    """Show one player, named by id or mail address: addresses, settings, tokens, games."""
    from server.application.people import players  # noqa: PLC0415
    from server.application.people.accounts.export import summary_of  # noqa: PLC0415 start-up time
    from server.cli.output import facts_text  # noqa: PLC0415

    with application():
        facts = summary_of(players.named(player))
    show(facts, facts_text(facts), as_json=as_json)


@player.command()
@click.argument("player")
@click.argument("name")
@as_json
def rename(player: str, name: str, as_json: bool) -> None:
    """Change the name of a player, given by id or mail address; also to one that was taken away from them."""
    from server.application.people import players  # noqa: PLC0415
    from server.application.people.accounts import renaming  # noqa: PLC0415 start-up time

    with writing():
        renamed = renaming.rename(players.named(player).id, name, by_operator=True)
        facts = {"id": renamed.id, "name": renamed.name}
    show(facts, f"Player {facts['id']} is called {facts['name']} now.", as_json=as_json)


@player.command("list")
@as_json
def list_(as_json: bool) -> None:
    """List the players."""
    from sqlalchemy import select  # noqa: PLC0415

    from server.models import Player, session  # noqa: PLC0415

    with application():
        found = session.scalars(select(Player).where(Player.gone_at.is_(None)).order_by(Player.name)).all()
        facts = [{"id": p.id, "name": p.name, "email": p.email} for p in found]
    lines = "\n".join(f"{p['id']}  {p['name']} <{p['email']}>" for p in facts)
    show(facts, lines or "There are no players yet: blackticket player add NAME EMAIL", as_json=as_json)


@player.command()
@click.argument("player")
@click.argument("capability", metavar="operator", type=click.Choice(["operator"]))
@as_json
def grant(player: str, capability: str, as_json: bool) -> None:
    """Let a player open the operator's pages, at /operator."""
    _set_capability(player, capability, granted=True, as_json=as_json)


@player.command()
@click.argument("player")
@click.argument("capability", metavar="operator", type=click.Choice(["operator"]))
@as_json
def withdraw(player: str, capability: str, as_json: bool) -> None:
    """Take a capability from a player."""
    _set_capability(player, capability, granted=False, as_json=as_json)


def _set_capability(player: str, capability: str, *, granted: bool, as_json: bool) -> None:
    from server.application.operator import operators  # noqa: PLC0415 start-up time
    from server.application.people import players  # noqa: PLC0415
    from server.runtime import runtime  # noqa: PLC0415

    with writing():
        chosen = operators.change(players.named(player).id, granted=granted)
        facts = {"id": chosen.id, "name": chosen.name, "capabilities": [capability] if chosen.is_operator else []}
        site = (runtime().settings.public_url or "").rstrip("/")
    where = f"{site}/operator" if site else "the path /operator of the server"
    told = f"may open the operator's pages now, at {where}" if granted else "cannot open the operator's pages any more"
    show(facts, f"{facts['name']} {told}.", as_json=as_json)


@player.group()
def address() -> None:
    """The mail addresses of players. PLAYER is an id or a mail address; you vouch for what you add."""


@address.command("add")
@click.argument("player")
@click.argument("email")
@click.option("--primary", is_flag=True, help="Send all mail there from now on.")
@as_json
def add_address(player: str, email: str, primary: bool, as_json: bool) -> None:
    """Give a player one more address; with --primary all their mail goes to it."""
    from server.application.people import players  # noqa: PLC0415 start-up time
    from server.application.people.accounts import addresses  # noqa: PLC0415 start-up time

    with writing():
        owner = players.named(player)
        facts = addresses.vouch_for(owner.id, email, primary=primary)
        name = owner.name
    told = ", to which all their mail goes from now on" if facts["primary"] else ""
    show(facts, f"{facts['email']} is an address of {name}'s{told}.", as_json=as_json)


@address.command("remove")
@click.argument("email")
@as_json
def remove_address(email: str, as_json: bool) -> None:
    """Remove an address from its player; the primary one cannot be removed."""
    from server.application.people.accounts import addresses  # noqa: PLC0415 start-up time

    with writing():
        facts = addresses.take_from_owner(email)
    show(facts, f"{facts['email']} is nobody's address any more.", as_json=as_json)


@player.group()
def token() -> None:
    """Tokens for REST. PLAYER is an id or a mail address."""


@token.command("add")
@click.argument("player")
@click.option("--name", default="by the operator", show_default=True, help="The name that its owner sees.")
@click.option("--scope", "scopes", multiple=True, help="read, play, host or admin; several times; all if left out.")
@click.option("--expires", metavar="DURATION", help="How long it is valid, such as P30D; for ever if left out.")
@as_json
def add_token(player: str, name: str, scopes: tuple[str, ...], expires: str | None, as_json: bool) -> None:
    """Give a player one more token. It is shown only now."""
    from server.application.people import players, tokens  # noqa: PLC0415 start-up time
    from server.models import SCOPES  # noqa: PLC0415

    with writing():
        made, secret = tokens.add(players.named(player).id, name, scopes or SCOPES, _until(expires))
        facts = {**tokens.facts(made), "token": secret}
    show(facts, f"Token {made.id} may: {made.scopes}. Token, shown only now:\n{secret}", as_json=as_json)


@token.command("list")
@click.argument("player")
@as_json
def list_tokens(player: str, as_json: bool) -> None:
    """List the tokens of a player. Only the player can see when they were used."""
    from server.application.people import players, tokens  # noqa: PLC0415 start-up time

    with application():
        facts = tokens.for_others(players.named(player))
    lines = [f"{t['id']}  {t['name']} ({' '.join(t['scopes'])}) until {t['expires_at'] or 'revoked'}" for t in facts]
    show(facts, "\n".join(lines) or "This player has no token.", as_json=as_json)


@token.command("revoke")
@click.argument("token_id")
@as_json
def revoke_token(token_id: str, as_json: bool) -> None:
    """Revoke a token, by the id that `token list` shows."""
    from server.application.people import tokens  # noqa: PLC0415 start-up time

    with writing():
        tokens.revoke(token_id)
    show({"id": token_id}, f"Token {token_id} is revoked.", as_json=as_json)


def _until(expires: str | None) -> datetime | None:
    from server.application.errors import Problem  # noqa: PLC0415 start-up time
    from server.durations import parse_duration  # noqa: PLC0415
    from server.runtime import now  # noqa: PLC0415

    try:
        return None if expires is None else now() + parse_duration(expires)
    except (ValueError, OverflowError) as error:
        raise Problem("form", f"--expires: {error}.") from None
