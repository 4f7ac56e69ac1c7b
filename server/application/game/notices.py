"""Notices: the mails that an event causes, as rows of the outbox; the worker writes and sends them after the commit.

Mr. X's move brings each detective one mail, and their own turn another only if they have queued nothing; Mr. X gets
one a round; the end goes to everybody.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select, update

from server.models import Game, Motion, Outgoing, Seat, insert, session, wake_when_committed
from server.runtime import now, runtime


def post_invitation(seat: Seat, email: str | None = None, code: str | None = None) -> None:
    """Invite the player a seat is reserved for, or the reader of an address that is no player's, with a code."""
    details: dict[str, Any] = {"seat": seat.number} | ({} if seat.invited_id else {"to": email, "code": code})
    post(seat.invited_id, "invitation", seat.game, details=details, cause=_address_of(seat))


def post_withheld(seat: Seat, player_id: str) -> None:
    """Write the row of an invitation that is never sent, as its player blocked the host.

    If no mail reaches the player the host hears so, as with any other invitation.
    """
    post(player_id, "withheld", seat.game, details={"seat": seat.number}, cause=_address_of(seat))


def _address_of(seat: Seat) -> str:
    """Return the id of the invitation if it is to an address, by which the host hears that mail does not arrive."""
    return seat.invitation.id if seat.invitation is not None and seat.invitation.email else ""


def withdraw_invitation(invitation_id: str) -> None:
    """Supersede the unsent mails of an invitation to an address, and delete the address from all of them."""
    to_it = (Outgoing.cause == invitation_id, Outgoing.player_id.is_(None))
    for statement in (
        update(Outgoing).where(*to_it, Outgoing.state == "pending").values(state="superseded"),
        update(Outgoing).where(*to_it).values(message=None, details=None),
    ):
        session.execute(statement, execution_options={"synchronize_session": False})


def post_vacancy(seat: Seat, why: str, whom: str = "") -> None:
    """Tell the host that a seat is open again.

    `why` is left, declined, lapsed or undelivered, `whom` an invited address.
    When `why` is unreached the seat is still reserved, but no mail gets to the invited player.
    """
    post(seat.game.host_id, "vacant", seat.game, details={"vacated": seat.number, "why": why, "whom": whom})


def is_vacancy_told(game: Game) -> bool:
    """Return True if the host has heard of a seat already since the newest event, such as of an earlier invitation."""
    same = (Outgoing.game_id == game.id, Outgoing.player_id == game.host_id, Outgoing.kind == "vacant")
    return session.scalar(select(Outgoing.id).where(*same, Outgoing.event == game.events)) is not None


def post_cleared(seat: Seat, player_id: str) -> None:
    """Tell a player that the host cleared their seat."""
    post(player_id, "cleared", seat.game, details={"vacated": seat.number})


def post_taken(seat: Seat, player_id: str) -> None:
    """Tell a player that somebody took their seat, which was offered."""
    post(player_id, "cleared", seat.game, details={"vacated": seat.number, "taken": True})


def post_complete(game: Game) -> None:
    """Tell the host that every seat is taken and the game can start."""
    post(game.host_id, "complete", game)


def post_new_host(game: Game, details: Mapping[str, Any]) -> None:
    """Tell a player that they are the host from now on."""
    post(game.host_id, "host", game, details=dict(details))


def post_draw_offer(seat: Seat) -> None:
    """Tell all others that the player of `seat` has offered a draw."""
    _post_to([other for other in seat.game.seats if other is not seat], "draw", {"pawns": seat.pawns})


def post_started(game: Game) -> None:
    """Tell every detective that the game has started; Mr. X gets his turn mail."""
    _post_to([seat for seat in game.seats if seat.role == "detective"], "started")


def post_turns(game: Game, phase: str) -> None:
    """Write a turn mail to each seat of the phase that begins."""
    _post_to([seat for seat in game.seats if (seat.role == "mr_x") == (phase == "mr_x")], "turn")


def post_new_deadline(waiting: Sequence[Seat]) -> None:
    """Write another turn mail to the seats still to move, as their deadline has changed."""
    _post_to(waiting, "turn")


def post_turn(seat: Seat) -> None:
    """Tell a detective who has queued nothing that it is their turn."""
    _post_to([seat], "go")


def post_move(seat: Seat, listeners: Collection[str]) -> None:
    """Tell the `listeners`, who want a mail for every move, that a pawn of this seat has moved."""
    _post_to([other for other in seat.game.seats if other.player_id in listeners], "moved")


def post_returned(seat: Seat, moves: list[dict[str, str]]) -> None:
    """Return queued moves that are no longer legal, each with its `notation` and `why`, in one mail."""
    _post_to([seat], "returned", {"moves": moves})


