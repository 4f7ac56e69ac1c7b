"""News: topics that streams are told of after a commit. A topic says that something changed, and never what.

`GAME`: all who may see the game may know of it. `GAME.PLAYER`: this player alone may, as of a move sent ahead or of a
message to the team. `GAME.`: rights may have ended, so streams of the game end and ask anew. `.SESSION`: the session of
a browser, by the beginning of its digest, has ended.
"""

from collections.abc import Iterable

from server.models.base import under_way

DIGITS = 32  # of a session's digest, in a topic


def tell(topics: Iterable[str]) -> None:
    """Tell streams of these topics when the transaction under way is committed."""
    work = under_way()
    assert work is not None, "outside of a transaction nothing is written"
    work.news.update(topics)


def of_session(digest: str) -> str:
    """Return the topic of the end of a browser's session."""
    return f".{digest[:DIGITS]}"
