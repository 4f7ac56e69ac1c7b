"""A game as text for a terminal."""

from collections.abc import Mapping
from typing import Any

TICKETS = ("taxi", "bus", "underground", "black", "double")


def game_table(view: Mapping[str, Any]) -> str:
    """Head, pawns and travel log of a view."""
    lines = [f"{view['name']} ({view['id']}), {view['edition']}, {view['status']}"]
    if view["status"] == "open":
        lines += [f"  seat {s['seat']}  {', '.join(s['pawns']):<14} {s['state']}" for s in view["seats"]]
        return "\n".join(lines)
    if view["outcome"]:
        outcome = view["outcome"]
        lines.append(f"{outcome['winner']} won ({outcome['reason']}){'' if outcome['final'] else ', provisional'}")
    else:
        lines.append(f"turn {view['turn']}, round {view['round']}: {', '.join(view['to_move'])} until {view['due_at']}")
    lines += ["", f"{'pawn':<8}{'station':>8}  " + "".join(f"{ticket:>12}" for ticket in TICKETS)]
    for pawn, facts in view["pawns"].items():
        tickets = "".join(f"{_held(facts['tickets'], ticket):>12}" for ticket in TICKETS)
        lines.append(f"{pawn:<8}{facts['station'] or '?':>8}  {tickets}")
    return "\n".join([*lines, "", log_table(view)])


def log_table(view: Mapping[str, Any]) -> str:
    """The travel log, a line a window."""
    lines = ["window  ticket       station"]
    for entry in view["log"]:
        notes = " surfaced" if entry.get("surfaced") else ""
        if entry.get("transport", entry["ticket"]) != entry["ticket"]:
            notes += f" by {entry['transport']}"
        lines.append(f"{entry['window']:>6}  {entry['ticket']:<12} {entry['station'] or '?':>7}{notes}")
    return "\n".join(lines)


def _held(tickets: Mapping[str, int | None], ticket: str) -> str:
    if ticket not in tickets:
        return ""
    return "any" if tickets[ticket] is None else str(tickets[ticket])
