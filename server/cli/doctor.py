"""`blackticket doctor`: the state of the server."""

import sys
import time

from server.application.health import health
from server.application.integrity import key_check
from server.cli.context import application
from server.cli.failures import TROUBLE, WARNING
from server.cli.terminal import show
from server.mail.setup import own_domain, self_test
from server.runtime import runtime
from server.settings import Settings


def doctor(mail: bool, patience: float, as_json: bool) -> None:
    """Report the state of the server, what is wrong, and what to do about it."""
    with application(any_key=True):
        report = health.report()
        report["warnings"] += own_domain.warnings()
        facts: dict[str, object] = {**report}
        if mail:
            key_check.require()
            facts["mail_round_trip"] = trip = _round_trip(patience)
            if not trip["came"]:
                report["troubles"].append(f"A mail of the server to itself did not come back: {trip['why_not']}.")
        all_is_well = _all_is_well(runtime().settings)
    broken_games, troubles, warnings = report["broken_games"], report["troubles"], report["warnings"]
    lists = ("broken_games", "troubles", "warnings")
    lines = [f"{name.replace('_', ' ')}: {_told(value)}" for name, value in facts.items() if name not in lists]
    lines += [f"Warning: {sentence}" for sentence in warnings]
    lines += [f"Trouble: {sentence}" for sentence in troubles]
    for broken in broken_games:
        lines += [f"Game {broken['game']} is broken:", *(f"  {sentence}" for sentence in broken["findings"])]
        lines.append(f"  What to do: {broken['remedy']}")
    if not (broken_games or troubles or warnings):
        lines.append(all_is_well)
    show(facts, "\n".join(lines), as_json=as_json)
    if broken_games or troubles:
        sys.exit(TROUBLE)
    if warnings:
        sys.exit(WARNING)


def _all_is_well(settings: Settings) -> str:
    if settings.smtp_url is not None:
        return "All is well."
    maildir = settings.var / "mail"
    return f"All is well for trying things out. No mail leaves this machine: all of it goes to the Maildir {maildir}."


def _round_trip(patience: float) -> dict[str, object]:

    outcome = self_test.of_this_server(patience, self_test.Outside(time.sleep))
    return {"came": outcome.came, "seconds": round(outcome.seconds, 1), "why_not": outcome.sentence or None}


def _told(value: object) -> object:
    """Return a fact as text for a person: a JSON object without its punctuation."""
    if isinstance(value, dict):
        return ", ".join(
            f"{name.replace('_', ' ')} {_told(inner)}" for name, inner in value.items() if inner is not None
        )
    if isinstance(value, list):
        return "; ".join(map(str, map(_told, value))) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else value
