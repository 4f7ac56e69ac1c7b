"""Which mail an event causes. Rows only: the worker renders and sends them after the commit.

Mr. X's move brings each detective one mail, his own go another only if he has sent nothing ahead; Mr. X gets one
a round; the end goes to everybody.
"""

from typing import Any

from sqlalchemy import update

from server.models import Game, Outgoing, Seat, ring_when_committed, session
from server.runtime import now, runtime


def invited(game: Game) -> None:
    """To everybody a seat is kept for."""
    for seat in game.seats:
        if seat.invited_id:
            post(seat.invited_id, "invitation", game)


def complete(game: Game) -> None:
    """To the host, when every seat is taken and the game can start."""
    post(game.host_id, "complete", game)


def started(game: Game) -> None:
    """To every detective; Mr. X gets his turn mail."""
    for seat in game.seats:
        if seat.role == "detective":
            _to(seat, "started")


def half_begun(game: Game, side: str) -> None:
    """It is this side's half of a round: a turn mail for each of its seats."""
    for seat in game.seats:
        if (seat.role == "mr_x") == (side == "mr_x"):
            _to(seat, "turn")


def go(seat: Seat) -> None:
    """A detective's own go has come, and he has sent nothing ahead."""
    _to(seat, "go")


def returned(seat: Seat, moves: list[dict[str, str]]) -> None:
    """Moves ahead that are no longer legal come back, each with its `notation` and `why`: one mail for all."""
    _to(seat, "returned", {"moves": moves})


def reminder(seats: list[Seat]) -> None:
    """To those who have still to move."""
    for seat in seats:
        _to(seat, "reminder")


def late(seat: Seat) -> None:
    """The house moved a late detective's pawns: he is told at once, the others in their next mail."""
    _to(seat, "late")


def announced(game: Game, kind: str, details: dict[str, Any] | None = None) -> None:
    """To every seat: Mr. X gets one more turn, the end, a game taken up again, the glass broken."""
    for seat in game.seats:
        _to(seat, kind, details)


def substituted(seat: Seat, reason: str, *, renewed: bool) -> None:
    """A seat has changed hands: everything he needs to the newcomer, and to the others that it is so.

    `renewed` says that the half of the round under way got its whole time anew.
    """
    for other in seat.game.seats:
        details = {"pawns": seat.pawns, "is_newcomer": other is seat, "renewed": renewed, "reason": reason}
        _to(other, "substituted", details)


def resigned(seat: Seat) -> None:
    """To the others: a detective has given the game up, and the house moves for him from now on."""
    for other in seat.game.seats:
        _to(other, "resigned", {"pawns": seat.pawns})


def said(game: Game, message_id: str, listeners: list[str]) -> None:
    """To those who may hear a message, but for its author; the worker reads its text when it writes the mail."""
    for player_id in listeners:
        post(player_id, "talk", game, cause=message_id)


def forgotten(game: Game, player_id: str) -> None:
    """Nothing that waits to be sent to this player about the game is sent any more."""
    waiting = (Outgoing.game_id == game.id, Outgoing.player_id == player_id, Outgoing.state == "pending")
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
    session.add(
        Outgoing(
            id=runtime().new_id(f"{kind} notice"),
            game_id=game.id if game else None,
            event=game.events if game else None,
            player_id=player_id,
            kind=kind,
            cause=cause,
            details=details,
            not_before=now(),
            created_at=now(),
        )
    )
    ring_when_committed(runtime().bells.outbox)


def _to(seat: Seat, kind: str, details: dict[str, Any] | None = None) -> None:
    if seat.player_id:
        post(seat.player_id, kind, seat.game, details=details)
