"""The list of those from whom a player wants no invitations, and of whom they do not hear what is said to all.

Nothing tells a blocked player of it: their invitation looks open until it runs out, and their talk is written as ever.
What the team says among itself is never hidden, since the game depends on it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import aliased

from server.application.game.deciding import Decided, use_case
from server.application.lobby import invitations
from server.application.people.players import check_email, check_known, check_name, names_of
from server.models import Block, FormerHolder, Game, Invitation, Player, Seat, session
from server.runtime import now, runtime
from server.runtime.address_marks import address_mark
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.lookalikes import skeleton
from server.vocabulary.translation import gettext
from server.vocabulary.words import either, quoted

MOST = 100  # of one player


def blocks_of(player: Player) -> list[dict[str, Any]]:
    """Return the player's blocks that have not ended, the oldest first, as `facts`."""
    blocks = _open_blocks(player.id)
    names = names_of(block.blocked_id for block in blocks)
    return [_facts(block, names.get(block.blocked_id)) for block in blocks]


def facts(block: Block) -> dict[str, Any]:
    """Return a block as its owner sees it: with the `player` and their `name`, or the `email` that was named."""
    return _facts(block, names_of([block.blocked_id]).get(block.blocked_id))


def _facts(block: Block, name: str | None) -> dict[str, Any]:
    return {
        "id": block.id,
        "player": block.blocked_id,
        "name": name,
        "email": block.email,
        "since": rfc3339(block.created_at),
    }


def names_known_to(player: Player) -> list[str]:
    """Return the names of those whom the player can block by name, in alphabetical order."""
    return sorted({other.name for other in _known_to(player)}, key=str.casefold)


@use_case
def add(player: Player, wanted: Mapping[str, Any]) -> Decided[Block]:
    """Block the player whom `wanted` names: `player`, an id, or `who`, a name or a mail address.

    Somebody who is blocked already stays so. Invitations from them that the player has not answered disappear for the
    player, and only for the player. `Problem` form when nobody is meant or more than one, or enough.
    """
    named = [name for name in ("player", "who") if wanted.get(name)]
    if len(named) != 1:
        raise refusal("form", "Name one whom to block: player, an id; or who, a name or a mail address.")
    session.get_one(Player, player.id, with_for_update={"key_share": True})  # one at a time, each person once
    blocked_id, email = _meant(player, str(wanted[named[0]]), is_id=named == ["player"])
    if blocked_id == player.id:
        raise refusal("form", "You cannot block yourself.")
    known = next((b for b in _open_blocks(player.id) if (b.blocked_id, b.email) == (blocked_id, email)), None)
    if known is not None:
        return Decided(lambda: known)
    if len(_open_blocks(player.id)) >= MOST:
        sentence = gettext("You have blocked {most} already, as many as may be; unblock somebody first.", most=MOST)
        raise Problem("enough", sentence)

    def write() -> Block:
        block = Block(
            id=runtime().new_id("block"),
            player_id=player.id,
            blocked_id=blocked_id,
            address=address_mark(email) if email else None,
            email=email,
            created_at=now(),
        )
        session.add(block)
        session.flush()
        invitations.withhold(player)
        return block

    return Decided(write)


@use_case
def remove(player: Player, block_id: str) -> Decided[Block]:
    """End a block; what came meanwhile is not delivered later. `Problem` not-found when it is not the player's."""
    held = next((block for block in _open_blocks(player.id) if block.id == block_id), None)
    if held is None:
        raise refusal("not-found", "There is no such block of yours.")
    return Decided(lambda: _ended(held))


@use_case
def unblock(player: Player, who: str) -> Decided[Block]:
    """End the block of the player with this name, address or id. `Problem` form when none is meant or more than one."""
    wanted = who.strip().lower()
    meant = [block for block in _open_blocks(player.id) if wanted in (block.email, block.blocked_id)]
    if not meant and "@" not in who:
        meant = [block for block in _open_blocks(player.id) if _is_called(block, who)]
    people = {(block.blocked_id, block.email) for block in meant}
    if len(people) != 1:
        ids = sorted(str(blocked_id) for blocked_id, _ in people)
        raise refusal(
            "form",
            "More than one whom you have blocked is called {name}; which of them? "
            "Write the id instead of the name: {ids}."
            if ids
            else "Nobody whom you have blocked is called {name}.",
            name=quoted(who),
            ids=either(ids),
        )
    return Decided(lambda: _ended(meant[0]))


def _ended(block: Block) -> Block:
    """End a block, and every other one of the same player that means the same person; return it."""
    for same in _open_blocks(block.player_id):
        if (same.blocked_id, same.email) == (block.blocked_id, block.email):
            same.ended_at = now()
    return block


def forget(player_id: str) -> None:
    """Delete all blocks of a player whose account is deleted, in the transaction under way."""
    for block in session.scalars(select(Block).where(Block.player_id == player_id)).all():
        session.delete(block)


# Who is meant ------------------------------------------------------------------------------------


def _meant(player: Player, named: str, *, is_id: bool) -> tuple[str | None, str | None]:
    """Return the id of the player who is meant, or the address: it is not looked up, as that would tell who has it."""
    if is_id:
        return check_known(named), None
    if "@" in named:
        return None, check_email(named)
    known = _known_to(player)
    wanted = skeleton(check_name(named))
    found = [other.id for other in known if skeleton(other.name) == wanted] or [p.id for p in known if p.id == named]
    if len(found) != 1:
        sentence = gettext(
            "More than one whom you have met in a game, or who invited you, is called {name}; which of them? "
            "Write the id instead of the name: {ids}."
            if found
            else "Nobody whom you have met in a game, or who invited you, is called {name}.",
            name=quoted(named),
            ids=either(found),
        )
        raise Problem("form", sentence, players=found)
    return found[0], None


def _known_to(player: Player) -> Sequence[Player]:
    """Return the players whose names this one has seen: those of games they are or were in, and hosts who invited them.

    Of all others no name is told.
    """
    own, other = aliased(Seat), aliased(Seat)
    mine = (own.player_id == player.id) | (own.invited_id == player.id)
    tables = select(own.game_id).where(mine).union(
        select(Game.id).where(Game.host_id == player.id),
        select(FormerHolder.game_id).where(FormerHolder.player_id == player.id),
    )  # fmt: skip
    games = Game.id.in_(tables)
    people = select(other.player_id).join(Game, Game.id == other.game_id).where(games).union(
        select(Game.host_id).where(games),
        select(FormerHolder.player_id).join(Game, Game.id == FormerHolder.game_id).where(games),
        select(Invitation.host_id).where(Invitation.guest_id == player.id),
    )  # fmt: skip
    others = (Player.id.in_(people), Player.id != player.id, Player.gone_at.is_(None))
    return session.scalars(select(Player).where(*others).order_by(Player.created_at, Player.id)).all()


def _is_called(block: Block, name: str) -> bool:
    blocked = session.get(Player, block.blocked_id) if block.blocked_id else None
    return blocked is not None and skeleton(blocked.name) == skeleton(name)


def _open_blocks(player_id: str) -> Sequence[Block]:
    query = select(Block).where(Block.player_id == player_id, Block.ended_at.is_(None))
    return session.scalars(query.order_by(Block.created_at, Block.id)).all()
