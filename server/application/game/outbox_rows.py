"""Write the rows of mails that no decision about a running game causes: invitations, answers, messages.

The worker writes and sends them after the commit.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import select, update

from server.application.catalogues.mails import check_mail
from server.house_rules.standing import Standing
from server.models import PENDING, Game, Outgoing, Seat, change, insert, session, wake_when_committed
from server.runtime import now, runtime


def post_invitation(
    seat: Seat, email: str | None = None, code: str | None = None, *, is_reminder: bool = False
) -> None:
    """Invite the player a seat is reserved for, or the reader of an address that is no player's, with a code."""
    details: dict[str, object] = {"seat": seat.number} | ({} if seat.invited_id else {"to": email, "code": code})
    if is_reminder:
        details["is_reminder"] = True
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
        update(Outgoing).where(*to_it, Outgoing.state == PENDING).values(state="superseded"),
        update(Outgoing).where(*to_it).values(message=None, details=None),
    ):
        change(statement)


def post_vacancy(seat: Seat, why: str, whom: str = "") -> None:
    """Tell the host that a seat is open again.

    `why` is left, away, declined, lapsed, undelivered or full, `whom` an invited address.
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


def post_complete(game: Game) -> None:
    """Tell the host that every seat is taken and the game can start."""
    post(game.host_id, "complete", game)


def post_new_host(game: Game, details: Mapping[str, object]) -> None:
    """Tell a player that they are the host from now on."""
    post(game.host_id, "host", game, details=dict(details))


def post_to_open_game(game: Game, kind: str, details: Mapping[str, object], *, but: str | None = None) -> None:
    """Write one mail each to the host, the players and the invited players, `but` not to one of them."""
    people = {game.host_id, *(seat.player_id or seat.invited_id for seat in game.seats)} - {None, but}
    _post([_row(player_id, kind, game, details=details) for player_id in sorted(map(str, people))])


def post_to_all(game: Game, kind: str, details: Mapping[str, object] | None = None) -> None:
    """Write a mail of this kind to every seat, such as that the operator has looked at what is sealed."""
    copied = dict(details) if details else None
    _post([_row(seat.player_id, kind, game, details=copied) for seat in game.seats if seat.player_id])


def post_message(game: Standing, message_id: str, listeners: list[str]) -> None:
    """Tell the `listeners` of a message; the worker reads its text when it writes the mail."""
    _post([_row(player_id, "talk", game, cause=message_id) for player_id in listeners])


def drop_unsent(game_id: str, player_id: str) -> None:
    """Supersede the unsent mails to this player about the game."""
    is_unsent = Outgoing.state.in_(("pending", "held"))
    waiting = (Outgoing.game_id == game_id, Outgoing.player_id == player_id, is_unsent)
    statement = update(Outgoing).where(*waiting).values(state="superseded", message=None, details=None)
    change(statement)


def post(
    player_id: str | None,
    kind: str,
    game: Game | Standing | None = None,
    *,
    details: Mapping[str, object] | None = None,
    cause: str = "",
    at: datetime | None = None,
) -> None:
    """Write one outbox row in the current transaction, about the newest event of `game`; it is sent at `at`, or now."""
    row = _row(player_id, kind, game, details=details, cause=cause)
    _post([row if at is None else row | {"not_before": at}])


def _post(rows: Sequence[dict[str, object]]) -> None:
    if rows:
        insert(Outgoing, *rows)
        wake_when_committed(runtime().wake_ups.outbox)


def _row(
    player_id: str | None,
    kind: str,
    game: Game | Standing | None,
    *,
    details: Mapping[str, object] | None = None,
    cause: str = "",
) -> dict[str, object]:
    check_mail(kind, details, has_player=player_id is not None)
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
