"""`blackticket deadline`, `inbox`, `outbox`: deadlines, and the envelopes of mails, of all players."""

from server.application.mail import envelopes
from server.application.operator import remedies
from server.application.time import deadlines, outages
from server.cli.context import application, writing
from server.cli.output import facts_text, rows_text
from server.cli.terminal import Shown
from server.language.spans import read_span
from server.vocabulary.durations import rfc3339


@application()
def list_deadlines(due: bool) -> Shown:
    facts = deadlines.scheduled(due_only=due)
    none = "Nothing is due." if due else "There is no deadline."
    return facts, rows_text(facts) if facts else none


@writing()
def extend(game_id: str, duration: str, reason: str) -> Shown:
    game = remedies.extend(game_id, read_span(duration) or duration, reason)
    facts = {"game": game.id, "due_at": rfc3339(game.due_at)}
    return facts, f"The deadline in {game.name} is now {facts['due_at']}."


@application()
def credit(refused: bool) -> Shown:
    begin, end = outages.confirm(granted=not refused)
    facts = {"begin": rfc3339(begin), "end": rfc3339(end), "granted": not refused}
    what = "Nothing is given back of" if refused else "Every deadline moves by"
    return facts, f"{what} the time from {facts['begin']} to {facts['end']}."


@application()
def received(game_id: str | None, state: str | None) -> Shown:
    facts = envelopes.incoming(game_id, state)
    return facts, rows_text(facts) if facts else "No such mail has come in."


@writing()
def read_again(mail_id: str) -> Shown:
    return envelopes.read_again(mail_id), f"The server reads mail {mail_id} again."


@application()
def sent(game_id: str | None, state: str | None) -> Shown:
    facts = envelopes.outgoing(game_id, state)
    return facts, rows_text(facts) if facts else "No such mail was written."


@application()
def show_one(mail_id: str) -> Shown:
    facts = envelopes.one_outgoing(mail_id)
    return facts, facts_text(facts)


@writing()
def send_again(mail_id: str) -> Shown:
    return envelopes.send_again(mail_id), f"The server sends mail {mail_id} again."
