"""`blackticket abuse ...` and `blackticket network ...`: what people report, and networks that are shut out."""

from collections.abc import Mapping

from server.application.people import blocked_networks
from server.application.people.accounts import abuse_reports
from server.application.people.players import named
from server.cli.context import application, writing
from server.cli.terminal import Shown


def list_reports() -> Shown:
    """List the reports that wait for you, the oldest first."""
    with application():
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


def report(game_id: str, player: str, kind: str, number: int | None) -> Shown:
    """Report for a player: message NUMBER as they read it, the name on seat NUMBER (0: the host), or an invitation."""
    with writing():
        abuse_reports.report(game_id, named(player), kind, number)
    return {"game": game_id, "kind": kind, "number": number}, "It is in the list of reports now."


def settle(report_id: str) -> Shown:
    """Settle a report, by the id that `abuse list` shows: it needs nothing more."""
    with writing():
        abuse_reports.settle(report_id)
    return {"id": report_id}, f"Report {report_id} is settled."


def list_networks() -> Shown:
    """List the blocked networks."""
    with application():
        facts = blocked_networks.blocked()
    lines = "\n".join(f"{each['network']}  until {each['until']}" for each in facts)
    return facts, lines or "No network is blocked."


def block(network: str, length: str) -> Shown:
    """Block an address or a network, such as 203.0.113.0/24 or 2001:db8::/48."""
    with writing():
        facts = blocked_networks.block(network, length)
    return facts, f"{facts['network']} is blocked until {facts['until']}."


def unblock(network: str) -> Shown:
    """End the block of a network."""
    with writing():
        ended = blocked_networks.unblock(network)
    return {"network": ended}, f"{ended} is not blocked any more."
