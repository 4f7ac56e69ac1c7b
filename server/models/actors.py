"""The actor of a request: each transaction of it first asks whether the token or the browser's session is as it was.

A request is admitted before it waits for its turn to write. Meanwhile another one may delete the player, or take away
the token or the session. A player who is deleted has neither, so the one question answers for all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from flask import g
from sqlalchemy import BindParameter, String, bindparam, exists, select

from server.models.base import begin_with, dialect, rows, under_way
from server.models.player import BrowserSession, Player, Token

_DIGEST: BindParameter[str] = bindparam("actor", type_=String)
MAY_ACT = (exists().where(Token.digest == _DIGEST) | exists().where(BrowserSession.digest == _DIGEST)).label("may_act")
"""A column that tells whether the token or the session with the digest of the parameter `actor` is there."""
_MAY_ACT = select(MAY_ACT)
_LOCK = select(Player.id).where(Player.id == bindparam("player")).with_for_update(key_share=True)


@dataclass(frozen=True)
class Actor:
    """The player of a request.

    digest: that of the token or of the browser's session
    refuse: raises what answers a request that may not act any more
    is_read_with_game: the request loads a game first, and asks for `MAY_ACT` with its seats, and tells `note`
    """

    player_id: str
    digest: str
    refuse: Callable[[], NoReturn]
    is_read_with_game: bool = False


def act_as(*actors: Actor) -> None:
    """Let each transaction of this request begin with the question whether the actors may still act.

    They are several where players share a browser.
    """
    g.actors = sorted(actors, key=lambda actor: actor.player_id)  # locked in one order
    begin_with(_begin)


def unchecked() -> Actor | None:
    """Return an actor if the transaction under way has not asked for them yet, else None."""
    work = under_way()
    return None if work is None or work.knows_actor else next(iter(g.get("actors", ())), None)


def check() -> None:
    """Ask whether the actors may act, if the transaction under way has not yet.

    On PostgreSQL the players stay locked, as for all that changes a player, so that a deletion waits for the commit.
    """
    if unchecked() is None:
        return
    if dialect() == "postgresql":
        for actor in g.actors:
            rows(_LOCK, player=actor.player_id)
    note(may_act=all(rows(_MAY_ACT, actor=actor.digest)[0].may_act for actor in g.actors))


def note(*, may_act: bool) -> None:
    """Note what the transaction under way was told of its actor, and refuse the request if it is that they may not."""
    actor, work = unchecked(), under_way()
    if actor is None or work is None:
        return
    work.knows_actor = True
    if not may_act:
        actor.refuse()


def _begin() -> None:
    if len(g.actors) > 1 or not g.actors[0].is_read_with_game:
        check()
