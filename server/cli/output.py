"""Games, records and lists as text for a terminal."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from server.cli.replay import Step
from server.engine import Edition
from server.engine.ticket_kinds import MR_X_TICKETS
from server.wording.rules import edition_title


def game_text(view: Mapping[str, Any]) -> str:
    """Return a view as text: head, pawns and travel log."""
    lines = [f"{view['name']} ({view['id']}), {edition_title(view['edition'])}, {view['status']}"]
    if view["status"] == "open":
        lines += [f"  seat {s['seat']}  {', '.join(s['pawns']):<14} {s['state']}" for s in view["seats"]]
        return "\n".join(lines)
    if view["outcome"]:
        lines.append(_ended(view["outcome"]) + ("" if view["outcome"]["final"] else ", provisional"))
    else:
        lines.append(f"turn {view['turn']}, round {view['round']}: {', '.join(view['to_move'])} until {view['due_at']}")
    return "\n".join([*lines, "", pawns_text(view), "", log_text(view)])


def step_text(step: Step) -> str:
    """Return a record after one of its moves as text: head, pawns and travel log."""
    view = step.view
    usual = Edition.named(view["edition"])
    changed = {name: value for name, value in view["options"].items() if value != usual.option(name)}
    head = f"{edition_title(view['edition'])}, {view['players']} players" + (
        f", {json.dumps(changed)}" if changed else ""
    )
    made = f"{step.ply} moves, the last in round {step.round}: {step.move}" if step.move else "before the first move"
    stands = _ended(view["outcome"]) if view["outcome"] else f"{' or '.join(view['to_move'])} to move"
    return "\n".join([head, made, stands, "", pawns_text(view), "", log_text(view)])


def steps_text(steps: Sequence[Step]) -> str:
    """Return a line for each move, with the stations of all pawns after it."""
    pawns = list(steps[0].view["pawns"])
    widest = max(len(step.move or "") for step in steps)
    lines = [f"{'ply':>4} {'round':>6}  {'move':<{widest}} " + "".join(f"{pawn:>8}" for pawn in pawns)]
    for step in steps:
        stations = "".join(f"{step.view['pawns'][pawn]['station'] or '?':>8}" for pawn in pawns)
        lines.append(f"{step.ply:>4} {step.round:>6}  {step.move or '':<{widest}} {stations}")
    if steps[-1].view["outcome"]:
        lines += ["", _ended(steps[-1].view["outcome"])]
    return "\n".join(lines)


def moves_text(steps: Sequence[Step]) -> str:
    """Return a line for each round, as in the record, with the stations that are known at the end."""
    rounds: dict[int, list[str]] = {}
    for step, text in zip(steps[1:], steps[-1].view["history"], strict=True):
        rounds.setdefault(step.round, []).append(text)
    return "\n".join(f"{number:>2}. {'; '.join(moves)}" for number, moves in rounds.items())


def pawns_text(view: Mapping[str, Any]) -> str:
    """Return a line for each pawn: its station and its tickets."""
    lines = [f"{'pawn':<8}{'station':>8}  " + "".join(f"{ticket:>12}" for ticket in MR_X_TICKETS)]
    for pawn, facts in view["pawns"].items():
        tickets = "".join(f"{_held(facts['tickets'], ticket):>12}" for ticket in MR_X_TICKETS)
        lines.append(f"{pawn:<8}{facts['station'] or '?':>8}  {tickets}")
    return "\n".join(lines)


def log_text(view: Mapping[str, Any]) -> str:
    """Return the travel log, a line for each window."""
    lines = ["window  ticket       station"]
    for entry in view["log"]:
        notes = " surfaced" if entry.get("surfaced") else ""
        if entry.get("transport", entry["ticket"]) != entry["ticket"]:
            notes += f" by {entry['transport']}"
        lines.append(f"{entry['window']:>6}  {entry['ticket']:<12} {entry['station'] or '?':>7}{notes}")
    return "\n".join(lines)


def rows_text(found: Sequence[Mapping[str, object]]) -> str:
    """Return a line for each row below a line of headings, with control characters escaped."""
    rows = [list(found[0]), *([_shown(value) for value in row.values()] for row in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def facts_text(facts: Mapping[str, object]) -> str:
    """Return a line for each fact; a list of facts has an indented line for each."""
    lines = []
    for name, value in facts.items():
        if isinstance(value, list) and value:
            lines += [f"{name}:", *(f"  {', '.join(map(_shown, row.values()))}" for row in value)]
        else:
            lines.append(f"{name}: {_shown(value)}")
    return "\n".join(lines)


def legible(text: str) -> str:
    """Return a text with its control characters escaped, so that it cannot move the cursor of a terminal."""
    shown = (c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)
    return "".join(shown)


def _ended(outcome: Mapping[str, object]) -> str:
    winner = outcome["winner"]
    return f"{'nobody' if winner == 'draw' else winner} won ({outcome['reason']})"


def _shown(value: object) -> str:
    text = " ".join(value) if isinstance(value, list) else "" if value is None else str(value)
    return legible(text or "-")


def _held(tickets: Mapping[str, int | None], ticket: str) -> str:
    if ticket not in tickets:
        return ""
    return "any" if tickets[ticket] is None else str(tickets[ticket])
