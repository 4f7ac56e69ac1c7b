"""Links: to the pages, and such as write a mail with a move in it, which the reader only has to send.

Quoted in an answer, a link of the second kind is no command: it has no blanks.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from server.application.game.reply_addresses import PrintedToken
from server.mail.writing import sentences
from server.mail.writing.html import Choice, Choices
from server.runtime import runtime


def of_choices(known: Mapping[str, Any], token: PrintedToken | None, subject: str) -> list[Choices]:
    """Return the lists of choices of a mail, one for each pawn that can move, with a link for each station.

    `known` is the template context. There are no links where the token of the answer is not in its address alone, as
    a link cannot hold a name.
    """
    if token is None or token.written != token.address or "view" not in known:
        return []
    facts, subject = known["view"]["pawns"], quote(f"Re: {subject}", safe="")
    begin = f"mailto:{quote(token.address, safe='@')}?subject={subject}&body="
    is_only = len(known["mine"]) == 1
    return [
        Choices(
            sentences.heading_of_choices(pawn, facts[pawn]["station"], is_only=is_only),
            [
                Choice(choice.line, {station: begin + _quoted(str(move)) for station, move in choice.moves.items()})
                for choice in sentences.choices(moves, facts[pawn]["tickets"])
            ],
        )
        for pawn, moves in known["mine"].items()
        if moves
    ]


@lru_cache(maxsize=2048)
def _quoted(move: str) -> str:
    return quote(move, safe="")


def site() -> str | None:
    """Return the URL at which the pages are, without a slash at its end; None where mails hold no links."""
    url = runtime().settings.public_url
    return url.rstrip("/") if url else None


def verifier() -> str | None:
    """Return the URL of the file that checks a transcript; None where mails hold no links."""
    return f"{site()}/verifier.py" if site() else None
