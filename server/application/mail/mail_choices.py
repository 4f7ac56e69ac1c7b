"""A player's choices of mail: changing them for all games or for one, and what that does to mails held back."""

from sqlalchemy import select

from server.application.game.deciding import Decided, use_case
from server.application.game.look import look
from server.application.mail import digest_watermark
from server.application.mail.mail_frequency import INHERIT, OFF, REMINDERS, frequency_of, read_of_game
from server.house_rules.standing import Standing
from server.models import Game, MailWish, Player, Seat, session, transaction


def choose(player_id: str, mail: str, game_id: str | None = None) -> None:
    """Set how much mail a player gets, in all games that have no choice of their own, or in one.

    `mail` is a result of `mail_frequency.read`, for a game of `read_of_game`. Mails held back are looked at again.
    """
    with transaction():
        session.flush()  # of other changes to the player, which are not read again
        player = session.get_one(Player, player_id, with_for_update={"key_share": True})
        before = _unheard_games(player)
        if game_id is None:
            player.mail = mail
        elif mail == INHERIT:
            _delete_choice(player, game_id)
        else:
            session.merge(MailWish(player_id=player_id, game_id=game_id, mail=mail))
        session.flush()
        for game in before - _unheard_games(player):
            digest_watermark.advance(player_id, game.id, game.events)
        digest_watermark.release(player_id)


@use_case
def choose_for_game(game_id: str, player: Player, mail: str | None = None) -> Decided[dict[str, str]]:
    """Change the choice for one game, if one is given; return `preferences`.

    Raises:
        Problem: `forbidden` if the player is not in the game, `form` if `mail` is no choice.
    """
    game = look(game_id, player)
    _check_is_in(game, player)
    choice = None if mail is None else read_of_game(mail)

    def write() -> dict[str, str]:
        if choice is not None:
            choose(player.id, choice, game.id)
        return preferences(game, player)

    return Decided(write)


@use_case
def stop_all(player_id: str) -> Decided[None]:
    """Stop all mail to a player, whatever they chose for single games."""

    def write() -> None:
        player = session.get_one(Player, player_id)
        for game, _ in own_choices(player):
            _delete_choice(player, game.id)
        choose(player_id, OFF)

    return Decided(write)


def own_choices(player: Player) -> list[tuple[Game, str]]:
    """Return the games that have a choice of their own, each with that choice."""
    query = select(Game, MailWish.mail).join(MailWish, MailWish.game_id == Game.id)
    query = query.where(MailWish.player_id == player.id).order_by(Game.created_at, Game.id)
    return [(game, mail) for game, mail in session.execute(query)]


def preferences(game: Standing, player: Player) -> dict[str, str]:
    """Return the choice for one game as `mail` (or inherit), and the choice that `applies`.

    Raises:
        Problem: `forbidden` if the player is not in the game.
    """
    _check_is_in(game, player)
    wish = session.get(MailWish, (player.id, game.id))
    return {"mail": wish.mail if wish else INHERIT, "applies": frequency_of(player, game.id)}


def _check_is_in(game: Standing, player: Player) -> None:
    """Raise a `Problem` unless the player sits in the game, is invited to it, or hosts it: these get its mails."""
    if game.host_id != player.id and all(player.id not in (seat.player_id, seat.invited_id) for seat in game.seats):
        game.seat_of_player(player.id)


def _delete_choice(player: Player, game_id: str) -> None:
    wish = session.get(MailWish, (player.id, game_id))
    if wish is not None:
        session.delete(wish)


def _unheard_games(player: Player) -> set[Game]:
    """Return the running games of the player whose events are not mailed to them."""
    mine = (Seat.player_id == player.id, Game.status == "running")
    games = session.scalars(select(Game).join(Seat).where(*mine)).unique()
    return {game for game in games if frequency_of(player, game.id) in (REMINDERS, OFF)}
