"""`blackticket abuse ...` and `blackticket network ...`: what people report, and networks that are shut out."""

from collections.abc import Mapping

from server.application.people import blocked_networks
from server.application.people.accounts import abuse_reports
from server.application.people.players import named
from server.cli.context import application, writing
from server.cli.terminal import show


def list_reports(as_json: bool) -> None:
    """List the reports that wait for you, the oldest first."""
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


def report(game_id: str, player: str, kind: str, number: int | None, as_json: bool) -> None:
    """Report for a player: message NUMBER as they read it, the name on seat NUMBER (0: the host), or an invitation."""
    with writing():
        abuse_reports.report(game_id, named(player), kind, number)
    show({"game": game_id, "kind": kind, "number": number}, "It is in the list of reports now.", as_json=as_json)


def settle(report_id: str, as_json: bool) -> None:
    """Settle a report, by the id that `abuse list` shows: it needs nothing more."""
    with writing():
        abuse_reports.settle(report_id)
    show({"id": report_id}, f"Report {report_id} is settled.", as_json=as_json)


def list_networks(as_json: bool) -> None:
    """List the blocked networks."""
    with application():
        facts = blocked_networks.blocked()
    lines = "\n".join(f"{each['network']}  until {each['until']}" for each in facts)
    show(facts, lines or "No network is blocked.", as_json=as_json)


def block(network: str, length: str, as_json: bool) -> None:
    """Block an address or a network, such as 203.0.113.0/24 or 2001:db8::/48."""
    with writing():
        facts = blocked_networks.block(network, length)
    show(facts, f"{facts['network']} is blocked until {facts['until']}.", as_json=as_json)


def unblock(network: str, as_json: bool) -> None:
    """End the block of a network."""
    with writing():
        ended = blocked_networks.unblock(network)
    show({"network": ended}, f"{ended} is not blocked any more.", as_json=as_json)
