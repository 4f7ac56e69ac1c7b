"""`blackticket abuse ...` and `blackticket network ...`: what people report, and networks that are shut out."""

from collections.abc import Mapping

import click

from server.cli.context import application, as_json, show, writing


@click.group()
def abuse() -> None:
    """Reports of people on messages, names and invitations."""


@abuse.command("list")
@as_json
def list_reports(as_json: bool) -> None:
    """List the reports that wait for you, the oldest first.

    The words of a message to a team are shown only when the result of its game is final.
    """
    from server.application.people.accounts import abuse_reports  # noqa: PLC0415 start-up time

    with application():
        facts = abuse_reports.open_reports()
    show(facts, "\n".join(map(_told, facts)) or "No report waits.", as_json=as_json)


def _told(report: Mapping[str, object]) -> str:
    what = {"message": "a message of", "name": "the name", "invitation": "an invitation of"}[str(report["kind"])]
    by = report["reporter"] or "somebody who was invited"
    text = f"\n    {report['text']}" if report["text"] else ""
    called = f", called {report['called']} now" if report["called"] != report["about"] else ""
    at = f", {report['at']}" if report["at"] else ""
    about = f"{report['about']} ({report['player']}{called})"
    return f"{report['id']}  {by} on {what} {about}, game {report['game']}{at}{text}"


@abuse.command()
@click.argument("game_id")
@click.argument("player")
@click.argument("kind", metavar="KIND", type=click.Choice(["message", "name", "invitation"]))
@click.argument("number", type=int, required=False)
@as_json
def report(game_id: str, player: str, kind: str, number: int | None, as_json: bool) -> None:
    """Report for a player: message NUMBER as they read it, the name on seat NUMBER (0: the host), or an invitation."""
    from server.application.people.accounts import abuse_reports  # noqa: PLC0415 start-up time
    from server.application.people.players import named  # noqa: PLC0415

    with writing():
        abuse_reports.report(game_id, named(player), kind, number)
    show({"game": game_id, "kind": kind, "number": number}, "It is in the list of reports now.", as_json=as_json)


@abuse.command()
@click.argument("report_id")
@as_json
def settle(report_id: str, as_json: bool) -> None:
    """Settle a report, by the id that `abuse list` shows: it needs nothing more."""
    from server.application.people.accounts import abuse_reports  # noqa: PLC0415 start-up time

    with writing():
        abuse_reports.settle(report_id)
    show({"id": report_id}, f"Report {report_id} is settled.", as_json=as_json)


@click.group()
def network() -> None:
    """Networks from which nobody plays: no page of a game or an account, no answer of the API, no mail in by SMTP."""


@network.command("list")
@as_json
def list_networks(as_json: bool) -> None:
    """List the blocked networks."""
    from server.application.people import blocked_networks  # noqa: PLC0415 start-up time

    with application():
        facts = blocked_networks.blocked()
    lines = "\n".join(f"{each['network']}  until {each['until']}" for each in facts)
    show(facts, lines or "No network is blocked.", as_json=as_json)


@network.command()
@click.argument("network")
@click.option("--for", "length", default="P7D", show_default=True, metavar="DURATION", help="How long, P365D at most.")
@as_json
def block(network: str, length: str, as_json: bool) -> None:
    """Block an address or a network, such as 203.0.113.0/24 or 2001:db8::/48."""
    from server.application.people import blocked_networks  # noqa: PLC0415 start-up time

    with writing():
        facts = blocked_networks.block(network, length)
    show(facts, f"{facts['network']} is blocked until {facts['until']}.", as_json=as_json)


@network.command()
@click.argument("network")
@as_json
def unblock(network: str, as_json: bool) -> None:
    """End the block of a network."""
    from server.application.people import blocked_networks  # noqa: PLC0415 start-up time

    with writing():
        ended = blocked_networks.unblock(network)
    show({"network": ended}, f"{ended} is not blocked any more.", as_json=as_json)
