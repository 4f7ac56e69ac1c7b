"""Reports to the operator: on a message, on the name of a player, on an invitation. Each is about somebody in a game.

The operator may play in the game, and learns here no more than a spectator may while it goes on. The words of a message
to all are shown; those of a message to the team, and when it was written, only once the result is final. If an operator
has or had a seat in the game, even that there is such a report is not shown, counted or mailed before.
"""

from collections.abc import Sequence, Set
from typing import Any

from sqlalchemy import ColumnElement, delete, select, tuple_

from server.application.game.look import look
from server.application.people.players import with_email
from server.application.play import talk
from server.house_rules.standing import Standing
from server.models import (
    AbuseReport,
    FormerHolder,
    Game,
    Invitation,
    Message,
    Outgoing,
    Player,
    Seat,
    execute,
    insert_new,
    session,
    transaction,
)
from server.models.statements import MOST_COUNTED
from server.runtime import now, runtime
from server.vocabulary.durations import DAY, rfc3339
from server.vocabulary.errors import refusal
from server.vocabulary.limits import REPORTS

KEPT = 30 * DAY  # after the operator was done with it
LONGEST_KEPT = 180 * DAY  # if nobody ever was
PAGE = 100  # reports that are read at a time
KINDS = MESSAGE, NAME, INVITATION = ("message", "name", "invitation")


# Reporting ---------------------------------------------------------------------------------------


def report(game_id: str, player: Player, kind: str, number: int | None) -> None:
    """Report a message by its number, a name by the number of the seat (0 is the host), or an invitation by none.

    Raises:
        Problem: `not-found` for a hidden game; `form` if there is no such thing of somebody else; `too-many`.
    """
    if kind == INVITATION:
        report_invitation(game_id, player)
    elif kind == MESSAGE and number is not None:
        report_message(game_id, player, number)
    elif kind == NAME and number is not None:
        report_name(game_id, player, number)
    else:
        raise refusal("form", "Choose what you want to report.")


def report_message(game_id: str, player: Player, number: int) -> None:
    """Report the message with this number, which the player may read and has not written.

    Raises:
        Problem: `not-found` for a hidden game; `form` if there is no such message; `too-many`.
    """
    with transaction():
        game = look(game_id, player)
        heard = talk.rows_heard(game, player, number - 1, 1) if number > 0 else []
        if not heard or heard[0].player_id == player.id:
            raise refusal("form", "There is no such message of somebody else.")
        _add(MESSAGE, game, player, heard[0].player_id, heard[0])


def report_name(game_id: str, player: Player, number: int) -> None:
    """Report the name of the player on a seat, or of the host for number 0; the same `Problem` as `report_message`."""
    with transaction():
        game = look(game_id, player)
        is_seat = 1 <= number <= len(game.seats)
        reported = game.host_id if number == 0 else game.seat_of_number(number).player_id if is_seat else None
        if reported is None or reported == player.id:
            raise refusal("form", "There is no other player on that seat.")
        _add(NAME, game, player, reported)


def report_invitation(game_id: str, player: Player) -> None:
    """Report the invitation of the player to a game; the same `Problem` as `report_message`."""
    with transaction():
        game = look(game_id, player)
        seat = next((seat for seat in game.seats if seat.invited_id == player.id), None)
        if seat is None:
            raise refusal("form", "You are not invited to this game.")
        _add(INVITATION, game, player, seat.invitation.host_id if seat.invitation is not None else game.host_id)


def report_mailed_invitation(mail_id: str) -> None:
    """Report the invitation in a mail, for its reader, who needs no account; one mail is reported once."""
    with transaction():
        mail = invitation_mail(mail_id)
        assert mail.game is not None
        invitation = session.get(Invitation, mail.cause) if mail.cause else None
        reported = invitation.host_id if invitation is not None else mail.game.host_id
        _insert(INVITATION, mail.game.id, mail.player_id, reported, mail_id=mail.id)


def invitation_mail(mail_id: str) -> Outgoing:
    """Return the mail of an invitation, whose id only its reader knows; `Problem` not-found for any other."""
    mail = session.get(Outgoing, mail_id)
    if mail is None or mail.kind != INVITATION or mail.game is None:
        raise refusal("not-found", "There is no such invitation, or it is too long ago.")
    return mail


def _add(kind: str, game: Standing, reporter: Player, reported: str, message: Message | None = None) -> None:
    """Store a report, unless the player has one of the same that is open."""
    session.get_one(Player, reporter.id, with_for_update={"key_share": True})  # one at a time, so that each counts
    mine = AbuseReport.reporter_id == reporter.id
    same = (AbuseReport.kind == kind, AbuseReport.game_id == game.id, AbuseReport.player_id == reported)
    about = AbuseReport.message_id == message.id if message is not None else AbuseReport.message_id.is_(None)
    if session.scalar(select(AbuseReport.id).where(mine, *same, about, AbuseReport.settled_at.is_(None))) is not None:
        return
    query = select(AbuseReport.created_at).where(mine, AbuseReport.created_at > now() - DAY)
    times = session.scalars(query.order_by(AbuseReport.created_at)).all()
    REPORTS.check(times, now())
    _insert(kind, game.id, reporter.id, reported, message_id=message.id if message is not None else None)


