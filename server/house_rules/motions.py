"""Motions: questions that are put to the vote in a game. Opening one, and ending those whose deadline is over.

`votes` counts the votes.
"""

from datetime import datetime

from server.house_rules.draft import Draft
from server.house_rules.standing import Motion, Seat, Sight
from server.vocabulary.durations import rfc3339
from server.vocabulary.votes import ABOUT_DEADLINES, VoteWish


def open_motion(draft: Draft, kind: str, wish: VoteWish, closes_at: datetime, proposer: Seat | None = None) -> Motion:
    """Open a vote and schedule its end; the server asks where there is no `proposer`."""
    number = proposer.number if proposer else None
    motion = Motion(draft.sources.new_id("motion"), kind, wish, number, "open", draft.now, closes_at)
    draft.game.motions.append(motion)
    by: dict[str, object] = {"seat": proposer.number, "pawns": proposer.pawns} if proposer else {}
    draft.publish("proposed", vote=motion.id, what=kind, **motion.public_wish, **by, closes_at=rfc3339(closes_at))
    draft.start_timer("vote", closes_at, serial=draft.game.events)
    return motion


def open_ones(game: Sight, *kinds: str) -> list[Motion]:
    """Return the open motions of these kinds, by default of all, the oldest first."""
    found = [motion for motion in game.motions if motion.state == "open"]
    return [motion for motion in found if not kinds or motion.kind in kinds]


def expire_extensions(draft: Draft) -> None:
    """Expire the open votes on more time, as the deadline they were about is over.

    The deadline of the next phase, or of the next turn, is another one: a vote for more time in one phase says nothing
    about the next.
    """
    for motion in open_ones(draft.game, *ABOUT_DEADLINES):
        expire(draft, motion)


def expire_claims(draft: Draft) -> None:
    """Expire the open vote on a late Mr. X, as he gets his full time for another reason."""
    for motion in open_ones(draft.game, "claim"):
        if (draft.game.side, draft.game.round) == ("mr_x", motion.wish["round"]):
            expire(draft, motion)


def expire(draft: Draft, motion: Motion) -> None:
    """End a vote without a result, and publish that."""
    motion.state = "expired"
    draft.publish("decided", vote=motion.id, what=motion.kind, **motion.public_wish, carried=False, expired=True)
