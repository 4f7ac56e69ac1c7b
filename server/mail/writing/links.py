"""Links that write a mail with a move in it, which the reader only has to send.

Quoted in an answer, such a link is no command: it has no blanks.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote

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
    facts, subject = known["view"]["pawns"], quote(f"Re: {subject}", safe="")
    begin = f"mailto:{quote(token.address, safe='@')}?subject={subject}&body="
    return [
        Choice(choice.line, {station: begin + _quoted(str(move)) for station, move in choice.moves.items()})
        for pawn, moves in known["mine"].items()
        for choice in sentences.choices(moves, facts[pawn]["tickets"])
    ]


@lru_cache(maxsize=2048)
def _quoted(move: str) -> str:
    return quote(move, safe="")