def _insert(kind: str, game_id: str, reporter_id: str | None, reported: str, **about: str | None) -> None:
    """Store a report; one mail is reported once, by however many clicks."""
    row = {"id": runtime().new_id("abuse report"), "kind": kind, "game_id": game_id, "created_at": now(), **about}
    name = session.get_one(Player, reported).name
    execute(insert_new(AbuseReport), row | {"reporter_id": reporter_id, "player_id": reported, "name": name})


# For the operator ----------------------------------------------------------------------------------


def open_reports(limit: int = 100) -> list[dict[str, Any]]:
    """Return the reports that nobody has settled, the oldest first, as an operator may read them.

    `reporter` is a name; `about` is the name of the player who is reported as it was then, and `called` what they are
    called now; `text` is that of a message, None while it is not shown; `at` is when the message
    was written, or else when the report was made.
    """
    return _report_views(_shown(limit))


def number_open() -> int:
    """Return how many reports wait for an operator, or `MOST_COUNTED` if there are more."""
    return len(_shown(MOST_COUNTED))


def settle(report_id: str) -> None:
    """Note that an operator is done with a report; `Problem` not-found if there is no open one that they may see."""
    with transaction():
        row = next(iter(_shown(1, AbuseReport.id == report_id)), None)
        if row is None:
            raise refusal("not-found", "There is no such report, or somebody is done with it already.")
        row.settled_at = now()


def forget_old() -> None:
    """Delete reports that are settled since `KEPT`, or that nobody has settled for much longer."""
    is_open = AbuseReport.settled_at.is_(None)
    with transaction():
        execute(delete(AbuseReport).where(AbuseReport.settled_at <= now() - KEPT))
        execute(delete(AbuseReport).where(is_open, AbuseReport.created_at <= now() - LONGEST_KEPT))


def made_by(player: Player) -> list[dict[str, Any]]:
    """Return the reports of the player, for an export of what is stored about them: `kind`, `game` and `at`."""
    query = select(AbuseReport).where(AbuseReport.reporter_id == player.id).order_by(AbuseReport.created_at)
    return [{"kind": row.kind, "game": row.game_id, "at": rfc3339(row.created_at)} for row in session.scalars(query)]


def _shown(limit: int, *which: ColumnElement[bool]) -> list[AbuseReport]:
    """Return the open reports that operators may see, the oldest first.

    One on what the team says is left out while an operator who has or had a seat could learn from it that it talks.
    That is looked up for a page of reports at a time: in one statement a database would read all games for it.
    """
    query = select(AbuseReport).where(AbuseReport.settled_at.is_(None), *which)
    query = query.order_by(AbuseReport.created_at, AbuseReport.id).limit(PAGE)
    shown: list[AbuseReport] = []
    reports: Sequence[AbuseReport] = ()
    while len(shown) < limit:
        place = (reports[-1].created_at, reports[-1].id) if reports else None
        behind = () if place is None else (tuple_(AbuseReport.created_at, AbuseReport.id) > place,)
        reports = session.scalars(query.where(*behind)).all()
        shown += _without_hidden(reports)
        if len(reports) < PAGE:
            break
    return shown[:limit]


def _without_hidden(reports: Sequence[AbuseReport]) -> list[AbuseReport]:
    messages = {report.message_id for report in reports if report.message_id}
    to_teams = set(session.scalars(select(Message.id).where(Message.id.in_(messages), Message.audience == "team")))
    games = {report.game_id for report in reports if report.message_id in to_teams}
    going_on = set(session.scalars(select(Game.id).where(Game.id.in_(games), Game.final.is_(False))))
    hidden = _games_of_operators(going_on)
    return [report for report in reports if report.message_id not in to_teams or report.game_id not in hidden]


def _games_of_operators(games: Set[str]) -> set[str]:
    """Return those of the games in which an operator has or had a seat."""
    if not games:
        return set()
    owner = with_email(runtime().settings.operator_email or "")
    is_operator = Player.is_operator | (Player.id == (owner.id if owner is not None else ""))
    holds = select(Seat.game_id).join(Player, Player.id == Seat.player_id).where(Seat.game_id.in_(games), is_operator)
    held = select(FormerHolder.game_id).join(Player, Player.id == FormerHolder.player_id)
    return {*session.scalars(holds), *session.scalars(held.where(FormerHolder.game_id.in_(games), is_operator))}


def _report_views(rows: Sequence[AbuseReport]) -> list[dict[str, Any]]:
    ids = {person for row in rows for person in (row.player_id, row.reporter_id) if person}
    people = {row.id: row for row in session.scalars(select(Player).where(Player.id.in_(ids)))}
    games = {game.id: game for game in session.scalars(select(Game).where(Game.id.in_({r.game_id for r in rows})))}
    written = {row.message_id for row in rows if row.message_id}
    messages = {message.id: message for message in session.scalars(select(Message).where(Message.id.in_(written)))}
    return [
        _report_view(row, games[row.game_id], people, messages[row.message_id] if row.message_id else None)
        for row in rows
    ]


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
