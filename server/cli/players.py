"""`blackticket player ...`: players, their addresses and tokens."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select

from server.application.operator import operators
from server.application.people import players, tokens
from server.application.people.accounts import addresses, importing, renaming, sign_up
from server.application.people.accounts.export import summary_of
from server.cli.context import application, writing
from server.cli.output import facts_text
from server.cli.terminal import read, show
from server.models import SCOPES, Player, session
from server.runtime import now, runtime
from server.vocabulary.durations import parse_duration
from server.vocabulary.errors import Problem


def add(name: str, email: str, zone: str, as_json: bool) -> None:
    """Add a player; you vouch for the address. They get a mail on how to begin. The token is shown only now."""
    with writing():
        made, token = sign_up.add_vouched_player(name, email, zone)
        facts = {"id": made.id, "name": made.name, "email": made.email, "token": token}
    show(facts, f"{made.name} <{made.email}> is player {made.id}. Token, shown only now:\n{token}", as_json=as_json)


def import_(file: str, as_json: bool) -> None:
    """Add all players of a CSV file (- is standard input), or none if anything is wrong with it."""
    text = read(file, "list of players")
    with writing():
        facts = importing.add_all(text)
    show(facts, "\n".join(map(_imported, facts)), as_json=as_json)


def _imported(row: Mapping[str, Any]) -> str:
    who = f"{row['name']} <{row['email']}> is player {row['id']}"
    return f"{who} already." if row["token"] is None else f"{who}. Token, shown only now: {row['token']}"


def show_(player: str, as_json: bool) -> None:
    """Show one player, named by id or mail address: addresses, settings, tokens, games."""
    with application():
        facts = summary_of(players.named(player))
    show(facts, facts_text(facts), as_json=as_json)


def rename(player: str, name: str, as_json: bool) -> None:
    """Change the name of a player, given by id or mail address; also to one that was taken away from them."""
    with writing():
        renamed = renaming.rename(players.named(player).id, name, by_operator=True)
        facts = {"id": renamed.id, "name": renamed.name}
    show(facts, f"Player {facts['id']} is called {facts['name']} now.", as_json=as_json)


def list_(as_json: bool) -> None:
    """List the players."""
    with application():
        found = session.scalars(select(Player).where(Player.gone_at.is_(None)).order_by(Player.name)).all()
        facts = [{"id": p.id, "name": p.name, "email": p.email} for p in found]
    lines = "\n".join(f"{p['id']}  {p['name']} <{p['email']}>" for p in facts)
    show(facts, lines or "There are no players yet: blackticket player add NAME EMAIL", as_json=as_json)


def grant(player: str, capability: str, as_json: bool) -> None:
    """Let a player open the operator's pages, at /operator."""
    _set_capability(player, capability, granted=True, as_json=as_json)


def withdraw(player: str, capability: str, as_json: bool) -> None:
    """Take a capability from a player."""
    _set_capability(player, capability, granted=False, as_json=as_json)


def _set_capability(player: str, capability: str, *, granted: bool, as_json: bool) -> None:

    with writing():
        chosen = operators.change(players.named(player).id, granted=granted)
        facts = {"id": chosen.id, "name": chosen.name, "capabilities": [capability] if chosen.is_operator else []}
        site = (runtime().settings.public_url or "").rstrip("/")
    where = f"{site}/operator" if site else "the path /operator of the server"
    told = f"may open the operator's pages now, at {where}" if granted else "cannot open the operator's pages any more"
    show(facts, f"{facts['name']} {told}.", as_json=as_json)


def add_address(player: str, email: str, primary: bool, as_json: bool) -> None:
    """Give a player one more address; with --primary all their mail goes to it."""
    with writing():
        owner = players.named(player)
        facts = addresses.vouch_for(owner.id, email, primary=primary)
        name = owner.name
    told = ", to which all their mail goes from now on" if facts["primary"] else ""
    show(facts, f"{facts['email']} is an address of {name}'s{told}.", as_json=as_json)


def remove_address(email: str, as_json: bool) -> None:
    """Remove an address from its player; the primary one cannot be removed."""
    with writing():
        facts = addresses.take_from_owner(email)
    show(facts, f"{facts['email']} is nobody's address any more.", as_json=as_json)


def add_token(player: str, name: str, scopes: tuple[str, ...], expires: str | None, as_json: bool) -> None:
    """Give a player one more token. It is shown only now."""
    with writing():
        made, secret = tokens.add(players.named(player).id, name, scopes or SCOPES, _until(expires))
        facts = {**tokens.facts(made), "token": secret}
    show(facts, f"Token {made.id} may: {made.scopes}. Token, shown only now:\n{secret}", as_json=as_json)


def list_tokens(player: str, as_json: bool) -> None:
    """List the tokens of a player. Only the player can see when they were used."""
    with application():
        facts = tokens.for_others(players.named(player))
    lines = [f"{t['id']}  {t['name']} ({' '.join(t['scopes'])}) until {t['expires_at'] or 'revoked'}" for t in facts]
    show(facts, "\n".join(lines) or "This player has no token.", as_json=as_json)


def revoke_token(token_id: str, as_json: bool) -> None:
    """Revoke a token, by the id that `token list` shows."""
    with writing():
        tokens.revoke(token_id)
    show({"id": token_id}, f"Token {token_id} is revoked.", as_json=as_json)


def _until(expires: str | None) -> datetime | None:

    try:
        return None if expires is None else now() + parse_duration(expires)
    except (ValueError, OverflowError) as error:
        raise Problem("form", f"--expires: {error}.") from None
