"""`blackticket deadline ...`: list, extend and credit deadlines."""

from server.application.operator import remedies
from server.application.time import deadlines, outages
from server.cli.context import application, writing
from server.cli.output import rows_text
from server.cli.terminal import Shown
from server.language.spans import read_span
from server.vocabulary.durations import rfc3339


def list_(due: bool) -> Shown:
    """List what is scheduled, the next first: reminders, time-outs, moves of bots, final results."""
    with application():
        facts = deadlines.scheduled(due_only=due)
    none = "Nothing is due." if due else "There is no deadline."
    return facts, rows_text(facts) if facts else none


def extend(game_id: str, duration: str, reason: str) -> Shown:
    """Give the players to move in a game more time, such as "2 days" or P2D."""

    with writing():
        game = remedies.extend(game_id, read_span(duration) or duration, reason)
        facts = {"game": game.id, "due_at": rfc3339(game.due_at)}
        name = game.name
    return facts, f"The deadline in {name} is now {facts['due_at']}."


def credit(refused: bool) -> Shown:
    """Give back the time of an outage of more than a day: every deadline moves by it."""
    with application():
        begin, end = outages.confirm(granted=not refused)
        facts = {"begin": rfc3339(begin), "end": rfc3339(end), "granted": not refused}
    what = "Nothing is given back of" if refused else "Every deadline moves by"
    return facts, f"{what} the time from {facts['begin']} to {facts['end']}."
