"""Unsubscribe the receiver of a mail, who need not sign in for it, and undo that.

Only the receiver knows the id of a mail that the server sent, so nobody can stop another player's mail.
"""

from server.application.mail import mail_choices, mail_frequency
from server.models import Outgoing, Player, session, transaction


def stop(mail_id: str, *, all_of_it: bool = False) -> None:
    """Stop the mail of this mail's receiver: that of its game, or all of it if the mail is about no game."""
    with transaction():
        row = session.get(Outgoing, mail_id)
        if row is None or row.player_id is None:
            return
        if row.game_id is None or all_of_it:
            mail_choices.stop_all(row.player_id)
        else:
            mail_choices.choose(row.player_id, mail_frequency.OFF, row.game_id)


def start_again(mail_id: str) -> None:
    """Undo `stop`: send this mail's receiver the mail of its game again, and all other mail if that was off."""
    with transaction():
        row = session.get(Outgoing, mail_id)
        if row is None or row.player_id is None:
            return
        player = session.get_one(Player, row.player_id)
        if row.game_id is not None and mail_frequency.frequency_of(player, row.game_id) == mail_frequency.OFF:
            mail_choices.choose(player.id, mail_frequency.INHERIT, row.game_id)
        if player.mail == mail_frequency.OFF:
            mail_choices.choose(player.id, mail_frequency.USUAL)


def stopped(mail_id: str) -> str | None:
    """Return what mail of this mail's receiver is off: `all`, `game` for that of the mail's game, or None."""
    row = session.get(Outgoing, mail_id)
    if row is None or row.player_id is None:
        return None
    player = session.get_one(Player, row.player_id)
    if mail_frequency.frequency_of(player, row.game_id) != mail_frequency.OFF:
        return None
    return "all" if player.mail == mail_frequency.OFF else "game"


def name_of_game(mail_id: str) -> str | None:
    """Return the name of the game that a mail is about, or None."""
    row = session.get(Outgoing, mail_id)
    return row.game.name if row is not None and row.game is not None else None
