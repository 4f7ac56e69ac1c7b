"""Delete an account, and everything that names its player."""

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, Table, delete, exists, or_, select, update

from server import models
from server.application.game.situations import carry_out, load
from server.application.lobby import invitations, seats
from server.application.mail import mail_frequency
from server.application.people import codes, devices
from server.application.people.accounts import addresses, blocks, preferences
from server.application.people.accounts.export import games_of
from server.application.people.accounts.renaming import rename_in_events
from server.application.people.names import FORMER
from server.house_rules import before_start, endings
from server.house_rules.draft import Draft
from server.models import Base, execute, session, table_of, tally, transaction
from server.runtime import now, runtime
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext

# Tables that hold nothing of a guest's game: guests and bots get no mail and have no webhooks, and messages to devices
# go with these. Deleting a guest skips them, except for the rows that name a player, which `_forget` deletes.
_WITHOUT_GUESTS = ("inbox", "webhook_deliveries", "mail_wishes", "told")


def delete_account(player_id: str, name: str) -> None:
    """Delete an account. A row without name and address is left, for the games that refer to it.

    Of a guest who only practised nothing is left. A game against bots that runs ends with the account.

    Args:
        name: the player's own name, so that nobody does this by mistake.

    Raises:
        Problem: `form` if it is another name, `still-playing` while a game of theirs with people is not over for good.
    """
    with transaction():
        player = session.get_one(models.Player, player_id, with_for_update={"key_share": True}, populate_existing=True)
        if name != player.name:
            raise refusal("form", "your own name, to say that you mean it.", field="name")
        if player.is_guest and not _met([player]):
            delete_with_games([player])
            return
        if player.is_guest:
            _delete_games_without_others(player)
        games = _locked_games_of(player)
        for game in games:
            if _is_playing(game, player) and not _was_met_in(game, player):
                carry_out(load(game.id), _end_practice)
                session.refresh(game)
        playing = [game.id for game in games if _is_playing(game, player)]
        if playing:
            sentence = gettext("You sit in a game that is not over: {games}.", games=", ".join(playing))
            raise Problem("still-playing", sentence, games=playing)
        _leave_all(player, games)


def _was_met_in(game: models.Game, player: models.Player) -> bool:
    """Return True if another person has, or had, a seat in the game."""
    sits = any(seat.player_id not in (None, player.id) for seat in game.seats)
    sat = exists().where(models.FormerHolder.game_id == game.id, models.FormerHolder.player_id != player.id)
    return sits or bool(session.scalar(select(sat)))


def _end_practice(draft: Draft) -> None:
    """End a game against bots for good, which nobody will play on."""
    if draft.game.status == "running":
        endings.end(draft, endings.ABANDONED)
    else:
        endings.make_final(draft)


def _leave_all(player: models.Player, games: Sequence[models.Game]) -> None:
    """Take a player out of all their games, and forget them but for the bare row that the games refer to."""
    rename_in_events(player, FORMER)
    for game in games:
        _leave(game, player)
    _forget(player)


def delete_guests(guests: Sequence[models.Player]) -> None:
    """Delete guests and their practice games, in the transaction under way.

    Of one who has had a seat among people a row without a name is left, for the games that refer to it.
    """
    met = _met(guests)
    delete_with_games([guest for guest in guests if guest.id not in met])
    for guest in (guest for guest in guests if guest.id in met):
        _delete_games_without_others(guest)
        _leave_all(guest, _locked_games_of(guest))


def is_met() -> ColumnElement[bool]:
    """Return the condition on players that they have, or had, a seat in a game with others, or host one."""
    sat = exists().where(models.FormerHolder.player_id == models.Player.id)
    hosts = exists().where(models.Game.host_id == models.Player.id, was_for_others())
    return sits_with_others() | sat.correlate(models.Player) | hosts.correlate(models.Player)


