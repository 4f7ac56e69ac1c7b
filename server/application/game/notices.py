"""Which mail an event causes. Rows only: the worker renders and sends them after the commit.

Mr. X's move brings each detective one mail, his own go another only if he has sent nothing ahead; Mr. X gets one
a round; the end goes to everybody.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select, update

from server.models import Game, Motion, Outgoing, Seat, insert, session, wake_when_committed
from server.runtime import now, runtime


def post_invitation(seat: Seat, email: str | None = None, code: str | None = None) -> None:
    """To whom a seat is kept for: a player, or the reader of an address that is nobody's, with a code."""
    details: dict[str, Any] = {"seat": seat.number} | ({} if seat.invited_id else {"to": email, "code": code})
    post(seat.invited_id, "invitation", seat.game, details=details, cause=_address_of(seat))


def post_withheld(seat: Seat, player_id: str) -> None:
    """Write the row of an invitation that its player is not to hear of, so that it is never sent.

    Where no mail reaches the player the host is told so, as with any other invitation.
    """
    post(player_id, "withheld", seat.game, details={"seat": seat.number}, cause=_address_of(seat))


def _address_of(seat: Seat) -> str:
    """Return the id of the invitation if it is to an address, by which the host hears that mail does not arrive."""
    return seat.invitation.id if seat.invitation is not None and seat.invitation.email else ""


def withdraw_invitation(invitation_id: str) -> None:
    """What was written to an invited address is not sent any more, and the address is not kept with it."""
    to_it = (Outgoing.cause == invitation_id, Outgoing.player_id.is_(None))
    for statement in (
        update(Outgoing).where(*to_it, Outgoing.state == "pending").values(state="superseded"),
        update(Outgoing).where(*to_it).values(message=None, details=None),
    ):
        session.execute(statement, execution_options={"synchronize_session": False})


def post_vacancy(seat: Seat, why: str, whom: str = "") -> None:
    """To the host: a seat is open again; `why` is left, declined, lapsed or undelivered, `whom` an invited address.

    Or it is kept still, and `why` is unreached: no mail gets to the invited player.
    """
    post(seat.game.host_id, "vacant", seat.game, details={"vacated": seat.number, "why": why, "whom": whom})


def is_vacancy_told(game: Game) -> bool:
    """Return True if the host is told of a seat already since the newest event, such as of an earlier invitation."""
    told = (Outgoing.game_id == game.id, Outgoing.player_id == game.host_id, Outgoing.kind == "vacant")
    return session.scalar(select(Outgoing.id).where(*told, Outgoing.event == game.events)) is not None


def post_cleared(seat: Seat, player_id: str) -> None:
    """To who held a seat until the host cleared it."""
    post(player_id, "cleared", seat.game, details={"vacated": seat.number})


def post_taken(seat: Seat, player_id: str) -> None:
    """To who held a seat until somebody took it, as it was offered."""
    post(player_id, "cleared", seat.game, details={"vacated": seat.number, "taken": True})


def post_complete(game: Game) -> None:
    """To the host, when every seat is taken and the game can start."""
    post(game.host_id, "complete", game)


def post_new_host(game: Game, told: Mapping[str, Any]) -> None:
    """To whoever is the host from now on."""
    post(game.host_id, "host", game, details=dict(told))


def post_draw_offer(seat: Seat) -> None:
    """To all others: somebody has offered a draw."""
    _tell([other for other in seat.game.seats if other is not seat], "draw", {"pawns": seat.pawns})


def post_started(game: Game) -> None:
    """To every detective; Mr. X gets his turn mail."""
    _tell([seat for seat in game.seats if seat.role == "detective"], "started")


def post_turns(game: Game, side: str) -> None:
    """It is this side's half of a round: a turn mail for each of its seats."""
    _tell([seat for seat in game.seats if (seat.role == "mr_x") == (side == "mr_x")], "turn")


def post_new_deadline(waiting: Sequence[Seat]) -> None:
    """What was told of a deadline is wrong: a turn mail to those who have still to move."""
    _tell(waiting, "turn")