def post_reminder(seat: Seat, deadline_id: str, details: dict[str, Any], not_before: datetime) -> None:
    """Remind a player who has still to move; not before the morning if it is their night."""
    if seat.player_id:
        row = _row(seat.player_id, "reminder", seat.game, details=details, cause=deadline_id)
        _post([row | {"not_before": not_before}])


def post_overdue(game: Game, late: Sequence[Seat]) -> None:
    """Tell everybody who is late, and that they have the grace period of the clock."""
    pawns = [pawn for seat in late for pawn in seat.pawns]
    _post_to(game.seats, "overdue", {"pawns": pawns})


def post_vote(motion: Motion, game: Game, by: Seat | None, voters: Sequence[Seat]) -> None:
    """Ask the voters for their vote, except the one who proposed the motion."""
    # At an address of its own, so that YES is no answer to anything else that was asked meanwhile.
    details = {"what": motion.kind, **motion.wish, "until": motion.closes_at.isoformat(), "about": motion.id}
    details["pawns"] = by.pawns if by else []
    asked = [seat for seat in voters if seat is not by and seat.player_id]
    _post([_row(seat.player_id, "vote", game, details=details, cause=motion.id) for seat in asked])


def post_decision(motion: Motion, game: Game) -> None:
    """Tell everybody the result of a vote."""
    _post_to(game.seats, "decided", {"what": motion.kind, **motion.wish, "carried": motion.state == "carried"})


def post_to_open_game(game: Game, kind: str, details: dict[str, Any]) -> None:
    """Write one mail each to the host, the players and the invited players."""
    people = {game.host_id, *(seat.player_id or seat.invited_id for seat in game.seats)} - {None}
    _post([_row(player_id, kind, game, details=details) for player_id in sorted(map(str, people))])


def post_late(seat: Seat) -> None:
    """Tell a late detective that the server has moved for them; the others read it in their next mail."""
    _post_to([seat], "late")


def post_to_all(game: Game, kind: str, details: Mapping[str, Any] | None = None) -> None:
    """Write a mail of this kind to every seat, such as the end or more time for Mr. X."""
    _post_to(game.seats, kind, dict(details) if details else None)


def post_substitution(seat: Seat, reason: str | None, *, renewed: bool) -> None:
    """Tell everybody that a seat has changed hands; the newcomer gets all they need to play.

    `reason` is the operator's, None when the seat was offered; `renewed` is True if the timers of the phase were
    restarted.
    """
    for other in seat.game.seats:
        details = {"pawns": seat.pawns, "is_newcomer": other is seat, "renewed": renewed, "reason": reason}
        _post_to([other], "substituted", details)


def post_resignation(seat: Seat) -> None:
    """Tell the others that a detective has resigned, and that a bot moves for them from now on."""
    _post_to(seat.game.seats, "resigned", {"pawns": seat.pawns})


def post_message(game: Game, message_id: str, listeners: list[str]) -> None:
    """Tell the `listeners` of a message; the worker reads its text when it writes the mail."""
    _post([_row(player_id, "talk", game, cause=message_id) for player_id in listeners])


def drop_unsent(game: Game, player_id: str) -> None:
    """Supersede the unsent mails to this player about the game."""
    is_unsent = Outgoing.state.in_(("pending", "held"))
    waiting = (Outgoing.game_id == game.id, Outgoing.player_id == player_id, is_unsent)
    statement = update(Outgoing).where(*waiting).values(state="superseded", message=None, details=None)
    session.execute(statement, execution_options={"synchronize_session": False})


def post(
    player_id: str | None,
    kind: str,
    game: Game | None = None,
    *,
    details: dict[str, Any] | None = None,
    cause: str = "",
) -> None:
    """Write one outbox row in the current transaction, about the newest event of `game`."""
    _post([_row(player_id, kind, game, details=details, cause=cause)])


def _post_to(seats: Sequence[Seat], kind: str, details: dict[str, Any] | None = None) -> None:
    """Write the same mail to each of these seats that has a player."""
    _post([_row(seat.player_id, kind, seat.game, details=details) for seat in seats if seat.player_id])


def _post(rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        insert(Outgoing, *rows)
        wake_when_committed(runtime().wake_ups.outbox)


def _row(
    player_id: str | None,
    kind: str,
    game: Game | None,
    *,
    details: dict[str, Any] | None = None,
    cause: str = "",
) -> dict[str, Any]:
    return {
        "id": runtime().new_id(f"{kind} notice"),
        "game_id": game.id if game else None,
        "event": game.events if game else None,
        "player_id": player_id,
        "kind": kind,
        "cause": cause,
        "details": details,
        "not_before": now(),
        "created_at": now(),
    }
