"""Links that write a mail with a move in it, which the reader only has to send.

Quoted in an answer, such a link is no command: it has no blanks.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from server import engine
from server.application.game.reply_addresses import PrintedToken
from server.mail.writing import sentences
from server.mail.writing.html import Choice


def of_choices(known: Mapping[str, Any], token: PrintedToken | None, subject: str) -> list[Choice]:
    """Return the lines of choices in a mail, in their order, with a link for each station.

    `known` is the template context. There are no links where the token of the answer is not in its address alone, as
    a link cannot hold a name.
    """
    if token is None or token.written != token.address or "view" not in known:
        return []
    facts = known["view"]["pawns"]
    return [
        Choice(choice.line, {station: _link(token, subject, move) for station, move in choice.moves.items()})
        for pawn, moves in known["mine"].items()
        for choice in sentences.choices(moves, facts[pawn]["tickets"])
    ]


def _link(token: PrintedToken, subject: str, move: engine.Move) -> str:
    parts: Sequence[tuple[str, str]] = (("subject", f"Re: {subject}"), ("body", str(move)))
    return f"mailto:{quote(token.address, safe='@')}?" + "&".join(
        f"{name}={quote(text, safe='')}" for name, text in parts
    )