def sits_with_others(*also: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition on players that they have a seat in somebody else's game, or with others in their own.

    `also` are further conditions on that game.
    """
    is_such = (models.Game.host_id != models.Player.id) | was_for_others()
    sits = exists().where(
        models.Seat.player_id == models.Player.id, models.Game.id == models.Seat.game_id, is_such, *also
    )
    return sits.correlate(models.Player)


def was_for_others() -> ColumnElement[bool]:
    """Return the condition on games that somebody beside the host sits or sat there, or is invited."""
    seat, former, event = models.Seat, models.FormerHolder, models.Event
    is_other = (seat.player_id != models.Game.host_id) | seat.invited_id.is_not(None) | seat.invitation_id.is_not(None)
    there = (
        exists().where(seat.game_id == models.Game.id, is_other),
        exists().where(former.game_id == models.Game.id, former.player_id != models.Game.host_id),
        exists().where(event.game_id == models.Game.id, event.kind == "left"),  # before the start
    )
    return or_(*(each.correlate(models.Game) for each in there))


def _met(players: Sequence[models.Player]) -> set[str]:
    """Return the ids of those of the players who are met by others, see `is_met`."""
    theirs = models.Player.id.in_([player.id for player in players])
    return set(session.scalars(select(models.Player.id).where(theirs, is_met())))


def _delete_games_without_others(guest: models.Player) -> None:
    alone = select(models.Game.id).where(models.Game.host_id == guest.id, ~was_for_others())
    delete_games(session.scalars(alone).all())


def delete_with_games(guests: Sequence[models.Player]) -> None:
    """Delete guests and their games, in which nobody else but bots has a seat, in the transaction under way."""
    if not guests:
        return
    players = [guest.id for guest in guests]
    for guest in guests:
        _forget(guest)
    session.flush()
    delete_games(session.scalars(select(models.Game.id).where(models.Game.host_id.in_(players))).all())
    for table in _tables_with("player_id"):
        session.execute(table.delete().where(table.c.player_id.in_(players)))
    session.execute(table_of(models.Player).delete().where(table_of(models.Player).c.id.in_(players)))


def delete_games(games: Sequence[str]) -> None:
    """Delete games of guests, by their ids, in the transaction under way."""
    if not games:
        return
    for status in session.scalars(select(models.Game.status).where(models.Game.id.in_(games))):
        tally(f"games {status}", -1)
    motions = select(models.Motion.id).where(models.Motion.game_id.in_(games))
    execute(delete(models.Ballot).where(models.Ballot.motion_id.in_(motions)))
    for table in _tables_with("game_id"):
        session.execute(table.delete().where(table.c.game_id.in_(games)))
    session.execute(table_of(models.Game).delete().where(table_of(models.Game).c.id.in_(games)))


def _tables_with(column: str) -> Iterator[Table]:
    """Return the tables with this column that may hold something of a guest, those first that refer to others."""
    tables = reversed(Base.metadata.sorted_tables)
    return (table for table in tables if table.name not in _WITHOUT_GUESTS and column in table.c)


def _locked_games_of(player: models.Player) -> list[models.Game]:
    """Return the player's games, locked in one order, so that no two transactions wait for each other."""
    ids = [game.id for game in games_of(player)]
    return [session.get_one(models.Game, game_id, with_for_update=True, populate_existing=True) for game_id in ids]


def _is_playing(game: models.Game, player: models.Player) -> bool:
    """Return whether the player sits in a game under way, or in one with a provisional result, which may go on."""
    return game.status != "open" and not game.final and any(seat.player_id == player.id for seat in game.seats)


def _leave(game: models.Game, player: models.Player) -> None:
    if game.status == "open" and any(player.id in (seat.player_id, seat.invited_id) for seat in game.seats):
        seats.leave(game.id, player)
    if game.host_id == player.id and not game.final:
        carry_out(load(game.id, with_board=False), before_start.leave_without_host)
    for seat in game.seats:
        if seat.player_id == player.id:
            seat.nonce, seat.replay = runtime().new_id("nonce"), None


def _forget(player: models.Player) -> None:
    """Delete all that is stored of a player, but for the bare row and the rows of mails, without their content."""
    models.topics.tell([models.topics.end_of(player.id)])
    theirs, to_them = addresses.of_player(player.id), models.Outgoing.player_id == player.id
    codes.forget(player.id, theirs)
    blocks.forget(player.id)
    invitations.forget(player.id, theirs)
    addresses.forget_mails_from(theirs)
    devices.forget_all(player.id)
    for statement in (
        delete(models.AbuseReport).where(
            (models.AbuseReport.reporter_id == player.id) | (models.AbuseReport.player_id == player.id)
        ),
        delete(models.Token).where(models.Token.player_id == player.id),
        delete(models.BrowserSession).where(models.BrowserSession.player_id == player.id),
        delete(models.Absence).where(models.Absence.player_id == player.id),
        delete(models.Address).where(models.Address.player_id == player.id),
        delete(models.Muted).where(models.Muted.player_id == player.id),
        delete(models.Answered).where(models.Answered.player_id == player.id),
        delete(models.MailAnswer).where(models.MailAnswer.whom == player.id),
        delete(models.MailWish).where(models.MailWish.player_id == player.id),
        delete(models.Told).where(models.Told.player_id == player.id),
        update(models.Outgoing)
        .where(to_them, models.Outgoing.state.in_(("pending", "held", "restored")))
        .values(state="suppressed"),
        update(models.Outgoing).where(to_them).values(message=None, details=None, error=None, refusal=None),
    ):
        execute(statement)
    preferences.reset(player)
    player.name, player.mail = FORMER, mail_frequency.OFF
    player.skeleton, player.taken_skeletons, player.closing_lines = None, [], None
    player.is_operator = False
    player.email = f"{runtime().new_id('former player')}@gone.invalid"
    player.network = player.provider = None
    player.gone_at = now()
