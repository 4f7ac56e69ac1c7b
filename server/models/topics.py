"""Topics that streams are told of after a commit. A topic says that something changed, and never what.

`GAME`: all who may see the game may know of it. `GAME.PLAYER`: this player alone may, as of a move sent ahead or of a
message to the team. `GAME.*`: all may who see the game and are signed in. `ask.PLAYER`: this player has new events.
`GAME.`: rights may have ended, so streams of the game end and ask anew. `.SESSION`: the session of a browser or a token
has ended, by the beginning of its digest, or a player is gone, by their id.
"""

from collections.abc import Iterable

from server.models.base import under_way

DIGITS = 32  # of a digest, in a topic


def tell(topics: Iterable[str]) -> None:
    """Tell streams of these topics when the transaction under way is committed."""
    work = under_way()
    assert work is not None, "outside of a transaction nothing is written"
    work.topics.update(topics)


def to_ask(player_id: str) -> str:
    """Return the topic of new events of a player."""
    return f"ask.{player_id}"


def end_of(whose: str) -> str:
    """Return the topic of the end of a browser's session or a token, by its digest, or of a player, by their id."""
    return f".{whose[:DIGITS]}"
