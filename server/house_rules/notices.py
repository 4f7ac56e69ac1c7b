"""Notices of a running game: the mails that an event causes. The worker writes and sends them after the commit.

Mr. X's move brings each detective one mail, in answer to which they move, at once or ahead. Their own turn brings
another only where it begins a time of their own, and they have queued nothing. Mr. X gets one a round; the end goes to
everybody.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from server import engine
from server.house_rules.draft import Draft
from server.house_rules.standing import Motion, Seat, Timer
from server.vocabulary.mails import AboutMoves


def post_to_all(draft: Draft, kind: str, details: Mapping[str, object] | None = None) -> None:
    """Write a mail of this kind to every seat, such as more time for Mr. X, and to a host without one."""
    post_to(draft, draft.game.seats, kind, details)
    post_to_host_aside(draft, kind, details)


def post_draw_offer(draft: Draft, seat: Seat) -> None:
    """Tell all others that the holder of `seat` has offered a draw."""
    others = [other for other in draft.game.seats if other.number != seat.number]
    # Each has an address of its own, at which a YES agrees.
    post_to(draft, others, "draw", {"pawns": seat.pawns, "about": "draw"})


def post_started(draft: Draft, phase: str) -> None:
    """Tell the seats of the other phase than the first that the game has started; those of the first get turn mails.

    If only bots move first, nobody is told: they move within moments, and the turn mails that follow tell it too. A
    host without a seat gets none of these.
    """
    post_to_host_aside(draft, "started")
    first = _seats_of(draft, phase)
    if not all(seat.bot for seat in first):
        post_to(draft, [seat for seat in draft.game.seats if seat not in first], "started")


def post_turns(draft: Draft, phase: str) -> None:
    """Write a turn mail to each seat of the phase that begins; to one that can never move again only of a sighting."""
    post_to(draft, [seat for seat in _seats_of(draft, phase) if _hears_of_turn(draft.state, seat)], "turn")


def _hears_of_turn(state: engine.Game, seat: Seat) -> bool:
    """Return True unless all pawns of the seat are stranded, its last mail has said so, and nobody saw Mr. X now."""
    his = [i for i, move in enumerate(state.history) if move.pawn == "mr_x"]
    if seat.role == "mr_x" or len(his) < 2 or any(state.mobility(pawn) != "stranded" for pawn in seat.pawns):
        return True
    was_seen = any(window.surfaced for window in state.log[-len(state.history[his[-1]].legs) :])
    return was_seen or any(move.pawn in seat.pawns for move in state.history[his[-2] : his[-1]])


def _seats_of(draft: Draft, phase: str) -> list[Seat]:
    return [seat for seat in draft.game.seats if (seat.role == "mr_x") == (phase == "mr_x")]


def post_move(draft: Draft, listeners: Collection[str]) -> None:
    """Tell the `listeners`, who want a mail for every move, that a pawn has moved."""
    post_to(draft, [seat for seat in draft.game.seats if seat.player_id in listeners], "moved")


def post_returned(draft: Draft, seat: Seat, moves: list[dict[str, str | int]], *, was_held: bool = False) -> None:
    """Return queued or held moves in one mail, each with its `notation` and the `turn` in which it was not legal."""
    post_to(draft, [seat], "returned", {"moves": moves} | ({"was_held": True} if was_held else {}))


def post_reminder(draft: Draft, seat: Seat, timer: Timer, details: Mapping[str, object], not_before: datetime) -> None:
    """Remind a player who has still to move; not before the morning if it is their night."""
    draft.post(seat.player_id, "reminder", details, cause=timer.id, not_before=not_before)


def post_vote(draft: Draft, motion: Motion, by: Seat | None, voters: Sequence[Seat]) -> None:
    """Ask the voters, except the proposer, for their vote; a late Mr. X among them is only told."""
    for seat in voters:
        if by is None or seat.number != by.number:
            details = details_of_vote(motion, by.pawns if by else [], is_mr_x=seat.role == "mr_x")
            draft.post(seat.player_id, "vote", details, cause=motion.id)


def details_of_vote(motion: Motion, pawns: Sequence[str], *, is_mr_x: bool) -> dict[str, object]:
    """Return the details of the mail about a motion of the seat with these `pawns`; `is_mr_x` if it is to him."""
    details = {"what": motion.kind, **motion.wish, "until": motion.closes_at.isoformat(), "pawns": list(pawns)}
    if motion.kind == "claim" and is_mr_x:  # he has no vote
        return details
    # At an address of its own, so that YES is no answer to anything else that was asked meanwhile.
    return details | {"about": motion.id}


def post_decision(draft: Draft, motion: Motion) -> None:
    """Tell everybody the result of a vote."""
    told = {"carried": motion.state == "carried", "by_one": draft.game.is_practice}
    post_to_all(draft, "decided", {"what": motion.kind, **motion.wish, **told})


def post_late(draft: Draft, seat: Seat, question: AboutMoves | None = None) -> None:
    """Tell a late detective that the server has moved for them; the others read it in their next mail.

    `question` is one about a mail of theirs that was open.
    """
    post_to(draft, [seat], "late", {"question": question} if question else None)


def post_granted(draft: Draft, question: AboutMoves | None, *, by_vote: bool) -> None:
    """Tell everybody that Mr. X gets his time again, `by_vote` or not, and only him of a question that was open."""
    post_to_host_aside(draft, "granted", {"by_vote": True} if by_vote else None)
    for seat in draft.game.seats:
        details: dict[str, object] = {"by_vote": True} if by_vote else {}
        if question is not None and seat.role == "mr_x":
            details["question"] = question
        post_to(draft, [seat], "granted", details or None)


def post_substitution(draft: Draft, newcomer: Seat, **told: object) -> None:
    """Tell everybody that a seat has changed hands; the newcomer, or the account of a guest, gets all it needs to play.

    `told`: whether their time is `renewed`, the operator's `reason` if there was one, and whether a guest
    `has_account` now.
    """
    for seat in draft.game.seats:
        is_newcomer = seat.number == newcomer.number
        post_to(draft, [seat], "substituted", {"pawns": newcomer.pawns, "is_newcomer": is_newcomer, **told})


# Before the start --------------------------------------------------------------------------------


def post_invitation(draft: Draft, seat: Seat, code: str | None, *, is_silent: bool, is_reminder: bool = False) -> None:
    """Invite the player a seat is reserved for, or the reader of an address that is no player's, with a code.

    A player who has blocked the host, or who is not to be written to (`is_silent`), gets a mail that is never sent: if
    no mail reaches them the host hears so, as with any other invitation.
    """
    invitation = seat.invitation
    assert invitation is not None
    cause = invitation.id if invitation.email else ""  # by it the host hears that mail does not arrive
    details: dict[str, object] = {"seat": seat.number}
    again = {"is_reminder": True} if is_reminder else {}
    if invitation.guest_id is not None and (seat.invited_id is None or is_silent):
        draft.post(invitation.guest_id, "withheld", details, cause=cause)
    elif invitation.guest_id is not None:
        draft.post(invitation.guest_id, "invitation", details | again, cause=cause)
    elif code:
        to = {"to": invitation.email, "code": code}
        draft.post_to_address("invitation", details | to | again, cause=cause)


def post_vacancy(draft: Draft, seat: Seat, why: str, whom: str = "") -> None:
    """Tell the host that a seat is open again.

    `why` is left, away, declined, expired, undelivered or full, `whom` an invited address.
    When `why` is unreached the seat is still reserved, but no mail gets to the invited player.
    """
    draft.post(draft.game.host_id, "vacant", {"vacated": seat.number, "why": why, "whom": whom})


def post_to_lobby(draft: Draft, kind: str, details: Mapping[str, object], *, but: str | None = None) -> None:
    """Write one mail each to the host, the players and the invited players, `but` not to one of them."""
    people = {draft.game.host_id, *(seat.player_id or seat.invited_id for seat in draft.game.seats)} - {None, but}
    for player_id in sorted(map(str, people)):
        draft.post(player_id, kind, details)


def post_to_host_aside(draft: Draft, kind: str, details: Mapping[str, object] | None = None) -> None:
    """Write a mail of this kind to the host if they have no seat."""
    if draft.game.seat_held_by(draft.game.host_id) is None:
        draft.post(draft.game.host_id, kind, details)


def post_to(draft: Draft, seats: Sequence[Seat], kind: str, details: Mapping[str, object] | None = None) -> None:
    """Write a mail of this kind to these seats."""
    for seat in seats:
        draft.post(seat.player_id, kind, details)
