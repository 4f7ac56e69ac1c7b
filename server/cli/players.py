"""`blackticket player`, `abuse`, `network`: players, addresses and tokens, what people report, blocked networks."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select

from server.application.operator import operators
from server.application.people import blocked_networks, players, tokens
from server.application.people.accounts import abuse_reports, addresses, importing, renaming, sign_up
from server.application.people.accounts.export import summary_of
from server.application.people.players import named
from server.cli.context import application, writing
from server.cli.output import facts_text
from server.cli.terminal import Shown, read
from server.models import SCOPES, Player, session
from server.runtime import now, runtime
from server.vocabulary.durations import parse_duration
from server.vocabulary.errors import Problem


@writing()
def add(name: str, email: str, zone: str) -> Shown:
    made, token = sign_up.add_vouched_player(name, email, zone)
    facts = {"id": made.id, "name": made.name, "email": made.email, "token": token}
    return facts, f"{made.name} <{made.email}> is player {made.id}. Token, shown only now:\n{token}"


def import_(file: str) -> Shown:
    text = read(file, "list of players")  # which may wait for its writer, and nobody waits for a transaction meanwhile
    with writing():
        facts = importing.add_all(text)
    return facts, "\n".join(map(_imported, facts))


def _imported(row: Mapping[str, Any]) -> str:
    who = f"{row['name']} <{row['email']}> is player {row['id']}"
    return f"{who} already." if row["token"] is None else f"{who}. Token, shown only now: {row['token']}"


@application()
def show_(player: str) -> Shown:
    facts = summary_of(players.named(player))
    return facts, facts_text(facts)


@writing()
def rename(player: str, name: str) -> Shown:
    renamed = renaming.rename(players.named(player).id, name, by_operator=True)
    return {"id": renamed.id, "name": renamed.name}, f"Player {renamed.id} is called {renamed.name} now."


@application()
def list_() -> Shown:
    found = session.scalars(select(Player).where(Player.gone_at.is_(None)).order_by(Player.name)).all()
    facts = [{"id": p.id, "name": p.name, "email": p.email} for p in found]
    lines = "\n".join(f"{p['id']}  {p['name']} <{p['email']}>" for p in facts)
    return facts, lines or "There are no players yet: blackticket player add NAME EMAIL"


def grant(player: str, capability: str) -> Shown:
    return _set_capability(player, capability, granted=True)


def withdraw(player: str, capability: str) -> Shown:
    return _set_capability(player, capability, granted=False)


@writing()
def _set_capability(player: str, capability: str, *, granted: bool) -> Shown:
    chosen = operators.change(players.named(player).id, granted=granted)
    facts = {"id": chosen.id, "name": chosen.name, "capabilities": [capability] if chosen.is_operator else []}
    site = (runtime().settings.public_url or "").rstrip("/")
    where = f"{site}/operator" if site else "the path /operator of the server"
    told = f"may open the operator's pages now, at {where}" if granted else "cannot open the operator's pages any more"
    return facts, f"{facts['name']} {told}."


@writing()
def add_address(player: str, email: str, primary: bool) -> Shown:
    owner = players.named(player)
    facts = addresses.vouch_for(owner.id, email, primary=primary)
    told = ", to which all their mail goes from now on" if facts["primary"] else ""
    return facts, f"{facts['email']} is an address of {owner.name}'s{told}."


@writing()
def remove_address(email: str) -> Shown:
    facts = addresses.take_from_owner(email)
    return facts, f"{facts['email']} is nobody's address any more."


@writing()
def add_token(player: str, name: str, scopes: tuple[str, ...], expires: str | None) -> Shown:
    made, secret = tokens.add(players.named(player).id, name, scopes or SCOPES, _until(expires))
    facts = {**tokens.facts(made), "token": secret}
    return facts, f"Token {made.id} may: {made.scopes}. Token, shown only now:\n{secret}"


@application()
def list_tokens(player: str) -> Shown:
    facts = tokens.for_others(players.named(player))
    lines = [f"{t['id']}  {t['name']} ({' '.join(t['scopes'])}) until {t['expires_at'] or 'revoked'}" for t in facts]
    return facts, "\n".join(lines) or "This player has no token."


@writing()
def revoke_token(token_id: str) -> Shown:
    tokens.revoke(token_id)
    return {"id": token_id}, f"Token {token_id} is revoked."


def _until(expires: str | None) -> datetime | None:
    try:
        return None if expires is None else now() + parse_duration(expires)
    except (ValueError, OverflowError) as error:
        raise Problem("form", f"--expires: {error}.") from None


@application()
def list_reports() -> Shown:
    facts = abuse_reports.open_reports()
    return facts, "\n".join(map(_told, facts)) or "No report waits."


def _told(report: Mapping[str, object]) -> str:
    what = {"message": "a message of", "name": "the name", "invitation": "an invitation of"}[str(report["kind"])]
    by = report["reporter"] or "somebody who was invited"
    text = f"\n    {report['text']}" if report["text"] else ""
    called = f", called {report['called']} now" if report["called"] != report["about"] else ""
    at = f", {report['at']}" if report["at"] else ""
    about = f"{report['about']} ({report['player']}{called})"
    return f"{report['id']}  {by} on {what} {about}, game {report['game']}{at}{text}"


@writing()
def report(game_id: str, player: str, kind: str, number: int | None) -> Shown:
    abuse_reports.report(game_id, named(player), kind, number)
    return {"game": game_id, "kind": kind, "number": number}, "It is in the list of reports now."


@writing()
def settle(report_id: str) -> Shown:
    abuse_reports.settle(report_id)
    return {"id": report_id}, f"Report {report_id} is settled."


@application()
def list_networks() -> Shown:
    facts = blocked_networks.blocked()
    lines = "\n".join(f"{each['network']}  until {each['until']}" for each in facts)
    return facts, lines or "No network is blocked."


@writing()
def block(network: str, length: str) -> Shown:
    facts = blocked_networks.block(network, length)
    return facts, f"{facts['network']} is blocked until {facts['until']}."


@writing()
def unblock(network: str) -> Shown:
    ended = blocked_networks.unblock(network)
    return {"network": ended}, f"{ended} is not blocked any more."
