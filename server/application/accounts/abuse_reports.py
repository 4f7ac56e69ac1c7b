"""Reports to the operator: on a message, on the name of a player, on an invitation. Each is about somebody in a game.

The operator may play in the game, and learns here no more than a spectator may while it goes on. The words of a message
to all are shown; those of a message to the team, and when it was written, only once the result is final. If an operator
has or had a seat in the game, even that there is such a report is not shown, counted or mailed before.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, or_, select
from sqlalchemy.orm import aliased

from server.application import quotas
from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.game.access import seat_of_number, visible
from server.application.news import talk
from server.durations import DAY, rfc3339
from server.models import (
    AbuseReport,
    Address,
    FormerHolder,
    Game,
    Invitation,
    Message,
    Outgoing,
    Player,
    Seat,
    at_most,
    change,
    insert_new,
    session,
    transaction,
)
from server.runtime import now, runtime

MOST_A_DAY = 10  # of one player
KEPT = 30 * DAY  # after the operator was done with it
LONGEST_KEPT = 180 * DAY  # if nobody ever was
MESSAGE, NAME, INVITATION = "message", "name", "invitation"


# Reporting ---------------------------------------------------------------------------------------


def report_message(game_id: str, player: Player, number: int) -> None:
    """Report the message with this number, which the player may read and has not written.

    Raises:
        Problem: `not-found` for a hidden game; `form` if there is no such message; `too-many`.
    """
    with transaction():
        game = visible(game_id, player)
        heard = talk.rows_heard(game, player, number - 1, 1) if number > 0 else []
        if not heard or heard[0].player_id == player.id:
            raise Problem("form", "There is no such message of somebody else.")
        _add(MESSAGE, game, player, heard[0].player_id, heard[0])


def report_name(game_id: str, player: Player, number: int) -> None:
    """Report the name of the player on a seat, or of the host for number 0; the same `Problem` as `report_message`."""
    with transaction():
        game = visible(game_id, player)
        is_seat = 1 <= number <= len(game.seats)
        reported = game.host_id if number == 0 else seat_of_number(game, number).player_id if is_seat else None
        if reported is None or reported == player.id:
            raise Problem("form", "There is no other player on that seat.")
        _add(NAME, game, player, reported)


def report_invitation(game_id: str, player: Player) -> None:
    """Report the invitation of the player to a game; the same `Problem` as `report_message`."""
    with transaction():
        game = visible(game_id, player)
        seat = next((seat for seat in game.seats if seat.invited_id == player.id), None)
        if seat is None:
            raise Problem("form", "You are not invited to this game.")
        _add(INVITATION, game, player, seat.invitation.host_id if seat.invitation is not None else game.host_id)


def report_mailed_invitation(mail_id: str) -> None:
    """Report the invitation in a mail, for its reader, who needs no account; one mail is reported once."""
    with transaction():
        mail = invitation_mail(mail_id)
        assert mail.game is not None
        invitation = session.get(Invitation, mail.cause) if mail.cause else None
        reported = invitation.host_id if invitation is not None else mail.game.host_id
        _insert(INVITATION, mail.game, mail.player_id, reported, mail_id=mail.id)


def invitation_mail(mail_id: str) -> Outgoing:
    """Return the mail of an invitation, whose id only its reader knows; `Problem` not-found for any other."""
    mail = session.get(Outgoing, mail_id)
    if mail is None or mail.kind != INVITATION or mail.game is None:
        raise Problem("not-found", "There is no such invitation, or it is too long ago.")
    return mail


def _add(kind: str, game: Game, reporter: Player, reported: str, message: Message | None = None) -> None:
    """Store a report, unless the player has one of the same that is open."""
    session.get_one(Player, reporter.id, with_for_update={"key_share": True})  # one at a time, so that each counts
    mine = AbuseReport.reporter_id == reporter.id
    same = (AbuseReport.kind == kind, AbuseReport.game_id == game.id, AbuseReport.player_id == reported)
    about = AbuseReport.message_id == message.id if message is not None else AbuseReport.message_id.is_(None)
    if session.scalar(select(AbuseReport.id).where(mine, *same, about, AbuseReport.settled_at.is_(None))) is not None:
        return
    query = select(AbuseReport.created_at).where(mine, AbuseReport.created_at > now() - DAY)
    times = session.scalars(query.order_by(AbuseReport.created_at)).all()
    quotas.check(times, MOST_A_DAY, f"You have sent {MOST_A_DAY} reports within a day, which is the limit")
    _insert(kind, game, reporter.id, reported, message_id=message.id if message is not None else None)


def _insert(kind: str, game: Game, reporter_id: str | None, reported: str, **about: str | None) -> None:
    """Store a report; one mail is reported once, by however many clicks."""
    begin_to_write()
    row = {"id": runtime().new_id("abuse report"), "kind": kind, "game_id": game.id, "created_at": now(), **about}
    name = session.get_one(Player, reported).name
    insert_new(AbuseReport, row | {"reporter_id": reporter_id, "player_id": reported, "name": name})


# For the operator ----------------------------------------------------------------------------------


def open_reports(limit: int = 100) -> list[dict[str, Any]]:
    """Return the reports that nobody has settled, the oldest first, as an operator may read them.

    `reporter` is a name; `about` is the name of the player who is reported as it was then, and `called` what they are
    called now; `text` is that of a message, None while it is not shown; `at` is when the message
    was written, or else when the report was made.
    """
    query = select(AbuseReport).where(*_shown()).order_by(AbuseReport.created_at, AbuseReport.id).limit(limit)
    return _report_views(session.scalars(query).all())


def number_open() -> int:
    """Return how many reports wait for an operator, or `MOST_COUNTED` if there are more."""
    return at_most(AbuseReport, *_shown())


def settle(report_id: str) -> None:
    """Note that an operator is done with a report; `Problem` not-found if there is no open one that they may see."""
    with transaction():
        row = session.scalar(select(AbuseReport).where(AbuseReport.id == report_id, *_shown()))
        if row is None:
            raise Problem("not-found", "There is no such report, or somebody is done with it already.")
        row.settled_at = now()


def forget_old() -> None:
    """Delete reports that are settled since `KEPT`, or that nobody has settled for much longer."""
    is_open = AbuseReport.settled_at.is_(None)
    with transaction():
        change(delete(AbuseReport).where(AbuseReport.settled_at <= now() - KEPT))
        change(delete(AbuseReport).where(is_open, AbuseReport.created_at <= now() - LONGEST_KEPT))


def made_by(player: Player) -> list[dict[str, Any]]:
    """Return the reports of the player, for an export of what is stored about them: `kind`, `game` and `at`."""
    query = select(AbuseReport).where(AbuseReport.reporter_id == player.id).order_by(AbuseReport.created_at)
    return [{"kind": row.kind, "game": row.game_id, "at": rfc3339(row.created_at)} for row in session.scalars(query)]


def _shown() -> tuple[ColumnElement[bool], ...]:
    """Return the conditions of open reports that operators may see.

    One on what the team says is left out while an operator who has or had a seat could learn from it that it talks.
    """
    game = aliased(Game)
    is_of_team = exists().where(Message.id == AbuseReport.message_id, Message.audience == "team")
    goes_on = exists().where(game.id == AbuseReport.game_id, game.final.is_(False))
    plays = exists().where(Seat.game_id == AbuseReport.game_id, Seat.player_id == Player.id, _is_operator())
    held = FormerHolder.game_id == AbuseReport.game_id, FormerHolder.player_id == Player.id
    played = exists().where(*held, _is_operator())
    return AbuseReport.settled_at.is_(None), ~(is_of_team & goes_on & or_(plays, played))


def _is_operator() -> ColumnElement[bool]:
    """Return the condition of a player who may open the operator's pages, or who has the operator's address."""
    address = exists().where(Address.player_id == Player.id, Address.email == runtime().settings.operator_email)
    return Player.is_operator | address


def _report_views(rows: Sequence[AbuseReport]) -> list[dict[str, Any]]:
    people = {row.id: row for row in session.scalars(select(Player).where(Player.id.in_(_people(rows))))}
    games = {game.id: game for game in session.scalars(select(Game).where(Game.id.in_({r.game_id for r in rows})))}
    written = {row.message_id for row in rows if row.message_id}
    messages = {message.id: message for message in session.scalars(select(Message).where(Message.id.in_(written)))}
    return [
        _report_view(row, games[row.game_id], people, messages[row.message_id] if row.message_id else None)
        for row in rows
    ]


def _people(rows: Sequence[AbuseReport]) -> set[str]:
    return {person for row in rows for person in (row.player_id, row.reporter_id) if person}


def _report_view(row: AbuseReport, game: Game, people: dict[str, Player], message: Message | None) -> dict[str, Any]:
    is_shown = message is None or message.audience == "all" or game.final
    reporter, about = people.get(row.reporter_id or ""), people[row.player_id]
    return {
        "id": row.id,
        "kind": row.kind,
        "at": rfc3339(message.at if message is not None else row.created_at) if is_shown else None,
        "game": game.id,
        "game_name": game.name,
        "status": game.status,
        "reporter": reporter.name if reporter is not None else None,
        "player": about.id,
        "about": row.name,
        "called": about.name,
        "to": message.audience if message is not None else None,
        "text": message.text if message is not None and is_shown else None,
    }
