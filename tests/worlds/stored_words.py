"""What is written to the database in words: where, whoever wrote it. What our program says is stored as codes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, Table, event
from sqlalchemy.sql.dml import UpdateBase

# Two words of letters beside each other: `given by the operator`, and `red taxi` too.
_WORDS = re.compile(r"[^\W\d_]{2,},? [^\W\d_]{2,}")

# Where words may be stored, and why none of them is to be said in another language.
ALLOWED = {
    "answered.new_answer": "an answer of REST, which is English for all; talk and moves in it",
    "browser_sessions.browser": "names of programs: Firefox on Linux",
    "events.data looked_at": "events stay as they are: their words are in the sealed log",
    "events.data notation": "a move in notation",
    "events.data reason": "as above; the operator's words, or one of three of the server",
    "games.broken": "read by the operator alone",
    "games.name": "a name",
    "held_moves.notation": "a move in notation",
    "inbox.checked": "a result such as dmarc=pass by=upstream",
    "inbox.raw": "a mail as it came",
    "invitations.words": "the words of a host",
    "key_checks.value": "a constant that nobody reads",
    "mailboxes.error": "read by the operator alone",
    "messages.text": "talk",
    "moves.notation": "a move in notation",
    "moves_ahead.notation": "a move in notation",
    "moves_ahead.otherwise": "moves in notation",
    "outbox.details blocks": "an answer to a mail, written for its one reader when it was read",
    "outbox.details files": "names of drawings: map london",
    "outbox.details first_line": "of an answer, as its blocks",
    "outbox.details lead": "of an answer, as its blocks",
    "outbox.details looked_at": "a code: the template compares it, and says more",
    "outbox.details moves notation": "a move in notation",
    "outbox.details news": "of an answer, as its blocks",
    "outbox.details paragraphs": "a mail to the operator",
    "outbox.details reason": "the operator's words; in a welcome why something asked for was not done, as in an answer",
    "outbox.details title": "of an answer, as its blocks, or of a mail to the operator",
    "outbox.error": "read by the operator alone",
    "outbox.mail": "a mail that is written, for its one reader",
    "players.name": "a name; when its player is gone, as `gone_at` says, `a former player`",
    "push_keys.value": "a key",
    "reply_tokens.question": "moves in notation, and lines that their player wrote",
    "reply_tokens.talk": "the words of a player",
    "tallies.name": "a key, such as games open",
    "tokens.name": "a name, which its owner gave it; by default of a command `by the operator`",
    "tokens.scopes": "words of `SCOPES`",
    "webhooks.device": "names of programs: Firefox on Linux",
}

Places = dict[str, str]
"""`table.column`, with the names of the members in JSON behind it, and an example of what was written there."""


@contextmanager
def noted(places: Places) -> Iterator[None]:
    """Note where the statements of the block write words, before they are encrypted."""

    def note(_connection: Any, _cursor: Any, _sql: str, _given: Any, context: Any, _many: bool) -> None:
        statement = getattr(context.compiled, "statement", None)
        if isinstance(statement, UpdateBase) and isinstance(statement.table, Table):  # those of migrations are none
            for row in context.compiled_parameters:
                for name, value in row.items():
                    _note(places, f"{statement.table.name}.{name}", value)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def _note(places: Places, place: str, value: Any) -> None:
    if isinstance(value, dict):
        for name, member in value.items():
            _note(places, f"{place} {name}", member)
    elif isinstance(value, list | tuple):
        for member in value:
            _note(places, place, member)
    elif isinstance(value, str) and _WORDS.search(value):
        places.setdefault(place, value)
    elif isinstance(value, bytes) and _WORDS.search(value.decode("ascii", "replace")):
        places.setdefault(place, value.decode("ascii", "replace"))
