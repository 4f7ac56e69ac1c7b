"""`blackticket doctor`: the state of the server."""

import time

from server.application.health import health
from server.application.integrity import key_check
from server.cli.context import application
from server.cli.failures import TROUBLE
from server.cli.terminal import Shown
from server.mail.setup import own_domain, self_test
from server.models.statements import in_words
from server.runtime import runtime
from server.settings import Settings


def doctor(mail: bool, patience: float, silence: tuple[str, ...]) -> Shown:
    with application(any_key=True):
        report = health.report()
        warnings = [*report["warnings"], *health.named("dns", own_domain.warnings())]
        names = {sentence: sentence.partition(":")[0] for sentence in warnings}
        advice = [sentence for sentence, name in names.items() if name not in silence and name in health.ADVICE]
        faults = [sentence for sentence, name in names.items() if name not in silence and name not in health.ADVICE]
        facts: dict[str, object] = {**report, "advice": advice, "faults": faults}
        del facts["warnings"]
        if mail:
            key_check.require()
            facts["mail_round_trip"] = trip = _round_trip(patience)
            if not trip["came"]:
                report["troubles"].append(f"A mail of the server to itself did not come back: {trip['why_not']}.")
        all_is_well = _all_is_well(runtime().settings)
    broken_games, troubles = report["broken_games"], report["troubles"]
    is_faulty = bool(broken_games or troubles or faults)
    facts["state"] = "fault" if is_faulty else "advice" if advice else "ok"
    lists = ("broken_games", "troubles", "advice", "faults", "state")
    lines = [f"{name.replace('_', ' ')}: {_told(value)}" for name, value in facts.items() if name not in lists]
    lines += [*(f"Advice: {each}" for each in advice), *(f"Fault: {each}" for each in (*faults, *troubles))]
    for broken in broken_games:
        lines += [f"Game {broken['game']} is broken:", *(f"  {sentence}" for sentence in broken["findings"])]
        lines.append(f"  What to do: {broken['remedy']}")
    if facts["state"] == "ok":
        lines.append(all_is_well)
    return facts, "\n".join(lines), TROUBLE if is_faulty else 0


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
    if isinstance(value, int):  # all of them are counts
        return in_words(value)
    return "none" if value is None else value
