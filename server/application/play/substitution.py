"""Substitution: a newcomer takes a seat of a running game that is offered, or that the operator gives them.

`house_rules/substitution.py` says when a seat is offered, and what handing it on changes in the game.
"""

from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.game.access import locked, roles_once_held
from server.application.game.look import standing_of
from server.application.game.reasons import check_reason
from server.application.game.situations import load, sources, with_newcomer, write
from server.application.mail import digest_watermark, mail_frequency
from server.application.play.former_holders import record_former_holder
from server.house_rules import substitution
from server.house_rules.draft import decide
from server.models import Game, Player, Seat, transaction


def substitute(game_id: str, number: int, player: Player, reason: str) -> Game:
    """Give seat `number` of a running game to `player`: the operator's remedy for a player who is gone.

    A former Mr. X gets no seat in the game any more, and a former detective never gets Mr. X's.
    """
    with transaction():
        seat = _seat_in_play(game_id, number)
        game = seat.game
        _check_newcomer(seat, player)
        _hand_on(game_id, number, player, check_reason(standing_of(game), reason, player.id))
    return game


def take_over(game: Game, player: Player, number: int | None = None, role: str | None = None) -> Game:
    """Take an offered seat of a running game, in the transaction under way; raise a `Problem` if there is none.

    A seat is offered when its player's time ran out too often in a row, until the player moves again.
    """
    offered = [seat for seat in game.seats if seat.is_offered]
    fitting = [seat for seat in offered if number in (None, seat.number) and role in (None, seat.role)]
    if not fitting:
        others = f"; offered is seat {', '.join(str(seat.number) for seat in offered)}" if offered else ""
        raise Problem("game-not-open", f"This game has started, and its seats are given{others}.")
    _check_newcomer(fitting[0], player)
    _hand_on(game.id, fitting[0].number, player)
    return game


def pass_to_account(game: Game, guest: Player, account: Player) -> None:
    """Give the guest's seat in a running game to the account that they have as well, in the transaction under way.

    Raises:
        Problem: `already-seated` or `forbidden` if the account has, or had, another seat there.
    """
    seat = next(seat for seat in game.seats if seat.player_id == guest.id)
    _check_newcomer(seat, account)
    situation, holder = with_newcomer(load(game.id), account)
    decision = decide(situation, lambda draft: substitution.pass_to_account(draft, seat.number, holder), sources())
    begin_to_write()
    write(decision)
    digest_watermark.advance(account.id, game.id, decision.after.events)
    mail_frequency.hear_again(game.id, account.id)


def _hand_on(game_id: str, number: int, player: Player, reason: str | None = None) -> None:
    """Give a seat to the newcomer; `reason` is the operator's, None when the seat was offered."""
    situation, newcomer = with_newcomer(load(game_id), player)
    decision = decide(situation, lambda draft: substitution.hand_on(draft, number, newcomer, reason), sources())
    begin_to_write()
    record_former_holder(game_id, situation.seat_of_number(number))
    write(decision)
    newest = next(event.number for event in decision.events if event.kind == "substituted")
    digest_watermark.advance(player.id, game_id, newest)
    mail_frequency.hear_again(game_id, player.id)


def _seat_in_play(game_id: str, number: int) -> Seat:
    game = locked(game_id)
    standing_of(game).check_running("seats change hands while it runs")
    for seat in game.seats:
        if seat.number == number:
            return seat
    raise Problem("form", f"There is no such seat; the seats are 1 (Mr. X) to {len(game.seats)}.")


def _check_newcomer(seat: Seat, player: Player) -> None:
    if any(taken.player_id == player.id for taken in seat.game.seats):
        raise Problem("already-seated", f"{player.name} has a seat in this game already.")
    held = roles_once_held(seat.game_id, player)
    if "mr_x" in held:
        raise Problem("forbidden", f"{player.name} was Mr. X in this game, and gets no other seat in it.")
    if "detective" in held and seat.role == "mr_x":
        raise Problem("forbidden", f"{player.name} was a detective in this game, and cannot become Mr. X in it.")
