"""Delete an account, and everything that names its player."""

from sqlalchemy import delete, update

from server.application.accounts import addresses, blocks
from server.application.accounts.export import games_of
from server.application.accounts.renaming import rename_in_events
from server.application.errors import Problem
from server.application.game import views
from server.application.news import webhooks
from server.application.people import codes, mail_frequency
from server.application.people.names import FORMER
from server.application.seats import hosting, invitations, lobby
from server.models import (
    Absence,
    Address,
    Answered,
    Game,
    MailWish,
    Muted,
    Outgoing,
    Player,
    Token,
    Told,
    session,
    transaction,
)
from server.runtime import now, runtime


def delete_account(player_id: str, name: str) -> None:
    """End the account: what is left is a row without name and address, for the games that refer to it.

    `name` is his own, so that nobody does it by mistake. `Problem` still-playing while a result of his is not final.
    """
    with transaction():
        player = session.get_one(Player, player_id, with_for_update={"key_share": True}, populate_existing=True)
        if name != player.name:
            raise Problem("form", "name: your own name, to say that you mean it.")
        games = _locked_games_of(player)
        playing = [game.id for game in games if _is_playing(game, player)]
        if playing:
            raise Problem("still-playing", f"You sit in a game that is not over: {', '.join(playing)}.", games=playing)
        rename_in_events(player, FORMER)
        for game in games:
            _leave(game, player)
        _forget(player)


def _locked_games_of(player: Player) -> list[Game]:
    """In one order, so that of two who lock them neither waits for the other for ever."""
    ids = [game.id for game in games_of(player)]
    return [session.get_one(Game, game_id, with_for_update=True, populate_existing=True) for game_id in ids]


def _is_playing(game: Game, player: Player) -> bool:
    """A provisional result counts as running: the game may be taken up again."""
    return game.status != "open" and not game.final and views.own_seat(game, player) is not None


def _leave(game: Game, player: Player) -> None:
    if game.status == "open" and any(player.id in (seat.player_id, seat.invited_id) for seat in game.seats):
        lobby.leave(game.id, player)
    if game.host_id == player.id and not game.final and not hosting.pass_on(game):
        _close(game)
    for seat in game.seats:
        if seat.player_id == player.id:
            seat.nonce = runtime().new_id("nonce")


def _close(game: Game) -> None:
    """A game in which nobody sits is offered to nobody any more."""
    game.visibility = "private"
    for seat in game.seats:
        invitations.end(seat)


def _forget(player: Player) -> None:
    """Everything but the row itself, and that there were mails."""
    his, to_him = addresses.of_player(player.id), Outgoing.player_id == player.id
    codes.forget(player.id, his)
    blocks.forget(player.id)
    invitations.forget(player.id, his)
    addresses.forget_mails_from(his)
    for webhook in webhooks.of(player.id):
        webhooks.forget(webhook)
    for statement in (
        delete(Token).where(Token.player_id == player.id),
        delete(Absence).where(Absence.player_id == player.id),
        delete(Address).where(Address.player_id == player.id),
        delete(Muted).where(Muted.player_id == player.id),
        delete(Answered).where(Answered.player_id == player.id),
        delete(MailWish).where(MailWish.player_id == player.id),
        delete(Told).where(Told.player_id == player.id),
        update(Outgoing).where(to_him, Outgoing.state.in_(("pending", "held"))).values(state="suppressed"),
        update(Outgoing).where(to_him).values(message=None, details=None, error=None),
    ):
        session.execute(statement, execution_options={"synchronize_session": False})
    player.name, player.zone, player.mail, player.night = FORMER, "UTC", mail_frequency.OFF, None
    player.skeleton = None
    player.asks_first = False
    player.email = f"{runtime().new_id('former player')}@gone.invalid"
    player.gone_at = now()