def post_turn(seat: Seat) -> None:
    """A detective's own go has come, and he has sent nothing ahead."""
    _tell([seat], "go")


def post_move(seat: Seat, listeners: Collection[str]) -> None:
    """To those who want a mail for every move: a pawn of this seat has moved."""
    _tell([other for other in seat.game.seats if other.player_id in listeners], "moved")


def post_returned(seat: Seat, moves: list[dict[str, str]]) -> None:
    """Moves ahead that are no longer legal come back, each with its `notation` and `why`: one mail for all."""
    _tell([seat], "returned", {"moves": moves})


def post_reminder(seat: Seat, deadline_id: str, details: dict[str, Any], not_before: datetime) -> None:
    """To who has still to move, in his night not before the morning."""
    if seat.player_id:
        row = _row(seat.player_id, "reminder", seat.game, details=details, cause=deadline_id)
        _post([row | {"not_before": not_before}])


def post_overdue(game: Game, late: Sequence[Seat]) -> None:
    """The time of some is up, and they have the grace of the clock: to them, and to the others who it is."""
    pawns = [pawn for seat in late for pawn in seat.pawns]
    _tell(game.seats, "overdue", {"pawns": pawns})


def post_vote(motion: Motion, game: Game, by: Seat | None, voters: Sequence[Seat]) -> None:
    """There is something to be voted on: to those who have a vote, but for who proposed it."""
    # At an address of its own, so that YES is no answer to anything else that was asked meanwhile.
    details = {"what": motion.kind, **motion.wish, "until": motion.closes_at.isoformat(), "about": motion.id}
    details["pawns"] = by.pawns if by else []
    told = [seat for seat in voters if seat is not by and seat.player_id]
    _post([_row(seat.player_id, "vote", game, details=details, cause=motion.id) for seat in told])


def post_decision(motion: Motion, game: Game) -> None:
    """What came of a vote, to everybody."""
    _tell(game.seats, "decided", {"what": motion.kind, **motion.wish, "carried": motion.state == "carried"})


def post_to_open_game(game: Game, kind: str, details: dict[str, Any]) -> None:
    """To the host, and to everybody who sits there or is invited, once each."""
    people = {game.host_id, *(seat.player_id or seat.invited_id for seat in game.seats)} - {None}
    _post([_row(player_id, kind, game, details=details) for player_id in sorted(map(str, people))])


def post_late(seat: Seat) -> None:
    """The house moved a late detective's pawns: he is told at once, the others in their next mail."""
    _tell([seat], "late")


def post_to_all(game: Game, kind: str, details: Mapping[str, Any] | None = None) -> None:
    """To every seat: Mr. X gets one more turn, the end, a game taken up again, the glass broken."""
    _tell(game.seats, kind, dict(details) if details else None)


def post_substitution(seat: Seat, reason: str | None, *, renewed: bool) -> None:
    """A seat has changed hands: everything he needs to the newcomer, and to the others that it is so.

    `reason` is the operator's, None when the seat was offered; `renewed` says that the half of the round under way
    got its whole time anew.
    """
    for other in seat.game.seats:
        details = {"pawns": seat.pawns, "is_newcomer": other is seat, "renewed": renewed, "reason": reason}
        _tell([other], "substituted", details)


def post_resignation(seat: Seat) -> None:
    """To the others: a detective has given the game up, and the house moves for him from now on."""
    _tell(seat.game.seats, "resigned", {"pawns": seat.pawns})


def post_message(game: Game, message_id: str, listeners: list[str]) -> None:
    """To those who may hear a message, but for its author; the worker reads its text when it writes the mail."""
    _post([_row(player_id, "talk", game, cause=message_id) for player_id in listeners])


def drop_unsent(game: Game, player_id: str) -> None:
    """Nothing that waits to be sent to this player about the game is sent any more."""
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


def _tell(seats: Sequence[Seat], kind: str, details: dict[str, Any] | None = None) -> None:
    """The same to each of these seats of one game that a person sits on."""
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
